"""Whether the terminal reads what is drawn: it is asked, and its answer says that it has read all that came before.

A full kernel buffer alone says so late: a quiet screen needs long to fill it, and what is behind it (a connection, a
window that is held) may take much more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

QUERY = "\x1b[6n"
"""Where is the cursor: terminals have answered it for forty years, and textual knows the answer from a key."""

ANSWER_S = 1.0
"""An answer that takes so much longer than the one before: what is seen is older than anybody should act on. Where keys
may be older, so may that."""
LAST_ANSWER_S = 0.25
"""The same for the last one, which must not reach the shell behind the program."""


class TerminalProbe:
    """The questions to one terminal and when they were answered. One that has never answered is never called silent.

    Asked by the thread of the screen, answered by the one that reads keys: an answer is known before the keys behind it.
    """

    def __init__(self, write: Callable[[str], None], now: Callable[[], float], key_max_age_s: float = 0.0) -> None:
        """
        Args:
            write: Writes to the terminal behind everything that was drawn.
            now: Monotonic seconds.
            key_max_age_s: How old a key may be that sends, s.
        """
        self._write = write
        self._now = now
        self._limit = max(ANSWER_S, key_max_age_s)
        self._asked: float | None = None
        """When the oldest question without an answer was asked."""
        self._answer = threading.Event()
        self._answers = False
        self._round_trip = 0.0

    def ask(self) -> None:
        """Ask, unless an answer is still on its way; one that may be lost is asked for again."""
        if self._asked is None:
            self._answer.clear()
            self._asked = self._now()
            self._write(QUERY)
        elif self.silent_s or not self._answers:
            self._write(QUERY)

    def answered(self) -> None:
        """The terminal has said where its cursor is."""
        asked = self._asked
        if asked is not None:
            self._answers = True
            self._round_trip = min(self._now() - asked, self._limit)
        self._answer.set()
        self._asked = None  # as the last: from here on the other thread may ask again

    @property
    def silent_s(self) -> float:
        """Seconds since a question whose answer is overdue; 0 while the terminal answers in time, or never did."""
        asked = self._asked
        if asked is None or not self._answers:
            return 0.0
        waited = self._now() - asked
        return waited if waited > self._limit + self._round_trip else 0.0

    def await_last_answer(self) -> None:
        """Wait a moment for an answer that is on its way; behind it nobody takes it out of the keys any more."""
        if self._asked is not None and self._answers and not self.silent_s:
            self._answer.wait(min(self._round_trip, ANSWER_S) + LAST_ANSWER_S)
