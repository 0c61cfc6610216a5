"""Replaces and cancels of a single order: gate, journal, wire, and the outcome of the reply."""

from __future__ import annotations

import msgspec

from tui.engine.event_line import Level
from tui.engine.intents import Cancel, Outcome, Replace, Verdict
from tui.engine.orders import intent_record, reply_class
from tui.engine.orders.execution.order_sender import OrderSender, RequestToken, read_reply
from tui.engine.orders.gate import Gate
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.orders.reply_class import ClassifiedReply, ReplyClass
from tui.engine.rows import PendingAction
from tui.engine.state import order_requests
from tui.engine.state.engine_state import EngineState
from tui.interface.envelope import StreamReply
from tui.interface.families.orders import CANCEL_ORDER, REPLACE_ORDER, CancelOrder, ReplaceOrder
from tui.interface.request import action_of, arguments_of

_REPLACE, _CANCEL = action_of(ReplaceOrder), action_of(CancelOrder)


class OrderChanges:
    """Replaces and cancels of a single order."""

    def __init__(self, state: EngineState, gate: Gate, sender: OrderSender) -> None:
        self._state = state
        self._gate = gate
        self._sender = sender

    async def replace(self, intent: Replace) -> Outcome:
        """Send a replace unless the gate refuses it, and return its outcome."""
        refusal = self._gate.check_replace(intent)
        if refusal is not None:
            return self._sender.deny(intent, refusal)
        state = self._state
        row = state.orders.rows[intent.key]
        intent_id = intent_record.reserve_id(state.services.ids)
        if isinstance(intent_id, Refusal):
            return self._sender.deny(intent, intent_id)
        self._gate.record_sent(intent, REPLACE_ORDER, row.key)
        reference = order_requests.refer_to(row.order_id, row.client_order_id)
        args = arguments_of(ReplaceOrder(**reference, replace_price=intent.price, replace_qty=intent.qty))
        state.orders.set_pending(row.key, PendingAction.AMEND, intent_id, state.clock.mono(), intent.price, intent.qty)
        sent = RequestToken(_REPLACE, (row.key,), intent_id)
        with self._sender.mark_unknown_on_error(sent):
            entry = await self._sender.journal_intent(intent, args, intent_id, order_id=row.order_id)
            if isinstance(entry, Refusal):
                self._sender.clear_pending(sent)
                state.write_journal("not_sent", entry.text, intent_id=intent_id)
                return self._sender.deny(intent, entry)
            return msgspec.structs.replace(await self._send(sent, args), entry=entry)

    async def cancel(self, intent: Cancel) -> Outcome:
        """Send a cancel unless the gate refuses it, and return its outcome."""
        refusal = self._gate.check_cancel(intent)
        if refusal is not None:
            return self._sender.deny(intent, refusal)
        return await self.send_cancel(intent)

    async def send_cancel(self, intent: Cancel) -> Outcome:
        """Send a cancel that passed the gate, even if it cannot be journaled, and return its outcome."""
        self._gate.record_cancel(CANCEL_ORDER)
        state = self._state
        row = state.orders.rows[intent.key]
        intent_id = self._sender.new_action_id()
        args = order_requests.cancel_order(row.order_id, row.client_order_id)
        sent = RequestToken(_CANCEL, (row.key,), intent_id)
        state.orders.set_pending(row.key, PendingAction.CANCEL, intent_id, state.clock.mono())
        with self._sender.mark_unknown_on_error(sent):
            entry = await self._sender.try_journal_intent(intent, args, intent_id, row.order_id)
            return msgspec.structs.replace(await self._send(sent, args), entry=entry)

    async def _send(self, sent: RequestToken, args: dict[str, str]) -> Outcome:
        reply = await self._sender.send_change(sent, args)
        return reply if isinstance(reply, Outcome) else self.handle_reply(sent, reply)

    def handle_reply(self, sent: RequestToken, reply: StreamReply) -> Outcome:
        """Apply the reply to a replace or cancel to the order's row, and return the outcome."""
        key = sent.key
        data = read_reply(reply)
        replace = sent.action == _REPLACE
        reading = reply_class.classify_change(
            reply.number, reply.text, order_id=data.order_id, state=data.order_state, replace=replace
        )
        if reading.meaning is ReplyClass.ACCEPTED:
            return Outcome(verdict=Verdict.ACCEPTED, key=key, code=reply.number)
        if reading.meaning is ReplyClass.UNSURE:
            return self._sender.report_unanswered(sent, reading.text, reply.number)
        self._sender.clear_pending(sent, reading.text)
        self._notify_failed_change(key, reading, replace=replace)
        if reading.meaning is not ReplyClass.REFUSED:
            self._sender.query_now(key)
        return Outcome(verdict=Verdict.REJECTED, key=key, code=max(reply.number, 0), text=reading.text)

    def _notify_failed_change(self, key: str, reading: ClassifiedReply, *, replace: bool) -> None:
        word = "replace" if replace else "cancel"
        what = {
            ReplyClass.GONE: "failed and the order is gone",
            ReplyClass.TOO_LATE: "too late",
            ReplyClass.LOOK: "failed",
        }.get(reading.meaning, "refused; the order stays as it was")
        orders = self._state.orders
        text = f"{orders.text_of(orders.rows[key])}: {word} {what}: {reading.text}"
        self._state.notify(Level.WARN, text, key, away=False)
