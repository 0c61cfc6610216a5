"""Channels that follow the clock: order books, klines and tickers, a quarter of a second at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from tui.interface.families.market import BOOK_LEVELS, Channel
from tui.venue.core.events import Printed
from tui.venue.shell.runtime import Runtime
from tui.venue.shell.streams.channels import (
    KLINES,
    TIMED,
    Book,
    Frame,
    Numbers,
    Pushes,
    Sides,
    Subscription,
    Target,
    spoiled,
)

BEAT_S = 0.25
TICKER_S = 2.0


class Reader(Protocol):
    """A connection with its subscriptions."""

    wanted: dict[Target, Subscription]
    pushes: Pushes
    """Its generation of the stream."""

    def push(self, frame: Frame, delay: float = 0.0) -> None: ...


class _Depth:
    """One order book at one level, as everybody who subscribed has it."""

    def __init__(self, seq: int, sides: Sides) -> None:
        self.seq = seq
        self.sides = sides
        self.trades: list[Printed] = []
        """What traded since the last push."""


class Rhythm:
    """Beats while somebody wants a timed channel. One message is made and packed once for all of its readers."""

    def __init__(
        self, runtime: Runtime, pushes: Pushes, numbers: Numbers, readers: Callable[[], Sequence[Reader]]
    ) -> None:
        self._runtime = runtime
        self._pushes = pushes
        self._numbers = numbers
        self._readers = readers
        self._depths: dict[tuple[str, int], _Depth] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, reader: Reader, target: Target, subscription: Subscription) -> None:
        """Push the current value of a timed channel and keep it up."""
        now = asyncio.get_running_loop().time()
        if target.channel == Channel.ORDER_BOOK:
            self._whole_book(reader, target, subscription)
        elif target.channel == Channel.TICKER:
            subscription.due = now + TICKER_S
            reader.push(self._pushes.ticker(target))
        else:
            bar, _ = self._pushes.bars(target)
            subscription.due, subscription.seen = now + BEAT_S, (bar.start, bar.prices)
            reader.push(self._pushes.kline(target, bar, closed=False))
        self._beat_by(now + BEAT_S if target.channel != Channel.TICKER else subscription.due)

    def _whole_book(self, reader: Reader, target: Target, subscription: Subscription) -> None:
        """The book as the other readers of this level have it, so that one chain of updates serves all."""
        key = (target.sym, subscription.level)
        depth = self._depths.get(key)
        if depth is None:
            depth = self._depths[key] = _Depth(self._numbers.next(), self._runtime.exchange.queries.book(*key))
        subscription.count += 1
        reader.push(reader.pushes.book(target, Book(subscription.count, depth.seq, 0, depth.sides, ())))

    def note(self, trade: Printed) -> None:
        """A trade that the next push of its book may name."""
        for level in BOOK_LEVELS:
            if (depth := self._depths.get((trade.sym, level))) is not None:
                depth.trades.append(trade)

    def _beat_by(self, due: float) -> None:
        """Beat at this time of the loop at the latest."""
        if self._timer is not None and self._timer.when() <= due:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(due, self._beat)

    def _beat(self) -> None:
        self._timer = None
        wanted: dict[Target, list[tuple[Reader, Subscription]]] = {}
        for reader in self._readers():
            for target, subscription in reader.wanted.items():
                if target.channel in TIMED:
                    wanted.setdefault(target, []).append((reader, subscription))
        levels = {(target.sym, one.level) for target, pairs in wanted.items() for _, one in pairs}
        self._depths = {key: depth for key, depth in self._depths.items() if key in levels}
        for target, pairs in wanted.items():
            if target.channel in KLINES:
                self._bars(target, pairs)
            elif target.channel == Channel.TICKER:
                self._tickers(target, pairs)
            else:
                for level in sorted({one.level for _, one in pairs}):
                    self._book(target, level, [(reader, one) for reader, one in pairs if one.level == level])
        if wanted:
            self._beat_by(min(self._next(target, pairs) for target, pairs in wanted.items()))

    @staticmethod
    def _next(target: Target, pairs: Sequence[tuple[Reader, Subscription]]) -> float:
        """When a target is looked at again: tickers when one is due, what follows the market at every beat."""
        if target.channel == Channel.TICKER:
            return min(one.due for _, one in pairs)
        return asyncio.get_running_loop().time() + BEAT_S

    def _book(self, target: Target, level: int, pairs: Sequence[tuple[Reader, Subscription]]) -> None:
        depth = self._depths[(target.sym, level)]
        now = self._runtime.exchange.queries.book(target.sym, level)
        bids, asks = (_changes(old, new) for old, new in zip(depth.sides, now, strict=True))
        if not bids and not asks:
            return
        before, depth.seq, depth.sides = depth.seq, self._numbers.next(), now
        trades, depth.trades = depth.trades, []
        frames: dict[tuple[Pushes, int], Frame] = {}
        for reader, subscription in pairs:
            subscription.count += 1
            key = (reader.pushes, subscription.count)
            if key not in frames:
                book = Book(subscription.count, depth.seq, before, (bids, asks), trades)
                frames[key] = self._made(reader.pushes.book(target, book), target)
            reader.push(frames[key], self._runtime.exit_delay())

    def _tickers(self, target: Target, pairs: Sequence[tuple[Reader, Subscription]]) -> None:
        now = asyncio.get_running_loop().time()
        frame: Frame | None = None
        for reader, subscription in pairs:
            if subscription.due <= now:
                subscription.due = max(subscription.due + TICKER_S, now)
                frame = frame or self._made(self._pushes.ticker(target), target)
                reader.push(frame, self._runtime.exit_delay())

    def _made(self, frame: Frame, target: Target) -> Frame:
        """A message, in a form that nobody expects where the fault strikes."""
        return spoiled(frame, self._runtime.faults.strikes("odd_data", target.channel))

    def _bars(self, target: Target, pairs: Sequence[tuple[Reader, Subscription]]) -> None:
        """The bar that closed since the last beat, once; then the running one if it changed."""
        now = asyncio.get_running_loop().time()
        bar, ended = self._pushes.bars(target)
        seen = (bar.start, bar.prices)
        last: Frame | None = None
        running: Frame | None = None
        for reader, subscription in pairs:
            if ended is not None and _began(subscription) == ended.start:
                last = last or self._made(self._pushes.kline(target, ended, closed=True), target)
                reader.push(last, self._runtime.exit_delay())
                subscription.seen = (bar.start, 0)
            if subscription.seen != seen and subscription.due <= now:
                subscription.seen = seen
                running = running or self._made(self._pushes.kline(target, bar, closed=False), target)
                reader.push(running, self._runtime.exit_delay())


def _began(subscription: Subscription) -> int:
    """When the bar began that a subscription was shown last."""
    return subscription.seen[0] if isinstance(subscription.seen, tuple) else -1


def _changes(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """What turns one side into the other: new quantities, best first, then 0 for what is gone."""
    changed = {price: qty for price, qty in new.items() if old.get(price) != qty}
    changed.update((price, "0") for price in old if price not in new)
    return changed
