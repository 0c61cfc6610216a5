"""Requests of programs that wait for the trader: each is numbered, shown, journaled and answered once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator
from enum import StrEnum
from itertools import count
from typing import Generic, TypeVar

import msgspec

from tui.engine.event_line import Level
from tui.engine.intents import Outcome
from tui.engine.rows import Table
from tui.engine.state.engine_state import EngineState
from tui.engine.status_rows import MandateRow, ProposalRow

NUMBER_STEP_S = 5
LEAST_NUMBER, FIRST_NUMBERS = 100, 800
"""The first number of an engine is drawn from its start, one further every `NUMBER_STEP_S`."""

R = TypeVar("R", ProposalRow, MandateRow)


class Answer(StrEnum):
    """Way in which a program's request (a proposal, or for a mandate) ended."""

    SENT = "sent"
    """The trader sent an order from the proposal; the outcome says what became of that."""
    GRANTED = "granted"
    """The trader granted the mandate."""
    DECLINED = "declined"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"

    @property
    def told(self) -> str:
        """Words for the end in an event line: `was declined`, `has expired`."""
        return "has expired" if self is Answer.EXPIRED else f"was {self.value}"


class RequestEnd(msgspec.Struct, frozen=True, kw_only=True):
    """End of a program's request: the answer, and what became of an order sent from it."""

    answer: Answer
    outcome: Outcome | None = None
    """Outcome of the order that the trader sent from a proposal."""
    text: str = ""
    """Why nothing was sent, where the desk denied what the trader sent from it, or would deny it; else empty."""


class Wording(msgspec.Struct, frozen=True):
    """Words for one kind of request, such as proposals."""

    kind: str
    """Word of the kind, also the kind of its journal entries: `proposal`."""
    verb: str
    """Word that the trader types for yes: `accept`."""
    asks: str
    """What the program asks for, before the description: `asks to`."""


def count_requests(state: EngineState) -> Iterator[int]:
    """Yield the numbers of an engine's requests, in order.

    Not from 1: an event line about a request of an engine that has ended must not name one of this engine.
    """
    return count(int(state.clock.wall()) // NUMBER_STEP_S % FIRST_NUMBERS + LEAST_NUMBER)


class Requests(Generic[R]):
    """Requests of one kind (proposals or mandates) from programs that wait for the trader's answer."""

    def __init__(
        self, state: EngineState, numbers: Iterator[int], table: Table, wording: Wording, describe: Callable[[R], str]
    ) -> None:
        self._state = state
        self._numbers = numbers
        self._table = table
        self._wording = wording
        self._describe: Callable[[R], str] = describe
        self._waiting: dict[str, tuple[R, asyncio.Future[RequestEnd]]] = {}
        self._denials: dict[str, str] = {}
        """What the desk said last to what the trader sent from a request that still waits."""

    def get(self, key: str) -> R | None:
        """Return the waiting request with this number, or None."""
        waiting = self._waiting.get(key)
        return None if waiting is None else waiting[0]

    def count_of(self, peer: str) -> int:
        """Count the waiting requests of a peer."""
        return sum(row.peer == peer for row, _ in self._waiting.values())

    async def ask(self, row: R) -> RequestEnd:
        """Show a request to the trader and wait for its end; cancelling the call withdraws the request."""
        row = msgspec.structs.replace(row, key=str(next(self._numbers)))
        state, wording, key = self._state, self._wording, row.key
        future: asyncio.Future[RequestEnd] = asyncio.get_running_loop().create_future()
        self._waiting[key] = row, future
        state.updates.put(self._table, key, row)
        state.write_journal(wording.kind, msgspec.to_builtins(row))
        left = max(0.0, row.expires - state.clock.mono())
        answers = f":{wording.verb} {key}, :decline {key}, {left:.0f} s"
        text = f"{row.peer} ({answers}) {wording.asks} {self._describe(row)}: {row.reason}"
        state.notify(Level.WARN, text, away=False, sticky=True, asks=True, cause=f"{wording.kind} {key}")
        try:
            return await future
        finally:
            self.end(key, RequestEnd(answer=Answer.WITHDRAWN))

    def record_denial(self, key: str, text: str) -> None:
        """Store why the desk denied the trader's order from a request; reported at the request's end if none is sent."""
        if key in self._waiting:
            self._denials[key] = text

    def end(self, key: str, decided: RequestEnd, by: str = "") -> None:
        """End a request, journal and report it; no effect if it has ended. `by` names the desk in the event line."""
        row, future = self._waiting.pop(key, (None, None))
        if row is None or future is None:
            return
        denial = self._denials.pop(key, "")
        if decided.outcome is None and denial:
            decided = msgspec.structs.replace(decided, text=denial)
        state, kind = self._state, self._wording.kind
        state.updates.put(self._table, key, None)
        outcome = decided.outcome
        sent = _write_sent(outcome) if outcome is not None else {}
        order = state.orders.rows.get(outcome.key) if outcome is not None else None
        client_order_id = order.client_order_id if order is not None else ""
        why = {"why": decided.text} if decided.text else {}
        told = {"key": key, "answer": decided.answer.value, **sent, **why}
        state.write_journal(kind, told, client_order_id=client_order_id)
        who = f" by {by}" if by else ""
        # A mandate that was asked for and one that was granted both end; only the request expires.
        end = f": the request {decided.answer.told}" if decided.answer is Answer.EXPIRED else f" {decided.answer.value}"
        text = f"{kind} {key} of {row.peer}{end}{who}: {self._describe(row)}"
        state.notify(Level.INFO, text, away=False, cause=f"{kind} {key}")
        if not future.done():
            future.set_result(decided)

    def end_of(self, peer: str, answer: Answer) -> None:
        """End all requests of a peer."""
        for key, (row, _) in list(self._waiting.items()):
            if row.peer == peer:
                self.end(key, RequestEnd(answer=answer))

    def withdraw_all(self) -> None:
        """End all requests as withdrawn, because the engine ends."""
        for key in list(self._waiting):
            self.end(key, RequestEnd(answer=Answer.WITHDRAWN))

    def expire(self, spared: Collection[str] = ()) -> None:
        """End the requests whose time is over, except those with a number in `spared`."""
        now = self._state.clock.mono()
        for key, (row, _) in list(self._waiting.items()):
            if now >= row.expires and key not in spared:
                self.end(key, RequestEnd(answer=Answer.EXPIRED))


def _write_sent(outcome: Outcome) -> dict[str, object]:
    """Build the journal fields about the outcome of the order sent from a request."""
    return {"verdict": outcome.verdict.value, "order": outcome.key, "entry": outcome.entry}
