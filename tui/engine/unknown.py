"""Asking about orders whose truth is missing: UNKNOWN ones, changes under way, contradictions.

Evidence ends the asking, time never does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.desk import Desk
from tui.engine.doubt import EXECUTIONS, HISTORY, OPEN_LIST, SOURCES
from tui.engine.rows import OrderRow, Shown, Source
from tui.interface import requests
from tui.interface.endpoint import Endpoint
from tui.interface.errors import Class
from tui.interface.families.orders import OPEN_ORDERS, ORDER_ARCHIVE, ORDER_DETAIL, ORDER_HISTORY

WAITS = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between rounds; the last one repeats."""
OLD_AFTER, OLD_WAIT = 300.0, 60.0
"""From this age (s) one round each of these seconds."""
PENDING_WAIT = 5.0
WIDE_EVERY = 3
"""Every so many rounds also open orders, history and executions are asked."""
HISTORY_BACK_MS = 3_600_000
"""How long before its making an order is looked for: the clocks may differ."""
HISTORY_MS = 7 * 86_400_000
"""How far the history reaches; what is older is in the archive."""
TOGETHER, STEP = 20, 0.05
"""Queries under way at once, and the pause before the next handful, s."""
AT_ONCE = 8
"""UNKNOWN orders asked about before the desk counts as in step; the others follow at their pace."""


class _Plan(msgspec.Struct):
    """When to ask about one order next."""

    due: float
    began: float
    asked: float = float("-inf")
    rounds: int = 0
    busy: bool = False
    again: bool = False
    """Wanted anew while the last question was on its way: its answer may be older than the reason to ask."""
    once: bool = False
    """Ask a single time, for a row that is neither UNKNOWN nor changing."""


