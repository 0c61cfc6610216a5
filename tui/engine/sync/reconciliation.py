"""Reconciliation with the service over REST, after a login and in periodic audits.

The private stream has no snapshot, replay or sequence numbers, so lists are read over REST while pushes are buffered;
the newer record wins. A failed read is never taken for an empty list.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tui.client.rest import CallFailed, Rest
from tui.engine.event_line import Level
from tui.engine.loan_fields import add_loans
from tui.engine.rows import LocalOrderState, OrderRow, Source
from tui.engine.state.engine_state import EngineState
from tui.engine.state.facts import SnapshotRequest, asset_key, position_key
from tui.engine.sync.order_ends import OrderEnds
from tui.interface import decimals
from tui.interface.errors import TRANSIENT
from tui.interface.families.assets import PORTFOLIO_ASSETS
from tui.interface.families.liquidation import LIQUIDATION_EVENT
from tui.interface.families.orders import OPEN_ORDERS
from tui.interface.families.portfolio_loans import PORTFOLIO_LOAN_INFO, LoanInfo
from tui.interface.families.positions import ACCOUNT, ADL_RANK, POSITIONS, AccountStatus
from tui.interface.text import how_many
from tui.interface.times import millis

SNAPSHOT_TRIES = 3
UNDER_WAY_MS = 3_000
"""Longest delay of a change's push before an audit counts it as lost, server ms."""


