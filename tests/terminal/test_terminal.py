"""The emulated terminal of the tests holds what `pyte` alone would hold."""

from __future__ import annotations

import random

import pyte
import pytest

from tests.terminal.screen import Screen, Stream
from tests.terminal.terminal import Terminal

PIECES = (
    *("plain words", "│ rows ─", "日本", "é", "\r\n", "\t", "\b", "\x1b[7m", "\x1b[31m", "\x1b[0m", "\x1bM", "\x1bD"),
    *(
        "\x1b[2J",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[J",
        "\x1b[2L",
        "\x1b[M",
        "\x1b[3P",
        "\x1b[4@",
        "\x1b[5X",
        "\x1b[H",
        "\x1b#8",
    ),
    *(
        "\x1b[m",
        "\x1b[1;38;2;12;17;22m",
        "\x1b[48;5;20;4m",
        "\x1b[0;7m",
        "\x1b[38;2;1m",
        "\x1b[;m",
        "\x1b[;5H",
        "\x1b[99999H",
    ),
    *("\x1b[3;6r", "\x1b[r", "\x1b[?5h", "\x1b[?5l", "\x1b[4h", "\x1b[4l", "\x1b[?6h", "\x1b[?6l", "\x1b7", "\x1b8"),
)


def cells(screen: pyte.Screen) -> list[list[pyte.screens.Char]]:
    """Every cell with its text and colours."""
    return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]


@pytest.mark.parametrize("seed", range(6))
def test_the_test_terminal_shows_the_same_cells_as_library_pyte(seed: int) -> None:
    source = random.Random(seed)
    ours, theirs = Screen(30, 8), pyte.Screen(30, 8)
    streams = (Stream(ours), pyte.Stream(theirs))
    for _ in range(250):
        piece = source.choice(PIECES)
        if source.random() < 0.3:
            piece = f"\x1b[{source.randint(1, 9)};{source.randint(1, 31)}H{piece}"
        before = cells(ours)
        ours.dirty.clear()
        for stream in streams:
            stream.feed(piece)
        after = cells(ours)
        assert after == cells(theirs), repr(piece)
        assert (ours.cursor.x, ours.cursor.y) == (theirs.cursor.x, theirs.cursor.y), repr(piece)
        assert {y for y in range(8) if before[y] != after[y]} <= ours.dirty, repr(piece)


@pytest.mark.parametrize("seed", range(3))
def test_the_test_terminal_reads_split_bytes_as_pyte_does(seed: int) -> None:
    source = random.Random(seed)
    ours, theirs = Screen(30, 8), pyte.Screen(30, 8)
    streams = (Stream(ours), pyte.Stream(theirs))
    text = "".join(source.choice(PIECES) for _ in range(2000))
    while text:
        size = source.randint(1, 40)
        for stream in streams:
            stream.feed(text[:size])
        text = text[size:]
        assert cells(ours) == cells(theirs)


def test_the_test_terminal_finds_raw_control_bytes() -> None:
    terminal = Terminal.__new__(Terminal)
    terminal.bytes, terminal._sound = bytearray(), 0
    found = []
    for piece in (b"\x1b[1mwords\x1b[3", b"1m more\x1b]2;title", b"\x07\x1b[m \xc2", b"\x9b", b"\x1b[m\x1b[m"):
        terminal.bytes += piece
        found.append(terminal.raw_control_bytes())
    assert found == [[], [b"\x1b"], [], ["\x9b".encode()], ["\x9b".encode()]]


def test_the_test_terminal_shows_lines_as_pyte_does() -> None:
    ours, theirs = Screen(40, 4), pyte.Screen(40, 4)
    for stream in (Stream(ours), pyte.Stream(theirs)):
        stream.feed("one\r\n│日本 ─ é\r\n\x1b[4;10Hfour\x1b[2;1Htwo")
    assert [ours.line(y) for y in range(4)] == theirs.display


def test_overwriting_half_a_wide_character_leaves_a_blank() -> None:
    screen = Screen(6, 1)
    Stream(screen).feed("日本\x1b[1;1Hab\x1b[1;3Hc")
    assert screen.line(0) == "abc   "
