"""Figures of a market tape: rates, gaps, sizes, moves. The same for a recording and for the synthetic market."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean, median, pstdev
from typing import NamedTuple

SECOND = 1_000_000
"""Times are µs."""

_TENTH = SECOND // 10
_CUTS = tuple(range(0, SECOND, _TENTH))
"""Seconds are cut at ten phases, because counts per second depend on where they are cut."""

_BURST_GAP_US = 1000


class Quote(NamedTuple):
    """A changed touch; prices in ticks, sizes in base units."""

    at_us: int
    bid: int
    bid_size: float
    ask: int
    ask_size: float


class Print(NamedTuple):
    """A public trade. Trades of one order have one `stamp`."""

    at_us: int
    size: float
    is_buy: bool
    stamp: int


class Tape(NamedTuple):
    """What one pair showed, in order of time."""

    quotes: Sequence[Quote]
    prints: Sequence[Print]


class Band(NamedTuple):
    """What a figure may be; both ends included."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


def within(value: float, share: float) -> Band:
    """A band of this share around a value."""
    return Band(value * (1 - share), value * (1 + share))


def around(value: float, points: float) -> Band:
    """A band of this width around a value."""
    return Band(value - points, value + points)


BANDS: dict[str, Band] = {
    "messages per s, median": within(176, 0.20),
    "bbo per s, median": within(141, 0.20),
    "bbo per s, peak": within(807, 0.25),
    "bbo per 100 ms, peak": within(317, 0.25),
    "bbo gap, ms p50": within(0.03, 0.20),
    "trades per s, median": within(26, 0.20),
    "size-only changes, %": around(96.9, 1.5),
    "one-tick spread, % of updates": around(94, 2),
    "mid move, ticks p50": within(4, 0.20),
    "relative size change, % p50": within(2.8, 0.20),
    "bid size p50": within(2.68, 0.20),
    "trade size p50": within(0.016, 0.20),
    "trades per cluster, mean": within(4.05, 0.20),
    "taker buys, %": Band(45, 50),
    "1 s mid return, std bp": within(1.24, 0.25),
}
"""The BTC perpetual of the calibration; messages are quotes and trades, without the depth of the capture."""


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which this share of sorted values lies; 0 of none."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def figures(tape: Tape) -> dict[str, float]:
    """Every figure of a tape by its name."""
    quotes, prints = tape
    steps = [(a, b) for a, b in pairwise(quotes) if a[1:] != b[1:]]
    times = [quote.at_us for quote in quotes]
    trade_times = [one.at_us for one in prints]
    both = sorted(times + trade_times)
    found: dict[str, float] = {"seconds": (both[-1] - both[0]) / SECOND}
    found |= _rates("messages", both) | _rates("bbo", times) | _rates("trades", trade_times)
    found |= _named("bbo gap, ms", sorted((b - a) / 1000 for a, b in pairwise(times)), (50, 75, 90, 99, 99.9))
    found |= _bursts(times)
    found |= _prices(quotes, steps)
    found |= _sizes(quotes, steps)
    found |= _trades(prints)
    found["1 s mid return, std bp"], found["1 s mid return, largest bp"] = _returns(quotes)
    return found


def _named(name: str, ordered: Sequence[float], shares: Iterable[float]) -> dict[str, float]:
    return {f"{name} p{share:g}": quantile(ordered, share / 100) for share in shares}


