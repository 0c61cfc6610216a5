"""Lists and records are read when a screen asks: page by page, source after source, within the limits, and can be ended."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO, until
from tests.engine.conftest import SYM, Rig, Screen, StateRig
from tui.client.rest import CallFailed
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.rows import Table
from tui.engine.service_query import (
    ListRead,
    Lookup,
    MoreRows,
    QuerySource,
    ReadState,
    ServiceQuery,
    StopQuery,
    query_endpoint,
)
from tui.engine.service_reading import past_lists
from tui.engine.service_reading import reader as reading
from tui.engine.service_reading.reader import ServiceReader
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord
from tui.interface.paging import Page

pytestmark = pytest.mark.hurried

PAGED, ARCHIVE, RECORD, WHOLE = "order_history", "order_archive", "order_detail", "account"
NUMBER = "2000000000000007"


def order(number: int, client: str = "", portfolio: str = PORTFOLIO) -> OrderRecord:
    return OrderRecord(
        portfolio_id=portfolio, order_id=str(2 * 10**15 + number), client_order_id=client or f"c{number}", sym=SYM,
        order_state="FILLED", side="BUY", create_at="1", update_at="1",
    )  # fmt: skip


class Service:
    """Lists by endpoint and one answer of any other kind, and what was asked."""

    def __init__(self) -> None:
        self.lists: dict[str, list[Any]] = {PAGED: []}
        self.data: object = {"level": 3}
        self.calls: list[tuple[str, dict[str, str]]] = []
        self.gate: asyncio.Event | None = None
        """Answers wait for it."""
        self.gated = ""
        """The only endpoint whose answers wait; empty: all of them."""
        self.waiting = self.most_waiting = 0
        self.failures: dict[str, CallFailed] = {}
        self.wait = 0.0

    def wait_for_limit_s(self, _endpoint: Endpoint) -> float:
        return self.wait

    async def call(self, endpoint: Endpoint, query: dict[str, str], **_: object) -> Any:
        self.calls.append((endpoint.name, dict(query)))
        if self.gate is not None and self.gated in ("", endpoint.name):
            self.waiting += 1
            self.most_waiting = max(self.most_waiting, self.waiting)
            try:
                await self.gate.wait()
            finally:
                self.waiting -= 1
        if endpoint.name in self.failures:
            raise self.failures[endpoint.name]
        if endpoint.name == RECORD:
            return SimpleNamespace(data=self._find(query))
        if not endpoint.paged:
            return SimpleNamespace(data=self.data)
        rows = self.lists.get(endpoint.name, [])
        page, size = int(query["page"]), int(query["pageSize"])
        part = rows[(page - 1) * size : page * size]
        return SimpleNamespace(data=Page(rows=part, page=page, page_size=size, total_size=str(len(rows))))

    def _find(self, query: dict[str, str]) -> Any:
        for row in (row for rows in self.lists.values() for row in rows):
            if query in ({"orderId": row.order_id}, {"clientOrderId": row.client_order_id}):
                return row
        raise CallFailed(ErrorClass.GONE, "401018 Order not found", code=401018)


class Desk:
    """A reader and the screen it publishes to."""

    def __init__(self, bare: StateRig) -> None:
        self.service = Service()
        self.tasks = TaskSupervisor(bare.state, lambda: None)
        self.reader = ServiceReader(bare.state, self.service, self.tasks)  # type: ignore[arg-type]
        self.screen: Screen = bare.screen

    def ask(self, endpoint: str = PAGED, *, to_end: bool = False, **params: str) -> None:
        self.reader.handle(query_endpoint("list", endpoint, tuple(params.items()), to_end=to_end))

    def ask_both(self, key: str = "list") -> None:
        """Ask for orders, first those of the list and then those of the archive."""
        sources = (QuerySource(PAGED), QuerySource(ARCHIVE))
        self.reader.handle(ServiceQuery(key=key, sources=sources, row_id=("order_id",), own_only=True))

    def more(self) -> None:
        self.reader.handle(MoreRows(key="list"))

    def answer(self, key: str = "list") -> ListRead:
        read = self.screen.look().tables[Table.ANSWERS][key]
        assert isinstance(read, ListRead)
        return read

    async def read(self, key: str = "list") -> ListRead:
        await until(lambda: not self.answer(key).under_way)
        return self.answer(key)

    @property
    def called(self) -> list[str]:
        return [name for name, _ in self.service.calls]


@pytest.fixture
def desk(bare: StateRig, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(reading, "PAGE_ROWS", 2)
    return Desk(bare)


async def test_each_request_reads_one_more_page(desk: Desk) -> None:
    desk.service.lists[PAGED] = [1, 2, 3]
    desk.ask(sym="X")
    first = await desk.read()
    assert (first.rows, first.total, first.state) == ((1, 2), 3, ReadState.PART)
    desk.more()
    second = await desk.read()
    assert (second.rows, second.state) == ((1, 2, 3), ReadState.WHOLE)
    assert [query["page"] for _, query in desk.service.calls] == ["1", "2"]
    assert {query["sym"] for _, query in desk.service.calls} == {"X"}
    desk.more()
    assert len(desk.service.calls) == 2 and not desk.answer().under_way


async def test_all_pages_are_read_on_request(desk: Desk) -> None:
    desk.service.lists[PAGED] = list(range(5))
    desk.ask(to_end=True)
    assert (await desk.read()).rows == (0, 1, 2, 3, 4)


async def test_a_list_reads_its_first_source_whole_and_then_the_next(desk: Desk) -> None:
    both = order(2)
    desk.service.lists = {PAGED: [order(4), order(3), both], ARCHIVE: [both, order(1), order(0)]}
    desk.ask_both()
    first = await desk.read()
    assert (first.state, len(first.rows), first.total, desk.called) == (ReadState.PART, 2, 3, [PAGED])
    desk.more()
    second = await desk.read()
    assert (second.state, len(second.rows), second.total) == (ReadState.PART, 4, 6)
    desk.more()
    whole = await desk.read()
    assert (whole.state, [int(row.order_id[-1]) for row in whole.rows]) == (ReadState.WHOLE, [4, 3, 2, 1, 0])  # type: ignore[attr-defined]
    assert desk.called == [PAGED, PAGED, ARCHIVE, ARCHIVE]


async def test_a_list_longer_than_the_row_limit_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_ROWS", 4)
    desk.service.lists[PAGED] = list(range(9))
    desk.ask(to_end=True)
    answer = await desk.read()
    assert (answer.state, len(answer.rows), answer.total) == (ReadState.FULL, 4, 9)
    assert answer.text == "4 of 9 rows are loaded; a shorter time window or a filter shows the other rows"
    desk.more()
    assert desk.answer().state is ReadState.FULL
    desk.service.data = list(range(6))
    desk.ask(WHOLE)
    listed = await desk.read()
    assert (listed.state, listed.rows, listed.total) == (ReadState.FULL, (0, 1, 2, 3), 6)


async def test_an_object_reply_is_returned_unchanged(desk: Desk) -> None:
    desk.ask(WHOLE)
    answer = await desk.read()
    assert (answer.data, answer.rows, answer.state) == ({"level": 3}, (), ReadState.WHOLE)
    assert desk.service.calls == [(WHOLE, {})]


async def test_old_rows_stay_only_if_the_same_query_is_repeated(desk: Desk) -> None:
    desk.service.lists[PAGED] = [1, 2]
    desk.ask()
    await desk.read()
    desk.service.gate = asyncio.Event()
    desk.ask()
    assert (desk.answer().state, desk.answer().rows) == (ReadState.READING, (1, 2))
    desk.service.lists[PAGED] = [7]
    desk.service.gate.set()
    assert (await desk.read()).rows == (7,)
    desk.service.gate = asyncio.Event()
    desk.ask(sym="Y")
    assert desk.answer().rows == ()


async def test_a_new_query_replaces_the_one_before(desk: Desk) -> None:
    desk.service.gate = asyncio.Event()
    desk.ask()
    await until(lambda: desk.service.waiting == 1)
    desk.ask(sym=SYM)
    await until(lambda: len(desk.service.calls) == 2)
    desk.service.gate.set()
    assert (await desk.read()).query.sources == (QuerySource(PAGED, (("sym", SYM),)),)


async def test_a_failed_query_keeps_the_rows_and_says_why(desk: Desk) -> None:
    desk.service.lists[PAGED] = [1]
    desk.ask()
    await desk.read()
    desk.service.failures[PAGED] = CallFailed(ErrorClass.STATE, "100003 invalid user type", code=100003)
    desk.ask()
    answer = await desk.read()
    assert (answer.state, answer.code, answer.rows) == (ReadState.FAILED, 100003, (1,))
    assert answer.text == "100003 invalid user type" and not desk.tasks.failures
    desk.service.failures.clear()
    desk.more()
    assert ((await desk.read()).code, desk.answer().text, desk.answer().rows) == (0, "", (1,))


async def test_an_internal_error_is_shown_in_the_query_result(desk: Desk) -> None:
    desk.service.call = None  # type: ignore[assignment]
    desk.ask()
    answer = await desk.read()
    assert (answer.state, answer.text) == (ReadState.FAILED, "internal error; it is in the log")
    assert desk.tasks.failures == 1


async def test_a_query_with_a_long_rate_limit_wait_is_not_sent(desk: Desk) -> None:
    desk.service.wait = 130.0
    desk.ask()
    assert (await desk.read()).text == "the limit of 30/10 s is used up; free in 3 minutes"
    assert desk.service.calls == []


async def test_a_query_can_be_stopped_and_continued(desk: Desk) -> None:
    desk.service.lists[PAGED] = [1, 2, 3]
    desk.ask()
    await desk.read()
    desk.service.gate = asyncio.Event()
    desk.more()
    desk.reader.handle(StopQuery(key="list"))
    assert (desk.answer().state, desk.answer().rows) == (ReadState.STOPPED, (1, 2))
    desk.service.gate = None
    desk.more()
    assert (await desk.read()).rows == (1, 2, 3)
    desk.reader.handle(StopQuery(key="list"))
    assert desk.answer().state is ReadState.WHOLE


async def test_an_archive_query_is_shown_as_running(desk: Desk) -> None:
    desk.service.lists = {PAGED: [order(2)], ARCHIVE: [order(1)]}
    desk.service.gate, desk.service.gated = asyncio.Event(), ARCHIVE
    desk.ask_both()
    await until(lambda: desk.service.waiting == 1)
    assert (desk.answer().state, len(desk.answer().rows)) == (ReadState.ARCHIVE, 1)
    desk.reader.handle(StopQuery(key="list"))
    assert (desk.answer().state, len(desk.answer().rows)) == (ReadState.STOPPED, 1)
    await until(lambda: desk.service.waiting == 0)
    desk.service.gate.set()
    desk.more()
    assert len((await desk.read()).rows) == 2


async def test_archive_queries_run_one_at_a_time(desk: Desk) -> None:
    desk.service.gate, desk.service.gated = asyncio.Event(), ARCHIVE
    desk.ask_both("one")
    desk.ask_both("two")
    await until(lambda: desk.service.waiting == 1)
    await until(lambda: all(desk.answer(key).state is ReadState.ARCHIVE for key in ("one", "two")))
    desk.service.gate.set()
    await desk.read("one")
    await desk.read("two")
    assert desk.service.most_waiting == 1


async def test_paging_a_list_never_queried_does_nothing(desk: Desk) -> None:
    desk.more()
    desk.reader.handle(StopQuery(key="list"))
    assert desk.service.calls == [] and Table.ANSWERS not in desk.screen.look().tables


async def test_query_rows_of_another_portfolio_are_dropped(desk: Desk) -> None:
    desk.service.lists[PAGED] = [order(1, portfolio="9999")]
    desk.ask_both()
    assert (await desk.read()).rows == ()
    assert desk.screen.said("a row of a list of another portfolio")


# Fallbacks and look-ups

BY_CLIENT = QuerySource(RECORD, (("clientOrderId", NUMBER),))
BY_NUMBER = QuerySource(RECORD, (("orderId", NUMBER),), fallback=BY_CLIENT)
LOOK_UP = ServiceQuery(key="list", sources=(BY_NUMBER,), own_only=True, missing=f"no order has the id {NUMBER}")


@pytest.mark.parametrize("row", [order(7, "mine"), order(5, NUMBER)], ids=["order id", "client order id"])
async def test_a_fallback_query_finds_a_missing_record(desk: Desk, row: OrderRecord) -> None:
    desk.service.lists[ARCHIVE] = [row]
    desk.reader.handle(LOOK_UP)
    answer = await desk.read()
    assert (answer.state, answer.data, answer.total) == (ReadState.WHOLE, row, 1)


async def test_a_record_of_another_portfolio_is_not_found(desk: Desk) -> None:
    desk.reader.handle(LOOK_UP)
    answer = await desk.read()
    assert (answer.state, answer.text) == (ReadState.FAILED, LOOK_UP.missing)
    desk.service.lists[PAGED] = [order(7, portfolio="9999999999999999")]
    desk.reader.handle(LOOK_UP)
    answer = await desk.read()
    assert (answer.state, answer.data, answer.text) == (ReadState.FAILED, None, LOOK_UP.missing)
    assert desk.screen.said("a record of another portfolio")


async def test_a_failed_lookup_does_not_use_the_fallback(desk: Desk) -> None:
    desk.service.failures[RECORD] = CallFailed(ErrorClass.UNSURE, "HTTP 502")
    desk.reader.handle(LOOK_UP)
    answer = await desk.read()
    assert (answer.state, answer.text) == (ReadState.FAILED, "HTTP 502")
    assert [query for _, query in desk.service.calls] == [{"orderId": NUMBER}]


async def test_an_unavailable_endpoint_falls_back_to_its_old_path(desk: Desk) -> None:
    source = QuerySource("user_trading_stats", (), QuerySource("user_trading_stats_old"))
    desk.service.failures["user_trading_stats"] = CallFailed(ErrorClass.BUG, "404 not offered", code=404, http=404)
    desk.reader.handle(ServiceQuery(key="list", sources=(source,)))
    answer = await desk.read()
    assert (answer.state, answer.data, answer.text) == (ReadState.WHOLE, desk.service.data, "")


async def test_a_lookup_queries_further_lists_by_its_order_id(desk: Desk) -> None:
    desk.service.lists = {PAGED: [order(7, "mine")], "executions_paged": [], "executions_archive": []}
    lookup = Lookup(QuerySource(RECORD, (("clientOrderId", "mine"),)), "order_id", "orderId")
    query = ServiceQuery(
        key="list", sources=(QuerySource("executions_paged"), QuerySource("executions_archive")), lookup=lookup
    )
    desk.reader.handle(msgspec.structs.replace(query, row_id=("transaction_id",), own_only=True))
    assert (await desk.read()).state is ReadState.WHOLE
    assert [params.get("orderId") for _, params in desk.service.calls] == [None, NUMBER, NUMBER]


async def test_fills_of_two_orders_with_one_id_are_both_read(desk: Desk) -> None:
    """A live service gives ids again; the row of a fill in two lists still counts once."""
    first = TradeRecord(transaction_id="1", order_id="7", sym="S", side="BUY", quantity="1", price="2", create_at="1")
    first = msgspec.structs.replace(first, portfolio_id=PORTFOLIO)
    again = msgspec.structs.replace(first, order_id="8")
    desk.service.lists = {"executions_paged": [first, again], "executions_archive": [first]}
    sources = (QuerySource("executions_paged"), QuerySource("executions_archive"))
    query = ServiceQuery(key="list", sources=sources, row_id=past_lists.FILLS.row_id, own_only=True, to_end=True)
    desk.reader.handle(query)
    rows: tuple[Any, ...] = (await desk.read()).rows
    assert [row.order_id for row in rows] == ["7", "8"]


@pytest.mark.parametrize("name", ["place_order", "transfer", "nothing"])
async def test_a_command_endpoint_is_never_queried_as_a_list(desk: Desk, name: str) -> None:
    desk.ask(name)
    answer = desk.answer()
    assert (answer.state, desk.service.calls) == (ReadState.FAILED, [])
    assert name in answer.text
    desk.more()
    assert desk.answer() == answer, "it is not gone on with"
    desk.ask()
    assert (await desk.read()).state is ReadState.WHOLE and desk.called == [PAGED]


async def test_a_running_engine_publishes_query_results(rig: Rig) -> None:
    await rig.ready()
    rig.engine.read(query_endpoint("me", "account"))

    def read() -> ListRead | None:
        found = rig.screen.look().tables.get(Table.ANSWERS, {}).get("me")
        return found if isinstance(found, ListRead) and not found.under_way else None

    await until(lambda: read() is not None)
    found = read()
    assert found is not None and found.state is ReadState.WHOLE and PORTFOLIO in str(found.rows)
