"""Log of a process: a private, size-limited file shared by all processes of a desk, or standard error; without secrets."""

from __future__ import annotations

import fcntl
import logging
import os
import re
import stat
import sys
import threading
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import TextIO, TypeAlias

from tui.interface.text import clean, traceback_lines
from tui.private_files import open_private

NAME = "crossdesk.log"
"""File name in the state folder of a desk; older files are `crossdesk.log.1` to `.3`, newest first."""
MAX_BYTES = 1_000_000
"""Size at which the next file is started."""
BACKUPS = 3
MAX_LINE = 300
"""Most characters of a line."""
MAX_TRACEBACK = 80
"""Most lines of a traceback; the innermost ones are kept."""
HIDDEN = "[hidden]"
_SIGNATURE = re.compile(r"\b[0-9a-fA-F]{64}\b")
_BUFFER = 1 << 18
"""Larger than any record, so that each is a single append and records of two processes do not mix."""

log = logging.getLogger("tui.cli")


class LogFormatter(logging.Formatter):
    """Formatter that writes one line per record, followed by an indented traceback without values of variables."""

    def __init__(self, process: str) -> None:
        """Initialize the formatter.

        Args:
            process: Name of this process.
        """
        super().__init__()
        self._process = process
        self._secrets: tuple[str, ...] = ()

    def hide(self, *secrets: str) -> None:
        """Redact these texts in all later log lines."""
        self._secrets = tuple({*self._secrets, *filter(None, secrets)})

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC)
        level = record.levelname.lower()
        text = clean(self._redact(record.getMessage()), MAX_LINE)
        lines = [f"{moment:%Y-%m-%dT%H:%M:%SZ} {level} {record.name} {self._process} {record.process}: {text}"]
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            trace = traceback_lines(self._redact("".join(traceback.format_exception(error))), MAX_LINE)
            lines += [f"    {line}" for line in trace[-MAX_TRACEBACK:]]
        return "\n".join(lines)

    def _redact(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return _SIGNATURE.sub(HIDDEN, text)


class LogFile(RotatingFileHandler):
    """Private log file that several processes append to; on a full disk a record is dropped without an error."""

    def __init__(self, path: Path, process: str, *, max_bytes: int = MAX_BYTES) -> None:
        """Initialize the handler; the file is opened at the first record.

        Args:
            path: The file.
            process: Name of this process.
            max_bytes: Size at which the next file is started.
        """
        super().__init__(path, maxBytes=max_bytes, backupCount=BACKUPS, encoding="utf-8", delay=True)
        self._formatter = LogFormatter(process)
        self.setFormatter(self._formatter)

    def hide(self, *secrets: str) -> None:
        """Redact these texts in all later log lines."""
        self._formatter.hide(*secrets)

    def _open(self) -> TextIOWrapper:
        descriptor = open_private(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(f"{self.baseFilename} is no plain file")
        os.fchmod(descriptor, 0o600)
        return TextIOWrapper(os.fdopen(descriptor, "ab", buffering=_BUFFER), encoding="utf-8", errors="replace")

    def shouldRollover(self, record: logging.LogRecord) -> bool:  # noqa: N802
        if self.stream is not None and not self._is_current():
            self._drop_stream()
        return bool(super().shouldRollover(record))

    def doRollover(self) -> None:  # noqa: N802
        """Rotate the log file, unless another process does so at this moment or the disk refuses it."""
        if self.stream is None:
            return
        held = os.dup(self.stream.fileno())
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._is_current():
                super().doRollover()
        except OSError:
            return
        finally:
            os.close(held)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Drop a record that cannot be written; the next record reopens the file."""
        self._drop_stream()

    def _is_current(self) -> bool:
        """Return whether the open file is still the current one, because another process may have rotated it."""
        with suppress(OSError):
            if self.stream is not None:
                return os.path.samestat(os.fstat(self.stream.fileno()), Path(self.baseFilename).stat())
        return False

    def _drop_stream(self) -> None:
        stream, self.stream = self.stream, None
        with suppress(OSError, ValueError):
            if stream is not None:
                stream.close()


class LogStream(logging.StreamHandler[TextIO]):
    """Log handler for an open stream; a regular file behind the stream is truncated when it is full."""

    def __init__(self, stream: TextIO, process: str, *, max_bytes: int = MAX_BYTES) -> None:
        """Initialize the handler.

        Args:
            stream: Stream for the records.
            process: Name of this process.
            max_bytes: Size at which a file is emptied.
        """
        super().__init__(stream)
        self._max_bytes = max_bytes
        self._formatter = LogFormatter(process)
        self.setFormatter(self._formatter)

    def hide(self, *secrets: str) -> None:
        """Redact these texts in all later log lines."""
        self._formatter.hide(*secrets)

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):
            status = os.fstat(self.stream.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size > self._max_bytes:
                os.ftruncate(self.stream.fileno(), 0)
                os.lseek(self.stream.fileno(), 0, os.SEEK_SET)
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Drop a record that cannot be written."""


LogHandler: TypeAlias = LogFile | LogStream


def start_log(path: Path | None, process: str) -> LogHandler:
    """Log all records and uncaught errors of this process, those of its libraries included.

    Args:
        path: The file, in a private folder; None for standard error.
        process: Name of this process.
    """
    handler = LogStream(sys.stderr, process) if path is None else LogFile(path, process)
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_thread
    sys.unraisablehook = _log_unraisable
    if path is not None:
        sys.excepthook = _log_uncaught
    return handler


def mute_client_errors() -> None:
    """Suppress library log messages about bad client requests, which are answered and are no server errors."""
    from aiohttp.http_exceptions import HttpProcessingError

    # Requests that are no HTTP are answered with 400, and the record would contain their content.
    logging.getLogger("aiohttp.server").addFilter(
        lambda record: not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))
    )
    # Logged for every client that offers a subprotocol, which is no error.
    logging.getLogger("aiohttp.websocket").setLevel(logging.ERROR)


def _log_thread(failed: threading.ExceptHookArgs) -> None:
    name = failed.thread.name if failed.thread is not None else "unknown"
    log.error("the thread %s ended", name, exc_info=failed.exc_value)


def _log_unraisable(failed: sys.UnraisableHookArgs) -> None:
    log.error("ignored: %s", failed.err_msg or "an exception where none can be raised", exc_info=failed.exc_value)


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Log the uncaught error that ends the process, and print it on the terminal."""
    if not isinstance(error, KeyboardInterrupt):
        log.error("the process ended", exc_info=error)
    sys.__excepthook__(kind, error, trace)
