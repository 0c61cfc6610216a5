"""The rule of UNKNOWN orders, in virtual time against the real venue: when what is asked, what counts, who may end it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from decimal import Decimal
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO, order
from tests.engine.conftest import StateRig, buy
from tests.simulation.harness.day import SYM, Day
from tests.simulation.harness.network import Wire
from tui.client.rest import CallFailed
from tui.engine.intents import Verdict
from tui.engine.journal.session_replay import ReplayedSession, replay_entries
from tui.engine.limits import Limits
from tui.engine.orders.dismissal import EXECUTIONS, HISTORY, OPEN_LIST, SOURCES, dismissal_block_reason
from tui.engine.orders.unknown_resolver import UnknownOrderResolver
from tui.engine.rows import LocalOrderState, OrderRow, Source, Stamp
from tui.engine.state import order_fold
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.families import orders
from tui.interface.families.orders import OPEN_ORDERS, ORDER_HISTORY, OrderRecord, PlaceOrder
from tui.venue.core import commands
from tui.venue.core.commands import Command, Reply

DETAIL, LISTED, RECENT, ARCHIVE, FILLS = (
    b"GET /api/v1/trading/order?",
    b"GET /api/v1/trading/orders?",
    b"GET /api/v1/trading/history/orders?",
    b"GET /api/v1/trading/archive/history/orders?",
    b"GET /api/v1/trading/executions?",
)
OF_PAIR = LISTED + b"sym="
"""Question of an UNKNOWN order to the list."""
WEEK = 7 * 86_400


class Doubtful(Day):
    """A day on which placements vanish between the venue's door and its book, and every question is noted."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[tuple[float, bytes]] = []
        self.kept_back: list[Command] = []
        passed, self.let_through = self.runtime.execute, False

        def execute(command: Command, answer: Callable[[Reply], None]) -> None:
            if isinstance(command, PlaceOrder) and not self.let_through:
                self.kept_back.append(command)
            else:
                passed(command, answer)

        self.runtime.execute = execute  # type: ignore[method-assign]
        self.network.taps.append(self._question)

    def _question(self, wire: Wire, direction: str, data: bytes) -> None:
        del wire
        if direction == "out" and data.startswith(b"GET /api/v1/trading/"):
            self.questions.append((self.world.now, data))

    async def lost(self, below: str = "100") -> str:
        """Place an order whose answer never comes; its key."""
        outcome = await self.rest(below)
        assert outcome.verdict is Verdict.UNKNOWN
        await self.shows(outcome.key, LocalOrderState.UNKNOWN)
        return outcome.key

    async def quoted_anew(self) -> None:
        """A quote that is young enough for a placement; the market moves a little up."""
        before = self.mirror.quotes[SYM].bid
        moved = commands.MoveMarket(coin="BTC", price=str(Decimal(before) + 10))
        self.runtime.execute(moved, lambda _reply: None)
        await self.until(lambda: self.mirror.quotes[SYM].bid != before)

    def ages(self, what: bytes, since: float) -> list[int]:
        """At which ages something was asked, whole s."""
        return [round(at - since) for at, line in self.questions if line.startswith(what) and at >= since]


def live(day: Callable[[Doubtful], Awaitable[None]]) -> None:
    desk = Doubtful()
    desk.play(lambda _: day(desk))


def test_f04_four_sources_are_queried_for_an_unknown_order() -> None:
    async def day(desk: Doubtful) -> None:
        began = desk.world.now + 3.0
        key = await desk.lost()
        await asyncio.sleep(500)
        row = desk.row(key)
        details = desk.ages(DETAIL, began - 0.01)
        assert details[:7] == [0, 1, 3, 7, 15, 30, 45]
        late = [age for age in details if age > 300]
        assert [after - before for before, after in pairwise(late)] == [60] * (len(late) - 1)
        assert len(late) >= 3
        assert (row.state, row.not_found, row.asked) == (LocalOrderState.UNKNOWN, len(details), len(details))
        recent = desk.ages(RECENT, began)
        # Every third round, and the executions of a round in which they were asked a moment before come with the next.
        assert recent[0] == 3
        assert set(details[2::3]) <= set(recent)
        assert set(recent) <= set(desk.ages(LISTED, began)) and recent[0] in desk.ages(LISTED, began)
        assert row.answered == frozenset(SOURCES)
        assert not desk.ages(ARCHIVE, began)

    live(day)


