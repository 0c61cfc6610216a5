"""Open algo orders (take-profit, stop-loss, conditional) by the service's records."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from tui.client.call_expiry import EXPIRED_S
from tui.client.rest import CallFailed, Rest
from tui.engine.event_line import Level
from tui.engine.orders.algo_news import REPORTED, AlgoNews
from tui.engine.orders.dismissal import OPEN_LIST
from tui.engine.rows import AlgoRow, Source
from tui.engine.state import order_requests
from tui.engine.state.algo_table import HAD_POSITION
from tui.engine.state.closing_orders import can_open, is_orphan
from tui.engine.state.engine_state import EngineState
from tui.engine.state.facts import SnapshotRequest
from tui.engine.state.order_fold import GUARD_ENDED
from tui.engine.status_rows import ALGOS_UNREAD, NO_ALGO_LIST
from tui.interface import decimals
from tui.interface.errors import ErrorClass
from tui.interface.families.algo import (
    ALGO_DETAIL,
    OPEN_ALGO_STATES,
    OPEN_ALGOS,
    AlgoRecord,
    AlgoState,
)
from tui.interface.text import how_many
from tui.interface.times import millis

CANCELS = "cancel-all"
"""Cause of the events about one: the newest takes the others off the line of events."""
NOT_OFFERED = (404, 405)
ALGO_NOT_FOUND = 401018
MOST_LOOKED_UP = 2
"""Most missing orders queried per read: the service allows three queries in 10 s."""


class _LostCancel(msgspec.Struct, frozen=True):
    """Cancel of several algo orders to which no answer came."""

    keys: tuple[str, ...]
    """Rows that were open."""
    at: str
    """Wall time, for the trader."""
    expires: float
    """Monotonic time from which it can no longer be carried out, s."""


class AlgoOrders:
    """Open algo orders of the portfolio, kept up to date by list reads and pushes."""

    def __init__(self, state: EngineState, rest: Rest) -> None:
        """Initialize with no orders.

        Args:
            state: State of the engine.
            rest: Client for reads.
        """
        self.error = ALGOS_UNREAD
        """Why the list is not known, or empty."""
        self.offered = True
        """Whether the service offers algo orders, as far as known."""
        self._orphans: set[str] = set()
        """Rows already reported as orphans."""
        self._lost: list[_LostCancel] = []
        self.news = AlgoNews(state)
        self._state = state
        self._rest = rest

    # Records of the service

    async def audit(self) -> None:
        """Read the open algo orders; query how missing ones ended, at most `MOST_LOOKED_UP`, and drop the others."""
        asked, gone = self._state.clock.mono(), await self.read()
        self.note_positions()
        for row in gone[:MOST_LOOKED_UP]:
            await self._query_end(row)
        for row in gone[MOST_LOOKED_UP:]:
            self._drop(row)
        self._settle_lost(asked)
        if len(gone) > MOST_LOOKED_UP:
            many = how_many(len(gone) - MOST_LOOKED_UP, "more algo order")
            self._state.notify(Level.INFO, f"{many} ended meanwhile; the history of the service tells how")
        self._report_orphans()

    def _settle_lost(self, asked: float) -> None:
        """Report unanswered cancels whose orders have all ended, or that cannot be carried out any more at `asked`."""
        if self.error:
            return
        rows, waiting = self._state.algos.rows, list[_LostCancel]()
        for lost in self._lost:
            left = sum(key in rows for key in lost.keys)
            if left and asked < lost.expires:
                waiting.append(lost)
                continue
            ended = how_many(len(lost.keys) - left, "algo order")
            text = f"cancel-all without an answer at {lost.at}: {ended} ended, {left} still open"
            self._state.notify(Level.ALERT if left else Level.INFO, text, cause=CANCELS)
        self._lost = waiting

    def note_positions(self) -> None:
        """Journal which algo orders have a position to reduce: once it is gone, they may open another."""
        for key in self._state.algos.note_positions(self._state.facts.positions.rows):
            self._state.write_journal(HAD_POSITION, {}, intent_id=key)

    def _report_orphans(self) -> None:
        """Report each open algo order that lost its position, once until it is no orphan any more."""
        state = self._state
        working = state.orders.working()
        orphans = {
            row.key: row for row in state.algos.rows.values() if is_orphan(row, state.facts.positions.rows, working)
        }
        for row in [row for key, row in orphans.items() if key not in self._orphans]:
            opens = ": it would open another" if can_open(row.record) else ""
            text = f"ORPHAN: {state.algos.text_of(row.record)}: its position is gone and the order is still open{opens}"
            state.notify(Level.ALERT, f"{text}; a cancel among the algo orders ends it")
        self._orphans = set(orphans)

    async def read(self, *, reserved: bool = False) -> list[AlgoRow]:
        """Read the open algo orders; return the known rows that are missing from the list.

        Args:
            reserved: Whether to use the share of the limit kept for cancels and queries.
        """
        state = self._state
        if not self.offered:
            return []
        asked = SnapshotRequest(state.clock.mono(), state.epoch)
        try:
            records, _ = await self._rest.read_all_pages(OPEN_ALGOS, reserved=reserved)
        except CallFailed as failure:
            self.record_failure(failure)
            return []
        self.error = ""
        mine = [
            record
            for record in records
            if record.order_state in OPEN_ALGO_STATES and state.accepts(record.portfolio_id, "an algo order")
        ]
        open_before = set(state.commands.open)
        missing = state.algos.fold_list(mine, asked, state.portfolio, state.clock.mono())
        for record in mine:
            key = state.algos.key_of(record)
            if key in open_before and key not in state.commands.open:
                # Otherwise the next session would ask about the command again.
                state.write_journal("algo", record, intent_id=key)
            self._report_return(record)
        for key in list(state.algos.rows):
            state.algos.record_answer(key, OPEN_LIST, asked.at)
        return missing

    async def read_again(self) -> None:
        """Read the open algo orders after a cancel, and drop the rows that are not listed any more."""
        for row in await self.read(reserved=True):
            self._drop(row)

    def note_lost_cancels(self, keys: tuple[str, ...]) -> None:
        """Record that a cancel of these rows got no answer; later list reads show what became of them."""
        at = datetime.fromtimestamp(self._state.server_ms() // 1000, UTC)
        self._lost.append(_LostCancel(keys, f"{at:%H:%M:%S} UTC", self._state.clock.mono() + EXPIRED_S))

    async def _query_end(self, row: AlgoRow) -> None:
        """Query how an algo order ended; drop its row if the service does not find it."""
        try:
            reply = await self._rest.call(
                ALGO_DETAIL, order_requests.name_algo(row.record.algo_order_id), reserved=True
            )
        except CallFailed as failure:
            if failure.code == ALGO_NOT_FOUND:
                self._drop(row)
            return
        self.fold(reply.data, Source.QUERY)

    def _drop(self, row: AlgoRow) -> None:
        """Remove the row of an algo order that is no longer listed as open; journal its open command as settled."""
        if row.key in self._state.commands.open:
            self._state.write_journal("algo_settled", {"done": False}, intent_id=row.key)
        self._state.algos.drop(row)

    def fold(self, record: AlgoRecord, source: Source, received: float | None = None) -> None:
        """Apply and journal one algo order record, and notify what it changed."""
        state = self._state
        if not state.accepts(record.portfolio_id, "an algo order"):
            return
        key = state.algos.key_of(record)
        before = state.algos.rows.get(key)
        if not state.algos.fold(record, state.stamp(source, millis(record.update_at), received)):
            return
        state.write_journal("algo", record, intent_id=key)
        self.note_positions()
        self._report_return(record)
        if record.order_state in REPORTED and (before is None or before.state != record.order_state):
            self.news.report(record, key)
            self._end_guard(record)

    def _end_guard(self, record: AlgoRecord) -> None:
        """Mark the order whose attached stop or target has ended before it; warn unless that was cancelled or expired.

        After a cancel nothing is said: the trader ended it, or the service because the order itself has ended.
        """
        orders = self._state.orders
        parent = orders.rows.get(orders.find(record.attached_order_id, "")) if record.attached_order_id else None
        if parent is None or parent.final or parent.guard_ended:
            return
        filled, total = decimals.optional(record.order_qty), decimals.optional(parent.qty)
        if filled is not None and total is not None and filled >= total:
            return  # its size is what has filled: only the push of that order is still on its way
        orders.change(parent.key, guard_ended=True)
        self._state.write_journal(GUARD_ENDED, {}, intent_id=parent.key)
        if record.order_state not in (AlgoState.CANCELLED, AlgoState.EXPIRED):
            how = "failed" if record.order_state in (AlgoState.FAILED, AlgoState.REJECTED) else "fired"
            text = f"its stop or target has {how}, and what it fills from now on has none"
            self._state.notify(Level.ALERT, f"{orders.text_of(parent)} still works: {text}", parent.key, away=False)

    def _report_return(self, record: AlgoRecord) -> None:
        """Notify that an algo order which the trader had dismissed still exists at the service."""
        algos = self._state.algos
        key = algos.key_of(record)
        if key in algos.dismissed:
            algos.dismissed.discard(key)
            text = f"dismissed algo order is back: {algos.text_of(record)}: {record.order_state}"
            self._state.notify(Level.ALERT, text)

    def record_failure(self, failure: CallFailed) -> None:
        """Record why the list of algo orders could not be read, or that the service does not offer them."""
        if failure.kind is ErrorClass.BUG and (failure.http in NOT_OFFERED or failure.code in NOT_OFFERED):
            self.offered, self.error = False, NO_ALGO_LIST
        else:
            self.error = str(failure)
