"""Schedule of periodic reads (audits): their intervals, and the events that make a read due earlier."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from tui.client.rest import CallFailed
from tui.engine.orders.algo_orders import AlgoOrders
from tui.engine.rows import LocalOrderState
from tui.engine.state.downtime import DowntimeWindows
from tui.engine.state.engine_state import EngineState
from tui.engine.state.reference_data import ReferenceDataPoller
from tui.engine.symbol_rules import are_rules_fresh, take_rules
from tui.engine.sync.connections import Connections
from tui.engine.sync.deleveraging_check import DeleveragingCheck
from tui.engine.sync.scheduler import Job
from tui.engine.sync.synchronization import Synchronization
from tui.interface.families.market import SYMBOL_INFO
from tui.interface.families.system import SYSTEM_STATUS

SYMBOL_RETRY = 4.0
"""Delay before a failed read of symbol rules is retried, s."""
SYMBOL_DOUBT = 60.0
"""Symbol rules younger than this are not read again after a refusal, s."""
BOOKINGS_EVERY = 2.5
"""Interval of statement reads while the last booking is missing, s."""
RULES_PATIENCE = 3.0
"""Longest wait of an order for the rules of its pair, s."""
REST_PROOF = 2.0
"""Interval of probes while REST is down, s: only a reply clears the error."""
STATUS_SOON = 1.0
"""Delay of a status read after a refusal because orders are paused, s."""
STALE_RULES = frozenset([401011, 401013, 401015, 401912])
"""Refusals that indicate outdated symbol rules."""
PAUSED = frozenset([400011, 601903])
"""Codes for paused orders."""


class AuditSchedule:
    """Periodic jobs of a trading session with an API key."""

    def __init__(
        self,
        state: EngineState,
        connections: Connections,
        synchronization: Synchronization,
        algos: AlgoOrders,
        downtime: DowntimeWindows,
    ) -> None:
        self._state, self._clock, self._connections = state, state.clock, connections
        self._rest = rest = connections.rest
        self._reconciler = reconciler = synchronization.reconciler
        self._login_sync = synchronization.login_sync
        self._deleveraging, self._downtime = DeleveragingCheck(state), downtime
        self._jitter = state.services.random_source.stream("audits")
        self.reference_data = reference_data = ReferenceDataPoller(state, rest)
        self._every = every = state.settings.audits
        self._renewing = asyncio.Lock()
        self._symbols = Job("symbols", lambda: SYMBOL_RETRY, self._read_symbols, due=0.0)
        self._status = Job("system status", self._spread(every.status), self._read_status, due=0.0)
        self._proof = Job(
            "system status", lambda: REST_PROOF, self._read_status, lambda: bool(rest.last_error), due=0.0
        )
        self._orders = self._build_synced_job("order audit", self._spread(every.orders), self._audit_orders)
        self._orders.early = lambda passed: passed >= every.busy and self._is_busy()
        self._positions = self._build_synced_job("position audit", self._spread(every.positions), self._audit_positions)
        self._positions.early = lambda passed: passed >= every.busy and self._deleveraging.waits()
        self._polled = Job("poll", lambda: every.polled, self._poll, self._is_polled)
        self._adl = self._build_synced_job("ADL", lambda: every.adl, reconciler.read_adl)
        self._algo_orders = self._build_synced_job("algo orders", self._spread(every.algos), algos.audit)
        self._liquidation = Job(
            "liquidation", lambda: every.positions, reconciler.read_liquidation, self._may_be_liquidated
        )
        self._leverages = self._build_synced_job(
            "leverages", self._spread(every.positions), reference_data.read_leverages
        )
        self._reference_jobs = self._build_reference_jobs(reference_data)

    def _build_reference_jobs(self, reference_data: ReferenceDataPoller) -> list[Job]:
        every, state = self._every, self._state
        statements = self._build_synced_job(
            "statements", self._spread(every.statements), reference_data.read_statements
        )
        statements.early = lambda passed: passed >= BOOKINGS_EVERY and state.facts.bookings.is_awaited
        return [
            self._build_synced_job("price lists", self._spread(every.terms), reference_data.read_schedules),
            self._leverages,
            self._build_synced_job("funding", lambda: every.funding, reference_data.read_funding),
            statements,
        ]

    def jobs(self) -> list[Job]:
        """List all jobs, in the order in which jobs due at the same time are started."""
        go_back = Job(
            "tier", lambda: 0.0, self._connections.return_to_preferred_tier, self._connections.may_return, due=0.0
        )
        once_in_step = [
            self._polled, self._orders, self._positions, self._adl, self._algo_orders, self._liquidation,
            *self._reference_jobs,
        ]  # fmt: skip
        return [self._symbols, self._status, self._proof, go_back, *once_in_step]

    def _build_synced_job(
        self, name: str, interval: Callable[[], float], run: Callable[[], Coroutine[Any, Any, None]]
    ) -> Job:
        return Job(name, interval, run, ready=lambda: self._state.synced)

    def _spread(self, seconds: float) -> Callable[[], float]:
        """Return an interval with jitter, so that several installations do not poll at the same moment."""
        return lambda: seconds * self._jitter.uniform(0.9, 1.0)

    # Events that bring a job forward

    def on_synced(self) -> None:
        """Reschedule the jobs after a completed snapshot."""
        now = self._clock.mono()
        self._orders.started = now
        self._orders.due = now + self._orders.interval()
        self._positions.due = now + self._positions.interval()
        self._polled.due = now
        self._adl.due = max(now, self._adl_floor())
        self._algo_orders.due = self._liquidation.due = now
        if not are_rules_fresh(self._state):
            self._symbols.due = now
        for job in self._reference_jobs:
            job.due = now

    def on_position_changed(self) -> None:
        """Make reads of ADL ranks and algo orders due soon after a position changed, and of leverages if needed."""
        soon = self._clock.mono() + self._every.adl_after
        self._adl.due = max(min(self._adl.due, soon), self._adl_floor())
        self._algo_orders.bring_forward(soon)
        if self._has_other_leverage():
            self._leverages.bring_forward(soon)

    def _has_other_leverage(self) -> bool:
        known, records = self._state.leverages, (fact.record for fact in self._state.facts.positions.rows.values())
        return any(row.leverage and row.leverage != known.get(row.sym, row.leverage) for row in records)

    def on_algos_changing(self) -> None:
        """Make the read of algo orders due soon, because some are being cancelled."""
        self._algo_orders.bring_forward(self._clock.mono() + self._every.adl_after)

    def on_order_refused(self, code: int) -> None:
        """Make reads due soon after a refused order, as some error codes indicate outdated rules or a maintenance window."""
        if code in STALE_RULES and self._clock.mono() - self._state.rules_read_at > SYMBOL_DOUBT:
            self._symbols.due = 0.0
        elif code in PAUSED:
            self._status.bring_forward(self._clock.mono() + STATUS_SOON)

    def _adl_floor(self) -> float:
        return self._reconciler.adl_at + self._every.adl_gap

    def _may_be_liquidated(self) -> bool:
        """Return whether to read the liquidation event: an account is at risk, or steps of a liquidation may be missing."""
        return self._state.synced and (self._reconciler.is_at_risk or self._state.facts.liquidations.unread)

    def _is_polled(self) -> bool:
        """Return whether lists must be polled because no stream pushes them."""
        return self._state.synced and self._state.identity.service.only_trade

    def _is_busy(self) -> bool:
        """Return whether an order is UNKNOWN, has a pending change, or waits for a reply."""
        rows = self._state.orders.visible_rows()
        return self._connections.in_flight > 0 or any(
            row.overlay or row.state == LocalOrderState.UNKNOWN for row in rows
        )

    # Jobs

    async def _read_symbols(self) -> None:
        """Read the trading rules of all pairs."""
        take_rules(self._state, (await self._rest.call(SYMBOL_INFO)).data)
        self._symbols.due = self._state.rules_read_at + self._every.symbols

    async def renew_rules(self) -> str:
        """Read the trading rules unless read since the login; return why they could not be read, or an empty text."""
        async with self._renewing:
            if are_rules_fresh(self._state):
                return ""
            try:
                async with asyncio.timeout(RULES_PATIENCE):
                    await self._read_symbols()
            except (CallFailed, TimeoutError) as failure:
                return str(failure) or "no answer"
            return ""

    async def _read_status(self) -> None:
        """Read the maintenance windows; a failed read changes nothing."""
        with suppress(CallFailed):
            self._downtime.update((await self._rest.call(SYSTEM_STATUS, attempts=1)).data)

    async def _audit_orders(self) -> None:
        await self._reconciler.read_orders(audit=True)

    async def _poll(self) -> None:
        """Read orders, positions, assets, accounts and fills, because no stream pushes them."""
        await self._reconciler.read_orders()
        await self._reconciler.read_positions()
        await self._reconciler.read_assets()
        await self._reconciler.read_accounts()
        await self._login_sync.read_recent_fills()

    async def _audit_positions(self) -> None:
        await self._reconciler.read_positions(audit=True)
        await self._reconciler.read_assets(audit=True)
        await self._reconciler.read_accounts(audit=True)
        await self._login_sync.fills.catch_up()
        self._deleveraging.compare()
