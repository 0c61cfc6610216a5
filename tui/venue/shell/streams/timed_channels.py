"""Channels pushed at fixed times, every quarter of a second: order books, klines, tickers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from tui.interface.families.market import BOOK_LEVELS, Channel
from tui.venue.core.events import PublicTrade
from tui.venue.shell.runtime import Runtime
from tui.venue.shell.streams.channels import (
    KLINES,
    TIMED,
    BookUpdate,
    PublicMessage,
    PushBuilder,
    SequenceNumbers,
    Sides,
    Subscription,
    Target,
    distort_message,
)

TICK_S = 0.25
TICKER_S = 2.0


class Subscriber(Protocol):
    """Client connection with its subscriptions to channels that are pushed at intervals."""

    wanted: dict[Target, Subscription]
    pushes: PushBuilder
    """Message builder of its generation of the stream."""

    def push(self, frame: PublicMessage, delay: float = 0.0) -> None: ...


class _BookChain:
    """Order book at one depth as all its subscribers have received it, the base of the next changes push."""

    def __init__(self, seq: int, sides: Sides) -> None:
        self.seq = seq
        self.sides = sides
        self.trades: list[PublicTrade] = []
        """Public trades since the last push."""


class TimedChannels:
    """Pusher of the timed channels while they have subscribers; each message is built and compressed once for all."""

    def __init__(
        self,
        runtime: Runtime,
        pushes: PushBuilder,
        numbers: SequenceNumbers,
        subscribers: Callable[[], Sequence[Subscriber]],
    ) -> None:
        self._runtime = runtime
        self._pushes = pushes
        self._numbers = numbers
        self._subscribers = subscribers
        self._chains: dict[tuple[str, int], _BookChain] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, subscriber: Subscriber, target: Target, subscription: Subscription) -> None:
        """Push the current value of a timed channel to a new subscriber, and schedule its updates."""
        now = asyncio.get_running_loop().time()
        if target.channel == Channel.ORDER_BOOK:
            self._push_whole_book(subscriber, target, subscription)
        elif target.channel == Channel.TICKER:
            subscription.due = now + TICKER_S
            subscriber.push(self._pushes.ticker(target))
        else:
            bar, _ = self._pushes.bars(target)
            subscription.due, subscription.seen = now + TICK_S, (bar.start, bar.prices)
            subscriber.push(self._pushes.kline(target, bar, closed=False))
        self._schedule(now + TICK_S if target.channel != Channel.TICKER else subscription.due)

    def _push_whole_book(self, subscriber: Subscriber, target: Target, subscription: Subscription) -> None:
        """Push the full book in the version other subscribers have, so that the same changes pushes fit all."""
        key = (target.sym, subscription.level)
        chain = self._chains.get(key)
        if chain is None:
            chain = self._chains[key] = _BookChain(self._numbers.next(), self._runtime.exchange.queries.book(*key))
        subscription.count += 1
        subscriber.push(subscriber.pushes.book(target, BookUpdate(subscription.count, chain.seq, 0, chain.sides, ())))

    def record_trade(self, trade: PublicTrade) -> None:
        """Record a trade for the next push of its pair's book."""
        for level in BOOK_LEVELS:
            if (chain := self._chains.get((trade.sym, level))) is not None:
                chain.trades.append(trade)

    def _schedule(self, due: float) -> None:
        """Schedule the next tick at `due` (time of the event loop), or leave an earlier one."""
        if self._timer is not None and self._timer.when() <= due:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(due, self.tick)

    @property
    def is_scheduled(self) -> bool:
        """Whether a tick is scheduled; true while a timed channel has subscribers."""
        return self._timer is not None

    def tick(self) -> None:
        """Push changes to all subscribers of timed channels, and schedule the next tick."""
        self._timer = None
        wanted: dict[Target, list[tuple[Subscriber, Subscription]]] = {}
        for subscriber in self._subscribers():
            for target, subscription in subscriber.wanted.items():
                if target.channel in TIMED:
                    wanted.setdefault(target, []).append((subscriber, subscription))
        levels = {(target.sym, subscription.level) for target, pairs in wanted.items() for _, subscription in pairs}
        self._chains = {key: chain for key, chain in self._chains.items() if key in levels}
        for target, pairs in wanted.items():
            if target.channel in KLINES:
                self._push_bars(target, pairs)
            elif target.channel == Channel.TICKER:
                self._push_tickers(target, pairs)
            else:
                for level in sorted({subscription.level for _, subscription in pairs}):
                    self._push_book(target, level, [pair for pair in pairs if pair[1].level == level])
        if wanted:
            self._schedule(min(self._next(target, pairs) for target, pairs in wanted.items()))

    @staticmethod
    def _next(target: Target, pairs: Sequence[tuple[Subscriber, Subscription]]) -> float:
        """Return the time of a target's next push: tickers at their own interval, others at every tick."""
        if target.channel == Channel.TICKER:
            return min(subscription.due for _, subscription in pairs)
        return asyncio.get_running_loop().time() + TICK_S

    def _push_book(self, target: Target, level: int, pairs: Sequence[tuple[Subscriber, Subscription]]) -> None:
        chain = self._chains[(target.sym, level)]
        now = self._runtime.exchange.queries.book(target.sym, level)
        bids, asks = (_changes(old, new) for old, new in zip(chain.sides, now, strict=True))
        if not bids and not asks:
            return
        before, chain.seq, chain.sides = chain.seq, self._numbers.next(), now
        trades, chain.trades = chain.trades, []
        frames: dict[tuple[PushBuilder, int], PublicMessage] = {}
        for subscriber, subscription in pairs:
            subscription.count += 1
            key = (subscriber.pushes, subscription.count)
            if key not in frames:
                book = BookUpdate(subscription.count, chain.seq, before, (bids, asks), trades)
                frames[key] = self._message(subscriber.pushes.book(target, book), target)
            subscriber.push(frames[key], self._runtime.exit_delay())

    def _push_tickers(self, target: Target, pairs: Sequence[tuple[Subscriber, Subscription]]) -> None:
        now = asyncio.get_running_loop().time()
        frame: PublicMessage | None = None
        for subscriber, subscription in pairs:
            if subscription.due <= now:
                subscription.due = max(subscription.due + TICKER_S, now)
                frame = frame or self._message(self._pushes.ticker(target), target)
                subscriber.push(frame, self._runtime.exit_delay())

    def _message(self, frame: PublicMessage, target: Target) -> PublicMessage:
        """Return a push message, corrupted when an injected fault occurs."""
        return distort_message(frame, self._runtime.faults.strikes("odd_data", target.channel))

    def _push_bars(self, target: Target, pairs: Sequence[tuple[Subscriber, Subscription]]) -> None:
        """Push the candle that closed since the last tick, once; then the current candle if it changed."""
        now = asyncio.get_running_loop().time()
        bar, ended = self._pushes.bars(target)
        seen = (bar.start, bar.prices)
        last: PublicMessage | None = None
        running: PublicMessage | None = None
        for subscriber, subscription in pairs:
            if ended is not None and _last_bar_start(subscription) == ended.start:
                last = last or self._message(self._pushes.kline(target, ended, closed=True), target)
                subscriber.push(last, self._runtime.exit_delay())
                subscription.seen = (bar.start, 0)
            if subscription.seen != seen and subscription.due <= now:
                subscription.seen = seen
                running = running or self._message(self._pushes.kline(target, bar, closed=False), target)
                subscriber.push(running, self._runtime.exit_delay())


def _last_bar_start(subscription: Subscription) -> int:
    """Return the start time of the candle last pushed to a subscription."""
    return subscription.seen[0] if isinstance(subscription.seen, tuple) else -1


def _changes(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """Return the changes between two versions of a book side: new quantities, best first, then 0 for removed levels."""
    changed = {price: qty for price, qty in new.items() if old.get(price) != qty}
    changed.update((price, "0") for price in old if price not in new)
    return changed
