"""Cancel-all and kill: which calls it takes, their outcomes, and the line about them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import NamedTuple

import msgspec

from tui.engine.doer_names import BY
from tui.engine.event_line import Level
from tui.engine.intents import Cancel, CancelAll, Outcome, Verdict
from tui.engine.orders import reply_class
from tui.engine.orders.algo_orders import CANCELS
from tui.engine.orders.execution.cancel_algos import AlgoOutcome, CancelAlgosExecutor
from tui.engine.orders.execution.changes import OrderChanges
from tui.engine.orders.execution.order_sender import CANCEL_ALL_ACTION, QUERIED, OrderSender, RequestToken
from tui.engine.orders.gate import Gate
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.orders.reply_class import ReplyClass
from tui.engine.rows import LocalOrderState, OrderRow, PendingAction
from tui.engine.state.closing_orders import reduces_leg
from tui.engine.state.engine_state import EngineState
from tui.interface.envelope import StreamReply
from tui.interface.families.orders import CANCEL_ALL, CancelAllOrders
from tui.interface.request import arguments_of
from tui.interface.symbols import Exchange, is_in_scope, try_parse

_NOT_TAKEN = (Verdict.DENIED, Verdict.REJECTED, Verdict.UNKNOWN)
TOLD_AFTER_S = 0.5
"""Longest wait for the algo orders before a cancel-all says what became of the orders alone, s."""
_SEVERITY = {
    Verdict.ACCEPTED: 0,
    Verdict.ASK: 1,
    Verdict.DENIED: 2,
    Verdict.REJECTED: 3,
    Verdict.UNKNOWN: 4,
}


class CancelCall(NamedTuple):
    """Cancel request sent as a part of a cancel-all, with its outcome."""

    keys: tuple[str, ...]
    """Orders it was for."""
    outcome: Outcome
    others: tuple[str, ...] = ()
    """Further orders in its scope, which the venue had not shown yet or another cancel was for."""


class CancelAllExecutor:
    """Executor of cancel-alls and kills, for orders and algo orders."""

    def __init__(
        self,
        state: EngineState,
        gate: Gate,
        sender: OrderSender,
        changes: OrderChanges,
        cancel_algos: CancelAlgosExecutor,
        on_kill: Callable[[str, str], None],
    ) -> None:
        """Initialize the executor.

        Args:
            state: State of the engine.
            gate: Gate.
            sender: Sender of the requests.
            changes: Sender of the cancel of a single order.
            cancel_algos: Cancels of algo orders.
            on_kill: Callback with the reason of a kill and its sender.
        """
        self._state = state
        self._gate = gate
        self._sender = sender
        self._changes = changes
        self._cancel_algos = cancel_algos
        self._on_kill = on_kill

    async def cancel_all(self, intent: CancelAll) -> Outcome:
        """Cancel all orders and algo orders of a scope, and return the worst outcome."""
        if intent.kill:
            self._on_kill(intent.reason, intent.decision.peer)
        refusal = self._gate.check_cancel_all(intent)
        scopes = [(intent.exchange, intent.sym)] if intent.exchange or intent.sym else self._venues()
        if refusal is not None and intent.kill and refusal.guard == "LINK":
            return await self._kill_without_link(intent, scopes, refusal)
        if refusal is not None:
            return self._sender.deny(intent, refusal)
        algos = asyncio.ensure_future(self._cancel_algos.cancel_all(intent, scopes))
        calls = await asyncio.gather(*self._cancel_calls(intent, scopes))
        worst = self._judge(calls)
        counts = self._describe_counts(calls) or (_describe_nothing(intent) if worst.text else "")
        text = "; ".join(part for part in (counts, worst.text) if part)
        is_told = bool(text) and await _takes_long(algos)
        if is_told:
            self._notify(intent, text, worst, calls)
        ended = await algos
        if ended.taken and (ended.cancelled or not is_told):
            # The newest line tells the whole: it is all that a small screen shows.
            both = "; ".join(part for part in (text, ended.text) if part)
            self._notify(intent, (both if ended.cancelled else text) or _describe_nothing(intent), worst, calls)
        if not ended.cancelled:
            text = text or _describe_nothing(intent)
        outcome = self._combine_with_algos(msgspec.structs.replace(worst, text=text), ended)
        if not ended.taken:
            self._notify(intent, outcome.text, outcome, calls)
        return msgspec.structs.replace(outcome, text=f"{_name_attempt(intent, outcome)}: {outcome.text}")

    def _notify(self, intent: CancelAll, text: str, worst: Outcome, calls: Sequence[CancelCall]) -> None:
        """Notify the result of a cancel-all of orders; while some are unknown, the line is marked until they are known.

        A kill that was not carried out is named as one: it is what is read first.
        """
        taken = Level.WARN if worst.text else Level.INFO
        level = taken if worst.verdict is Verdict.ACCEPTED else Level.ALERT
        unknown = [key for call in calls if call.outcome.verdict is Verdict.UNKNOWN for key in self._list_left(call)]
        self._state.notify_deed(
            intent.decision, level, f"{_name_attempt(intent, worst)}{BY}: {text}", "".join(unknown[:1]),
            cause=CANCELS, unsure=bool(unknown), others=tuple(unknown[1:]), stays=True,
            peer=intent.decision.peer,
        )  # fmt: skip

    def _list_left(self, call: CancelCall) -> list[str]:
        """List the keys of orders in the scope of a cancel call that have not ended."""
        rows = self._state.orders.rows
        return [key for key in (*call.keys, *call.others) if key in rows and not rows[key].final]

    def _judge(self, calls: Sequence[CancelCall]) -> Outcome:
        """Return the worst outcome of the calls; an unanswered call counts as accepted if all its orders have ended."""
        outcomes = [Outcome(verdict=Verdict.ACCEPTED)]
        for call in calls:
            outcome = call.outcome
            if outcome.verdict is Verdict.UNKNOWN and not self._list_left(call):
                text = outcome.text.removesuffix(QUERIED)
                outcome = msgspec.structs.replace(outcome, verdict=Verdict.ACCEPTED, text=text)
            outcomes.append(outcome)
        return max(outcomes, key=lambda outcome: (_SEVERITY[outcome.verdict], bool(outcome.text)))

    def _describe_counts(self, calls: Sequence[CancelCall]) -> str:
        """Count orders by outcome: `3 accepted, 1 ended meanwhile, 1 rejected`; empty if there was none to cancel."""
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
        """Return the keys of orders that a cancel-all spares, as they can only reduce an open position."""
        positions = self._state.facts.positions.rows
        return {row.key for row in rows if reduces_leg(row, positions)}

    async def _cancel_one_of(self, intent: CancelAll, row: OrderRow) -> CancelCall:
        """Cancel one order of a scope, unless it is still being sent or already being cancelled."""
        if row.state == LocalOrderState.SENDING or self._state.orders.is_being_cancelled(row.key):
            return CancelCall((), Outcome(verdict=Verdict.ACCEPTED, key=row.key))
        return CancelCall((row.key,), await self._changes.send_cancel(Cancel(decision=intent.decision, key=row.key)))

    async def _kill_without_link(self, intent: CancelAll, scopes: list[tuple[str, str]], refusal: Refusal) -> Outcome:
        """Cancel only the algo orders, over REST, for a kill that cannot reach the orders because their link is down."""
        self._state.record_denial(refusal.guard, refusal.text, intent)
        outcome = refusal.outcome("")
        algos = asyncio.ensure_future(self._cancel_algos.cancel_all(intent, scopes))
        is_told = await _takes_long(algos)
        if is_told:
            self._notify(intent, outcome.text, outcome, ())
        ended = await algos
        outcome = self._combine_with_algos(outcome, ended)
        if ended.text or not is_told:
            self._notify(intent, outcome.text, outcome, ())
        return outcome

    @staticmethod
    def _combine_with_algos(outcome: Outcome, algos: AlgoOutcome) -> Outcome:
        """Combine the outcomes for orders and algo orders; ACCEPTED only if both were accepted."""
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
        intent_id = self._sender.new_action_id()
        args = arguments_of(CancelAllOrders(exchange_type=venue, sym=sym))
        rows = [row for row in state.orders.working() if is_in_scope(row.sym, venue, sym)]
        keys = tuple(row.key for row in rows if self._is_reached(row))
        self._gate.record_cancel(CANCEL_ALL)
        for key in keys:
            state.orders.set_pending(key, PendingAction.CANCEL, intent_id, state.clock.mono())
        sent = RequestToken(CANCEL_ALL_ACTION, keys, intent_id)
        with self._sender.mark_unknown_on_error(sent):
            await self._sender.try_journal_intent(intent, args, intent_id, "")
            outcome = await self._send(sent, args)
        return CancelCall(keys, outcome, tuple(row.key for row in rows if row.key not in keys))

    async def _send(self, sent: RequestToken, args: dict[str, str]) -> Outcome:
        reply = await self._sender.send_change(sent, args)
        if not isinstance(reply, Outcome):
            return self.handle_reply(sent, reply)
        return _add_that_orders_stay(reply) if reply.verdict is Verdict.DENIED else reply

    def _is_reached(self, row: OrderRow) -> bool:
        """Return whether a scope cancel applies to an order: the venue has reported it, and it is not being cancelled."""
        if row.state in (LocalOrderState.SENDING, LocalOrderState.SENT, LocalOrderState.UNKNOWN):
            return False
        return not self._state.orders.is_being_cancelled(row.key)

    def handle_reply(self, sent: RequestToken, reply: StreamReply) -> Outcome:
        """Apply the reply to a scope cancel to the rows of its orders, and return the outcome."""
        reading = reply_class.classify_cancel_all(reply.number, reply.text)
        if reading.meaning is ReplyClass.ACCEPTED:
            return Outcome(verdict=Verdict.ACCEPTED, code=reply.number)
        if reading.meaning is ReplyClass.UNSURE:
            return self._sender.report_unanswered(sent, reading.text, reply.number)
        self._sender.clear_pending(sent, reading.text)
        return _add_that_orders_stay(Outcome(verdict=Verdict.REJECTED, code=max(reply.number, 0), text=reading.text))


async def _takes_long(algos: asyncio.Future[AlgoOutcome]) -> bool:
    """Wait up to `TOLD_AFTER_S` for the cancels of algo orders; return whether they take longer."""
    done, _ = await asyncio.wait({algos}, timeout=TOLD_AFTER_S)
    return not done


def _name_attempt(intent: CancelAll, outcome: Outcome) -> str:
    """Return the beginning of an event line: `cancel-all`, or `kill` for a kill that was not accepted."""
    if not intent.kill or outcome.verdict is Verdict.ACCEPTED:
        return "cancel-all"
    return "kill did not arrive" if outcome.guard == "LINK" else "kill"


def _describe_nothing(intent: CancelAll) -> str:
    """Describe that there was no order to cancel, or with spared closing orders, none that can open a position."""
    return "no order that can open a position was working" if intent.spare_closing else "no order was working"


def _add_that_orders_stay(outcome: Outcome) -> Outcome:
    return msgspec.structs.replace(outcome, text=f"{outcome.text}; orders stay live")
