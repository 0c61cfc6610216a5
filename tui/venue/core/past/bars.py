"""Price bars of a venue: invented ones before its first start, and those of its own trades on the last day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tui.interface.families.market import INTERVAL_MS, Channel, Interval
from tui.venue.core.market.candles import Bar, Candles
from tui.venue.core.market.market_profiles import PROFILES
from tui.venue.core.market.symbols import REFERENCE_PRICES, Pair
from tui.venue.core.past.booking import DAYS, begin_of
from tui.venue.core.past.planning import DAY_MS, HOUR_MS, MINUTE_MS
from tui.venue.core.past.prices import STEP_MS, PastPrices
from tui.venue.core.past.stable_random import StableRandom
from tui.venue.core.state.exchange_state import FirstStart

KEPT_MS = {Interval.M1: 30 * DAY_MS, Interval.H1: DAYS * DAY_MS}
"""How far back the bars of each interval reach."""
_SCALE = 10**8
"""Prices are integers of this part of a quote unit."""
_MILLION = 1_000_000
_HALF = 2**32
"""A number of 64 bits is drawn once for two figures."""
_HOUR_PPM = 2_000
"""Largest distance of a price in the middle of two hours from their mean, millionths."""
_MINUTE_PPM = 350
"""Largest change of a price within a minute, and of its extremes beyond open and close, millionths."""
_MINUTE_TRADES = 170
"""Median trades of a minute that add up to its mean volume, for each per cent of a pair's tempo."""


class _Minute(NamedTuple):
    """Bar of a minute in ticks and lots."""

    start: int
    open: int
    high: int
    low: int
    close: int
    lots: int


