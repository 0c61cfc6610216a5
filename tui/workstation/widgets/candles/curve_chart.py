"""Curve of one figure over time as a braille line, with axes and a label of its newest value; gaps stay empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from tui.workstation.widgets.candles.canvas import braille_cells
from tui.workstation.widgets.candles.inputs import Look, Run
from tui.workstation.widgets.candles.scales import CELLS_BETWEEN, PriceScale, fit_prices, next_time_step, round_prices

LEAST_CELLS = 30
LEAST_ROWS = 4
"""Smallest size in which a curve is drawn, axis of times included."""


class Point(NamedTuple):
    """Value of a curve at a time."""

    at: int
    """ms."""
    value: float


class CurveChart:
    """Curve of one figure at one size."""

    def __init__(
        self, points: Sequence[Point], span: tuple[int, int], gap_ms: int, cells: int, rows: int, look: Look,
        base: float | None = None,
    ) -> None:  # fmt: skip
        """Draw the curve.

        Args:
            points: Points, oldest first.
            span: First and last time of the axis, ms.
            gap_ms: Longest time between two points that are joined; 0: all are joined.
            cells: Width, the labels at the right edge included.
            rows: Height, the axis of times included.
            look: Decimals, smallest step and roles.
            base: Value with a line across the chart, such as 0; None: none.
        """
        self.points = [point for point in points if span[0] <= point.at <= span[1]]
        self.span, self.gap_ms, self.look = span, gap_ms, look
        self.rows = max(1, rows - 1)
        """Rows of the curve."""
        values = [point.value for point in self.points]
        if base is not None:
            values.append(base)
        self.scale: PriceScale = fit_prices(
            min(values, default=0.0), max(values, default=0.0), (), look.tick, self.rows
        )
        widest = max((len(look.price_text(value)) for value in (*values[:1], *values[-1:], *_ends(values))), default=0)
        self.plot_cells = max(1, cells - widest - 2)
        self._margin = cells - self.plot_cells
        self._base = self.scale.row(base) if base is not None else -1
        self._axis = {self.scale.row(value): value for value in round_prices(self.scale, look)}
        self._dots = braille_cells(self._across(), self.scale)
        self.lines = [self._line(row) for row in range(self.rows)] + [self._time_line(cells)]
        """Runs of each line."""

    def column(self, at: int) -> float:
        """Return the horizontal position of a time in the chart, in cells with fraction."""
        first, last = self.span
        return (at - first) / max(last - first, 1) * (self.plot_cells - 0.5)

    def _across(self) -> Iterable[tuple[float, float, bool]]:
        before: Point | None = None
        for point in self.points:
            joined = before is not None and (not self.gap_ms or point.at - before.at <= self.gap_ms)
            yield self.column(point.at), point.value, joined
            before = point

    def _line(self, row: int) -> list[Run]:
        look = self.look
        fill, fill_role = ("┄", look.faint) if row == self._base else (" ", look.blank)
        runs: list[Run] = []
        for x in range(self.plot_cells):
            dots = self._dots.get((row, x))
            text, role = (dots, look.rising) if dots is not None else (fill, fill_role)
            if runs and runs[-1][1] == role:
                runs[-1] = runs[-1][0] + text, role
            else:
                runs.append((text, role))
        return [*runs, *self._edge(row)]

    def _edge(self, row: int) -> Iterable[Run]:
        look, edge, text, role = self.look, "│", "", self.look.axis
        newest = self.points[-1].value if self.points else None
        if newest is not None and self.scale.row(newest) == row:
            text, role = "◂" + look.price_text(newest), look.blank
        elif row in self._axis:
            edge, text = "┤", " " + look.price_text(self._axis[row])
        yield edge, look.faint
        yield text.ljust(self._margin - 1)[: self._margin - 1], role

    def _time_line(self, cells: int) -> list[Run]:
        first, last = self.span
        step = next_time_step(CELLS_BETWEEN * max(last - first, 1) / self.plot_cells)
        line, end, shift = [" "] * cells, -2, self.look.shift_ms
        for shown in range(-(-(first + shift) // step) * step, last + shift + 1, step):
            x = int(self.column(shown - shift))
            text = f"{datetime.fromtimestamp(shown / 1000, UTC):{'%m-%d' if shown % 86_400_000 == 0 else '%H:%M'}}"
            if x >= end + 2 and x + len(text) <= self.plot_cells:
                line[x : x + len(text)] = text
                end = x + len(text)
        return [("".join(line), self.look.axis)]


def _ends(values: Sequence[float]) -> tuple[float, ...]:
    return (min(values), max(values)) if values else ()
