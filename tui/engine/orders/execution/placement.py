"""Placement of orders: gate, client order id, journal, wire, and the outcome of the reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from tui.client.private_stream import NoAnswer, NotWritten
from tui.engine.event_line import Level
from tui.engine.intents import Outcome, Place, Verdict
from tui.engine.orders import intent_record, pre_trade_checks, reply_class
from tui.engine.orders.execution.order_sender import PLACE_ACTION, QUERIED, OrderSender, RequestToken, read_reply
from tui.engine.orders.gate import Gate
from tui.engine.orders.pre_trade_checks import Refusal, intent_closes
from tui.engine.orders.reply_class import ReplyClass
from tui.engine.rows import LocalOrderState, OrderRow, QuoteRow, Source
from tui.engine.state import order_fold, order_requests
from tui.engine.state.engine_state import EngineState
from tui.engine.symbol_rules import are_rules_fresh
from tui.interface.decimals import plain
from tui.interface.envelope import StreamReply
from tui.interface.families.orders import BAD_ENDS, PLACE_ORDER, PositionSide


class OrderPlacement:
    """Placement of new orders."""

    def __init__(
        self,
        state: EngineState,
        gate: Gate,
        sender: OrderSender,
        *,
        on_rejection: Callable[[int], None],
        read_rules: Callable[[], Awaitable[str]],
    ) -> None:
        """Initialize the placement.

        Args:
            state: State of the engine.
            gate: Gate.
            sender: Sender of the requests.
            on_rejection: Callback with the code of a reply that is no acceptance.
            read_rules: Reads the rules of the pairs if they are older than the login; returns why it could not.
        """
        self._state = state
        self._gate = gate
        self._sender = sender
        self._on_rejection = on_rejection
        self._read_rules = read_rules

    async def place(self, intent: Place) -> Outcome:
        """Send a new order unless the gate refuses it, and return its outcome."""
        refusal = await self._renew_rules(intent) or self._gate.check_place(intent)
        if refusal is not None:
            return self._sender.deny(intent, refusal)
        state = self._state
        key = intent_record.reserve_id(state.services.ids)
        if isinstance(key, Refusal):
            return self._sender.deny(intent, key)
        self._gate.record_sent(intent, PLACE_ORDER, key)
        state.orders.add(_new_row(intent, key, state))
        self._gate.unanswered += 1
        try:
            return await self._send_place(intent, key)
        except BaseException:
            # The frame may have been sent: the order is UNKNOWN, not unsent.
            state.orders.mark_unknown(key, "interrupted", state.clock.mono())
            raise
        finally:
            self._gate.unanswered -= 1

    async def _renew_rules(self, intent: Place) -> Refusal | None:
        """Reload the pair rules before the first order after a login, unless the order closes a position."""
        if intent_closes(intent) or not self._state.synced or are_rules_fresh(self._state):
            return None
        why = await self._read_rules()
        return Refusal("RULES", f"the rules of the pair could not be read since the login ({why})") if why else None

    async def _send_place(self, intent: Place, key: str) -> Outcome:
        args = order_requests.place_order(intent, key)
        entry = await self._sender.journal_intent(intent, args, key, client_order_id=key)
        if isinstance(entry, Refusal):
            return self._report_not_sent(key, entry)
        return msgspec.structs.replace(await self._write_place(key, args), entry=entry)

    async def _write_place(self, key: str, args: dict[str, str]) -> Outcome:
        state = self._state
        state.orders.change(key, state=LocalOrderState.SENT.value, since=state.clock.mono())
        state.write_journal("sent", PLACE_ACTION, intent_id=key, client_order_id=key)
        try:
            reply = await self._sender.send(RequestToken(PLACE_ACTION, (key,), key), args)
        except NotWritten as error:
            return self._report_not_sent(key, Refusal("LINK", str(error)))
        except NoAnswer as error:
            return self._report_unanswered(key, str(error))
        return self.handle_reply(key, reply)

    def handle_reply(self, key: str, reply: StreamReply) -> Outcome:
        """Apply the reply to a new order to its row, and return the outcome."""
        state = self._state
        data = read_reply(reply)
        code = reply.number
        reading = reply_class.classify_place(code, reply.text, order_id=data.order_id)
        if reading.meaning is not ReplyClass.ACCEPTED:
            self._on_rejection(code)
        if reading.meaning is ReplyClass.UNSURE:
            return self._report_unanswered(key, reading.text, code)
        stamp = state.stamp(Source.REPLY)
        if reading.meaning is ReplyClass.ACCEPTED:
            silent = state.orders.rows[key].stamp.update_at == 0
            state.orders.apply_reply(
                key, order_id=data.order_id, state=data.order_state or "NEW", reason="", stamp=stamp
            )
            if silent:
                state.notify(Level.INFO, f"{state.orders.text_of(state.orders.rows[key])}: accepted", key)
            return Outcome(verdict=Verdict.ACCEPTED, key=key, code=code)
        if not state.orders.apply_rejection(key, reading.text, stamp):
            text = f"{reading.text}, but the order was seen as {state.orders.rows[key].state_word}; being queried"
            return Outcome(verdict=Verdict.UNKNOWN, key=key, code=code, text=text)
        state.notify(
            Level.WARN, f"{state.orders.text_of(state.orders.rows[key])}: REJECTED {reading.text}", key, away=False
        )
        return Outcome(verdict=Verdict.REJECTED, key=key, code=code, text=reading.text)

    def _report_unanswered(self, key: str, why: str, code: int = 0) -> Outcome:
        self._state.orders.mark_unknown(key, why, self._state.clock.mono())
        self._sender.query_now(key)
        row = self._state.orders.rows[key]
        if row.state != LocalOrderState.UNKNOWN:
            verdict = Verdict.REJECTED if row.state in BAD_ENDS else Verdict.ACCEPTED
            return Outcome(verdict=verdict, key=key, text=f"{row.state_word} (seen at the venue; the reply is missing)")
        return Outcome(verdict=Verdict.UNKNOWN, key=key, code=max(code, 0), text=f"{why}{QUERIED}")

    def _report_not_sent(self, key: str, refusal: Refusal) -> Outcome:
        state = self._state
        now = state.clock.mono()
        row = state.orders.change(key, state=LocalOrderState.NOT_SENT.value, final=True, reason=refusal.text, since=now)
        state.write_journal("not_sent", refusal.text, intent_id=key, client_order_id=key)
        state.notify(Level.WARN, f"NOT SENT: {state.orders.text_of(row)}: {refusal.text}", key, away=False)
        return Outcome(verdict=Verdict.DENIED, key=key, guard=refusal.guard, text=refusal.text)


def _new_row(intent: Place, key: str, state: EngineState) -> OrderRow:
    return msgspec.structs.replace(
        order_fold.row_of(
            intent,
            key,
            state=LocalOrderState.SENDING.value,
            since=state.clock.mono(),
            create_at=int(state.clock.wall() * 1000),
            stamp=state.stamp(Source.LOCAL),
        ),
        # A leg implies the direction; the reduce-only flag is not sent with it.
        reduce_only=intent.reduce_only and intent.position_side is PositionSide.NONE,
        tp_trigger=intent.take_profit.trigger if intent.take_profit is not None else "",
        sl_trigger=intent.stop_loss.trigger if intent.stop_loss is not None else "",
        arrival_mid=_mid_price(state.quotes.current(intent.sym)),
    )


def _mid_price(quote: QuoteRow | None) -> str:
    touch = pre_trade_checks.touch_of(quote)
    return "" if touch.bid is None or touch.ask is None else plain((touch.bid + touch.ask) / 2)