class PastBars:
    """Invented bars of every pair before the venue's first start; the same start gives the same bars, for any time span."""

    def __init__(self, first: FirstStart) -> None:
        self._first = first
        self._begin = begin_of(first.ms)
        before = first.ms // DAY_MS * DAY_MS
        self._prices = PastPrices(StableRandom(first.order).stream("prices"), self._begin, before)
        self._before = before
        self._hourly: dict[str, list[int]] = {}
        self._seeds: dict[str, int] = {}
        """First number of each coin and pair."""

    def minutes(self, pair: Pair, begin: int, end: int) -> Iterator[Bar]:
        """Yield the minutes that begin in a time span, oldest first."""
        first = max(begin, self._begin)
        for hour in range((first - self._begin) // HOUR_MS, (min(end, self._first.ms) - self._begin) // HOUR_MS + 1):
            for minute in self._hour(pair, hour):
                if first <= minute.start < end:
                    yield _bar(pair, minute)

    def hours(self, pair: Pair, begin: int, end: int) -> Iterator[Bar]:
        """Yield the hours that begin in a time span, oldest first; the hour of the first start ends with it."""
        first = max(begin, self._begin)
        for hour in range(-((self._begin - first) // HOUR_MS), (min(end, self._first.ms) - self._begin) // HOUR_MS + 1):
            start = self._begin + hour * HOUR_MS
            minutes = self._hour(pair, hour) if start < end else []
            if minutes:
                high, low = max(minute.high for minute in minutes), min(minute.low for minute in minutes)
                lots = sum(minute.lots for minute in minutes)
                yield _bar(pair, _Minute(start, minutes[0].open, high, low, minutes[-1].close, lots))

    def _hour(self, pair: Pair, hour: int) -> list[_Minute]:
        """Draw the minutes of an hour: a path from the price at its begin to that at its end."""
        prices = self._hour_prices(pair.base)
        start = self._begin + hour * HOUR_MS
        count = min(60, (self._first.ms - start) // MINUTE_MS)
        if count <= 0 or hour + 1 >= len(prices):
            return []
        random = StableRandom(self._seed(pair.base), hour)
        path = _bridge(random, prices[hour], prices[hour + 1], count, _MINUTE_PPM)
        own = StableRandom(self._seed(pair.sym), hour)
        away = _MILLION + self._seed(pair.sym) % 61 - 30
        tick = int(pair.tick * _SCALE) * _MILLION
        profile = PROFILES[pair.sym]
        mean = profile.tempo * profile.trade * _MINUTE_TRADES
        minutes = []
        for index in range(count):
            opened, closed = path[index], path[index + 1]
            widest = max(opened * _MINUTE_PPM // (2 * _MILLION), 1)
            above, below = divmod(random.next(), _HALF)
            high, low = max(opened, closed) + above * widest // _HALF, min(opened, closed) - below * widest // _HALF
            first, top, bottom, last = (price * away // tick for price in (opened, high, low, closed))
            part, share = divmod(own.next(), _HALF)
            lots = 1 + mean * 3 // 10 + mean * 7 // 10 * (part + share) // _HALF
            minutes.append(_Minute(start + index * MINUTE_MS, first, top, bottom, last, lots))
        return minutes

    def _seed(self, name: str) -> int:
        seed = self._seeds.get(name)
        if seed is None:
            seed = self._seeds[name] = StableRandom(self._first.order, *name.encode()).next()
        return seed

    def _hour_prices(self, coin: str) -> list[int]:
        """Return the price of a coin at every full hour, and at the first start: its opening price."""
        prices = self._hourly.get(coin)
        if prices is not None:
            return prices
        random = StableRandom(self._first.order, *coin.encode())
        prices = []
        for at in range(self._begin, self._before, STEP_MS):
            price, after = (int(self._prices.index(coin, time) * _SCALE) for time in (at, at + STEP_MS))
            prices += [price, (price + after) // 2 * (_MILLION + _draw_change(random, _HOUR_PPM)) // _MILLION]
        opening = int(REFERENCE_PRICES[coin] * _SCALE)
        hours = (self._first.ms - self._before) // HOUR_MS
        if hours:
            prices += _bridge(random, opening, opening, hours, _HOUR_PPM)[:-1]
        self._hourly[coin] = prices = [*prices, opening, opening]
        return prices


def _bridge(random: StableRandom, first: int, last: int, steps: int, most_ppm: int) -> list[int]:
    """Draw a path of prices from one price to another."""
    walk = [0]
    for _ in range(steps):
        walk.append(walk[-1] + _draw_change(random, most_ppm))
    total = walk[-1]
    return [
        (first + (last - first) * step // steps) * (_MILLION + change - total * step // steps) // _MILLION
        for step, change in enumerate(walk)
    ]


def _draw_change(random: StableRandom, most_ppm: int) -> int:
    return random.randrange(2 * most_ppm + 1) - most_ppm


def _bar(pair: Pair, minute: _Minute) -> Bar:
    opened, high, low, close = (pair.price(ticks) for ticks in minute[1:5])
    return Bar(minute.start, opened, high, low, close, pair.base_qty(minute.lots), prices=1)


class BarHistory:
    """Bars of a venue: invented ones before its first start, and those of the trades of the last day."""

    def __init__(self, first: FirstStart | None, candles: Candles) -> None:
        self._past = PastBars(first) if first is not None else None
        self._candles = candles

    def bars(self, pair: Pair, interval: Interval, begin: int, end: int) -> Iterator[Bar]:
        """Yield the bars of a pair that begin in a time span, oldest first; minutes or hours.

        Args:
            pair: The pair.
            interval: `M1` or `H1`.
            begin: First open time, ms.
            end: Time after the last open time, ms.
        """
        length = INTERVAL_MS[interval]
        waiting: Bar | None = None
        for bar in self._parts(pair, interval, begin, end):
            start = bar.start - bar.start % length
            if waiting is not None and waiting.start == start:
                waiting.merge(bar)
                continue
            if waiting is not None:
                yield waiting
            waiting = Bar(start, bar.open, bar.high, bar.low, bar.close, bar.volume, prices=1)
        if waiting is not None:
            yield waiting

    def _parts(self, pair: Pair, interval: Interval, begin: int, end: int) -> Iterator[Bar]:
        if self._past is not None:
            past = self._past.minutes if interval is Interval.M1 else self._past.hours
            yield from past(pair, begin, end)
        yield from self._candles.series(Channel.KLINE, pair.sym).minutes_from(begin, end)
