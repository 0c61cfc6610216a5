"""Any row of the catalogue is read when a screen asks: page by page, typed, within the limits, and can be ended."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tests.client.fakes import PORTFOLIO, until
from tests.engine.conftest import Rig, Screen, StateRig
from tui.client.rest import CallFailed
from tui.engine.history import ReadState
from tui.engine.rows import Table
from tui.engine.service_query import MoreRows, ServiceAnswer, ServiceQuery, StopQuery
from tui.engine.service_reading import reader as reading
from tui.engine.service_reading.reader import ServiceReader
from tui.engine.task_supervisor import TaskSupervisor
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.paging import Page

pytestmark = pytest.mark.hurried

PAGED, WHOLE = "order_history", "account"


class Service:
    """One paged list and one answer, and what was asked."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.data: object = {"level": 3}
        self.calls: list[tuple[str, dict[str, str]]] = []
        self.gate: asyncio.Event | None = None
        self.failure: CallFailed | None = None
        self.wait = 0.0

    def wait_for_limit_s(self, _endpoint: Endpoint) -> float:
        return self.wait

    async def call(self, endpoint: Endpoint, query: dict[str, str], **_: object) -> Any:
        self.calls.append((endpoint.name, dict(query)))
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        if not endpoint.paged:
            return SimpleNamespace(data=self.data)
        page, size = int(query["page"]), int(query["pageSize"])
        rows = self.rows[(page - 1) * size : page * size]
        return SimpleNamespace(data=Page(rows=rows, page=page, page_size=size, total_size=str(len(self.rows))))


class Desk:
    """A reader and the screen it publishes to."""

    def __init__(self, bare: StateRig) -> None:
        self.service = Service()
        self.tasks = TaskSupervisor(bare.state, lambda: None)
        self.reader = ServiceReader(bare.state, self.service, self.tasks)  # type: ignore[arg-type]
        self.screen: Screen = bare.screen

    def ask(self, endpoint: str = PAGED, *, to_end: bool = False, **params: str) -> None:
        query = ServiceQuery(key="list", endpoint=endpoint, params=tuple(params.items()), to_end=to_end)
        self.reader.handle(query)

    def answer(self) -> ServiceAnswer:
        found = self.screen.look().tables[Table.ANSWERS]["list"]
        assert isinstance(found, ServiceAnswer)
        return found

    async def read(self) -> ServiceAnswer:
        await until(lambda: not self.answer().under_way)
        return self.answer()


