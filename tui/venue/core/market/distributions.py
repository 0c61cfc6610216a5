"""Random draws of the simulated market from integer quantile tables; no floats are used.

The tables have the shape of a recorded day of a liquid perpetual; a pair scales them.
"""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import CONTEXT
from tui.protocols import RandomSource

_ONE_MINUS = [CONTEXT.divide(Decimal(127 - 2 * n), Decimal(128)) for n in range(64)]
_EXPONENTIAL = tuple(int(-CONTEXT.ln(share) * 1000) for share in _ONE_MINUS)
"""Waiting times in thousandths of their mean, at the middles of 64 equal shares."""

_PAUSES = (86, 94, 106, 126, 151, 168, 184, 210, 257, 332, 457, 676, 970, 1400, 2040, 3060, 5600)
"""Pauses between bursts of quotes in thousandths of their mean."""

_SIZES = (2, 25, 60, 140, 280, 420, 600, 790, 1000, 1180, 1370, 1560, 1820, 2100, 2580, 3360, 5000, 7000)
"""Displayed sizes in thousandths of the median."""

_FRESH = (1, 6, 20, 60, 120, 200, 320, 450, 600, 800, 1000, 1250, 1600, 2000, 2600, 3600, 6000)
"""Sizes of a new touch price, in thousandths of the median."""

_CHANGES = (1, 1, 2, 2, 3, 4, 6, 10, 16, 25, 35, 48, 66, 90, 130, 190, 330, 2000)
"""Size changes in thousandths of the size."""

_TRADES = (
    120, 125, 125, 125, 125, 125, 180, 190, 250, 320, 380, 440, 560, 640, 810, 1000, 1120, 1500, 1750, 2060, 2500,
    3070, 3940, 4940, 5650, 7130, 9400, 10_800, 15_600, 20_400, 31_000,
)  # fmt: skip
_LARGE_TRADES = (45_000, 52_000, 60_000, 68_000, 76_000, 85_000, 110_000, 370_000)
"""Trade sizes in thousandths of the median: the usual ones, and one in 32."""

_CLUSTERS = (1,) * 46 + (2,) * 6 + (3,) * 3 + (4,) * 2 + (5, 5, 7, 9, 14, 32, 90)
"""Number of trades of one taker."""

_BURST = (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 7, 15)
"""Number of quotes in one burst."""

_MICRO_US = (1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 26, 28, 30, 32, 700)
"""Time between two quotes of a burst, µs."""

_WIDE = (0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 4, 6, 10, 24)
"""Number of quotes while the spread is open."""

_WIDE_US = (1, 1, 1, 1, 2, 2, 3, 6, 300, 530, 880, 1200, 1500, 2400, 3700, 7300, 40_000)
"""Time the spread stays open, µs."""

_REACTIONS_US = (60, 80, 120, 200, 400, 900, 1500, 2500, 4000, 6000, 9000, 14_000, 20_000, 30_000)
"""Time makers need to answer a trade, µs."""

_STEPS = (1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 11, 16)
"""Number of steps of a fair price in one move."""

_STEP_US = (300, 400, 500, 700, 900, 1200, 1600, 2200, 3200, 5000, 8000, 13_000, 24_000, 50_000)
"""Time between the steps of one move, µs."""

_MOVES = (
    16, 16, 16, 32, 32, 32, 48, 48, 64, 64, 80, 80, 97, 97, 97, 110, 125, 145, 165, 190, 220, 250, 280, 320, 360,
    420, 480, 560, 650, 800, 1100, 1600, 2600,
)  # fmt: skip
"""Steps of a fair price in thousandths of a basis point."""

_ACTIVITIES = (
    (46, 40), (58, 50), (68, 58), (76, 66), (83, 74), (89, 81), (94, 88), (100, 95), (106, 102), (113, 109),
    (121, 117), (131, 127), (145, 140), (164, 158), (195, 185), (280, 235), (480, 330),
)  # fmt: skip
"""Activity of takers and makers, per cent of the usual one."""


