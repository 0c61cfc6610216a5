"""A widget in a box whose lower edge is the upper edge of the box below."""

from __future__ import annotations

from tui.workstation.render.line_widget import LineWidget


class BoxedLines(LineWidget):
    """Base of lists and tickets: their frame says which of them has the focus."""

    under_focus = False
    """Whether the box above has the focus."""

    def put_under_focus(self, under: bool) -> None:
        """The box above got or lost the focus."""
        if under != self.under_focus:
            self.under_focus = under
            self.redraw([0])
