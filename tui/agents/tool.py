"""Tools: name, purpose, and arguments from which both the JSON Schema and the checks are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

import msgspec

from tui.agents.answers import MOST_ROWS, Answer, ToolRefused
from tui.desk_protocol.invalid_values import describe_invalid
from tui.interface.endpoint import Endpoint
from tui.interface.json_schema import Schema, object_schema, struct_schema
from tui.interface.text import clean, scrub, show_given
from tui.programs import call_params
from tui.programs.call_params import PAGING, UNCLEAN, BadArgument, Given, check_names

MOST = "most"
"""Argument of a list: rows wanted."""
DEFAULT_MOST = 50
_MOST_SCHEMA: Schema = {
    "type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": DEFAULT_MOST, "description": "Most rows.",
}  # fmt: skip
FOR_PEOPLE = frozenset(["reason"])
"""Arguments that are shown alone, cleaned."""
A = TypeVar("A", bound=msgspec.Struct)


class Tool(NamedTuple):
    """Tool that an agent may call."""

    name: str
    purpose: str
    schema: Schema
    """JSON Schema of the arguments."""
    run: Callable[[Given], Awaitable[Answer]]
    """Checks the arguments, and answers."""
    reads: bool = True
    """Whether it changes nothing and asks nobody."""


class NoArguments(msgspec.Struct, frozen=True):
    """Arguments of a tool that takes none."""


def make_tool(
    name: str, purpose: str, kind: type[A], answer: Callable[[A], Awaitable[Answer]], *, reads: bool = True
) -> Tool:
    """Make a tool whose arguments are the fields of a class."""

    async def run(given: Given) -> Answer:
        return await answer(read_arguments(name, kind, given))

    return Tool(name, purpose, _close(struct_schema(kind)), run, reads)


def make_list_tool(
    name: str, purpose: str, endpoint: Endpoint, answer: Callable[[dict[str, str], int], Awaitable[Answer]]
) -> Tool:
    """Make a tool whose arguments are the parameters of an endpoint, with `most` rows in place of paging."""

    async def run(given: Given) -> Answer:
        most = read_most(name, given)
        params = {argument: value for argument, value in given.items() if argument != MOST}
        return await answer(check_params(name, endpoint, params), most)

    return Tool(name, purpose, endpoint_schema(endpoint), run)


def endpoint_schema(endpoint: Endpoint) -> Schema:
    """Build the JSON Schema of a tool's arguments from an endpoint's parameters: `most` rows replaces the paging ones."""
    schema = object_schema(param for param in endpoint.params if param.name not in PAGING)
    return _close({**schema, "properties": {**schema["properties"], MOST: _MOST_SCHEMA}})


def _close(schema: Schema) -> Schema:
    """Return a JSON Schema of an object that accepts no unknown fields, without its title."""
    return {**{name: value for name, value in schema.items() if name != "title"}, "additionalProperties": False}


def read_arguments(tool: str, kind: type[A], given: Given) -> A:
    """Convert the JSON arguments of a tool call to an instance of the class `kind`.

    Raises:
        ToolRefused: One is unknown, missing or of another type.
    """
    try:
        check_names(tool, given, [field.encode_name for field in msgspec.structs.fields(kind)])
    except BadArgument as error:
        raise ToolRefused(str(error)) from None
    cleaned = scrub(dict(given))
    for name, value in given.items():
        if name not in FOR_PEOPLE and isinstance(value, str | list | dict) and cleaned[name] != value:
            raise ToolRefused(f"{tool}: {name} {show_given(value, of_json=True)} {UNCLEAN}")
    try:
        return msgspec.convert(cleaned, kind)
    except msgspec.ValidationError as error:
        raise ToolRefused(f"{tool}: {describe_invalid(error, kind, cleaned, of_json=True)}") from None
    except RecursionError as error:
        raise ToolRefused(f"{tool}: {clean(str(error), 200)}") from None


def read_most(tool: str, given: Given) -> int:
    """Return the argument `most`, the largest number of rows wanted; the default when it is missing.

    Raises:
        ToolRefused: It is no such number.
    """
    most = given.get(MOST, DEFAULT_MOST)
    if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= MOST_ROWS:
        raise ToolRefused(
            f"{tool}: {MOST} {show_given(most, of_json=True)} is not accepted; it is a whole number from 1 to {MOST_ROWS}"
        )
    return most


def check_params(tool: str, endpoint: Endpoint, given: Given) -> dict[str, str]:
    """Validate the parameters of an endpoint by the same rules as for Python programs; return them as they are sent.

    Raises:
        ToolRefused: One is unknown, missing, no text, or not accepted.
    """
    try:
        return call_params.check_params(tool, endpoint, given)
    except BadArgument as error:
        raise ToolRefused(str(error)) from None
