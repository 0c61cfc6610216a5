"""Sending of requests about orders: in the journal before they leave, and their replies after they came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import msgspec

from tui.client.decode import BadFrame, Reader
from tui.client.private_stream import NoAnswer, NotWritten
from tui.engine.event_line import Level
from tui.engine.intents import OrderIntent, Outcome, Place, Replace, Verdict
from tui.engine.orders import intent_record
from tui.engine.orders.gate import Gate
from tui.engine.orders.intent_record import CANCEL_RECORDED_WITHIN_S, RECORDED_WITHIN_S, record_intent
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.state.engine_state import EngineState
from tui.interface.envelope import ActionReply, StreamReply
from tui.interface.families.orders import CancelAllOrders, PlaceOrder
from tui.interface.request import action_of

PLACE_ACTION, CANCEL_ALL_ACTION = action_of(PlaceOrder), action_of(CancelAllOrders)
QUERIED = "; being queried"
"""End of the text about a request without an answer, whose orders are asked about."""
_DATA: Reader[ActionReply | None] = Reader(ActionReply | None)


class RequestToken(msgspec.Struct, frozen=True):
    """Identity of a sent request, by which a late reply is assigned to its orders."""

    action: str
    keys: tuple[str, ...]
    intent_id: str

    @property
    def key(self) -> str:
        """Row key of the request's order; empty for a cancel-all."""
        return "" if self.action == CANCEL_ALL_ACTION else self.keys[0]


class Wire(Protocol):
    """Part of the private stream that is used for sending."""

    async def send_action(self, action: str, args: dict[str, str], token: object) -> StreamReply: ...


class OrderSender:
    """Sender of requests about orders over the private stream."""

    def __init__(self, state: EngineState, gate: Gate, wire: Wire, query_now: Callable[[str], None]) -> None:
        """Initialize the sender; `query_now` gets the row key of an order to query soon."""
        self.query_now = query_now
        self._state = state
        self._gate = gate
        self._wire = wire

    def deny(self, intent: OrderIntent, refusal: Refusal) -> Outcome:
        """Return the outcome of an intent that the gate refused; record a denial, but not a question."""
        key = getattr(intent, "key", "")
        if not refusal.ask:
            self._state.deny(refusal.guard, refusal.text, intent, key)
        return refusal.outcome(key)

    # Before the wire

    def new_action_id(self) -> str:
        """Return an id for a cancel; use an unreserved one if ids cannot be stored, so that a full disk blocks no cancel."""
        ids = self._state.services.ids
        try:
            return ids.client_order_id()
        except OSError:
            return ids.request_id()

    async def journal_intent(
        self, intent: Place | Replace, args: dict[str, str], intent_id: str, **ids: str
    ) -> Refusal | int:
        """Journal an intent durably and check it again; return why it must not be sent, or the number of its entry."""
        passed = self._gate.note_passed(intent)
        entry = await record_intent(
            self._state.journal, intent, {"args": args},
            within_s=RECORDED_WITHIN_S, epoch=passed.epoch, intent_id=intent_id, **ids,
        )  # fmt: skip
        if isinstance(entry, str):
            return intent_record.refuse_unrecorded(entry)
        return self._gate.recheck(intent, passed) or entry

    async def try_journal_intent(self, intent: OrderIntent, args: dict[str, str], intent_id: str, order_id: str) -> int:
        """Journal a cancel durably and return its entry number; warn and return 0 if that fails: it is sent anyway."""
        state = self._state
        entry = await record_intent(
            state.journal, intent, {"args": args},
            within_s=CANCEL_RECORDED_WITHIN_S, epoch=state.epoch, intent_id=intent_id, order_id=order_id,
        )  # fmt: skip
        if isinstance(entry, int):
            return entry
        state.notify(Level.WARN, intent_record.describe_unrecorded("cancel", entry))
        return 0

    # Wire

    async def send(self, sent: RequestToken, args: dict[str, str]) -> StreamReply:
        """Send a request and journal its reply.

        Raises:
            NotWritten: It did not leave.
            NoAnswer: It left, and no reply came in time.
        """
        reply = await self._wire.send_action(sent.action, args, sent)
        self.journal_reply(sent, reply)
        return reply

    async def send_change(self, sent: RequestToken, args: dict[str, str]) -> StreamReply | Outcome:
        """Send a replace or cancel; return its reply, or an outcome if it was not written or not answered."""
        try:
            return await self.send(sent, args)
        except NotWritten as error:
            self.clear_pending(sent)
            self._state.write_journal("not_sent", str(error), intent_id=sent.intent_id)
            return Outcome(verdict=Verdict.DENIED, key=sent.key, guard="LINK", text=f"NOT SENT: {error}")
        except NoAnswer as error:
            return self.report_unanswered(sent, str(error))

    def journal_reply(self, sent: RequestToken, reply: StreamReply) -> None:
        """Journal a reply under its intent id; that of a new order also under its client order id."""
        payload = {"event": reply.event, "code": reply.code, "text": reply.text, "data": reply.data}
        client_order_id = sent.intent_id if sent.action == PLACE_ACTION else ""
        self._state.write_journal("reply", payload, intent_id=sent.intent_id, client_order_id=client_order_id)

    # Pending changes

    def clear_pending(self, sent: RequestToken, why: str = "") -> None:
        """Clear the pending replace or cancel on its orders, because it had no effect."""
        for key in sent.keys:
            self._state.orders.clear_pending(key, sent.intent_id, why)

    def report_unanswered(self, sent: RequestToken, why: str, code: int = 0) -> Outcome:
        """Mark a replace or cancel with a missing or unclear reply as unknown, and query its orders."""
        for key in sent.keys:
            self._state.orders.mark_action_unknown(key, sent.intent_id, why)
            self.query_now(key)
        return Outcome(verdict=Verdict.UNKNOWN, key=sent.key, code=max(code, 0), text=f"{why}{QUERIED}")

    @contextmanager
    def mark_unknown_on_error(self, sent: RequestToken) -> Iterator[None]:
        """Mark a replace or cancel as unknown when an exception interrupts its sending, because it may have arrived."""
        try:
            yield
        except BaseException:
            for key in sent.keys:
                self._state.orders.mark_action_unknown(key, sent.intent_id, "interrupted")
            raise


def read_reply(reply: StreamReply) -> ActionReply:
    """Decode the data of a reply; undecodable data counts as missing."""
    try:
        return _DATA.parse(reply.data, clean=True) or ActionReply()
    except BadFrame:
        return ActionReply()