def test_one_list_query_serves_all_unknown_orders_of_a_pair() -> None:
    async def day(desk: Doubtful) -> None:
        keys = []
        for below in ("100", "110", "120", "130"):
            keys.append(await desk.lost(below))
            await asyncio.sleep(4)
            await desk.quoted_anew()
        await asyncio.sleep(20)
        began = desk.world.now
        await asyncio.sleep(180)
        rounds = min(desk.row(key).not_found for key in keys)
        assert len(desk.ages(RECENT, began)) <= 8, "a reading every three rounds, not one for each order"
        assert rounds >= 12 and all(desk.row(key).answered == frozenset(SOURCES) for key in keys)
        assert all(not dismissal_block_reason(desk.row(key), Limits(), desk.world.now) for key in keys)

    live(day)


def test_a_query_from_before_an_order_was_lost_does_not_count() -> None:
    async def day(desk: Doubtful) -> None:
        held: list[tuple[Wire, bytes]] = []
        heal = desk.divert("out", lambda wire, data: held.append((wire, data)), LISTED)
        first = await desk.lost()
        await desk.until(lambda: any(OF_PAIR in data for _, data in held))
        before = list(held)
        await desk.quoted_anew()
        second = await desk.lost("110")
        for wire, data in before:
            wire.server.receive(data)
        await desk.until(lambda: OPEN_LIST in desk.row(first).answered)
        assert OPEN_LIST not in desk.row(second).answered, "the list was asked for before this order was lost"
        heal()
        for wire, data in held[len(before) :]:
            wire.server.receive(data)
        await desk.until(lambda: desk.row(second).answered == frozenset(SOURCES))

    live(day)


def test_an_unknown_order_of_last_week_is_searched_in_archives() -> None:
    async def day(desk: Doubtful) -> None:
        key = await desk.lost()
        desk.engine.state.orders.change(key, create_at=desk.row(key).create_at - WEEK * 1000)
        began = desk.world.now
        await asyncio.sleep(30)
        assert desk.ages(ARCHIVE, began)
        assert not desk.ages(RECENT, began)
        assert HISTORY in desk.row(key).answered

    live(day)


def test_a_failed_query_for_an_unknown_order_is_repeated() -> None:
    async def day(desk: Doubtful) -> None:
        heal = desk.swallow("out", DETAIL)
        key = await desk.lost()
        await asyncio.sleep(40)
        row = desk.row(key)
        assert (row.not_found, row.answered) == (0, frozenset())
        assert row.asked >= 3
        heal()
        quiet = desk.swallow("out", RECENT)
        await asyncio.sleep(90)
        row = desk.row(key)
        assert row.not_found >= 3
        assert row.answered == {OPEN_LIST, EXECUTIONS}
        desk.engine.dismiss(key)
        assert desk.row(key).state == LocalOrderState.UNKNOWN
        quiet()
        await asyncio.sleep(60)
        assert desk.row(key).answered == frozenset(SOURCES)

    live(day)


def test_dismissing_an_unknown_order_waits_for_the_search() -> None:
    async def day(desk: Doubtful) -> None:
        key = await desk.lost()
        asked = dict[float, bool]()
        for _ in range(40):
            desk.engine.dismiss(key)
            await asyncio.sleep(0.5)
            row = desk.order(key)
            asked[round(desk.world.now)] = row is None
            if row is None:
                break
        dismissed = [line for line in desk.journal.lines if line.kind == "dismiss"]
        assert [line.client_order_id for line in dismissed] == [key]
        assert 10 <= len(asked) <= 17
        assert desk.said("possible once 3 rounds over 10 s found nothing (so far 0 over 0 s)") >= 1
        assert desk.said("in 9 s at the earliest") >= 1
        assert desk.said("with the next answers") >= 1
        count = len(desk.questions)
        await asyncio.sleep(20)
        assert not [line for _, line in desk.questions[count:] if line.startswith(DETAIL)], "it is still asked about"
        desk.let_through = True
        late = desk.kept_back[0]
        desk.outcomes[key] = msgspec.structs.replace(desk.outcomes[key], verdict=Verdict.UNKNOWN)
        desk.elsewhere(late)
        back = await desk.shows(key, "OPEN")
        assert (back.external, desk.said("dismissed order is back")) == (False, 1)

    live(day)


