"""Orders that programs propose: they wait for the trader, who sends or declines them, and end by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum
from itertools import count

import msgspec

from tui.engine.intents import Outcome, Place, Verdict
from tui.engine.rows import Level, Table
from tui.engine.state.engine_state import EngineState
from tui.engine.state.order_table import size_text
from tui.engine.status_rows import ProposalRow

MOST_OF_PEER = 5
"""Most proposals of a peer that wait at once."""
NUMBER_STEP_S = 5
LEAST_NUMBER, FIRST_NUMBERS = 100, 800
"""The first number of an engine is drawn from its start, one further every `NUMBER_STEP_S`."""
_ENDS_PROPOSAL = frozenset([Verdict.ACCEPTED, Verdict.REJECTED, Verdict.UNKNOWN])
"""What became of an order that left; one that was denied or asked about waits on."""


class Answer(StrEnum):
    """Way in which a proposal ended."""

    SENT = "sent"
    """The trader sent an order from it; the outcome says what became of that."""
    DECLINED = "declined"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """End of a proposal."""

    answer: Answer
    outcome: Outcome | None = None
    """Outcome of the order that the trader sent."""


class Proposals:
    """Proposals that wait for the trader; each is shown, journaled, and answered once."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        # Not from 1: a line about a proposal of an engine that has ended must not name one of this engine.
        self._numbers = count(int(state.clock.wall()) // NUMBER_STEP_S % FIRST_NUMBERS + LEAST_NUMBER)
        self._waiting: dict[str, tuple[ProposalRow, asyncio.Future[Decided]]] = {}
        self._leaving: set[str] = set()
        """Proposals whose order is being sent."""

    def why_not(self, row: ProposalRow) -> str:
        """Return why a proposal is not taken, or an empty text."""
        if row.sym not in self._state.symbols:
            return f"pair {row.sym} is not known to the desk"
        waiting = sum(other.peer == row.peer for other, _ in self._waiting.values())
        return f"{MOST_OF_PEER} proposals of {row.peer} wait already" if waiting >= MOST_OF_PEER else ""

    async def ask(self, row: ProposalRow) -> Decided:
        """Show a proposal and wait for its end; cancelling the call withdraws it."""
        row = msgspec.structs.replace(row, key=str(next(self._numbers)))
        future: asyncio.Future[Decided] = asyncio.get_running_loop().create_future()
        self._waiting[row.key] = row, future
        self._state.updates.put(Table.PROPOSALS, row.key, row)
        self._state.write_journal("proposal", msgspec.to_builtins(row))
        left = max(0.0, row.expires - self._state.clock.mono())
        text = f"{row.peer} (:accept {row.key}, :decline {row.key}, {left:.0f} s) asks to {describe(row)}: {row.reason}"
        self._state.notify(Level.WARN, text, away=False, sticky=True, cause=f"proposal {row.key}")
        try:
            return await future
        finally:
            self._end(row.key, Decided(answer=Answer.WITHDRAWN))

    async def send(self, intent: Place, place: Callable[[Place], Awaitable[Outcome]]) -> Outcome:
        """Send an order that the trader made from a proposal, unless that has ended or is being sent."""
        key = intent.proposal
        if key not in self._waiting or key in self._leaving:
            state = (
                "is being sent already" if key in self._leaving else "has ended; type the order itself if you want it"
            )
            return Outcome(verdict=Verdict.DENIED, guard="PROPOSAL", text=f"proposal {key} {state}")
        self._leaving.add(key)
        try:
            outcome = await place(intent)
        finally:
            self._leaving.discard(key)
        if outcome.verdict in _ENDS_PROPOSAL:
            self._end(key, Decided(answer=Answer.SENT, outcome=outcome))
        return outcome

    def decline(self, key: str) -> None:
        """Decline a proposal."""
        self._end(key, Decided(answer=Answer.DECLINED))

    def withdraw(self, key: str, peer: str) -> bool:
        """Withdraw a proposal for its peer; return whether it is one of that peer and waits."""
        row, _ = self._waiting.get(key, (None, None))
        if row is None or row.peer != peer:
            return False
        self._end(key, Decided(answer=Answer.WITHDRAWN))
        return True

    def expire(self) -> None:
        """End the proposals whose time is over."""
        now = self._state.clock.mono()
        for key, (row, _) in list(self._waiting.items()):
            if now >= row.expires:
                self._end(key, Decided(answer=Answer.EXPIRED))

    def _end(self, key: str, decided: Decided) -> None:
        row, future = self._waiting.pop(key, (None, None))
        if row is None or future is None:
            return
        self._state.updates.put(Table.PROPOSALS, key, None)
        self._state.write_journal("proposal", {"key": key, "answer": decided.answer.value})
        text = f"proposal {key} of {row.peer} {decided.answer.value}: {describe(row)}"
        self._state.notify(Level.INFO, text, away=False, cause=f"proposal {key}")
        if not future.done():
            future.set_result(decided)


def describe(row: ProposalRow) -> str:
    """Describe the order of a proposal briefly."""
    leg = f" {row.position_side}" if row.position_side not in ("", "NONE") else ""
    return f"{row.side}{leg} {size_text(row.sym, row.qty, row.price)}{' reduce-only' if row.reduce_only else ''}"
