"""Tool that searches the journal of the desk: intents, requests, answers and decisions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from tui.agents.answers import MOST_ROWS, Answer, Source, ToolRefused, list_rows
from tui.agents.tool import Tool, make_tool
from tui.crossdesk_error import CrossdeskError

DEFAULT_ENTRIES = 20


class JournalLine(msgspec.Struct, frozen=True, kw_only=True):
    """Entry of the journal."""

    seq: int
    wall_ms: int
    kind: str
    client_order_id: str
    order_id: str
    payload: str
    """JSON."""


ReadJournal = Callable[[], Sequence[JournalLine]]
"""Reads the entries of the desk's journal, oldest first."""


class JournalQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `journal_search`."""

    contains: str = ""
    """Text that the entry holds, such as a pair; empty: any."""
    order: str = ""
    """Key or id of an order; empty: any."""
    kind: str = ""
    """Kind of entry, such as intent, reply or proposal; empty: any."""
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)] = DEFAULT_ENTRIES
    """Most entries, the newest first."""


class JournalTools:
    """Tools for an agent that search the desk's journal on disk."""

    def __init__(self, read: ReadJournal) -> None:
        """Initialize the tools; `read` reads the journal and is called on a worker thread."""
        self._read = read

    def tools(self) -> list[Tool]:
        """List the tools."""
        purpose = "Search the journal of the desk: intents, requests, answers and proposals, the newest first."
        return [make_tool("journal_search", purpose, JournalQuery, self._search)]

    async def _search(self, query: JournalQuery) -> Answer:
        try:
            lines = await asyncio.to_thread(self._read)
        except CrossdeskError as error:
            raise ToolRefused(f"journal_search: {error}") from None
        matching = [line for line in reversed(lines) if _fits(line, query)]
        rows = [_show(line) for line in matching[: query.most]]
        return Answer(list_rows(rows, query.most, total=len(matching)), Source.JOURNAL)


def _fits(line: JournalLine, query: JournalQuery) -> bool:
    return (
        query.kind in ("", line.kind)
        and query.contains in line.payload
        and (not query.order or query.order in (line.client_order_id, line.order_id) or query.order in line.payload)
    )


def _show(line: JournalLine) -> dict[str, object]:
    at = datetime.fromtimestamp(line.wall_ms / 1000, UTC)
    try:
        payload: object = json.loads(line.payload)
    except ValueError:
        payload = line.payload
    return {
        "seq": line.seq, "at": at, "kind": line.kind, "client_order_id": line.client_order_id, "order_id": line.order_id,
        "payload": payload,
    }  # fmt: skip
