"""Detection of auto-deleveraging, which no message reports: a position became smaller without a fill."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from tui.engine.event_line import Level
from tui.engine.orders.exposure import compute_signed_base
from tui.engine.state.engine_state import EngineState
from tui.interface.decimals import ZERO, plain
from tui.interface.families.orders import PositionSide
from tui.interface.symbols import pair_name, try_parse

ONE_UNIT = Decimal(1)


class _Reading(NamedTuple):
    """Position and fills of one pair, in its own units, negative when short."""

    held: Decimal
    """Sum of its legs."""
    filled: Decimal
    """Sum of the fills of this session."""
    long: Decimal = ZERO
    short: Decimal = ZERO
    """Sizes of the legs of hedge mode, without sign."""


class DeleveragingCheck:
    """Comparison of position changes with fills, to find auto-deleveraging: a difference that two reads confirm."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self._epoch = -1
        self._before: dict[str, _Reading] = {}
        self._doubts: dict[str, Decimal] = {}

    def waits(self) -> bool:
        """Return whether a difference waits for a second read, as a fill and its position may arrive apart."""
        return bool(self._doubts)

    def compare(self) -> None:
        """Compare position changes with fills since the earlier read; report a difference that two reads show."""
        readings = self._read()
        if self._epoch != self._state.epoch:
            self._epoch, self._before, self._doubts = self._state.epoch, readings, {}
            return
        for sym, now in readings.items():
            then = self._before.get(sym, _Reading(ZERO, ZERO))
            explained = then.held + now.filled - then.filled
            missing = now.held - explained
            if missing and self._doubts.get(sym) != missing:
                self._doubts[sym] = missing
                continue
            if missing:
                self._judge(sym, then, now, missing)
            self._doubts.pop(sym, None)
            self._before[sym] = now

    def _read(self) -> dict[str, _Reading]:
        """Read position and fills of every perpetual that has any; unreadable sizes are left out."""
        filled = self._state.fills.filled
        held: dict[str, Decimal | None] = {sym: ZERO for sym in (*filled, *self._before) if _is_perpetual(sym)}
        legs: dict[tuple[str, str], Decimal] = {}
        for fact in self._state.facts.positions.rows.values():
            sym, size = fact.record.sym, compute_signed_base(fact.record, ONE_UNIT)
            known = held.get(sym, ZERO)
            held[sym] = None if size is None or known is None else known + size
            legs[sym, fact.record.position_side] = abs(size or ZERO)
        return {
            sym: _Reading(
                size,
                filled.get(sym, ZERO),
                *(legs.get((sym, leg), ZERO) for leg in (PositionSide.LONG, PositionSide.SHORT)),
            )
            for sym, size in held.items()
            if size is not None
        }

    def _judge(self, sym: str, then: _Reading, now: _Reading, missing: Decimal) -> None:
        """Report a change without a fill if it made a position smaller; in hedge mode, that of the only possible leg."""
        if then.long or then.short:
            leg, before, left = ("LONG", then.long, now.long) if missing < 0 else ("SHORT", then.short, now.short)
            if left < before:
                self._report(sym, left + abs(missing), left, f" {leg}")
        elif abs(now.held) < abs(now.held - missing):
            self._report(sym, now.held - missing, now.held)

    def _report(self, sym: str, before: Decimal, after: Decimal, leg: str = "") -> None:
        state, change = self._state, f"{plain(before)} → {plain(after)}"
        state.write_journal("deleveraged", {"sym": sym, "before": plain(before), "after": plain(after)})
        text = f"ADL suspected: {pair_name(sym)}{leg} {change} without a fill; see the statement for the price"
        state.notify(Level.ALERT, text, sticky=True, cause=f"deleveraging of {sym}")


def _is_perpetual(sym: str) -> bool:
    parts = try_parse(sym)
    return parts is not None and parts.is_perp
