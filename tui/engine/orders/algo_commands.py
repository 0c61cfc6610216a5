"""Algo commands: gate, journal, one call that is never repeated, and asking the service what became of it.

A lost answer leaves the command UNKNOWN. A record of the order that shows what was asked for proves that it was carried
out. Of a change or a cancel, a record without it proves the contrary once the call cannot arrive any more. A new order
that is not found stays UNKNOWN until the service shows it or the trader dismisses it, like every other order.
"""

from __future__ import annotations

import asyncio

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.intents import (
    AlgoIntent,
    CancelAlgo,
    CancelAllAlgos,
    Outcome,
    PlaceAlgo,
    Protection,
    ReplaceAlgo,
    Verdict,
)
from tui.engine.orders.algo_gate import AlgoGate
from tui.engine.orders.algo_orders import ALGO_NOT_FOUND, AlgoOrders
from tui.engine.orders.dismissal import HISTORY, dismissal_block_reason
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.orders.reply_class import refuse_unsent
from tui.engine.orders.setting_changes import JOURNAL_TIMEOUT_S
from tui.engine.orders.unknown_resolver import OLD_AFTER, OLD_WAIT, WIDE_EVERY
from tui.engine.rows import AlgoRow, Level, LocalOrderState, Source
from tui.engine.state.algo_table import AlgoChange, triggers_of
from tui.engine.state.call_expiry import LATE_S
from tui.engine.state.engine_state import EngineState
from tui.interface import requests
from tui.interface.endpoint import Endpoint
from tui.interface.families.algo import (
    ALGO_DETAIL,
    ALGO_HISTORY,
    CANCEL_ALGO,
    PLACE_ALGO,
    REPLACE_ALGO,
    AlgoReply,
    TriggerName,
)
from tui.protocols import JournalUnwritable

CANCEL_JOURNAL_TIMEOUT_S = 1.0
"""How long a cancel waits for its journal entry, s; after that it is sent without it."""
ASK_EVERY_S = 4.0
"""Time between two queries about commands that are not settled, s: the service takes three in 10 s."""


