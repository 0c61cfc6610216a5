"""Writing to a terminal that reads, that reads slowly, that does not read, and that is none."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import threading
import time
import tty
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

import pytest

from tests.busy import limit
from tui.workstation.terminal.output import STILL_S, OutputBacklog
from tui.workstation.terminal.terminal_writer import PIECE, TerminalWriter

LONG = "".join(f"{number:07} ─▲€😀\x1b[1;38;2;1;2;3m" for number in range(20_000))
"""More than a terminal keeps for one that reads it, in characters of one to four bytes."""


class Screen:
    """The other end of a pseudo-terminal."""

    def __init__(self) -> None:
        self.end, inner = pty.openpty()
        tty.setraw(inner)
        self.file: TextIO = TextIOWrapper(os.fdopen(inner, "wb", 0), "utf-8", write_through=True)
        self.writer = TerminalWriter(self.file)
        self.writer.start()
        self.seen = b""

    def read(self, count: int) -> bytes:
        """What is written, until so many bytes have come."""
        deadline = time.monotonic() + limit(20)
        while len(self.seen) < count and time.monotonic() < deadline:
            if select.select([self.end], [], [], 0.05)[0]:
                self.seen += os.read(self.end, 65536)
        return self.seen

    def close(self) -> None:
        """Closed at this end, so that nothing waits for a reader."""
        with contextlib.suppress(OSError):
            os.close(self.end)
        self.writer.stop()
        with contextlib.suppress(OSError):
            self.file.close()


@pytest.fixture
def screen() -> Iterator[Screen]:
    made = Screen()
    yield made
    made.close()


def test_terminal_output_is_written_directly_when_possible(screen: Screen) -> None:
    for number in range(50):
        screen.writer.write(f"frame {number} ▲;")
        assert screen.writer.waiting == 0
    whole = "".join(f"frame {number} ▲;" for number in range(50))
    assert screen.read(len(whole.encode())).decode() == whole
    assert screen.writer.pieces == 0


def test_output_to_a_terminal_that_does_not_read_waits_in_order(screen: Screen) -> None:
    screen.writer.write(LONG)
    assert screen.writer.waiting == 1
    for number in range(100):
        screen.writer.write(f"later {number};")
    assert screen.writer.waiting == 101, "what comes later waits behind"
    whole = LONG + "".join(f"later {number};" for number in range(100))
    assert screen.read(len(whole.encode())).decode() == whole
    deadline = time.monotonic() + limit(20)
    while screen.writer.waiting and time.monotonic() < deadline:
        time.sleep(0.001)
    screen.writer.write("direct again")
    assert screen.writer.waiting == 0
    whole += "direct again"
    assert screen.read(len(whole.encode())).decode() == whole


def test_a_slow_terminal_is_not_called_stalled(screen: Screen) -> None:
    now = 0.0
    backlog = OutputBacklog(lambda: (screen.writer.waiting, screen.writer.pieces), lambda: now)
    screen.writer.write(LONG)
    assert backlog.is_behind()
    for step in range(1, 6):
        pieces = screen.writer.pieces
        screen.read(step * 4 * PIECE)
        deadline = time.monotonic() + limit(20)
        while screen.writer.pieces == pieces and time.monotonic() < deadline:
            time.sleep(0.001)
        now += 0.9 * STILL_S
        assert not backlog.stuck


def test_a_closed_terminal_ends_the_writer_thread(screen: Screen) -> None:
    os.close(screen.end)
    screen.writer.write("nobody sees this")
    screen.writer.join(limit(20))
    assert not screen.writer.is_alive()
    screen.writer.write("nor this")
    assert screen.writer.waiting == 2


def test_output_to_a_file_is_written_by_the_writer_thread(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="utf-8") as file:
        writer = TerminalWriter(file)
        writer.start()
        for number in range(100):
            writer.write(f"{number} ▲;")
        writer.stop()
        assert not writer.isatty() and writer.fileno() == file.fileno()
    assert (tmp_path / "out").read_text(encoding="utf-8") == "".join(f"{number} ▲;" for number in range(100))
    assert writer.waiting == 0 and writer.pieces == 100


def test_characters_the_terminal_cannot_encode_are_replaced() -> None:
    reader, end = os.pipe()
    with TextIOWrapper(os.fdopen(end, "wb", 0), "ascii", "backslashreplace", write_through=True) as file:
        writer = TerminalWriter(file)
        writer.start()
        writer.write("a▲")
        writer.stop()
        assert os.read(reader, 100) == b"a\\u25b2"
    os.close(reader)


def test_frames_reach_the_terminal_in_order_at_any_read_rate(screen: Screen) -> None:
    frames = [f"{number:05}" + "x" * (number * 37 % 3000) + "\n" for number in range(400)]
    whole = "".join(frames).encode()
    reading = threading.Thread(target=screen.read, args=(len(whole),))
    reading.start()
    for frame in frames:
        screen.writer.write(frame)
    reading.join(limit(30))
    assert screen.seen == whole
