"""Price-time order book in whole ticks and lots; traders and simulated participants share the queues."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

HOUSE = ""
"""Owner of the liquidity of synthetic participants."""


class Resting:
    """Resting order in the queue of a price level."""

    __slots__ = ("is_buy", "lots", "order_id", "owner", "seq", "ticks")

    def __init__(self, owner: str, order_id: str, ticks: int, lots: int, seq: int, *, is_buy: bool) -> None:
        self.owner = owner
        self.order_id = order_id
        self.is_buy = is_buy
        self.ticks = ticks
        self.lots = lots
        self.seq = seq

    def is_beyond(self, limit: int) -> bool:
        """Return whether its price is worse than the limit of an order on the other side, in ticks."""
        return self.ticks < limit if self.is_buy else self.ticks > limit


class BookLevel:
    """Price level with its queue of orders, oldest first."""

    __slots__ = ("house", "queue", "total")

    def __init__(self) -> None:
        self.queue: dict[int, Resting] = {}
        self.total = 0
        self.house = 0

    def check(self) -> int:
        """Check that the totals are those of the queue; return how many of its orders are not the house's."""
        total = house = own = newest = 0
        for seq, resting in self.queue.items():
            assert resting.lots > 0 and seq > newest
            newest = seq
            total += resting.lots
            if resting.owner == HOUSE:
                house += resting.lots
            else:
                own += 1
        assert total and (total, house) == (self.total, self.house)
        return own


class BookTouch(NamedTuple):
    """Best bid and ask, price in ticks and size in lots; an empty side is 0 and 0."""

    bid: int
    bid_lots: int
    ask: int
    ask_lots: int


class Book:
    """Order book of one pair with queues and level totals; it never matches by itself, the caller does."""

    def __init__(self) -> None:
        self._levels: tuple[dict[int, BookLevel], dict[int, BookLevel]] = ({}, {})
        self._prices: tuple[list[int], list[int]] = ([], [])
        self._seq = 0

    def add(self, owner: str, order_id: str, ticks: int, lots: int, *, is_buy: bool) -> Resting:
        """Add an order at the back of its price level's queue."""
        self._seq += 1
        resting = Resting(owner, order_id, ticks, lots, self._seq, is_buy=is_buy)
        level = self._levels[is_buy].get(ticks)
        if level is None:
            level = self._levels[is_buy][ticks] = BookLevel()
            insort(self._prices[is_buy], ticks)
        level.queue[resting.seq] = resting
        level.total += lots
        if owner == HOUSE:
            level.house += lots
        return resting

    def reduce(self, resting: Resting, lots: int) -> None:
        """Reduce an order and keep its queue position; remove the order when no lots are left."""
        level = self._levels[resting.is_buy][resting.ticks]
        resting.lots -= lots
        level.total -= lots
        if resting.owner == HOUSE:
            level.house -= lots
        if not resting.lots:
            del level.queue[resting.seq]
            if not level.queue:
                self._drop(resting.ticks, is_buy=resting.is_buy)

    def remove(self, resting: Resting) -> None:
        self.reduce(resting, resting.lots)

    def _drop(self, ticks: int, *, is_buy: bool) -> None:
        del self._levels[is_buy][ticks]
        prices = self._prices[is_buy]
        del prices[bisect_left(prices, ticks)]

    def best_price(self, *, is_buy: bool) -> int | None:
        """Return the highest bid or lowest ask; None on an empty side."""
        prices = self._prices[is_buy]
        if not prices:
            return None
        return prices[-1] if is_buy else prices[0]

    def front(self, *, is_buy: bool) -> Resting | None:
        """Return the next order to trade on a side: best price, oldest first."""
        best = self.best_price(is_buy=is_buy)
        if best is None:
            return None
        return next(iter(self._levels[is_buy][best].queue.values()))

    def crosses(self, ticks: int, *, is_buy: bool) -> bool:
        """Report whether an order at this price would cross the book."""
        best = self.best_price(is_buy=not is_buy)
        return best is not None and (best <= ticks if is_buy else best >= ticks)

    def touch(self) -> BookTouch:
        bids, asks = self._prices[True], self._prices[False]
        bid, ask = (bids[-1] if bids else 0), (asks[0] if asks else 0)
        return BookTouch(
            bid,
            self._levels[True][bid].total if bids else 0,
            ask,
            self._levels[False][ask].total if asks else 0,
        )

    def walk(self, *, is_buy: bool) -> Iterator[Resting]:
        """Iterate over the orders of a side in matching order: best price first, oldest first."""
        prices = self._prices[is_buy]
        for ticks in reversed(prices) if is_buy else prices:
            yield from self._levels[is_buy][ticks].queue.values()

    def levels(self, depth: int | None = None, *, is_buy: bool) -> list[tuple[int, int]]:
        """List (ticks, lots) of the price levels of a side, best first, at most `depth`."""
        prices = self._prices[is_buy]
        best = islice(reversed(prices) if is_buy else prices, depth)
        return [(ticks, self._levels[is_buy][ticks].total) for ticks in best]

    def house_prices(self, *, is_buy: bool) -> list[int]:
        """List the prices with simulated liquidity, ascending."""
        levels = self._levels[is_buy]
        return [ticks for ticks in self._prices[is_buy] if levels[ticks].house]

    def house_lots(self, ticks: int, *, is_buy: bool) -> int:
        """Return the simulated lots at a price; 0 where there are none."""
        level = self._levels[is_buy].get(ticks)
        return level.house if level else 0

    def set_house(self, ticks: int, lots: int, *, is_buy: bool) -> None:
        """Set the simulated lots at a price: lots are added at the back of the queue, and removed from the back first."""
        level = self._levels[is_buy].get(ticks)
        have = level.house if level else 0
        if level is not None and not lots and have == level.total:
            self._drop(ticks, is_buy=is_buy)
        elif lots > have:
            if level is not None:
                last = next(reversed(level.queue.values()))
                if last.owner == HOUSE:
                    last.lots += lots - have
                    level.total += lots - have
                    level.house += lots - have
                    return
            self.add(HOUSE, "", ticks, lots - have, is_buy=is_buy)
        elif lots < have and level is not None:
            drop = have - lots
            for resting in [entry for entry in reversed(level.queue.values()) if entry.owner == HOUSE]:
                cut = min(drop, resting.lots)
                self.reduce(resting, cut)
                drop -= cut
                if not drop:
                    break

    def clear_house(self) -> None:
        """Remove all simulated liquidity from the book."""
        for is_buy in (True, False):
            for ticks in self.house_prices(is_buy=is_buy):
                self.set_house(ticks, 0, is_buy=is_buy)

    def check(self) -> int:
        """Check V11: the book is not crossed, has no empty level, and its level totals are correct.

        Returns:
            How many orders are not of simulated participants.
        """
        touch = self.touch()
        assert not touch.bid_lots or not touch.ask_lots or touch.bid < touch.ask, f"crossed book {touch}"
        for is_buy in (True, False):
            levels = self._levels[is_buy]
            assert sorted(levels) == self._prices[is_buy]
        return sum(level.check() for levels in self._levels for level in levels.values())
