"""Export of list rows: all fields as received, readable times, and computed values.

A time is written as sent and, in a column behind the others, as readable UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec

from tui.interface.decimals import plain
from tui.interface.times import TIME_ENDS
from tui.workstation.table.raw_facts import time_of

Shown = Mapping[str, Callable[[Any], Decimal]]
"""Computed figures of a list, by name."""


def header_of(rows: Sequence[msgspec.Struct], shown: Shown) -> list[str]:
    """Return the column names of an exported table: fields, computed values, and times in UTC."""
    if not rows:
        return []
    fields = dict(zip(rows[0].__struct_fields__, rows[0].__struct_encode_fields__, strict=True))
    return [*fields.values(), *shown, *(f"{fields[name]} (UTC)" for name in _times_of(rows[0]))]


def record_of(row: msgspec.Struct, shown: Shown) -> list[str]:
    """Return the texts of a row for an exported table; nothing is rounded, a missing value is empty."""
    texts = [_text(getattr(row, name)) for name in row.__struct_fields__]
    times = [_moment(name, getattr(row, name)) for name in _times_of(row)]
    return [*texts, *(plain(figure(row)) for figure in shown.values()), *times]


def _times_of(row: msgspec.Struct) -> list[str]:
    return [name for name in row.__struct_fields__ if name.endswith(TIME_ENDS)]


def _moment(name: str, value: object) -> str:
    at = time_of(name, value)
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] if at else ""


def _text(value: object) -> str:
    if value is None or value is msgspec.UNSET:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
