"""Reads any row of the catalogue when a screen asks: one page for each demand, a task of its own that can be ended."""

from __future__ import annotations

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.history import MAX_ROWS, ReadState
from tui.engine.rows import Table
from tui.engine.service_query import MoreRows, ServiceAnswer, ServiceQuery, ServiceRequest, StopQuery
from tui.engine.service_reading.limited_call import call_within_limit
from tui.engine.state.engine_state import EngineState
from tui.engine.task_supervisor import TaskSupervisor
from tui.interface import catalogue
from tui.interface.errors import ErrorClass
from tui.interface.paging import Page, page_query
from tui.interface.wording import how_many

PAGE_ROWS = 200
"""Rows of one page."""
_CAN_GO_ON = (ReadState.PART, ReadState.STOPPED, ReadState.FAILED)


class _Reading(msgspec.Struct):
    """One answer while it is being read."""

    query: ServiceQuery
    answer: ServiceAnswer
    page: int = 1
    """The next page."""


class ServiceReader:
    """Publishes each answer in the table ANSWERS, under the key of its query."""

    def __init__(self, state: EngineState, rest: Rest, tasks: TaskSupervisor) -> None:
        self._state = state
        self._rest = rest
        self._tasks = tasks
        self._readings: dict[str, _Reading] = {}

    def handle(self, request: ServiceRequest) -> None:
        """Begin, go on or stop; returns at once."""
        name, known = f"reading {request.key}", self._readings.get(request.key)
        if isinstance(request, StopQuery):
            self._tasks.cancel(name)
            if known is not None and known.answer.under_way:
                self._publish(known, state=ReadState.STOPPED)
            return
        if isinstance(request, ServiceQuery):
            self._tasks.cancel(name)
            begun = self._begin(request, known)
            if begun is None:
                return
            known = self._readings[request.key] = begun
        if known is not None and self._may_go_on(request, known) and self._tasks.spawn(name, self._read(known)):
            self._publish(known, state=ReadState.READING, text="", code=0)

    def _begin(self, query: ServiceQuery, before: _Reading | None) -> _Reading | None:
        """A new reading that shows the rows of before; None: there is nothing of that name to read."""
        row = catalogue.BY_NAME.get(query.endpoint)
        empty = ServiceAnswer(query=query, state=ReadState.READING)
        if row is None or row.is_command:
            text = f"there is no reading row {query.endpoint[:40]!r} in the catalogue"
            self._state.updates.put(
                Table.ANSWERS, query.key, msgspec.structs.replace(empty, state=ReadState.FAILED, text=text)
            )
            return None
        if before is None or before.query.endpoint != query.endpoint or before.query.params != query.params:
            return _Reading(query, empty)
        return _Reading(query, msgspec.structs.replace(before.answer, query=query))

    @staticmethod
    def _may_go_on(request: ServiceQuery | MoreRows, known: _Reading) -> bool:
        return isinstance(request, ServiceQuery) or known.answer.state in _CAN_GO_ON

    async def _read(self, reading: _Reading) -> None:
        """One page of rows, or the whole answer; whatever goes wrong is said in the answer."""
        try:
            await self._read_page(reading)
            while reading.query.to_end and reading.answer.state is ReadState.PART:
                await self._read_page(reading)
        except CallFailed as failure:
            text = str(failure)
            if failure.kind is ErrorClass.CRED and not failure.code:
                text = "read-only: no key"
            self._publish(reading, state=ReadState.FAILED, text=text, code=failure.code)
        except Exception:
            self._publish(reading, state=ReadState.FAILED, text="internal error; it is in the log")
            raise

    async def _read_page(self, reading: _Reading) -> None:
        endpoint = catalogue.BY_NAME[reading.query.endpoint]
        params = dict(reading.query.params)
        if endpoint.paged:
            params |= page_query(reading.page, PAGE_ROWS)
        asked = self._state.server_ms()
        data = (await call_within_limit(self._rest, endpoint, params)).data
        if isinstance(data, Page):
            self._take_page(reading, data, asked)
        elif isinstance(data, list):
            self._take_list(reading, data, asked)
        else:
            self._publish(reading, state=ReadState.WHOLE, data=data, rows=(), total=1, read_ms=asked)

    def _take_page(self, reading: _Reading, page: Page[object], asked: int) -> None:
        before = reading.answer.rows if reading.page > 1 else ()
        rows, total = (*before, *page.rows), int(page.total_size)
        last = page.is_last(reading.page)
        if not last and len(rows) >= MAX_ROWS:
            text = f"{how_many(MAX_ROWS, 'row')} are held; a filter shows the others"
            self._publish(reading, state=ReadState.FULL, rows=rows, total=total, text=text, read_ms=asked)
            return
        reading.page = 1 if last else reading.page + 1
        self._publish(
            reading, state=ReadState.WHOLE if last else ReadState.PART, rows=rows, total=max(total, len(rows)),
            read_ms=asked,
        )  # fmt: skip

    def _take_list(self, reading: _Reading, rows: list[object], asked: int) -> None:
        """A list without pages; also where an older service answers a paged row with one."""
        text = "" if len(rows) <= MAX_ROWS else f"{how_many(MAX_ROWS, 'row')} of {len(rows)} are held"
        shown = tuple(rows[:MAX_ROWS])
        self._publish(reading, state=ReadState.WHOLE, rows=shown, total=len(rows), text=text, read_ms=asked)

    def _publish(self, reading: _Reading, **changed: object) -> None:
        reading.answer = msgspec.structs.replace(reading.answer, **changed)
        self._state.updates.put(Table.ANSWERS, reading.query.key, reading.answer)
