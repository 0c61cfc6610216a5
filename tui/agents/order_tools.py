"""Tools about what an agent proposes: the trader's terminal alone sends one, or declines it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import msgspec

from tui.agents.answers import Answer, ToolRefused
from tui.agents.desk_link import DeskLink
from tui.agents.tool import NoArguments, Tool, make_tool
from tui.desk_protocol.messages import (
    AnyProposal,
    OrderTerms,
    Propose,
    ProposeCancel,
    ProposeClose,
    ProposeReplace,
    ProtocolError,
)
from tui.interface.text import clean
from tui.programs.async_desk import StartedProposal
from tui.programs.records import ProposalEnd
from tui.protocols import Clock

MOST_IN_WINDOW, WINDOW_S = 10, 60.0
"""Most proposals within a time: the trader reads each of them."""
MOST_KEPT = 200
"""Most proposals whose end is remembered."""
MOST_WAIT_S = 30.0
ONLY_THE_TRADER = "only the trader sends it, with a key of the desk"


class ProposalQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `proposal`."""

    number: str
    """Number of the proposal."""
    wait_s: Annotated[float, msgspec.Meta(ge=0, le=MOST_WAIT_S)] = 0.0
    """Longest wait for its end, s."""


class WithdrawQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `withdraw_proposal`."""

    number: str
    """Number of the proposal."""


class ProposalSent(msgspec.Struct, frozen=True):
    """Proposal that this agent made to the trader: its terms, and a future of its end."""

    terms: AnyProposal
    end: asyncio.Future[ProposalEnd]


class OrderTools:
    """Tools for an agent that preview an order, and propose orders to the trader, list these proposals and withdraw them."""

    def __init__(self, link: DeskLink, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._kept: dict[str, ProposalSent] = {}
        """By number."""
        self._times: deque[float] = deque()
        """Times of the newest proposals."""

    def tools(self) -> list[Tool]:
        """List the tools."""
        return [
            make_tool("preview_order", "What the desk would say to an order now: checks, value, size after. Sends nothing.",
                      OrderTerms, self._preview),
            make_tool("propose_order", f"Propose an order to the trader; {ONLY_THE_TRADER}. Answers with its number.",
                      Propose, self._propose, reads=False),
            make_tool("propose_replace", f"Propose a new total size and limit price of an order; {ONLY_THE_TRADER}.",
                      ProposeReplace, self._propose, reads=False),
            make_tool("propose_cancel", f"Propose to cancel an order; {ONLY_THE_TRADER}.", ProposeCancel, self._propose,
                      reads=False),
            make_tool("propose_close", f"Propose to close a position at market; {ONLY_THE_TRADER}.", ProposeClose,
                      self._propose, reads=False),
            make_tool("proposals", "Proposals of this agent: those that wait, and the ends of earlier ones.", NoArguments,
                      self._list),
            make_tool("proposal", "What became of a proposal, by its number.", ProposalQuery, self._show),
            make_tool("withdraw_proposal", "Withdraw a proposal of this agent that waits.", WithdrawQuery, self._withdraw,
                      reads=False),
        ]  # fmt: skip

    async def _preview(self, terms: OrderTerms) -> Answer:
        async with self._link.desk() as desk:
            return Answer(await desk.preview(terms))

    async def _propose(self, wanted: AnyProposal) -> Answer:
        starting = asyncio.ensure_future(self._start(wanted))
        starting.add_done_callback(lambda done: done.cancelled() or done.exception())
        # A model that gives the call up finds the proposal among its own.
        started = await asyncio.shield(starting)
        return Answer({**_describe(started.number, ProposalSent(wanted, started.end)), "next": ONLY_THE_TRADER})

    async def _start(self, wanted: AnyProposal) -> StartedProposal:
        async with self._link.desk() as desk:
            with self._count_unless_refused():
                started = await desk.start_proposal(wanted)
        if started.number:
            self._keep(started.number, ProposalSent(wanted, started.end))
        return started

    @contextmanager
    def _count_unless_refused(self) -> Iterator[None]:
        """Count the proposal made in the block towards the rate limit, unless it is refused; refuse it above the limit.

        Raises:
            ToolRefused: There were too many of late.
        """
        now = self._clock.mono()
        while self._times and now - self._times[0] >= WINDOW_S:
            self._times.popleft()
        if len(self._times) >= MOST_IN_WINDOW:
            left = WINDOW_S - (now - self._times[0])
            text = f"{MOST_IN_WINDOW} proposals within {WINDOW_S:g} s are taken; wait {left:.0f} s"
            raise ToolRefused(text)
        self._times.append(now)
        try:
            yield
        except ProtocolError:
            self._times.remove(now)
            raise

    def _keep(self, number: str, kept: ProposalSent) -> None:
        self._kept[number] = kept
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]

    async def _list(self, _: NoArguments) -> Answer:
        if any(not kept.end.done() for kept in self._kept.values()):
            await self._reach_desk()
        return Answer({"rows": [_describe(number, kept) for number, kept in reversed(self._kept.items())]})

    async def _show(self, query: ProposalQuery) -> Answer:
        kept = self._find("proposal", query.number)
        if query.wait_s:
            await asyncio.wait([kept.end], timeout=query.wait_s)
        if not kept.end.done():
            await self._reach_desk()
        return Answer(_describe(query.number, kept))

    async def _withdraw(self, query: WithdrawQuery) -> Answer:
        kept = self._find("withdraw_proposal", query.number)
        if not kept.end.done():
            async with self._link.desk() as desk:
                await desk.withdraw(query.number)
            await asyncio.wait([kept.end])
        return Answer(_describe(query.number, kept))

    async def _reach_desk(self) -> None:
        """Check that the desk answers: otherwise it is unknown whether a proposal still waits for the trader.

        Raises:
            ToolRefused: It does not.
        """
        async with self._link.desk():
            pass

    def _find(self, tool: str, number: str) -> ProposalSent:
        kept = self._kept.get(number)
        if kept is None:
            mine = ", ".join(list(self._kept)[-5:]) or "none"
            raise ToolRefused(f"{tool}: number {clean(number, 40)!r} is no proposal of this agent; it has {mine}")
        return kept


def _describe(number: str, kept: ProposalSent) -> dict[str, object]:
    """Describe a proposal for the agent: number, terms, and waiting, unknown or how it ended."""
    shown: dict[str, object] = {"number": number, "terms": kept.terms}
    if not kept.end.done():
        return {**shown, "state": "waiting"}
    try:
        end = kept.end.result()
    except (ProtocolError, asyncio.CancelledError) as error:
        text = f"the desk ended before it answered: look at orders before you propose it again ({error})"
        return {**shown, "state": "unknown", "text": text}
    return {
        **shown,
        "state": end.answer,
        "verdict": end.verdict,
        "order": end.order,
        "text": end.text,
        "entry": end.entry,
    }
