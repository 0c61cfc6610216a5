"""Handlers of SIGTERM and SIGHUP that restore the terminal even if the event loop is blocked."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

GIVE_UP_S = 1.5
"""Seconds after which a loop that has not ended counts as blocked, and the process exits."""

LAST_WORDS_S = 0.3
"""Seconds allowed for restoring the terminal."""

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Handlers installed with `signal.signal`, because event loop handlers do not run while the loop is blocked."""

    def __init__(self, ask_exit: Callable[[], None], restore_and_report: Callable[[], None]) -> None:
        """Initialize the handlers.

        Args:
            ask_exit: Requests the app to end; takes no lock, which the interrupted code may hold.
            restore_and_report: Restores the terminal and reports what stays open; called from a thread if the app does
            not end.
        """
        self._ask_exit = ask_exit
        self._restore_and_report = restore_and_report
        self._before: dict[int, Any] = {}
        self._timer: threading.Timer | None = None
        self.received = 0

    def install(self) -> None:
        """Install the handlers; only possible in the main thread."""
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._handle)

    def uninstall(self) -> None:
        """Restore the previous signal handlers, and cancel the timer that waits for the end of the app."""
        if self._timer is not None:
            self._timer.cancel()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self.received:
            return
        self.received = number
        self._ask_exit()  # before the start of a thread, which waits, so that another handler may run
        self._timer = threading.Timer(GIVE_UP_S, self._give_up)
        self._timer.daemon = True
        self._timer.start()

    def _give_up(self) -> None:
        # The kernel locks the modes of a terminal while a write to it waits: restoring may never return.
        words = threading.Thread(target=self._restore_and_report, daemon=True)
        words.start()
        words.join(LAST_WORDS_S)
        os._exit(128 + self.received)


def interrupts_end(frame: FrameType | None) -> bool:
    """Return whether the interrupted code is the handler of a signal that ends the program."""
    while frame is not None:
        if frame.f_code is Signals._handle.__code__:
            return True
        frame = frame.f_back
    return False
