"""Columns of a table at its current width, independent of the rows; too long numbers are shortened."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from tui.workstation.render.pieces import Piece
from tui.workstation.render.text import width as text_width
from tui.workstation.table.columns import Column, Field
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.short_figures import shorten_figures

_NOT_PLACED = (-1, -1)
MOST_SPARE = 3
"""Most blanks added to a column beyond its width."""


class PlacedColumns:
    """Columns that a pane shows at present, and their widths."""

    def __init__(self, pane: AnyPane) -> None:
        self._pane = pane
        self._placed_for = _NOT_PLACED
        self.columns: tuple[Column[Any], ...] = ()
        self.widths: tuple[int, ...] = ()
        self.placed: tuple[tuple[int, Column[Any], Field[Any], int], ...] = ()
        """Index, column, field and width of each column."""

    def __iter__(self) -> Iterator[tuple[Column[Any], int]]:
        return zip(self.columns, self.widths, strict=True)

    def place(self, inside: int) -> bool:
        """Compute the columns after a change of width or choice; return whether they changed."""
        wanted = (inside, self._pane.choices)
        if wanted == self._placed_for:
            return False
        self._placed_for = wanted
        self.columns = self._pane.columns(inside)
        count = len(self.columns)
        spare = inside - sum(column.width for column in self.columns)
        more, extra = divmod(min(max(0, spare), MOST_SPARE * count), count) if count else (0, 0)
        self.widths = tuple(column.width + more + (index < extra) for index, column in enumerate(self.columns))
        self.placed = tuple(
            (index, column, column.field, cells)
            for index, (column, cells) in enumerate(zip(self.columns, self.widths, strict=True))
        )
        return True

    def column_at(self, x: int) -> str:
        """Return the id of the column at cell `x` from the first column's left end; empty right of the last column."""
        ends = accumulate(self.widths)
        return next((column.id for column, end in zip(self.columns, ends, strict=True) if x < end), "")

    def cell(self, column: Column[Any], row: object, cells: int) -> Piece:
        """Return the cell of a row, shortened to its column width."""
        text, role = column.field.cell(row, self._pane.view)
        return self.fit_text(column, row, text, cells), role

    def fit_text(self, column: Column[Any], row: object, text: str, cells: int) -> str:
        """Return a cell text, in a shorter form if it leaves no blank in a width; prose texts are not shortened here."""
        field = column.field
        if text_width(text) < cells:
            return text
        if field.short is not None:
            text = field.short(row, self._pane.view)
        return text if field.prose else shorten_figures(text, cells - 1)


def mark_heading(text: str, cells: int, *, descending: bool) -> str:
    """Append the sort arrow to a column name, replacing its last letters if the column is narrow."""
    return text[: max(0, cells - 2)] + ("↓" if descending else "↑")
