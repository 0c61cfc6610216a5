"""Context of whoever trades at a desk, with or without a screen: engine port, rows, questions, sending and messages."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tui.engine.event_line import EventLine, Level
from tui.engine.modes import BY_YOU, Environment, RiskMode, TradingState
from tui.interface.text import clean, how_many
from tui.workstation.model.display_context import describe_failure
from tui.workstation.model.event_levels import find_warnings_to_clear
from tui.workstation.model.event_log import ALERT_CAUSE

if TYPE_CHECKING:
    from tui.engine.intents import AccountCommand, Decision, Intent, Outcome
    from tui.engine.port import EnginePort
    from tui.interface.request import CommandRequest
    from tui.workstation.model.display_context import DisplayContext
    from tui.workstation.model.event_levels import Stay
    from tui.workstation.widgets.question import Question

log = logging.getLogger("tui.workstation")

RECENT = 5
"""Newest events that are searched for an answer before it is reported again."""
NO_ANSWER = "the engine did not reply; check the orders"
BY_KILL = "closed unsent, HALT"
"""Beginning of the line about what a kill has closed; whose kill, and what that was, stand behind it: a long line is cut."""
AFTER_KILL = "KILL"
"""Guard name of an order or command whose question came after a kill."""


def read_outcome(done: Future[Outcome]) -> Outcome:
    """Return the outcome of an intent; UNKNOWN if the engine failed or ended before it answered."""
    from tui.engine.intents import Outcome, Verdict

    if done.cancelled() or done.exception() is not None:
        return Outcome(verdict=Verdict.UNKNOWN, text=NO_ANSWER)
    return done.result()


def refuse_late_question(outcome: Outcome) -> Outcome:
    """Change an outcome that comes after a kill so that nothing is asked: a question becomes a denial."""
    import msgspec

    from tui.engine.intents import Verdict
    from tui.engine.symbol_rules import CHANGED_RULES

    if outcome.verdict is Verdict.ASK:
        text = f"nothing was sent: the question came after the kill: {outcome.text}"
        return msgspec.structs.replace(outcome, verdict=Verdict.DENIED, guard=AFTER_KILL, text=text)
    if outcome.guard == CHANGED_RULES:
        return msgspec.structs.replace(outcome, guard="")
    return outcome


class DeskContext(ABC):
    """State and services that orders, cancels and questions need of a desk."""

    how_to_resume = "⟦mode.choose⟧"
    how_to_cancel = "⟦kill.open⟧ or ⟦cancel.scope⟧"
    cause = "key"
    """What causes a request, for the journal."""

    def __init__(self, port: EnginePort, view: DisplayContext) -> None:
        self.port = port
        self.view = view
        self.clock = view.clock
        self.settings = view.settings
        self.mirror = view.mirror
        self.key = ""
        """Key or line that is being handled, for the journal."""
        self.failures = 0
        """Number of internal errors of this desk."""
        view.report_failure = self.report_failure
        self._called: set[str] = set()
        """Venues whose account was last seen in a margin call or worse."""
        self.followers: list[Callable[[], None]] = []
        """Callbacks after each batch of changed rows."""
        self.kills = 0
        """Kills that this desk knows of; one of its own counts again once the engine tells of it."""
        self._told_kills: int | None = None
        """Kills that the engine has told of; None before its first status."""

    @property
    def environment(self) -> Environment:
        engine_status = self.mirror.engine_status
        return engine_status.environment if engine_status is not None else Environment.PAPER

    @property
    def source(self) -> str:
        """Key or line that is being handled, as the cause of a request in the journal."""
        return f"{self.cause} {self.key}"

    def not_armed_reason(self) -> str:
        """Return why no order can be sent because trading is not armed, or an empty text."""
        return self.view.why_not_armed()

    def build_decision(self, source: str = "") -> Decision:
        """Build the decision record of an intent: environment, portfolio and trading state as shown now.

        Args:
            source: What caused the request; empty: the present key or line.
        """
        from tui.engine.intents import Decision

        engine_status = self.mirror.engine_status
        return Decision(
            environment=self.environment,
            portfolio=engine_status.portfolio if engine_status is not None else "",
            state=engine_status.trading_state if engine_status is not None else TradingState.VIEW,
            source=source or self.source,
        )

    def command(self, request: CommandRequest, title: str, preview: str = "") -> AccountCommand:
        """Build an account command with the decision record of the current key press.

        Args:
            request: Request to send.
            title: Description of its effect for the trader.
            preview: Figures shown on the screen, for the journal.
        """
        from tui.engine.intents import build_account_command

        return build_account_command(request, self.build_decision(), title, preview)

    @property
    def portfolio_text(self) -> str:
        """Portfolio name and environment, as shown in prompts."""
        engine_status = self.mirror.engine_status
        name = engine_status.account_name if engine_status is not None else "?"
        return f"portfolio {name} ({self.environment.value})"

    def foresee(self, intents: Sequence[Intent]) -> tuple[Outcome, ...]:
        """Return what the engine's order checks would answer to each intent now; empty if that is not known at once."""
        done = self.port.foresee(intents)
        return done.result() if done.done() and done.exception() is None else ()

    def foresee_one(self, intent: Intent) -> Outcome | None:
        """Return what the engine's checks would answer to an intent now; None if that is not known at once."""
        return next(iter(self.foresee([intent])), None)

    # Internal errors

    def report_failure(self, where: str, error: Exception) -> str:
        """Log and show an internal error and return the text shown; the desk goes on, because its orders may be live."""
        self.failures += 1
        text = describe_failure(where, error)
        log.error("internal error in %s", where, exc_info=error)
        with suppress(Exception):
            self.say(text, Level.ALERT, unless=text)
        return text

    @contextmanager
    def contain_errors(self, where: str) -> Iterator[None]:
        """Report an exception raised in the `with` block, and suppress it."""
        try:
            yield
        except Exception as error:
            self.report_failure(where, error)

    # Margin calls

    def follow_calls(self) -> None:
        """Tell the trader, when the last margin call has ended, that risk mode REDUCING stays and how to leave it."""
        from tui.interface.families.positions import AccountStatus

        statuses = {venue: fact.record.account_status for venue, fact in self.mirror.accounts.items()}
        ended = {venue for venue in self._called if statuses.get(venue) == AccountStatus.NORMAL}
        self._called -= ended
        self._called |= {venue for venue, word in statuses.items() if word not in ("", AccountStatus.NORMAL)}
        status = self.mirror.engine_status
        if ended and not self._called and status is not None and status.risk_mode is RiskMode.REDUCING:
            leave = self.view.how_to_leave_mode
            self.say(f"the margin is NORMAL again; the risk mode is still REDUCING; to leave it: {leave}", Level.WARN)

    # Warnings

    def clear_warnings(self) -> tuple[list[tuple[EventLine, str]], str]:
        """Clear shown warnings; return each with its text, and a summary such as `cleared: 2 warnings; 1 more waits`."""
        mirror = self.mirror
        cleared = find_warnings_to_clear(mirror.event_log.sticky, mirror.engine_status)
        mirror.event_log.clear_warnings(cleared.lines)
        # Over a cut link the engine says that it will tell again.
        for cause in sorted({event.cause for event in cleared.lines if event.keepable}):
            self.port.dismiss(cause)
        left = len(mirror.event_log.sticky)
        more = f"; {left} more {'waits' if left == 1 else 'wait'}" if left else ""
        seen = [(event, f"kept: {event.text}" if cleared.kept else event.text) for event in cleared.lines]
        return seen, f"{cleared.choose_word('cleared', 'kept')}: {how_many(len(seen), 'warning')}{more}"

    # Kills

    def follow_kills(self) -> None:
        """Close questions, forms and tickets when the engine reports a new kill, by this desk or another."""
        status = self.mirror.engine_status
        if status is None:
            return
        before, self._told_kills = self._told_kills, status.kills
        if before is not None and status.kills > before:
            self.drop_for_kill(by_key=False)

    def drop_for_kill(self, *, by_key: bool = True) -> None:
        """Close everything that could still send, and say in one line what was closed.

        Args:
            by_key: Whether the kill was confirmed here, by the present key or line.
        """
        self.kills += 1
        if names := self.close_unsent():
            status = self.mirror.engine_status
            by = BY_YOU if by_key or status is None else status.killed_by
            self.report_closed(f"{BY_KILL}{f' {by}' if by else ''}: {', '.join(names)}", by_key=by_key)

    @abstractmethod
    def close_unsent(self) -> list[str]:
        """Close the questions, forms and tickets that could still send, except a kill prompt; return their names."""

    @abstractmethod
    def report_closed(self, text: str, *, by_key: bool) -> None:
        """Show what a kill has closed; unless the kill was confirmed here, ignore keys still typed for it."""

    def hear_outcome(self, on_outcome: Callable[[Outcome], None]) -> Callable[[Outcome], None]:
        """Wrap an outcome callback so that after a kill it gets no outcome that asks a question."""
        kills = self.kills

        def hear(outcome: Outcome) -> None:
            on_outcome(outcome if self.kills == kills else refuse_late_question(outcome))

        return hear

    def submit_and_read(self, intent: Intent, deliver: Callable[[Future[Outcome]], None]) -> Outcome | None:
        """Submit an intent to the engine with a callback; return the outcome if known at once (as a denial), else None."""
        done = self.port.submit(intent)
        done.add_done_callback(deliver)
        return read_outcome(done) if done.done() else None

    @abstractmethod
    def submit(
        self, intent: Intent, on_outcome: Callable[[Outcome], None], *, by_answer: bool = False
    ) -> Outcome | None:
        """Submit an intent to the engine; return its outcome where that is known at once, None where it is not.

        Args:
            intent: Intent to send.
            on_outcome: Called later with the outcome; UNKNOWN when the engine gave no answer.
            by_answer: Whether an earlier accepted answer confirmed it, as a later step of a question.
        """

    @abstractmethod
    def prompt(
        self,
        question: Question,
        answer: Callable[[str | None], None],
        renew: Callable[[], Question] | None = None,
        *,
        by_key: bool = True,
    ) -> None:
        """Ask a question; `answer` gets the id of the confirmed choice, or None if it closes without one.

        Args:
            question: Question to ask.
            answer: Callback for the answer.
            renew: Rebuild the question while it is open, for one with counts that can change.
            by_key: Whether the present key or line opens it and must not answer it; False when the engine caused it.
        """

    def say(
        self,
        text: str,
        level: Level = Level.INFO,
        key: str = "",
        unless: str = "",
        stay: Stay | None = None,
        kind: str = "",
        *,
        unsure: bool = False,
        sticky: bool = False,
        by_alert: str = "",
    ) -> None:
        """Add an event line of the desk itself, not of the engine.

        Args:
            text: One sentence; it names the key of an action by its id in brackets.
            level: Severity.
            key: Row key of the order concerned.
            unless: Text that suppresses the line if one of the newest lines contains it: the engine reports answers too.
            unsure: The outcome of the order is unknown; the line is settled once the outcome is known.
            stay: How long it stays among the newest; None: an alert until it is pushed out, others while they are news.
            sticky: Whether it is shown until the trader clears it.
            kind: What warnings in a row have in common that make one line with their count; empty: the whole text.
            by_alert: Line of the alert that says it, which the trader has set; empty: none does.
        """
        text = clean(self.view.name_keys(text))
        if unless and any(unless in event.text for _, event in list(self.mirror.event_log.events)[-RECENT:]):
            return
        wall_ms = int(self.clock.wall() * 1000)
        event = EventLine(
            wall_ms=wall_ms, level=level, text=text, key=key, unsure=unsure, sticky=sticky, by_alert=bool(by_alert),
            cause=by_alert and f"{ALERT_CAUSE}{by_alert}",
        )  # fmt: skip
        self.mirror.event_log.add(event, kind)
        self.show_event(event, stay)

    @abstractmethod
    def show_event(self, event: EventLine, stay: Stay | None) -> None:
        """Show the newest event, which the desk itself added.

        Args:
            event: Event.
            stay: How long it stays among the newest; None: as its severity says.
        """

    @abstractmethod
    def refuse(self, text: str) -> None:
        """Tell the trader why a key or line did nothing."""

    @abstractmethod
    def end_hot(self, why: str) -> None:
        """Return from HOT to ARMED."""

    @abstractmethod
    def unmark(self, pane: str) -> None:
        """Remove the trader's marks from all rows of a pane."""

    @abstractmethod
    def leave(self) -> None:
        """End the program."""