class Inquiry:
    """Keeps asking while there is something to ask."""

    def __init__(
        self,
        desk: Desk,
        rest: Rest,
        executions: Callable[[], Awaitable[float]],
        spawn: Callable[[str, Coroutine[Any, Any, None]], bool],
    ) -> None:
        self._desk = desk
        self._rest = rest
        self._executions = executions
        self._spawn = spawn
        self._plans: dict[str, _Plan] = {}
        self._wake = asyncio.Event()

    def hasten(self, key: str) -> None:
        """The truth about this order is wanted now."""
        now = self._desk.clock.mono()
        plan = self._plans.get(key)
        if plan is None:
            self._plans[key] = _Plan(now, now, once=True)
        else:
            plan.due = min(plan.due, now)
            plan.again = plan.again or plan.busy
        self._wake.set()

    def restart_unasked(self) -> None:
        """The link is proven again: what was not asked within the last second is asked at once."""
        now = self._desk.clock.mono()
        for plan in self._plans.values():
            if now - plan.asked > 1.0:
                plan.due = now
        self._wake.set()

    async def settle(self) -> None:
        """One round over what is UNKNOWN now (of many, those asked least); part of getting back in step."""
        for row in sorted(self._desk.orders.unknown(), key=lambda one: one.asked)[:AT_ONCE]:
            await self._round(row.key)
        self.restart_unasked()

    async def run(self) -> None:
        """Ask until cancelled."""
        while True:
            self._plan_new()
            now = self._desk.clock.mono()
            ready = [key for key, plan in self._plans.items() if plan.due <= now and not plan.busy]
            if ready and self._desk.logged_in:
                # The rate of questions is limited: what was never asked comes before what was.
                for key in sorted(ready, key=lambda one: self._plans[one].rounds)[:TOGETHER]:
                    self._spawn(f"ask {key}", self._round(key))
                await asyncio.sleep(STEP)
                continue
            await self._sleep(now)

    async def _sleep(self, now: float) -> None:
        waits = [plan.due - now for plan in self._plans.values() if plan.due > now]
        if self._plans and not self._desk.logged_in:
            waits = [1.0]
        self._wake.clear()
        try:
            async with asyncio.timeout(min([*waits, 1.0])):
                await self._wake.wait()
        except TimeoutError:
            pass

    def _plan_new(self) -> None:
        now = self._desk.clock.mono()
        wanted: dict[str, float] = {}
        for row in self._desk.orders.shown():
            if row.state == Shown.UNKNOWN:
                wanted[row.key] = 0.0
            elif self._desk.orders.pending(row.key) is not None and not row.final:
                wanted[row.key] = PENDING_WAIT
        for key, wait in wanted.items():
            plan = self._plans.get(key)
            if plan is None:
                self._plans[key] = _Plan(now + wait, now)
            elif plan.once:
                plan.once = False
        for key in [key for key, plan in self._plans.items() if key not in wanted and not plan.once]:
            del self._plans[key]

    async def _round(self, key: str) -> None:
        row = self._desk.orders.rows.get(key)
        plan = self._plans.get(key)
        if row is None:
            self._plans.pop(key, None)
            return
        if plan is None:
            plan = self._plans[key] = _Plan(self._desk.clock.mono(), self._desk.clock.mono())
        if plan.busy:
            return
        plan.busy = True
        try:
            await self._ask(row, plan)
        finally:
            plan.busy = False
            if plan.again:
                plan.again, plan.due = False, self._desk.clock.mono()
            elif plan.once:
                self._plans.pop(key, None)
            else:
                self._schedule(plan, unknown=row.state == Shown.UNKNOWN)

    async def _ask(self, row: OrderRow, plan: _Plan) -> None:
        key = row.key
        plan.rounds += 1
        plan.asked = self._desk.clock.mono()
        pending = self._desk.orders.pending(key)
        if row.state == Shown.UNKNOWN:
            self._desk.orders.change(key, asked=row.asked + 1)
        found = await self._detail(row)
        if pending is not None and found is not None:
            pending.asked += 1
        if not found and row.state == Shown.UNKNOWN and self._wide_due(key, plan.rounds):
            self._spawn(f"wide {key}", self._wide(row))

    def _wide_due(self, key: str, rounds: int) -> bool:
        """Every third round, and from the third on while a list has not answered yet."""
        row = self._desk.orders.rows.get(key)
        silent = row is not None and any(source not in row.answered for source in SOURCES)
        return rounds % WIDE_EVERY == 0 or (rounds > WIDE_EVERY and silent)

    def _schedule(self, plan: _Plan, *, unknown: bool) -> None:
        now = self._desk.clock.mono()
        if now - plan.began >= OLD_AFTER:
            plan.due = now + OLD_WAIT
        elif unknown:
            plan.due = now + WAITS[min(plan.rounds - 1, len(WAITS) - 1)]
        else:
            plan.due = now + PENDING_WAIT

    async def _detail(self, row: OrderRow) -> bool | None:
        """Order detail: found, not found (counted), or None for a query that failed and counts as nothing."""
        try:
            reply = await self._rest.call(
                ORDER_DETAIL, requests.order_ref(row.order_id, row.client_order_id), reserved=True, attempts=1
            )
        except CallFailed as failure:
            self._desk.keep("query_failed", str(failure), intent_id=row.key, client_order_id=row.client_order_id)
            if failure.kind is not Class.GONE:
                return None
            self._not_found(row)
            return False
        record = reply.data
        self._desk.keep("query", record, intent_id=row.key, client_order_id=row.client_order_id)
        return self._desk.fold_order(record, Source.QUERY) == row.key

    def _not_found(self, asked: OrderRow) -> None:
        key = asked.key
        row = self._desk.orders.rows.get(key)
        if row is None or row.stamp is not asked.stamp:
            # Something was heard of it while the answer was on its way: the answer is the older word.
            return
        desk, now = self._desk, self._desk.clock.mono()
        if row.state == Shown.UNKNOWN:
            first = row.not_found == 0
            desk.orders.change(
                key,
                not_found=row.not_found + 1,
                not_found_at=int(desk.clock.wall() * 1000),
                not_found_first=now if first else row.not_found_first,
                not_found_last=now,
                answered=frozenset() if first else row.answered,
            )
        elif not row.final and row.state not in (Shown.SENDING, Shown.SENT):
            desk.orders.lost(key, "no longer found at the venue", now, vanished=True)

    async def _wide(self, row: OrderRow) -> None:
        """The other three sources: open orders, recent history or the archive, executions."""
        for source, endpoint, params in (
            (OPEN_LIST, OPEN_ORDERS, {"sym": row.sym}),
            (HISTORY, *self._history(row)),
        ):
            try:
                records, _ = await self._rest.every_page(endpoint, params, reserved=True)
            except CallFailed:
                continue
            for record in records:
                ours = record.client_order_id == row.client_order_id or (
                    row.order_id and record.order_id == row.order_id
                )
                if ours:
                    self._desk.fold_order(record, Source.QUERY)
            self._answered(row, source)
        read_at = await self._executions()
        now = self._desk.orders.rows.get(row.key)
        if now is not None and read_at >= now.not_found_first:
            self._answered(row, EXECUTIONS)

    def _history(self, row: OrderRow) -> tuple[Endpoint, dict[str, str]]:
        """Where an order of this age is listed once it has ended."""
        begin, oldest = row.create_at - HISTORY_BACK_MS, int(self._desk.clock.wall() * 1000) - HISTORY_MS
        if row.create_at <= oldest:
            return ORDER_ARCHIVE, requests.history_query(row.sym, max(0, begin))
        return ORDER_HISTORY, requests.history_query(row.sym, max(0, begin, oldest))

    def _answered(self, asked: OrderRow, source: str) -> None:
        row = self._desk.orders.rows.get(asked.key)
        if row is not None and row.state == Shown.UNKNOWN and row.not_found:
            self._desk.orders.change(row.key, answered=row.answered | {source})