class AlgoCommands:
    """The algo commands of one run."""

    def __init__(self, state: EngineState, gate: AlgoGate, rest: Rest, orders: AlgoOrders) -> None:
        """Prepare.

        Args:
            state: State of the engine.
            gate: Judges every command.
            rest: Where commands are sent.
            orders: Folds what the service says of the orders.
        """
        self._state = state
        self._gate = gate
        self._rest = rest
        self._orders = orders
        self._table = state.algos

    async def submit(self, intent: AlgoIntent) -> Outcome:
        """Send one command through the gate; ends with the first answer."""
        refusal = self._gate.check(intent)
        if refusal is not None:
            return self._deny(intent, refusal)
        state = self._state
        if isinstance(intent, CancelAlgo) and not self._table.rows[intent.key].seen:
            return await self._cancel_unseen(self._table.rows[intent.key], intent)
        try:
            key = state.services.ids.client_order_id() if isinstance(intent, PlaceAlgo) else intent.key
        except OSError as error:
            text = f"cannot record: the order id cannot be stored ({error.strerror or error})"
            return self._deny(intent, Refusal("JOURNAL", text))
        self._gate.record(intent)
        change = self._table.begin(intent, key, state.stamp(Source.LOCAL))
        change.text = self._table.text_of_change(change)
        try:
            return await self._send(change)
        except BaseException:
            # The call may have been sent: the command is UNKNOWN, not unsent.
            self._enter(change, LocalOrderState.UNKNOWN, state.call_expires_at())
            raise

    async def submit_cancel_all(self, intent: CancelAllAlgos) -> Outcome:
        """Cancel those that match some filters; ends when the list was read again."""
        refusal = self._gate.check_cancel_all(intent)
        return self._deny(intent, refusal) if refusal is not None else await self._orders.cancel_filtered(intent)

    async def _cancel_unseen(self, row: AlgoRow, intent: CancelAlgo) -> Outcome:
        """Cancel a new order that the service has not shown; it stays open until the service shows its end.

        The cancel is no change of its own: only what a reading shows of the order ends the placement.
        """
        key, name = row.key, f"cancel of {self._table.text_of(row.record)}"
        self._table.set_cancelling(key, pending=True)
        try:
            outcome = await self._send_unseen(intent, requests.algo_ref(row.record.algo_order_id, key))
        finally:
            self._table.set_cancelling(key, pending=False)
        level = Level.INFO if outcome.verdict is Verdict.ACCEPTED else Level.ALERT
        self._state.notify(level, f"{name}: {outcome.text}", away=False)
        return outcome

    async def _send_unseen(self, intent: CancelAlgo, args: dict[str, str]) -> Outcome:
        state, key, intent_id = self._state, intent.key, self._state.services.ids.request_id()
        refusal = await self._journal(intent, "CancelUnseenAlgo", intent_id, args)
        if refusal is not None:
            state.write_journal("not_sent", refusal.text, intent_id=intent_id)
            return Outcome(verdict=Verdict.DENIED, key=key, guard=refusal.guard, text=f"NOT SENT: {refusal.text}")
        state.write_journal("sent", CANCEL_ALGO.name, intent_id=intent_id)
        try:
            reply = await self._rest.call(CANCEL_ALGO, args, reserved=True)
        except CallFailed as failure:
            state.write_journal("reply", {"code": failure.code, "text": str(failure)}, intent_id=intent_id)
            return self._unseen_failure(key, failure)
        state.write_journal("reply", {"code": reply.code, "text": reply.text}, intent_id=intent_id)
        self._ask_next(key)
        text = "accepted: the venue has the order; its end is being read"
        return Outcome(verdict=Verdict.ACCEPTED, key=key, code=reply.code, text=text)

    def _unseen_failure(self, key: str, failure: CallFailed) -> Outcome:
        """What a cancel by the client order id says when it was not taken."""
        self._ask_next(key)
        if failure.code == ALGO_NOT_FOUND:
            text = (
                "the venue does not know it now; it may still arrive, so it stays UNKNOWN: cancel again or dismiss it"
            )
            return Outcome(verdict=Verdict.REJECTED, key=key, code=failure.code, text=text)
        if failure.unsure:
            text = f"UNKNOWN whether it was carried out: {failure}; the order is being asked about"
            return Outcome(verdict=Verdict.UNKNOWN, key=key, code=failure.code, text=text)
        refusal = refuse_unsent(failure)
        if refusal is not None:
            return Outcome(verdict=Verdict.DENIED, key=key, guard=refusal.guard, text=f"NOT SENT: {failure}")
        return Outcome(verdict=Verdict.REJECTED, key=key, code=failure.code, text=f"REJECTED {failure}")

    def _ask_next(self, key: str) -> None:
        """Ask about a command before the others."""
        change = self._table.changes.get(key)
        if change is not None:
            change.asked = float("-inf")

    async def _send(self, change: AlgoChange) -> Outcome:
        state = self._state
        endpoint, args = self._call_of(change)
        refusal = await self._journal(change.intent, type(change.intent).__name__, change.key, args)
        if refusal is not None:
            return self._report_not_sent(change, refusal)
        state.write_journal("sent", endpoint.name, intent_id=change.key)
        try:
            reply = await self._rest.call(endpoint, args)
        except CallFailed as failure:
            return self._handle_failure(change, failure)
        self._journal_reply(change, reply.code, reply.text, Verdict.ACCEPTED)
        if isinstance(reply.data, AlgoReply):
            self._note_id(change, reply.data.algo_order_id)
        self._enter(change, LocalOrderState.SENT, state.clock.mono() + LATE_S)
        state.notify(Level.INFO, f"{self._table.text_of_change(change)} accepted")
        return Outcome(verdict=Verdict.ACCEPTED, key=change.key, code=reply.code)

    def _call_of(self, change: AlgoChange) -> tuple[Endpoint, dict[str, str]]:
        intent = change.intent
        if isinstance(intent, PlaceAlgo):
            return PLACE_ALGO, requests.algo_place_args(
                client_order_id=change.key,
                sym=intent.sym,
                side=intent.side.value,
                condition=intent.condition.value,
                qty=intent.qty,
                position_side=intent.position_side.value,
                reduce_only=intent.reduce_only,
                triggers=_texts(intent),
            )
        algo_id = self._table.rows[change.key].record.algo_order_id
        if isinstance(intent, ReplaceAlgo):
            return REPLACE_ALGO, requests.algo_replace_args(algo_id, intent.qty, _texts(intent))
        return CANCEL_ALGO, requests.algo_ref(algo_id, "")

    async def _journal(self, intent: AlgoIntent, kind: str, intent_id: str, args: dict[str, str]) -> Refusal | None:
        """Journal a command durably and check again; returns why it must not be sent, or None."""
        state = self._state
        epoch, cancels = state.epoch, isinstance(intent, CancelAlgo)
        payload = msgspec.json.encode({"kind": kind, "intent": intent, "args": args}).decode()
        try:
            async with asyncio.timeout(CANCEL_JOURNAL_TIMEOUT_S if cancels else JOURNAL_TIMEOUT_S):
                await state.journal.record("intent", payload, intent_id=intent_id, epoch=epoch)
        except (JournalUnwritable, TimeoutError) as error:
            why = str(error) or "the disk is too slow"
            if not cancels:
                return Refusal("JOURNAL", f"cannot record: {why}")
            state.notify(Level.WARN, f"the cancel could not be recorded ({why}); it is sent")
        return self._gate.recheck(intent, epoch)

    def _note_id(self, change: AlgoChange, algo_order_id: str) -> None:
        """Keep the id of a new order that has not been pushed or listed yet."""
        row = self._table.rows.get(change.key)
        if row is not None and not row.record.algo_order_id:
            self._table.name(row, algo_order_id)

    def _handle_failure(self, change: AlgoChange, failure: CallFailed) -> Outcome:
        state, name, text = self._state, self._table.text_of_change(change), str(failure)
        self._journal_reply(change, failure.code, text, Verdict.UNKNOWN if failure.unsure else Verdict.REJECTED)
        if failure.unsure:
            self._enter(change, LocalOrderState.UNKNOWN, state.call_expires_at(failure.nonce))
            if self._table.changes.get(change.key) is not change:
                return Outcome(verdict=Verdict.ACCEPTED, key=change.key, text="seen at the venue; the reply is missing")
            said = f"{name}: UNKNOWN whether it was carried out: {text}; it is being asked about"
            state.notify(Level.ALERT, said, change.key, unsure=True)
            return Outcome(
                verdict=Verdict.UNKNOWN, key=change.key, code=failure.code, text=f"{text}; being asked about"
            )
        refusal = refuse_unsent(failure)
        if refusal is not None:
            return self._report_not_sent(change, refusal)
        self._table.end(change)
        state.notify(Level.WARN, f"{name}: REJECTED {text}", away=False)
        return Outcome(verdict=Verdict.REJECTED, key=change.key, code=failure.code, text=text)

    def _journal_reply(self, change: AlgoChange, code: int, text: str, verdict: Verdict) -> None:
        """Journal an answer with its verdict, so that a later session need not classify it again."""
        payload = {"code": code, "text": text, "verdict": verdict}
        self._state.write_journal("reply", payload, intent_id=change.key)

    # -- asking the service -------------------------------------------------------------------------------------

    def waits(self, passed: float) -> bool:
        """Whether anything is to be asked about, this long after the last query."""
        return passed >= ASK_EVERY_S and bool(self._due())

    async def settle(self) -> None:
        """Ask about the command that was asked about longest ago; one that cannot be asked about stays open."""
        waiting = self._due()
        if not waiting or not self._state.synced:
            return
        change = min(waiting, key=lambda one: one.asked)
        row, asked = self._table.rows.get(change.key), self._state.clock.mono()
        change.asked = asked
        known_id = (row.record.algo_order_id if row is not None else "") or change.algo_order_id
        try:
            reply = await self._rest.call(ALGO_DETAIL, requests.algo_ref(known_id, change.key), reserved=True)
        except CallFailed as failure:
            if failure.code == ALGO_NOT_FOUND:
                await self._judge_not_found(change, asked)
            else:
                self._report_unread(change, str(failure))
            return
        self._orders.fold(reply.data, Source.QUERY)
        self._judge_kept(change, asked)

    def _due(self) -> list[AlgoChange]:
        """Commands that are not settled; those that have been for long are asked about less often."""
        now = self._state.clock.mono()
        return [
            one
            for one in self._table.changes.values()
            if one.state is not LocalOrderState.SENDING and (now - one.since < OLD_AFTER or now - one.asked >= OLD_WAIT)
        ]

    def _report_unread(self, change: AlgoChange, why: str) -> None:
        """Notify once per reason why a command stays open."""
        if why != change.unread:
            change.unread = why
            self._state.notify(Level.WARN, f"{self._table.text_of_change(change)}: cannot be asked about yet: {why}")

    async def _judge_not_found(self, change: AlgoChange, asked: float) -> None:
        """The service does not know the order by its id. A new one stays UNKNOWN and is searched for in the lists."""
        if self._table.changes.get(change.key) is not change:
            return
        lost = change.state is LocalOrderState.UNKNOWN
        if asked < change.proven_from and not (lost and isinstance(change.intent, PlaceAlgo)):
            return
        if not isinstance(change.intent, PlaceAlgo):
            self._end_without_order(change)
            return
        if not lost:
            self._enter(change, LocalOrderState.UNKNOWN, self._state.call_expires_at())
            said = f"{self._table.text_of_change(change)}: accepted, and not found at the venue: UNKNOWN"
            self._state.notify(Level.ALERT, said, change.key, unsure=True)
        self._table.record_not_found(change.key, asked)
        await self._search_history(change)

    def _end_without_order(self, change: AlgoChange) -> None:
        """End a change or a cancel of an order that the service does not know any more."""
        name = self._table.text_of_change(change)
        self._end(change, done=False)
        if change.key in self._table.rows:
            self._table.drop(self._table.rows[change.key])
        self._state.notify(Level.ALERT, f"{name}: the service does not know the order any more")

    async def _search_history(self, change: AlgoChange) -> None:
        """Search the ended algo orders of the pair for a new one, every third time it is not found and until it is read."""
        row = self._table.rows.get(change.key)
        if row is None or row.not_found < WIDE_EVERY or (row.not_found % WIDE_EVERY and HISTORY in row.answered):
            return
        asked = self._state.clock.mono()
        try:
            records, _ = await self._rest.read_all_pages(ALGO_HISTORY, {"sym": row.record.sym}, reserved=True)
        except CallFailed as failure:
            self._report_unread(change, str(failure))
            return
        for record in records:
            if record.client_order_id == change.key:
                self._orders.fold(record, Source.QUERY)
        self._table.record_answer(change.key, HISTORY, asked)

    def dismiss(self, key: str) -> None:
        """End an UNKNOWN new order by the trader's decision; refused until it was searched for long enough."""
        state, change, row = self._state, self._table.changes.get(key), self._table.rows.get(key)
        if change is None or row is None or row.state != LocalOrderState.UNKNOWN:
            return
        early = dismissal_block_reason(row, state.settings.limits, state.clock.mono())
        if early:
            state.notify(Level.WARN, f"not dismissed: {self._table.text_of(row.record)}: {early}", away=False)
            return
        self._table.dismiss(change)
        state.write_journal("dismiss", {"not_found": row.not_found}, intent_id=key)
        state.notify(Level.WARN, f"dismissed: {self._table.text_of(row.record)}; it may still arrive", away=False)

    def _judge_kept(self, change: AlgoChange, asked: float) -> None:
        """A record was folded; a command that it does not show ends once it cannot be carried out any more."""
        if self._table.changes.get(change.key) is not change:
            # The record settled it.
            self._state.write_journal("algo_settled", {"done": True}, intent_id=change.key)
            if change.state is LocalOrderState.UNKNOWN:
                self._state.notify(Level.INFO, f"{self._table.text_of_change(change)}: was carried out")
            return
        if asked >= change.proven_from:
            name = self._table.text_of_change(change)
            self._end(change, done=False)
            self._state.notify(Level.ALERT, f"{name}: was not carried out; the order stands as it was")

    def _end(self, change: AlgoChange, *, done: bool) -> None:
        self._table.end(change)
        self._state.write_journal("algo_settled", {"done": done}, intent_id=change.key)

    # -- outcomes -----------------------------------------------------------------------------------------------

    def _enter(self, change: AlgoChange, state: LocalOrderState, proven_from: float) -> None:
        self._table.enter(change, state, self._state.stamp(Source.LOCAL), proven_from)

    def _report_not_sent(self, change: AlgoChange, refusal: Refusal) -> Outcome:
        name = self._table.text_of_change(change)
        self._table.end(change)
        self._state.write_journal("not_sent", refusal.text, intent_id=change.key)
        self._state.notify(Level.WARN, f"NOT SENT: {name}: {refusal.text}", away=False)
        return Outcome(verdict=Verdict.DENIED, key=change.key, guard=refusal.guard, text=refusal.text)

    def _deny(self, intent: AlgoIntent | CancelAllAlgos, refusal: Refusal) -> Outcome:
        verdict = Verdict.ASK if refusal.ask else Verdict.DENIED
        if verdict is Verdict.DENIED:
            self._state.deny(refusal.guard, refusal.text, intent)
        key = "" if isinstance(intent, PlaceAlgo | CancelAllAlgos) else intent.key
        return Outcome(verdict=verdict, key=key, guard=refusal.guard, text=refusal.text)


def _texts(intent: PlaceAlgo | ReplaceAlgo) -> dict[TriggerName, tuple[str, str, str]]:
    """Triggers as they are sent."""
    return {name: _text(one) for name, one in triggers_of(intent).items()}


def _text(one: Protection) -> tuple[str, str, str]:
    return one.trigger, one.source, one.price or "0"
