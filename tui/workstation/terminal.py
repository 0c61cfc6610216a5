"""The terminal below the screen: whether it keeps up, whether it is still there, and how to give it back.

The few private names of textual that are needed stand here, each behind one function with a test.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from textual.app import App

RESTORE = (
    "\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[?2048l"
    "\x1b[?7h\x1b[0m\x1b[?25h\x1b[?1049l"
)
"""Everything the driver may have switched on, switched off; ends on the main screen with a cursor."""


def writer_backlog(app: App[Any]) -> int:
    """Frames that have not left for the terminal yet; 0 where there is no writer thread (tests)."""
    writer = getattr(getattr(app, "_driver", None), "_writer_thread", None)
    queue = getattr(writer, "_queue", None)
    return int(queue.qsize()) if queue is not None else 0


def stdin_is_terminal() -> bool:
    """Whether somebody can still type."""
    try:
        return sys.__stdin__ is not None and os.isatty(sys.__stdin__.fileno())
    except (OSError, ValueError):
        return False


class Terminal:
    """Remembers the modes of the terminal before the screen starts, and restores them without blocking."""

    def __init__(self) -> None:
        self._modes: list[Any] | None = None
        with contextlib.suppress(Exception):
            import termios

            self._modes = termios.tcgetattr(0)

    def restore(self, last_words: str = "") -> None:
        """Give the terminal back, also when it does not read and the driver cannot.

        Args:
            last_words: Written after it, where it can be.
        """
        with contextlib.suppress(Exception):
            import termios

            if self._modes is not None:
                termios.tcsetattr(0, termios.TCSANOW, self._modes)
        say_without_waiting(RESTORE + last_words)


def say_without_waiting(text: str) -> None:
    """Write to the terminal as far as it takes text at once; a terminal that does not read loses it."""
    for stream in (1, 2):
        with contextlib.suppress(Exception):
            if text and os.isatty(stream):
                _write(stream, text.encode())
                return


def _write(stream: int, data: bytes) -> None:
    """Write without ever waiting for a reader; what a terminal that does not read cannot take is lost."""
    blocking = os.get_blocking(stream)
    os.set_blocking(stream, False)
    try:
        os.write(stream, data)
    finally:
        os.set_blocking(stream, blocking)
