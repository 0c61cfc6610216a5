"""Open algo orders (take-profit, stop-loss, conditional) by the service's records, and their cancel-all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.intents import CancelAll, CancelAllAlgos, Outcome, Verdict
from tui.engine.orders.algo_news import REPORTED, AlgoNews
from tui.engine.orders.dismissal import OPEN_LIST
from tui.engine.orders.intent_record import CANCEL_RECORDED_WITHIN_S, describe_unrecorded, record_intent
from tui.engine.rows import AlgoRow, Level, Source
from tui.engine.state import order_requests
from tui.engine.state.algo_table import HAD_POSITION
from tui.engine.state.call_expiry import EXPIRED_S
from tui.engine.state.closing_orders import Owner, can_open, find_owner, is_orphan
from tui.engine.state.engine_state import EngineState
from tui.engine.state.facts import Asked
from tui.engine.state.order_fold import GUARD_ENDED
from tui.engine.status_rows import ALGOS_UNREAD, NO_ALGO_LIST
from tui.interface import decimals
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.families import algo
from tui.interface.families.algo import (
    ALGO_DETAIL,
    CANCEL_ALGO,
    CANCEL_ALL_ALGOS,
    OPEN_ALGO_STATES,
    OPEN_ALGOS,
    AlgoRecord,
    AlgoState,
)
from tui.interface.request import arguments_of
from tui.interface.symbols import is_in_scope
from tui.interface.text import how_many
from tui.interface.times import millis

CANCELS = "cancel-all"
"""Cause of the events about one: the newest takes the others off the line of events."""
NOT_OFFERED = (404, 405)
ALGO_NOT_FOUND = 401018
MOST_LOOKED_UP = 2
"""Most missing orders queried per read: the service allows three queries in 10 s."""


class AlgoOutcome(msgspec.Struct, frozen=True):
    """Result of cancelling algo orders."""

    taken: bool
    """Whether the service accepted it, or there is nothing to cancel."""
    text: str
    unsure: bool = False
    cancelled: int = 0
    """Number of orders that the service cancelled."""


class _AlgoCancel(msgspec.Struct, frozen=True):
    """REST call that cancels one algo order, or all that match filters."""

    endpoint: Endpoint
    args: dict[str, str]
    filters: algo.CancelAllAlgos | None = None
    """What it matches; None for one order."""

    @classmethod
    def of_all(cls, filters: algo.CancelAllAlgos) -> _AlgoCancel:
        """Build the call that cancels all orders that match filters."""
        return cls(CANCEL_ALL_ALGOS, arguments_of(filters), filters)

    def cancels(self, row: AlgoRow) -> bool:
        """Return whether it cancels an algo order."""
        if self.filters is not None:
            return self.filters.matches(row.record)
        return order_requests.name_algo(row.record.algo_order_id, row.key) == self.args


class _LostCancel(msgspec.Struct, frozen=True):
    """Cancel of several algo orders whose answer was lost."""

    keys: tuple[str, ...]
    """Rows that were open."""
    at: str
    """Wall time, for the trader."""
    expires: float
    """Monotonic time from which it can no longer be carried out, s."""


class _CancelReply(msgspec.Struct, frozen=True):
    """Reply to one cancel call."""

    error: str = ""
    unsure: bool = False
    """Whether the service may have carried it out in spite of the error."""
    cancelled: int = 0


class AlgoOrders:
    """Open algo orders of the portfolio, kept up to date by list reads and pushes."""

    def __init__(self, state: EngineState, rest: Rest, changing: Callable[[], None]) -> None:
        """Initialize with no orders.

        Args:
            state: State of the engine.
            rest: Client for reads and cancels.
            changing: Callback when listed orders are being cancelled, so that the list is read again soon.
        """
        self.error = ALGOS_UNREAD
        """Why the list is not known, or empty."""
        self.offered = True
        """Whether the service offers algo orders, as far as known."""
        self._changing = changing
        self._orphans: set[str] = set()
        """Rows already reported as orphans."""
        self._lost: list[_LostCancel] = []
        self.news = AlgoNews(state)
        self._state = state
        self._rest = rest

    # Records of the service

    async def audit(self) -> None:
        """Read the list of open algo orders; for up to a limit of missing ones, query how they ended."""
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
        """Say what became of cancels whose answer was lost, once a list read from `asked` on proves it."""
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
        """Remember which algo orders have a position to reduce, also over a restart: without it they may open another."""
        for key in self._state.algos.note_positions(self._state.facts.positions.rows):
            self._state.write_journal(HAD_POSITION, {}, intent_id=key)

    def _report_orphans(self) -> None:
        """Report each open algo order whose position is gone, once."""
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
        asked = Asked(state.clock.mono(), state.epoch)
        try:
            records, _ = await self._rest.read_all_pages(OPEN_ALGOS, reserved=reserved)
        except CallFailed as failure:
            self._record_failure(failure)
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
        """Drop the row of an algo order that is no longer listed as open, with its command."""
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
        """Mark the order to which a stop or target was attached that fired or ended, and warn that it goes on without.

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
        """Notify that a dismissed algo order exists after all."""
        algos = self._state.algos
        key = algos.key_of(record)
        if key in algos.dismissed:
            algos.dismissed.discard(key)
            text = f"dismissed algo order is back: {algos.text_of(record)}: {record.order_state}"
            self._state.notify(Level.ALERT, text)

    def open(self, exchange: str = "", sym: str = "") -> int:
        """Count the open algo orders of a venue and a pair, including new ones without a reply."""
        return sum(is_in_scope(row.record.sym, exchange, sym) for row in self._state.algos.rows.values())

    # Cancel-all

    async def cancel_all(self, intent: CancelAll, scopes: Iterable[tuple[str, str]]) -> AlgoOutcome:
        """Cancel all algo orders of some (venue, symbol) scopes and read the rest; optionally spare closing orders."""
        calls: list[_AlgoCancel] = []
        for exchange, sym in scopes:
            spared, others = self._split(exchange, sym) if intent.spare_closing else ([], [])
            if spared:
                refs = [order_requests.name_algo(row.record.algo_order_id, row.key) for row in others]
                calls += [_AlgoCancel(CANCEL_ALGO, ref) for ref in refs]
            else:
                calls.append(_AlgoCancel.of_all(algo.CancelAllAlgos(exchange_type=exchange, sym=sym)))
        return await self._cancel_scopes(intent, calls)

    def _split(self, exchange: str, sym: str) -> tuple[list[AlgoRow], list[AlgoRow]]:
        """Split the open algo orders of a scope into those that belong to a position or an entry, and the others.

        Those of an entry end with it: a cancel of their own would come too late, or leave the entry without its stop.
        """
        positions, working = self._state.facts.positions.rows, self._state.orders.working()
        here = [row for row in self._state.algos.rows.values() if is_in_scope(row.record.sym, exchange, sym)]
        spared = [row for row in here if find_owner(row, positions, working) is not Owner.NOBODY]
        return spared, [row for row in here if row not in spared]

    async def cancel_filtered(self, intent: CancelAllAlgos) -> Outcome:
        """Cancel the algo orders that match the filters of an intent that passed the gate; plain orders stay."""
        call = _AlgoCancel.of_all(order_requests.cancel_all_algos(intent))
        outcome = await self._cancel_scopes(intent, [call])
        text = outcome.text or "no algo order matched"
        level = Level.INFO if outcome.taken else Level.ALERT
        self._state.notify(level, f"{text}{intent.decision.by}", cause=CANCELS)
        if outcome.taken:
            return Outcome(verdict=Verdict.ACCEPTED, text=text)
        return Outcome(verdict=Verdict.UNKNOWN if outcome.unsure else Verdict.REJECTED, text=text)

    async def _cancel_scopes(self, intent: CancelAll | CancelAllAlgos, calls: list[_AlgoCancel]) -> AlgoOutcome:
        """Execute the cancel calls, then read the list of open algo orders again, or soon where its budget is used up."""
        sent = calls if self.offered else []
        reached = tuple(key for key, row in self._state.algos.rows.items() if any(call.cancels(row) for call in sent))
        replies = await asyncio.gather(*(self._cancel(intent, call) for call in sent))
        wrong = [reply for reply in replies if reply.error]
        # Who cancels twice waits for no list: that has three reads in 10 s, and the audit reads it as soon as it may.
        if not wrong and not self._rest.must_wait(OPEN_ALGOS):
            for row in await self.read(reserved=True):
                self._drop(row)
        self._changing()
        if not self.offered:
            return AlgoOutcome(True, "algo orders, if there are any, stay: this service has no call for them")
        cancelled = sum(reply.cancelled for reply in replies)
        ended = f"{how_many(cancelled, 'algo order')} cancelled"
        if not wrong:
            return AlgoOutcome(True, ended if cancelled else "", cancelled=cancelled)
        left = f"{self.open()} known may stay live" if self.open() else "none is known to be open"
        text = f"algo orders: {wrong[0].error}; {f'{ended}; ' if cancelled else ''}{left}"
        unsure = any(reply.unsure for reply in wrong)
        if unsure:
            at = datetime.fromtimestamp(self._state.server_ms() // 1000, UTC)
            expires = self._state.clock.mono() + EXPIRED_S
            self._lost.append(_LostCancel(reached, f"{at:%H:%M:%S} UTC", expires))
        return AlgoOutcome(False, text, unsure, cancelled)

    async def _cancel(self, intent: CancelAll | CancelAllAlgos, call: _AlgoCancel) -> _CancelReply:
        """Send one cancel call."""
        state = self._state
        intent_id = state.services.ids.request_id()
        entry = await record_intent(
            state.journal, intent, {"endpoint": call.endpoint.name, "args": call.args},
            within_s=CANCEL_RECORDED_WITHIN_S, epoch=state.epoch, intent_id=intent_id,
        )  # fmt: skip
        if isinstance(entry, str):
            state.notify(Level.WARN, describe_unrecorded("cancel of algo orders", entry))
        try:
            reply = await self._rest.call(call.endpoint, call.args, reserved=True)
        except CallFailed as failure:
            state.write_journal("reply", {"code": failure.code, "text": str(failure)}, intent_id=intent_id)
            self._record_failure(failure)
            return _CancelReply(str(failure) if failure.unsure else f"refused ({failure})", failure.unsure)
        state.write_journal("reply", {"code": reply.code, "text": reply.text, "data": reply.data}, intent_id=intent_id)
        return _CancelReply(cancelled=1 if call.endpoint is CANCEL_ALGO else len(reply.data or []))

    def _record_failure(self, failure: CallFailed) -> None:
        if failure.kind is ErrorClass.BUG and (failure.http in NOT_OFFERED or failure.code in NOT_OFFERED):
            self.offered, self.error = False, NO_ALGO_LIST
        else:
            self.error = str(failure)
