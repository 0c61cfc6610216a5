"""Quantity traded at each price of the ladder since the pair was opened, and the last trade."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tui.interface.decimals import ZERO, positive

if TYPE_CHECKING:
    from tui.engine.rows import PrintsRow
    from tui.interface.families.market import TradePush
    from tui.workstation.features.ladder.axis import Axis, VenueAxis


class Traded:
    """Traded quantities by price, summed by row of the axis."""

    def __init__(self, axis: Axis | VenueAxis) -> None:
        self._axis = axis
        self._prices: dict[int, Decimal] = {}
        """Quantity by price in ticks."""
        self._rows: dict[int, Decimal] = {}
        """Quantity by row."""
        self._group = axis.group
        """Ticks in one row, for which the rows were added up."""
        self._most = ZERO
        """Largest quantity of a row."""
        self._known: frozenset[str] = frozenset()
        """Ids of the trades that were counted and are still listed."""
        self._last: tuple[int, str] = (-1, "")
        """Price in ticks and side of the taker of the last trade."""

    def follow(self, prints: PrintsRow | None) -> set[int]:
        """Add new public trades to the quantities; return the rows that may have changed."""
        listed = prints.trades if prints is not None else ()
        fresh: list[TradePush] = []
        for trade in listed:
            if trade.trade_id in self._known:
                break
            fresh.append(trade)
        if not fresh:
            return set()
        self._known = frozenset(trade.trade_id for trade in listed)
        self._add_up()
        changed, most = {self._axis.row_of(self._last[0])}, self._most
        for trade in reversed(fresh):
            price, qty = positive(trade.price), positive(trade.qty)
            if price is not None and qty is not None:
                changed.add(self._count(self._axis.ticks_of(price), qty, trade.side.upper()))
        # Every bar is a share of the largest one.
        return changed | set(self._axis.rows) if self._most != most else changed

    def _count(self, ticks: int, qty: Decimal, side: str) -> int:
        row = self._axis.row_of(ticks)
        self._prices[ticks] = self._prices.get(ticks, ZERO) + qty
        self._rows[row] = self._rows.get(row, ZERO) + qty
        self._most = max(self._most, self._rows[row])
        self._last = ticks, side
        return row

    def _add_up(self) -> None:
        """Sum the quantities by row again if the number of ticks per row has changed."""
        if self._group == self._axis.group:
            return
        self._group, self._rows = self._axis.group, {}
        for ticks, qty in self._prices.items():
            row = self._axis.row_of(ticks)
            self._rows[row] = self._rows.get(row, ZERO) + qty
        self._most = max(self._rows.values(), default=ZERO)

    def quantity(self, row: int) -> Decimal:
        """Return the quantity traded in a row."""
        self._add_up()
        return self._rows.get(row, ZERO)

    def share(self, row: int) -> Decimal:
        """Return a row's quantity relative to the row with the largest, 0 to 1."""
        quantity = self.quantity(row)
        return quantity / self._most if self._most else ZERO

    def last_side(self, row: int) -> str:
        """Return the side of the taker of the last trade if it happened in a row, else an empty text."""
        ticks, side = self._last
        return side if ticks >= 0 and self._axis.row_of(ticks) == row else ""
