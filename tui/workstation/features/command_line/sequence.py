"""Sequence of requests of one line: each waits for the evidence of the one before, and the first without it ends all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import Level
from tui.workstation.command_line.outlook import Request, build_command, judge_evidence
from tui.workstation.commands.context import Context
from tui.workstation.commands.order_outcome import report_outcome

EVIDENCE_S = 10.0
"""Seconds that a request has for its evidence before the sequence ends."""


class RequestSequence:
    """Run of the requests of one line."""

    def __init__(self, context: Context, canonical: str, requests: Sequence[Request]) -> None:
        self._context = context
        self._canonical = canonical
        self._requests = requests
        self._next = 0
        self._waits: list[tuple[int, str, float]] = []
        """Requests without evidence yet: number, row key of the order (empty: no answer yet), deadline."""
        self.ended = False

    def start(self) -> None:
        """Send the first request, and those beside it."""
        self._context.followers.append(self._follow)
        self._advance()

    def _advance(self) -> None:
        """Send requests until one has to wait for the evidence of another."""
        while not self.ended and self._next < len(self._requests):
            request = self._requests[self._next]
            if self._waits and not request.beside:
                return
            self._next += 1
            self._send(self._next - 1, request)
        if not self.ended and not self._waits:
            count = len(self._requests)
            self._end(f"{f'all {count} steps done' if count > 1 else 'done'}: {self._canonical}")

    def _send(self, number: int, request: Request) -> None:
        context = self._context
        reason = context.not_armed_reason()
        if reason and not request.cancels:
            self._fail(number, reason)
            return
        decision = context.build_decision(f"command {self._canonical}")
        self._waits.append((number, request.cancels, context.clock.mono() + EVIDENCE_S))
        answer = partial(self._handle_outcome, number)
        context.submit(build_command(request, decision, context.view, self._canonical), answer)

    def _handle_outcome(self, number: int, outcome: Outcome | None) -> None:
        """Take the answer of a request: only an acceptance goes on."""
        if outcome is not None and outcome.verdict is not Verdict.ACCEPTED:
            report_outcome(self._context, outcome)
        if self.ended:
            return
        if outcome is None or outcome.verdict is not Verdict.ACCEPTED:
            why = outcome.text if outcome is not None else "no answer"
            self._fail(number, f"{why} ({outcome.verdict.value})" if outcome is not None else why)
            return
        request = self._requests[number]
        key = request.cancels or outcome.key
        if request.cancels or request.fills or (request.ticket is not None and request.ticket.order is not None):
            self._waits = [(at, key if at == number else known, until) for at, known, until in self._waits]
            self._follow()
        else:
            self._settle(number)

    def _follow(self) -> None:
        """Look for evidence in the rows that have arrived."""
        if self.ended:
            return
        orders, now = self._context.mirror.orders, self._context.clock.mono()
        for number, key, until in list(self._waits):
            order = orders.get(key)
            verdict = judge_evidence(self._requests[number], order) if order is not None else None
            if verdict is None and now > until:
                verdict = f"no evidence within {EVIDENCE_S:.0f} s"
            if verdict == "":
                self._settle(number)
            elif verdict is not None:
                self._fail(number, verdict)
                return

    def _settle(self, number: int) -> None:
        self._waits = [wait for wait in self._waits if wait[0] != number]
        self._advance()

    def _fail(self, number: int, why: str) -> None:
        left = len(self._requests) - self._next
        not_sent = f"; {left} later steps were not sent" if left else ""
        self._end(f"step {number + 1} ({self._requests[number].text}): {why}{not_sent}", Level.ALERT)

    def _end(self, text: str, level: Level = Level.INFO) -> None:
        self.ended = True
        self._context.followers.remove(self._follow)
        self._context.say(text, level)
