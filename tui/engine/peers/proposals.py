"""Orders, replaces, cancels and closes that programs propose: they wait for the trader, and end by themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from tui.engine.intents import Outcome, Verdict
from tui.engine.peers.proposed_order import OfProposal, compare, complete, describe, why_void
from tui.engine.peers.requests import Answer, RequestEnd, Requests, Wording
from tui.engine.rows import Table
from tui.engine.state.engine_state import EngineState
from tui.engine.status_rows import ProposalRow

MOST_OF_PEER = 5
"""Most proposals of a peer that wait at once."""
_WORDING = Wording("proposal", "accept", "asks to")
_ENDS_PROPOSAL = frozenset([Verdict.ACCEPTED, Verdict.REJECTED, Verdict.UNKNOWN])
"""What became of an order that left; one that was denied or asked about waits on."""


class Proposals:
    """Proposals that wait for the trader."""

    def __init__(self, state: EngineState, numbers: Iterator[int]) -> None:
        self._state = state
        self._requests: Requests[ProposalRow] = Requests(state, numbers, Table.PROPOSALS, _WORDING, describe)
        self._leaving: set[str] = set()
        """Proposals whose order is being sent; only its outcome ends them."""

    def complete(self, row: ProposalRow) -> ProposalRow | str:
        """Add to a proposal what the desk knows of its order or position, or return why the proposal is refused."""
        if self._requests.count_of(row.peer) >= MOST_OF_PEER:
            return f"{MOST_OF_PEER} proposals of {row.peer} wait already"
        return complete(row, self._state)

    async def ask(self, row: ProposalRow) -> RequestEnd:
        """Show a proposal and wait for its end; cancelling the call withdraws the proposal."""
        return await self._requests.ask(row)

    async def send(self, intent: OfProposal, carry_out: Callable[[OfProposal], Awaitable[Outcome]]) -> Outcome:
        """Send the intent that the trader accepted from a proposal; deny it if the proposal has ended or differs."""
        key = intent.proposal
        row = self._requests.get(key)
        if row is None or key in self._leaving:
            state = "is being sent already" if key in self._leaving else "has ended; type it yourself if you want it"
            return Outcome(verdict=Verdict.DENIED, guard="PROPOSAL", text=f"proposal {key} {state}")
        if different := compare(row, intent):
            text = f"this differs from proposal {key}: {different}; type it as your own"
            return Outcome(verdict=Verdict.DENIED, guard="PROPOSAL", text=text)
        if void := why_void(intent, self._state):
            text = f"proposal {key}: {void}; :accept {key} shows it anew"
            return Outcome(verdict=Verdict.DENIED, guard="PROPOSAL", text=text)
        self._leaving.add(key)
        try:
            outcome = await carry_out(intent)
        except BaseException:
            unknown = Outcome(verdict=Verdict.UNKNOWN, text="it was being sent; the orders say what became of it")
            self._requests.end(key, RequestEnd(answer=Answer.SENT, outcome=unknown))
            raise
        finally:
            self._leaving.discard(key)
        if outcome.verdict in _ENDS_PROPOSAL:
            self._requests.end(key, RequestEnd(answer=Answer.SENT, outcome=outcome))
        elif outcome.verdict is Verdict.DENIED:
            self._requests.record_denial(key, f"the desk denied it when the trader sent it: {outcome.text}")
        return outcome

    def decline(self, key: str) -> None:
        """Decline a proposal; no effect if there is none, or its order is being sent."""
        if key not in self._leaving:
            self._requests.end(key, RequestEnd(answer=Answer.DECLINED))

    def withdraw(self, key: str, peer: str) -> bool:
        """Withdraw a proposal of a peer; return False if it has ended, or its order is being sent."""
        row = self._requests.get(key)
        if row is None or row.peer != peer or key in self._leaving:
            return False
        self._requests.end(key, RequestEnd(answer=Answer.WITHDRAWN))
        return True

    def withdraw_all(self) -> None:
        """End all proposals as withdrawn, because the engine ends."""
        self._requests.withdraw_all()

    def expire(self) -> None:
        """End the proposals whose time is over, except those being sent."""
        self._requests.expire(spared=self._leaving)
