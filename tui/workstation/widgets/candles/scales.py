"""Scales of a chart: prices to rows, bars to columns, and round values for both axes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from tui.workstation.widgets.candles.inputs import Bar, Level, Look, Scene

NEAR = 0.35
"""Share of the price range within which a level outside widens the range."""
ROWS_BETWEEN = 3
"""Fewest rows between two prices of the axis."""
CELLS_BETWEEN = 10
"""Fewest cells between two times of the axis."""
WIDEST_GAP = 3
"""Empty bars up to which a gap in time is drawn to scale; a longer one takes as many, with a dotted line."""

_MINUTE = 60_000
_DAY = 1440 * _MINUTE
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720)
"""Steps of the time axis below a day, minutes."""
_DAY_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class PriceScale(NamedTuple):
    """Assignment of prices to rows: a row has the price of its middle and contains prices up to half a row away."""

    top: float
    """Price at the upper edge of the first row."""
    per_row: float
    rows: int

    def place(self, price: float) -> float:
        """Return the distance of a price below the upper edge of the first row, in rows with fraction."""
        return (self.top - price) / self.per_row

    def row(self, price: float) -> int:
        """Return the row that contains a price; outside 0 to rows - 1 the price lies outside the chart."""
        return math.floor(self.place(price))

    def contains(self, price: float) -> bool:
        return 0 <= self.row(price) < self.rows

    def price_at(self, row: int) -> float:
        """Return the price of the middle of a row."""
        return self.top - (row + 0.5) * self.per_row


def fit_prices(low: float, high: float, levels: Sequence[Level], tick: float, rows: int) -> PriceScale:
    """Return a price scale that contains all bars, and those levels that are near them."""
    span = max(high - low, tick)
    prices = [level.price for level in levels if level.widens]
    near = [price for price in prices if low - NEAR * span <= price <= high + NEAR * span]
    low, high = min([low, *near]), max([high, *near])
    per_row = max(high - low, tick * 2) / max(rows - 1, 1)
    middle = (low + high) / 2
    return PriceScale(middle + per_row * rows / 2, per_row, rows)


def round_prices(scale: PriceScale, look: Look) -> list[float]:
    """List the round prices for the axis, lowest first."""
    least = max(scale.per_row * ROWS_BETWEEN, look.tick)
    step = _round_up(least / look.tick) * look.tick
    bottom = scale.top - scale.per_row * scale.rows
    first = math.ceil(bottom / step)
    prices = [count * step for count in range(first, math.floor(scale.top / step) + 1)]
    return [price for price in prices if scale.contains(price)]


def _round_up(number: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, 50 and so on that is at least a number."""
    power = 10.0 ** math.floor(math.log10(max(number, 1.0)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= number - power * 1e-9)


class TimeScale(NamedTuple):
    """Visible bars with their columns, and the gaps between them."""

    bars: list[Bar]
    """Visible bars, oldest first."""
    starts: list[int]
    columns: list[int]
    """First cell of each visible bar."""
    gaps: list[int]
    """Cells with the dotted line of a shortened gap."""
    joined: list[bool]
    """Whether a visible bar follows the one before it without a gap."""

    def find(self, at: int, interval_ms: int) -> int | None:
        """Return the index of the visible bar that contains a time; None if there is none."""
        index = bisect_right(self.starts, at) - 1
        if index < 0 or (interval_ms and at >= self.starts[index] + interval_ms):
            return None
        return index


def fit_bars(scene: Scene, cells: int, bar_cells: int) -> TimeScale:
    """Place the newest bars that fit, the last at the right edge; missing bars leave a gap of limited width."""
    bars: list[Bar] = []
    columns: list[int] = []
    gaps: list[int] = []
    joined: list[bool] = []
    x, later = cells, None
    for index in range(len(scene.bars) - 1 - scene.skip, -1, -1):
        bar = scene.bars[index]
        missing = 0
        if later is not None:
            missing = _missing(bar.start, later.start, scene.interval_ms)
            joined.append(not missing)
        x -= min(missing, WIDEST_GAP) * bar_cells
        if missing > WIDEST_GAP:
            gaps.append(x + WIDEST_GAP * bar_cells // 2)
        x -= bar_cells
        if x < 0:
            break
        bars.append(bar)
        columns.append(x)
        later = bar
    joined = [*joined[: max(len(bars) - 1, 0)], False][: len(bars)]
    bars.reverse()
    columns.reverse()
    joined.reverse()
    return TimeScale(bars, [bar.start for bar in bars], columns, [x for x in gaps if x >= 0], joined)


def _missing(earlier: int, later: int, interval_ms: int) -> int:
    return max(0, (later - earlier) // interval_ms - 1) if interval_ms else 0


def round_times(scale: TimeScale, interval_ms: int, look: Look) -> list[tuple[int, str]]:
    """Return the labels of the time axis at round times: first cell of the bar, and text."""
    step = _time_step(interval_ms, look.bar_cells)
    labels: list[tuple[int, str]] = []
    end = -2
    for start, x in zip(scale.starts, scale.columns, strict=True):
        shown = start + look.shift_ms
        if shown % step or x < end + 2:
            continue
        text = f"{datetime.fromtimestamp(shown / 1000, UTC):{'%m-%d' if shown % _DAY == 0 else '%H:%M'}}"
        labels.append((x, text))
        end = x + len(text)
    if scale.starts and (not labels or labels[0][0] > CELLS_BETWEEN - 3):
        day = f"{datetime.fromtimestamp((scale.starts[0] + look.shift_ms) / 1000, UTC):%m-%d}"
        labels.insert(0, (scale.columns[0], day))
    return labels


def _time_step(interval_ms: int, bar_cells: int) -> int:
    return next_time_step(CELLS_BETWEEN / bar_cells * (interval_ms or 30 * _DAY))


def next_time_step(least: float) -> int:
    """Return the smallest round step of the time axis, ms, not below `least`; the largest if there is none."""
    steps = [*(count * _MINUTE for count in _STEPS), *(count * _DAY for count in _DAY_STEPS)]
    return next((step for step in steps if step >= least), steps[-1])
