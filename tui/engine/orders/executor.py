"""Execution of order intents: gate, client order id, journal, sending, and the outcome of the reply."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

import msgspec

from tui.client.decode import BadFrame, Reader
from tui.client.private_stream import NoAnswer, NotWritten
from tui.engine.intents import Cancel, CancelAll, IntentHandlers, OrderIntent, Outcome, Place, Replace, Verdict
from tui.engine.orders import intent_record, pre_trade_checks, reply_class
from tui.engine.orders.algo_orders import CANCELS, AlgoOrders, AlgoOutcome
from tui.engine.orders.gate import Gate
from tui.engine.orders.intent_record import CANCEL_RECORDED_WITHIN_S, RECORDED_WITHIN_S, record_intent
from tui.engine.orders.pre_trade_checks import Refusal, intent_closes
from tui.engine.orders.reply_class import ClassifiedReply, ReplyClass
from tui.engine.rows import Level, LocalOrderState, OrderRow, PendingAction, QuoteRow, Source
from tui.engine.state import order_fold, order_requests
from tui.engine.state.closing_orders import reduces_leg
from tui.engine.state.engine_state import EngineState
from tui.engine.symbol_rules import are_rules_fresh
from tui.interface.decimals import plain
from tui.interface.envelope import ActionReply, StreamReply
from tui.interface.families.orders import (
    BAD_ENDS,
    CANCEL_ALL,
    CANCEL_ORDER,
    PLACE_ORDER,
    REPLACE_ORDER,
    CancelAllOrders,
    CancelOrder,
    PlaceOrder,
    PositionSide,
    ReplaceOrder,
)
from tui.interface.request import action_of, arguments_of
from tui.interface.symbols import Exchange, is_in_scope, try_parse

_PLACE, _REPLACE = action_of(PlaceOrder), action_of(ReplaceOrder)
_CANCEL, _CANCEL_ALL = action_of(CancelOrder), action_of(CancelAllOrders)
_DATA: Reader[ActionReply | None] = Reader(ActionReply | None)


class RequestToken(msgspec.Struct, frozen=True):
    """Identity of a sent request, which comes back with a late reply."""

    action: str
    keys: tuple[str, ...]
    intent_id: str


class CancelCall(NamedTuple):
    """Cancel that a cancel-all sent, and its outcome."""

    keys: tuple[str, ...]
    """Orders it was for."""
    outcome: Outcome
    others: tuple[str, ...] = ()
    """Further orders in its scope, which the venue had not shown yet or another cancel was for."""


class Wire(Protocol):
    """Part of the private stream that the executor uses for sending."""

    async def send_action(self, action: str, args: dict[str, str], token: object) -> StreamReply: ...


class OrderExecutor:
    """Executor of order intents."""

    def __init__(
        self,
        state: EngineState,
        gate: Gate,
        wire: Wire,
        algos: AlgoOrders,
        *,
        query_now: Callable[[str], None],
        on_kill: Callable[[str], None],
        on_rejection: Callable[[int], None],
        read_rules: Callable[[], Awaitable[str]],
    ) -> None:
        self._state = state
        self._gate = gate
        self._wire = wire
        self._algos = algos
        self._query_now = query_now
        """Callback with the row key of an order to query soon."""
        self._on_kill = on_kill
        self._on_rejection = on_rejection
        self._read_rules = read_rules
        """Reads the rules of the pairs if they are older than the login; returns why it could not."""

    def handlers(self) -> IntentHandlers:
        """Return the functions that execute intents, by intent type."""
        return {Place: self._place, Replace: self._replace, Cancel: self._cancel, CancelAll: self._cancel_all}

    def handle_late_reply(self, token: object, reply: StreamReply) -> None:
        """Handle a reply that arrives after the request timed out."""
        if not isinstance(token, RequestToken):
            return
        client_order_id = token.intent_id if token.action == _PLACE else ""
        self._state.write_journal(
            "reply", _reply_payload(reply), intent_id=token.intent_id, client_order_id=client_order_id
        )
        if token.action == _PLACE:
            self._handle_place_reply(token.keys[0], reply)
        elif token.action == _CANCEL_ALL:
            self._handle_cancel_all_reply(token, reply)
        else:
            self._handle_change_reply(token, reply)

    # Placement

    async def _place(self, intent: Place) -> Outcome:
        refusal = await self._renew_rules(intent) or self._gate.check_place(intent)
        if refusal is not None:
            return self._deny(intent, refusal)
        state = self._state
        key = intent_record.reserve_id(state.services.ids)
        if isinstance(key, Refusal):
            return self._deny(intent, key)
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
        entry = await self._journal_intent(intent, args, key, client_order_id=key)
        if isinstance(entry, Refusal):
            return self._report_not_sent(key, entry)
        return msgspec.structs.replace(await self._write_place(key, args), entry=entry)

    async def _write_place(self, key: str, args: dict[str, str]) -> Outcome:
        state = self._state
        state.orders.change(key, state=LocalOrderState.SENT.value, since=state.clock.mono())
        state.write_journal("sent", _PLACE, intent_id=key, client_order_id=key)
        token = RequestToken(_PLACE, (key,), key)
        try:
            reply = await self._wire.send_action(_PLACE, args, token)
        except NotWritten as error:
            return self._report_not_sent(key, Refusal("LINK", str(error)))
        except NoAnswer as error:
            return self._handle_missing_place_reply(key, str(error))
        state.write_journal("reply", _reply_payload(reply), intent_id=key, client_order_id=key)
        return self._handle_place_reply(key, reply)

    def _handle_place_reply(self, key: str, reply: StreamReply) -> Outcome:
        state = self._state
        data = _reply_data(reply)
        code = reply.number
        reading = reply_class.classify_place(code, reply.text, order_id=data.order_id)
        if reading.meaning is not ReplyClass.ACCEPTED:
            self._on_rejection(code)
        if reading.meaning is ReplyClass.UNSURE:
            return self._handle_missing_place_reply(key, reading.text, code)
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

    def _handle_missing_place_reply(self, key: str, why: str, code: int = 0) -> Outcome:
        self._state.orders.mark_unknown(key, why, self._state.clock.mono())
        self._query_now(key)
        row = self._state.orders.rows[key]
        if row.state != LocalOrderState.UNKNOWN:
            verdict = Verdict.REJECTED if row.state in BAD_ENDS else Verdict.ACCEPTED
            return Outcome(verdict=verdict, key=key, text=f"{row.state_word} (seen at the venue; the reply is missing)")
        return Outcome(verdict=Verdict.UNKNOWN, key=key, code=max(code, 0), text=f"{why}{_QUERIED}")

    def _report_not_sent(self, key: str, refusal: Refusal) -> Outcome:
        state = self._state
        now = state.clock.mono()
        row = state.orders.change(key, state=LocalOrderState.NOT_SENT.value, final=True, reason=refusal.text, since=now)
        state.write_journal("not_sent", refusal.text, intent_id=key, client_order_id=key)
        state.notify(Level.WARN, f"NOT SENT: {state.orders.text_of(row)}: {refusal.text}", key, away=False)
        return Outcome(verdict=Verdict.DENIED, key=key, guard=refusal.guard, text=refusal.text)

    # Replace and cancel

    async def _replace(self, intent: Replace) -> Outcome:
        refusal = self._gate.check_replace(intent)
        if refusal is not None:
            return self._deny(intent, refusal)
        state = self._state
        row = state.orders.rows[intent.key]
        intent_id = intent_record.reserve_id(state.services.ids)
        if isinstance(intent_id, Refusal):
            return self._deny(intent, intent_id)
        self._gate.record_sent(intent, REPLACE_ORDER, row.key)
        reference = order_requests.refer_to(row.order_id, row.client_order_id)
        args = arguments_of(ReplaceOrder(**reference, replace_price=intent.price, replace_qty=intent.qty))
        state.orders.set_pending(row.key, PendingAction.AMEND, intent_id, state.clock.mono(), intent.price, intent.qty)
        sent = RequestToken(_REPLACE, (row.key,), intent_id)
        with self._mark_unknown_on_error(sent):
            entry = await self._journal_intent(intent, args, intent_id, order_id=row.order_id)
            if isinstance(entry, Refusal):
                state.orders.clear_pending(row.key, intent_id)
                state.write_journal("not_sent", entry.text, intent_id=intent_id)
                return self._deny(intent, entry)
            return msgspec.structs.replace(await self._send_change(sent, args), entry=entry)

    async def _journal_intent(
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

    @contextmanager
    def _mark_unknown_on_error(self, sent: RequestToken) -> Iterator[None]:
        """Mark a replace or cancel as unknown when an exception interrupts its sending, because it may have arrived."""
        try:
            yield
        except BaseException:
            for key in sent.keys:
                self._state.orders.mark_action_unknown(key, sent.intent_id, "interrupted")
            raise

    def _new_action_id(self) -> str:
        """Return an id for a cancel; use an unreserved one if ids cannot be stored, so that a full disk blocks no cancel."""
        ids = self._state.services.ids
        try:
            return ids.client_order_id()
        except OSError:
            return ids.request_id()

    async def _cancel(self, intent: Cancel) -> Outcome:
        refusal = self._gate.check_cancel(intent)
        if refusal is not None:
            return self._deny(intent, refusal)
        return await self._send_cancel(intent)

    async def _send_cancel(self, intent: Cancel) -> Outcome:
        self._gate.record_cancel(CANCEL_ORDER)
        state = self._state
        row = state.orders.rows[intent.key]
        intent_id = self._new_action_id()
        args = order_requests.cancel_order(row.order_id, row.client_order_id)
        sent = RequestToken(_CANCEL, (row.key,), intent_id)
        state.orders.set_pending(row.key, PendingAction.CANCEL, intent_id, state.clock.mono())
        with self._mark_unknown_on_error(sent):
            entry = await self._try_journal_intent(intent, args, intent_id, row.order_id)
            return msgspec.structs.replace(await self._send_change(sent, args), entry=entry)

    async def _try_journal_intent(
        self, intent: OrderIntent, args: dict[str, str], intent_id: str, order_id: str
    ) -> int:
        """Journal a cancel durably and return the number of its entry; 0 if it cannot be, and is sent all the same."""
        state = self._state
        entry = await record_intent(
            state.journal, intent, {"args": args},
            within_s=CANCEL_RECORDED_WITHIN_S, epoch=state.epoch, intent_id=intent_id, order_id=order_id,
        )  # fmt: skip
        if isinstance(entry, int):
            return entry
        state.notify(Level.WARN, intent_record.describe_unrecorded("cancel", entry))
        return 0

    async def _send_change(self, sent: RequestToken, args: dict[str, str]) -> Outcome:
        key = sent.keys[0]
        try:
            reply = await self._wire.send_action(sent.action, args, sent)
        except NotWritten as error:
            self._state.orders.clear_pending(key, sent.intent_id)
            self._state.write_journal("not_sent", str(error), intent_id=sent.intent_id)
            return Outcome(verdict=Verdict.DENIED, key=key, guard="LINK", text=f"NOT SENT: {error}")
        except NoAnswer as error:
            return self._handle_missing_change_reply(sent, str(error))
        self._state.write_journal("reply", _reply_payload(reply), intent_id=sent.intent_id)
        return self._handle_change_reply(sent, reply)

    def _handle_change_reply(self, sent: RequestToken, reply: StreamReply) -> Outcome:
        state = self._state
        key = sent.keys[0]
        data = _reply_data(reply)
        replace = sent.action == _REPLACE
        reading = reply_class.classify_change(
            reply.number, reply.text, order_id=data.order_id, state=data.order_state, replace=replace
        )
        if reading.meaning is ReplyClass.ACCEPTED:
            return Outcome(verdict=Verdict.ACCEPTED, key=key, code=reply.number)
        if reading.meaning is ReplyClass.UNSURE:
            return self._handle_missing_change_reply(sent, reading.text, reply.number)
        state.orders.clear_pending(key, sent.intent_id, reading.text)
        self._notify_failed_change(key, reading, replace=replace)
        if reading.meaning is not ReplyClass.REFUSED:
            self._query_now(key)
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

    def _handle_missing_change_reply(self, sent: RequestToken, why: str, code: int = 0) -> Outcome:
        key = sent.keys[0]
        self._state.orders.mark_action_unknown(key, sent.intent_id, why)
        self._query_now(key)
        return Outcome(verdict=Verdict.UNKNOWN, key=key, code=max(code, 0), text=f"{why}{_QUERIED}")

    # Cancel-all

    async def _cancel_all(self, intent: CancelAll) -> Outcome:
        if intent.kill:
            self._on_kill(intent.decision.by)
        refusal = self._gate.check_cancel_all(intent)
        scopes = [(intent.exchange, intent.sym)] if intent.exchange or intent.sym else self._venues()
        if refusal is not None and intent.kill and refusal.guard == "LINK":
            return await self._kill_without_link(intent, scopes, refusal)
        if refusal is not None:
            return self._deny(intent, refusal)
        algos = asyncio.ensure_future(self._algos.cancel_all(intent, scopes))
        calls = await asyncio.gather(*self._cancel_calls(intent, scopes))
        worst = self._judge(calls)
        counts = self._describe_counts(calls) or (_describe_nothing(intent) if worst.text else "")
        text = "; ".join(part for part in (counts, worst.text) if part)
        if text:
            # At once: the call about algo orders may take longer.
            self._notify_cancel_all(intent, text, worst, calls)
        ended = await algos
        if ended.taken and (ended.cancelled or not text):
            # The newest line tells the whole: it is all that a small screen shows.
            both = "; ".join(part for part in (text, ended.text) if part)
            self._notify_cancel_all(intent, both if ended.cancelled else _describe_nothing(intent), worst, calls)
        if not ended.cancelled:
            text = text or _describe_nothing(intent)
        outcome = self._combine_with_algos(msgspec.structs.replace(worst, text=text), ended)
        if not ended.taken:
            self._notify_cancel_all(intent, outcome.text, outcome, calls)
        return msgspec.structs.replace(outcome, text=f"{_name_attempt(intent, outcome)}: {outcome.text}")

    def _notify_cancel_all(self, intent: CancelAll, text: str, worst: Outcome, calls: Sequence[CancelCall]) -> None:
        """Say what became of the orders; a line about unknown ones is settled once all of them are known.

        A kill that was not carried out is named as one: it is what is read first.
        """
        taken = Level.WARN if worst.text else Level.INFO
        level = taken if worst.verdict is Verdict.ACCEPTED else Level.ALERT
        unknown = [key for call in calls if call.outcome.verdict is Verdict.UNKNOWN for key in self._list_left(call)]
        self._state.notify(
            level, f"{_name_attempt(intent, worst)}{intent.decision.by}: {text}", "".join(unknown[:1]),
            cause=CANCELS, unsure=bool(unknown), others=tuple(unknown[1:]), stays=True,
            peer=intent.decision.peer,
        )  # fmt: skip

    def _list_left(self, call: CancelCall) -> list[str]:
        """List the orders in the scope of a call that have not ended."""
        rows = self._state.orders.rows
        return [key for key in (*call.keys, *call.others) if key in rows and not rows[key].final]

    def _judge(self, calls: Sequence[CancelCall]) -> Outcome:
        """Return the worst outcome; a call without an answer did what it was for if all of its orders have ended."""
        outcomes = [Outcome(verdict=Verdict.ACCEPTED)]
        for call in calls:
            outcome = call.outcome
            if outcome.verdict is Verdict.UNKNOWN and not self._list_left(call):
                text = outcome.text.removesuffix(_QUERIED)
                outcome = msgspec.structs.replace(outcome, verdict=Verdict.ACCEPTED, text=text)
            outcomes.append(outcome)
        return max(outcomes, key=lambda outcome: (_SEVERITY[outcome.verdict], bool(outcome.text)))

    def _describe_counts(self, calls: Sequence[CancelCall]) -> str:
        """Describe how many cancels were accepted and how many not; empty if there was no order to cancel."""
        counts = dict.fromkeys(Verdict, 0)
        ended = 0
        for call in calls:
            if call.outcome.verdict is not Verdict.UNKNOWN:
                counts[call.outcome.verdict] += len(call.keys)
                continue
            left = self._list_left(call)
            counts[Verdict.UNKNOWN] += len(left)
            ended += sum(key not in left for key in call.keys)
        if not ended and not any(counts.values()):
            return ""
        parts = [f"{counts[Verdict.ACCEPTED]} accepted"] if counts[Verdict.ACCEPTED] or not ended else []
        parts += [f"{ended} ended meanwhile"] if ended else []
        parts += [f"{count} {verdict.value}" for verdict, count in counts.items() if count and verdict in _NOT_TAKEN]
        return ", ".join(parts)

    def _cancel_calls(
        self, intent: CancelAll, scopes: list[tuple[str, str]]
    ) -> Iterator[Coroutine[None, None, CancelCall]]:
        """Build the cancel calls: one per scope, or one per order where some orders of a pair are spared."""
        for venue, sym in scopes:
            rows = [row for row in self._state.orders.working() if is_in_scope(row.sym, venue, sym)]
            spared = self._find_spared(rows) if intent.spare_closing else set()
            if not spared:
                yield self._cancel_scope(intent, venue, sym)
                continue
            pairs = dict.fromkeys(row.sym for row in rows if row.key not in spared)
            for pair in pairs:
                of_pair = [row for row in rows if row.sym == pair]
                if any(row.key in spared for row in of_pair):
                    yield from (self._cancel_one_of(intent, row) for row in of_pair if row.key not in spared)
                else:
                    yield self._cancel_scope(intent, venue, pair)

    def _find_spared(self, rows: list[OrderRow]) -> set[str]:
        """Return the keys of orders that can only reduce an open position."""
        positions = self._state.facts.positions.rows
        return {row.key for row in rows if reduces_leg(row, positions)}

    async def _cancel_one_of(self, intent: CancelAll, row: OrderRow) -> CancelCall:
        """Cancel one order of a scope, unless it is not sent yet or its cancel is already pending."""
        if row.state == LocalOrderState.SENDING or self._state.orders.is_being_cancelled(row.key):
            return CancelCall((), Outcome(verdict=Verdict.ACCEPTED, key=row.key))
        return CancelCall((row.key,), await self._send_cancel(Cancel(decision=intent.decision, key=row.key)))

    async def _kill_without_link(self, intent: CancelAll, scopes: list[tuple[str, str]], refusal: Refusal) -> Outcome:
        """Cancel algo orders over REST when the kill switch works without an order connection."""
        self._state.record_denial(refusal.guard, refusal.text, intent)
        outcome = refusal.outcome("")
        self._notify_cancel_all(intent, outcome.text, outcome, ())
        ended = await self._algos.cancel_all(intent, scopes)
        outcome = self._combine_with_algos(outcome, ended)
        if ended.text:
            self._notify_cancel_all(intent, outcome.text, outcome, ())
        return outcome

    @staticmethod
    def _combine_with_algos(outcome: Outcome, algos: AlgoOutcome) -> Outcome:
        """Combine the outcomes for orders and algo orders; if one failed, the verdict is not ACCEPTED."""
        text = "; ".join(part for part in (outcome.text, algos.text) if part)
        verdict = outcome.verdict
        if not algos.taken and verdict is Verdict.ACCEPTED:
            verdict = Verdict.UNKNOWN if algos.unsure else Verdict.REJECTED
        return msgspec.structs.replace(outcome, verdict=verdict, text=text)

    def _venues(self) -> list[tuple[str, str]]:
        """List one scope per venue, because a call without a filter may affect other portfolios of the user."""
        scopes: dict[str, None] = {}
        for sym in [*self._state.symbols, *(row.sym for row in self._state.orders.working())]:
            pair = try_parse(sym)
            if pair is not None:
                scopes[pair.exchange] = None
        return [(venue, "") for venue in scopes or dict.fromkeys(Exchange)]

    async def _cancel_scope(self, intent: CancelAll, venue: str, sym: str) -> CancelCall:
        """Cancel all orders of a scope with one call."""
        state = self._state
        intent_id = self._new_action_id()
        args = arguments_of(CancelAllOrders(exchange_type=venue, sym=sym))
        rows = [row for row in state.orders.working() if is_in_scope(row.sym, venue, sym)]
        keys = tuple(row.key for row in rows if self._is_reached(row))
        self._gate.record_cancel(CANCEL_ALL)
        for key in keys:
            state.orders.set_pending(key, PendingAction.CANCEL, intent_id, state.clock.mono())
        sent = RequestToken(_CANCEL_ALL, keys, intent_id)
        with self._mark_unknown_on_error(sent):
            await self._try_journal_intent(intent, args, intent_id, "")
            outcome = await self._send_cancel_all(sent, args)
        return CancelCall(keys, outcome, tuple(row.key for row in rows if row.key not in keys))

    async def _send_cancel_all(self, sent: RequestToken, args: dict[str, str]) -> Outcome:
        state, keys, intent_id = self._state, sent.keys, sent.intent_id
        try:
            reply = await self._wire.send_action(_CANCEL_ALL, args, sent)
        except NotWritten as error:
            for key in keys:
                state.orders.clear_pending(key, intent_id)
            state.write_journal("not_sent", str(error), intent_id=intent_id)
            return Outcome(verdict=Verdict.DENIED, guard="LINK", text=f"NOT SENT: {error}; orders stay live")
        except NoAnswer as error:
            return self._handle_missing_cancel_all_reply(sent, str(error))
        state.write_journal("reply", _reply_payload(reply), intent_id=intent_id)
        return self._handle_cancel_all_reply(sent, reply)

    def _is_reached(self, row: OrderRow) -> bool:
        """Return whether a cancel of its scope reaches an order: the venue has shown it, no cancel of it is under way."""
        if row.state in (LocalOrderState.SENDING, LocalOrderState.SENT, LocalOrderState.UNKNOWN):
            return False
        return not self._state.orders.is_being_cancelled(row.key)

    def _handle_cancel_all_reply(self, sent: RequestToken, reply: StreamReply) -> Outcome:
        reading = reply_class.classify_cancel_all(reply.number, reply.text)
        if reading.meaning is ReplyClass.ACCEPTED:
            return Outcome(verdict=Verdict.ACCEPTED, code=reply.number)
        if reading.meaning is ReplyClass.UNSURE:
            return self._handle_missing_cancel_all_reply(sent, reading.text, reply.number)
        for key in sent.keys:
            self._state.orders.clear_pending(key, sent.intent_id, reading.text)
        return Outcome(verdict=Verdict.REJECTED, code=max(reply.number, 0), text=f"{reading.text}; orders stay live")

    def _handle_missing_cancel_all_reply(self, sent: RequestToken, why: str, code: int = 0) -> Outcome:
        for key in sent.keys:
            self._state.orders.mark_action_unknown(key, sent.intent_id, why)
            self._query_now(key)
        return Outcome(verdict=Verdict.UNKNOWN, code=max(code, 0), text=f"{why}{_QUERIED}")

    # Common

    def _deny(self, intent: OrderIntent, refusal: Refusal) -> Outcome:
        key = getattr(intent, "key", "")
        if not refusal.ask:
            self._state.deny(refusal.guard, refusal.text, intent, key)
        return refusal.outcome(key)


def _name_attempt(intent: CancelAll, outcome: Outcome) -> str:
    """Name a cancel-all at the begin of its line; a kill by its name unless it was carried out."""
    if not intent.kill or outcome.verdict is Verdict.ACCEPTED:
        return "cancel-all"
    return "kill did not arrive" if outcome.guard == "LINK" else "kill"


def _describe_nothing(intent: CancelAll) -> str:
    """Say that there was nothing to cancel; orders that are spared go on working."""
    return "no order that can open a position was working" if intent.spare_closing else "no order was working"


_QUERIED = "; being queried"
_NOT_TAKEN = (Verdict.DENIED, Verdict.REJECTED, Verdict.UNKNOWN)
_SEVERITY = {
    Verdict.ACCEPTED: 0,
    Verdict.ASK: 1,
    Verdict.DENIED: 2,
    Verdict.REJECTED: 3,
    Verdict.UNKNOWN: 4,
}


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


def _reply_payload(reply: StreamReply) -> dict[str, object]:
    return {"event": reply.event, "code": reply.code, "text": reply.text, "data": reply.data}


def _reply_data(reply: StreamReply) -> ActionReply:
    """Decode the data of a reply; undecodable data counts as missing."""
    try:
        return _DATA.parse(reply.data, clean=True) or ActionReply()
    except BadFrame:
        return ActionReply()
