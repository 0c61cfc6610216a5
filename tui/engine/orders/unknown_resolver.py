"""Queries that resolve orders in an unclear state: UNKNOWN, pending change, conflict, fills without an end, or missing end.

Only evidence ends the queries, never elapsed time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from enum import Enum, auto
from typing import Any

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.orders.dismissal import EXECUTIONS, HISTORY, OPEN_LIST, SOURCES
from tui.engine.rows import LocalOrderState, OrderRow, Source
from tui.engine.state import order_fold, order_requests
from tui.engine.state.engine_state import EngineState
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.families.orders import (
    OPEN_ORDERS,
    ORDER_ARCHIVE,
    ORDER_DETAIL,
    ORDER_HISTORY,
    OrderHistoryQuery,
    OrderType,
    TimeInForce,
)
from tui.interface.request import arguments_of

WAITS = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between rounds; the last one repeats."""
OLD_AFTER, OLD_WAIT = 300.0, 60.0
"""Age from which on there is one round per `OLD_WAIT` seconds, s."""
PENDING_WAIT = 5.0
END_WAIT = 2.0
"""Time an order that cannot rest may stay open before its end is queried, s."""
COMPLETE_WAIT = 2.0
"""Time between queries of an order that its fills complete: only its end is not known, s."""
WIDE_EVERY = 3
"""Rounds between searches in open orders, history and executions; one search serves all rows of a pair."""
WIDE_GAP = 3.0
"""Least time between two searches of a pair's lists, s."""
HISTORY_BACK_MS = 3_600_000
"""Time before its creation from which on an order is searched, ms, because clocks may differ."""
HISTORY_MS = 7 * 86_400_000
"""Reach of the history, ms; older orders are in the archive."""
TOGETHER, STEP = 20, 0.05
"""Most concurrent queries, and the pause before the next batch, s."""
LISTS_FIRST = 0.5
"""Time after a login during which the snapshot has priority over queries, s."""


def _ends_at_once(row: OrderRow) -> bool:
    """Return whether an order never rests in the book: market, IOC or FOK."""
    return row.order_type == OrderType.MARKET or row.time_in_force in (TimeInForce.IOC, TimeInForce.FOK)


class _Answer(Enum):
    """Result of querying an order."""

    FOUND = auto()
    NOT_FOUND = auto()
    FAILED = auto()
    """No answer: the query failed."""


class _QueryPlan(msgspec.Struct):
    """Query schedule of one order."""

    due: float
    began: float
    asked: float = float("-inf")
    rounds: int = 0
    searched: int = 0
    """Round of the last search of its pair's lists."""
    busy: bool = False
    again: bool = False
    """Whether it was requested again during a query, whose answer may be older than the reason for the request."""
    once: bool = False
    """Whether to query once: the row is neither UNKNOWN nor pending."""
    complete: bool = False
    """Whether its fills complete it, from when on it is asked for more often."""
    urgent: bool = False
    """Whether it was explicitly requested; it is queried before all others."""


