"""Probe that checks whether the terminal reads its output: it answers a query only after everything written before.

A full kernel buffer shows it late: a quiet screen fills it slowly, and an ssh connection or a paused window may buffer
much more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from tui.workstation.terminal.output_window import OutputWindow

QUERY = "\x1b[6n"
"""Cursor position report: answered by all terminals, and Textual tells the answer from a key."""

ANSWER_S = 1.0
"""Delay of an answer beyond the previous one from which the picture counts as too old to act on; the same bound as for
keys where that is higher."""
LAST_ANSWER_S = 0.25
"""Delay allowed for the last answer, which must not reach the shell after exit."""


class TerminalProbe:
    """Queries to one terminal and their answers; a terminal that has never answered does not count as silent.

    The screen's thread asks and the reading thread records the answer, so an answer is known before the keys after it.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        now: Callable[[], float],
        key_max_age_s: float = 0.0,
        written: Callable[[], int] = lambda: 0,
    ) -> None:
        """Initialize without a pending query.

        Args:
            write: Writes to the terminal after everything drawn.
            now: Monotonic seconds.
            key_max_age_s: Highest age of a key that sends, s.
            written: Number of bytes written to the terminal so far.
        """
        self._window = OutputWindow(written)
        self._write = write
        self._now = now
        self._limit = max(ANSWER_S, key_max_age_s)
        self._asked: float | None = None
        """Time of the oldest unanswered query."""
        self._answer = threading.Event()
        self._answers = False
        self._round_trip = 0.0

    def ask(self) -> None:
        """Send a query; while an earlier one is pending, only repeat it if its answer is overdue or none ever came."""
        if self._asked is None:
            self._answer.clear()
            self._window.note_query()
            self._asked = self._now()
            self._write(QUERY)
        elif self.silent_s or not self._answers:
            self._write(QUERY)

    def note_answer(self) -> None:
        """Record the terminal's answer: a report of its cursor position."""
        asked = self._asked
        if asked is not None:
            self._answers = True
            after = self._now() - asked
            self._round_trip = min(after, self._limit)
            self._window.note_answer(after)
        self._answer.set()
        self._asked = None  # must be last: from here on the other thread may ask again

    def follow_output(self) -> None:
        """Query the terminal after much output, and a slow terminal after each frame; its answers pace the frames."""
        self._window.note_write(self._now())
        if self._asked is None and self._window.wants_query:
            self.ask()

    @property
    def line_speed(self) -> float:
        """Speed of the connection to the terminal, bytes/s; infinite unless it is known to be slow."""
        return self._window.speed

    @property
    def frame_pause_s(self) -> float:
        """Time that the next frame must wait to leave a slow connection free for keys and own orders, s."""
        return self._window.frame_pause_s(self._now())

    def is_full(self) -> bool:
        """Return whether so much output is on the way to a slow terminal that the next frame must wait for its answer."""
        asked = self._asked
        return asked is not None and self._window.is_full(self._now() - asked)

    @property
    def silent_s(self) -> float:
        """Seconds since a query whose answer is overdue; 0 while answers are in time, or if none ever came."""
        asked = self._asked
        if asked is None or not self._answers:
            return 0.0
        waited = self._now() - asked
        return waited if waited > self._limit + self._round_trip else 0.0

    def await_last_answer(self) -> None:
        """Wait briefly for a pending answer at the end, because later nothing removes it from the input."""
        if self._asked is not None and self._answers and not self.silent_s:
            self._answer.wait(min(self._round_trip, ANSWER_S) + LAST_ANSWER_S)
