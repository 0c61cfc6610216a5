"""Frames for a terminal that nobody looks at take up to half of a test's time: draw only what counts from its frame."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from rich.segment import Segment
from textual._compositor import Compositor
from textual.color import Color
from textual.renderables.background_screen import BackgroundScreen

from tui.workstation.input import scopes
from tui.workstation.render.line_widget import LineWidget
from tui.workstation.table.pane_box import PaneBox

FIRED = frozenset(scope.value for scope in (*scopes.PRICES, scopes.Scope.QUOTES, scopes.Scope.POSITIONS))
"""Panes on whose cursor a key sends at once, which counts from its time on the screen."""


def draw_what_sends(compositor: Compositor, **_: object) -> None:
    """Stand in for `Compositor.render_update`: draw tickets, questions and the lines of the cursors alone.

    What they would send counts from its time on the screen.
    """
    compositor._dirty_regions.clear()
    for widget in compositor.visible_widgets:
        if isinstance(widget, LineWidget) and hasattr(widget, "written"):
            with widget.one_drawing():
                widget.render_line(0)
        elif hasattr(widget, "written"):
            widget.render_line(0)
        elif isinstance(widget, PaneBox) and widget.pane.id in FIRED and widget.selected is not None:
            line = widget.line_of(widget.selected)
            if line is not None:
                widget.render_line(line)


def dim_nothing(segments: Iterable[Segment], color: Color) -> Iterable[Segment]:
    """Stand in for `BackgroundScreen.process_segments`: the same texts in the colours that they have in front."""
    return segments


def draw_nothing_else(patch: pytest.MonkeyPatch) -> None:
    """Leave out what a frame would write, and the dimming of what is behind a question."""
    patch.setattr(Compositor, "render_update", draw_what_sends)
    patch.setattr(BackgroundScreen, "process_segments", staticmethod(dim_nothing))
