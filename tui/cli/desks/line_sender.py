"""Sender of one order line from the shell: what the gate would answer, the question of the desk, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec

from tui.cli.desks.shell_desk import NotDone, ShellDesk
from tui.engine.intents import GUARD_JOINT, Decision, Outcome, Verdict
from tui.engine.rows import AlgoRow, OrderRow
from tui.engine.state.closing_orders import list_stops
from tui.interface.decimals import positive
from tui.interface.families.positions import PositionRecord
from tui.workstation.command_line.grammar.syntax import Cancel
from tui.workstation.command_line.outlook import LineOutlook
from tui.workstation.command_line.requests import (
    Request,
    asks_once,
    build_command,
    list_requests,
    mark_line,
    name_requests,
)
from tui.workstation.features.command_line.asked_market import AskedMarket
from tui.workstation.features.command_line.evidence import EVIDENCE_S, awaits_evidence, judge_evidence
from tui.workstation.features.command_line.foreseen import (
    Foreseen,
    allow_closes_of_openings,
    describe_outcomes,
    expect_venue_refusals,
)
from tui.workstation.features.trading.kill_plan import (
    count_spared,
    describe_attached,
    describe_bare,
    find_unprotected_legs,
    list_attached,
)
from tui.workstation.model.algo_figures import why_unknown
from tui.workstation.tickets.order.protection import BadProtection
from tui.workstation.tickets.order.ticket_factory import follow_position

WITH_ORDER = "it ended with its order"
SETTLE_S = 2.0
"""Longest wait for what became of orders that were accepted, s."""
NOT_BY_YES = frozenset(["UNKNOWN_PENDING", "UNKNOWN_BESIDE", "BELOW_FILLED"])
"""Guards whose question `--yes` does not answer: the order might exist twice, or end instead of changing."""
INTERRUPTED = "interrupted; it may have been sent"


class Sent(NamedTuple):
    """Request of an order line that was sent, with its outcome and the resulting state of its order."""

    request: Request
    outcome: Outcome
    state: str = ""
    """State of its order, where it is known."""
    is_void: bool = False
    """Whether the order was accepted and ended without a fill."""
    order: OrderRow | None = None
    """Order that it has placed or changed, where some of it was filled."""


class LineSender:
    """Sender of all requests of one order line, in their order, for the command `do`."""

    def __init__(self, desk: ShellDesk, outlook: LineOutlook) -> None:
        self._desk = desk
        self._outlook = outlook
        self.requests = list_requests(outlook)
        self._sent: list[Sent] = []
        self._mark = ""
        """Mark that all orders of the line bear; empty while none is sent."""
        self._waits: list[int] = []
        """Numbers of sent requests without evidence yet."""
        self.stopped = ""
        """Why the rest of the line was not sent; empty: it was, or what failed says it."""
        self._attached: dict[str, list[AlgoRow]] = {}
        """Stops and targets that end with each order that the line cancels, as they were before it was sent."""
        self._bared: list[PositionRecord] = []
        """Positions that the line leaves without their stop, as they were before it was sent."""

    def foresee(self) -> tuple[Outcome, ...]:
        """Return the risk gate's expected answer to each request now, sending nothing; empty if it is unknown."""
        decision, view = self._decide(), self._desk.view
        try:
            intents = [build_command(request, decision, view, self._outlook.canonical) for request in self.requests]
        except BadProtection as error:
            raise NotDone(str(error)) from None
        return tuple(allow_closes_of_openings(self.requests, dict(enumerate(self._desk.foresee(intents)))).values())

    def ask(self, foreseen: Foreseen) -> list[str]:
        """Return the text lines of the confirmation that the whole order line needs; empty if none is needed.

        Stops and targets are sent as they stand there.
        """
        if not asks_once(self._outlook):
            return []
        status, count = self._desk.view.mirror.engine_status, len(self.requests)
        assert status is not None
        market = AskedMarket(dict(enumerate(self.requests)), count, self._desk.view, foreseen)
        named = [*market.name_requests(), *market.sum_up()]
        self.requests = market.fix_exits(self.requests)
        steps = self._outlook.steps
        return [
            f"{name_requests(self.requests)} of portfolio {status.account_name} ({status.environment.value})",
            *(line.forms[0] for line in named),
            *(text for step in steps for text in (step.note, step.left) if text),
            *self.list_spared(),
            *foreseen.refusals,
            *foreseen.asks,
        ]

    def list_spared(self) -> list[str]:
        """Describe which stops and targets end or stay if a line cancels several orders, and which positions lose theirs."""
        mirror = self._desk.view.mirror
        commands = (step.command for step in self._outlook.steps)
        scope = next((command.scope for command in commands if isinstance(command, Cancel) and command.scope), None)
        if scope is None:
            return []
        if why_unknown(mirror):
            return ["stops and targets are not cancelled: how many is not known now"]
        ending = self._list_ending()
        stays = count_spared(scope.name, ending, mirror) if scope.word in ("bids", "asks") else []
        # A line that ends algo orders by themselves names them.
        names_algos = any(request.cancels_algo for request in self.requests)
        ends = [] if names_algos else [describe_attached(ending, self._desk.view)]
        bare = self._list_still_bare() if self._sent else self.list_bared()
        return [text.removeprefix("; ") for text in (*ends, *stays, describe_bare(bare, self._desk.view)) if text]

    def _list_attached(self) -> dict[str, list[AlgoRow]]:
        """List, by order key, the stops and targets attached to each order that the line cancels."""
        mirror = self._desk.view.mirror
        orders = [mirror.orders[request.cancels] for request in self.requests if request.cancels in mirror.orders]
        return {order.key: list_attached([order], mirror) for order in orders}

    def _list_ending(self) -> list[AlgoRow]:
        """List stops and targets that end with the orders the line cancels; after sending, those that ended with them."""
        if not self._sent:
            return [row for rows in self._list_attached().values() for row in rows]
        orders = self._desk.view.mirror.orders
        ended = {key for key in self._attached if key not in orders or _has_ended_unfilled(orders[key])}
        return [row for key, rows in self._attached.items() if key in ended for row in rows]

    def list_bared(self) -> list[PositionRecord]:
        """List the positions that would have no stop left after the line's cancels of algo orders."""
        mirror, ended = self._desk.view.mirror, {request.cancels_algo for request in self.requests}
        return find_unprotected_legs([row for row in mirror.algos.values() if row.key in ended], mirror)

    def _list_still_bare(self) -> list[PositionRecord]:
        """List those positions of `_bared` that have no stop left after what was sent and accepted."""
        ended = {sent.request.cancels_algo for sent in self._sent if sent.outcome.verdict is Verdict.ACCEPTED}
        algos = [row for row in self._desk.view.mirror.algos.values() if row.key not in ended]
        return [leg for leg in self._bared if not list_stops(leg, algos)]

    def describe(self, outcomes: Sequence[Outcome]) -> Foreseen:
        """Combine the risk gate's expected outcomes with refusals expected from the venue."""
        by_venue = expect_venue_refusals(self.requests, self._desk.view)
        return describe_outcomes(dict(enumerate(outcomes)), len(self.requests), by_venue)

    def send(self, *, yes: bool, foreseen: Foreseen) -> list[Sent]:
        """Send the requests up to the first that fails, also those joined by `&`; those of one cancel or close all go out.

        Args:
            yes: Whether what the gate asks is confirmed.
            foreseen: What the question named, which is confirmed with it.
        """
        self._mark = mark_line(self.requests, self._desk.view)
        self._attached, self._bared = self._list_attached(), self.list_bared()
        try:
            self._send_each(foreseen, yes=yes)
            self._settle()
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        return self._sent

    def _send_each(self, foreseen: Foreseen, *, yes: bool) -> None:
        for number, request in enumerate(self.requests):
            if self._has_failed() and not request.regardless:
                break
            if not (request.beside or self._wait_for_evidence()):
                break
            self._sent.append(Sent(request, Outcome(verdict=Verdict.UNKNOWN, text=INTERRUPTED)))
            outcome = self._await_end(request)
            if outcome is None:
                outcome = self._submit_confirmed(request, foreseen.guards.get(number, frozenset()) if yes else None)
            self._sent[number] = Sent(request, outcome)
            if outcome.verdict is Verdict.ACCEPTED and awaits_evidence(request):
                self._waits.append(number)

    def _await_end(self, request: Request) -> Outcome | None:
        """Wait for a stop or target to end with its cancelled order; return None if it needs a cancel of its own."""
        attached, rows = self._attached.items(), self._desk.view.mirror.orders
        parents = {key for key, algos in attached if any(algo.key == request.cancels_algo for algo in algos)}
        taken = {sent.request.cancels for sent in self._sent if sent.outcome.verdict is Verdict.ACCEPTED}
        if not request.cancels_algo or not parents & taken:
            return None
        with suppress(NotDone):
            self._desk.poll(lambda: all(key not in rows or rows[key].final for key in parents), SETTLE_S)
        if request.cancels_algo not in self._list_ended_keys():
            return None
        return Outcome(verdict=Verdict.ACCEPTED, key=request.cancels_algo, text=WITH_ORDER)

    def _list_ended_keys(self) -> set[str]:
        """Return the keys of the stops and targets that have ended with the orders cancelled by the line."""
        return {row.key for row in self._list_ending()}

    def _submit_confirmed(self, request: Request, named: frozenset[str] | None) -> Outcome:
        """Send a request and confirm the questions in `named` and later ones that `--yes` may answer; None confirms none."""
        if named is None:
            return self._submit(request, frozenset())
        outcome = self._submit(request, confirmed := named - NOT_BY_YES)
        if outcome.verdict is not Verdict.ASK:
            return outcome
        asked = frozenset(outcome.guard.split(GUARD_JOINT))
        if asked & NOT_BY_YES:
            return msgspec.structs.replace(outcome, text=f"{outcome.text}; only a desk can confirm this")
        return self._submit(request, confirmed | asked)

    def _decide(self) -> Decision:
        status = self._desk.view.mirror.engine_status
        assert status is not None
        return Decision.of(status, f"crossdesk do {self._outlook.canonical}")

    def _submit(self, request: Request, confirmed: frozenset[str]) -> Outcome:
        view, canonical, ticket = self._desk.view, self._outlook.canonical, request.ticket
        if ticket is not None and ticket.order is not None and (row := view.mirror.orders.get(ticket.order.key)):
            request = msgspec.structs.replace(request, ticket=ticket.follow_order(row))
        if ticket is not None and ticket.part is not None:
            request = msgspec.structs.replace(request, ticket=follow_position(ticket, view))
        try:
            command = build_command(request, self._decide(), view, canonical, confirmed, self._mark)
        except BadProtection as error:  # the market has moved since the line was read
            return Outcome(verdict=Verdict.DENIED, guard="TICKET", text=str(error))
        return self._desk.submit(command)

    def _has_failed(self) -> bool:
        return any(sent.outcome.verdict is not Verdict.ACCEPTED for sent in self._sent)

    # What became of it

    def _row(self, number: int) -> OrderRow | None:
        request, outcome = self._sent[number][:2]
        return self._desk.view.mirror.orders.get(request.cancels or outcome.key)

    def _judge(self, number: int) -> str | None:
        row = self._row(number)
        return judge_evidence(self._sent[number].request, row) if row is not None else None

    def _wait_for_evidence(self) -> bool:
        """Wait until the requests sent before are seen to take effect; return False if one failed or does not in time."""
        waits, self._waits = self._waits, []
        verdicts: dict[int, str | None] = {}

        def is_judged() -> bool:
            verdicts.update({number: self._judge(number) for number in waits})
            return None not in verdicts.values()

        try:
            self._desk.poll(is_judged, EVIDENCE_S)
        except NotDone as lost:
            verdicts.update({number: str(lost) for number in waits if verdicts.get(number) is None})
        for verdict in verdicts.values():
            why = f"no evidence within {EVIDENCE_S:.0f} s" if verdict is None else verdict
            if why:
                self.stopped = why
        return not (self.stopped or self._has_failed())

    def _settle(self) -> None:
        """Wait shortly for the final states of the accepted requests' orders, and record states and fills in `_sent`."""
        accepted = [number for number, sent in enumerate(self._sent) if sent.outcome.verdict is Verdict.ACCEPTED]
        with suppress(NotDone):  # they were accepted; what else is known stands in their rows
            self._desk.poll(lambda: all(self._is_settled(number) for number in accepted), SETTLE_S)
        ended_by_line = {request.cancels for request in self.requests}
        for number in accepted:
            row = self._row(number)
            if row is not None and row.key in ended_by_line and not row.unsure:
                self._sent[number] = _note_cancel(self._sent[number], row)
            elif row is not None:
                noted = _note_end(self._sent[number], row)
                is_filled = positive(row.filled) is not None and not noted.request.cancels
                self._sent[number] = noted._replace(order=row if is_filled else None)
        ended = self._list_ended_keys()
        for number, sent in enumerate(self._sent):
            if sent.outcome.verdict in (Verdict.DENIED, Verdict.REJECTED) and sent.request.cancels_algo in ended:
                # Its order was cancelled before it by the same line.
                self._sent[number] = sent._replace(outcome=_say(sent, Verdict.ACCEPTED, WITH_ORDER))

    def _is_settled(self, number: int) -> bool:
        request, row = self._sent[number].request, self._row(number)
        if request.algo is not None or request.cancels_algo:
            return True
        if row is None or (row.is_behind_fills and not request.cancels):
            return False  # average price and fee come with its next record
        return judge_evidence(request, row) is not None


