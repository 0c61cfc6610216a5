"""Cells of the ADL pane: rank lights, the result that would be realised, and hedging positions."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec

from tui.engine.rows import Fact
from tui.interface.decimals import half_up
from tui.interface.figures import ONE_WAY, leg_of, size_of
from tui.interface.symbols import try_parse
from tui.workstation.model import adl_ranks, number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import short_name
from tui.workstation.model.position_metrics import (
    base_delta,
    coins_held,
    mark_of,
    notional_of,
    own_liquidation,
    sign_of,
)
from tui.workstation.table.columns import Cell, SortKey

if TYPE_CHECKING:
    from tui.interface.families.positions import AdlRank, PositionRecord

OLD_AFTER_S = 60.0
SHORT_DELTAS = 13
"""Most cells of two deltas that leave room for a word."""
KEPT_STEPS = 4
"""Past values of a rank in the trend."""

MISSING_CELL: Cell = ("  " + number_format.MISSING, "faint")


class AdlLine(msgspec.Struct, frozen=True):
    """ADL rank of a position, with the position and earlier values of the rank."""

    rank: Fact[AdlRank]
    position: PositionRecord | None
    steps: tuple[str, ...] = ()


def rank_of(line: AdlLine, view: DisplayContext) -> adl_ranks.Lights | None:
    return adl_ranks.lights_of(line.rank.record.adl_rank, line.rank.record.sym, view.mirror)


def leg(line: AdlLine) -> Cell:
    record = line.rank.record
    side = record.position_side
    if side in ONE_WAY:
        side = leg_of(line.position) if line.position else ""
    return f"{short_name(record.sym)} {side[:1]}", "text"


def portfolio(line: AdlLine) -> Cell:
    """Return the portfolio of the API key that read the rank, because the service's answer does not contain one."""
    return line.rank.stamp.portfolio or number_format.MISSING, "dim"


def lights(line: AdlLine, view: DisplayContext) -> Cell:
    result = rank_of(line, view)
    if result is None:
        return number_format.MISSING, "faint"
    count, mark = result.lit, "" if result.is_scale_known else "?"
    return f"{adl_ranks.format_lights(count)} {count}{mark}{rise(line)}", adl_ranks.role(count)


def lights_short(line: AdlLine, view: DisplayContext) -> str:
    result = rank_of(line, view)
    if result is None:
        return number_format.MISSING
    return f"{adl_ranks.format_lights(result.lit)}{result.lit if result.is_scale_known else '?'}{rise(line)}"


def by_lights(line: AdlLine, view: DisplayContext) -> SortKey:
    result = rank_of(line, view)
    return None if result is None else Decimal(result.lit)


def rise(line: AdlLine) -> str:
    if len(line.steps) < 2:
        return ""
    before, now = number_format.value(line.steps[-2]), number_format.value(line.steps[-1])
    return "↑" if before is not None and now is not None and now > before else ""


def raw_rank(line: AdlLine) -> Cell:
    return line.rank.record.adl_rank or number_format.MISSING, "dim"


def by_raw(line: AdlLine) -> SortKey:
    return number_format.value(line.rank.record.adl_rank)


def age(line: AdlLine, view: DisplayContext) -> Cell:
    seconds = view.now - line.rank.stamp.received
    return number_format.whole_age(seconds), "warn" if seconds > OLD_AFTER_S else "dim"


def by_age(line: AdlLine, view: DisplayContext) -> SortKey:
    return view.now - line.rank.stamp.received


def lose(line: AdlLine, view: DisplayContext) -> Cell:
    if line.position is None:
        return MISSING_CELL
    parts = try_parse(line.position.sym)
    delta = base_delta(line.position, view)
    gain = number_format.value(line.position.unrealized_pnl)
    size = view.amount(None if delta is None else abs(delta), None)
    body = f"  {size} {parts.base if parts else ''} {view.format_signed(gain, 0)}"
    return body, number_format.change_role(gain)


def by_lose(line: AdlLine) -> SortKey:
    return number_format.value(line.position.unrealized_pnl) if line.position is not None else None


def notional(line: AdlLine, view: DisplayContext) -> Cell:
    return view.amount(notional_of(line.position, view) if line.position is not None else None), "dim"


def by_notional(line: AdlLine, view: DisplayContext) -> SortKey:
    return notional_of(line.position, view) if line.position is not None else None


def score_of(line: AdlLine, view: DisplayContext) -> tuple[Decimal, Decimal] | None:
    """Estimate the two factors behind the ADL rank: profit in per cent, and effective leverage by the liquidation price."""
    from tui.rules.adl import leverage_score

    record = line.position
    if record is None:
        return None
    entry, mark = number_format.value(record.avg_price), number_format.value(mark_of(record, view))
    sign = sign_of(record)
    away = number_format.value(record.liq_price) or own_liquidation(record, view)
    if not entry or not mark or not sign:
        return None
    score = leverage_score(sign, entry, mark, away)
    return score.pnl_share * 100, score.leverage


def score(line: AdlLine, view: DisplayContext) -> Cell:
    result = score_of(line, view)
    if result is None:
        return MISSING_CELL
    share, leverage = result
    lever = f" x {half_up(leverage, 1)}" if leverage else ""
    return f"  ~{number_format.format_signed_decimal(share, 2)}%{lever}", number_format.change_role(share)


def by_score(line: AdlLine, view: DisplayContext) -> SortKey:
    result = score_of(line, view)
    return None if result is None else result[0] * (result[1] or 1)


def list_partners(line: AdlLine, view: DisplayContext) -> tuple[str, Decimal, Decimal] | None:
    """Return the names of positions and coins that hedge this position, and the base delta with and without it."""
    if line.position is None:
        return None
    own, parts = base_delta(line.position, view), try_parse(line.position.sym)
    if own is None or parts is None:
        return None
    before = coins_held(view).get(parts.base, Decimal(0))
    names = ["coins"] if before * own < 0 else []
    for fact in view.mirror.positions.values():
        other = try_parse(fact.record.sym)
        if other is None or other.base != parts.base or not size_of(fact.record):
            continue
        delta = base_delta(fact.record, view)
        if delta is None:
            return None
        before += delta
        if delta * own < 0:
            names.append(f"{other.exchange[:3]} {leg_of(fact.record)[:1]}")
    return ", ".join(names) or "none", before, before - own


def partner(line: AdlLine, view: DisplayContext) -> Cell:
    result = list_partners(line, view)
    if result is None:
        return MISSING_CELL
    names, before, after = result
    return (
        f"  {names}: {number_format.format_signed_decimal(before)} → {number_format.format_signed_decimal(after)}",
        "text",
    )


def partner_short(line: AdlLine, view: DisplayContext) -> str:
    """Return the number of hedges and the deltas; only the deltas if they are too long for the column."""
    result = list_partners(line, view)
    if result is None:
        return MISSING_CELL[0]
    names, before, after = result
    deltas = f"{number_format.format_signed_decimal(before)} → {number_format.format_signed_decimal(after)}"
    return f"  {names.count(',') + 1} hedge {deltas}" if len(deltas) <= SHORT_DELTAS else f"  {deltas}"


def trend(line: AdlLine) -> Cell:
    return "  " + "→".join(line.steps[-KEPT_STEPS:]), "dim"
