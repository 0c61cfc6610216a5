"""The terminal below the screen: whether it keeps up, whether it is still there, and how to give it back.

The few private names of textual that are needed stand here, each behind one function with a test.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.filter import NoColor

from tui.workstation.terminal.terminal_writer import TerminalWriter

MODES_OFF = (
    "\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[?2048l"
    "\x1b[?7h\x1b[0m\x1b[?25h"
)
"""Everything the driver may have switched on, switched off."""
RESTORE = MODES_OFF + "\x1b[?1049l"
"""The same, and on to the main screen. Written twice, some terminals put the cursor where it does not belong."""

KEEP_TITLE, OWN_TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""The title of the window is put aside, and taken back."""

STILL_S = 0.75
"""A screen that takes nothing for so long while something waits shows an old picture.

Nothing waits before the kernel holds all that it takes for a terminal which is not read; the probe says so before.
"""


def writer_backlog(app: App[Any]) -> tuple[int, int]:
    """Writes that have not left for the terminal yet, and how much has; zeros where there is no writer thread (tests)."""
    writer = getattr(getattr(app, "_driver", None), "_writer_thread", None)
    if isinstance(writer, TerminalWriter):
        return writer.waiting, writer.pieces
    queue = getattr(writer, "_queue", None)
    if queue is None:
        return 0, 0
    waiting = int(queue.qsize())
    return waiting, int(queue.unfinished_tasks) - waiting


class OutputBacklog:
    """Whether the terminal takes what is drawn; while it does not, the trader looks at an old picture."""

    def __init__(self, backlog: Callable[[], tuple[int, int]], now: Callable[[], float]) -> None:
        """
        Args:
            backlog: Writes that wait, and how many have left.
            now: Monotonic seconds.
        """
        self._backlog = backlog
        self._now = now
        self._left = 0
        self._since: float | None = None
        """Since when nothing has left although something waits."""
        self.unseen = 0
        """Keys of somebody who looked at an old picture."""

    def is_behind(self) -> bool:
        """Whether anything still waits: the next frame is made when all before it has left, of what is newest then.

        Asked often, so that it knows since when nothing leaves.
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
        """Whether what is seen is older than anybody should act on."""
        return self.is_behind() and self._since is not None and self._now() - self._since > STILL_S


WITHOUT_COLOURS = frozenset(["dumb", "unknown"])
"""Values of TERM that promise no colours."""


def disable_colours(app: App[Any]) -> None:
    """Draw in the two colours of the terminal; bold, reverse and the signs stay."""
    app._filters.append(NoColor())


def stdin_is_terminal() -> bool:
    """Whether somebody can still type."""
    try:
        return sys.__stdin__ is not None and os.isatty(sys.__stdin__.fileno())
    except (OSError, ValueError):
        return False


class Terminal:
    """Remembers modes and title of the terminal before the screen starts, and restores them without blocking."""

    def __init__(self) -> None:
        self._modes: list[Any] | None = None
        self._title_back = OWN_TITLE_BACK
        write_without_blocking(KEEP_TITLE)
        with contextlib.suppress(Exception):
            import termios

            self._modes = termios.tcgetattr(0)

    def restore(self, exit_message: str = "", *, left: bool = False) -> None:
        """Give the terminal back, also when it does not read and the driver cannot.

        Args:
            exit_message: Written after it, where it can be.
            left: Whether the driver has gone back to the main screen itself.
        """
        with contextlib.suppress(Exception):
            import termios

            if self._modes is not None:
                termios.tcsetattr(0, termios.TCSANOW, self._modes)
        title, self._title_back = self._title_back, ""
        write_without_blocking(title + (MODES_OFF if left else RESTORE) + exit_message)


def write_without_blocking(text: str) -> None:
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
