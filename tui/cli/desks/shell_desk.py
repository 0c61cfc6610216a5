"""Desk of a shell command: an engine without a screen, its rows, and waits that end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import click

from tui.crossdesk_error import CrossdeskError
from tui.desk_protocol.remote_engine import RemoteEngine
from tui.engine.intents import Outcome, Verdict

if TYPE_CHECKING:
    from tui.engine.intents import Intent
    from tui.engine.life.thread import EngineThread
    from tui.settings import Config
    from tui.workstation.model.display_context import DisplayContext
    from tui.workstation.model.mirror import Mirror

R = TypeVar("R")

READY_S = 30.0
"""Longest wait for the account and the quotes that a command needs, s."""
SILENT_S = 6.0
"""Longest time for which the desk that holds the account may be silent, s."""
ANSWER_S = 30.0
"""Longest wait for the answer of an engine that is heard of, s."""
TOLD_S = 3.0
"""Time after which a wait says what it waits for, s."""
POLL_S = 0.02
SILENT = "the desk that holds this account does not answer; see whether it is stopped, or end it and try again"


class NotDone(CrossdeskError):
    """Error for a command whose desk does not answer or whose request cannot be carried out; the text says why."""

    title = "Not done"
    exit_code = 2


class ShellDesk:
    """Engine of one shell command without a screen, and the view of the rows that it publishes."""

    def __init__(self, engine: EngineThread, view: DisplayContext) -> None:
        self.engine = engine
        self.view = view
        self._heard = view.clock.mono()
        """When the desk that holds the account was last attached to, monotonic s."""

    def wait(self, reached: Callable[[], bool], what: str, seconds: float) -> None:
        """Apply the engine's row updates until `reached` returns true; fail after `seconds`.

        Raises:
            NotDone: It was not within the time, the engine has stopped, or the desk that holds the account is silent.
        """
        if not self.poll(reached, seconds, what):
            raise NotDone(f"{what} did not arrive within {seconds:.0f} s")

    def poll(self, reached: Callable[[], bool], seconds: float, what: str = "") -> bool:
        """Apply the engine's row updates until `reached` returns true; return False if it does not within `seconds`.

        Args:
            reached: Whether the wait is over.
            seconds: Longest wait, s.
            what: What it waits for, which is said where it takes long; empty: nothing is said.

        Raises:
            NotDone: The engine has stopped, or the desk that holds the account is silent.
        """
        clock = self.view.clock
        until, pause, told = clock.mono() + seconds, threading.Event(), not what
        while True:
            self.view.mirror.apply(self.engine.updates.take())
            if reached():
                return True
            self.check()
            if clock.mono() > until:
                return False
            if not told and clock.mono() > until - seconds + TOLD_S:
                told = True
                click.echo(f"crossdesk: waiting for {what}, for {seconds:g} s at most", err=True)
            pause.wait(POLL_S)

    def check(self) -> None:
        """Check that the engine still runs, and that the desk it is attached to, if any, is not silent.

        Raises:
            NotDone: The engine has stopped, or the desk that holds the account is silent.
        """
        if self.engine.failure:
            raise NotDone(self.engine.failure)
        if self._is_silent():
            raise NotDone(SILENT)

    def _is_silent(self) -> bool:
        core, now = self.engine.core, self.view.clock.mono()
        if not isinstance(core, RemoteEngine) or core.is_attached:
            self._heard = now
        return now - self._heard > SILENT_S

    def foresee(self, intents: Sequence[Intent]) -> tuple[Outcome, ...]:
        """Return the risk gate's expected answer to each intent now, sending nothing; empty if it is unknown.

        Raises:
            NotDone: The desk that holds the account is silent.
        """
        return self._answer(self.engine.foresee(intents)) or ()

    def submit(self, intent: Intent) -> Outcome:
        """Send an intent and return its outcome; without an answer in time the outcome is unknown."""
        try:
            outcome = self._answer(self.engine.submit(intent))
        except NotDone as lost:
            return Outcome(verdict=Verdict.UNKNOWN, text=f"{lost}; it may have been sent")
        return outcome or Outcome(verdict=Verdict.UNKNOWN, text=f"no answer within {ANSWER_S:.0f} s")

    def _answer(self, future: Future[R]) -> R | None:
        return future.result() if self.poll(future.done, ANSWER_S) else None


@contextmanager
def open_desk(profile: str | None, config: Config, *, name: str, looks_only: bool) -> Iterator[ShellDesk]:
    """Start an engine without a screen, wait until it has read the account and pairs, and yield it for the block.

    Args:
        profile: Name of a configured service; None: the paper venue.
        config: Configuration.
        name: Name by which the desk that holds the account knows this command.
        looks_only: Whether nothing is to be sent.

    Raises:
        NotDone: The account does not come into step.
    """
    from tui.cli.launcher import open_engine
    from tui.host import HostClock
    from tui.workstation.model.display_context import DisplayContext
    from tui.workstation.model.mirror import Mirror

    with open_engine(profile, config, name=name, looks_only=looks_only) as engine:
        view = DisplayContext(Mirror(HostClock()), HostClock(), config.workstation)
        desk = ShellDesk(engine, view)
        engine.start()
        desk.wait(lambda: _is_in_step(view.mirror), "the account", READY_S)
        yield desk


def _is_in_step(mirror: Mirror) -> bool:
    """Return whether the account is in step with the service now, and the pairs are known."""
    status = mirror.engine_status
    return status is not None and status.synced and bool(mirror.symbols)
