"""Draws of the synthetic market, from integer quantile tables: no float anywhere."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import CONTEXT
from tui.seams import Randoms

_ONE_MINUS = [CONTEXT.divide(Decimal(127 - 2 * n), Decimal(128)) for n in range(64)]
_EXPONENTIAL = tuple(int(-CONTEXT.ln(share) * 1000) for share in _ONE_MINUS)
"""Waiting times in thousandths of their mean, at the middles of 64 equal shares."""

_SIZES = (7, 40, 110, 250, 420, 600, 800, 1000, 1250, 1600, 2100, 2700, 3400, 4200, 6900)
"""Displayed sizes in thousandths of the median."""

_CHANGES = (1, 2, 3, 4, 8, 14, 28, 45, 68, 96, 150, 210, 280, 600, 2650)
"""Size changes in thousandths of the size."""

_TRADES = (1, 1, 2, 3, 5, 8, 10, 15, 30, 80, 150, 300, 450, 720)
"""Trade sizes in tenths of the median."""

_MOVES = (1, 1, 2, 2, 3, 4, 4, 6, 8, 10, 14, 21, 35, 60, 99)
"""Moves of the fair price in hundredths of a basis point, times 1.6."""

_BURST = (1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 5, 8, 12)
"""Updates in one burst."""


def wait(source: Randoms, mean_us: int) -> int:
    """Time to the next event of a Poisson flow, µs, at least 1."""
    return max(1, mean_us * _EXPONENTIAL[source.randrange(64)] // 1000)


def size(source: Randoms, median: int) -> int:
    """A displayed size in lots, at least 1."""
    return max(1, median * _between(source, _SIZES) // 1000)


def changed(source: Randoms, lots: int) -> int:
    """A size after one update; grows a little more often than it shrinks, never to nothing."""
    by = max(1, lots * _between(source, _CHANGES) // 1000)
    return lots + by if source.randrange(100) < 55 else max(1, lots - min(by, lots * 9 // 10))


def trade(source: Randoms, median: int) -> int:
    """A trade in lots, at least 1."""
    return max(1, median * _TRADES[source.randrange(len(_TRADES))] // 10)


def move(source: Randoms, price: int) -> int:
    """A move of a fair price (any integer unit) up or down."""
    by = price * _MOVES[source.randrange(len(_MOVES))] * 16 // 10_000_000
    return by if source.randrange(2) else -by


def jump(source: Randoms, price: int) -> int:
    """A rare larger move: 4 to 10 basis points."""
    by = price * (4 + source.randrange(7)) // 10_000
    return by if source.randrange(2) else -by


def burst(source: Randoms) -> int:
    """Number of updates that come at once."""
    return _BURST[source.randrange(len(_BURST))]


def _between(source: Randoms, table: tuple[int, ...]) -> int:
    at, part = divmod(source.randrange((len(table) - 1) * 64), 64)
    return table[at] + (table[at + 1] - table[at]) * part // 64
