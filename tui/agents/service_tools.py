"""Tools over the catalogue of the service: lists of the past, every row that reads, and what an error code means."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any

import msgspec

from tui.agents.answers import MOST_ROWS, Answer, Source, ToolRefused, list_rows
from tui.agents.desk_link import DeskLink
from tui.agents.tool import DEFAULT_MOST, Tool, check_params, endpoint_schema, make_list_tool, make_tool
from tui.interface import errors
from tui.interface.catalogue import BY_NAME, ROWS
from tui.interface.endpoint import Endpoint
from tui.interface.text import clean, did_you_mean
from tui.programs.call_params import Given
from tui.programs.records import Listed

ONE_PAGE = 200
"""Most rows that one page brings."""
MOST_READS = 2
"""Most lists read at once: the limits of the service are those of the trader, too."""
PROPOSABLE = frozenset(["place_order"])
LISTS = {
    "order_history": ("order_history", "Ended orders of the past, the newest first."),
    "fill_history": ("executions_paged", "Fills of the past, the newest first."),
    "position_history": ("position_history", "Closed positions with their results."),
    "statement": ("statement", "Bookings of the account: trades, funding, interest, fees."),
}
"""Tools for lists that are asked for often: row of the catalogue, and purpose."""


class FindQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `find_endpoint`."""

    words: str = ""
    """Words of the name or the purpose, such as "funding rate"; empty: all names."""
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)] = 10
    """Most rows."""


class CallQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `call_endpoint`."""

    name: str
    """Name, as find_endpoint gives it."""
    params: dict[str, Annotated[Any, msgspec.Meta(extra_json_schema={"type": "string"})]] = {}
    """Parameters by name; all values are texts."""
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)] = DEFAULT_MOST
    """Most rows."""


class CodeQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `explain_error`."""

    code: int
    """Error code of the service."""


class ServiceTools:
    """Tools for an agent that read the service's REST endpoints through the desk, within its rate limits."""

    def __init__(self, link: DeskLink) -> None:
        self._link = link
        self._reads = asyncio.Semaphore(MOST_READS)

    def tools(self) -> list[Tool]:
        """List the tools."""
        lists = [
            make_list_tool(name, purpose, BY_NAME[row], partial(self._read, BY_NAME[row]))
            for name, (row, purpose) in LISTS.items()
        ]
        return [
            *lists,
            make_tool("find_endpoint", "Find rows of the service's interface, with the JSON Schema of their parameters.",
                      FindQuery, self._find),
            make_tool("call_endpoint", "Read any row of the service's interface; what changes something is refused.",
                      CallQuery, self._call),
            make_tool("explain_error", "What an error code of the service means, and what to do.", CodeQuery,
                      self._explain),
        ]  # fmt: skip

    async def _read(self, endpoint: Endpoint, params: dict[str, str], most: int) -> Answer:
        async with self._reads, self._link.desk() as desk:
            read = await desk.read(endpoint.name, params, to_end=most > ONE_PAGE)
        return Answer(_data(read, most), Source.SERVICE)

    async def _find(self, query: FindQuery) -> Answer:
        words = query.words.lower().replace("_", " ").split()
        scored = [(_score(row, words), row) for row in ROWS]
        fitting = [row for score, row in sorted(scored, key=lambda pair: -pair[0]) if score or not words]
        shown = list_rows([_describe(row) for row in fitting], query.most)
        return Answer(shown, Source.CROSSDESK)

    async def _call(self, query: CallQuery) -> Answer:
        endpoint = BY_NAME.get(query.name)
        if endpoint is None:
            hint = did_you_mean(query.name, BY_NAME) or "; find_endpoint finds names"
            raise ToolRefused(f"call_endpoint: name {clean(query.name, 40)!r} is not in the catalogue{hint}")
        if endpoint.is_command:
            text = f"{endpoint.name} changes something, and no tool does that: {_instead(endpoint)}"
            raise ToolRefused(f"call_endpoint: {text}")
        given: Given = query.params
        return await self._read(endpoint, check_params(f"call_endpoint {endpoint.name}", endpoint, given), query.most)

    async def _explain(self, query: CodeQuery) -> Answer:
        known = errors.lookup(query.code)
        return Answer(
            {
                "code": known.code, "shows": known.shows, "meaning": known.meaning, "then": known.then,
                "of_a_query": known.read.value, "of_a_command": known.for_write.value,
                "only_on_paper": known.invented,
            },
            Source.CROSSDESK,
        )  # fmt: skip


def _data(read: Listed, most: int) -> object:
    """Return the record that was read, or at most `most` rows of the list with their total."""
    return list_rows(read.rows, most, total=read.total) if read.record is None else read.record


def _instead(endpoint: Endpoint) -> str:
    """Return what an agent should do instead of calling an endpoint that changes something."""
    return "propose_order asks the trader" if endpoint.name in PROPOSABLE else "ask the trader to do it at the desk"


def _score(row: Endpoint, words: list[str]) -> int:
    """Score how well an endpoint matches search words; a word in its name counts three times a word in its description."""
    name, rest = row.name.replace("_", " ").lower(), f"{row.purpose} {row.family} {row.path}".lower()
    return sum(3 * (word in name) + (word in rest) for word in words)


def _describe(row: Endpoint) -> dict[str, object]:
    described: dict[str, object] = {"name": row.name, "purpose": row.purpose, "family": row.family}
    if row.removed:
        described |= {"removed": row.removed, "replacement": row.replacement}
    if row.is_command:
        return {**described, "changes_something": True, "instead": _instead(row)}
    return {**described, "params": endpoint_schema(row)}
