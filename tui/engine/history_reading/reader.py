"""Reads the history when the trader asks for it: one page for each demand, within the limits, and never in the way.

A read waits for nobody and nobody waits for it: it is a task of its own that can be ended, and uses no share of the
limits that is kept for queries about orders. Archives are slow; one of them is asked at a time.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.history import (
    MAX_ROWS,
    HistoryKind,
    HistoryQuery,
    HistoryRead,
    HistoryRequest,
    HistoryRow,
    ReadState,
    StopReading,
)
from tui.engine.history_reading.sources import HistorySource, row_id, sources_of
from tui.engine.rows import Table
from tui.engine.service_reading.limited_call import call_within_limit
from tui.engine.state.engine_state import EngineState
from tui.engine.task_supervisor import TaskSupervisor
from tui.interface import requests
from tui.interface.errors import ErrorClass
from tui.interface.families.history import (
    PORTFOLIO_TRADING_STATS,
    USER_TRADING_STATS,
    USER_TRADING_STATS_OLD,
    UserStats,
)
from tui.interface.families.orders import ORDER_DETAIL
from tui.interface.paging import Page, page_query
from tui.interface.wording import how_many

PAGE_ROWS = 200
"""Rows of one page."""


class _Reading(msgspec.Struct):
    """One list while it is being read."""

    query: HistoryQuery
    asked_ms: int
    sources: list[HistorySource] | None = None
    """What is still to be read, the first one partly; None: not known yet."""
    page: int = 1
    """The next page of the first source."""
    rows: dict[str, HistoryRow] = {}
    totals: dict[str, int] = {}
    """Rows that each source says it has."""


class HistoryReader:
    """Publishes each list in the table HISTORY, under its kind."""

    def __init__(self, state: EngineState, rest: Rest, tasks: TaskSupervisor) -> None:
        self._state = state
        self._rest = rest
        self._tasks = tasks
        self._readings: dict[HistoryKind, _Reading] = {}
        self._archive = asyncio.Lock()

    def handle(self, request: HistoryRequest) -> None:
        """Begin, go on or stop; returns at once."""
        name = f"history {request.kind.value}"
        if isinstance(request, StopReading):
            self._tasks.cancel(name)
            reading = self._readings.get(request.kind)
            if reading is not None:
                self._publish(reading, ReadState.STOPPED)
            return
        if isinstance(request, HistoryQuery):
            self._tasks.cancel(name)
            self._readings[request.kind] = _Reading(query=request, asked_ms=self._state.server_ms())
        reading = self._readings.get(request.kind)
        if reading is not None and self._tasks.spawn(name, self._read(reading, name)):
            self._publish(reading, ReadState.READING)

    async def _read(self, reading: _Reading, name: str) -> None:
        """One page of rows; whatever goes wrong is said in the list."""
        try:
            if reading.query.kind is HistoryKind.VOLUME:
                await self._read_volume(reading)
            elif reading.query.kind is HistoryKind.ORDERS and reading.query.order:
                found = await self._find_order(reading.query.order)
                reading.rows, reading.totals = {found.order_id: found}, {name: 1}
                self._publish(reading, ReadState.WHOLE)
            else:
                await self._read_page(reading)
        except CallFailed as failure:
            self._publish(reading, ReadState.FAILED, str(failure), failure.code)
        except Exception:
            self._publish(reading, ReadState.FAILED, "internal error; it is in the log")
            raise

    async def _read_page(self, reading: _Reading) -> None:
        query = reading.query
        if reading.sources is None:
            order = await self._find_order(query.order) if query.order else None
            order_id = order.order_id if order is not None else ""
            reading.sources = sources_of(query, order_id, reading.asked_ms)
        before = len(reading.rows)
        while reading.sources and len(reading.rows) - before < PAGE_ROWS and len(reading.rows) < MAX_ROWS:
            await self._read_source(reading, reading.sources)
        if len(reading.rows) >= MAX_ROWS and reading.sources:
            text = f"{how_many(MAX_ROWS, 'row')} are held; a narrower window or a filter shows the others"
            self._publish(reading, ReadState.FULL, text)
        else:
            self._publish(reading, ReadState.PART if reading.sources else ReadState.WHOLE)

    async def _read_source(self, reading: _Reading, sources: list[HistorySource]) -> None:
        """The next page of the first source; behind its last page the source is done."""
        source = sources[0]
        params = {**source.params, **page_query(reading.page, PAGE_ROWS)}
        if source.is_archive:
            self._publish(reading, ReadState.ARCHIVE)
            async with self._archive:
                data = await self._call(source.endpoint, params)
        else:
            data = await self._call(source.endpoint, params)
        rows: list[Any] = data.rows if isinstance(data, Page) else data
        self._take(reading, rows)
        if isinstance(data, Page) and not data.is_last(reading.page):
            reading.totals[source.key] = int(data.total_size)
            reading.page += 1
        else:
            reading.totals[source.key] = int(data.total_size) if isinstance(data, Page) else len(rows)
            reading.page = 1
            del sources[0]

    def _take(self, reading: _Reading, rows: list[Any]) -> None:
        kind = reading.query.kind
        for row in rows:
            if self._state.accepts(str(row.portfolio_id), "a row of the history"):
                reading.rows[row_id(kind, row)] = row

    async def _find_order(self, asked: str) -> Any:
        """An order by either id: sixteen digits are taken for the service's id first.

        Raises:
            CallFailed: there is none, or it cannot be read.
        """
        references = [requests.order_ref("", asked)]
        if len(asked) == requests.ORDER_ID_DIGITS and asked.isdecimal():
            references.insert(0, requests.order_ref(asked, ""))
        missing: CallFailed | None = None
        for reference in references:
            try:
                found = await self._call(ORDER_DETAIL, reference)
            except CallFailed as failure:
                if failure.kind is not ErrorClass.GONE:
                    raise
                missing = failure
            else:
                if self._state.accepts(found.portfolio_id, "an order"):
                    return found
        raise CallFailed(ErrorClass.GONE, f"no order has the id {asked}") from missing

    async def _read_volume(self, reading: _Reading) -> None:
        """Sums per pair of this portfolio, and, where the key may read them, those of all portfolios."""
        query = reading.query
        window = {"begin": str(query.begin_ms), "end": str(query.end_ms or reading.asked_ms)}
        narrowed = {"exchange": query.exchange, "businessType": query.word}
        found = await self._call(PORTFOLIO_TRADING_STATS, {**window, **narrowed, "symList": query.sym})
        user, text = None, ""
        try:
            user = await self._sums_of_user({**window, **narrowed})
        except CallFailed as failure:
            text = f"all portfolios: {failure}"
        self._publish_read(
            HistoryRead(
                query=query, state=ReadState.WHOLE, rows=tuple(found.details), total=len(found.details), text=text,
                asked_ms=reading.asked_ms, portfolio=found, user=user,
            )
        )  # fmt: skip

    async def _sums_of_user(self, params: dict[str, str]) -> UserStats:
        """Sums of all portfolios; a service may know the call by its older path alone.

        Raises:
            CallFailed: they cannot be read.
        """
        found: UserStats
        try:
            found = await self._call(USER_TRADING_STATS, params)
        except CallFailed as failure:
            if failure.http != HTTPStatus.NOT_FOUND:
                raise
            found = await self._call(USER_TRADING_STATS_OLD, params)
        return found

    async def _call(self, endpoint: Any, params: dict[str, str]) -> Any:
        return (await call_within_limit(self._rest, endpoint, params)).data

    def _publish(self, reading: _Reading, state: ReadState, text: str = "", code: int = 0) -> None:
        self._publish_read(
            HistoryRead(
                query=reading.query, state=state, rows=tuple(reading.rows.values()),
                total=max(sum(reading.totals.values()), len(reading.rows)), code=code, text=text,
                asked_ms=reading.asked_ms,
            )
        )  # fmt: skip

    def _publish_read(self, read: HistoryRead) -> None:
        self._state.updates.put(Table.HISTORY, read.query.kind.value, read)