def _rates(name: str, times: Sequence[int]) -> dict[str, float]:
    """Counts of whole seconds, the middle of all cuts, and of the fullest 100 ms."""
    middles, peaks = [], []
    for cut in _CUTS:
        counts = _counts(times, SECOND, cut)
        middles.append(median(counts))
        peaks.append(max(counts))
    tenths = [max(_counts(times, _TENTH, cut // 10)) for cut in _CUTS]
    return {
        f"{name} per s, mean": len(times) * SECOND / (times[-1] - times[0]),
        f"{name} per s, median": median(middles),
        f"{name} per s, peak": median(peaks),
        f"{name} per 100 ms, peak": median(tenths),
    }


def _counts(times: Sequence[int], length: int, cut: int) -> list[int]:
    """Events in each whole stretch of this length, the first one beginning `cut` after the first event."""
    start = times[0] + cut
    counts = [0] * ((times[-1] - start) // length)
    for at in times:
        number = (at - start) // length
        if 0 <= number < len(counts):
            counts[number] += 1
    return counts


def _bursts(times: Sequence[int]) -> dict[str, float]:
    """Runs of quotes less than a ms apart."""
    lengths, run = [], 1
    for a, b in pairwise(times):
        if b - a < _BURST_GAP_US:
            run += 1
        else:
            lengths.append(run)
            run = 1
    lengths.append(run)
    long = sum(length for length in lengths if length >= 10)
    found = {"bursts per s": len(lengths) * SECOND / (times[-1] - times[0])}
    found |= _named("burst length", sorted(lengths), (50, 75, 90, 99, 100))
    return found | {"quotes in bursts of 10 and more, %": 100 * long / len(times)}


def _prices(quotes: Sequence[Quote], steps: Sequence[tuple[Quote, Quote]]) -> dict[str, float]:
    moved = [(a, b) for a, b in steps if (a.bid, a.ask) != (b.bid, b.ask)]
    span = quotes[-1].at_us - quotes[0].at_us
    narrow_us = sum(b.at_us - a.at_us for a, b in pairwise(quotes) if a.ask - a.bid == 1)
    moves = sorted(abs(b.bid + b.ask - a.bid - a.ask) / 2 for a, b in moved)
    lives = sorted((b[1].at_us - a[1].at_us) / 1000 for a, b in pairwise(moved))
    found = {
        "size-only changes, %": 100 * (1 - len(moved) / len(steps)),
        "one-tick spread, % of updates": 100 * sum(one.ask - one.bid == 1 for one in quotes) / len(quotes),
        "one-tick spread, % of time": 100 * narrow_us / span,
        "touch price changes per s": len(moved) * SECOND / span,
    }
    found |= _named("mid move, ticks", moves, (50, 90, 99))
    return found | _named("touch lifetime, ms", lives, (50, 75, 90, 99))


def _sizes(quotes: Sequence[Quote], steps: Sequence[tuple[Quote, Quote]]) -> dict[str, float]:
    changes: list[float] = []
    for a, b in steps:
        if (a.bid, a.ask) == (b.bid, b.ask):
            for before, after in ((a.bid_size, b.bid_size), (a.ask_size, b.ask_size)):
                if before != after and before:
                    changes.append(100 * (after - before) / before)
    found = _named("bid size", sorted(quote.bid_size for quote in quotes), (5, 50, 95, 99))
    found |= _named("relative size change, %", sorted(map(abs, changes)), (25, 50, 75, 90, 99))
    return found | {"size increases, %": 100 * sum(change > 0 for change in changes) / len(changes)}


def _trades(prints: Sequence[Print]) -> dict[str, float]:
    clusters: dict[int, int] = {}
    for one in prints:
        clusters[one.stamp] = clusters.get(one.stamp, 0) + 1
    found = _named("trade size", sorted(one.size for one in prints), (50, 95, 99, 99.9))
    return found | {
        "trades per cluster, mean": fmean(clusters.values()),
        "trades per cluster, largest": max(clusters.values()),
        "taker buys, %": 100 * sum(one.is_buy for one in prints) / len(prints),
    }


def _returns(quotes: Sequence[Quote]) -> tuple[float, float]:
    """Deviation and largest size of the returns of the middle from second to second, basis points; middle of all cuts."""
    found = [_returns_of_cut(quotes, cut) for cut in _CUTS]
    return median(one for one, _ in found), median(one for _, one in found)


def _returns_of_cut(quotes: Sequence[Quote], cut: int) -> tuple[float, float]:
    mids: list[float] = []
    due, last = quotes[0].at_us + cut, quotes[0]
    for quote in quotes:
        while quote.at_us > due:
            mids.append((last.bid + last.ask) / 2)
            due += SECOND
        last = quote
    returns = [10_000 * math.log(b / a) for a, b in pairwise(mids)]
    return pstdev(returns), max(map(abs, returns))


def misses(found: dict[str, float]) -> list[str]:
    """Figures outside their band, each in a sentence."""
    return [
        f"{name}: {found[name]:.4g}, not {band.low:.4g} to {band.high:.4g}"
        for name, band in BANDS.items()
        if not band.holds(found[name])
    ]