class UnknownOrderResolver:
    """Resolver that queries unclear orders until their state is known."""

    def __init__(
        self,
        state: EngineState,
        rest: Rest,
        executions: Callable[[], Awaitable[float]],
        spawn: Callable[[str, Coroutine[Any, Any, None]], bool],
    ) -> None:
        self._state = state
        self._rest = rest
        self._executions = executions
        self._spawn = spawn
        self._plans: dict[str, _QueryPlan] = {}
        self._searched_at: dict[str, float] = {}
        """Monotonic time of the last search of a pair's lists, s."""
        self._wake = asyncio.Event()

    def query_now(self, key: str) -> None:
        """Query an order as soon as possible."""
        now = self._state.clock.mono()
        plan = self._plans.get(key)
        if plan is None:
            self._plans[key] = _QueryPlan(now, now, once=True, urgent=True)
        else:
            plan.urgent = True
            plan.due = min(plan.due, now)
            plan.again = plan.again or plan.busy
        self._wake.set()

    def restart_queries(self) -> None:
        """Query all unclear orders again after a login, because earlier replies may be outdated; at most once a second."""
        now = self._state.clock.mono()
        for plan in self._plans.values():
            plan.due = min(plan.due, max(now, plan.asked + WAITS[0]))
            plan.again = plan.again or plan.busy
        self._wake.set()

    async def run(self) -> None:
        """Run the queries until cancelled."""
        while True:
            self._plan_queries()
            now = self._state.clock.mono()
            ready = [(key, plan) for key, plan in self._plans.items() if plan.due <= now and not plan.busy]
            if ready and self._may_query(now):
                # The query rate is limited: orders never queried come first.
                ready.sort(key=lambda entry: (not entry[1].urgent, entry[1].rounds))
                free = TOGETHER - sum(plan.busy for plan in self._plans.values())
                for key, _ in ready[: max(0, free)]:
                    self._spawn(f"ask {key}", self._query_once(key))
                await asyncio.sleep(STEP)
                continue
            await self._sleep(now)

    def _may_query(self, now: float) -> bool:
        state = self._state
        return state.synced or (state.logged_in and now - state.logged_in_at >= LISTS_FIRST)

    async def _sleep(self, now: float) -> None:
        waits = [plan.due - now for plan in self._plans.values() if plan.due > now]
        if self._plans and not self._may_query(now):
            waits = [max(STEP, self._state.logged_in_at + LISTS_FIRST - now) if self._state.logged_in else 1.0]
        self._wake.clear()
        try:
            async with asyncio.timeout(min([*waits, 1.0])):
                await self._wake.wait()
        except TimeoutError:
            pass

    def _plan_queries(self) -> None:
        now = self._state.clock.mono()
        wanted, complete = dict[str, float](), set[str]()
        for row in self._state.orders.visible_rows():
            if row.state == LocalOrderState.UNKNOWN:
                wanted[row.key] = 0.0
            elif self._state.orders.pending(row.key) is not None and not row.final:
                wanted[row.key] = PENDING_WAIT
            elif not row.final and row.is_filled:
                wanted[row.key] = COMPLETE_WAIT  # its end is usually pushed right behind its last fill
            elif not row.final and row.state != LocalOrderState.SENDING and _ends_at_once(row):
                wanted[row.key] = END_WAIT
            if row.key in wanted and row.is_filled:
                complete.add(row.key)
        for key, wait in wanted.items():
            plan = self._plans.setdefault(key, _QueryPlan(now + wait, now))
            plan.once = False
            if key in complete and not plan.complete:
                plan.complete, plan.began, plan.due = True, now, min(plan.due, now + min(wait, COMPLETE_WAIT))
        for key in [key for key, plan in self._plans.items() if key not in wanted and not plan.once]:
            del self._plans[key]

    async def _query_once(self, key: str) -> None:
        row = self._state.orders.rows.get(key)
        plan = self._plans.get(key)
        if row is None:
            self._plans.pop(key, None)
            return
        if plan is None:
            plan = self._plans[key] = _QueryPlan(self._state.clock.mono(), self._state.clock.mono())
        if plan.busy:
            return
        plan.busy = True
        try:
            await self._query_order(row, plan)
        finally:
            plan.busy = False
            if plan.again:
                plan.again, plan.due = False, self._state.clock.mono()
            elif plan.once:
                self._plans.pop(key, None)
            else:
                self._schedule(plan, unknown=row.state == LocalOrderState.UNKNOWN)

    async def _query_order(self, row: OrderRow, plan: _QueryPlan) -> None:
        key = row.key
        plan.rounds += 1
        plan.urgent = False
        plan.asked = self._state.clock.mono()
        pending = self._state.orders.pending(key)
        if row.state == LocalOrderState.UNKNOWN:
            self._state.orders.change(key, asked=row.asked + 1)
        answer = await self._query_detail(row)
        if pending is not None and answer is not _Answer.FAILED:
            pending.asked += 1
        if answer is not _Answer.FOUND and row.state == LocalOrderState.UNKNOWN and self._is_search_due(key, plan):
            self._spawn(f"wide {row.sym}", self._search_lists(row.sym))

    def _is_search_due(self, key: str, plan: _QueryPlan) -> bool:
        """Return whether to search the lists for an order: every `WIDE_EVERY` rounds, or while one is unsearched."""
        row = self._state.orders.rows.get(key)
        silent = row is not None and any(source not in row.answered for source in SOURCES)
        return plan.rounds - plan.searched >= WIDE_EVERY or (plan.rounds > WIDE_EVERY and silent)

    def _schedule(self, plan: _QueryPlan, *, unknown: bool) -> None:
        now = self._state.clock.mono()
        if now - plan.began >= OLD_AFTER:
            plan.due = now + OLD_WAIT
        elif plan.complete:
            plan.due = now + COMPLETE_WAIT
        elif unknown:
            plan.due = now + WAITS[min(plan.rounds - 1, len(WAITS) - 1)]
        else:
            plan.due = now + PENDING_WAIT

    async def _query_detail(self, row: OrderRow) -> _Answer:
        """Query an order's detail; apply the answer, or record that the order was not found."""
        try:
            reply = await self._rest.call(
                ORDER_DETAIL, order_requests.find_order(row.order_id, row.client_order_id), reserved=True, attempts=1
            )
        except CallFailed as failure:
            self._state.write_journal(
                "query_failed", str(failure), intent_id=row.key, client_order_id=row.client_order_id
            )
            if failure.kind is not ErrorClass.GONE:
                return _Answer.FAILED
            self._record_not_found(row)
            return _Answer.NOT_FOUND
        key = self._state.fold_order(reply.data, Source.QUERY, asked=row)
        if order_fold.is_namesake(reply.data, row):
            # The id was reused: nothing is known about the order that was queried.
            self._record_not_found(row)
            return _Answer.NOT_FOUND
        return _Answer.FOUND if key == row.key else _Answer.NOT_FOUND

    def _record_not_found(self, asked: OrderRow) -> None:
        key = asked.key
        row = self._state.orders.rows.get(key)
        if row is None or row.stamp is not asked.stamp:
            # A newer message arrived during the query, whose answer is therefore outdated.
            return
        state, now = self._state, self._state.clock.mono()
        if row.state == LocalOrderState.UNKNOWN:
            first = row.not_found == 0
            state.orders.change(
                key,
                not_found=row.not_found + 1,
                not_found_at=int(state.clock.wall() * 1000),
                not_found_first=now if first else row.not_found_first,
                not_found_last=now,
                answered=frozenset() if first else row.answered,
            )
        elif not row.final and row.state not in (LocalOrderState.SENDING, LocalOrderState.SENT):
            state.orders.mark_unknown(key, "no longer found at the venue", now, vanished=True)

    async def _search_lists(self, sym: str) -> None:
        """Search open orders, order history and executions for all UNKNOWN orders of a pair."""
        rows = [row for row in self._state.orders.unknown() if row.sym == sym and row.not_found]
        now = self._state.clock.mono()
        if not rows or now - self._searched_at.get(sym, float("-inf")) < WIDE_GAP:
            return
        self._searched_at[sym] = now
        for row in rows:
            if (plan := self._plans.get(row.key)) is not None:
                plan.searched = plan.rounds
        await self._search_list(rows, OPEN_LIST, OPEN_ORDERS, {"sym": sym})
        oldest = int(self._state.clock.wall() * 1000) - HISTORY_MS
        old, young = [row for row in rows if row.create_at <= oldest], [row for row in rows if row.create_at > oldest]
        if young:
            begin = min(row.create_at for row in young) - HISTORY_BACK_MS
            await self._search_list(young, HISTORY, ORDER_HISTORY, since(sym, max(0, begin, oldest)))
        if old:
            begin = min(row.create_at for row in old) - HISTORY_BACK_MS
            await self._search_list(old, HISTORY, ORDER_ARCHIVE, since(sym, max(0, begin)))
        read_at = await self._executions()
        for row in rows:
            if read_at >= row.not_found_first:
                self._record_answer(row, EXECUTIONS)

    async def _search_list(self, rows: list[OrderRow], source: str, endpoint: Endpoint, params: dict[str, str]) -> None:
        """Search one list for several orders; apply the matches, and record the list as searched for all of them."""
        try:
            records, _ = await self._rest.read_all_pages(endpoint, params, reserved=True)
        except CallFailed:
            return
        ours = {row.client_order_id for row in rows} | {row.order_id for row in rows}
        for record in records:
            if (record.client_order_id and record.client_order_id in ours) or record.order_id in ours:
                self._state.fold_order(record, Source.QUERY)
        for row in rows:
            self._record_answer(row, source)

    def _record_answer(self, asked: OrderRow, source: str) -> None:
        row = self._state.orders.rows.get(asked.key)
        same = row is not None and row.not_found_first == asked.not_found_first
        if row is not None and same and row.state == LocalOrderState.UNKNOWN and row.not_found:
            self._state.orders.change(row.key, answered=row.answered | {source})


def since(sym: str, begin_ms: int) -> dict[str, str]:
    """Build the query for a pair's ended orders since a server time, in ms."""
    return arguments_of(OrderHistoryQuery(sym=sym, begin=str(begin_ms)))
