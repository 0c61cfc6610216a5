"""Fields and types of an answer, flat: `list[].orderId: string`."""

from __future__ import annotations

from typing import Any

from tui.interface.endpoint import Endpoint, Shape

_KEYED = (Shape.MAP, Shape.LISTS)


def success(row: Endpoint) -> int:
    """The code with which the edition of the documents says yes: 200 of Account Assets V2 alone."""
    return 200 if row.family == "assets-v2" else 200000


def asked(row: Endpoint) -> dict[str, list[str]]:
    """Names of the parameters of a row, and of those without which nothing is answered."""
    return {
        "params": [param.name for param in row.params],
        "required": [param.name for param in row.params if param.required],
    }


def fields(data: Any, shape: Shape) -> dict[str, str]:
    """Types by place; of a list all rows together, of an object keyed by names all its values."""
    found: dict[str, set[str]] = {}
    if isinstance(data, dict) and (shape in _KEYED or (data and all(str(name).isdigit() for name in data))):
        for value in data.values():
            _collect(value, "{}", found)
        if not data:
            found["{}"] = {"nothing"}
    else:
        _collect(data, "", found)
    return {place: " or ".join(sorted(types)) for place, types in sorted(found.items())}


def _collect(value: Any, place: str, found: dict[str, set[str]]) -> None:
    if isinstance(value, dict):
        found.setdefault(place or ".", set()).add("object")
        for name, one in value.items():
            _collect(one, f"{place}.{name}" if place else name, found)
    elif isinstance(value, list):
        found.setdefault(place or ".", set()).add("array")
        for one in value:
            _collect(one, f"{place}[]", found)
    else:
        found.setdefault(place or ".", set()).add(_kind(value))


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    return "integer" if isinstance(value, int) else "number"
