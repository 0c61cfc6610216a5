"""Foreseen answers of the gate to the requests of a question, in words, before the trader answers it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from tui.engine.intents import GUARD_JOINT, Outcome, Verdict
from tui.workstation.command_line.requests import Request, build_command, explain_exits
from tui.workstation.commands.desk_context import DeskContext
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.tickets.order.position import explain_nothing_to_close, opens_position_of

LEG_EMPTY = "LEG_EMPTY"
"""Guard that refuses a close of nothing."""
EXITS = "TICKET"
"""Name for the reason that stop or target would trigger at once: the order is not built."""
JOIN_AS_NEXT = " when & sends it; behind ; it waits for that position"
MOST_TEXTS = 6
"""Questions of the gate that one question names; the gate asks the others when their step is sent."""


class Foreseen(msgspec.Struct, frozen=True):
    """Forecast of how the engine's order checks would answer a line's requests now, with expected venue refusals."""

    asks: tuple[str, ...] = ()
    """Questions that an answer to the question confirms too, each with its steps."""
    refusals: tuple[str, ...] = ()
    """Steps that the desk or the venue would refuse now."""
    guards: Mapping[int, frozenset[str]] = {}
    """Names of the checks whose question is among `asks`, by number of the request."""
    denied: Mapping[int, str] = {}
    """Why the gate would refuse a request now, by its number: it ends the line."""
    rejected: frozenset[int] = frozenset()
    """Numbers of the requests that the venue would refuse now."""

    def why_refused(self, requests: Sequence[Request]) -> str:
        """Return why the line is refused without a question; empty if it may be asked about.

        None of its requests would be sent, or one would be refused of a command that must not be sent in part.
        """
        if requests and len(self.list_unsent(dict(enumerate(requests)))) == len(requests):
            return self.denied[0]
        return next((text for number, text in self.denied.items() if requests[number].whole), "")

    def list_unsent(self, requests: Mapping[int, Request]) -> frozenset[int]:
        """List the numbers of the requests that would not be sent: those that the gate refuses, and those after the first.

        The others of its command are sent, if that cancels or closes several.
        """
        unsent, is_cut, has_ended = set[int](), False, False
        for number, request in requests.items():
            is_cut = is_cut if request.regardless else has_ended
            if is_cut or number in self.denied:
                unsent.add(number)
            has_ended = has_ended or number in self.denied
        return frozenset(unsent)

    def list_new_refusals(self, before: Foreseen) -> list[str]:
        """List the steps that the gate would refuse now and would not have refused in the forecast `before`."""
        return [f"step {number + 1} would be refused now" for number in self.denied if number not in before.denied]


def foresee(context: DeskContext, canonical: str, requests: Sequence[Request], first: int = 0) -> Foreseen:
    """Forecast how the order checks would answer the requests of a line from number `first` on, and the venue's refusals."""
    decision = context.build_decision(f"command {canonical}")
    later = dict(list(enumerate(requests))[first:])
    void = {number: why for number, request in later.items() if (why := explain_exits(request, context.view))}
    sent = [number for number in later if number not in void]
    intents = [build_command(later[number], decision, context.view, canonical) for number in sent]
    answers = dict(zip(sent, context.foresee(intents), strict=False))
    denied = {number: Outcome(verdict=Verdict.DENIED, guard=EXITS, text=why) for number, why in void.items()}
    outcomes = allow_closes_of_openings(requests, dict(sorted((answers | denied).items())))
    return describe_outcomes(outcomes, len(requests), expect_venue_refusals(requests, context.view))


def allow_closes_of_openings(requests: Sequence[Request], outcomes: Mapping[int, Outcome]) -> dict[int, Outcome]:
    """Return the gate's answers, but accept a close that now finds no position if an earlier order of the line opens it.

    A request joined by `&` does not find it: it is sent before the fills of that order are known.
    """
    answers = dict(outcomes)
    for number, outcome in outcomes.items():
        is_awaited = _awaits_opening(requests, number) if outcome.guard == LEG_EMPTY else None
        if is_awaited:
            answers[number] = Outcome(verdict=Verdict.ACCEPTED)
        elif is_awaited is not None:
            answers[number] = msgspec.structs.replace(outcome, text=f"{outcome.text}{JOIN_AS_NEXT}")
    return answers


