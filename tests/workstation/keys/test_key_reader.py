"""The reader of keys ends when it is told to, whatever it waits for."""

from __future__ import annotations

import os
import pty
import threading
import tty
from collections.abc import Iterator
from time import monotonic

import pytest
from textual import events
from textual.message import Message

from tui.workstation.terminal.direct_output import ReadParser
from tui.workstation.terminal.key_reader import END_S, KeyReader

LIMIT_S = 10.0


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal in the modes of a screen: that of the keyboard, and that of the program."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    yield master, slave
    for descriptor in (master, slave):
        os.close(descriptor)


class Taken:
    """The keys that were read; each is held until it is let go."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.came = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.go_on.set()

    def take(self, message: Message) -> None:
        assert isinstance(message, events.Key)
        self.keys.append(message.key)
        self.came.release()
        self.go_on.wait(LIMIT_S)


def read(slave: int, taken: Taken) -> KeyReader:
    reader = KeyReader(slave, ReadParser(), taken.take)
    reader.start()
    return reader


def test_a_blocked_key_reader_thread_is_left_behind_at_the_end(ends: tuple[int, int]) -> None:
    taken = Taken()
    taken.go_on.clear()
    reader = read(ends[1], taken)
    os.write(ends[0], b"ab")
    assert taken.came.acquire(timeout=LIMIT_S)
    begun = monotonic()
    reader.end()
    assert END_S <= monotonic() - begun < END_S + 1.0
    assert reader.is_alive() and reader.daemon, "it must not keep the process alive"
    taken.go_on.set()
    reader.join(LIMIT_S)
    assert not reader.is_alive() and taken.keys == ["a"], "what it read is dropped from its end on"


def test_a_key_taken_by_another_process_blocks_no_key_reader(
    ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, selected = Taken(), threading.Semaphore(0)

    def say_ready(streams: list[int], *others: object) -> tuple[list[int], list[int], list[int]]:
        selected.release()
        return streams, [], []

    monkeypatch.setattr("tui.workstation.terminal.key_reader.select.select", say_ready)
    reader = read(ends[1], taken)
    assert selected.acquire(timeout=LIMIT_S)
    reader.end()
    assert not reader.is_alive()


def test_end_of_file_in_line_mode_does_not_end_the_key_reader(ends: tuple[int, int]) -> None:
    master, slave = pty.openpty()
    taken = Taken()
    reader = read(slave, taken)
    os.write(master, b"\x04")  # in these modes the program reads nothing: an empty line has ended
    tty.setraw(slave)
    os.write(master, b"a")
    while "a" not in taken.keys:
        assert taken.came.acquire(timeout=LIMIT_S)
    os.close(master)
    reader.join(LIMIT_S)
    assert not reader.is_alive(), "the terminal is lost"
    os.close(slave)


def test_an_error_while_a_key_is_handled_is_reported(ends: tuple[int, int]) -> None:
    reported = threading.Event()

    def fail(message: Message) -> None:
        raise ValueError(str(message))

    reader = KeyReader(ends[1], ReadParser(), fail, reported.set)
    reader.start()
    os.write(ends[0], b"a")
    assert reported.wait(LIMIT_S)
    reader.end()
