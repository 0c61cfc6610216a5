"""A program in a pseudo-terminal: keys in, its screen and the time of what appears on it out."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.desk.cells import Cells

Seen = Callable[[Cells], bool]
TOP = Path(__file__).parent.parent.parent
_TICKS_S = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_QUERY, _ANSWER = b"\x1b[6n", b"\x1b[1;1R"
_VARIABLES = ("NO_COLOR", "TEXTUAL_FPS", "COLUMNS", "LINES", "PYTHONDONTWRITEBYTECODE")


class NeverSeen(Exception):
    """The screen did not show what the benchmark waits for; holds the screen."""


class Terminal:
    """One run of a program on a terminal."""

    def __init__(
        self, command: Sequence[str], *, columns: int = 160, lines: int = 45, environment: Mapping[str, str] = {}
    ) -> None:
        self.cells = Cells(columns, lines)
        self.bytes = 0
        self._changed = threading.Condition()
        self._waiting: tuple[Seen, list[int]] | None = None
        self._reads = threading.Event()
        self._reads.set()
        self._link = 0
        self._tail = b""
        """End of what was read last, because a query may be cut."""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        variables = {name: value for name, value in os.environ.items() if name not in _VARIABLES}
        variables |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_ANIMATIONS": "none", **environment}

        def own_terminal() -> None:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.started = time.monotonic_ns()
        self.process = subprocess.Popen(
            command, cwd=TOP, stdin=slave, stdout=slave, stderr=slave, env=variables, preexec_fn=own_terminal
        )
        os.close(slave)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    # -- the reader's thread -----------------------------------------------------------------------------------------

    def _read(self) -> None:
        while True:
            self._reads.wait()
            link = self._link
            try:
                ready, _, _ = select.select([self._master], [], [], 0.05)
                data = os.read(self._master, min(65536, max(256, link // 100)) if link else 65536) if ready else b""
            except (OSError, ValueError):
                return
            if not data:
                continue
            at = time.monotonic_ns()
            with self._changed:
                self.bytes += len(data)
                self.cells.feed(data)
                if self._waiting is not None and not self._waiting[1] and self._waiting[0](self.cells):
                    self._waiting[1].append(at)
                    self._changed.notify_all()
            if link:
                time.sleep(len(data) / link)
            self._answer(data)

    def _answer(self, data: bytes) -> None:
        """Answer each query of the cursor position, as every terminal does once it has drawn what is before."""
        tail = self._tail + data
        self._tail = tail[-(len(_QUERY) - 1) :]
        with contextlib.suppress(OSError):
            for _ in range(tail.count(_QUERY)):
                os.write(self._master, _ANSWER)

    # -- for the benchmark -------------------------------------------------------------------------------------------

    def limit(self, bytes_per_s: int) -> None:
        """Read no faster than a link of this speed; 0: as fast as it comes."""
        self._link = bytes_per_s

    def stop_reading(self) -> None:
        self._reads.clear()

    def read_on(self) -> None:
        self._reads.set()

    def press(self, keys: str) -> int:
        """Type; the time in ns before the first byte leaves."""
        at = time.monotonic_ns()
        os.write(self._master, keys.encode())
        return at

    def expect(self, seen: Seen) -> list[int]:
        """Begin to look; the list gets the time in ns once it is seen."""
        found: list[int] = []
        with self._changed:
            self._waiting = (seen, found)
            if seen(self.cells):
                found.append(time.monotonic_ns())
        return found

    def wait(self, found: list[int], within: float, what: str) -> int:
        """Wait for what `expect` looks for; its time in ns.

        Raises:
            NeverSeen: It did not appear in time.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: bool(found), within):
                raise NeverSeen(f"never seen: {what}\n" + "\n".join(self.cells.text()))
        return found[0]

    def see(self, *words: str, within: float = 20.0) -> int:
        """Wait for a line that holds all of the words; its time in ns."""
        return self.wait(self.expect(lambda cells: holds(cells, *words)), within, " ".join(words))

    def cpu_s(self) -> float:
        """Seconds of processor the program took so far, without its children."""
        return cpu_s(self.process.pid)

    def memory_mb(self) -> float:
        """Resident memory of the program, without its children."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * _PAGE / 1e6

    def close(self) -> None:
        """Kill it; a second time does nothing."""
        self._reads.set()
        if self._master < 0:
            return
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self._master)
        self._master = -1


def holds(cells: Cells, *words: str) -> bool:
    """Whether a line holds all of the words."""
    return any(all(word in line for word in words) for line in cells.text())


def cpu_s(pid: int) -> float:
    """Seconds of processor that a process took so far, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_S
