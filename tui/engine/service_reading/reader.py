"""Reader of service lists and records for screens: one page per request, within the rate limits.

Reads run in their own cancellable tasks, without the share of the limits reserved for queries about orders. Archives
are
slow, so only one is read at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.rows import Table
from tui.engine.service_query import (
    MAX_ROWS,
    ListRead,
    Lookup,
    QuerySource,
    ReadState,
    ServiceQuery,
    ServiceRequest,
    StopQuery,
)
from tui.engine.service_reading.limited_call import call_within_limit
from tui.engine.state.engine_state import EngineState
from tui.interface import catalogue
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.paging import Page, page_query
from tui.interface.text import clean, how_many

PAGE_ROWS = 200
"""Rows of one page."""
_CAN_GO_ON = (ReadState.PART, ReadState.STOPPED, ReadState.FAILED)


class _Reading(msgspec.Struct):
    """Progress of one list that is being read."""

    query: ServiceQuery
    read: ListRead
    """State as last published."""
    sources: list[QuerySource]
    """Sources still to read, the first one partly."""
    lookup: Lookup | None
    """Record to read before them."""
    page: int = 1
    """Next page of the first source."""
    rows: dict[object, object] = {}
    total_before: int = 0
    """Rows of the sources read to their end."""


class ServiceReader:
    """Reader that publishes each list in the table ANSWERS, under the key of its query."""

    def __init__(self, state: EngineState, rest: Rest, tasks: TaskSupervisor) -> None:
        self._state = state
        self._rest = rest
        self._tasks = tasks
        self._readings: dict[str, _Reading] = {}
        self._archive = asyncio.Lock()

    def handle(self, request: ServiceRequest) -> None:
        """Start, continue or stop reading a list; returns at once."""
        name, reading = f"reading {request.key}", self._readings.get(request.key)
        if isinstance(request, StopQuery):
            self._tasks.cancel(name)
            if reading is not None and reading.read.under_way:
                self._publish(reading, state=ReadState.STOPPED)
            if request.forget:
                self._readings.pop(request.key, None)
                self._state.updates.put(Table.ANSWERS, request.key, None)
            return
        if isinstance(request, ServiceQuery):
            self._tasks.cancel(name)
            reading = self._begin(request, reading)
        elif reading is not None and reading.read.state not in _CAN_GO_ON:
            return
        if reading is not None and self._tasks.spawn(name, self._read(reading)):
            self._publish(reading, state=ReadState.READING, text="", code=0)

    def _begin(self, query: ServiceQuery, before: _Reading | None) -> _Reading | None:
        """Start a query, keeping old rows until new ones arrive; return None for an unknown or unreadable endpoint."""
        read = ListRead(query=query, state=ReadState.READING)
        if before is not None and before.query.sources == query.sources:
            read = msgspec.structs.replace(before.read, query=query)
        reading = _Reading(query, read, list(query.sources), query.lookup)
        self._readings[query.key] = reading
        rows = {source.endpoint: catalogue.BY_NAME.get(source.endpoint) for source in _all_sources(query)}
        unreadable = [name for name, row in rows.items() if row is None or row.is_command]
        if not unreadable:
            return reading
        text = f"there is no reading row {clean(unreadable[0], 40)!r} in the catalogue"
        self._publish(reading, state=ReadState.FAILED, text=text)
        # Nobody goes on with it: it would call what is no reading row.
        del self._readings[query.key]
        return None

    async def _read(self, reading: _Reading) -> None:
        """Read the next rows of a list; a failure is published with the list."""
        try:
            await self._read_lookup(reading)
            await self._read_pages(reading)
        except CallFailed as failure:
            self._publish(reading, state=ReadState.FAILED, text=_describe(failure, reading.query), code=failure.code)
        except Exception:
            self._publish(reading, state=ReadState.FAILED, text="internal error; it is in the log")
            raise

    async def _read_lookup(self, reading: _Reading) -> None:
        """Read the lookup record and add one of its fields to the parameters of the sources."""
        lookup = reading.lookup
        if lookup is not None:
            record = await self._read_source(reading, lookup.source)
            value = getattr(record, lookup.field, None)
            if value is None:
                raise CallFailed(ErrorClass.GONE, f"the record has no field {clean(lookup.field, 40)!r}")
            asked = (lookup.param, str(value))
            reading.sources = [
                msgspec.structs.replace(source, params=(*source.params, asked)) for source in reading.sources
            ]
            reading.lookup = None

    async def _read_pages(self, reading: _Reading) -> None:
        """Read until one page of new rows is complete, or to the end if the query asks for it."""
        before = len(reading.rows)
        while reading.sources and len(reading.rows) < MAX_ROWS:
            await self._read_page(reading)
            if not reading.query.to_end and len(reading.rows) - before >= PAGE_ROWS:
                break
        held, total = len(reading.rows), reading.read.total
        if held >= MAX_ROWS and (reading.sources or total > held):
            text = (
                f"{held} of {how_many(total, 'row')} are loaded; a shorter time window or a filter shows the other rows"
            )
            self._publish(reading, state=ReadState.FULL, text=text)
        else:
            self._publish(reading, state=ReadState.PART if reading.sources else ReadState.WHOLE)

    async def _read_page(self, reading: _Reading) -> None:
        """Read the next page of the first source; after its last page, continue with the next source."""
        asked_ms, page = self._state.server_ms(), reading.page
        answer = await self._read_source(reading, reading.sources[0])
        if isinstance(answer, Page):
            rows, data, total = answer.rows, None, int(answer.total_size)
        elif isinstance(answer, list):
            rows, data, total = answer, None, len(answer)
        else:
            rows, data, total = [], answer, 1
        total += reading.total_before
        self._hold(reading, rows)
        reading.page += 1
        if not isinstance(answer, Page) or answer.is_last(page):
            reading.page, reading.total_before = 1, total
            del reading.sources[0]
        held = tuple(reading.rows.values())
        self._publish(reading, rows=held, data=data, total=max(total, len(held)), read_ms=asked_ms)

    def _hold(self, reading: _Reading, rows: list[Any]) -> None:
        """Add rows to the list, up to `MAX_ROWS`; if the query says so, only those of the own portfolio."""
        query = reading.query
        for row in rows[: MAX_ROWS - len(reading.rows)]:
            if not query.own_only or self._state.accepts(str(getattr(row, "portfolio_id", "")), "a row of a list"):
                name = tuple(str(getattr(row, field, "")) for field in query.row_id) or len(reading.rows)
                reading.rows[name] = row

    async def _read_source(self, reading: _Reading, source: QuerySource) -> Any:
        """Read a page, list or record from a source, or from its fallback.

        Raises:
            CallFailed: It cannot be read.
        """
        endpoint = catalogue.BY_NAME[source.endpoint]
        params = dict(source.params) | (page_query(reading.page, PAGE_ROWS) if endpoint.paged else {})
        try:
            if "/archive/" not in endpoint.path:
                return await self._call(reading, endpoint, params)
            self._publish(reading, state=ReadState.ARCHIVE)
            async with self._archive:
                return await self._call(reading, endpoint, params)
        except CallFailed as failure:
            if source.fallback is None or (
                failure.kind is not ErrorClass.GONE and failure.http != HTTPStatus.NOT_FOUND
            ):
                raise
        return await self._read_source(reading, source.fallback)

    async def _call(self, reading: _Reading, endpoint: Endpoint, params: dict[str, str]) -> Any:
        """Call an endpoint; for queries limited to the own portfolio, a record of another one counts as missing."""
        data = (await call_within_limit(self._rest, endpoint, params)).data
        owner = "" if isinstance(data, Page | list) else getattr(data, "portfolio_id", "")
        if reading.query.own_only and not self._state.accepts(str(owner), "a record"):
            raise CallFailed(ErrorClass.GONE, "it belongs to another portfolio")
        return data

    def _publish(self, reading: _Reading, **changed: object) -> None:
        reading.read = msgspec.structs.replace(reading.read, **changed)
        self._state.updates.put(Table.ANSWERS, reading.query.key, reading.read)


def _all_sources(query: ServiceQuery) -> Iterator[QuerySource]:
    """Yield every source that a query may call, including that of the lookup and all fallbacks."""
    before = (query.lookup.source,) if query.lookup is not None else ()
    for source in (*query.sources, *before):
        next_one: QuerySource | None = source
        while next_one is not None:
            yield next_one
            next_one = next_one.fallback


def _describe(failure: CallFailed, query: ServiceQuery) -> str:
    """Explain why a list could not be read."""
    if failure.kind is ErrorClass.CRED and not failure.code:
        return "read-only: no key"
    return query.missing if failure.kind is ErrorClass.GONE and query.missing else str(failure)
