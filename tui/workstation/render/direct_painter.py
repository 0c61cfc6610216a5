"""Writes changed cells past the compositor, as long as nothing lies over them.

The compositor's own picture stays the truth: whatever it draws is forgotten here, and what lies under a dialog, another
screen or another widget is left to it. While widgets are about to move nothing is written: what changed follows right
after them. Of a line that is not known every cell is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from rich.color import ColorSystem
from rich.style import Style
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget

from tui.workstation.render.escape_writer import Cells, EscapeWriter
from tui.workstation.render.line_cells import Line, changes
from tui.workstation.render.line_widget import LineWidget

BUSY_RETRY_S = 0.004
"""How soon painting looks again whether the terminal has taken all, and widgets have moved."""

Span = tuple[int, int, int]
"""Line, first column, column behind the last one."""


class CellOutput(Protocol):
    """The terminal behind the compositor."""

    @property
    def takes_cells(self) -> bool:
        """Whether there is a terminal that cells can be written to."""
        ...

    @property
    def front(self) -> Screen[Any] | None:
        """The screen on top."""
        ...

    @property
    def awaits_layout(self) -> bool:
        """Whether widgets of the screen on top are about to get other places."""
        ...

    @property
    def colours(self) -> ColorSystem:
        """What the terminal can show."""
        ...

    def seen_as(self, style: Style) -> Style:
        """A style as it reaches the terminal."""
        ...

    def write_cells(self, text: str) -> None:
        """Show bytes as one picture."""
        ...

    def cursor(self) -> tuple[int, int]:
        """Column and line where the cursor belongs."""
        ...


class _Place:
    """Where a widget stands, and what the terminal shows there."""

    def __init__(self, region: Region, line_at: Callable[[int], Line | None]) -> None:
        self.region = region
        self.lines = [line_at(y) for y in range(region.height)]

    def drawn(self, span: Span, line_at: Callable[[int], Line | None]) -> None:
        """The compositor has drawn a span: a whole line is the one it was given, of a part of one nothing is known."""
        y, left, right = span
        region = self.region
        if region.y <= y < region.bottom and left < region.right and right > region.x:
            whole = left <= region.x and right >= region.right
            self.lines[y - region.y] = line_at(y - region.y) if whole else None


class DirectPainter:
    """Takes lines that changed, and writes the cells of them that differ."""

    def __init__(self, output: CellOutput, busy: Callable[[], bool], enabled: bool = True) -> None:
        """
        Args:
            output: The terminal.
            busy: Whether earlier bytes have not left for it yet; then painting waits.
            enabled: False: everything goes through the compositor.
        """
        self._output = output
        self._busy = busy
        self.enabled = enabled
        self._writer: EscapeWriter | None = None
        self._shown: Screen[Any] | None = None
        """The screen that the newest full picture was of."""
        self._followed: set[Screen[Any]] = set()
        self._places: dict[LineWidget, _Place | None] = {}
        self._marks: dict[LineWidget, set[int]] = {}
        self._timer: asyncio.Handle | None = None
        self.cells_written = self.lines_compared = self.writes = self.bytes_written = 0
        """Since the start; tests count them."""

    # What the compositor does

    def repainted(self, screen: Screen[Any], spans: Iterable[Span] | None) -> None:
        """The compositor is drawing.

        Args:
            screen: Of which it draws.
            spans: What of it; None: all.
        """
        if spans is None:
            self._shown = screen
            self.forget()
            return
        for widget, place in self._places.items():
            if place is not None:
                for span in spans:
                    place.drawn(span, widget.kept_line)

    def forget(self) -> None:
        """Not known is where widgets stand; of their lines only what they were drawn as."""
        self._places.clear()

    # What changed

    def mark(self, widget: LineWidget, lines: Iterable[int]) -> bool:
        """Paint lines of a widget soon; False when that is the compositor's to do."""
        if not self._may_paint(widget):
            return False
        self._marks.setdefault(widget, set()).update(lines)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_soon(self._fire)
        return True

    def _may_paint(self, widget: LineWidget) -> bool:
        """Whether a widget stands on the screen that is seen, and nothing over it."""
        front = self._output.front
        if not self.enabled or front is None or front is not self._shown or not self._output.takes_cells:
            return False
        if widget not in self._places:
            self._places[widget] = self._placed(widget, front)
        return self._places[widget] is not None

    def _placed(self, widget: LineWidget, front: Screen[Any]) -> _Place | None:
        if not widget.is_attached or widget.screen is not front:
            return None
        if front not in self._followed:
            self._followed.add(front)
            front.screen_layout_refresh_signal.subscribe(front, lambda _: self.forget(), immediate=True)
        region = widget.region
        if not region or region.size != widget.outer_size or not front.size.region.contains_region(region):
            return None
        if any(_covers(other, widget, region) for other in front.walk_children(Widget)):
            return None
        return _Place(region, widget.kept_line)

    # Painting

    def _fire(self) -> None:
        self._timer = None
        if self._marks and self._busy():
            self._wait()
        else:
            self.paint()

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(BUSY_RETRY_S, self._fire)

    def paint(self) -> None:
        """Write what differs of the marked lines, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._marks and self._output.awaits_layout:
            # Lines would stand in the old place for a frame.
            self._wait()
            return
        marks, self._marks = self._marks, {}
        cells: list[Cells] = []
        for widget, lines in marks.items():
            if self._may_paint(widget):
                self._compare(widget, lines, cells)
            elif widget.is_attached:
                widget.refresh_lines(lines)
        if not cells:
            return
        if self._writer is None:
            self._writer = EscapeWriter(self._output.colours, self._output.seen_as)
        front = self._output.front
        text = self._writer.written(cells, front.outer_size.width if front is not None else 0, self._output.cursor())
        self.writes += 1
        self.cells_written += sum(len(one[2]) for one in cells)
        self.bytes_written += len(text)
        self._output.write_cells(text)

    def _compare(self, widget: LineWidget, lines: Iterable[int], cells: list[Cells]) -> None:
        place = self._places[widget]
        if place is None:
            return
        left, top = place.region.offset
        shown = place.lines
        for y in lines:
            if not 0 <= y < len(shown):
                continue
            line = widget.drawn_line(y)
            self.lines_compared += 1
            for x, text, style, narrow in changes(shown[y], line):
                cells.append((top + y, left + x, text, style, narrow))
            shown[y] = line

    @property
    def idle(self) -> bool:
        """Whether nothing waits to be painted."""
        return self._timer is None

    def close(self) -> None:
        """Nothing is painted after this."""
        self.enabled = False
        self._marks.clear()
        if self._timer is not None:
            self._timer.cancel()


def _covers(other: Widget, widget: Widget, region: Region) -> bool:
    """Whether another widget lies over a region of this one. What contains it does not."""
    if other is widget or not other.display or not other.visible or other in widget.ancestors:
        return False
    return bool(other.region.intersection(region).area)
