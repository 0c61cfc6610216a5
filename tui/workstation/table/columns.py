"""Columns as data: what a field of a pane shows, by what it sorts, and which fields a width has room for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import msgspec

from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.render.palette import Piece

if TYPE_CHECKING:
    from tui.workstation.model.display_context import DisplayContext

R = TypeVar("R")
T = TypeVar("T")

SPARE = 10
"""Columns of this number and above come in only where all others have their whole width."""

Cell = Piece
SortKey = Decimal | float | str | None
"""None sorts last whichever way the list goes."""


class Field(msgspec.Struct, Generic[R], frozen=True):
    """One thing a pane can say about a row."""

    width: int
    """Cells that it has where there is room, one blank included."""
    cell: Callable[[R, DisplayContext], Cell]
    sort: Callable[[R, DisplayContext], SortKey] | None = None
    """What the column sorts by; None: the text that is shown, and only a left column may do that."""
    left: bool = False
    least: int = 0
    """Cells with which it still comes in; 0: its width."""
    hide: int = 0
    """Fields of a higher number leave first when there is little room; 0 leaves last. Below `SPARE` they narrow down to
    their least width to let each other in."""
    title: str = ""
    """Column name where it is not the field's own."""
    flash: Callable[[R], str] | None = None
    """Text of the figure whose change flashes."""
    instead: tuple[str, ...] = ()
    """Fields that it stands for in fewer cells. They come in only in its place, where there is room for all of them."""
    short: Callable[[R, DisplayContext], str] | None = None
    """The same in fewer characters, for a column too narrow for the whole."""
    of: Callable[[R], object] | None = None
    """What of the row the cell is made of, where that, the pane's `looks` and rows of other tables are all that can
    change it; None: it is made anew whenever its row is touched."""
    fills: bool = False
    """Whether it takes the cells that no other column needs."""
    prose: bool = False
    """Whether the text may end in `…`; a figure is written in a shorter form instead."""


class Column(msgspec.Struct, Generic[R], frozen=True):
    """A field at its place: how wide and under which name."""

    id: str
    title: str
    width: int
    field: Field[R]


Fields = Mapping[str, Field[R]]
"""Fields by id, in the order in which they stand from left to right."""


def of_row(function: Callable[[R], T]) -> Callable[[R, DisplayContext], T]:
    """A cell or a sort key that needs nothing but the row, as a field takes it."""
    return lambda row, _: function(row)


def column(fields: Fields[R], name: str) -> Column[R]:
    """A field as a column of its own width."""
    field = fields[name]
    return Column(name, field.title or name, field.width, field)


class _Wanted(NamedTuple):
    """A column that is placed if there is room for it."""

    number: int
    """`hide` of its field; below 0 for what the trader asked for."""
    least: int
    column: Column[Any]
    stand_in: str = ""
    """The field that stands for it; it comes in only in the place of that one."""


class _Room:
    """The columns that have come in with their cells, and the cells that are left."""

    def __init__(self, cells: int, columns: Mapping[str, Column[Any]]) -> None:
        self.left = cells
        self.kept: dict[str, int] = {}
        self._columns = columns

    def let_in(self, one: _Wanted, cells: int) -> None:
        """Let a column in where there is room, unless all that it stands for is there."""
        if one.stand_in:
            self._write_out(one.stand_in)
            return
        stands_for = one.column.field.instead
        if cells <= self.left and not (stands_for and self.kept.keys() >= set(stands_for)):
            self.kept[one.column.id] = cells
            self.left -= cells

    def widen(self, columns: Sequence[Column[Any]]) -> None:
        """Widen the columns that have come in to their whole width, cell by cell in turn, as far as there is room."""
        narrow = [one for one in columns if one.id in self.kept]
        while self.left and (narrow := [one for one in narrow if self.kept[one.id] < one.width]):
            for one in narrow[: self.left]:
                self.kept[one.id] += 1
            self.left -= len(narrow[: self.left])

    def _write_out(self, stand_in: str) -> None:
        """Put what a column stands for in its place, where there is room for all of it."""
        names = [name for name in self._columns[stand_in].field.instead if name not in self.kept]
        if stand_in not in self.kept or not all(name in self._columns for name in names):
            return
        least = {name: self._columns[name].field.least or self._columns[name].width for name in names}
        more = sum(least.values()) - self.kept[stand_in]
        if more <= self.left:
            del self.kept[stand_in]
            self.kept |= least
            self.left -= more


def fitting(fields: Fields[R], inside: int, choice: ColumnChoice) -> tuple[Column[R], ...]:
    """Choose the columns for a width: what the rows say has no part in it.

    Fields come in by their numbers at their least width, and then grow; those from `SPARE` on take what is left. What
    the trader asked for goes before all others, what he hid takes no place.

    Args:
        fields: All fields of the pane, from left to right.
        inside: Cells between the frame.
        choice: What the trader wants of the columns.
    """
    columns = {name: column(fields, name) for name in fields if name not in choice.hidden or name in choice.shown}
    wanted = _number_columns(columns, choice)
    room = _Room(inside, columns)
    core = [one for one in wanted if one.number < SPARE]
    for one in core:
        room.let_in(one, one.least)
    room.widen([one.column for one in core])
    for one in wanted[len(core) :]:
        room.let_in(one, one.column.width)
    for one in wanted:
        if one.column.field.fills and one.column.id in room.kept:
            room.kept[one.column.id] += room.left
    return tuple(msgspec.structs.replace(columns[name], width=room.kept[name]) for name in fields if name in room.kept)


def _number_columns(columns: Mapping[str, Column[R]], choice: ColumnChoice) -> list[_Wanted]:
    """Number the columns in the order in which they come in."""
    # Where two fields stand for one, it takes the place of the first.
    stand_ins = {name: one.id for one in reversed(list(columns.values())) for name in one.field.instead}
    wanted = []
    for name, one in columns.items():
        least = one.field.least or one.width
        if name in choice.shown:
            wanted.append(_Wanted(choice.shown.index(name) - len(choice.shown), least, one))
        else:
            stand_in = stand_ins.get(name, "")
            number = max(one.field.hide, columns[stand_in].field.hide if stand_in else 0)
            wanted.append(_Wanted(number, least, one, stand_in))
    return sorted(wanted, key=lambda one: (one.number, bool(one.stand_in)))


def ordered(
    keys: Sequence[str], column: Column[R], descending: bool, view: DisplayContext, row: Callable[[str], R | None]
) -> list[str]:
    """Keys sorted by a column; what is missing goes last both ways, and equal ones keep the order they came in."""
    numbers: list[tuple[Decimal | float, str]] = []
    words: list[tuple[str, str]] = []
    missing: list[str] = []
    for key in keys:
        found = row(key)
        value = None if found is None else sort_value(column.field, found, view)
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
    """What a row sorts by in a field."""
    if field.sort is not None:
        value = field.sort(row, view)
        return None if isinstance(value, Decimal) and not value.is_finite() else value
    text = field.cell(row, view)[0].strip().casefold()
    return None if text in ("", "–") else text
