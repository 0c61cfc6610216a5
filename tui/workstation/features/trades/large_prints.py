"""Large prints of one pair: the bursts of the tape whose size passes the filter of the trades, kept for the chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tui.workstation.features.trades.tape import Burst, group_bursts
from tui.workstation.table.row_filter import NO_FILTER, Filter, FilterFacts

if TYPE_CHECKING:
    from tui.interface.families.market import TradePush

MOST_PRINTS = 100
"""Most prints kept; the oldest leave first."""


def limits_size(filter_: Filter) -> bool:
    """Return whether a filter has a term that compares the size, such as `qty>5`, not inverted."""
    return any(term.name == "qty" and term.compare and not term.inverted for term in filter_.terms)


class LargePrints:
    """Large public trades of the open pair; they are kept after the list of trades has dropped them."""

    def __init__(self) -> None:
        self._sym = ""
        self._filter = NO_FILTER
        self._tape: Sequence[TradePush] = ()
        self._newest = ""
        """Key of the newest burst read, which may still grow."""
        self._kept: dict[tuple[int, str, str], Burst] = {}
        """By time, price and side, oldest first."""

    def follow(
        self, sym: str, tape: Sequence[TradePush], filter_: Filter, facts: Callable[[Burst], FilterFacts]
    ) -> list[Burst]:
        """Return the bursts of a pair's public trades that pass the filter, oldest first; none if it compares no size.

        Args:
            sym: Pair.
            tape: Its trades, newest first.
            filter_: Filter of the trades.
            facts: What the filter reads of a burst.
        """
        if not sym or not limits_size(filter_):
            self._forget("", NO_FILTER)
            return []
        if sym != self._sym:
            self._forget(sym, filter_)
        elif filter_ != self._filter:
            before = self._kept
            self._forget(sym, filter_)
            self._kept = {key: burst for key, burst in before.items() if filter_.passes(facts(burst))}
        if tape is not self._tape:
            self._tape = tape
            self._read(facts)
        return list(self._kept.values())

    def _forget(self, sym: str, filter_: Filter) -> None:
        self._sym, self._filter, self._tape, self._newest, self._kept = sym, filter_, (), "", {}

    def _read(self, facts: Callable[[Burst], FilterFacts]) -> None:
        """Read the trades since the last call, and again the newest burst of the last call, which may have grown."""
        tape = self._tape
        known = next((at for at, trade in enumerate(tape) if trade.trade_id == self._newest), len(tape) - 1)
        bursts = group_bursts(self._sym, tape[: known + 1])
        if bursts:
            self._newest = bursts[0].key
        for burst in reversed(bursts):
            if self._filter.passes(facts(burst)):
                self._kept[burst.at, burst.price, burst.side] = burst
        self._kept = dict(sorted(self._kept.items(), key=lambda item: item[0][0])[-MOST_PRINTS:])
