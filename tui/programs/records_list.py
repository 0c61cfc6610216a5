"""List of records that becomes a table: exact decimals, times in UTC."""

from __future__ import annotations

import typing
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tui.programs import records
from tui.programs.export_table import ColumnKind, Table, columns_of

if TYPE_CHECKING:
    import polars
    import pyarrow

T = TypeVar("T")


class Records(list[T]):
    """List of records, which can also be converted to a table with a column for each field."""

    def to_arrow(self) -> pyarrow.Table:
        """Build an Arrow table; an empty list has no columns.

        Raises:
            NotInParquet: pyarrow is not installed (extra `data`), or a value does not fit its column.
        """
        from tui.programs.arrow_table import build_table

        return build_table(_table(self))

    def to_polars(self) -> polars.DataFrame:
        """Build a Polars data frame from the table of `to_arrow`."""
        table = self.to_arrow()
        import polars

        frame = polars.from_arrow(table)
        assert isinstance(frame, polars.DataFrame)
        return frame


def _table(rows: list[Any]) -> Table:
    if not rows:
        return Table({}, [])
    kind = type(rows[0])
    if kind.__module__ == records.__name__:
        return Table(_columns(kind), [{name: _plain(value) for name, value in _fields(row)} for row in rows])
    return Table(columns_of(kind), [msgspec.to_builtins(row) for row in rows])


def _columns(record: type[msgspec.Struct]) -> dict[str, ColumnKind]:
    """Map the field names of a program's record to column kinds, by their type annotations."""
    return {name: _kind(hint) for name, hint in typing.get_type_hints(record).items()}


def _kind(hint: object) -> ColumnKind:
    types = typing.get_args(hint) or (hint,)
    for python, kind in ((Decimal, ColumnKind.DECIMAL), (datetime, ColumnKind.TIME), (bool, ColumnKind.FLAG)):
        if python in types:
            return kind
    return ColumnKind.TEXT


def _fields(row: msgspec.Struct) -> list[tuple[str, object]]:
    return list(msgspec.structs.asdict(row).items())


def _plain(value: object) -> object:
    return str(int(value.timestamp() * 1000)) if isinstance(value, datetime) else value
