"""Candle chart: a scene drawn into lines of runs, whole or only what a new price of the open bar changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from tui.workstation.widgets.candles.canvas import Canvas, braille_cells
from tui.workstation.widgets.candles.inputs import Bar, Crosshair, Look, Run, Scene, Sign
from tui.workstation.widgets.candles.labels import spread, spread_around
from tui.workstation.widgets.candles.scales import (
    PriceScale,
    fit_bars,
    fit_prices,
    round_prices,
    round_times,
)

FREE = 1
"""Empty cells between the newest bar and the price axis."""
LEAST_CELLS = 24
"""Width below which there is no price axis."""
MOST_BARS_AGAIN = 8
"""Most bars that are drawn again one by one when signs change."""
LEAST_ROWS = 8
"""Height below which no volume is drawn."""
LABEL_CELLS = 17
"""Width of the right edge that labels may take in a narrow chart."""
EDGE_SHARE = 5
"""Rows of the chart for each row kept at an edge for levels beyond it; at least one is kept."""
_UP, _DOWN, _HERE = "↑", "↓", "◂"
"""First character of a label: its price lies beyond the upper edge, beyond the lower one, or in this row."""
BEAD = "•"
"""Character between the dashes of the last price, of a level in the same row."""
_BELOW_ITS_LINE, _ABOVE_ITS_LINE = "└", "┌"
"""First character of a label that had to leave the row of its price: the row lies above, or below."""


class MarginLabel(NamedTuple):
    """Label of a price at the chart's right edge, before it is assigned a row."""

    place: int
    """Row of its price, which may be outside."""
    text: str
    role: str
    weight: int
    """Labels with the highest numbers are left out where there are more than rows."""


class CandleChart:
    """Candle chart of one scene, drawn for one size."""

    def __init__(self, scene: Scene, cells: int, rows: int, look: Look) -> None:
        self.scene, self.look = scene, look
        self.cells, self.rows = cells, rows
        wanted = rows // 6
        self._volume_rows = wanted if rows >= LEAST_ROWS and any(bar.volume for bar in scene.bars) else 0
        self.price_rows = max(1, rows - 1 - self._volume_rows)
        self._fit(self._measure_margin() if cells >= LEAST_CELLS else 0)
        self._widest_volume = max([bar.volume for bar in self.times.bars], default=0.0)
        self._canvas = Canvas(self.plot_cells, self.price_rows + self._volume_rows)
        self._curves: dict[tuple[int, int], Run] = {}
        self._draw_all()
        self._canvas.take_changed()
        self.lines = [self._line(row) for row in range(rows)]
        """Runs of each line."""

    @property
    def newest(self) -> Bar | None:
        """Newest visible bar."""
        return self.times.bars[-1] if self.times.bars else None

    def follow(self, bar: Bar) -> list[int] | None:
        """Update the newest bar, still open; return the changed lines, or None if the chart must be drawn anew."""
        newest = self.newest
        scale = self.scale
        if newest is None or self.scene.skip or bar.start != newest.start or bar.volume > self._widest_volume:
            return None
        if scale.row(bar.high) not in self.inside or scale.row(bar.low) not in self.inside:
            return None
        self.times.bars[-1] = bar
        self.scene = self.scene._replace(bars=[*self.scene.bars[:-1], bar])
        self._draw_again([len(self.times.bars) - 1])
        return self._repaint(sorted(self._prepare_again() | self._canvas.take_changed()))

    def follow_signs(self, signs: Sequence[Sign]) -> list[int] | None:
        """Replace the signs, such as fills; return the changed lines, None if so many bars change that all are redrawn."""
        before, self.scene = self.scene.signs, self.scene._replace(signs=signs)
        others = set(before).symmetric_difference(signs)
        places = {self.times.find(sign.at, self.scene.interval_ms) for sign in others}
        bars = sorted(index for index in places if index is not None)
        if len(bars) > MOST_BARS_AGAIN:
            return None
        if bars:
            self._draw_again(bars)
        return self._repaint(sorted(self._canvas.take_changed()))

    def _draw_again(self, bars: Sequence[int]) -> None:
        """Redraw some bars with all overlays in their columns, and the overlays from the first of them to the right."""
        for index in bars:
            x = self.times.columns[index]
            self._canvas.clear(x, x + self.look.bar_cells)
            self._draw_bar(index)
        self._draw_overlays(self.times.columns[bars[0]])

    def follow_last(self, price: float | None) -> list[int] | None:
        """Replace the last price; return the changed lines, None if its text has another length and all are redrawn.

        Only the line of the price and the labels are drawn again.
        """
        if price == self.scene.last:
            return []
        before = self._last_cells
        self.scene = self.scene._replace(last=price)
        return self._repaint(sorted(self._prepare_again())) if self._last_cells == before else None

    def move_crosshair(self, crosshair: Crosshair | None) -> list[int]:
        """Replace the crosshair; return the changed lines."""
        self.scene = self.scene._replace(crosshair=crosshair)
        self._prepare_lines()
        return self._repaint(range(self.rows))

    def _prepare_again(self) -> set[int]:
        """Compute price lines and labels again; return the rows whose line or label changed."""
        fills, labels, beads = self._fills, self._labels, self._beads
        self._prepare_lines()
        pairs = (fills, self._fills), (labels, self._labels), (beads, self._beads)
        return {row for before, now in pairs for row in before.keys() | now.keys() if before.get(row) != now.get(row)}

    def _repaint(self, rows: Iterable[int]) -> list[int]:
        """Rebuild the lines of some rows; return those that differ from before."""
        changed = []
        for row in rows:
            line = self._line(row)
            if line != self.lines[row]:
                self.lines[row] = line
                changed.append(row)
        return changed

    # Scales

    @property
    def _last(self) -> float | None:
        """Last price; None without bars."""
        if not self.scene.bars:
            return None
        return self.scene.bars[-1].close if self.scene.last is None else self.scene.last

    @property
    def _last_cells(self) -> int:
        """Width of the last price in the margin, cells."""
        return len(self.look.price_text(self._last)) if self._last is not None else 0

    def _fit(self, margin: int) -> None:
        """Divide the width between bars and the label margin, then fit time and price scale."""
        self._margin = margin
        self.plot_cells = max(1, self.cells - margin)
        self.times = fit_bars(self.scene, max(1, self.plot_cells - FREE), self.look.bar_cells)
        self.inside = range(self.price_rows)
        """Rows in which levels have their lines; those above and below are kept for levels beyond the edges."""
        self.scale = self._fit_scale()
        if margin and (wider := self._measure_margin(self.scale.top)) > margin:
            # The first row may show 1,000.0 where no bar was above 999.9.
            self._fit(wider)

    def _measure_margin(self, *more: float) -> int:
        """Return the cells that the right margin needs for labels and axis prices; `more` are further prices."""
        bars = self.scene.bars
        prices = [*(bar.high for bar in (*bars[:1], *bars[-1:])), *more]
        if self._last is not None:
            prices.append(self._last)
        seen = bars[-self.cells :]
        low, high = min((bar.low for bar in seen), default=0.0), max((bar.high for bar in seen), default=0.0)
        labels = [self.look.price_text(price) for price in prices]
        labels += [level.text(outside=not low <= level.price <= high) for level in self.scene.levels]
        if self.scene.crosshair is not None:
            labels.append(self.scene.crosshair.label)
        return min(
            max((len(label) for label in labels), default=6) + 2,
            max(self.cells // 3, min(LABEL_CELLS, self.cells * 2 // 5), 12),
        )

    def _fit_scale(self) -> PriceScale:
        starts = set(self.times.starts)
        shown = [price for curve in self.scene.curves for at, price in curve.points if at in starts]
        low = min([*(bar.low for bar in self.times.bars), *shown], default=0.0)
        high = max([*(bar.high for bar in self.times.bars), *shown], default=1.0)
        scale = fit_prices(low, high, self.scene.levels, self.look.tick, self.price_rows)
        places = [scale.row(level.price) for level in self.scene.levels]
        most = max(1, self.price_rows // EDGE_SHARE) if self.price_rows > 2 else 0
        above = min(sum(place < 0 for place in places), most)
        below = sum(place >= self.price_rows for place in places) - len(self._rows_below)
        below = min(max(below, 0), most)
        self.inside = range(above, self.price_rows - below)
        if above or below:
            scale = fit_prices(low, high, self.scene.levels, self.look.tick, len(self.inside))
        return PriceScale(scale.top + above * scale.per_row, scale.per_row, self.price_rows)

    @property
    def _rows_below(self) -> range:
        """Rows of the volume area in which the right margin is free for labels."""
        return range(self.price_rows + 1, self.price_rows + self._volume_rows)

    # Drawing

    def _draw_all(self) -> None:
        for index in range(len(self.times.bars)):
            self._draw_bar(index)
        self._fit_curves()
        self._draw_overlays(0)
        self._axis = {self.scale.row(price): price for price in round_prices(self.scale, self.look)}
        self._times = self._time_line()
        self._prepare_lines()

    def _draw_bar(self, index: int) -> None:
        bar, x = self.times.bars[index], self.times.columns[index]
        # The scale contains every visible bar: nothing has to be held inside.
        top, halves = self.scale.top, 2 / self.scale.per_row
        upper, lower = (bar.close, bar.open) if bar.rises else (bar.open, bar.close)
        spots = (
            int((top - bar.high) * halves),
            int((top - upper) * halves),
            int((top - lower) * halves),
            int((top - bar.low) * halves),
        )
        role = self.look.rising if bar.rises else self.look.falling
        width = max(1, self.look.bar_cells - 1)
        self._canvas.put_candle(x, width, spots, role, rises=bar.rises)
        if self._volume_rows and self._widest_volume:
            rows = range(self.price_rows, self.price_rows + self._volume_rows)
            self._canvas.put_volume(x, width, bar.volume / self._widest_volume, rows, role)

    def _draw_overlays(self, first: int) -> None:
        """Draw signs over the candles and, in empty cells, curves and gap lines, from a column on."""
        for sign in self.scene.signs:
            self._draw_sign(sign, first)
        for (row, x), (character, role) in self._curves.items():
            if x >= first:
                self._canvas.put_under(row, x, character, role)
        for x in self.times.gaps:
            if x >= first:
                for row in range(self.price_rows):
                    self._canvas.put_under(row, x, "┊", self.look.faint)

    def _draw_sign(self, sign: Sign, first: int) -> None:
        index = self.times.find(sign.at, self.scene.interval_ms)
        row = self.scale.row(sign.price)
        if index is not None and self.times.columns[index] >= first and 0 <= row < self.price_rows:
            middle = self.times.columns[index] + (max(1, self.look.bar_cells - 1) - 1) // 2
            self._canvas.put(row, middle, sign.character, sign.role)

    def _fit_curves(self) -> None:
        for curve in self.scene.curves:
            points = dict(curve.points)
            across: list[tuple[float, float, bool]] = []
            joined = False
            for start, x, follows in zip(self.times.starts, self.times.columns, self.times.joined, strict=True):
                price = points.get(start)
                if price is not None:
                    across.append((x, price, joined and follows))
                joined = price is not None
            for cell, character in braille_cells(across, self.scale).items():
                self._curves[cell] = character, curve.role

    # Lines

    def _prepare_lines(self) -> None:
        """Compute the price line in each row's empty cells, and the labels at the right edge."""
        fills: dict[int, Run] = {}
        labels: list[MarginLabel] = []
        for weight, level in enumerate(self.scene.levels, 1):
            place = self.scale.row(level.price)
            labels.append(MarginLabel(place, level.text(outside=place not in self.inside), level.role, weight))
            if level.line and place in self.inside:
                fills.setdefault(place, (level.line, level.role))
        self._beads: dict[int, Run] = {}
        last = self._last
        if last is not None:
            role = self.look.rising if last >= self.scene.bars[-1].open else self.look.falling
            place = self.scale.row(last)
            labels.append(MarginLabel(place, self.look.price_text(last), role, 0))
            if self.scale.contains(last):
                if place in fills:
                    # Both are told: a dash is the last price, a bead the level.
                    self._beads[place] = BEAD, fills[place][1]
                fills[place] = "╌", role
        self._cross_row, self._cross_x = -1, -1
        crosshair = self.scene.crosshair
        if crosshair is not None:
            index = self.times.find(crosshair.at, self.scene.interval_ms)
            if index is not None:
                self._cross_x = self.times.columns[index] + (max(1, self.look.bar_cells - 1) - 1) // 2
            if self.scale.contains(crosshair.price):
                self._cross_row = self.scale.row(crosshair.price)
                self._beads.pop(self._cross_row, None)
                fills[self._cross_row] = "┄", self.look.axis
        self._fills = fills
        self._labels = self._place_labels(labels)

    def _place_labels(self, labels: list[MarginLabel]) -> dict[int, Run]:
        """Assign each label a row; the label's first character shows whether its price is there, above or below."""
        inside = self.inside
        last = [label for label in labels if not label.weight and 0 <= label.place < self.price_rows]
        if not last and labels and not labels[-1].weight:
            # The last price has left the chart: its label takes a row at that edge.
            rises = labels[-1].place < 0
            inside = inside[1:] if rises and not inside.start else inside
            inside = inside[:-1] if not rises and inside.stop == self.price_rows and not self._rows_below else inside
        taken = {label.place: label for label in last if label.place not in self.inside}
        placed = {row: (_HERE + label.text, label.role) for row, label in taken.items()}
        rest = [label for label in labels if label not in taken.values()]
        above = [label for label in rest if label.place < self.inside.start]
        below = [label for label in rest if label.place >= self.inside.stop]
        free_above = [row for row in range(inside.start) if row not in taken]
        free_below = [row for row in (*range(inside.stop, self.price_rows), *self._rows_below) if row not in taken]
        for sign, beyond, rows in ((_UP, above, free_above), (_DOWN, below, free_below)):
            for row, label in zip(rows, _keep_important(beyond, len(rows)), strict=False):
                placed[row] = sign + label.text, label.role
        kept = _keep_important([label for label in rest if label.place in self.inside], len(inside), count=False)
        rows_inside = spread_labels(kept, inside)
        for row, label in _join_lines(dict(zip(rows_inside, kept, strict=True)), inside).items():
            sign = _HERE if label.place == row else _BELOW_ITS_LINE if label.place < row else _ABOVE_ITS_LINE
            placed[row] = sign + label.text, label.role
        return placed

    def _line(self, row: int) -> list[Run]:
        if row == self.rows - 1:
            return self._bottom_line()
        if row >= self.price_rows + self._volume_rows:
            return [(" " * self.cells, self.look.blank)]
        fill = self._fills.get(row, (" ", self.look.blank))
        crosshair = (self._cross_x, "┊") if self._cross_x >= 0 else None
        on_row = self.look.crosshair if row == self._cross_row else ""
        runs = self._canvas.line_runs(row, fill, crosshair, on_row, self._beads.get(row))
        return [*runs, *self._margin_runs(row)]

    def _margin_runs(self, row: int) -> Iterable[Run]:
        if not self._margin:
            return
        look, text, role, edge = self.look, "", self.look.axis, "│"
        crosshair = self.scene.crosshair
        if row == self._cross_row and crosshair is not None:
            text, role = " " + crosshair.label, look.crosshair
        elif (label := self._labels.get(row)) is not None:
            text, role = label
        elif (price := self._axis.get(row)) is not None and len(look.price_text(price)) < self._margin - 1:
            edge, text = "┤", " " + look.price_text(price)
        elif row == self.price_rows and self._volume_rows:
            text, role = " " + short_figure(self._widest_volume), look.faint
        yield edge, look.faint
        room = self._margin - 1
        yield (text if len(text) <= room else f"{text[: room - 1]}…").ljust(room), role

    def _time_line(self) -> str:
        line = [" "] * self.cells
        for x, text in round_times(self.times, self.scene.interval_ms, self.look):
            if x + len(text) <= self.plot_cells:
                line[x : x + len(text)] = text
        return "".join(line)

    def _bottom_line(self) -> list[Run]:
        if self._cross_x < 0 or self.scene.crosshair is None:
            return [(self._times, self.look.axis)]
        text = f" {time_text(self.scene.crosshair.at + self.look.shift_ms)} "
        start = min(max(self._cross_x - len(text) // 2, 0), max(self.cells - len(text), 0))
        end, look = start + len(text), self.look
        before, after = self._times[:start], self._times[end:]
        if before[-1:].strip():
            before = before.rpartition(" ")[0].ljust(start)
        if after[:1].strip():
            after = after.partition(" ")[2].rjust(self.cells - end)
        return [run for run in ((before, look.axis), (text, look.crosshair), (after, look.axis)) if run[0]]


def _keep_important(labels: list[MarginLabel], most: int, *, count: bool = True) -> list[MarginLabel]:
    """Return the `most` most important labels from high to low price; the last kept gets `+N` for those left out."""
    by_weight = sorted(labels, key=lambda label: label.weight)
    kept = by_weight[:most]
    if count and kept and len(kept) < len(labels):
        kept[-1] = kept[-1]._replace(text=f"{kept[-1].text} +{len(labels) - len(kept)}")
    return sorted(kept, key=lambda label: (label.place, label.weight))


def spread_labels(labels: list[MarginLabel], rows: range) -> list[int]:
    """Return a row for each label, as near as possible to the row of its price; the last price's label stays there."""
    places = [min(max(label.place - rows.start, 0), len(rows) - 1) for label in labels]
    last = next((index for index, label in enumerate(labels) if not label.weight), None)
    offsets = spread(places, len(rows)) if last is None else spread_around(places, last, len(rows))
    return [rows.start + offset for offset in offsets]


def _join_lines(placed: dict[int, MarginLabel], rows: range) -> dict[int, MarginLabel]:
    """Move each label to the row of its price, exchanging labels, unless a more important label's price has that row."""
    for label in sorted(placed.values(), key=lambda label: label.weight):
        row = next(row for row, other in placed.items() if other is label)
        there = placed.get(label.place)
        owned = there is not None and there.place == label.place and there.weight < label.weight
        if row == label.place or owned or label.place not in rows:
            continue
        placed[label.place] = label
        if there is None:
            del placed[row]
        else:
            placed[row] = there
    return placed


def time_text(shown_ms: int) -> str:
    """Format the open time of a bar: month, day, hour and minute."""
    return f"{datetime.fromtimestamp(shown_ms / 1000, UTC):%m-%d %H:%M}"


def short_figure(number: float) -> str:
    """Format a quantity in at most six cells, with k, M or G from 1,000 on; below 0.0001 as 0."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= limit * 0.99995:
            return f"{number / limit:.1f}{unit}"
    text = f"{number:.3g}"
    return text if len(text) <= 6 and "e" not in text else f"{number:.4f}".rstrip("0").rstrip(".")
