"""Cancels of all algo orders of a scope, or of those that match filters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.doer_names import BY
from tui.engine.event_line import Level
from tui.engine.intents import CancelAll, CancelAllAlgos, Outcome, Verdict
from tui.engine.orders.algo_orders import CANCELS, AlgoOrders
from tui.engine.orders.intent_record import CANCEL_RECORDED_WITHIN_S, describe_unrecorded, record_intent
from tui.engine.rows import AlgoRow
from tui.engine.state import order_requests
from tui.engine.state.closing_orders import Owner, find_owner
from tui.engine.state.engine_state import EngineState
from tui.interface.endpoint import Endpoint
from tui.interface.families import algo
from tui.interface.families.algo import CANCEL_ALGO, CANCEL_ALL_ALGOS, OPEN_ALGOS
from tui.interface.request import arguments_of
from tui.interface.symbols import is_in_scope
from tui.interface.text import how_many


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
        """Return whether this call cancels the algo order of a row."""
        if self.filters is not None:
            return self.filters.matches(row.record)
        return order_requests.name_algo(row.record.algo_order_id, row.key) == self.args


class _CancelReply(msgspec.Struct, frozen=True):
    """Result of one cancel call: error, whether it may have worked all the same, and how many orders it cancelled."""

    error: str = ""
    unsure: bool = False
    """Whether the service may have carried it out in spite of the error."""
    cancelled: int = 0


class CancelAlgosExecutor:
    """Executor of cancels of several algo orders; the list of open ones tells afterwards which have ended."""

    def __init__(self, state: EngineState, rest: Rest, algos: AlgoOrders, changing: Callable[[], None]) -> None:
        """Initialize the executor.

        Args:
            state: State of the engine.
            rest: Client for the cancels.
            algos: Open algo orders.
            changing: Callback when listed orders are being cancelled, so that the list is read again soon.
        """
        self._state = state
        self._rest = rest
        self._algos = algos
        self._changing = changing

    async def cancel_all(self, intent: CancelAll, scopes: Iterable[tuple[str, str]]) -> AlgoOutcome:
        """Cancel the algo orders of (venue, symbol) scopes; `spare_closing` spares those of a position or open order."""
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
        """Split the open algo orders of a scope into those owned by a position or a working order, and the others.

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
        self._state.notify_deed(intent.decision, level, f"{text}{BY}", cause=CANCELS)
        if outcome.taken:
            return Outcome(verdict=Verdict.ACCEPTED, text=text)
        return Outcome(verdict=Verdict.UNKNOWN if outcome.unsure else Verdict.REJECTED, text=text)

    async def _cancel_scopes(self, intent: CancelAll | CancelAllAlgos, calls: list[_AlgoCancel]) -> AlgoOutcome:
        """Send the cancel calls together; after success read the open algo orders again if the rate limit allows it."""
        sent = calls if self._algos.offered else []
        reached = tuple(key for key, row in self._state.algos.rows.items() if any(call.cancels(row) for call in sent))
        replies = await asyncio.gather(*(self._cancel(intent, call) for call in sent))
        wrong = [reply for reply in replies if reply.error]
        # Who cancels twice waits for no list: that has three reads in 10 s, and the audit reads it as soon as it may.
        if not wrong and not self._rest.must_wait(OPEN_ALGOS):
            await self._algos.read_again()
        self._changing()
        if not self._algos.offered:
            return AlgoOutcome(
                taken=True, text="algo orders, if there are any, stay: this service has no call for them"
            )
        cancelled = sum(reply.cancelled for reply in replies)
        ended = f"{how_many(cancelled, 'algo order')} cancelled"
        if not wrong:
            return AlgoOutcome(taken=True, text=ended if cancelled else "", cancelled=cancelled)
        known = len(self._state.algos.rows.keys() & set(reached))
        unread = "which are open is not known" if self._algos.error else "none to cancel is known"
        left = f"{known} known may stay live" if known else unread
        text = f"algo orders: {wrong[0].error}; {f'{ended}; ' if cancelled else ''}{left}"
        unsure = any(reply.unsure for reply in wrong)
        if unsure and reached:
            self._algos.note_lost_cancels(reached)
        return AlgoOutcome(taken=False, text=text, unsure=unsure, cancelled=cancelled)

    async def _cancel(self, intent: CancelAll | CancelAllAlgos, call: _AlgoCancel) -> _CancelReply:
        """Journal and send one cancel call; a failed journal write only warns."""
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
            self._algos.record_failure(failure)
            return _CancelReply(str(failure) if failure.unsure else f"refused ({failure})", failure.unsure)
        state.write_journal("reply", {"code": reply.code, "text": reply.text, "data": reply.data}, intent_id=intent_id)
        return _CancelReply(cancelled=1 if call.endpoint is CANCEL_ALGO else len(reply.data or []))
