"""Tables to export: rows as they were received, and the kinds of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from tui.interface.figures import FLAGS, TEXT_FIGURES
from tui.interface.times import TIME_ENDS


class ColumnKind(StrEnum):
    """Kind of the values of a column."""

    TEXT = "text"
    DECIMAL = "decimal"
    TIME = "time in ms"
    FLAG = "true or false"


class Table(NamedTuple):
    """Table to export: column names with kinds of values, and rows as JSON objects as received."""

    columns: Mapping[str, ColumnKind]
    """Names and kinds of the columns, in order."""
    rows: Sequence[Mapping[str, object]]


def columns_of(record: type[msgspec.Struct]) -> dict[str, ColumnKind]:
    """Map the column names of a record, as sent, to the kinds of values, without fields that only pushes have."""
    fields = msgspec.structs.fields(record)
    return {field.encode_name: _kind_of(field.name) for field in fields if field.default is not msgspec.UNSET}


def _kind_of(field: str) -> ColumnKind:
    if field in TEXT_FIGURES:
        return ColumnKind.DECIMAL
    if field in FLAGS:
        return ColumnKind.FLAG
    return ColumnKind.TIME if field.endswith(TIME_ENDS) else ColumnKind.TEXT


def cell_text(value: object) -> str:
    """Return a JSON value as the text of a cell; a missing one is empty, nothing is rounded."""
    if value is None:
        return ""
    if isinstance(value, (bool, list, dict)):
        return msgspec.json.encode(value).decode()
    return str(value)
