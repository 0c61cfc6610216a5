"""Lines of standard input with the time at which each was read."""

from __future__ import annotations

import codecs
import os
import queue
import threading
from collections.abc import Callable

import msgspec

from tui.protocols import Clock

CHUNK = 4096
LONGEST = 2000
"""Most characters of a line; a longer one is not carried out."""
MOST_WAITING = 100
"""Lines that may wait to be carried out; those behind them are dropped, with a message."""


class ReadLine(msgspec.Struct, frozen=True):
    """Line read from standard input."""

    text: str
    at: float
    """Monotonic time at which its end was read, s."""
    too_long: bool = False
    dropped: bool = False
    """Whether it came behind too many others, and is not carried out."""


class InputLines:
    """Reader of input lines on its own thread; it records the time at which each line came."""

    def __init__(self, descriptor: int, clock: Clock, wake: Callable[[], None]) -> None:
        """Initialize the reader.

        Args:
            descriptor: File descriptor to read.
            clock: Clock.
            wake: Called from the thread after each line, and at the end.
        """
        self._descriptor = descriptor
        self._clock = clock
        self._wake = wake
        self.lines: queue.SimpleQueue[ReadLine] = queue.SimpleQueue()
        self.ended = threading.Event()

    def start(self) -> None:
        """Start the reading thread, which ends at the end of the input or with the process."""
        threading.Thread(target=self._read, name="input", daemon=True).start()

    def _read(self) -> None:
        decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), ""
        while True:
            try:
                data = os.read(self._descriptor, CHUNK)
            except OSError:
                # The terminal is gone.
                data = b""
            if not data:
                break
            *lines, rest = (rest + decoder.decode(data)).replace("\r\n", "\n").replace("\r", "\n").split("\n")
            for text in lines:
                self._put(text)
            rest = rest[: LONGEST + 1]
        # What has no end of line was not entered.
        self.ended.set()
        self._wake()

    def _put(self, text: str) -> None:
        waits = self.lines.qsize()
        if waits > MOST_WAITING:
            return
        too_long = len(text) > LONGEST
        self.lines.put(ReadLine("" if too_long else text, self._clock.mono(), too_long, waits == MOST_WAITING))
        self._wake()