class Reconciler:
    """Reader of snapshots, which it merges into the state."""

    def __init__(self, state: EngineState, rest: Rest, query_now: Callable[[str], None]) -> None:
        self._state = state
        self._rest = rest
        self._query_now = query_now
        self._ends = OrderEnds(state, rest, query_now)
        self.adl_at = float("-inf")
        """Monotonic time of the last ADL query, s."""
        self._partial: dict[str, str] = {}
        self._has_loans = True
        """Whether the service answers queries about portfolio loans."""
        self.orders_checked_ms = 0
        """Wall time of the request for the newest complete list of open orders, ms."""
        self.positions_checked_ms = 0
        """Wall time of the request for the newest complete list of positions, ms."""

    @property
    def partial(self) -> str:
        """Name of a list that could not be read completely, or an empty text."""
        return next(iter(self._partial.values()), "")

    async def read_orders(self, *, audit: bool = False, ends: bool = False) -> None:
        """Read open orders; a known order missing from the list is queried before it is removed from the screen.

        Args:
            audit: Whether it is an audit while the streams are healthy.
            ends: Whether to return only once the ends of missing orders were read; otherwise they are queried soon.

        Raises:
            CallFailed: The list could not be read; nothing was changed.
        """
        state = self._state
        asked, asked_ms, asked_server_ms = self._new_request(), int(state.clock.wall() * 1000), state.server_ms()
        records = await self._read_open_orders(reserved=not audit)
        if asked.epoch != state.epoch:
            return
        if "orders" not in self._partial:
            self.orders_checked_ms = asked_ms
        seen: dict[str, None] = {}
        before = {row.key: row.stamp.update_at for row in state.orders.visible_rows()}
        for record in records:
            key = state.fold_order(record, Source.SNAPSHOT)
            if key:
                seen[key] = None
                told = state.orders.rows[key].stamp.update_at
                # The push of a recent change may still be due; only an overdue one counts as lost.
                if audit and told > before.get(key, -1) and told < asked_server_ms - UNDER_WAY_MS:
                    state.notify(Level.WARN, f"audit: order {key} was not as shown; repaired", key)
        missing = [row for row in state.orders.working() if row.key not in seen and _may_have_ended(row, asked.at)]
        if ends:
            await self._ends.read(missing)
            return
        for row in missing:
            self._query_now(row.key)

    async def read_positions(self, *, audit: bool = False) -> None:
        """Read all positions.

        Raises:
            CallFailed: They could not be read; nothing was changed.
        """
        asked, asked_ms = self._new_request(), int(self._state.clock.wall() * 1000)
        records = (await self._rest.call(POSITIONS, reserved=not audit)).data
        rows = [
            (position_key(record), record, millis(record.update_at))
            for record in records
            if self._state.accepts(record.portfolio_id, "a position") and decimals.optional(record.position_qty) != 0
        ]
        if self._fold(self._state.facts.positions, rows, asked, "positions", audit=audit):
            self.positions_checked_ms = asked_ms

    async def read_assets(self, *, audit: bool = False) -> None:
        """Read all assets.

        Raises:
            CallFailed: They could not be read; nothing was changed.
        """
        asked = self._new_request()
        records, steady = await self._rest.read_all_pages(PORTFOLIO_ASSETS, reserved=not audit)
        self._set_partial("assets", "" if steady else "PARTIAL: assets changed while they were read")
        own = [record for record in records if self._state.accepts(record.portfolio_id, "an asset")]
        known = self._state.facts.assets.rows
        rows = [
            (asset_key(record), record, millis(record.update_at))
            for record in add_loans(own, await self._read_loans(), known, asked.epoch)
        ]
        self._fold(self._state.facts.assets, rows, asked, "assets", audit=audit)

    async def _read_loans(self) -> LoanInfo | None:
        """Read the portfolio loans, which are missing in asset lists; None if they cannot be read."""
        if not self._has_loans:
            return None
        try:
            loans: LoanInfo = (await self._rest.call(PORTFOLIO_LOAN_INFO, attempts=1)).data
        except CallFailed as failure:
            # A service without loans is not asked again.
            self._has_loans = failure.kind in TRANSIENT
            return None
        return loans if self._state.accepts(str(loans.portfolio_id), "a loan") else None

    async def read_accounts(self, *, audit: bool = False) -> None:
        """Read the account records.

        Raises:
            CallFailed: They could not be read; nothing was changed.
        """
        asked = self._new_request()
        records = (await self._rest.call(ACCOUNT, reserved=not audit)).data
        rows = [
            (record.exchange_type, record, millis(record.update_at))
            for record in records
            if self._state.accepts(record.portfolio_id, "an account row")
        ]
        self._fold(self._state.facts.accounts, rows, asked, "account", audit=audit)

    async def read_adl(self) -> None:
        """Read the ADL ranks.

        Raises:
            CallFailed: They could not be read; nothing was changed.
        """
        asked = self._new_request()
        self.adl_at = self._state.clock.mono()
        ranks = (await self._rest.call(ADL_RANK, attempts=1)).data.adl_ranks
        rows = [(position_key(rank), rank, 0) for rank in ranks]
        self._fold(self._state.facts.adl, rows, asked, "ADL", audit=False)

    async def read_liquidation(self) -> None:
        """Read the newest liquidation event, for steps that were not pushed; a failed read changes nothing."""
        state = self._state
        with suppress(CallFailed):
            event = (await self._rest.call(LIQUIDATION_EVENT, attempts=1)).data
            state.facts.liquidations.unread = self.is_at_risk
            if event.liquidation_event_id and state.accepts(event.portfolio_id, "a liquidation event"):
                for step in state.facts.liquidations.add_event(event):
                    state.notify_step(step)

    @property
    def is_at_risk(self) -> bool:
        """Whether any account has a status other than NORMAL."""
        rows = self._state.facts.accounts.rows.values()
        return any(fact.record.account_status not in ("", AccountStatus.NORMAL) for fact in rows)

    async def _read_open_orders(self, *, reserved: bool) -> list[Any]:
        """Read all open orders, up to `SNAPSHOT_TRIES` times until consistent; return them without duplicates."""
        records: list[Any] = []
        for _ in range(SNAPSHOT_TRIES):
            records, steady = await self._rest.read_all_pages(OPEN_ORDERS, reserved=reserved)
            by_order = {record.order_id: record for record in records}
            if steady and len(by_order) == len(records):
                self._set_partial("orders", "")
                return records
            records = list(by_order.values())
        self._set_partial("orders", "PARTIAL: open orders changed while they were read")
        return records

    def _set_partial(self, what: str, reason: str) -> None:
        self._partial.pop(what, None)
        if reason:
            self._partial[what] = reason

    def _new_request(self) -> SnapshotRequest:
        return SnapshotRequest(self._state.clock.mono(), self._state.epoch)

    def _fold(
        self, table: Any, rows: list[tuple[str, Any, int]], asked: SnapshotRequest, what: str, *, audit: bool
    ) -> bool:
        """Apply a list; return False if it was requested on an older connection and therefore ignored."""
        state = self._state
        if asked.epoch != state.epoch:
            return False
        repaired = table.snapshot(rows, asked, state.portfolio, state.clock.mono())
        if audit and repaired:
            state.write_journal("audit", f"{what}: {how_many(len(repaired), 'row')} repaired: {'; '.join(repaired)}")
        return True


def _may_have_ended(row: OrderRow, asked_at: float) -> bool:
    """Return whether an order missing from a list may have ended: the service had reported it before the request."""
    said = row.state not in (LocalOrderState.SENDING, LocalOrderState.SENT, LocalOrderState.UNKNOWN)
    return said and row.stamp.received < asked_at


async def after_login(reconciler: Reconciler, apply_buffered: Callable[[], None]) -> None:
    """Read orders, positions, assets and accounts after a login, and how missing orders ended; then apply pushes.

    UNKNOWN orders follow in the background.

    Raises:
        CallFailed: A read failed; nothing is in step yet.
    """
    await reconciler.read_orders(ends=True)
    await reconciler.read_positions()
    await reconciler.read_assets()
    await reconciler.read_accounts()
    apply_buffered()


async def repeat(interval: Callable[[], float], work: Callable[[], Any], failed: Callable[[CallFailed], None]) -> None:
    """Repeat a task forever; a failed read is reported and retried in the next round."""
    while True:
        await asyncio.sleep(interval())
        try:
            await work()
        except CallFailed as failure:
            failed(failure)
