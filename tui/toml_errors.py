"""Errors of TOML files in plain words: line, key, value and what is accepted there, instead of the decoder's words."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from tui.interface.text import did_you_mean


def find_line(text: str, keys: tuple[str, ...]) -> str:
    """Return `, line N` for a key in a TOML file, or for the nearest enclosing table; empty if none has a line."""
    lines, header = dict[tuple[str, ...], int](), tuple[str, ...]()
    for number, line in enumerate(text.splitlines(), 1):
        if (table := re.match(r"\s*\[+([^\]]+)\]", line)) is not None:
            header = _split_key(table[1])
            lines.setdefault(header, number)
        elif (key := re.match(r"\s*([^=#\[]+?)\s*=", line)) is not None:
            lines.setdefault((*header, *_split_key(key[1])), number)
    near = next((lines[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in lines), None)
    return "" if near is None else f", line {near}"


def _split_key(text: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _KEY.findall(text))


class Place(NamedTuple):
    """Table of a TOML file that is checked on its own: its key path, and the type it must have."""

    keys: tuple[str, ...]
    kind: type


FEW = 6
"""Most keys of a table that are all named where one is not known."""
NO_PLACE = Place((), object)
"""The whole file was checked."""


_KEY = re.compile(r"""\"[^\"]*\"|'[^']*'|[^.\s]+""")
_AT = re.compile(r"(.*?)(?: - at `\$\.?([^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\[\.\.\.\]|\[\d+\]|[^.\[]+")
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]+)`")
_MISSING = re.compile(r"Object missing required field `([^`]+)`")


_SYNTAX = (
    ("Expected '='", "a name, = and its value, such as theme = \"dark\""),
    ("Invalid value", 'a value: a number, true or false, a text in quotes, or a list in [ ]'),
    ("Expected newline", "one name = value in a line, and behind it only # with a comment; a text is in quotes"),
    ("Expected ']", "the name of a table in both brackets, such as [workstation]"),
    (("Invalid statement", "Invalid initial character"), "name = value, the name of a table in [ ], or # and a comment"),
    ("Unclosed array", "a comma, or the ] that ends the list in or before this line"),
    (("Unclosed inline table", "Duplicate inline table"), "a table in { }, each name once, with commas between them"),
    (("Unterminated string", "Illegal character", 'Expected "', "Expected '\"", 'Expected "\'"'),
     "a text that ends in its line, with the quote that it began with"),
    (("Unescaped", "Invalid hex", "Escaped"), "\\\\ for each \\ of a text, or the text in single quotes"),
    ("Found invalid", "text without control characters"),
    ("Cannot", "each name, and each table in [ ], once"),
)  # fmt: skip
"""Begins of what the decoder says of a text that is not TOML, and what is accepted there."""
_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LIST_BEGINS = re.compile(r"=\s*\[")
_NEXT_LINE = re.compile(r"""\s*(?:[\w."' -]+=|\[+[\w."' -]+\]+\s*(?:#|$))""")
"""Line with a name and its value, or with the name of a table, which an open list before it takes for its entry."""
MOST_SHOWN = 60
"""Most characters of a line that an error shows."""


def explain_syntax(text: str, message: str) -> str:
    """Describe a TOML syntax error by line, its text and what is accepted: `, line 3: theme dark: accepted is …`.

    Args:
        text: Whole file.
        message: Text of the error.
    """
    lines, at = text.split("\n"), _POSITION.search(message)
    last = next((number for number in range(len(lines), 0, -1) if lines[number - 1].strip()), 1)
    number = min(int(at[1]), last) if at is not None and at[1] else last
    if message.startswith('Expected "\'"'):  # the decoder names the end of the file
        number = next((place for place in range(last, 0, -1) if lines[place - 1].count("'") % 2), last)
    if message.startswith("Invalid value") and (place := _find_open_list(lines[:number], at)):
        number, message = place, "Unclosed array"
    shown = lines[number - 1].strip() if lines else ""
    shown = shown if len(shown) <= MOST_SHOWN else f"{shown[: MOST_SHOWN - 1]}…"
    accepted = next((accepted for begins, accepted in _SYNTAX if message.startswith(begins)), "")
    said = f"accepted is {accepted}" if accepted else f"this is not TOML: {message}"
    return f", line {number}: {shown}: {said}"


def _find_open_list(lines: list[str], at: re.Match[str] | None) -> int:
    """Return the number of the line that begins the list still open in the last of `lines`; 0 if none is."""
    line = lines[-1] if lines else ""
    if at is not None and at[2]:
        is_entry = _NEXT_LINE.match(line) is not None and not line[: int(at[2]) - 1].strip(" \t[")
    else:
        is_entry = "=" not in line or _LIST_BEGINS.search(line) is not None
    places = range(len(lines), 0, -1) if is_entry else ()
    return next((place for place in places if _LIST_BEGINS.search(lines[place - 1])), 0)


def explain_wrong(
    message: str, table: dict[str, Any], whole: type, at: Place = NO_PLACE
) -> tuple[tuple[str, ...], str]:
    """Return the key path of a wrong value, and a plain description of what is wrong and what is accepted.

    Args:
        message: Text of the error.
        table: Whole file.
        whole: Type of the whole file.
        at: Table that was checked alone.
    """
    parts = _AT.fullmatch(message)
    said, way = (parts[1], parts[2] or "") if parts is not None else (message, "")
    unknown, missing = _UNKNOWN.fullmatch(said), _MISSING.fullmatch(said)
    keys, value, kind = _find_value((*at.keys, *_STEP.findall(way)), table, whole, at)
    name = ".".join(keys)
    if unknown is not None:
        known = [field.encode_name for field in kind.fields] if isinstance(kind, inspect.StructType) else []
        near = did_you_mean(unknown[1], known) if len(known) > FEW else ""
        hint = near or f"; known are {', '.join(known)}"
        return (*keys, unknown[1]), f"unknown key {unknown[1]!r}{f' in {name}' if name else ''}{hint}"
    if missing is not None:
        return tuple(keys), f"{f'{name}: ' if name else ''}{missing[1]} is missing"
    if not said.startswith(("Expected", "Invalid")):
        # What a table says of itself begins with the name of its key.
        first = said.split()[0] if said else ""
        at_key = (first,) if isinstance(value, dict) and first in value else ()
        return (*keys, *at_key), f"{name}: {said}" if name else said
    shown = "a table" if isinstance(value, dict) else msgspec.json.encode(value).decode()
    quoted = f', here "{shown}"' if isinstance(kind, inspect.StrType) and type(value) in (int, float) else ""
    return tuple(keys), f"{name} = {shown}: accepted is {_describe_kind(kind)}{quoted}"


class _WrongValue(NamedTuple):
    """Value that a validation error refers to, with its key path and the accepted type."""

    keys: list[str]
    value: object
    kind: inspect.Type
    """What is accepted there."""


def _find_value(steps: tuple[str, ...], table: dict[str, Any], whole: type, at: Place) -> _WrongValue:
    """Find the value that a validation error refers to, by following its path from the top of the file."""
    kind: inspect.Type = inspect.type_info(whole)
    keys: list[str] = []
    value: object = table
    for depth, step in enumerate(steps, 1):
        kind = inspect.type_info(at.kind) if depth == len(at.keys) else _kind_below(kind, step)
        key = _find_wrong(value, kind) if step == "[...]" else step
        if isinstance(value, dict):
            keys.append(key)
            value = value.get(key)
        elif isinstance(value, list) and step[1:-1].isdigit():
            value = value[int(step[1:-1])]
    return _WrongValue(keys, value, kind)


def _kind_below(kind: inspect.Type, step: str) -> inspect.Type:
    """Return the type accepted for a table's key or a list's entry, without None, which TOML cannot express."""
    below: inspect.Type = inspect.AnyType()
    if isinstance(kind, inspect.StructType):
        below = next((field.type for field in kind.fields if field.encode_name == step), below)
    elif isinstance(kind, inspect.DictType):
        below = kind.value_type
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType):
        below = kind.item_type
    if isinstance(below, inspect.UnionType):
        below = next(each for each in below.types if not isinstance(each, inspect.NoneType))
    return below


def _find_wrong(entries: object, kind: inspect.Type) -> str:
    """Return the key of the first invalid entry of a table, which the error text leaves open; `...` if there is none."""
    for key, entry in entries.items() if isinstance(entries, dict) else ():
        try:
            msgspec.convert(entry, kind.cls if isinstance(kind, inspect.StructType) else str)
        except msgspec.ValidationError:
            return str(key)
    return "..."


def _describe_kind(kind: inspect.Type) -> str:
    """Describe in plain words which values a type accepts."""
    if isinstance(kind, inspect.LiteralType):
        return f"one of {', '.join(msgspec.json.encode(value).decode() for value in kind.values)}"
    if isinstance(kind, inspect.StrType):
        return f"a text that matches {kind.pattern}" if kind.pattern else "a text in quotes"
    if isinstance(kind, inspect.IntType | inspect.FloatType):
        number = "a whole number" if isinstance(kind, inspect.IntType) else "a number"
        bounds = (("from", kind.ge), ("above", kind.gt), ("up to", kind.le), ("below", kind.lt))
        return " ".join([number, *(f"{word} {bound:g}" for word, bound in bounds if bound is not None)])
    if isinstance(kind, inspect.ListType | inspect.VarTupleType):
        return f"a list in [ ], each entry {_describe_kind(kind.item_type)}"
    return "true or false" if isinstance(kind, inspect.BoolType) else "a table"
