"""Queue positions of resting orders in a recorded market, of which only best bid and ask are known."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO
from tui.rules import queue
from tui.venue.core.market.book import HOUSE, Book, Resting

_WEIGHT = queue.power(2)
"""Weight that splits an unexplained drop between the lots ahead of and behind an order."""


class RecordedTouch(NamedTuple):
    """Recorded best price and size of one side."""

    ticks: int
    lots: int


class QueuePositions:
    """Lots queued ahead of each resting order on one side of a replayed pair; unknown at prices worse than the best."""

    def __init__(self, book: Book, *, is_buy: bool) -> None:
        self._book = book
        self._is_buy = is_buy
        self._ahead: dict[int, Decimal | None] = {}
        """By sequence number in the book, so that a requeued order has a new position."""
        self._shown = RecordedTouch(0, 0)
        self._traded = 0
        """Lots traded at the touch since it was recorded."""

    def ahead(self, order: Resting) -> Decimal | None:
        """Return the lots ahead of an order; None while the best price is better than the order's."""
        self._refresh()
        return self._ahead[order.seq]

    def on_quote(self, touch: RecordedTouch) -> None:
        """Update the queue positions after a change of the recorded best price or size of this side."""
        self._refresh()
        before, left = self._shown, self._shown.lots - self._traded
        self._shown, self._traded = touch, 0
        for order in self._own():
            ahead = self._ahead[order.seq]
            if ahead is not None and touch.ticks == before.ticks == order.ticks and touch.lots < left:
                back = max(left - ahead, ZERO)
                ahead = queue.position_after_drop(ahead, back, Decimal(left - touch.lots), _WEIGHT).front
            self._ahead[order.seq] = self._lots_ahead(order, ahead)

    def on_trade(self, ticks: int, lots: int) -> list[tuple[Resting, int]]:
        """Return the portfolios' orders that a recorded trade on this side fills, with the lots of each."""
        self._refresh()
        if ticks == self._shown.ticks:
            self._traded += lots
        fills: list[tuple[Resting, int]] = []
        left = lots
        for order in self._own():
            if self._is_better(order.ticks, ticks):
                fills.append((order, order.lots))
                left -= min(left, order.lots)
            elif order.ticks == ticks:
                ahead = self._ahead[order.seq]
                if ahead is not None:
                    fill = int(queue.compute_fills(ahead, Decimal(order.lots), [Decimal(left)])[0])
                    self._ahead[order.seq] = max(ahead - left, ZERO)
                    fills.append((order, fill))
                    left -= fill
        return [(order, fill) for order, fill in fills if fill]

    def _own(self) -> Iterator[Resting]:
        return (order for order in self._book.walk(is_buy=self._is_buy) if order.owner != HOUSE)

    def _refresh(self) -> None:
        """Add orders that entered the book since the last row, and remove those that left it."""
        own = list(self._own())
        self._ahead = {
            order.seq: self._ahead[order.seq] if order.seq in self._ahead else self._lots_ahead(order, None)
            for order in own
        }

    def _lots_ahead(self, order: Resting, ahead: Decimal | None) -> Decimal | None:
        """Compute an order's lots ahead: 0 if better than the best price, at most the size left if equal, else as before."""
        if not self._shown.lots or self._is_better(order.ticks, self._shown.ticks):
            return ZERO
        if order.ticks != self._shown.ticks:
            return ahead
        left = Decimal(self._shown.lots - self._traded)
        return max(left if ahead is None else min(ahead, left), ZERO)

    def _is_better(self, ticks: int, than_ticks: int) -> bool:
        return ticks > than_ticks if self._is_buy else ticks < than_ticks