def _awaits_opening(requests: Sequence[Request], number: int) -> bool | None:
    """Return whether an order waits for the fills of the one before it that opens its position; None: none opens it."""
    ticket = requests[number].ticket
    if ticket is None:
        return None
    awaited = next((at for at in range(number, 0, -1) if not requests[at].beside), 0)
    tickets = [request.ticket for request in requests[:number]]
    opening = [at for at, other in enumerate(tickets) if other is not None and opens_position_of(other, ticket)]
    return opening[0] < awaited if opening else None


def expect_venue_refusals(requests: Sequence[Request], view: DisplayContext) -> dict[int, str]:
    """Forecast which orders of a line the venue itself would refuse, with the reasons, from present balances and quotes."""
    from tui.workstation.tickets.order.refusals import expect_venue_refusal

    asked = ((number, request.ticket) for number, request in enumerate(requests) if request.ticket is not None)
    expected = (
        (number, expect_venue_refusal(ticket, view, view.mirror.quotes.get(ticket.sym))) for number, ticket in asked
    )
    return {number: why for number, why in expected if why}


def _expect_refusal(request: Request, view: DisplayContext) -> str:
    """Return why an order, stop or target would be refused, by what the rows tell; empty if it would not be."""
    from tui.engine.orders.pre_trade_checks import works_in_view
    from tui.workstation.tickets.order.refusals import expect_refusal

    if request.algo is not None:
        return "" if works_in_view(request.algo) else view.why_not_armed()
    ticket = request.ticket
    return expect_refusal(ticket, view, view.mirror.quotes.get(ticket.sym)) if ticket is not None else ""


def _expect_refusal_in_line(requests: Sequence[Request], number: int, view: DisplayContext) -> str:
    """Return what `_expect_refusal` does, but nothing of a missing position that an awaited order before it opens."""
    why, ticket = _expect_refusal(requests[number], view), requests[number].ticket
    if why and ticket is not None and why == explain_nothing_to_close(ticket, view):
        is_awaited = _awaits_opening(requests, number)
        return "" if is_awaited else why if is_awaited is None else f"{why}{JOIN_AS_NEXT}"
    return why


def expect_refusals(requests: Sequence[Request], view: DisplayContext) -> list[str]:
    """Say which requests of a typed line would be refused now and why, judged by the present rows."""
    steps = group_steps((number, _expect_refusal_in_line(requests, number, view)) for number in range(len(requests)))
    if len(requests) == 1 or any(len(numbers) == len(requests) for numbers in steps.values()):
        return [f"would be refused now: {why}" for why in steps]
    return [f"{name_steps(numbers)} would be refused now: {why}" for why, numbers in steps.items()]


def describe_outcomes(outcomes: Mapping[int, Outcome], count: int, by_venue: Mapping[int, str] = {}) -> Foreseen:
    """Describe the expected answers to requests; equal questions are joined, with the numbers of their steps.

    Args:
        outcomes: Answer of the gate by number of the request.
        count: Requests of the line; the step of a single one is not named.
        by_venue: Why the venue would refuse what the gate passes, by number of the request.
    """
    steps = group_steps(
        (number, outcome.text) for number, outcome in outcomes.items() if outcome.verdict is Verdict.ASK
    )
    shown = dict(list(steps.items())[:MOST_TEXTS])
    denied = {number: outcome.text for number, outcome in outcomes.items() if outcome.verdict is Verdict.DENIED}
    return Foreseen(
        tuple(text if count == 1 else f"{text} ({name_steps(numbers)})" for text, numbers in shown.items()),
        (
            *(f"step {number + 1} would be refused now: {text}" for number, text in denied.items()),
            *(
                f"{'' if count == 1 else f'{name_steps(left)} '}would be refused by the venue now: {text}"
                for text, numbers in group_steps(by_venue.items()).items()
                if (left := [number for number in numbers if number in outcomes and number not in denied])
            ),
        ),
        {
            number: frozenset(outcomes[number].guard.split(GUARD_JOINT))
            for numbers in shown.values()
            for number in numbers
        },
        denied,
        frozenset(number for number in by_venue if number in outcomes and number not in denied),
    )


def group_steps(texts: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    """Group the request numbers by their text; empty texts are left out."""
    steps: dict[str, list[int]] = {}
    for number, text in texts:
        if text:
            steps.setdefault(text, []).append(number)
    return steps


def name_steps(numbers: Sequence[int]) -> str:
    """Name steps by their request numbers, counted from 1: `step 1`, `steps 1, 3`."""
    names = [str(number + 1) for number in numbers]
    return f"step {names[0]}" if len(names) == 1 else f"steps {', '.join(names)}"
