"""Private paper venue of a workstation: a child process that exits when its parent closes their pipe."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

import tui
from tui.crossdesk_error import CrossdeskError

if TYPE_CHECKING:
    from tui.interface.ready import ReadyLine

HELD = "held by another venue"
"""Message of a venue whose state file is in use."""


TAIL_BYTES = 4096
"""Bytes read from the end of a venue's standard error."""


class VenueFailed(CrossdeskError):
    """Failed start of the paper venue; the text is the venue's own error message."""

    title = "Paper venue did not start"


class PaperVenue:
    """Child process of the paper venue; it reads control commands from its standard input and exits when that closes."""

    def __init__(self, arguments: list[str], log: Path) -> None:
        """Start the venue process.

        Args:
            arguments: Arguments of the venue.
            log: Log file. Its standard error goes to an unnamed file, read after its end.
        """
        self._errors = tempfile.TemporaryFile(dir=log.parent)  # noqa: SIM115  # needed while the child exists
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tui.cli.main", "venue", "--control", "--log", str(log), *arguments],
            cwd=Path(tui.__file__).resolve().parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        self._lock = threading.Lock()
        self._ready: ReadyLine | None = None

    def wait_until_ready(self) -> ReadyLine:
        """Wait for the venue's ready line; later calls return it at once. Blocks; never called on the screen's thread.

        Raises:
            VenueFailed: The child ended instead.
        """
        import msgspec

        from tui.interface.ready import ReadyLine

        if self._ready is not None:
            return self._ready
        output = self._pipe(self._process.stdout)
        line = output.readline()
        if not line:
            self._process.wait()
            raise VenueFailed(self._last_error_line() or f"the paper venue ended with code {self._process.returncode}")
        self._ready = msgspec.json.decode(line, type=ReadyLine)
        return self._ready

    def exit_reason(self) -> str:
        """Describe how the venue process ended, such as `ended with code 1`; empty while it runs. Does not wait."""
        code = self._process.poll()
        if code is None:
            return ""
        if code < 0:
            return f"was killed by signal {-code}"
        line = self._last_error_line()
        return f"ended with code {code}" + (f" ({line[:120]})" if line else "")

    def _last_error_line(self) -> str:
        """Return the last line of the venue's standard error, or an empty text."""
        size = os.fstat(self._errors.fileno()).st_size
        tail = os.pread(self._errors.fileno(), TAIL_BYTES, max(0, size - TAIL_BYTES))
        lines = tail.decode(errors="replace").strip().splitlines()
        return lines[-1].removeprefix("crossdesk: ") if lines else ""

    def set_switch(self, name: str, value: str) -> None:
        """Set a configuration switch of the running venue."""
        self._tell({"set": {name: value}})

    def move_market(self, coin: str, price: str) -> None:
        """Move a coin's market price on the running venue to a value, or by a percentage such as `-2%`."""
        self._tell({"move": {coin: price}})

    def _tell(self, request: dict[str, dict[str, str]]) -> None:
        import json

        line = json.dumps(request).encode() + b"\n"
        with self._lock, contextlib.suppress(OSError):
            pipe = self._pipe(self._process.stdin)
            pipe.write(line)
            pipe.flush()

    def stop(self) -> None:
        """Close the venue's standard input and wait for its exit; kill the process if it does not exit."""
        with self._lock, contextlib.suppress(OSError):
            self._pipe(self._process.stdin).close()
        try:
            self._process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe
