"""Widget drawn line by line, through the compositor or directly."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, Self, runtime_checkable

from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.workstation.render.line_cells import Line, whole_line
from tui.workstation.render.strips import merge_runs

_PLAIN = Style()


class LinePainter(Protocol):
    """Interface of the painter that writes changed lines without the compositor."""

    enabled: bool

    def mark(self, widget: LineWidget, lines: Iterable[int]) -> bool:
        """Schedule lines of a widget for painting; return False when the compositor has to draw them."""
        ...


@runtime_checkable
class PaintsDirectly(Protocol):
    """App that has a line painter."""

    @property
    def painter(self) -> LinePainter: ...


class Unscrolled(Widget):
    """Base of widgets that never scroll: a change of size is drawn by the new layout, without a second repaint."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), repaint=False)


class LineWidget(Unscrolled):
    """Base of widgets that style their lines themselves, without border or padding."""

    painter: LinePainter | None = None
    """None before mounting, and in an app without a painter."""

    _kept: dict[int, Line]
    """Lines as last drawn."""
    _kept_for: Size = Size()

    def on_mount(self) -> None:
        self._kept = {}
        app = self.app
        if isinstance(app, PaintsDirectly):
            self.painter = app.painter

    def watch_has_focus(self, _has_focus: bool) -> None:  # noqa: FBT001 - Textual calls it
        """Do nothing, instead of Textual's restyling of all children: no style rule depends on the focus here."""

    @abstractmethod
    def render_line(self, y: int) -> Strip:
        """Draw one line; called only when it is about to be shown."""

    def line_at(self, y: int) -> Line:
        """Return a line as slots, for comparison with what the terminal shows."""
        strip = self.render_line(y)
        return whole_line(strip.cell_length, [(segment.text, segment.style or _PLAIN) for segment in strip])

    @contextmanager
    def one_drawing(self) -> Iterator[None]:
        """Context of lines drawn together, in which a subclass can build once what the lines share."""
        yield

    def build_line(self, y: int) -> Line:
        """Build a line for direct painting and remember it."""
        line = self._kept[y] = self.line_at(y)
        return line

    def recall_line(self, y: int) -> Line | None:
        """Return a line as last drawn; None if unknown."""
        return self._kept.get(y) if self._kept_for == self.outer_size else None

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Request a redraw: of the whole widget by the direct painter where possible, else by the compositor."""
        whole = not regions and repaint and not layout and not recompose
        if whole and self.painter is not None and self.painter.mark(self, range(self.outer_size.height)):
            return self
        if not self.is_mounted or (repaint and not regions):
            self._kept = {}
        for region in regions:
            for y in region.line_range:
                self._kept.pop(y, None)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines for the compositor, without Textual's line cache, which misses lines that were painted directly."""
        if self.painter is None or not self.painter.enabled:
            with self.one_drawing():
                return super().render_lines(crop)
        if self._kept_for != self.outer_size:
            self._kept, self._kept_for = {}, self.outer_size
        filters, background = self.get_line_filters(), self.background_colors[1]
        whole = crop.column_span == (0, self.outer_size.width)
        strips = []
        with self.one_drawing():
            for y in crop.line_range:
                line = self._kept.get(y)
                if line is None:
                    # The undrawn part of the line still shows its former content.
                    line = self.build_line(y) if whole else self.line_at(y)
                strip = merge_runs([run for _, runs in line for run in runs], sum(cells for cells, _ in line))
                for line_filter in filters:
                    strip = strip.apply_filter(line_filter, background)
                strips.append(strip)
        if not whole:
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def redraw(self, lines: Iterable[int]) -> None:
        """Redraw lines that may have changed, directly where possible."""
        if self.painter is None or not self.painter.mark(self, lines):
            self.refresh_lines(lines)

    def redraw_all(self) -> None:
        """Redraw all lines; unchanged lines cost nothing."""
        self.redraw(range(self.outer_size.height))

    def refresh_lines(self, lines: Iterable[int]) -> None:
        """Redraw lines through the compositor."""
        width = self.outer_size.width
        regions = [Region(0, y, width, 1) for y in lines]
        if regions:
            self.refresh(*regions)


class BoxedLines(LineWidget):
    """Bordered widget (list, ticket) that shares its top edge with the box above; the edge shows the focus of both."""

    under_focus = False
    """Whether the box above has the focus."""
    top_corner = False
    """Whether the upper edge is the top of its column of boxes."""
    bottom = False
    """Whether the widget draws the lower edge of its column of boxes."""

    def put_corners(self, *, top: bool, bottom: bool) -> bool:
        """Set whether the widget has the top and bottom edge of its column of boxes; return whether that changed."""
        before, (self.top_corner, self.bottom) = (self.top_corner, self.bottom), (top, bottom)
        return before != (top, bottom)

    def put_under_focus(self, *, under: bool) -> None:
        """Set whether the box above has the focus."""
        if under != self.under_focus:
            self.under_focus = under
            self.redraw([0])
