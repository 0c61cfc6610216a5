"""Calls of programs: orders that they propose, mandates that they ask for, and what they send within those."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from tui.desk_protocol.messages import (
    PROPOSED,
    AnyProposal,
    AskMandate,
    CancelOrder,
    Command,
    MandateAnswer,
    PlaceOrder,
    Propose,
    ProposeReplace,
    ProtocolError,
    ReplaceOrder,
    Role,
    check_market_terms,
    method_of,
)
from tui.desk_protocol.method import Method
from tui.desk_protocol.peer import Peer
from tui.engine.intents import Cancel, Decision, Intent, Outcome, Replace, Verdict
from tui.engine.peers.proposed_order import build_intent, build_place
from tui.engine.peers.recent_events import RecentEvents
from tui.engine.peers.requests import Answer, RequestEnd
from tui.engine.status_rows import EngineStatusRow, MandateRow, ProposalRow
from tui.interface.decimals import positive
from tui.interface.text import clean
from tui.protocols import Clock

if TYPE_CHECKING:
    from tui.engine.life.engine_core import EngineCore

MOST_REASON = 200
"""Longest reason of a request that is shown, characters."""
MOST_DENIED, DENIED_WITHIN_S = 60, 60.0
"""Denials of a program within so many seconds after which nothing more is taken: each is an event line and is journaled."""
MOST_ASKED, ASKED_WITHIN_S = 30, 60.0
"""Proposals and requests for a mandate of a program within so many seconds: the trader reads each, and each is journaled."""
ALL, MOST_ASKED_IN_ALL = "", 300
"""Name under which those of all programs are counted, which no program has, and most of them within the same time."""
ANSWERED_BY_MANDATE = frozenset(["FIRST_OF_DAY", "SOFT_NOTIONAL"])
"""Questions of the gate that the trader answered with the mandate; any other question becomes a denial."""
PASSING_GUARDS = frozenset(
    ["LINK", "CLOCK", "DAY", "RATE", "IN_FLIGHT", "RUNAWAY", "DUPLICATE", "STALE", "UNKNOWN_PENDING"]
)
"""Guards whose denial passes by itself while a proposal waits; the trader reads one that they alone would deny now."""

SendOnce = Callable[[Peer, Command, Callable[[], Intent]], Awaitable[Outcome]]


class ProgramCalls:
    """Protocol methods for programs: proposals to the trader, mandates, and orders within a mandate."""

    def __init__(
        self, clock: Clock, core: Callable[[], EngineCore], status: Callable[[], EngineStatusRow], send_once: SendOnce
    ) -> None:
        """Prepare the methods.

        Args:
            clock: Clocks of the engine.
            core: Engine that runs now.
            status: Status of the engine.
            send_once: Sends the intent of a command through the gate, once.
        """
        self._clock = clock
        self._core = core
        self._status = status
        self._send_once = send_once
        self._denied, self._asked = RecentEvents(DENIED_WITHIN_S), RecentEvents(ASKED_WITHIN_S)

    def list_methods(self) -> dict[str, Method]:
        """Map the name of each method for programs to its definition."""
        return {
            **{method_of(kind): Method(Role.PROPOSE, wanted, self._propose) for wanted, kind in PROPOSED.items()},
            "withdraw": Method(Role.PROPOSE, str, self._withdraw),
            "ask_mandate": Method(Role.PROPOSE, AskMandate, self._ask_mandate),
            "withdraw_mandate": Method(Role.PROPOSE, dict[str, object], self._withdraw_mandate),
            "place": Method(Role.PROPOSE, PlaceOrder, self._place),
            "replace": Method(Role.PROPOSE, ReplaceOrder, self._replace),
            "cancel": Method(Role.PROPOSE, CancelOrder, self._cancel),
        }

    # Requests

    async def _propose(self, peer: Peer, wanted: AnyProposal) -> RequestEnd:
        """Show a program's proposal to the trader, and return how it ended.

        Raises:
            ProtocolError: The desk would deny it whatever the trader answers, or too many wait.
        """
        proposals = self._core().proposals
        if proposals is None:
            raise ProtocolError("the engine is in another process")
        kind = PROPOSED[type(wanted)]
        method = method_of(kind)
        if isinstance(wanted, Propose):
            check_market_terms(wanted)
            _check_figures(method, qty=wanted.qty, price=wanted.price or "1")
        elif isinstance(wanted, ProposeReplace):
            _check_figures(method, qty=wanted.qty, price=wanted.price)
        terms = msgspec.structs.asdict(wanted)
        now, seconds = self._clock.mono(), terms.pop("seconds")
        terms["reason"] = clean(wanted.reason, MOST_REASON)
        asked = ProposalRow(peer=peer.name, since=now, expires=now + seconds, kind=kind, **terms)
        row = proposals.complete(asked)
        if isinstance(row, str):
            raise ProtocolError(f"{method}: {clean(row, 200)}")
        self._check_pace(peer, method)  # also of what is denied: each is checked as an order
        if (why := await self._find_denial(row)) is not None and why.guard not in PASSING_GUARDS:
            raise ProtocolError(f"{method}: {why.text}")
        decided = await proposals.ask(row)
        if decided.answer is Answer.EXPIRED and not decided.text:
            with suppress(ProtocolError):  # the engine is being started again
                if (why := await self._find_denial(row)) is not None:
                    decided = msgspec.structs.replace(decided, text=f"the desk would deny it by now: {why.text}")
        return decided

    async def _find_denial(self, row: ProposalRow) -> Outcome | None:
        """Return the denial that the trader would get from the risk gate for the proposal; None if it passes or asks."""
        decision = msgspec.structs.replace(self._decision("proposal"), peer=row.peer)
        answers = await self._core().foresee([build_intent(row, decision)])
        return next((answer for answer in answers if answer.verdict is Verdict.DENIED), None)

    async def _withdraw(self, peer: Peer, key: str) -> None:
        proposals = self._core().proposals
        if proposals is None or not proposals.withdraw(key, peer.name):
            raise ProtocolError(f"withdraw: {clean(key, 40)!r} is no proposal of {peer.name} that waits")

    async def _ask_mandate(self, peer: Peer, wanted: AskMandate) -> MandateAnswer:
        """Show a program's request for a mandate to the trader, and return the answer."""
        mandates = self._core().mandates
        if mandates is None:
            raise ProtocolError("the engine is in another process")
        terms = msgspec.structs.asdict(wanted)
        _check_figures(
            "ask_mandate", **{name: terms[name] for name in ("order_value", "position_value", "traded_value", "loss")}
        )
        now, wait = self._clock.mono(), terms.pop("wait")
        terms["reason"] = clean(wanted.reason, MOST_REASON)
        row = MandateRow(peer=peer.name, since=now, expires=now + wait, **terms)
        if why := mandates.why_not(row):
            raise ProtocolError(f"ask_mandate: {why}")
        self._check_pace(peer, "ask_mandate")
        answer = (await mandates.ask(row)).answer
        return MandateAnswer(
            answer=answer.value, mandate=mandates.find(peer.name) if answer is Answer.GRANTED else None
        )

    async def _withdraw_mandate(self, peer: Peer, _: dict[str, object]) -> None:
        """Withdraw the program's pending request for a mandate; a mandate already granted stays valid."""
        if (mandates := self._core().mandates) is not None:
            mandates.withdraw(peer.name)

    # Orders within the mandate

    async def _place(self, peer: Peer, wanted: PlaceOrder) -> Outcome:
        terms = wanted.order
        _check_figures("place", qty=terms.qty, price=terms.price)
        return await self._send(
            peer, wanted, lambda: build_place(terms, self._decision("place"), confirmed=ANSWERED_BY_MANDATE)
        )

    async def _replace(self, peer: Peer, wanted: ReplaceOrder) -> Outcome:
        _check_figures("replace", price=wanted.price, qty=wanted.qty)

        def build() -> Replace:
            decision = self._decision("replace")
            return Replace(
                decision=decision, key=wanted.key, price=wanted.price, qty=wanted.qty, confirmed=ANSWERED_BY_MANDATE
            )

        return await self._send(peer, wanted, build)

    async def _cancel(self, peer: Peer, wanted: CancelOrder) -> Outcome:
        return await self._send(peer, wanted, lambda: Cancel(decision=self._decision("cancel"), key=wanted.key))

    async def _send(self, peer: Peer, wanted: Command, build: Callable[[], Intent]) -> Outcome:
        """Execute a program's command within its mandate; a question by the risk gate is returned as a denial.

        Raises:
            ProtocolError: Too much of the program was denied lately.
        """
        now = self._clock.mono()
        if left := self._denied.wait_s(peer.name, MOST_DENIED, now):
            raise ProtocolError(
                f"{MOST_DENIED} denials within {DENIED_WITHIN_S:g} s; nothing is taken for {left:.1f} s"
            )
        outcome = deny_question(await self._send_once(peer, wanted, build))
        if outcome.verdict is Verdict.DENIED:
            self._denied.note(peer.name, now)
        return outcome

    def _check_pace(self, peer: Peer, method: str) -> None:
        """Count a program's request to the trader; refuse it if this program, or all together, asked too often lately.

        Raises:
            ProtocolError: It asked too often lately.
        """
        now = self._clock.mono()
        if left := self._asked.wait_s(peer.name, MOST_ASKED, now):
            raise ProtocolError(
                f"{method}: {MOST_ASKED} requests within {ASKED_WITHIN_S:g} s; nothing is taken for {left:.1f} s"
            )
        # A program that comes again under other names asks the same trader.
        if left := self._asked.wait_s(ALL, MOST_ASKED_IN_ALL, now):
            raise ProtocolError(
                f"{method}: {MOST_ASKED_IN_ALL} requests of all programs within {ASKED_WITHIN_S:g} s; nothing is taken for"
                f" {left:.1f} s"
            )
        self._asked.note(peer.name, now)
        self._asked.note(ALL, now)

    def _decision(self, source: str) -> Decision:
        status = self._status()
        return Decision.of(status, source)


def deny_question(outcome: Outcome) -> Outcome:
    """Convert an outcome for a program: a question by the risk gate becomes a denial, as no trader can answer it."""
    if outcome.verdict is not Verdict.ASK:
        return outcome
    text = f"{outcome.text}; or propose it to the trader, who can confirm it"
    return msgspec.structs.replace(outcome, verdict=Verdict.DENIED, text=text)


def _check_figures(method: str, **figures: str) -> None:
    """Check that figures are numbers above 0.

    Raises:
        ProtocolError: One is not.
    """
    for name, text in figures.items():
        if not positive(text):
            raise ProtocolError(f"{method}: {name} {clean(text, 40)!r} is no number above 0, such as '0.01'")
