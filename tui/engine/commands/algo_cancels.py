"""Cancels of algo orders that need special handling: of several orders at once, and of orders not shown yet."""

from __future__ import annotations

from tui.client.rest import CallFailed, Rest
from tui.engine.commands.gate import CommandGate
from tui.engine.commands.sender import CommandSender
from tui.engine.doer_names import BY
from tui.engine.event_line import Level
from tui.engine.intents import CancelAlgo, CancelAllAlgos, IntentHandlers, Outcome, Verdict
from tui.engine.orders.algo_orders import ALGO_NOT_FOUND
from tui.engine.orders.execution.cancel_algos import CancelAlgosExecutor
from tui.engine.orders.gate import Gate
from tui.engine.orders.reply_class import refuse_unsent
from tui.engine.state import order_requests
from tui.engine.state.engine_state import EngineState
from tui.interface.families.algo import CANCEL_ALGO


class AlgoCancels:
    """Cancels of algo orders; an order only ends when the service reports its end."""

    def __init__(
        self,
        state: EngineState,
        gate: Gate,
        command_gate: CommandGate,
        rest: Rest,
        sender: CommandSender,
        several: CancelAlgosExecutor,
    ) -> None:
        """Initialize the cancels.

        Args:
            state: State of the engine.
            gate: Gate for a cancel of several.
            command_gate: Gate for a cancel of one.
            rest: Client for the cancels.
            sender: Journal of the cancels.
            several: Cancels of all orders that match filters.
        """
        self._state = state
        self._gate = gate
        self._command_gate = command_gate
        self._rest = rest
        self._sender = sender
        self._several = several

    def handlers(self) -> IntentHandlers:
        """Return the functions that execute cancels of algo orders."""
        return {CancelAllAlgos: self._cancel_matching, CancelAlgo: self._cancel}

    async def _cancel_matching(self, intent: CancelAllAlgos) -> Outcome:
        """Cancel the algo orders that match the filters of an intent, unless the gate refuses it."""
        refusal = self._gate.check_cancel_all_algos(intent)
        if refusal is not None:
            return self._sender.deny(intent, refusal)
        return await self._several.cancel_filtered(intent)

    async def _cancel(self, intent: CancelAlgo) -> Outcome:
        """Cancel one algo order; one that the service has not reported yet is cancelled by its client order id."""
        row = self._state.algos.rows.get(intent.key)
        if row is None or row.seen:
            return await self._sender.send(intent)
        return await self._cancel_unseen(intent)

    async def _cancel_unseen(self, intent: CancelAlgo) -> Outcome:
        """Cancel a new algo order that the service has not reported yet; it stays open until the service reports its end."""
        refusal = self._command_gate.check(intent)
        if refusal is not None:
            return self._sender.deny(intent, refusal)
        table, key = self._state.algos, intent.key
        row = table.rows[key]
        table.set_cancelling(key, pending=True)
        try:
            outcome = await self._send(intent, order_requests.name_algo(row.record.algo_order_id, key))
        finally:
            table.set_cancelling(key, pending=False)
        level = Level.INFO if outcome.verdict is Verdict.ACCEPTED else Level.ALERT
        text = f"cancel of {table.text_of(row.record)}{BY}: {outcome.text}"
        self._state.notify_deed(intent.decision, level, text, away=False)
        return outcome

    async def _send(self, intent: CancelAlgo, args: dict[str, str]) -> Outcome:
        state, key, intent_id = self._state, intent.key, self._state.services.ids.request_id()
        refusal = await self._sender.journal(intent, "CancelUnseenAlgo", intent_id, {"args": args})
        if refusal is not None:
            state.write_journal("not_sent", refusal.text, intent_id=intent_id)
            return Outcome(verdict=Verdict.DENIED, key=key, guard=refusal.guard, text=f"NOT SENT: {refusal.text}")
        state.write_journal("sent", CANCEL_ALGO.name, intent_id=intent_id)
        try:
            reply = await self._rest.call(CANCEL_ALGO, args, reserved=True)
        except CallFailed as failure:
            state.write_journal("reply", {"code": failure.code, "text": str(failure)}, intent_id=intent_id)
            return self._judge_failure(key, failure)
        state.write_journal("reply", {"code": reply.code, "text": reply.text}, intent_id=intent_id)
        self._ask_next(key)
        text = "accepted: the venue has the order; its end is being read"
        return Outcome(verdict=Verdict.ACCEPTED, key=key, code=reply.code, text=text)

    def _judge_failure(self, key: str, failure: CallFailed) -> Outcome:
        """Build the outcome of a failed cancel by client order id."""
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
        """Mark an open command as the one queried longest ago, so that its outcome is queried first."""
        command = self._state.commands.open.get(key)
        if command is not None:
            command.asked = float("-inf")
