"""Estimated queue ahead of own orders at the best price, computed only from best bids and asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec

from tui.rules.queue import position_after_drop, power
from tui.workstation.model import number_format

if TYPE_CHECKING:
    from tui.engine.rows import OrderRow, QuoteRow
    from tui.workstation.model.mirror import Mirror

EXPONENT = 2
"""Cancels at a level are split between back and front by their sizes raised to this power."""

_WEIGHT = power(EXPONENT)


class _Level(msgspec.Struct):
    """Best price level with an own order as last seen; sizes ahead and behind in the venue's units."""

    price: Decimal
    own: Decimal
    filled: Decimal
    front: Decimal
    back: Decimal


class QueueEstimates:
    """Estimates of the quantity ahead of own working orders in the order book's queue."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self._levels: dict[str, _Level] = {}

    def ahead(self, order: OrderRow) -> Decimal | None:
        """Return the estimated quantity ahead of an order; None unless its current price has been the best price."""
        level = self._levels.get(order.key)
        return None if level is None or level.price != number_format.value(order.price) else level.front

    def follow(self, syms: Iterable[str], orders: Iterable[str]) -> None:
        """Update the estimates after quotes or orders changed."""
        for key in orders:
            order = self._mirror.orders.get(key)
            if order is None or order.final:
                self._levels.pop(key, None)
            else:
                self._look(order)
        for sym in syms:
            for order in self._orders_at_touch(sym):
                self._look(order)

    def _orders_at_touch(self, sym: str) -> Iterator[OrderRow]:
        """Yield the own orders whose price is the best price of their side; a quote has no queue sizes for others."""
        quote = self._mirror.quotes.peek(sym) if self._mirror.works_on(sym) else None
        if quote is not None:
            yield from self._mirror.working_at(sym, "BUY", number_format.value(quote.bid))
            yield from self._mirror.working_at(sym, "SELL", number_format.value(quote.ask))

    def _look(self, order: OrderRow) -> None:
        quote = self._mirror.quotes.peek(order.sym)
        price, total = number_format.value(order.price), number_format.value(order.qty)
        if quote is None or price is None or total is None:
            return
        filled = number_format.value(order.filled) or Decimal(0)
        rest = total - filled
        size = _size_at(quote, order.side, price)
        level = self._levels.get(order.key)
        if level is not None and level.price != price:
            level = None
            del self._levels[order.key]
        if size is None:
            return
        if level is None:
            self._levels[order.key] = _Level(price, rest, filled, max(size - rest, Decimal(0)), Decimal(0))
            return
        self._shrink_or_grow(level, size, rest, filled)
        level.own, level.filled = rest, filled

    @staticmethod
    def _shrink_or_grow(level: _Level, size: Decimal, rest: Decimal, filled: Decimal) -> None:
        before = level.front + level.own + level.back
        if filled > level.filled:
            # A fill proves that the own order is at the front.
            level.front = Decimal(0)
            level.back = max(size - rest, Decimal(0))
        elif rest > level.own:
            # A replace by a larger size goes to the end of the queue.
            level.front, level.back = level.front + level.back, Decimal(0)
        elif rest < level.own:
            # A replace by a smaller size keeps its place; the book may not show it yet.
            return
        elif size < before:
            level.front = position_after_drop(level.front, level.back, before - size, _WEIGHT).front
            level.back = max(size - rest - level.front, Decimal(0))
        else:
            level.back = max(size - rest - level.front, Decimal(0))


def _size_at(quote: QuoteRow, side: str, price: Decimal) -> Decimal | None:
    """Return the quoted size of the best price on a side if the order's price is that price, else None."""
    touch = quote.bid if side == "BUY" else quote.ask
    if number_format.value(touch) != price:
        return None
    return number_format.value(quote.bid_qty if side == "BUY" else quote.ask_qty)
