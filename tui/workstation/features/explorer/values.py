"""Rows and columns for any answer of the service, with unrounded values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tui.engine.service_query import ListRead
from tui.workstation.render.text import width as text_width
from tui.workstation.table.columns import Cell, Field, Fields

NAME = "of"
"""Column of the names in a map of records; no record has a field of this name."""
MOST_CELLS = 40
"""Greatest width of a column; the details of a row show the whole text."""
LEAST_CELLS = 16


class ValueRow(msgspec.Struct, frozen=True):
    """Row number, and the row's texts by name."""

    at: int
    values: Mapping[str, str]


def plain(data: object) -> Any:
    """Convert records, maps and lists to JSON types, with the field names of the REST interface."""
    return msgspec.to_builtins(data, enc_hook=str, builtin_types=())


def text_of(value: Any) -> str:
    """Format a value in one line."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, default=str, separators=(",", ":"))


def rows_of(answer: ListRead) -> list[ValueRow]:
    """Return the rows of an answer: one per record of a list or map, else one per field."""
    if answer.rows or answer.data is None:
        return [ValueRow(at, _texts(plain(row))) for at, row in enumerate(answer.rows)]
    data = plain(answer.data)
    if isinstance(data, dict) and data and all(isinstance(value, dict) for value in data.values()):
        return _records_of(data)
    if isinstance(data, dict):
        return [
            ValueRow(at, {"name": str(name), "value": text_of(value)}) for at, (name, value) in enumerate(data.items())
        ]
    return [ValueRow(0, {"value": text_of(data)})]


def _records_of(data: dict[Any, dict[Any, Any]]) -> list[ValueRow]:
    """Return one row per record of a map; the map key comes first unless a field already contains it."""
    holds_name = any(
        all(record.get(field) == name for name, record in data.items()) for field in next(iter(data.values()))
    )
    return [
        ValueRow(at, _texts(record) if holds_name else {NAME: str(name), **_texts(record)})
        for at, (name, record) in enumerate(data.items())
    ]


def _texts(row: Any) -> Mapping[str, str]:
    if isinstance(row, dict):
        return {str(name): text_of(value) for name, value in row.items()}
    return {"value": text_of(row)}


def json_lines(answer: ListRead) -> list[ValueRow]:
    """Return the answer as rows, each a line of indented JSON."""
    data = plain(list(answer.rows)) if answer.rows or answer.data is None else plain(answer.data)
    lines = json.dumps(data, indent=1, ensure_ascii=False, default=str).splitlines()
    return [ValueRow(at, {"json": line}) for at, line in enumerate(lines)]


def fields_of(rows: Sequence[ValueRow]) -> Fields[ValueRow]:
    """Build a column for each name that has a value in some row, in order of appearance."""
    names = list(dict.fromkeys(name for row in rows for name, text in row.values.items() if text)) or ["value"]
    return {name: _field(name, at, rows) for at, name in enumerate(names)}


def _field(name: str, at: int, rows: Sequence[ValueRow]) -> Field[ValueRow]:
    longest = max([len(name), *(text_width(row.values.get(name, "")) for row in rows)])
    role = "text" if at else "strong"

    def cell(row: ValueRow, _view: object) -> Cell:
        return row.values.get(name, ""), role

    width = min(MOST_CELLS, longest) + 2
    return Field(width, cell, left=True, prose=True, least=min(width, LEAST_CELLS), hide=at)
