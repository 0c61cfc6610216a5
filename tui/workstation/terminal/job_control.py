"""Stops and continuations of the process by a shell with job control: the terminal is used only in the foreground."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

from tui.workstation.terminal.signals import interrupts_end

SETTLE_S = 0.05
"""Seconds in which a signal to end that came with the continuation is handled: the kernel may pass it to another thread."""


def is_in_background() -> bool:
    """Return whether another process group, usually the shell, is in the foreground of the input's terminal."""
    try:
        return os.tcgetpgrp(0) != os.getpgrp()
    except OSError:
        return False  # no terminal with job control


def must_keep_modes() -> bool:
    """Return whether the terminal's modes belong to another process; if so, ignore SIGTTOU so that writing does not stop."""
    if not is_in_background():
        return False
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    return True


def stop_until_continued() -> None:
    """Stop this process by SIGSTOP; return when it is continued, in the foreground or not."""
    os.kill(os.getpid(), signal.SIGSTOP)


def stop_in_background() -> bool:
    """Stop the process while it is in the background, until it is continued; return whether to look again.

    The kernel looks and stops in one step: between a look and a SIGSTOP of our own the shell could bring the process to
    the foreground, and would find it stopped there.
    """
    import termios

    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    try:
        termios.tcflow(0, termios.TCOON)
    except termios.error as error:
        return bool(error.args[0] == errno.EINTR)  # else nobody is left who could bring it to the foreground
    return True


class JobControl:
    """Control of leaving and entering the screen when the shell stops and continues the process, in any order.

    A signal may arrive amid anything, and a second one amid the handling of the first: a handler only notes it, or stops
    the process; the event loop leaves and enters the screen, one after the other.
    """

    def __init__(self, leave: Callable[[], None], enter: Callable[[], None], is_ending: Callable[[], bool]) -> None:
        """Initialize job control; it is made before the screen is first entered.

        Args:
            leave: Leaves the screen, if it is not left yet.
            enter: Enters it; it may stay left where the process is stopped meanwhile.
            is_ending: Whether the program is about to end, for which it needs no foreground.
        """
        self._leave = leave
        self._enter = enter
        self._is_ending = is_ending
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waits = self._stops_later = False
        """Whether it waits for the foreground, and whether SIGTSTP came meanwhile."""

    def begin(self) -> None:
        """Wait until the process is in the foreground; from then on the signal handlers use the event loop."""
        self._loop = asyncio.get_running_loop()
        self._await_foreground()

    def end(self) -> None:
        """Stop using the event loop for signals, so that the screen is not entered again."""
        self._loop = None

    def handle_stop(self, *received: object) -> None:
        """Handle SIGTSTP: leave the screen on the event loop and stop, or stop at once without a loop."""
        del received
        if self._waits:
            self._stops_later = True  # it is stopped, or about to be, unless it has just come to the foreground
            return
        if not self._call(self._stop):
            stop_until_continued()

    def handle_continue(self, number: int, frame: FrameType | None) -> None:
        """Handle SIGCONT: wait for the foreground, because being continued does not imply it, and enter the screen again."""
        del number
        if self._loop is not None:
            if not interrupts_end(frame):
                self._await_foreground()
            self._call(self._come_back)

    def _await_foreground(self) -> None:
        """Stop the process while it is in the background, without a byte to or from the terminal."""
        if self._waits:
            return  # this handler interrupted the wait itself, which looks again
        self._waits, self._stops_later = True, False
        try:
            while is_in_background() and not self._is_ending():
                threading.Event().wait(SETTLE_S)
                if self._is_ending() or not stop_in_background():
                    break
        finally:
            self._waits = False
        if self._stops_later and not is_in_background():
            self._call(self._stop)

    def _call(self, action: Callable[[], None]) -> bool:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            if self._loop is not None:
                self._loop.call_soon_threadsafe(action)
                return True
        return False

    def _stop(self) -> None:
        if self._loop is not None and not self._is_ending():
            self._leave()
            stop_until_continued()
            self._come_back()

    def _come_back(self) -> None:
        self._await_foreground()
        if self._loop is not None and not self._is_ending():
            # Stopped without a word (SIGSTOP) the screen was not left; the shell has changed the modes of the terminal.
            self._leave()
            self._enter()
