"""Values that do not fit the type of a field, in words: field, value, and what is accepted."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from msgspec import inspect as types

from tui.interface.text import clean, show_given

MOST_TEXT = 200
"""Longest text of an error of the library that is passed on, characters."""
_PATH = re.compile(r"at `\$(?P<path>[^`]*)`")
_STEP = re.compile(r"\.(?P<field>[A-Za-z_]\w*)|\[(?P<index>\d+)\]")
_MISSING = re.compile(r"missing required field `(?P<field>\w+)`")
_UNKNOWN = object()


def describe_invalid(error: Exception, kind: Any, value: object, *, of_json: bool) -> str:
    """Describe why a value is not of a type: `side 'buy' is not accepted; accepted are BUY, SELL`.

    Args:
        error: What the library says.
        kind: Type that was wanted.
        value: What came, in plain objects.
        of_json: Whether it was written in JSON, else in Python.
    """
    text = str(error)
    if missing := _MISSING.search(text):
        return f"{missing['field']} is missing"
    place = _PATH.search(text)
    path = place["path"] if place is not None else ""
    node: types.Type | None = _type_of(kind)
    name, end = "", 0
    for step in _STEP.finditer(path):
        end = step.end()
        if step["field"] is not None:
            name, node, value = step["field"], _field(node, step["field"]), _item(value, step["field"])
        else:
            index = int(step["index"])
            name, node, value = f"{name}[{index}]", _element(node, index), _item(value, index)
    accepted = _describe(node, value) if end == len(path) else ""
    if not accepted or value is _UNKNOWN:
        return clean(text, MOST_TEXT)
    return f"{name} {show_given(value, of_json=of_json)} is not accepted; {accepted}".lstrip()


@cache
def _type_of(kind: Any) -> types.Type:
    return types.type_info(kind)


def _field(node: types.Type | None, name: str) -> types.Type | None:
    fields = node.fields if isinstance(node, types.StructType) else ()
    return _drop_null(next((field.type for field in fields if field.encode_name == name), None))


def _element(node: types.Type | None, index: int) -> types.Type | None:
    if isinstance(node, types.TupleType):
        return _drop_null(node.item_types[index]) if index < len(node.item_types) else None
    many = types.ListType | types.VarTupleType | types.SetType | types.FrozenSetType
    return _drop_null(node.item_type) if isinstance(node, many) else None


def _drop_null(node: types.Type | None) -> types.Type | None:
    """Return the only type of a union besides null; a type that is no union unchanged, None if there are several."""
    if not isinstance(node, types.UnionType):
        return node
    others = [member for member in node.types if not isinstance(member, types.NoneType)]
    return others[0] if len(others) == 1 else None


def _item(value: object, key: str | int) -> object:
    if isinstance(value, dict):
        return value.get(key, _UNKNOWN)
    if isinstance(value, list | tuple) and isinstance(key, int) and key < len(value):
        return value[key]
    return _UNKNOWN


def _describe(node: types.Type | None, value: object) -> str:
    """Describe which values a type accepts; empty where the error text of the library is better."""
    if isinstance(node, types.LiteralType):
        return f"accepted are {', '.join(map(str, node.values))}"
    if isinstance(node, types.EnumType):
        return f"accepted are {', '.join(str(member.value) for member in node.cls)}"
    if isinstance(node, types.BoolType):
        return "accepted are true and false"
    if isinstance(node, types.IntType | types.FloatType):
        noun = "a whole number" if isinstance(node, types.IntType) else "a number"
        return f"it is {noun}{_range(node.ge, node.le)}"
    if isinstance(node, types.StrType):
        if node.pattern is not None and isinstance(value, str):
            return ""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        sample = f", such as '{value}'" if is_number else ""
        return f"it is a text{_length(node, 'character')}{sample}"
    if isinstance(node, types.ListType | types.VarTupleType):
        return f"it is a list{_length(node, 'item')}"
    return ""


def _range(least: float | None, most: float | None) -> str:
    if least is None or most is None:
        return f" from {least:g} on" if least is not None else ""
    return f" from {least:.16g} to {most:.16g}"


def _length(node: types.StrType | types.ListType | types.VarTupleType, noun: str) -> str:
    least, most = node.min_length, node.max_length
    if most is None:
        return ""
    return f" of {least} to {most} {noun}s" if least else f" of at most {most} {noun}s"
