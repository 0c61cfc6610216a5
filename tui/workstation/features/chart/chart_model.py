"""Chart of a pair without its widget: bars, marks, zoom and crosshair, drawn at a size."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal

from tui.interface.families.market import INTERVAL_MS
from tui.workstation.features.chart.bar_reader import BarReader
from tui.workstation.features.chart.marks import find_levels, find_print_signs, find_signs
from tui.workstation.features.chart.pane import ChartPane
from tui.workstation.model import number_format
from tui.workstation.render.pieces import Piece
from tui.workstation.widgets.candles.chart import CandleChart, short_figure
from tui.workstation.widgets.candles.inputs import Bar, Crosshair, Curve, Level, Look, Run, Scene, Sign

WIDEST_BAR = 4
"""Most cells of a bar."""
AVERAGE_BARS = 20
"""Bars of the average line."""


class ChartModel:
    """Model of a pane's price chart: bars, levels, signs, crosshair and zoom of a pair and interval."""

    def __init__(self, pane: ChartPane) -> None:
        self._pane = pane
        self._reader = BarReader()
        self._bars: list[Bar] = []
        self._levels: list[Level] = []
        self._own: list[Sign] = []
        self._prints: list[Sign] = []
        self._size = 0, 0
        self._bar_cells = 1
        self._skip = 0
        """Newest bars left out to the right of the chart."""
        self._at: int | None = None
        """Open time of the crosshair's bar; None: there is no crosshair."""
        self._price = Decimal(0)
        """Price of the crosshair, on the tick."""
        self.chart: CandleChart | None = None
        """None while there are no bars."""

    @property
    def lines(self) -> list[list[Run]]:
        """Lines of the drawn chart, each as styled pieces of text; empty while there are no bars."""
        return self.chart.lines if self.chart is not None else []

    @property
    def crosshair_price(self) -> Decimal | None:
        """Price at the crosshair; None if the crosshair is not shown."""
        return self._price if self._at is not None else None

    @property
    def crosshair_row(self) -> int | None:
        """Chart line at the crosshair's price; None while it is not in the chart."""
        if self.chart is None or self._at is None or not self.chart.scale.contains(float(self._price)):
            return None
        return self.chart.scale.row(float(self._price))

    @property
    def bar_count(self) -> int:
        return len(self._bars)

    def restart(self) -> None:
        """Reset to another pair or interval: no crosshair, at the newest bar."""
        self._at, self._skip = None, 0

    # Changes

    def fit(self, cells: int, rows: int) -> Iterable[int]:
        """Redraw the chart for a new size; return the changed lines."""
        if (cells, rows) == self._size and self.chart is not None:
            return ()
        self._size = cells, rows
        self._read_marks()
        return self._draw()

    def follow_marks(self) -> Iterable[int]:
        """Update the chart after changes of orders, positions or fills; return its changed lines."""
        return self._draw() if self._read_marks() else ()

    def follow_bars(self) -> Iterable[int]:
        """Update the chart after changes of the bars; return its changed lines."""
        row = self._pane.bars
        bars = self._reader.read(row.bars) if row is not None else []
        before, self._bars = self._bars, bars
        if self.chart is not None and before and len(bars) == len(before) and before[-1].start == bars[-1].start:
            changed = self.chart.follow(bars[-1]) if before[:-1] == bars[:-1] else None
            if changed is not None:
                return [*changed, *self.follow_last()]
        if self._skip and before:
            self._skip += len(bars) - bisect_right(bars, before[-1].start, key=_start)
        return self._draw()

    def follow_last(self) -> Iterable[int]:
        """Update the chart after a change of the last price; return its changed lines."""
        changed = self.chart.follow_last(self._last()) if self.chart is not None else ()
        return self._draw() if changed is None else changed

    def _last(self) -> float | None:
        last = self._pane.last
        return float(last) if last is not None else None

    def _read_marks(self) -> bool:
        sym, view = self._pane.shown_sym, self._pane.view
        before = self._levels, self._own
        self._levels, self._own = find_levels(sym, view, self._pane.alerts(sym)), find_signs(sym, view)
        return (self._levels, self._own) != before

    def follow_prints(self) -> Iterable[int]:
        """Update the chart's signs of large public trades; return its changed lines."""
        before, self._prints = self._prints, find_print_signs(self._pane.prints(self._pane.shown_sym))
        if self._prints == before or self.chart is None:
            return ()
        changed = self.chart.follow_signs(self._signs)
        return self._draw() if changed is None else changed

    @property
    def _signs(self) -> list[Sign]:
        """Signs of the chart: large public trades, and own fills drawn over them."""
        return [*self._prints, *self._own]

    def redraw(self) -> Iterable[int]:
        """Redraw everything after the pair's trading rules changed; return the changed lines."""
        return self._draw()

    def zoom(self, steps: int) -> Iterable[int] | None:
        """Draw wider or narrower bars; return the changed lines, or None if they cannot be wider or narrower."""
        cells = max(1, min(WIDEST_BAR, self._bar_cells + steps))
        if cells == self._bar_cells:
            return None
        self._bar_cells = cells
        return self._draw()

    # Crosshair

    def move_crosshair(self, bars: int, rows: int) -> Iterable[int]:
        """Move the crosshair by bars to the right and by rows down; return the changed lines."""
        chart, tick = self.chart, self._tick
        if chart is None or not self._bars:
            return ()
        if self._at is None:
            newest = chart.newest or self._bars[-1]
            self._at, self._price = newest.start, _on_tick(newest.close, tick)
        index = min(max(bisect_left(self._bars, self._at, key=_start) + bars, 0), len(self._bars) - 1)
        self._at = self._bars[index].start
        step = max(1, round(chart.scale.per_row / float(tick)))
        highest, lowest = chart.scale.price_at(0), chart.scale.price_at(chart.price_rows - 1)
        price = self._price - rows * step * tick
        if rows:
            self._price = min(max(price, _on_tick(lowest, tick)), _on_tick(highest, tick))
        if self._scroll_to(index):
            return self._draw()
        return chart.move_crosshair(self._crosshair())

    def hide_crosshair(self) -> Iterable[int]:
        """Remove the crosshair and show the newest bars again; return the changed lines."""
        self.restart()
        return self._draw()

    def _scroll_to(self, index: int) -> bool:
        """Scroll so far that a bar is visible; return whether the visible range moved."""
        starts, before = self.chart.times.starts if self.chart is not None else [], self._skip
        if starts and self._bars[index].start < starts[0]:
            self._skip += bisect_left(self._bars, starts[0], key=_start) - index
        elif starts and self._bars[index].start > starts[-1]:
            self._skip = len(self._bars) - 1 - index
        return self._skip != before

    def _crosshair(self) -> Crosshair | None:
        if self._at is None:
            return None
        return Crosshair(self._at, float(self._price), self._pane.view.price_of(self._pane.shown_sym, self._price))

    # Drawing

    @property
    def _tick(self) -> Decimal:
        """Tick of the pair; while its rules are unknown, 1 in the last decimal place of the prices."""
        if (tick := self._pane.tick) is not None:
            return tick
        row = self._pane.bars
        text = row.bars[-1].close if row is not None and row.bars else ""
        return Decimal(1).scaleb(-len(text.partition(".")[2]))

    def _look(self) -> Look:
        settings, tick = self._pane.view.settings, self._tick
        shift = 0
        if settings.time == "local" and self._bars:
            newest = datetime.fromtimestamp(self._bars[-1].start / 1000, UTC).astimezone()
            shift = int((newest.utcoffset() or newest - newest).total_seconds() * 1000)
        places = number_format.places(str(tick)) or 0
        separator = "," if settings.separators else ""
        return Look(places, float(tick), separator, shift, self._bar_cells)

    def _draw(self) -> Iterable[int]:
        """Draw everything anew; return the lines that differ."""
        before = self.lines
        cells, rows = self._size
        self.chart = None
        if self._bars and cells > 0 and rows > 0:
            scene = Scene(
                self._bars, INTERVAL_MS.get(self._pane.interval, 0), self._levels, self._signs, self._curves(),
                self._crosshair(), min(self._skip, len(self._bars) - 1), self._last(),
            )  # fmt: skip
            self.chart = CandleChart(scene, cells, rows, self._look())
        lines = self.lines
        if len(lines) != len(before):
            return range(rows)
        return [row for row, (old, new) in enumerate(zip(before, lines, strict=True)) if old != new]

    def _curves(self) -> list[Curve]:
        """Build the line of the moving average of the closes; after a gap in the bars it starts again."""
        length, bars = INTERVAL_MS.get(self._pane.interval, 0), self._bars
        last = len(bars) - self._skip
        points: list[tuple[int, float]] = []
        total = 0.0
        first = max(0, last - self._size[0] - AVERAGE_BARS)
        begin = first
        """First bar after the newest gap."""
        for index in range(first, last):
            bar = bars[index]
            if index > begin and length and bar.start - bars[index - 1].start > length:
                begin, total = index, 0.0
            total += bar.close
            if index - begin >= AVERAGE_BARS:
                total -= bars[index - AVERAGE_BARS].close
            if index - begin >= AVERAGE_BARS - 1:
                points.append((bar.start, total / AVERAGE_BARS))
        return [Curve(points, "pending")] if points else []

    # Title

    def heading(self) -> list[Piece]:
        """Return the figures of the bar at the crosshair, else of the newest bar, in the order of importance.

        At the crosshair these are high and low, which say what traded in the bar; of the newest bar close and change.
        """
        bar = self._bar_shown()
        if bar is None:
            return []
        look = self._look()
        role = look.rising if bar.rises else look.falling
        change = f"{(bar.close / bar.open - 1) * 100:+.2f}%".replace("-0.00", "0.00").replace("+0.00", "0.00")
        close: list[Piece] = [(" · C ", "dim"), (look.price_text(bar.close), role), (f" {change}", role)]
        high, low, start = (
            [(f" · {name} ", "dim"), (look.price_text(price), "text")]
            for name, price in (("H", bar.high), ("L", bar.low), ("O", bar.open))
        )
        first = [*close, *start, *high, *low] if self._at is None else [*high, *low, *close, *start]
        return [*first, (" · V ", "dim"), (short_figure(bar.volume), "text")]

    def _bar_shown(self) -> Bar | None:
        if not self._bars:
            return None
        if self._at is None:
            return self._bars[-1]
        index = bisect_left(self._bars, self._at, key=_start)
        return self._bars[index] if index < len(self._bars) and self._bars[index].start == self._at else None


def _start(bar: Bar) -> int:
    return bar.start


def _on_tick(price: float, tick: Decimal) -> Decimal:
    """Round a drawn price to the nearest tick."""
    return tick * round(price / float(tick))
