"""Slices in which the desk draws changed lines, so that painting never keeps the loop for long."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tui.workstation.layouts.tree import PANES
from tui.workstation.table.pane_box import PaneBox

SLICE_LINES = 24
"""Lines drawn before the loop gets a turn; bounds how long painting delays the engine's thread."""

SLICE_PAUSE_S = 0.008
"""Pause in which the previous slice is written to the terminal."""

_FIRST = ("orders", "positions", "fills", "events", "risk", "pnl")
_DRAW_ORDER = (*_FIRST, *(pane for pane in PANES if pane not in (*_FIRST, "quotes")), "quotes")
"""Panes in drawing order when not all fit one slice; quotes change all the time and come last."""


class Slices:
    """Drawer of changed lines in limited slices, orders before quotes; the rest is drawn in the next slice."""

    def __init__(
        self,
        boxes: Mapping[str, PaneBox],
        first: Callable[[], Sequence[str]],
        wait: Callable[[float, Callable[[], None]], object],
    ) -> None:
        """Initialize with no slice pending.

        Args:
            boxes: Widgets of all panes, by pane id.
            first: Return the panes that come before all others.
            wait: Call a function after a number of seconds.
        """
        self._boxes = boxes
        self._list_first = first
        self._wait = wait
        self.waits = False
        """Whether lines are left for the next slice."""

    def draw(self) -> None:
        """Draw one slice of changed lines, and schedule the next if lines remain."""
        left = SLICE_LINES
        for name in (*self._list_first(), *_DRAW_ORDER):
            if name != "quotes" or not self.waits:
                left -= self._boxes[name].flush(max(0, left))
        if not self.waits and any(box.waiting for box in self._boxes.values()):
            self.waits = True
            self._wait(SLICE_PAUSE_S, self._draw_next)

    def _draw_next(self) -> None:
        self.waits = False
        self.draw()
