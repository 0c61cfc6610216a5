"""Frames for a terminal that nobody looks at take up to half of a test's time: draw only what counts from its frame."""

from __future__ import annotations

from textual._compositor import Compositor


def draw_what_sends(compositor: Compositor, **_: object) -> None:
    """Stand in for `Compositor.render_update`: draw tickets and questions alone.

    What they would send counts from its time on the screen.
    """
    compositor._dirty_regions.clear()
    for widget in compositor.visible_widgets:
        if hasattr(widget, "written"):
            widget.render_line(0)