def draw_wait(source: RandomSource, mean_us: int) -> int:
    """Draw the waiting time to the next event of a Poisson process, µs, at least 1."""
    return max(1, mean_us * _EXPONENTIAL[source.randrange(64)] // 1000)


def draw_pause(source: RandomSource, mean_us: int) -> int:
    """Draw the pause until the next burst of quotes, µs, at least 1: mostly short, rarely very long."""
    return max(1, mean_us * _interpolate(source, _PAUSES) // 1000)


def draw_size(source: RandomSource, median: int) -> int:
    """Draw a displayed size in lots, at least 1."""
    return max(1, median * _interpolate(source, _SIZES) // 1000)


def draw_new_touch_size(source: RandomSource, median: int) -> int:
    """Draw the size of a new best bid or ask in lots, at least 1: small at first."""
    return max(1, median * _interpolate(source, _FRESH) // 1000)


def draw_updated_size(source: RandomSource, lots: int, median: int) -> int:
    """Draw the next size after a quote update, never 0 or unchanged; small sizes tend to grow, large ones to shrink."""
    by = max(1, lots * _interpolate(source, _CHANGES) // 1000)
    share = 68 if 2 * lots < 3 * median else 46 if lots < 4 * median else 15
    if source.randrange(100) < share or lots == 1:
        return lots + by
    return lots - min(by, max(1, lots * 9 // 10))


def draw_refilled_size(source: RandomSource, lots: int, median: int) -> int:
    """Draw the size after a trade reduced it: a small size is refilled, a large one only varied."""
    return (
        lots + min(draw_new_touch_size(source, median), 5 * lots // 2 + 1)
        if 2 * lots < median
        else draw_updated_size(source, lots, median)
    )


def draw_trade(source: RandomSource, median: int) -> int:
    """Draw a trade size in lots, at least 1."""
    number = source.randrange(32)
    table = _TRADES[number] if number < len(_TRADES) else _LARGE_TRADES[source.randrange(len(_LARGE_TRADES))]
    return max(1, median * table // 1000)


def draw_cluster(source: RandomSource) -> int:
    """Draw the number of consecutive trades of one taker."""
    return _CLUSTERS[source.randrange(len(_CLUSTERS))]


def draw_burst(source: RandomSource) -> int:
    """Draw the number of quotes in one burst."""
    return _BURST[source.randrange(len(_BURST))]


def draw_micro_us(source: RandomSource) -> int:
    """Draw the time between two quotes of one burst, µs."""
    return _MICRO_US[source.randrange(len(_MICRO_US))]


def draw_wide(source: RandomSource) -> int:
    """Draw the number of quotes sent together while the spread is wide."""
    return _WIDE[source.randrange(len(_WIDE))]


def draw_wide_us(source: RandomSource) -> int:
    """Draw how long the spread stays wide, µs."""
    return _WIDE_US[source.randrange(len(_WIDE_US))]


def draw_reaction_us(source: RandomSource) -> int:
    """Draw the reaction time of market makers to a trade, µs."""
    return _REACTIONS_US[source.randrange(len(_REACTIONS_US))]


def draw_steps(source: RandomSource) -> int:
    """Draw the number of steps in one move of a fair price."""
    return _STEPS[source.randrange(len(_STEPS))]


def draw_step_us(source: RandomSource) -> int:
    """Draw the time between two steps of a move, µs."""
    return _STEP_US[source.randrange(len(_STEP_US))]


def draw_move(source: RandomSource, price: int) -> int:
    """Draw the size of one step of a fair price in any integer unit, unsigned."""
    return price * _MOVES[source.randrange(len(_MOVES))] // 10_000_000


def draw_jump(source: RandomSource, price: int) -> int:
    """Draw a rare larger move of a fair price, 4 to 10 basis points."""
    return price * (40 + source.randrange(61)) // 100_000


def draw_activity(source: RandomSource) -> tuple[int, int]:
    """Draw the activity of takers and makers until the next draw, in per cent."""
    return _ACTIVITIES[source.randrange(len(_ACTIVITIES))]


def _interpolate(source: RandomSource, table: tuple[int, ...]) -> int:
    at, part = divmod(source.randrange((len(table) - 1) * 64), 64)
    return table[at] + (table[at + 1] - table[at]) * part // 64
