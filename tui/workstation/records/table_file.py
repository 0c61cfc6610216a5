"""Rows of a list as records of a table: every field as it was sent, under its name in the interface."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


def header_of(rows: Sequence[msgspec.Struct]) -> list[str]:
    """Names of the fields."""
    return list(rows[0].__struct_encode_fields__) if rows else []


def record_of(row: msgspec.Struct) -> list[str]:
    """Texts of the fields; nothing is rounded, an absent value is empty."""
    return [_text(getattr(row, name)) for name in row.__struct_fields__]


def _text(value: object) -> str:
    if value is None or value is msgspec.UNSET:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
