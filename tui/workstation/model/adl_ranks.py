"""ADL ranks, matched to positions by position id, else by symbol and side, and shown as lights."""

from __future__ import annotations

from decimal import ROUND_CEILING
from typing import TYPE_CHECKING, NamedTuple

from tui.engine.modes import Environment
from tui.engine.rows import Fact
from tui.interface.figures import leg_of, size_of
from tui.interface.symbols import try_parse
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror

if TYPE_CHECKING:
    from tui.interface.families.positions import AdlRank, PositionRecord


def position_of(rank: AdlRank, mirror: Mirror) -> PositionRecord | None:
    """Return the position that an ADL rank belongs to."""
    return next((fact.record for fact in mirror.positions.values() if _belongs(rank, fact.record)), None)


def match_positions(mirror: Mirror) -> list[tuple[str, PositionRecord | None]]:
    """List the key of each ADL rank with its position; leave out ranks of positions closed since they were read."""
    by_sym: dict[str, list[PositionRecord]] = {}
    for fact in mirror.positions.values():
        by_sym.setdefault(fact.record.sym, []).append(fact.record)
    matched = []
    for key, rank in mirror.adl.items():
        legs = by_sym.get(rank.record.sym, ())
        position = next((record for record in legs if _belongs(rank.record, record)), None)
        is_open = size_of(position) != 0 if position is not None else not mirror.synced_once
        if is_open:
            matched.append((key, position))
    return matched


READ_S = 20.0
"""Interval between reads of the ranks, s; a leg opened later than that has no rank yet."""
NOT_READ_YET = "rank … comes with the next read"


def is_awaited(position: PositionRecord, view: DisplayContext) -> bool:
    """Return whether a position has no ADL rank yet and is so new that its rank is still to be read."""
    opened = millis(position.create_at)
    return bool(opened) and view.server_wall - opened / 1000 < READ_S and rank_of(position, view.mirror) is None


def rank_of(position: PositionRecord, mirror: Mirror) -> Fact[AdlRank] | None:
    """Return the ADL rank of a position."""
    return next((fact for fact in mirror.adl.values() if _belongs(fact.record, position)), None)


def _belongs(rank: AdlRank, position: PositionRecord) -> bool:
    """Return whether an ADL rank belongs to a position: by position id, else by symbol and side."""
    if rank.sym != position.sym:
        return False
    if rank.position_id and position.position_id:
        return rank.position_id == position.position_id
    if not size_of(position):
        return False
    return rank.position_side not in ("LONG", "SHORT") or rank.position_side == leg_of(position)


# As lights

_SCALES = {"BINANCE": (0, 4), "WHITEBIT": (0, 4), "BITMEX": (1, 5)}
_PAPER = (1, 5)
SENT_AS_LIGHTS = frozenset(["OKX"])


class Lights(NamedTuple):
    """ADL rank of a position as a number of lights from 0 to 5."""

    lit: int
    """Lights that are on, of five."""
    is_scale_known: bool
    """Whether the scale of the venue is known."""


def lights(raw: str, exchange: str, environment: Environment) -> Lights | None:
    """Convert an ADL rank of a venue to lights, 0 to 5; None if the rank is unreadable."""
    rank = number_format.value(raw)
    if rank is None:
        return None
    scale = _PAPER if environment is Environment.PAPER else _SCALES.get(exchange)
    if scale is None:
        return Lights(max(0, min(5, int(rank))), exchange in SENT_AS_LIGHTS)
    low, high = scale
    count = 1 + int(((rank - low) * 4 / (high - low)).to_integral_value(ROUND_CEILING))
    return Lights(max(0, min(5, count)), is_scale_known=True)


def lights_of(raw: str, sym: str, mirror: Mirror) -> Lights | None:
    """Convert the ADL rank of a position to lights; until the environment is known, by the scale of the paper venue."""
    status, parts = mirror.engine_status, try_parse(sym)
    environment = status.environment if status is not None else Environment.PAPER
    return lights(raw, parts.exchange if parts else "", environment)


def format_lights(count: int) -> str:
    """Format a number of lights out of five as text."""
    return "●" * count + "○" * (5 - count)


def role(count: int) -> str:
    """Return the colour role for a number of ADL lights, from `dim` below 2 to `alert` at 5."""
    return "alert" if count >= 5 else "warn" if count >= 4 else "text" if count >= 2 else "dim"
