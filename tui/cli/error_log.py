"""Logging to standard error for a process without a log file: one line per error, and a file behind it stays bounded."""

from __future__ import annotations

import logging
import os
import stat
import sys
from datetime import UTC, datetime

from tui.interface.text import clean

MAX_LINE = 300
"""Characters of a line."""
MAX_FILE = 1_000_000
"""Bytes after which a file begins anew."""


class OneLineHandler(logging.Handler):
    """Writes a record on one line, without the stack; a file behind the descriptor is emptied when it is full."""

    def __init__(self, descriptor: int = 2, most: int = MAX_FILE) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._most = most

    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            said += f": {type(error).__name__}: {error}"
        moment = datetime.fromtimestamp(record.created, UTC)
        line = f"{moment:%Y-%m-%dT%H:%M:%SZ} {record.levelname.lower()} {record.name}: {clean(said, MAX_LINE)}\n"
        try:
            self._make_room()
            os.write(self._descriptor, line.encode(errors="replace"))
        except OSError:
            return

    def _make_room(self) -> None:
        found = os.fstat(self._descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_size > self._most:
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)


def log_to_standard_error() -> None:
    """Send every log of this process, those of its libraries included, to standard error in bounded lines."""
    sys.stderr.flush()
    logging.basicConfig(handlers=[OneLineHandler()], level=logging.WARNING, force=True)


def mute_client_errors() -> None:
    """Leave out what a library logs for mistakes of a client, which are answered and no errors of the server."""
    from aiohttp.http_exceptions import HttpProcessingError

    # What is no HTTP is answered with 400; it is no error of ours, and it names what was asked.
    logging.getLogger("aiohttp.server").addFilter(
        lambda record: not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))
    )
    # Logged for every client that offers a subprotocol, which is no error.
    logging.getLogger("aiohttp.websocket").setLevel(logging.ERROR)