def _has_ended_unfilled(order: OrderRow) -> bool:
    return order.final and positive(order.filled) is None


def _note_cancel(sent: Sent, row: OrderRow) -> Sent:
    """Return the request with the order's state; an accepted cancel of an order that has not ended is an unknown outcome."""
    if row.final or not sent.request.cancels:
        return sent._replace(state=row.state_word)
    text = "the cancel was accepted, and the order has not ended yet"
    return sent._replace(outcome=_say(sent, Verdict.UNKNOWN, text), state=row.state_word)


def _note_end(sent: Sent, row: OrderRow) -> Sent:
    """Return the request with its order's state, and what happened if it failed, ended unfilled or is of unknown outcome."""
    state = row.state_word
    if row.unsure:
        text = "the outcome is not known yet; the orders of the desk show it"
        return sent._replace(outcome=Outcome(verdict=Verdict.UNKNOWN, key=row.key, text=text), state=state)
    if not row.final or row.state == "FILLED":
        return sent._replace(state=state)
    reason = f": {row.reason}" if row.reason else ""
    if positive(row.filled) is not None:
        text = f"filled {row.filled} of {row.qty}, then it ended{reason}"
        return sent._replace(outcome=_say(sent, Verdict.ACCEPTED, text), state=state)
    if row.failed:
        return sent._replace(outcome=_say(sent, Verdict.REJECTED, row.reason or state), state=state)
    return sent._replace(outcome=_say(sent, Verdict.ACCEPTED, f"nothing was filled{reason}"), state=state, is_void=True)


def _say(sent: Sent, verdict: Verdict, text: str) -> Outcome:
    return Outcome(verdict=verdict, key=sent.outcome.key, text=text)
