"""Columns as data: what a field of a pane shows, by what it sorts, and which fields a width has room for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.render.palette import Piece

if TYPE_CHECKING:
    from tui.workstation.model.display_context import DisplayContext

R = TypeVar("R")
T = TypeVar("T")

LEAST_WORDS = 16
"""Cells that a column of words of a layout keeps at least; with less it leaves."""

Cell = Piece
SortKey = Decimal | float | str | None
"""None sorts last whichever way the list goes."""


class Field(msgspec.Struct, Generic[R], frozen=True):
    """One thing a pane can say about a row."""

    width: int
    """Cells, one blank included, where it is added beside a layout of its pane."""
    cell: Callable[[R, DisplayContext], Cell]
    sort: Callable[[R, DisplayContext], SortKey] | None = None
    """What the column sorts by; None: the text that is shown, and only a left column may do that."""
    left: bool = False
    hide: int = 0
    """Fields of a higher number leave first when there is little room; 0 leaves last."""
    title: str = ""
    """Column name where it is not the field's own."""
    flash: Callable[[R], str] | None = None
    """Text of the figure whose change flashes."""
    twin: str = ""
    """The field that says the same at another length; of those with one twin only one is added by itself."""
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


class Layout(msgspec.Struct, Generic[R], frozen=True):
    """Columns for panes of at least so many cells inside."""

    inside: int
    columns: tuple[Column[R], ...]


def of_row(function: Callable[[R], T]) -> Callable[[R, DisplayContext], T]:
    """A cell or a sort key that needs nothing but the row, as a field takes it."""
    return lambda row, _: function(row)


def column(fields: Fields[R], name: str, width: int = 0, title: str = "") -> Column[R]:
    """A field as a column; its own width and title where none are given."""
    field = fields[name]
    return Column(name, title or field.title or name, width or field.width, field)


def layout(fields: Fields[R], inside: int, *columns: tuple[str, int] | tuple[str, int, str]) -> Layout[R]:
    """A layout from field, width and, where it differs, the title."""
    return Layout(inside, tuple(column(fields, *spec) for spec in columns))


def fitting(
    fields: Fields[R], layouts: Sequence[Layout[R]], inside: int, choice: ColumnChoice
) -> tuple[Column[R], ...]:
    """The columns for a width: the widest layout that fits, then what there is room for in the order of the numbers.

    What the trader asked for takes its place before the layout's columns, what he hid takes none.

    Args:
        fields: All fields of the pane.
        layouts: Its layouts, widest first.
        inside: Cells between the frame.
        choice: What the trader wants of the columns.
    """
    chosen = next((one for one in layouts if one.inside <= inside), layouts[-1])
    basic = {one.id: one for one in chosen.columns if one.id not in choice.hidden}
    asked = [name for name in choice.shown if name in fields and name not in basic]
    by_number = sorted(basic.values(), key=lambda one: fields[one.id].hide)
    rest = sorted(
        (name for name in fields if name not in basic and name not in asked), key=lambda name: fields[name].hide
    )
    extras = [column(fields, name) for name in rest if name not in choice.hidden and chosen.inside <= inside]
    kept: list[Column[R]] = []
    left = inside
    for one in [*(column(fields, name) for name in asked), *by_number, *extras]:
        if one.id in basic and one.field.prose and LEAST_WORDS <= left < one.width:
            one = msgspec.structs.replace(one, width=left)
        if one.width <= left and not any(_twins(one, other) for other in kept):
            kept.append(one)
            left -= one.width
    kept = [msgspec.structs.replace(one, width=one.width + left) if one.field.fills else one for one in kept]
    place = {name: at for at, name in enumerate(fields)}
    return tuple(sorted(kept, key=lambda one: place[one.id]))


def _twins(one: Column[R], other: Column[R]) -> bool:
    same = one.field.twin == other.field.twin != ""
    return same or one.field.twin == other.id or other.field.twin == one.id


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
