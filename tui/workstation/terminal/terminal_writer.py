"""Writer of terminal output that never blocks the screen: what the terminal accepts is written at once, the rest later."""

from __future__ import annotations

import contextlib
import os
import threading
from queue import SimpleQueue
from typing import TextIO

PIECE = 4096
"""Bytes per write of the thread; small, so that progress on a slow terminal is visible."""


class TerminalWriter(threading.Thread):
    """Replacement for the writer thread of Textual's driver; only a single thread may write to it."""

    def __init__(self, file: TextIO) -> None:
        """Initialize a writer.

        Args:
            file: The terminal.
        """
        super().__init__(daemon=True, name="terminal output")
        self._stream = file.fileno()
        self._coding = (file.encoding or "utf-8", file.errors or "replace")
        self._unblocked = open_unblocked(self._stream, os.O_WRONLY)
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._queued = self._written = 0
        self.pieces = 0
        """Number of pieces the thread has written."""
        self.bytes = 0
        """Number of bytes handed over to be written."""

    @property
    def waiting(self) -> int:
        """Number of queued writes that are not finished."""
        return self._queued - self._written

    def write(self, text: str) -> None:
        """Write at once what the terminal accepts if nothing is queued; queue the rest for the thread."""
        data = text.encode(*self._coding)
        self.bytes += len(data)
        if self._unblocked is not None and self._queued == self._written:
            # Errors other than a full buffer are met by the thread.
            with contextlib.suppress(OSError):
                data = data[os.write(self._unblocked, data) :]
        if data:
            self._queued += 1
            self._queue.put(data)

    def run(self) -> None:
        # After the loss of the terminal this thread ends; the starter of the screen notices and ends it.
        with contextlib.suppress(OSError):
            while (data := self._queue.get()) is not None:
                while data:
                    data = data[os.write(self._stream, data[:PIECE]) :]
                    self.pieces += 1
                self._written += 1

    def stop(self) -> None:
        """Stop the writer after everything is written."""
        self._queue.put(None)
        self.join()
        if self._unblocked is not None:
            os.close(self._unblocked)
            self._unblocked = None

    def flush(self) -> None:
        """Do nothing, because this writer has no buffer to flush."""

    def fileno(self) -> int:
        """Return the file descriptor of the terminal."""
        return self._stream

    def isatty(self) -> bool:
        """Return whether the output is a terminal."""
        return os.isatty(self._stream)


def open_unblocked(stream: int, access: int) -> int | None:
    """Open the terminal again, in non-blocking mode, without changing the descriptor shared with other programs.

    None without a device name.
    """
    with contextlib.suppress(OSError, AttributeError):
        return os.open(os.ttyname(stream), access | os.O_NOCTTY | os.O_NONBLOCK)
    return None
