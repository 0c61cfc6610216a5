"""The mouse: what was pressed has its effect before the next key is looked at, also when both arrive in one read."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class MouseTarget(Protocol):
    """A widget that does something where the mouse is pressed. It focuses, selects or shows; it never sends."""

    def press_mouse(self, x: int, y: int) -> None:
        """Do it at once.

        Args:
            x: Column inside the widget.
            y: Line inside the widget.
        """
        ...