@pytest.fixture
def desk(bare: StateRig, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(reading, "PAGE_ROWS", 2)
    return Desk(bare)


async def test_one_page_is_read_for_each_demand(desk: Desk) -> None:
    desk.service.rows = [1, 2, 3]
    desk.ask(sym="X")
    first = await desk.read()
    assert (first.rows, first.total, first.state) == ((1, 2), 3, ReadState.PART)
    desk.reader.handle(MoreRows(key="list"))
    second = await desk.read()
    assert (second.rows, second.state) == ((1, 2, 3), ReadState.WHOLE)
    assert [query["page"] for _, query in desk.service.calls] == ["1", "2"]
    assert {query["sym"] for _, query in desk.service.calls} == {"X"}
    desk.reader.handle(MoreRows(key="list"))
    assert len(desk.service.calls) == 2 and not desk.answer().under_way


async def test_all_pages_are_read_where_asked_for(desk: Desk) -> None:
    desk.service.rows = list(range(5))
    desk.ask(to_end=True)
    assert (await desk.read()).rows == (0, 1, 2, 3, 4)


async def test_more_rows_than_are_held_are_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_ROWS", 4)
    desk.service.rows = list(range(9))
    desk.ask(to_end=True)
    answer = await desk.read()
    assert (answer.state, len(answer.rows), answer.total) == (ReadState.FULL, 4, 9)
    assert answer.text == "4 rows are held; a filter shows the others"
    desk.service.data = list(range(6))
    desk.ask(WHOLE)
    listed = await desk.read()
    assert (listed.rows, listed.total, listed.text) == ((0, 1, 2, 3), 6, "4 rows of 6 are held")


async def test_an_object_is_handed_over_as_it_is(desk: Desk) -> None:
    desk.ask(WHOLE)
    answer = await desk.read()
    assert (answer.data, answer.rows, answer.state) == ({"level": 3}, (), ReadState.WHOLE)
    assert desk.service.calls == [(WHOLE, {})]


async def test_rows_of_before_stay_while_the_same_is_read_anew_and_no_others(desk: Desk) -> None:
    desk.service.rows = [1, 2]
    desk.ask()
    await desk.read()
    desk.service.gate = asyncio.Event()
    desk.ask()
    assert (desk.answer().state, desk.answer().rows) == (ReadState.READING, (1, 2))
    desk.service.rows = [7]
    desk.service.gate.set()
    assert (await desk.read()).rows == (7,)
    desk.service.gate = asyncio.Event()
    desk.ask(sym="Y")
    assert desk.answer().rows == ()


async def test_a_failure_keeps_the_rows_and_says_why(desk: Desk) -> None:
    desk.service.rows = [1]
    desk.ask()
    await desk.read()
    desk.service.failure = CallFailed(ErrorClass.STATE, "100003 invalid user type", code=100003)
    desk.ask()
    answer = await desk.read()
    assert (answer.state, answer.code, answer.rows) == (ReadState.FAILED, 100003, (1,))
    assert answer.text == "100003 invalid user type"
    desk.service.failure = None
    desk.ask()
    assert ((await desk.read()).code, desk.answer().text) == (0, "")


async def test_an_internal_error_is_said_in_the_answer(desk: Desk) -> None:
    desk.service.rows = [1]
    desk.service.data = None
    desk.service.call = None  # type: ignore[assignment]
    desk.ask()
    answer = await desk.read()
    assert (answer.state, answer.text) == (ReadState.FAILED, "internal error; it is in the log")
    assert desk.tasks.failures == 1


async def test_a_call_that_the_limit_holds_back_for_long_is_not_made(desk: Desk) -> None:
    desk.service.wait = 130.0
    desk.ask()
    assert (await desk.read()).text == "the limit of 30/10 s is used up; free in 3 minutes"
    assert desk.service.calls == []


async def test_what_is_being_read_can_be_stopped_and_gone_on_with(desk: Desk) -> None:
    desk.service.rows = [1, 2, 3]
    desk.ask()
    await desk.read()
    desk.service.gate = asyncio.Event()
    desk.reader.handle(MoreRows(key="list"))
    desk.reader.handle(StopQuery(key="list"))
    assert (desk.answer().state, desk.answer().rows) == (ReadState.STOPPED, (1, 2))
    desk.service.gate = None
    desk.reader.handle(MoreRows(key="list"))
    assert (await desk.read()).rows == (1, 2, 3)
    desk.reader.handle(StopQuery(key="list"))
    assert desk.answer().state is ReadState.WHOLE


@pytest.mark.parametrize("name", ["place_order", "transfer", "nothing"])
async def test_a_row_that_changes_something_is_not_read(desk: Desk, name: str) -> None:
    desk.ask(name)
    answer = desk.answer()
    assert (answer.state, desk.service.calls) == (ReadState.FAILED, [])
    assert name in answer.text


async def test_a_running_engine_reads_and_publishes_it(rig: Rig) -> None:
    await rig.ready()
    rig.engine.read(ServiceQuery(key="me", endpoint="account"))
    await until(lambda: not _answer(rig).under_way)
    assert _answer(rig).state is ReadState.WHOLE
    assert PORTFOLIO in str(_answer(rig).rows)


def _answer(rig: Rig) -> ServiceAnswer:
    found = rig.screen.look().tables.get(Table.ANSWERS, {}).get("me")
    return (
        found
        if isinstance(found, ServiceAnswer)
        else ServiceAnswer(query=ServiceQuery(key="me", endpoint="account"), state=ReadState.READING)
    )
