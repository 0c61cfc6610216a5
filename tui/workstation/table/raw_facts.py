"""All fields of a row by name, as the service sent them: what a card shows."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.engine.rows import Stamp
from tui.interface.times import TIME_ENDS, millis
from tui.workstation.model import number_format

_RECORDS = "tui.interface."
"""Package of the service's records."""
_READINGS = frozenset(["received", "since", "not_found_first", "not_found_last", "proven_from"])
"""Fields with a reading of the monotonic clock, which says nothing to anybody."""
_READABLE: tuple[type, ...] = (
    str, int, float, Decimal, list, tuple, frozenset, dict, msgspec.UnsetType, type(None),
)  # fmt: skip
"""Types of values that can be read; others serve the program alone."""


def raw_facts(row: object) -> list[tuple[str, str]]:
    """List names and raw values of a row: first the service's record, then fields added by this program.

    Times are also shown as date and time; of the stamp only the source is listed.
    """
    if not isinstance(row, msgspec.Struct):
        return []
    sent: list[tuple[str, str]] = []
    kept: list[tuple[str, str]] = []
    for name in row.__struct_fields__:
        value = getattr(row, name)
        if isinstance(value, Stamp):
            kept.append(("source", value.source.value))
        elif isinstance(value, msgspec.Struct) and type(value).__module__.startswith(_RECORDS):
            sent += raw_facts(value)
        elif isinstance(value, msgspec.Struct):
            kept += raw_facts(value)
        elif name not in _READINGS and isinstance(value, _READABLE):
            kept.append((name.replace("_", " "), _fact(name, value)))
    return sent + kept


def _fact(name: str, value: object) -> str:
    """Format a raw value; times are also shown as date and time."""
    at = time_of(name, value)
    if not at:
        return _raw(value)
    return f"{number_format.day(at)} {number_format.moment(at, utc=True, millis=True)} UTC ({at})"


def time_of(name: str, value: object) -> int:
    """Return the server time in a field, in ms; 0 if there is none."""
    return millis(str(value)) if name.endswith((*TIME_ENDS, "ts")) and isinstance(value, str | int) else 0


def _raw(value: object) -> str:
    if value is None:
        return number_format.NONE
    if isinstance(value, frozenset):
        value = sorted(value)
    if isinstance(value, (list, tuple)):
        return ", ".join(_raw(item) for item in value) or number_format.MISSING
    if isinstance(value, dict):
        return " ".join(f"{name} {_raw(item)}" for name, item in value.items() if item not in ("", None))
    text = "" if value is msgspec.UNSET else str(value)
    return text if text else number_format.MISSING
