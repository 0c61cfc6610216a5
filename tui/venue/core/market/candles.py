"""Candles and 24-hour figures, built only from exchange events: the same events give the same candles.

The minutes of the last day are stored in blocks of ten and survive a restart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from copy import copy
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import ZERO, half_up
from tui.interface.families.market import INTERVAL_MS, Channel, Interval
from tui.venue.core.events import Event, IndexChanged, MarkChanged, PublicTrade

_MINUTE = 60_000
_DAY = 1440 * _MINUTE
_WEEK = 7 * _DAY
_BLOCK = 10 * _MINUTE
"""Length of a stored row, ms."""
_MONDAY = 4 * _DAY
"""Weeks begin on Monday; the first day of Unix time was a Thursday."""

_LONGER = tuple(interval for interval in Interval if interval is not Interval.M1)


def bar_start(interval: str, now_ms: int) -> int:
    """Return the open time of the candle that contains an instant: a multiple of its length from 00:00 UTC.

    Weeks begin on Monday, months on their first day.
    """
    if interval == Interval.MONTH:
        day = datetime.fromtimestamp(now_ms // 1000, UTC)
        return int(datetime(day.year, day.month, 1, tzinfo=UTC).timestamp()) * 1000
    length = INTERVAL_MS[interval]
    start = _MONDAY if length == _WEEK else 0
    return now_ms - (now_ms - start) % length


class Bar(msgspec.Struct, array_like=True):
    """Candle of one interval; without a trade it is flat at the previous price."""

    start: int
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal = ZERO
    turnover: Decimal = ZERO
    """Quote units."""
    prices: int = 0
    """Number of prices in the bar."""

    def add_price(self, price: Decimal, volume: Decimal) -> None:
        if not self.prices:
            self.open = self.high = self.low = price
        self.high, self.low, self.close = max(self.high, price), min(self.low, price), price
        self.volume += volume
        self.turnover += price * volume
        self.prices += 1

    def merge(self, later: Bar) -> None:
        """Merge a later candle into this one: high, low, close, volume and turnover; one without trades changes nothing."""
        if not later.prices:
            return
        if not self.prices:
            self.open, self.high, self.low = later.open, later.high, later.low
        self.high, self.low, self.close = max(self.high, later.high), min(self.low, later.low), later.close
        self.volume += later.volume
        self.turnover += later.turnover
        self.prices += later.prices


class DayFigures(NamedTuple):
    """Figures of the last 24 hours, with a resolution of one minute."""

    open: Decimal
    """Price at their begin."""
    change: Decimal
    """Change as a fraction of `open`, six decimals."""
    high: Decimal
    low: Decimal
    volume: Decimal
    """Base units."""
    turnover: Decimal
    """Quote units."""


class BarSeries:
    """Candles of one price series in every interval, and its last 24 hours in minutes.

    A price is added to the running minute only; longer bars are built from whole minutes when one ends or they are
    read.
    """

    def __init__(self) -> None:
        self._last = ZERO
        self._has_price = False
        self._minute: Bar | None = None
        self._longer: dict[str, Bar] = {}
        """Running bars longer than a minute, without the running minute."""
        self._ended: dict[str, Bar] = {}
        self._minutes: deque[Bar] = deque()

    def add_price(self, price: Decimal, volume: Decimal, now_ms: int) -> None:
        """Add a price and its volume to the candles of a time."""
        if not self._has_price:
            self.set_first_price(price)
            self._has_price = True
        self._running(now_ms).add_price(price, volume)
        self._last = price

    def restore_minute(self, bar: Bar) -> None:
        """Restore a minute of an earlier run; minutes come in time order, before any new price."""
        self.set_first_price(bar.open)
        self._has_price = True
        self._running(bar.start).merge(bar)
        self._last = bar.close

    def minutes_from(self, start: int, end: int) -> list[Bar]:
        """List the minute candles that began in a time span, oldest first."""
        minutes = [self._minute] if self._minute is not None and self._minute.prices else []
        for bar in reversed(self._minutes):
            if bar.start < start:
                break
            minutes.append(bar)
        return [bar for bar in reversed(minutes) if start <= bar.start < end]

    def set_first_price(self, price: Decimal) -> None:
        """Set the price of a series without a trade, and of its current candles; do nothing when the series has a price."""
        if not self._has_price:
            self._last = price
            for bar in (self._minute, *self._longer.values()):
                if bar is not None:
                    bar.open = bar.high = bar.low = bar.close = price

    def bar(self, interval: str, now_ms: int) -> Bar:
        """Return the current candle; `last_closed` returns the one before it."""
        minute = self._running(now_ms)
        if interval == Interval.M1:
            return minute
        bar = copy(self._longer[interval])
        bar.merge(minute)
        return bar

    def last_closed(self, interval: str) -> Bar | None:
        """Return the last closed candle."""
        return self._ended.get(interval)

    def _running(self, now_ms: int) -> Bar:
        """Return the current minute candle; close the candles of all intervals that have ended."""
        start = bar_start(Interval.M1, now_ms)
        minute = self._minute
        if minute is not None and minute.start >= start:
            return minute
        if minute is not None:
            self._ended[Interval.M1] = minute
            if minute.prices:
                self._minutes.append(minute)
        for interval in _LONGER:
            bar = self._longer.get(interval)
            if bar is not None and minute is not None:
                bar.merge(minute)
            begin = bar_start(interval, now_ms)
            if bar is None or bar.start < begin:
                if bar is not None:
                    self._ended[interval] = bar
                self._longer[interval] = self._flat(begin)
        minute = self._minute = self._flat(start)
        return minute

    def _flat(self, start: int) -> Bar:
        return Bar(start, self._last, self._last, self._last, self._last)

    def day(self, last: Decimal, now_ms: int) -> DayFigures:
        """Compute the 24-hour figures of a pair whose last price is `last`."""
        running = self._running(now_ms)
        while self._minutes and self._minutes[0].start <= now_ms - _DAY:
            self._minutes.popleft()
        bars = [*self._minutes, *([running] if running.prices else [])]
        before = bars[0].open if bars else last
        return DayFigures(
            open=before,
            change=half_up((last - before) / before, 6) if before else ZERO,
            high=max([last, *(bar.high for bar in bars)]),
            low=min([last, *(bar.low for bar in bars)]),
            volume=sum((bar.volume for bar in bars), ZERO),
            turnover=sum((bar.turnover for bar in bars), ZERO),
        )


class Candles:
    """All candle series of a venue, by kline channel and pair."""

    def __init__(self) -> None:
        self._series: dict[tuple[str, str], BarSeries] = {}
        self._blocks: dict[str, deque[int]] = {}
        """Start of each block of traded minutes of the last day, by pair."""
        self._changed: dict[tuple[str, int], None] = {}

    def series(self, channel: str, sym: str) -> BarSeries:
        """Return the series of a kline channel and a pair; an empty one is begun where there was none."""
        return self._series.setdefault((channel, sym), BarSeries())

    def add_events(self, events: Iterable[Event]) -> None:
        """Add the prices of exchange events to the candles."""
        for event in events:
            match event:
                case PublicTrade():
                    self.series(Channel.KLINE, event.sym).add_price(Decimal(event.price), Decimal(event.qty), event.ts)
                    self._mark_block(event.sym, event.ts)
                case MarkChanged():
                    self.series(Channel.MARK_PRICE_KLINE, event.sym).add_price(Decimal(event.mark), ZERO, event.ts)
                case IndexChanged():
                    self.series(Channel.INDEX_KLINE, event.sym).add_price(Decimal(event.index), ZERO, event.ts)
                case _:
                    pass

    def _mark_block(self, sym: str, now_ms: int) -> None:
        """Mark the storage block of this instant as changed, and remove blocks older than a day."""
        begin = now_ms - now_ms % _BLOCK
        blocks = self._blocks.setdefault(sym, deque())
        if not blocks or blocks[-1] < begin:
            blocks.append(begin)
            while blocks[0] + _BLOCK <= now_ms - _DAY:
                self._changed[(sym, blocks.popleft())] = None
        self._changed[(sym, blocks[-1])] = None

    def take_changed(self) -> list[tuple[str, int]]:
        """Return the storage blocks that changed since the last call, by pair and start."""
        changed, self._changed = list(self._changed), {}
        return changed

    def block(self, sym: str, start: int) -> list[Bar] | None:
        """List the minute candles with trades in a storage block; None for a block older than a day."""
        if start not in self._blocks.get(sym, ()):
            return None
        return self.series(Channel.KLINE, sym).minutes_from(start, start + _BLOCK)

    def restore_block(self, sym: str, start: int, bars: Iterable[Bar]) -> None:
        """Restore a storage block of an earlier run; blocks of a pair come in time order."""
        self._blocks.setdefault(sym, deque()).append(start)
        for bar in bars:
            self.series(Channel.KLINE, sym).restore_minute(bar)
