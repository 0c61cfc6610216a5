"""Terminal output state: pending output, loss of the terminal, and its restoration at exit.

The non-public names of Textual needed for it are used here only, each in one tested function.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.filter import NoColor

from tui.workstation.terminal.job_control import must_keep_modes
from tui.workstation.terminal.terminal_writer import TerminalWriter

MODES_OFF = (
    "\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[?2048l"
    "\x1b[?7h\x1b[0m\x1b[?25h"
)
"""Sequences that switch off everything the driver may have switched on."""
RESTORE = MODES_OFF + "\x1b[?1049l"
"""The same plus the return to the main screen; sent twice, it misplaces the cursor on some terminals."""

KEEP_TITLE, OWN_TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""Sequences that save the window title and restore it."""

STILL_S = 0.75
"""Seconds without progress of pending output after which the screen counts as outdated.

Output is pending only when the kernel buffer of a terminal is full; the probe detects it earlier.
"""


def writer_backlog(app: App[Any]) -> tuple[int, int]:
    """Return the numbers of pending and finished writes; zeros if there is no writer thread, as in tests."""
    writer = getattr(getattr(app, "_driver", None), "_writer_thread", None)
    if isinstance(writer, TerminalWriter):
        return writer.waiting, writer.pieces
    queue = getattr(writer, "_queue", None)
    if queue is None:
        return 0, 0
    waiting = int(queue.qsize())
    return waiting, int(queue.unfinished_tasks) - waiting


def count_written(app: App[Any]) -> int:
    """Return the number of bytes written to the terminal; 0 if Textual's own writer writes."""
    writer = getattr(getattr(app, "_driver", None), "_writer_thread", None)
    return writer.bytes if isinstance(writer, TerminalWriter) else 0


class OutputBacklog:
    """Monitor of pending output; while output is stuck, the terminal shows an outdated screen."""

    def __init__(self, backlog: Callable[[], tuple[int, int]], now: Callable[[], float]) -> None:
        """Initialize without pending output.

        Args:
            backlog: Numbers of pending and finished writes.
            now: Monotonic seconds.
        """
        self._backlog = backlog
        self._now = now
        self._left = 0
        self._since: float | None = None
        """Time since which pending output made no progress."""
        self.unseen = 0
        """Number of keys pressed while an old picture was shown."""

    def is_behind(self) -> bool:
        """Return whether output is pending; the next frame then waits.

        Must be called often, because it also records progress.
        """
        waiting, left = self._backlog()
        if not waiting:
            self._since = None
            return False
        if self._since is None or left != self._left:
            self._since, self._left = self._now(), left
        return True

    @property
    def stuck(self) -> bool:
        """Whether output has been pending without progress so long that the visible screen is too old to act on."""
        return self.is_behind() and self._since is not None and self._now() - self._since > STILL_S


WITHOUT_COLOURS = frozenset(["dumb", "unknown"])
"""Values of TERM for terminals without colours."""


def disable_colours(app: App[Any]) -> None:
    """Draw only in the terminal's two default colours; bold, reverse and signs are kept."""
    app._filters.append(NoColor())


def match_colours(app: App[Any]) -> None:
    """Draw from now on in the nearest of the terminal's 256 colours."""
    from tui.workstation.terminal.nearest_colors import NearestColors

    app._filters.append(NearestColors())


def stdin_is_terminal() -> bool:
    """Return whether stdin is a terminal, so that keyboard input is possible."""
    try:
        return sys.__stdin__ is not None and os.isatty(sys.__stdin__.fileno())
    except (OSError, ValueError):
        return False


class Terminal:
    """Saved modes and title of the terminal, which are restored without blocking."""

    def __init__(self) -> None:
        self._modes: list[Any] | None = None
        self._title_back = OWN_TITLE_BACK
        write_without_blocking(KEEP_TITLE)
        with contextlib.suppress(Exception):
            import termios

            self._modes = termios.tcgetattr(0)

    def restore(self, exit_message: str = "", *, left: bool = False) -> None:
        """Restore the terminal, even if it does not read its output and Textual's driver cannot.

        Args:
            exit_message: Text to write afterwards, if possible.
            left: Whether the driver has already returned to the main screen.
        """
        with contextlib.suppress(Exception):
            import termios

            if self._modes is not None and not must_keep_modes():
                termios.tcsetattr(0, termios.TCSANOW, self._modes)
        title, self._title_back = self._title_back, ""
        write_without_blocking(title + (MODES_OFF if left else RESTORE) + exit_message)


def write_without_blocking(text: str) -> None:
    """Write as much as the terminal accepts at once; the rest is lost."""
    for stream in (1, 2):
        with contextlib.suppress(Exception):
            if text and os.isatty(stream):
                _write(stream, text.encode())
                return


def _write(stream: int, data: bytes) -> None:
    """Write without blocking; what the terminal does not accept is lost."""
    blocking = os.get_blocking(stream)
    os.set_blocking(stream, False)
    try:
        os.write(stream, data)
    finally:
        os.set_blocking(stream, blocking)
