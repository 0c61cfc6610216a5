"""Column definitions: cell, sort key and width of each field, and the choice of columns that fit a width."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import msgspec

from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.render.pieces import Piece

if TYPE_CHECKING:
    from tui.workstation.model.display_context import DisplayContext

R = TypeVar("R")
T = TypeVar("T")

SPARE = 10
"""Columns with `hide` at or above this are added only when all others have their full width."""

Cell = Piece
SortKey = Decimal | float | str | None
"""None sorts last in either direction."""


class Field(msgspec.Struct, Generic[R], frozen=True):
    """Definition of a column that a pane can show: width, cell text, sort key."""

    width: int
    """Full width in cells, one blank included."""
    cell: Callable[[R, DisplayContext], Cell]
    sort: Callable[[R, DisplayContext], SortKey] | None = None
    """Sort key; None: the shown text, allowed only for left-aligned columns."""
    left: bool = False
    least: int = 0
    """Smallest width in cells; 0: the full width."""
    hide: int = 0
    """Order of removal when the width is small: higher numbers go first, 0 last. Columns below `SPARE` shrink to their
    smallest width to make room for each other."""
    title: str = ""
    """Column name where it differs from the field's id."""
    flash: Callable[[R], str] | None = None
    """Text of the figure that flashes when it changes."""
    instead: tuple[str, ...] = ()
    """Fields that this one abbreviates; they replace it where all of them fit."""
    short: Callable[[R, DisplayContext], str] | None = None
    """Shorter text for a column that is too narrow."""
    of: Callable[[R], object] | None = None
    """Part of the row from which the cell is computed. With it, the cell is formatted again only when that part, the
    pane's `looks` or another table changes; None: whenever the row is touched."""
    fills: bool = False
    """Whether the column takes the cells left over by all others."""
    prose: bool = False
    """Whether the text may be cut with `…`; figures are shortened instead."""


class Column(msgspec.Struct, Generic[R], frozen=True):
    """Field with its width and title in a column layout."""

    id: str
    title: str
    width: int
    field: Field[R]


Fields = Mapping[str, Field[R]]
"""Fields by id, from left to right."""


def of_row(function: Callable[[R], T]) -> Callable[[R, DisplayContext], T]:
    """Adapt a function of the row only to the signature `(row, view)` of cell functions and sort keys."""
    return lambda row, _: function(row)


def column(fields: Fields[R], name: str) -> Column[R]:
    """Return a field of a pane as a column at its full width."""
    field = fields[name]
    return Column(name, field.title or name, field.width, field)


class _Wanted(NamedTuple):
    """Candidate column during the choice of columns, with its priority number and least width."""

    number: int
    """`hide` of the field; negative for columns the trader chose."""
    least: int
    column: Column[Any]
    stand_in: str = ""
    """Field that abbreviates this column; the column can only replace that one."""


class _Room:
    """Column layout in progress: chosen columns with their widths, and the remaining cells."""

    def __init__(self, cells: int, columns: Mapping[str, Column[Any]]) -> None:
        self.left = cells
        self.kept: dict[str, int] = {}
        self._columns = columns

    def add_if_fits(self, wanted: _Wanted, cells: int) -> None:
        """Add a column if it fits, unless all the fields it abbreviates are already shown."""
        if wanted.stand_in:
            self._expand(wanted.stand_in)
            return
        abbreviated = wanted.column.field.instead
        if cells <= self.left and not (abbreviated and self.kept.keys() >= set(abbreviated)):
            self.kept[wanted.column.id] = cells
            self.left -= cells

    def widen(self, columns: Sequence[Column[Any]]) -> None:
        """Widen the chosen columns towards their full width, one cell each in turn, until no cells remain."""
        narrow = [column for column in columns if column.id in self.kept]
        while self.left and (narrow := [column for column in narrow if self.kept[column.id] < column.width]):
            for column in narrow[: self.left]:
                self.kept[column.id] += 1
            self.left -= len(narrow[: self.left])

    def _expand(self, stand_in: str) -> None:
        """Replace an abbreviating column by the fields it abbreviates, if all of them fit."""
        names = [name for name in self._columns[stand_in].field.instead if name not in self.kept]
        if stand_in not in self.kept or not all(name in self._columns for name in names):
            return
        least = {name: self._columns[name].field.least or self._columns[name].width for name in names}
        more = sum(least.values()) - self.kept[stand_in]
        if more <= self.left:
            del self.kept[stand_in]
            self.kept |= least
            self.left -= more


