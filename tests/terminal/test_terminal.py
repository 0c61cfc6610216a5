"""The emulated terminal of the tests holds what `pyte` alone would hold."""

from __future__ import annotations

import random

import pyte
import pytest

from tests.terminal.terminal import Screen

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
    *("\x1b[3;6r", "\x1b[r", "\x1b[?5h", "\x1b[?5l", "\x1b[4h", "\x1b[4l", "\x1b[?6h", "\x1b[?6l", "\x1b7", "\x1b8"),
)


def cells(screen: pyte.Screen) -> list[list[pyte.screens.Char]]:
    """Every cell with its text and colours."""
    return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]


@pytest.mark.parametrize("seed", range(6))
def test_cells_and_lines_that_changed_are_those_of_pyte(seed: int) -> None:
    source = random.Random(seed)
    ours, theirs = Screen(30, 8), pyte.Screen(30, 8)
    streams = (pyte.Stream(ours), pyte.Stream(theirs))
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


def test_a_line_is_what_pyte_shows() -> None:
    ours, theirs = Screen(40, 4), pyte.Screen(40, 4)
    for screen in (ours, theirs):
        pyte.Stream(screen).feed("one\r\n│日本 ─ é\r\n\x1b[4;10Hfour\x1b[2;1Htwo")
    assert [ours.line(y) for y in range(4)] == theirs.display


def test_the_rest_of_a_wide_sign_that_was_overwritten_is_a_blank() -> None:
    screen = Screen(6, 1)
    pyte.Stream(screen).feed("日本\x1b[1;1Hab\x1b[1;3Hc")
    assert screen.line(0) == "abc   "
