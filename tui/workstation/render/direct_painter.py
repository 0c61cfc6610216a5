"""Painter that writes changed cells to the terminal directly, without Textual's compositor, if nothing covers them.

The compositor's picture stays authoritative: after it draws, everything cached here is dropped, and what lies under a
dialog, another screen or another widget is left to it. While a layout is pending nothing is written. Every cell of a
line with unknown content is written.
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
"""Delay before a retry while the terminal is busy or a layout is pending, s."""

Span = tuple[int, int, int]
"""Line, first column, column after the last one."""


class CellOutput(Protocol):
    """Interface to Textual's compositor and terminal for writing cells directly."""

    @property
    def takes_cells(self) -> bool:
        """Whether cells can be written to a terminal."""
        ...

    @property
    def front(self) -> Screen[Any] | None:
        """Screen on top of the stack."""
        ...

    @property
    def awaits_layout(self) -> bool:
        """Whether the top screen waits for a layout."""
        ...

    @property
    def colours(self) -> ColorSystem:
        """Number of colours the terminal can show."""
        ...

    def adapt_style(self, style: Style) -> Style:
        """Convert a style to what the terminal can show."""
        ...

    def write_cells(self, text: str) -> None:
        """Write cells to the terminal as one synchronized update."""
        ...

    def cursor(self) -> tuple[int, int]:
        """Return the cursor position as column and line."""
        ...


class _WidgetLines:
    """Region of a widget, and its lines as the terminal currently shows them."""

    def __init__(self, region: Region, line_at: Callable[[int], Line | None]) -> None:
        self.region = region
        self.lines = [line_at(y) for y in range(region.height)]

    def note_drawing(self, span: Span, line_at: Callable[[int], Line | None]) -> None:
        """Update the known lines after the compositor drew a span; a partly drawn line becomes unknown."""
        y, left, right = span
        region = self.region
        if region.y <= y < region.bottom and left < region.right and right > region.x:
            whole = left <= region.x and right >= region.right
            self.lines[y - region.y] = line_at(y - region.y) if whole else None


class DirectPainter:
    """Painter that writes the lines of widgets directly to the terminal."""

    def __init__(self, output: CellOutput, busy: Callable[[], bool], *, enabled: bool = True) -> None:
        """Initialize a painter.

        Args:
            output: Terminal.
            busy: Whether earlier output is still being written; painting waits for it.
            enabled: False: everything goes through the compositor.
        """
        self._output = output
        self._busy = busy
        self.enabled = enabled
        self._writer: EscapeWriter | None = None
        self._shown: Screen[Any] | None = None
        """Screen of the newest full picture."""
        self._followed: set[Screen[Any]] = set()
        self._places: dict[LineWidget, _WidgetLines | None] = {}
        self._marks: dict[LineWidget, set[int]] = {}
        self._timer: asyncio.Handle | None = None
        self.cells_written = self.lines_compared = self.writes = self.bytes_written = 0
        """Counters since the start; for tests."""

    # Drawing of the compositor

    def note_drawing(self, screen: Screen[Any], spans: Iterable[Span] | None) -> None:
        """Update the cached lines when the compositor draws spans of a screen; clear them when it draws all of it.

        Args:
            screen: Screen being drawn.
            spans: Parts being drawn; None: all of it.
        """
        if spans is None:
            self._shown = screen
            self.forget()
            return
        for widget, cached in self._places.items():
            if cached is not None:
                for span in spans:
                    cached.note_drawing(span, widget.recall_line)

    def forget(self) -> None:
        """Forget all cached widget regions and lines."""
        self._places.clear()

    # Changes

    def mark(self, widget: LineWidget, lines: Iterable[int]) -> bool:
        """Schedule lines of a widget for painting; returns False when the compositor has to draw them."""
        if not self._may_paint(widget):
            return False
        self._marks.setdefault(widget, set()).update(lines)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_soon(self._fire)
        return True

    def _may_paint(self, widget: LineWidget) -> bool:
        """Return whether a widget is on the visible screen and not covered."""
        front = self._output.front
        if not self.enabled or front is None or front is not self._shown or not self._output.takes_cells:
            return False
        if widget not in self._places:
            self._places[widget] = self._locate(widget, front)
        return self._places[widget] is not None

    def _locate(self, widget: LineWidget, front: Screen[Any]) -> _WidgetLines | None:
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
        return _WidgetLines(region, widget.recall_line)

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
        """Write the differences of all scheduled lines now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._marks and self._output.awaits_layout:
            # Before the layout the lines would be written in the old place.
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
            self._writer = EscapeWriter(self._output.colours, self._output.adapt_style)
        front = self._output.front
        text = self._writer.encode(cells, front.outer_size.width if front is not None else 0, self._output.cursor())
        self.writes += 1
        self.cells_written += sum(len(run[2]) for run in cells)
        self.bytes_written += len(text)
        self._output.write_cells(text)

    def _compare(self, widget: LineWidget, lines: Iterable[int], cells: list[Cells]) -> None:
        place = self._places[widget]
        if place is None:
            return
        left, top = place.region.offset
        shown = place.lines
        with widget.one_drawing():
            for y in lines:
                if not 0 <= y < len(shown):
                    continue
                line = widget.build_line(y)
                self.lines_compared += 1
                for x, text, style, narrow in changes(shown[y], line):
                    cells.append((top + y, left + x, text, style, narrow))
                shown[y] = line

    @property
    def idle(self) -> bool:
        """Whether no line is scheduled for painting."""
        return self._timer is None

    def close(self) -> None:
        """Stop painting permanently."""
        self.enabled = False
        self._marks.clear()
        if self._timer is not None:
            self._timer.cancel()


def _covers(other: Widget, widget: Widget, region: Region) -> bool:
    """Return whether another widget covers a region of this one; its own containers do not count."""
    if other is widget or not other.display or not other.visible or other in widget.ancestors:
        return False
    return bool(other.region.intersection(region).area)
