"""The history is read when it is asked for: page by page, from two endpoints, within the limits, and can be ended."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO, until
from tests.engine.conftest import SYM, Screen, StateRig
from tui.client.rest import CallFailed
from tui.engine.history import (
    MAX_ROWS,
    HistoryKind,
    HistoryQuery,
    HistoryRead,
    NextPage,
    ReadState,
    StopReading,
)
from tui.engine.history_reading.reader import PAGE_ROWS, HistoryReader
from tui.engine.history_reading.sources import DAY_MS, RECENT_MS, sources_of
from tui.engine.rows import Table
from tui.engine.task_supervisor import TaskSupervisor
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.families.algo import ALGO_HISTORY, AlgoRecord
from tui.interface.families.history import (
    EXECUTIONS_ARCHIVE,
    PORTFOLIO_TRADING_STATS,
    USER_TRADING_STATS,
    USER_TRADING_STATS_OLD,
    PortfolioStats,
    PortfolioStatsDetail,
    UserStats,
)
from tui.interface.families.orders import ORDER_ARCHIVE, ORDER_DETAIL, ORDER_HISTORY, OrderRecord
from tui.interface.paging import Page


def order(number: int, at: int, client: str = "") -> OrderRecord:
    return OrderRecord(
        portfolio_id=PORTFOLIO, order_id=str(2 * 10**15 + number), client_order_id=client or f"c{number}", sym=SYM,
        order_state="FILLED", side="BUY", create_at=str(at), update_at=str(at),
    )  # fmt: skip


class Service:
    """Orders in two lists, newest first, and what was asked."""

    def __init__(self) -> None:
        self.lists: dict[str, list[Any]] = {ORDER_HISTORY.name: [], ORDER_ARCHIVE.name: []}
        self.calls: list[tuple[str, dict[str, str]]] = []
        self.gate: asyncio.Event | None = None
        """Answers wait for it."""
        self.gated = ""
        """The only list whose answers wait; empty: all of them."""
        self.waiting = 0
        self.most_waiting = 0
        self.failures: dict[str, CallFailed] = {}
        self.held_back: dict[str, float] = {}

    def wait_for_limit_s(self, endpoint: Endpoint) -> float:
        return self.held_back.get(endpoint.name, 0.0)

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
        if endpoint is ORDER_DETAIL:
            return SimpleNamespace(data=self._find(query))
        rows = self.lists.get(endpoint.name, [])
        page, size = int(query["page"]), int(query["pageSize"])
        part = rows[(page - 1) * size : page * size]
        return SimpleNamespace(
            data=Page(page=page, page_size=size, page_num=-(-len(rows) // size), total_size=len(rows), rows=part)
        )

    def _find(self, query: dict[str, str]) -> Any:
        for rows in self.lists.values():
            for row in rows:
                if query in ({"orderId": row.order_id}, {"clientOrderId": row.client_order_id}):
                    return row
        raise CallFailed(ErrorClass.GONE, "401018 Order not found", code=401018)


class Reading:
    """A reader, its service, and what the screen was told."""

    def __init__(self, bare: StateRig) -> None:
        self.state = bare.state
        self.service = Service()
        self.tasks = TaskSupervisor(bare.state, lambda: None)
        self.reader = HistoryReader(bare.state, self.service, self.tasks)  # type: ignore[arg-type]
        self.screen = Screen(bare.state.updates)

    def shown(self, kind: HistoryKind = HistoryKind.ORDERS) -> HistoryRead:
        found = self.screen.look().tables[Table.HISTORY][kind.value]
        assert isinstance(found, HistoryRead)
        return found

    async def ends(self, kind: HistoryKind = HistoryKind.ORDERS) -> HistoryRead:
        await until(lambda: not self.shown(kind).under_way)
        return self.shown(kind)

    def query(self, days: int = 90, **changes: Any) -> HistoryQuery:
        now = self.state.server_ms()
        return HistoryQuery(**{"kind": HistoryKind.ORDERS, "begin_ms": now - days * DAY_MS, **changes})


@pytest.fixture
def reading(bare: StateRig) -> Reading:
    return Reading(bare)


async def test_a_page_is_read_for_each_demand_recent_rows_before_the_archive(reading: Reading) -> None:
    now = reading.state.server_ms()
    reading.service.lists[ORDER_HISTORY.name] = [order(900 - n, now - n) for n in range(250)]
    reading.service.lists[ORDER_ARCHIVE.name] = [order(600 - n, now - RECENT_MS - n) for n in range(300)]
    reading.reader.handle(reading.query())
    first = await reading.ends()
    assert (first.state, len(first.rows), first.total) == (ReadState.PART, PAGE_ROWS, 250)
    assert [name for name, _ in reading.service.calls] == [ORDER_HISTORY.name]
    reading.reader.handle(NextPage(kind=HistoryKind.ORDERS))
    second = await reading.ends()
    assert (second.state, len(second.rows), second.total) == (ReadState.PART, 450, 550)
    assert [name for name, _ in reading.service.calls[1:]] == [ORDER_HISTORY.name, ORDER_ARCHIVE.name]
    assert "pageSize" in reading.service.calls[-1][1]
    reading.reader.handle(NextPage(kind=HistoryKind.ORDERS))
    whole = await reading.ends()
    assert (whole.state, len(whole.rows)) == (ReadState.WHOLE, 550)
    times = [int(row.create_at) for row in whole.rows]  # type: ignore[union-attr]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize(
    ("begin", "end", "wanted"),
    [
        (3, 0, [ORDER_HISTORY.name]),
        (7, 0, [ORDER_HISTORY.name]),
        (30, 0, [ORDER_HISTORY.name, ORDER_ARCHIVE.name]),
        (30, 10, [ORDER_ARCHIVE.name]),
    ],
)
async def test_only_the_lists_that_the_window_touches_are_asked(
    reading: Reading, begin: int, end: int, wanted: list[str]
) -> None:
    now = reading.state.server_ms()
    begin_ms = now - begin * DAY_MS - 700  # the screen read its clock a moment before the engine reads its own
    reading.reader.handle(reading.query(begin_ms=begin_ms, end_ms=now - end * DAY_MS if end else 0))
    assert (await reading.ends()).state is ReadState.WHOLE
    assert [name for name, _ in reading.service.calls] == wanted


async def test_a_row_that_both_lists_have_is_shown_once(reading: Reading) -> None:
    row = order(1, reading.state.server_ms() - RECENT_MS)
    reading.service.lists = {ORDER_HISTORY.name: [row], ORDER_ARCHIVE.name: [row]}
    reading.reader.handle(reading.query())
    assert (await reading.ends()).rows == (row,)


async def test_the_archive_is_shown_as_running_and_can_be_stopped(reading: Reading) -> None:
    now = reading.state.server_ms()
    reading.service.lists[ORDER_HISTORY.name] = [order(2, now - 5)]
    reading.service.lists[ORDER_ARCHIVE.name] = [order(1, now - RECENT_MS - 5)]
    reading.service.gate, reading.service.gated = asyncio.Event(), ORDER_ARCHIVE.name
    reading.reader.handle(reading.query())
    await until(lambda: reading.service.waiting == 1)
    assert reading.shown().state is ReadState.ARCHIVE
    assert len(reading.shown().rows) == 1
    reading.reader.handle(StopReading(kind=HistoryKind.ORDERS))
    stopped = reading.shown()
    assert (stopped.state, len(stopped.rows)) == (ReadState.STOPPED, 1)
    await until(lambda: reading.service.waiting == 0)
    reading.service.gate.set()
    reading.reader.handle(NextPage(kind=HistoryKind.ORDERS))
    assert len((await reading.ends()).rows) == 2


async def test_a_list_that_was_never_asked_for_neither_goes_on_nor_stops(reading: Reading) -> None:
    reading.reader.handle(NextPage(kind=HistoryKind.FILLS))
    reading.reader.handle(StopReading(kind=HistoryKind.FILLS))
    assert reading.service.calls == [] and Table.HISTORY not in reading.screen.look().tables


async def test_archives_are_asked_one_at_a_time(reading: Reading) -> None:
    reading.service.gate = asyncio.Event()
    now = reading.state.server_ms()
    for kind in (HistoryKind.ORDERS, HistoryKind.FILLS):
        reading.reader.handle(reading.query(60, kind=kind, end_ms=now - 20 * DAY_MS))
    await until(lambda: reading.service.waiting == 1)
    for kind in (HistoryKind.ORDERS, HistoryKind.FILLS):
        assert reading.shown(kind).state is ReadState.ARCHIVE
    reading.service.gate.set()
    await reading.ends(HistoryKind.ORDERS)
    await reading.ends(HistoryKind.FILLS)
    assert reading.service.most_waiting == 1
    assert {name for name, _ in reading.service.calls} == {ORDER_ARCHIVE.name, EXECUTIONS_ARCHIVE.name}


async def test_a_new_question_ends_the_one_before(reading: Reading) -> None:
    reading.service.gate = asyncio.Event()
    reading.reader.handle(reading.query(3))
    await until(lambda: reading.service.waiting == 1)
    reading.reader.handle(reading.query(3, sym=SYM))
    await until(lambda: len(reading.service.calls) == 2)
    reading.service.gate.set()
    assert (await reading.ends()).query.sym == SYM
    assert reading.service.calls[1][1]["sym"] == SYM


@pytest.mark.parametrize("asked", ["2000000000000007", "mine-7"])
async def test_an_order_is_found_by_either_id(reading: Reading, asked: str) -> None:
    row = order(7, reading.state.server_ms() - 30 * DAY_MS, "mine-7")
    reading.service.lists[ORDER_ARCHIVE.name] = [row]
    reading.reader.handle(reading.query(order=asked))
    found = await reading.ends()
    assert (found.state, found.rows) == (ReadState.WHOLE, (row,))


async def test_sixteen_digits_may_also_be_a_client_order_id(reading: Reading) -> None:
    row = order(7, reading.state.server_ms(), "1234567890123456")
    reading.service.lists[ORDER_HISTORY.name] = [row]
    reading.reader.handle(reading.query(order="1234567890123456"))
    assert (await reading.ends()).rows == (row,)


async def test_an_id_that_no_order_has_is_said(reading: Reading) -> None:
    reading.reader.handle(reading.query(order="nothing"))
    found = await reading.ends()
    assert (found.state, found.text) == (ReadState.FAILED, "no order has the id nothing")


async def test_fills_of_an_order_are_asked_by_the_id_of_the_service(reading: Reading) -> None:
    row = order(7, reading.state.server_ms(), "mine-7")
    reading.service.lists[ORDER_HISTORY.name] = [row]
    reading.reader.handle(reading.query(kind=HistoryKind.FILLS, order="mine-7"))
    await reading.ends(HistoryKind.FILLS)
    assert [query["orderId"] for name, query in reading.service.calls if name != ORDER_DETAIL.name] == [
        row.order_id
    ] * 2


async def test_a_failure_is_said_in_the_list_and_the_next_demand_tries_again(reading: Reading) -> None:
    reading.service.failures[ORDER_HISTORY.name] = CallFailed(ErrorClass.UNSURE, "no answer (timeout)")
    reading.reader.handle(reading.query(3))
    failed = await reading.ends()
    assert (failed.state, failed.text) == (ReadState.FAILED, "no answer (timeout)")
    assert not reading.tasks.failures
    reading.service.failures.clear()
    reading.service.lists[ORDER_HISTORY.name] = [order(1, reading.state.server_ms())]
    reading.reader.handle(NextPage(kind=HistoryKind.ORDERS))
    assert len((await reading.ends()).rows) == 1


async def test_rows_of_another_portfolio_are_not_shown(reading: Reading) -> None:
    other = msgspec.structs.replace(order(1, reading.state.server_ms()), portfolio_id="9999")
    reading.service.lists[ORDER_HISTORY.name] = [other]
    reading.reader.handle(reading.query(3))
    assert (await reading.ends()).rows == ()


async def test_rows_in_memory_are_bounded(reading: Reading) -> None:
    now = reading.state.server_ms()
    reading.service.lists[ORDER_HISTORY.name] = [order(n, now - n) for n in range(MAX_ROWS + 300)]
    reading.reader.handle(reading.query(3))
    await reading.ends()
    for _ in range(MAX_ROWS // PAGE_ROWS + 3):
        reading.reader.handle(NextPage(kind=HistoryKind.ORDERS))
        found = await reading.ends()
    assert (found.state, len(found.rows)) == (ReadState.FULL, MAX_ROWS)
    assert "narrower" in found.text


async def test_a_limit_that_is_used_up_for_long_is_said_instead_of_waited_for(reading: Reading) -> None:
    reading.service.held_back[PORTFOLIO_TRADING_STATS.name] = 1500.0
    reading.reader.handle(reading.query(kind=HistoryKind.VOLUME))
    found = await reading.ends(HistoryKind.VOLUME)
    assert found.state is ReadState.FAILED
    assert "free in 26 minutes" in found.text
    assert reading.service.calls == []


async def test_volume_is_shown_where_the_sums_of_all_portfolios_are_refused(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    stats = PortfolioStats(
        begin="20260101",
        end="20260102",
        details=[PortfolioStatsDetail(exchange="OKX", business_type="PERP", symbol=SYM)],
    )

    async def call(endpoint: Endpoint, query: dict[str, str], **_: object) -> Any:
        assert query["begin"]
        if endpoint is USER_TRADING_STATS:
            raise CallFailed(ErrorClass.CRED, "100003 Permission denied", code=100003)
        return SimpleNamespace(data=stats)

    monkeypatch.setattr(reading.service, "call", call)
    reading.reader.handle(reading.query(7, kind=HistoryKind.VOLUME))
    found = await reading.ends(HistoryKind.VOLUME)
    assert (found.state, found.portfolio, found.user) == (ReadState.WHOLE, stats, None)
    assert found.rows == tuple(stats.details)
    assert "100003" in found.text


async def test_sums_of_all_portfolios_are_asked_by_the_older_path_where_the_other_is_not_there(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    stats, user = PortfolioStats(begin="20260101", end="20260102"), UserStats(begin="20260101", end="20260102")
    asked = []

    async def call(endpoint: Endpoint, query: dict[str, str], **_: object) -> Any:
        asked.append(endpoint.path)
        if endpoint is USER_TRADING_STATS:
            raise CallFailed(ErrorClass.BUG, "404 Endpoint not offered here", code=404, http=404)
        return SimpleNamespace(data=user if endpoint is USER_TRADING_STATS_OLD else stats)

    monkeypatch.setattr(reading.service, "call", call)
    reading.reader.handle(reading.query(7, kind=HistoryKind.VOLUME))
    found = await reading.ends(HistoryKind.VOLUME)
    assert (found.state, found.user, found.text) == (ReadState.WHOLE, user, "")
    assert asked[1:] == ["/api/v1/trading/user/tradingStats", "/v1/trading/user/tradingStats"]


async def test_ended_algo_orders_come_from_their_own_list(reading: Reading) -> None:
    reading.service.lists[ALGO_HISTORY.name] = [
        AlgoRecord(portfolio_id=PORTFOLIO, algo_order_id=f"a{number}", sym=SYM, order_state="COMPLETED")
        for number in range(2)
    ]
    reading.reader.handle(reading.query(7, kind=HistoryKind.ALGOS, sym=SYM, word="PERP"))
    found = await reading.ends(HistoryKind.ALGOS)
    assert (found.state, len(found.rows)) == (ReadState.WHOLE, 2)
    [(name, params)] = reading.service.calls
    assert (name, params["sym"], params["businessType"]) == (ALGO_HISTORY.name, SYM, "PERP")
    assert {"begin", "page", "pageSize"} < set(params)


@pytest.mark.parametrize("ahead", [-1, 0, 1, 5])
def test_a_window_that_ends_at_the_border_of_the_archive_begins_before_it_ends(ahead: int) -> None:
    now = 1_795_412_116_971
    old = HistoryQuery(kind=HistoryKind.ORDERS, begin_ms=now - 90 * DAY_MS, end_ms=now - RECENT_MS + ahead)
    windows = [source.params for source in sources_of(old, "", now)]
    assert all(int(window["begin"]) < int(window["end"]) for window in windows)
    assert min(int(window["begin"]) for window in windows) == old.begin_ms
    assert max(int(window["end"]) for window in windows) == old.end_ms


async def test_one_order_is_looked_for_by_its_own_id_only_when_the_service_does_not_know_the_number(
    reading: Reading,
) -> None:
    number = str(2 * 10**15 + 5)
    reading.service.failures[ORDER_DETAIL.name] = CallFailed(ErrorClass.UNSURE, "HTTP 502")
    reading.reader.handle(reading.query(order=number))
    found = await reading.ends()
    assert (found.state, found.text) == (ReadState.FAILED, "HTTP 502")
    assert [query for _, query in reading.service.calls] == [{"orderId": number}], "an error is no answer"


async def test_one_order_of_another_portfolio_is_not_shown(reading: Reading) -> None:
    strange = msgspec.structs.replace(order(5, reading.state.server_ms()), portfolio_id="9999999999999999")
    reading.service.lists[ORDER_HISTORY.name] = [strange]
    reading.reader.handle(reading.query(order=strange.order_id))
    found = await reading.ends()
    assert (found.state, found.rows, found.text) == (
        ReadState.FAILED,
        (),
        f"no order has the id {strange.order_id}",
    )
    assert reading.screen.said("an order of another portfolio")
