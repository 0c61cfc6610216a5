"""A widget that is drawn line by line from what stands in memory, by the compositor and past it alike."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Protocol, Self, runtime_checkable

from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.workstation.render.line_cells import Line, whole_line
from tui.workstation.render.strips import merged

_PLAIN = Style()


class LinePainter(Protocol):
    """Writes changed lines past the compositor."""

    enabled: bool

    def mark(self, widget: LineWidget, lines: Iterable[int]) -> bool:
        """Paint lines of a widget soon; False when that is the compositor's to do."""
        ...


@runtime_checkable
class PaintsDirectly(Protocol):
    """An app that has one."""

    @property
    def painter(self) -> LinePainter: ...


class LineWidget(Widget):
    """Base of what fills its lines itself, in styles of its own, with neither border nor padding."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), repaint=False)
    """It never scrolls: what a layout changed of its place is drawn with that layout, and asks for no second one."""

    painter: LinePainter | None = None
    """None before it is mounted, and in an app that has none."""

    _kept: dict[int, Line]
    """Lines as they were drawn last, by the compositor or past it."""
    _kept_for: Size = Size()

    def on_mount(self) -> None:
        self._kept = {}
        app = self.app
        if isinstance(app, PaintsDirectly):
            self.painter = app.painter

    def watch_has_focus(self, _has_focus: bool) -> None:
        """No rule of the style sheets asks for the focus of such a widget: none is looked up again for all inside it."""

    @abstractmethod
    def render_line(self, y: int) -> Strip:
        """What a line says now; asked only when it is about to be drawn."""

    def line_at(self, y: int) -> Line:
        """The same in slots: what is compared with what the terminal shows."""
        strip = self.render_line(y)
        return whole_line(strip.cell_length, [(one.text, one.style or _PLAIN) for one in strip])

    def drawn_line(self, y: int) -> Line:
        """A line as it is drawn now, past the compositor."""
        line = self._kept[y] = self.line_at(y)
        return line

    def kept_line(self, y: int) -> Line | None:
        """A line as it was drawn last, by the compositor or past it; None: not known."""
        return self._kept.get(y) if self._kept_for == self.outer_size else None

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Have it drawn by the compositor; all of it past the compositor where that is possible."""
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
        """Lines for the compositor. Those it does not draw again must be as they stand there, also when they were
        painted past it, so textual's own copies of them are not used."""
        if self.painter is None or not self.painter.enabled:
            return super().render_lines(crop)
        if self._kept_for != self.outer_size:
            self._kept, self._kept_for = {}, self.outer_size
        filters = self.get_line_filters()
        whole = crop.column_span == (0, self.outer_size.width)
        strips = []
        for y in crop.line_range:
            line = self._kept.get(y)
            if line is None:
                # Of a line that is drawn in part the rest still stands there as it was.
                line = self.drawn_line(y) if whole else self.line_at(y)
            strip = merged([run for _, runs in line for run in runs], sum(cells for cells, _ in line))
            for one in filters:
                strip = strip.apply_filter(one, self.background_colors[1])
            strips.append(strip)
        if not whole:
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def redraw(self, lines: Iterable[int]) -> None:
        """Lines may say something else now: paint them past the compositor, or else through it."""
        if self.painter is None or not self.painter.mark(self, lines):
            self.refresh_lines(lines)

    def redraw_all(self) -> None:
        """The same of every line: what says the same as before costs nothing."""
        self.redraw(range(self.outer_size.height))

    def refresh_lines(self, lines: Iterable[int]) -> None:
        """Have the compositor draw lines."""
        width = self.outer_size.width
        regions = [Region(0, y, width, 1) for y in lines]
        if regions:
            self.refresh(*regions)


class BoxedLines(LineWidget):
    """Base of lists and tickets: the lower edge of a box is the upper edge of the one below, and shows its focus."""

    under_focus = False
    """Whether the box above has the focus."""

    def put_under_focus(self, under: bool) -> None:
        """The box above got or lost the focus."""
        if under != self.under_focus:
            self.under_focus = under
            self.redraw([0])
