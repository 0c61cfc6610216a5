"""Orders that programs propose: they wait for the trader, who sends or declines them, and end by themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from tui.engine.intents import Outcome, Place, Verdict
from tui.engine.peers.requests import Answer, Decided, Requests, Wording
from tui.engine.rows import Table
from tui.engine.state.engine_state import EngineState
from tui.engine.state.order_table import size_text
from tui.engine.status_rows import ProposalRow
from tui.interface import decimals
from tui.interface.families.orders import OrderType

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
        """Proposals whose order is being sent."""

    def why_not(self, row: ProposalRow) -> str:
        """Return why a proposal is not taken, or an empty text."""
        if row.sym not in self._state.symbols:
            return f"pair {row.sym} is not known to the desk"
        waiting = self._requests.count_of(row.peer)
        return f"{MOST_OF_PEER} proposals of {row.peer} wait already" if waiting >= MOST_OF_PEER else ""

    async def ask(self, row: ProposalRow) -> Decided:
        """Show a proposal and wait for its end; cancelling the call withdraws it."""
        return await self._requests.ask(row)

    async def send(self, intent: Place, place: Callable[[Place], Awaitable[Outcome]]) -> Outcome:
        """Send an order that the trader made from a proposal, unless that has ended or is being sent."""
        key = intent.proposal
        row = self._requests.get(key)
        if row is None or key in self._leaving:
            state = (
                "is being sent already" if key in self._leaving else "has ended; type the order itself if you want it"
            )
            return Outcome(verdict=Verdict.DENIED, guard="PROPOSAL", text=f"proposal {key} {state}")
        if different := _compare(row, intent):
            text = f"the order is not the one of proposal {key}: {different}; type it as your own order"
            return Outcome(verdict=Verdict.DENIED, guard="PROPOSAL", text=text)
        self._leaving.add(key)
        try:
            outcome = await place(intent)
        finally:
            self._leaving.discard(key)
        if outcome.verdict in _ENDS_PROPOSAL:
            self._requests.end(key, Decided(answer=Answer.SENT, outcome=outcome))
        return outcome

    def decline(self, key: str) -> None:
        """Decline a proposal; no effect if there is none."""
        self._requests.end(key, Decided(answer=Answer.DECLINED))

    def withdraw(self, key: str, peer: str) -> bool:
        """Withdraw a proposal of a peer; return whether it waited."""
        row = self._requests.get(key)
        if row is None or row.peer != peer:
            return False
        self._requests.end(key, Decided(answer=Answer.WITHDRAWN))
        return True

    def expire(self) -> None:
        """End the proposals whose time is over."""
        self._requests.expire()


def _compare(row: ProposalRow, intent: Place) -> str:
    """Return how an order differs from the proposed one, which is what the trader read; empty if it does not."""
    market = intent.order_type is OrderType.MARKET
    pairs = (
        ("pair", intent.sym, row.sym),
        ("side", intent.side.value, row.side),
        ("leg", intent.position_side.value, row.position_side),
        ("size", decimals.optional(intent.qty), decimals.optional(row.qty)),
        ("amount spent", intent.quote_qty, ""),
        ("price", None if market else decimals.optional(intent.price), decimals.optional(row.price)),
        ("time in force", "" if market else intent.time_in_force.value, row.time_in_force if row.price else ""),
        ("reduce-only", intent.reduce_only, row.reduce_only),
        ("protection", intent.take_profit or intent.stop_loss, None),
    )
    return ", ".join(f"{name} {now} instead of {asked}" for name, now, asked in pairs if now != asked)


def describe(row: ProposalRow) -> str:
    """Describe the order of a proposal briefly."""
    leg = f" {row.position_side}" if row.position_side not in ("", "NONE") else ""
    return f"{row.side}{leg} {size_text(row.sym, row.qty, row.price)}{' reduce-only' if row.reduce_only else ''}"
