"""The columns of a table at its present width: a column of figures gets wider, or others leave, but no figure is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tui.workstation.render.palette import Piece
from tui.workstation.render.text import width as text_width
from tui.workstation.table.columns import Column, Field
from tui.workstation.table.pane import AnyPane

_NOT_PLACED = (-1, -1)
MOST_SPARE = 3
"""Blanks that a column gets beyond its width, at most."""


class PlacedColumns:
    """Columns and their widths for one pane."""

    def __init__(self, pane: AnyPane) -> None:
        self._pane = pane
        self._placed_for = _NOT_PLACED
        self._needs: dict[str, int] = {}
        """Cells that the widest text seen in a column needs, one blank included; they only grow."""
        self.columns: tuple[Column[Any], ...] = ()
        self.widths: tuple[int, ...] = ()
        self.placed: tuple[tuple[int, Column[Any], Field[Any], int], ...] = ()
        """Index, column, field and width of each."""

    def __iter__(self) -> Iterator[tuple[Column[Any], int]]:
        return zip(self.columns, self.widths, strict=True)

    @property
    def too_narrow(self) -> bool:
        """Whether a figure was seen that its column has no room for."""
        return self._placed_for == _NOT_PLACED

    def place(self, inside: int, rows: Callable[[], Iterable[object]]) -> bool:
        """Place the columns when size, choice or needs changed; True when they were placed anew.

        Args:
            inside: Cells between the frame.
            rows: Makes the rows that are on the screen.
        """
        wanted = (inside, self._pane.choices)
        if wanted == self._placed_for:
            return False
        self._fit(inside)
        while self._measure(rows()):
            self._fit(inside)
        self._placed_for = wanted
        return True

    def forget(self) -> None:
        """Place them anew at the next opportunity."""
        self._placed_for = _NOT_PLACED

    def cell(self, column: Column[Any], row: object, cells: int) -> Piece:
        """A cell in the words that fit it."""
        text, role = column.field.cell(row, self._pane.view)
        return self.fitting(column, row, text, cells), role

    def fitting(self, column: Column[Any], row: object, text: str, cells: int) -> str:
        """The text of a cell, or a shorter one where it is too long; the need of a figure that does not fit is noted."""
        field = column.field
        if field.prose:
            self._note_words(column, text, cells)
        if text_width(text) < cells:
            return text
        if field.short is not None and (field.prose or column.width < field.width):
            text = field.short(row, self._pane.view)
        self.note_need(column, text, cells)
        return text

    def note_need(self, column: Column[Any], text: str, cells: int) -> None:
        """Remember what a figure needs; the columns are then placed anew."""
        need = text_width(text) + 1
        if not column.field.prose and need > max(cells, self._needs.get(column.id, 0)):
            self._needs[column.id] = need
            self.forget()

    def _note_words(self, column: Column[Any], text: str, cells: int) -> None:
        """Remember the longest words of a column; one that gave up its blanks gets them back for longer ones."""
        need = text_width(text) + 1
        if need > self._needs.get(column.id, 0):
            self._needs[column.id] = need
            if need > cells and column.width < column.field.width:
                self.forget()

    def _measure(self, rows: Iterable[object]) -> bool:
        before = dict(self._needs)
        for row in rows:
            for column, cells in self:
                self.cell(column, row, cells)
        totals = self._pane.total_cells() if self._pane.has_totals else {}
        for column, cells in self:
            self.note_need(column, totals.get(column.id, ("", ""))[0], cells)
        return self._needs != before

    def _fit(self, inside: int) -> None:
        self.columns = self._pane.columns(inside, self._needs)
        count = len(self.columns)
        spare = inside - sum(column.width for column in self.columns)
        more, extra = divmod(min(max(0, spare), MOST_SPARE * count), count) if count else (0, 0)
        self.widths = tuple(column.width + more + (index < extra) for index, column in enumerate(self.columns))
        self.placed = tuple(
            (index, column, column.field, cells)
            for index, (column, cells) in enumerate(zip(self.columns, self.widths, strict=True))
        )
