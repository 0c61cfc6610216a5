"""A process that starts writers and lets them be killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent.parent
MOST_ACKS = 400
"""A writer whose commands are all refused keeps nothing any more, and is killed then."""
LATEST_KILL_S = 0.006
"""Longest time between what the writer said and its death."""


class Writers:
    """Starts one writer after the other and kills each at a random moment."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.writer"],
            cwd=TOP,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def run_and_kill(self, what: str, source: random.Random, word: str = "ack") -> list[str]:
        """The lines of a writer that was killed shortly after it said `word`, or after `MOST_ACKS` acknowledgements."""
        assert self._process.stdin is not None
        self._process.stdin.write(what + "\n")
        pid, lines = 0, []
        after, said, acknowledged = source.randrange(1, 25), 0, 0
        while not pid:
            line = self._line()
            if line.startswith("pid "):
                pid = int(line[4:])
            else:
                lines.append(line)
        killed = False
        while (line := self._line()) != "dead":
            lines.append(line)
            said += line.startswith(word)
            acknowledged += line.startswith("ack")
            if not killed and (said == after or acknowledged == MOST_ACKS):
                until = time.perf_counter() + source.random() * LATEST_KILL_S
                while time.perf_counter() < until:
                    pass
                os.kill(pid, signal.SIGKILL)
                killed = True
            assert line or self._process.poll() is None, lines[-5:]
        assert killed, f"the writer ended by itself: {lines[-5:]}"
        return lines

    def stop(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.wait(timeout=10)


@pytest.fixture(scope="module")
def writers() -> Iterator[Writers]:
    running = Writers()
    yield running
    running.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A place in memory where there is one: a thousand files are made and synced."""
    if not Path("/dev/shm").is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        yield Path(place)
