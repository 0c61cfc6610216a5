"""Mouse presses, handled at once, so that they take effect before the next key of the same read."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class MouseTarget(Protocol):
    """Widget that reacts to a mouse press by focus, selection or view, and never sends."""

    def press_mouse(self, x: int, y: int) -> None:
        """Handle a press at once.

        Args:
            x: Column inside the widget.
            y: Line inside the widget.
        """
        ...
