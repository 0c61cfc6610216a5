"""Sequence of requests of one line: asked about, then each waits for the evidence of the one before.

The first without it ends all. What the gate asks at a step is asked again, for that step and the later ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

import msgspec

from tui.engine.event_line import Level
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import OrderRow
from tui.interface.decimals import positive
from tui.interface.families.orders import OrderState
from tui.interface.text import how_many
from tui.workstation.command_line.order_descriptions import describe_algo, describe_ticket
from tui.workstation.command_line.order_plan import describe_turns
from tui.workstation.command_line.outlook import LineOutlook
from tui.workstation.command_line.requests import (
    Request,
    build_command,
    explain_exits,
    explain_outdated,
    list_requests,
    mark_line,
    name_requests,
)
from tui.workstation.commands.desk_context import DeskContext
from tui.workstation.commands.order_outcome import report_outcome
from tui.workstation.features.command_line.asked_market import AskedMarket
from tui.workstation.features.command_line.evidence import EVIDENCE_S, awaits_evidence, judge_evidence
from tui.workstation.features.command_line.foreseen import Foreseen, describe_outcomes, foresee
from tui.workstation.render.named_lines import NamedLine
from tui.workstation.tickets.order import refusals, ticket_factory
from tui.workstation.tickets.order.terms import ENDS_AT_ONCE
from tui.workstation.widgets.question import Option, Question

NOT_SENT = "not sent"
PROGRESS_S = 1.0
"""Time after which it is said how many requests were accepted, and least time between two such lines, s."""
_WORDS = {Verdict.DENIED: NOT_SENT, Verdict.REJECTED: "rejected", Verdict.UNKNOWN: "outcome unknown"}
"""What became of a request that was not accepted, by verdict."""


def _pin(texts: Sequence[str]) -> list[NamedLine]:
    """Return named lines that stay visible when the list of a question is scrolled."""
    return [NamedLine((text,), pinned=True) for text in texts]


def _tell_sent(request: Request, order: OrderRow | None) -> str:
    """Say in words what became of a request that was sent, such as `filled`, to stand after a count."""
    ticket = request.ticket
    if order is None or not order.final:
        # Its fill may come behind the refusal of the next one.
        ends = ticket is not None and (ticket.at_market or (ticket.order is None and ticket.tif in ENDS_AT_ONCE))
        return "sent" if ends or order is None else "working"
    if request.cancels:
        return "cancelled"
    if order.state == OrderState.FILLED:
        return "filled"
    is_filled = positive(order.filled) is not None
    return f"ended with {order.filled} of {order.qty} filled" if is_filled else "ended unfilled"


class RequestSequence:
    """Execution of the requests of a command line, one after the other, with a question first."""

    def __init__(self, context: DeskContext, outlook: LineOutlook) -> None:
        """Initialize; nothing is sent before the question of `ask` is answered with yes.

        Args:
            context: Rows, questions and requests of the desk.
            outlook: Line with what it would send.
        """
        self._context = context
        self._canonical = outlook.canonical
        self._requests = list_requests(outlook)
        self._notes = [step.note for step in outlook.steps if step.note]
        """What else happens."""
        self._left = [step.left for step in outlook.steps if step.left]
        """What the line leaves as it is although it is about it; asked with it, and said at the end."""
        self._mark = ""
        """Mark that all orders of the line bear; empty while none is sent."""
        self._next = 0
        self._confirmed: dict[int, frozenset[str]] = {}
        """Checks whose question was shown and answered, by number of the request."""
        self._asked: list[tuple[int, Outcome]] = []
        """Requests that the gate asks about, the first in an open question."""
        self._waits: list[tuple[int, str, float]] = []
        """Requests without evidence yet: number, row key of the order (empty: no answer yet), deadline."""
        self._denied: set[int] = set()
        """Numbers of the requests that the gate was foreseen to refuse."""
        self._refused: set[int] = set()
        """Numbers of the requests that are refused, or probably, until their outcome is handled."""
        self._settled = ""
        """Row key of the newest order that has done what was asked for."""
        self._accepted: dict[int, str] = {}
        """Row keys of the orders of the requests that were accepted, by number of the request."""
        self._told_at = 0.0
        """Monotonic time at which it was last said how many those are, s; at first that of the answer."""
        self.ended = False
        self._kills = 0
        """Kills that were known when the question was answered; a later one ends the line."""

    def expect_refusal(self) -> str:
        """Return why the line is refused without a question, as no answer could send anything; empty if it is not."""
        self._renew_requests()
        return self._explain_refusal(foresee(self._context, self._canonical, self._requests))

    def _explain_refusal(self, foreseen: Foreseen) -> str:
        why = foreseen.why_refused(self._requests)
        return f"{NOT_SENT}: {why}; {self._canonical}" if why else ""

    def ask(self, changes: Sequence[str] = ()) -> None:
        """Ask a single question that names all requests, including what the order checks would ask; `y` sends them.

        It is asked again if meanwhile an order that was to rest would take, or the market moved too far; and not at all
        if no answer could send anything.

        Args:
            changes: What changed since the question before.
        """
        self._renew_requests()
        context, requests = self._context, self._requests
        foreseen = foresee(context, self._canonical, requests)
        market = self._note_market(range(len(requests)), foreseen)
        if why := self._explain_refusal(foreseen):
            context.refuse(why)
            return

        def build() -> Question:
            again = [f"asked again because {'; '.join(changes)}"] if changes else []
            asks = (self._canonical, *self._left, *again, *market.list_changes(), *foreseen.asks)
            return Question(
                kind="line",
                title=f"{name_requests(requests)} of {context.portfolio_text}",
                choices=(Option("send", " · ".join(asks)),),
                named=(*self._name_lines(foreseen, market), *_pin(self._notes)),
                ended=self._explain_end(range(len(requests))),
            )

        def answer(chosen: str | None) -> None:
            if chosen is None:
                return
            now = foresee(context, self._canonical, self._requests)
            if changed := [*market.list_changes(), *now.list_new_refusals(foreseen)]:
                self.ask(changed)
            else:
                self._requests = market.fix_exits(self._requests)
                self._start(foreseen)

        context.prompt(build(), answer, build, by_key=not changes)

    def _name_lines(self, foreseen: Foreseen, market: AskedMarket, first: int = 0) -> tuple[NamedLine, ...]:
        """Name what the answer of a question is about: obstacles, refusals, each request from `first` on, and their sums."""
        refusals = _pin(foreseen.refusals)
        return (*self._name_obstacle(), *refusals, *market.name_requests(first), *market.sum_up())

    def _name_obstacle(self) -> list[NamedLine]:
        """Name what would keep the desk from sending the orders if the question were answered now, such as a lost link."""
        ticket = next((request.ticket for request in self._requests if request.ticket is not None), None)
        refusal = refusals.check_desk(ticket, self._context.view) if ticket is not None else None
        return _pin([f"nothing would be sent now: {refusal.text}"]) if refusal is not None else []

    def _explain_end(self, numbers: Sequence[int]) -> str:
        """Return why a question about these requests must close: order or position ended or changed side; else empty."""
        asked = [self._requests[number] for number in numbers]
        voids = ((at, explain_outdated(request, self._context.view)) for at, request in enumerate(asked))
        return Foreseen(denied={at: why for at, why in voids if why}).why_refused(asked)

    def _follow_rows(self) -> None:
        """Update replaces by the present fills of their orders, and closes by the present size of their positions."""
        requests = []
        for request in self._requests:
            ticket = request.ticket
            order = self._context.mirror.orders.get(ticket.order.key) if ticket and ticket.order else None
            followed = ticket_factory.follow_position(ticket, self._context.view) if ticket is not None else None
            if ticket is not None and order is not None:
                followed = ticket.follow_order(order)
            if followed is not None and followed != ticket:
                request = msgspec.structs.replace(request, ticket=followed, text=describe_ticket(followed))
            requests.append(request)
        self._requests = requests

    def _renew_requests(self) -> None:
        """Update the requests from the rows, and describe again what orders that reverse a position close and open."""
        self._follow_rows()
        numbers = [at for at, request in enumerate(self._requests) if request.ticket is not None]
        if any(request.whole for request in self._requests):
            return
        tickets = [ticket for request in self._requests if (ticket := request.ticket) is not None]
        for number, effect in zip(numbers, describe_turns(tickets, self._context.view), strict=True):
            self._requests[number] = msgspec.structs.replace(self._requests[number], effect=effect)

    def _note_market(self, numbers: Iterable[int], foreseen: Foreseen) -> AskedMarket:
        """Record the market at which the given requests are asked about."""
        requests = {number: self._requests[number] for number in numbers}
        return AskedMarket(requests, len(self._requests), self._context.view, foreseen)

    def _start(self, foreseen: Foreseen) -> None:
        """Send the first request and those joined to it by `&`, after the trader's yes."""
        self._kills = self._context.kills
        self._confirm(foreseen)
        self._mark = mark_line(self._requests, self._context.view)
        self._told_at = self._context.clock.mono()
        self._context.followers.append(self._follow)
        self._advance()

    def _confirm(self, foreseen: Foreseen) -> None:
        self._denied |= foreseen.denied.keys()
        for number, guards in foreseen.guards.items():
            self._confirmed[number] = self._confirmed.get(number, frozenset()) | guards

    def _ask_again(self, changes: Sequence[str] = ()) -> None:
        """Ask the trader what an order check asked while the line was sent, and what the later steps would be asked."""
        self._follow_rows()
        context, (number, outcome), count = self._context, self._asked[0], len(self._requests)
        later = foresee(context, self._canonical, self._requests, self._next)
        now = describe_outcomes({number: outcome}, count)
        market = self._note_market([number, *range(self._next, count)], later)
        rest = f"; then {how_many(count - self._next, 'later step')}" if self._next < count else ""

        def build() -> Question:
            sends = f"send {self._requests[number].text}{rest}"
            asks = (sends, *changes, *market.list_changes(), *now.asks, *later.asks)
            return Question(
                kind="line",
                title=f"Step {number + 1} of {count} asks, {context.portfolio_text}",
                choices=(Option("send", " · ".join(asks)),),
                named=self._name_lines(later, market, self._next),
                ended="the line of commands has ended" if self.ended else self._explain_end([number]),
            )

        def answer(chosen: str | None) -> None:
            if chosen is not None and not self.ended and (changed := market.list_changes()):
                self._ask_again(changed)
                return
            self._asked.pop(0)
            if self.ended:
                return
            if chosen is None:
                self._fail(number, f"not confirmed: {outcome.text}")
                return
            self._requests = market.fix_exits(self._requests)
            self._confirm(now)
            self._confirm(later)
            self._send(number, self._requests[number])
            if self._asked:
                self._ask_again()
            else:
                self._advance()

        context.prompt(build(), answer, build, by_key=False)

    def _advance(self) -> None:
        """Send requests until one must wait, for an earlier one's effect or for the answer to a question.

        What the gate refuses at once ends the line, also where `&` joins the next one to it.
        """
        while not (self.ended or self._asked) and self._next < len(self._requests):
            request = self._requests[self._next]
            if (self._waits and not request.beside) or (self._refused and not request.regardless):
                return
            self._next += 1
            self._send(self._next - 1, request)
        if not (self.ended or self._waits or self._asked):
            self._end("; ".join((self._describe_done(), *self._left)), Level.WARN if self._left else Level.INFO)

    def _describe_done(self) -> str:
        """Say that the line is done: for a single stop or target as its row now reads, for a single order with its fill."""
        count, algo, view = len(self._requests), self._requests[0].algo, self._context.view
        if count > 1:
            return f"all {count} steps done: {self._canonical}"
        if algo is not None:
            return f"done: {describe_algo(algo, self._context.mirror) or self._canonical}"
        order = self._context.mirror.orders.get(self._settled)
        if order is None or order.state != OrderState.FILLED or order.is_behind_fills:
            return f"done: {self._canonical}"
        filled = f"filled {view.quantity(order.sym, order.filled)} at {view.price(order.sym, order.average)}"
        return f"done: {self._canonical}: {filled}"

    def _send(self, number: int, request: Request) -> None:
        context = self._context
        reason = "a kill came meanwhile" if context.kills != self._kills else context.not_armed_reason()
        if reason and not request.cancels:
            self._fail(number, f"{NOT_SENT}: {reason}")
            return
        void = refusals.why_void(request.ticket, context.view) if request.ticket is not None else ""
        if void := void or explain_exits(request, context.view):
            self._fail(number, f"{NOT_SENT}: {void}")
            return
        decision = context.build_decision(f"command {self._canonical}")
        self._waits.append((number, request.cancels, context.clock.mono() + EVIDENCE_S))
        answer = partial(self._handle_outcome, number)
        confirmed = self._confirmed.get(number, frozenset())
        command = build_command(request, decision, context.view, self._canonical, confirmed, self._mark)
        known = context.submit(command, answer, by_answer=True)
        is_refused = number in self._denied if known is None else known.verdict is not Verdict.ACCEPTED
        if is_refused:
            self._refused.add(number)

    def _handle_outcome(self, number: int, outcome: Outcome) -> None:
        """Handle the outcome of a request: continue if it was accepted, ask if it is a question, else stop."""
        self._refused.discard(number)
        if outcome.verdict is Verdict.ASK and not self.ended:
            self._waits = [wait for wait in self._waits if wait[0] != number]
            self._asked.append((number, outcome))
            if len(self._asked) == 1:
                self._ask_again()
            return
        if outcome.verdict is not Verdict.ACCEPTED:
            report_outcome(self._context, outcome)
        if self.ended:
            return
        if outcome.verdict is not Verdict.ACCEPTED:
            self._fail(number, f"{_WORDS[outcome.verdict]}: {outcome.text}")
            return
        request = self._requests[number]
        key = self._accepted[number] = request.cancels or outcome.key
        self._tell_progress()
        if awaits_evidence(request):
            self._waits = [(at, key if at == number else known, until) for at, known, until in self._waits]
            self._follow()
            self._advance()
        else:
            self._settle(number)

    def _tell_progress(self) -> None:
        """Say how many requests were accepted so far, at most every PROGRESS_S seconds."""
        done, count, now = len(self._accepted), len(self._requests), self._context.clock.mono()
        if done < count and now - self._told_at >= PROGRESS_S:
            self._told_at = now
            self._context.say(f"{done} of {count} sent: {self._canonical}")

    def _follow(self) -> None:
        """Check the order rows for the effect of the awaited requests; missing evidence in time is a failure."""
        if self.ended:
            return
        orders, now = self._context.mirror.orders, self._context.clock.mono()
        for number, key, until in list(self._waits):
            order = orders.get(key)
            verdict = judge_evidence(self._requests[number], order) if order is not None else None
            if verdict is None and now > until:
                verdict = f"no evidence within {EVIDENCE_S:.0f} s"
            if verdict == "":
                self._settled = key
                self._settle(number)
            elif verdict is not None:
                self._fail(number, verdict)
                return

    def _settle(self, number: int) -> None:
        self._waits = [wait for wait in self._waits if wait[0] != number]
        self._advance()

    def _fail(self, number: int, why: str) -> None:
        """End the sequence with a message: what became of the other steps, then which step failed and why."""
        which = f"step {number + 1} of {len(self._requests)}: " if len(self._requests) > 1 else ""
        self._end(f"{self._describe_others(number)}{which}{why}; {self._requests[number].text}", Level.ALERT)

    def _describe_others(self, number: int) -> str:
        """Say how many of the other steps were not sent, and what became of those that were.

        A request on its way counts as sent: what does not become an order has an event of its own.
        """
        unsent = {asked for asked, _ in self._asked} | set(range(self._next, len(self._requests)))
        not_sent = len(unsent - {number})
        counts = Counter(["not sent"] * not_sent)
        for at in set(range(len(self._requests))) - unsent - {number}:
            order = self._context.mirror.orders.get(self._accepted.get(at, ""))
            counts[_tell_sent(self._requests[at], order)] += 1
        texts = list[str]()
        for word, count in counts.items():
            texts.append(f"{count if texts else how_many(count, 'other')} {word}")
        return f"{', '.join(texts)}: " if texts else ""

    def _end(self, text: str, level: Level = Level.INFO) -> None:
        self.ended = True
        if self._follow in self._context.followers:
            self._context.followers.remove(self._follow)
        self._context.say(text, level)
