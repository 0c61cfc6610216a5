"""Loop of plain mode: typed lines, outcomes and new rows in their order, until quit, the end of input or a signal."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tui.engine.event_line import EventLine
from tui.engine.intents import CancelAll, Outcome
from tui.engine.modes import TradingState
from tui.interface.text import clean
from tui.workstation.features.trading.left_at_venue import describe_left_at_venue
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.quote_attention import Attention
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.plain.announcer import Announcer, Loudness
from tui.workstation.plain.context import PlainContext
from tui.workstation.plain.first_sync import LONGEST_WAIT_S
from tui.workstation.plain.input_lines import InputLines, ReadLine
from tui.workstation.plain.line_runner import LineRunner
from tui.workstation.plain.speech import speak
from tui.workstation.terminal.signals import Signals

if TYPE_CHECKING:
    from tui.engine.port import EnginePort
    from tui.workstation.commands.launcher_services import Practice

LOOK_S = 0.05
"""Seconds between two looks at new rows."""
PREFERENCES_S = 1.0
"""Seconds between two looks at the preferences of the home."""
LAST_CANCEL_S = 1.5
"""Longest wait for the cancel that the setting `always` asks for when the terminal is lost, s."""
SIGNALLED = 128
Write = Callable[[str], bool]
"""Writes a line; False once nobody reads any more."""


class PlainDesk:
    """Desk without a screen: it reads typed lines and prints lines."""

    def __init__(
        self,
        port: EnginePort,
        view: DisplayContext,
        write: Write,
        preferences: ScreenPreferences,
        practices: Callable[[], Sequence[Practice]] = tuple,
        read_changed: Callable[[], bytes | None] = lambda: None,
    ) -> None:
        self._port = port
        self._preferences, self._read_changed = preferences, read_changed
        self._looked_at = view.now
        """Monotonic time of the newest look at the preferences, s."""
        self._view = view
        self._write = write
        self._wake = threading.Event()
        self.context = PlainContext(port, view, self._say, self._say_exactly)
        self.context.wake = self._wake.set
        self._announcer = Announcer(self._say)
        self._lines = LineRunner(self.context, self._announcer, preferences, practices)
        self._attention = Attention(view.mirror.quotes, port.attend)
        self._watched: frozenset[str] = frozenset()
        self._state: TradingState | None = None
        self._held: ReadLine | None = None
        """Line of a pipe that waits until the account is known; those behind it wait, too."""
        self.wait_until: float | None = None
        """Until when lines may wait, monotonic s; None: they do not, as at a terminal."""
        self.is_piped = False
        """Whether lines come from a pipe, faster than they take effect."""
        self._lost = False
        """Whether nobody reads what is printed."""

    def _say(self, text: str) -> None:
        self._put(speak(text))

    def _say_exactly(self, text: str) -> None:
        """Print a text literally, without turning it into speech, because it shows what to type."""
        self._put(clean(text))

    def _put(self, line: str) -> None:
        """Write a line to the output as it is; note when the output is lost."""
        if line and not self._lost and not self._write(line):
            self._lost = True

    def _follow_preferences(self) -> None:
        """Load alerts, aliases and kept pairs that another window has stored; at most once a second."""
        if self._view.now - self._looked_at < PREFERENCES_S:
            return
        self._looked_at = self._view.now
        if (stored := self._read_changed()) is not None:
            self._preferences.take_shared(stored)

    def run(self, descriptor: int) -> int:
        """Read lines from a descriptor until the desk is left; return the exit code."""
        reader = InputLines(descriptor, self._view.clock, self._wake.set)
        signals = Signals(lambda: None, lambda: None)  # the loop looks at them itself
        signals.install()
        before = signal.signal(signal.SIGINT, self._note_interrupt)
        self._say("plain mode: type help for the words")
        self.is_piped = not os.isatty(descriptor)
        if self.is_piped:
            self.wait_until = self._view.now + LONGEST_WAIT_S
        reader.start()
        try:
            while not self.context.has_left:
                self._wake.wait(LOOK_S)
                self._wake.clear()
                self.take_rows()
                self._follow_preferences()
                self._take_input(reader)
                if signals.received or self._lost or self._is_over(reader):
                    self._leave_unasked()
                    break
        finally:
            signals.uninstall()
            signal.signal(signal.SIGINT, before)
        for line in describe_left_at_venue(self._view).splitlines():
            self._say(line)
        return SIGNALLED + signals.received if signals.received else 0

    def _note_interrupt(self, number: int, frame: object) -> None:
        """Handle Ctrl+C: queue a call for the main loop that drops open questions; nothing else ends."""
        del number, frame
        self.context.calls.put(("", self._interrupt))

    def _interrupt(self) -> None:
        if self.context.questions:
            self.context.drop_questions("interrupted")
        else:
            self._say("interrupted: nothing was open; quit ends the desk")

    def take_rows(self) -> None:
        """Apply new rows and outcomes of the engine to the mirror, and print what happened."""
        context, mirror = self.context, self._view.mirror
        batch = self._port.updates.take()
        mirror.apply(batch)
        context.follow_kills()
        self._tell_in_order(batch.events)
        context.follow_calls()
        for follow in list(context.followers):
            follow()
        context.expire_questions()
        symbols = frozenset(mirror.symbols)
        if symbols != self._watched:
            self._watched = symbols
            self._port.watch(tuple(sorted(symbols)))
        held = (fact.record.sym for fact in mirror.positions.values())
        mirror.quotes.note((*held, *(order.sym for order in mirror.working())))
        self._attention.follow(self._view.now)

    def _tell_in_order(self, events: list[EventLine]) -> None:
        """Handle outcomes and print events in order: an outcome right after the first event of its order."""
        while not self.context.calls.empty():
            key, call = self.context.calls.get()
            answered = next((at for at, event in enumerate(events, 1) if key and event.key == key), 0)
            self._announcer.announce(events[:answered])
            events = events[answered:]
            call()
        self._announcer.announce(events)
        self._follow_state()

    def _follow_state(self) -> None:
        """Print the trading state when it changes, unless an event that is printed says so."""
        status = self._view.mirror.engine_status
        state = status.trading_state if status is not None else None
        if state is not None and state is not self._state:
            if status is not None and status.read_only and not status.portfolio:
                return  # it is not attached yet to the desk that holds the account, through which it may trade
            first, self._state = self._state is None, state
            if first and status is not None:
                self._say(status.read_only or "nothing is sent until you type arm")
            elif self._announcer.loudness is not Loudness.ALL:
                self._say(f"state {state.value}")

    def _is_over(self, reader: InputLines) -> bool:
        """Return whether the input has ended and all its lines are carried out."""
        return reader.ended.is_set() and reader.lines.empty() and self._held is None

    def _take_input(self, reader: InputLines) -> None:
        while not self.context.has_left:
            line, self._held = self._held, None
            if line is None and not reader.lines.empty():
                line = reader.lines.get()
            if line is None or self.hold(line):
                return
            self.take_line(line)

    def hold(self, line: ReadLine) -> bool:
        """Hold back a piped line until the account is known and the previous line's change has come; return True if so.

        Both wait at most for a time. Returns whether it is kept.
        """
        if self.is_piped and self._lines.is_changing():
            self._held = line
            return True
        if self.wait_until is None or not self._lines.must_wait(line.text):
            return False
        if self._view.now >= self.wait_until:
            self._say(f"not in sync with the venue after {LONGEST_WAIT_S:.0f} s: lines are carried out all the same")
            self.wait_until = None
            return False
        self._held = line
        return True

    def take_line(self, line: ReadLine) -> None:
        """Carry out a typed line; an internal error ends that line and not the desk."""
        with self.context.contain_errors("a typed line; look at the orders"):
            self._lines.run_line(line)

    def _leave_unasked(self) -> None:
        """End without a question; if `cancel_all_on_quit` is `always`, cancel the orders that can open positions."""
        context = self.context
        context.drop_questions("the desk ends")
        if context.settings.cancel_all_on_quit != "always":
            return
        lost = "terminal lost"
        decision = context.build_decision(lost)
        cancel = CancelAll(decision=decision, kill=True, spare_closing=True, reason=lost)
        done = threading.Event()

        def note(outcome: Outcome) -> None:
            if outcome.text:
                self._say(clean(outcome.text))
            done.set()

        context.submit(cancel, note)
        until = self._view.now + LAST_CANCEL_S
        while not done.is_set() and self._view.now < until:
            self._wake.wait(LOOK_S)
            self._wake.clear()
            self.take_rows()
