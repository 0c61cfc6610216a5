"""Mouse clicks, handled at once, so that they take effect before the next key from the same terminal read."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class MouseTarget(Protocol):
    """Widget that reacts to a mouse click by moving focus, selection or view; a click never sends an order."""

    def press_mouse(self, x: int, y: int) -> None:
        """Handle a mouse press at once.

        Args:
            x: Column inside the widget.
            y: Line inside the widget.
        """
        ...