def test_a_dismissal_while_offline_is_not_shown_as_missed_change() -> None:
    async def day(desk: Doubtful) -> None:
        key = await desk.lost()
        await desk.until(
            lambda: not dismissal_block_reason(desk.row(key), desk.engine.state.settings.limits, desk.world.now)
        )
        desk.engine.state.synced = False
        desk.engine.dismiss(key)
        desk.engine.state.synced = True
        await desk.until(lambda: desk.said("dismissed: "))
        assert [line.away for _, line in desk.mirror.event_log.events if line.text.startswith("dismissed: ")] == [False]
        assert desk.order(key) is None

    live(day)


def test_an_unknown_order_can_be_cancelled_and_not_replaced() -> None:
    async def day(desk: Doubtful) -> None:
        key = await desk.lost()
        row = desk.row(key)
        replaced = await desk.replace(key, row.price, "0.020")
        assert (replaced.verdict, replaced.guard) == (Verdict.DENIED, "IN_FLIGHT")
        assert "UNKNOWN; it can be cancelled, not replaced" in replaced.text
        await desk.cancel(key)
        sent = [one for one in desk.commands if isinstance(one, orders.CancelOrder)]
        assert [one.client_order_id for one in sent] == [key]
        assert desk.row(key).state == LocalOrderState.UNKNOWN

    live(day)


def doubtful(**changes: object) -> OrderRow:
    row = OrderRow(
        key="k", client_order_id="k", sym="S", side="BUY", state=LocalOrderState.UNKNOWN.value,
        not_found=3, not_found_first=100.0,
        not_found_last=110.0, answered=frozenset(SOURCES), stamp=Stamp("", 0, 0, Source.LOCAL, 0.0),
    )  # fmt: skip
    return msgspec.structs.replace(row, **changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"not_found": 2}, "(so far 2 over 10 s); with the next answers"),
        ({"not_found_last": 109.9}, "(so far 3 over 10 s)"),
        ({"not_found_last": 107.0}, "(so far 3 over 7 s)"),
        (
            {"answered": frozenset([OPEN_LIST])},
            "found nothing (so far 3 over 10 s) and order history, executions answered",
        ),
    ],
)
def test_an_unknown_order_can_be_dismissed_only_after_queries(changes: dict[str, object], words: str) -> None:
    text = dismissal_block_reason(doubtful(**changes), Limits(), 112.0)
    assert bool(text) == bool(words)
    assert words in text


def test_a_refused_dismissal_says_when_it_will_be_possible() -> None:
    assert "in 7 s at the earliest" in dismissal_block_reason(
        doubtful(not_found=2, not_found_last=101.0), Limits(), 103.0
    )
    assert "in 10 s at the earliest" in dismissal_block_reason(doubtful(not_found=0), Limits(), 103.0)


def test_a_dismissed_order_counts_in_limits_for_a_day(bare: StateRig) -> None:
    orders = bare.state.orders
    orders.add(doubtful())
    orders.dismiss("k", bare.clock.mono())
    assert [row.key for row in orders.list_dismissed(bare.clock.mono() + 86_399)] == ["k"]
    assert orders.list_dismissed(bare.clock.mono() + 86_400) == []


# -- what is found is journaled ------------------------------------------------------------------------------------------


class Lagging:
    """A service whose order detail knows no order that its lists show."""

    def __init__(self, listed: OrderRecord, where: Endpoint) -> None:
        self.listed, self.where = listed, where
        self.detail: OrderRecord | None = None

    async def call(self, endpoint: Endpoint, *_: object, **__: object) -> Any:
        if self.detail is None:
            raise CallFailed(ErrorClass.GONE, "order not found")
        return SimpleNamespace(data=self.detail)

    async def read_all_pages(self, endpoint: Endpoint, *_: object, **__: object) -> tuple[list[Any], bool]:
        return ([self.listed] if endpoint is self.where else []), True


