"""Which cells light up for a moment because their figure changed. A cell that changes all the time stays calm."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from rich.style import Style

from tui.workstation.model import number_format
from tui.workstation.render.strips import Run

FLASH_S = 0.3
BUSY_CHANGES = 4
"""A cell that changes more often than this within a second does not flash."""

CellKey = tuple[str, int]
"""Row key and index of the column."""


class Flashes:
    """Figures as they were last drawn, and the cells that are lit now."""

    def __init__(self) -> None:
        self.lit: dict[CellKey, tuple[float, str]] = {}
        """Until when (s), and on which ground."""
        self._figures: dict[CellKey, str] = {}
        self._changes: dict[CellKey, deque[float]] = {}

    def note(self, key: str, row: object, columns: Sequence[tuple[int, Callable[[Any], str]]], now: float) -> None:
        """Compare the figures of a row with those drawn before.

        Args:
            key: Of the row.
            row: As it is now.
            columns: Those that light up: index, and the figure of a row.
            now: Monotonic seconds.
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
            if old is None or new is None or old == new:
                self.lit.pop(cell, None)
                continue
            self.lit[cell] = (now + FLASH_S, "flash-up" if new > old else "flash-down")

    def ended(self, now: float) -> list[str]:
        """Take out what has been lit long enough; returns the rows."""
        cells = [cell for cell, (until, _) in self.lit.items() if until <= now]
        for cell in cells:
            del self.lit[cell]
        return [key for key, _ in cells]

    def forget(self, key: str, columns: int) -> None:
        """A row has gone."""
        for index in range(columns):
            cell = (key, index)
            self._figures.pop(cell, None)
            self._changes.pop(cell, None)
            self.lit.pop(cell, None)

    def clear(self) -> None:
        """Other columns stand there."""
        self._figures.clear()
        self.lit.clear()


def lit_runs(text: str, plain: Style, lit: Style) -> list[Run]:
    """Only the figure lights up, not the blanks before it."""
    body = text.strip(" ")
    at = text.find(body)
    return [(text[:at], plain), (body, lit), (text[at + len(body) :], plain)]