def order_names(fields: Fields[R], order: Sequence[str]) -> list[str]:
    """List the fields of a pane from left to right; those that an order does not name follow it."""
    return [*(name for name in dict.fromkeys(order) if name in fields), *(name for name in fields if name not in order)]


def choose_columns(fields: Fields[R], inside: int, choice: ColumnChoice) -> tuple[Column[R], ...]:
    """Choose the columns that fit a width, independent of the rows.

    Columns enter by their `hide` number at their smallest width and then grow; those from `SPARE` on share what is
    left.
    Columns the trader chose come first; those he hid are left out.

    Args:
        fields: All fields of the pane, from left to right.
        inside: Cells between the frame.
        choice: Columns the trader shows or hides, and their order.
    """
    columns = {name: column(fields, name) for name in fields if name not in choice.hidden or name in choice.shown}
    wanted = _number_columns(columns, choice)
    room = _Room(inside, columns)
    core = [candidate for candidate in wanted if candidate.number < SPARE]
    for candidate in core:
        room.add_if_fits(candidate, candidate.least)
    room.widen([candidate.column for candidate in core])
    for candidate in wanted[len(core) :]:
        room.add_if_fits(candidate, candidate.column.width)
    for candidate in wanted:
        if candidate.column.field.fills and candidate.column.id in room.kept:
            room.kept[candidate.column.id] += room.left
    return tuple(
        msgspec.structs.replace(columns[name], width=room.kept[name])
        for name in order_names(fields, choice.order)
        if name in room.kept
    )


def _number_columns(columns: Mapping[str, Column[R]], choice: ColumnChoice) -> list[_Wanted]:
    """Return all columns as candidates with priority numbers, sorted in the order in which they are added."""
    # With two abbreviations of one field, the first is replaced.
    stand_ins = {name: column.id for column in reversed(list(columns.values())) for name in column.field.instead}
    wanted = []
    for name, column in columns.items():
        least = column.field.least or column.width
        if name in choice.shown:
            wanted.append(_Wanted(choice.shown.index(name) - len(choice.shown), least, column))
        else:
            stand_in = stand_ins.get(name, "")
            number = max(column.field.hide, columns[stand_in].field.hide if stand_in else 0)
            wanted.append(_Wanted(number, least, column, stand_in))
    return sorted(wanted, key=lambda column: (column.number, bool(column.stand_in)))


def sort_keys(
    keys: Sequence[str], column: Column[R], view: DisplayContext, row: Callable[[str], R | None], *, descending: bool
) -> list[str]:
    """Sort row keys by a column; missing values come last in both directions, equal ones keep their order."""
    numbers: list[tuple[Decimal | float, str]] = []
    words: list[tuple[str, str]] = []
    missing: list[str] = []
    for key in keys:
        record = row(key)
        value = None if record is None else sort_value(column.field, record, view)
        if value is None:
            missing.append(key)
        elif isinstance(value, str):
            words.append((value, key))
        else:
            numbers.append((value, key))
    numbers.sort(key=lambda pair: pair[0], reverse=descending)
    words.sort(key=lambda pair: pair[0], reverse=descending)
    return [key for _, key in numbers] + [key for _, key in words] + missing


def sort_value(field: Field[R], row: R, view: DisplayContext) -> SortKey:
    """Return the sort key of a row for a field."""
    if field.sort is not None:
        value = field.sort(row, view)
        return None if isinstance(value, Decimal) and not value.is_finite() else value
    text = field.cell(row, view)[0].strip().casefold()
    return None if text in ("", "–") else text
