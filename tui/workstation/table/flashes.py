"""Highlighting of cells whose number just changed; cells that change all the time are not highlighted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from rich.style import Style

from tui.workstation.model import number_format
from tui.workstation.render.strips import Run

FLASH_S = 0.3
BUSY_CHANGES = 4
"""Changes within a second from which on a cell no longer flashes."""

CellKey = tuple[str, int]
"""Row key and column index."""


class Flashes:
    """Number texts as last drawn, and the cells highlighted now because their number changed."""

    def __init__(self) -> None:
        self.lit: dict[CellKey, tuple[float, str]] = {}
        """End of the flash (monotonic, s) and background role."""
        self._figures: dict[CellKey, str] = {}
        self._changes: dict[CellKey, deque[float]] = {}

    def note(
        self,
        key: str,
        row: object,
        columns: Sequence[tuple[int, Callable[[Any], str]]],
        now: float,
        asks: Callable[[], bool],
    ) -> None:
        """Highlight the numbers of a row that differ from those drawn before.

        Args:
            key: Row key.
            row: Present row.
            columns: Index and figure of each column that flashes.
            now: Monotonic seconds.
            asks: Whether a question is open; then nothing is highlighted.
        """
        for index, flash in columns:
            cell = (key, index)
            text = flash(row)
            before = self._figures.get(cell)
            if text == before:
                continue
            self._figures[cell] = text
            changes = self._changes.setdefault(cell, deque(maxlen=BUSY_CHANGES))
            busy = len(changes) == BUSY_CHANGES and now - changes[0] < 1
            changes.append(now)
            old, new = (None, None) if busy else (number_format.value(before), number_format.value(text))
            if old is None or new is None or old == new or asks():
                self.lit.pop(cell, None)
                continue
            self.lit[cell] = (now + FLASH_S, "flash-up" if new > old else "flash-down")

    def expire(self, now: float) -> list[str]:
        """Remove expired highlights and return their row keys."""
        cells = [cell for cell, (until, _) in self.lit.items() if until <= now]
        for cell in cells:
            del self.lit[cell]
        return [key for key, _ in cells]

    def forget(self, key: str, columns: int) -> None:
        """Forget the numbers of a removed row."""
        for index in range(columns):
            cell = (key, index)
            self._figures.pop(cell, None)
            self._changes.pop(cell, None)
            self.lit.pop(cell, None)

    def clear(self) -> None:
        """Forget everything after a change of columns."""
        self._figures.clear()
        self.lit.clear()


def lit_runs(text: str, plain: Style, lit: Style) -> list[Run]:
    """Split a cell's text into runs so that the number is highlighted and the blanks beside it are not."""
    body = text.strip(" ")
    at = text.find(body)
    return [(text[:at], plain), (body, lit), (text[at + len(body) :], plain)]
