"""Reader of keys that ends when it is told to: reading never blocks it, and it never keeps the process alive."""

from __future__ import annotations

import os
import select
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from typing import Protocol

from textual.message import Message

from tui.workstation.terminal.terminal_writer import open_unblocked

TICK_S = 0.1
"""Interval at which sequences that were not finished count as keys, s."""
END_S = 0.5
"""Time within which the reader is expected to end, s; after it the reader is left alone, and what it reads is dropped."""
READ_BYTES = 4096


class InputParser(Protocol):
    """Parser of terminal input."""

    def feed(self, data: str) -> Iterable[Message]:
        """Parse text that was read from the terminal."""

    def tick(self) -> Iterable[Message]:
        """Parse what is still incomplete after its time has run out."""


class KeyReader(threading.Thread):
    """Replacement for the reading thread of Textual's driver, which can block on a key that the shell has read."""

    def __init__(
        self,
        stream: int,
        parser: InputParser,
        take: Callable[[Message], None],
        report_failure: Callable[[], None] = lambda: None,
    ) -> None:
        """Initialize a reader.

        Args:
            stream: The terminal.
            parser: Parser of this reader alone.
            take: Takes each message, on this thread.
            report_failure: Reports the error that is handled now.
        """
        super().__init__(daemon=True, name="terminal input")
        self._stream = stream
        self._parser = parser
        self._take = take
        self._report_failure = report_failure
        self._ends = threading.Event()
        self._decode = getincrementaldecoder("utf-8")("replace").decode

    def end(self) -> None:
        """End the reader; what was not read stays in the terminal."""
        self._ends.set()
        if self.is_alive() and threading.current_thread() is not self:
            self.join(END_S)

    def run(self) -> None:
        opened = open_unblocked(self._stream, os.O_RDONLY)
        try:
            self._read_on(self._stream if opened is None else opened)
        except BaseException:
            self._report_failure()
        finally:
            if opened is not None:
                os.close(opened)

    def _read_on(self, stream: int) -> None:
        while not self._ends.is_set():
            data = self._read(stream)
            if data is None:
                return
            if data and (text := self._decode(data)):
                self._pass_on(self._parser.feed(text))
            self._pass_on(self._parser.tick())

    def _read(self, stream: int) -> bytes | None:
        """Read what arrives within a tick; return None once the terminal is lost."""
        try:
            ready, _, _ = select.select([stream], [], [], TICK_S)
            data = os.read(stream, READ_BYTES) if ready and not self._ends.is_set() else b""
            if not ready or data:
                return data
        except BlockingIOError:
            return b""  # another process was faster
        except OSError:
            return None
        # Nothing to read although there was something: the end of a file, or of a line in the modes of the shell.
        self._ends.wait(TICK_S)
        return b"" if os.isatty(stream) else None

    def _pass_on(self, messages: Iterable[Message]) -> None:
        for message in messages:
            if not self._ends.is_set():
                self._take(message)
