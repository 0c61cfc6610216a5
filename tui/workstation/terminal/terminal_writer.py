"""Bytes to the terminal: what it takes goes at once, the rest from a thread, so that the screen never waits for it."""

from __future__ import annotations

import contextlib
import os
import threading
from queue import SimpleQueue
from typing import TextIO

PIECE = 4096
"""Bytes that the thread writes at a time: a slow terminal is seen to take them one by one."""


class TerminalWriter(threading.Thread):
    """Takes the place of the thread of textual's driver, which has to be woken for each write.

    Written to by one thread.
    """

    def __init__(self, file: TextIO) -> None:
        """
        Args:
            file: The terminal.
        """
        super().__init__(daemon=True, name="terminal output")
        self._stream = file.fileno()
        self._coding = (file.encoding or "utf-8", file.errors or "replace")
        self._unblocked = _open_unblocked(self._stream)
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._queued = self._written = 0
        self.pieces = 0
        """Pieces that the thread has written."""

    @property
    def waiting(self) -> int:
        """Writes that have not left whole."""
        return self._queued - self._written

    def write(self, text: str) -> None:
        """Write what the terminal takes at once, unless something waits before it; leave the rest to the thread."""
        data = text.encode(*self._coding)
        if self._unblocked is not None and self._queued == self._written:
            # What is wrong with the terminal, beside that it is full, the thread finds out.
            with contextlib.suppress(OSError):
                data = data[os.write(self._unblocked, data) :]
        if data:
            self._queued += 1
            self._queue.put(data)

    def run(self) -> None:
        # Once the terminal is gone everything waits for ever; whoever started the screen notices and ends it.
        with contextlib.suppress(OSError):
            while (data := self._queue.get()) is not None:
                while data:
                    data = data[os.write(self._stream, data[:PIECE]) :]
                    self.pieces += 1
                self._written += 1

    def stop(self) -> None:
        """End once everything is written."""
        self._queue.put(None)
        self.join()
        if self._unblocked is not None:
            os.close(self._unblocked)
            self._unblocked = None

    def flush(self) -> None:
        """Nothing is held back."""

    def fileno(self) -> int:
        """The terminal's."""
        return self._stream

    def isatty(self) -> bool:
        """Whether it is one."""
        return os.isatty(self._stream)


def _open_unblocked(stream: int) -> int | None:
    """The terminal opened once more, so that only this way to it does not block: modes of the first are shared with
    everything that has it. None where it has no name, or is no terminal."""
    with contextlib.suppress(OSError, AttributeError):
        return os.open(os.ttyname(stream), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    return None