async def resolved(bare: StateRig, service: Lagging) -> None:
    """Ask about an order without an answer until its lists were searched."""
    started: list[asyncio.Task[None]] = []

    def spawn(_: str, work: Coroutine[Any, Any, None]) -> bool:
        started.append(asyncio.ensure_future(work))
        return True

    async def executions() -> float:
        return 0.0

    resolver = UnknownOrderResolver(bare.state, service, executions, spawn)  # type: ignore[arg-type]
    resolver._plan_queries()
    for _ in range(3):
        await resolver._query_once("c")
    await asyncio.gather(*started)


def lost(bare: StateRig) -> None:
    """An order of ours without an answer, as it stands in the journal."""
    place = buy()
    bare.state.write_journal(
        "intent", {"kind": "Place", "intent": place, "args": {}}, intent_id="c", client_order_id="c"
    )
    bare.state.orders.add(
        order_fold.row_of(
            place,
            "c",
            state="SENDING",
            since=0.0,
            create_at=int(bare.clock.wall() * 1000),
            stamp=bare.state.stamp(Source.LOCAL),
        )
    )
    bare.state.orders.mark_unknown("c", "no answer", 0.0)


def after_a_restart(bare: StateRig) -> ReplayedSession:
    """What a session that begins now makes of the journal."""
    return replay_entries(bare.journal.lines, portfolio=PORTFOLIO, now=0.0, wall=bare.clock.wall())


def ended(**changes: str) -> OrderRecord:
    told = {"clientOrderId": "c", "orderState": "FILLED", "executedQty": "0.01", **changes}
    return msgspec.convert(order(**told), OrderRecord)


@pytest.mark.parametrize("where", [OPEN_ORDERS, ORDER_HISTORY])
async def test_the_result_of_an_order_search_survives_a_restart(bare: StateRig, where: Endpoint) -> None:
    lost(bare)
    await resolved(bare, Lagging(ended(), where))
    row = bare.state.orders.rows["c"]
    assert (row.state, row.executed) == ("FILLED", "0.01")
    again = after_a_restart(bare)
    assert again.rows == [] and [(one.state, one.executed) for one in again.ended] == [("FILLED", "0.01")]


async def test_the_result_of_an_order_query_survives_a_restart(bare: StateRig) -> None:
    lost(bare)
    service = Lagging(ended(), ORDER_HISTORY)
    service.detail = ended()
    await resolved(bare, service)
    assert after_a_restart(bare).rows == []
    assert {line.kind for line in bare.journal.lines if line.order_id or line.kind == "query"} == {"query"}


def test_an_end_state_from_a_list_survives_a_restart(bare: StateRig) -> None:
    lost(bare)
    bare.state.fold_order(ended(orderState="OPEN", executedQty="0"), Source.SNAPSHOT)
    [row] = after_a_restart(bare).rows
    assert (row.state, row.order_id) == ("OPEN", "2000000000000001")
    count = len(bare.journal.lines)
    bare.state.fold_order(ended(orderState="OPEN", executedQty="0", updateAt="1700000000002"), Source.SNAPSHOT)
    assert len(bare.journal.lines) == count, "a list that changes nothing is not journaled"
    bare.state.fold_order(ended(updateAt="1700000000003"), Source.SNAPSHOT)
    assert after_a_restart(bare).rows == []


async def test_an_order_id_used_again_does_not_resolve_the_old_order(bare: StateRig) -> None:
    lost(bare)
    bare.state.fold_order(ended(orderState="OPEN", executedQty="0"), Source.PUSH)
    again = ended(clientOrderId="d", side="SELL")
    service = Lagging(again, ORDER_HISTORY)
    service.detail = again
    await resolved(bare, service)
    old, new = bare.state.orders.rows["c"], bare.state.orders.rows[bare.state.orders.find("2000000000000001", "d")]
    assert (old.state, new.state, new.side) == (LocalOrderState.UNKNOWN, "FILLED", "SELL")
