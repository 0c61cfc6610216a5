"""Every screen at every size, walks through random sizes, and random hostile texts on the screen."""

from __future__ import annotations

import random
import unicodedata

import pytest
from textual.screen import ModalScreen

from tests.figures import measured
from tests.terminal.misbehaving import HOSTILE
from tests.workstation.driver import Desk, desk
from tui.engine.event_line import Level
from tui.workstation.app.screen_registry import FULL_SCREENS

SIZES = (
    (0, 0), (1, 1), (20, 5), (40, 10), (60, 20), (80, 24), (100, 30), (120, 40), (160, 45), (200, 50), (300, 20),
    (500, 200),
)  # fmt: skip
KEYS = ("b", "escape", "2", "3", "0", "(", ")", "1", "E", "escape", "?", "escape", "X", "escape")
SCREENS = ("", *FULL_SCREENS)
"""The desk and every screen beside it, by the action that opens it."""
AT_ONCE = 40
"""Texts that are drawn together."""
DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def leaked(text: str) -> int:
    """Characters on the screen that command a terminal or turn what stands after them."""
    return sum(char in DIRECTIONS or unicodedata.category(char) in ("Cc", "Cs") for char in text.replace("\n", ""))


def sound(at: Desk, width: int, height: int) -> None:
    """Nothing broke, and without a dialog on top it says where orders would go."""
    text = at.text()
    lines = text.split("\n")
    assert at.app._exception is None and leaked(text) == 0
    if width >= 20 and height >= 4:
        assert len(lines) == height
        assert isinstance(at.app.screen, ModalScreen) or "PAPER" in lines[0]


def test_the_test_counts_control_characters_left_in_a_text() -> None:
    assert leaked("a\x1b[2Jb\nc") == 1 and leaked("\x9b\u202ex\ud800") == 3 and leaked("日本 [/] …\n│") == 0


@pytest.mark.timeout(900)
async def test_every_screen_draws_at_every_terminal_size() -> None:
    for action_id in SCREENS:
        async with desk(120, 36) as at:
            if action_id:
                await at.press(at.app.keymaps.keymap.of(action_id)[0])
            for width, height in SIZES:
                await at.pilot.resize_terminal(width, height)
                await at.settle()
                sound(at, width, height)
            assert at.port.intents == []
    measured.keep("ui", *measured.EVERY_SIZE, sizes=len(SIZES), screens=len(SCREENS))


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("size", "walks"), [("commit", 10), pytest.param("nightly", 500, marks=pytest.mark.nightly)])
async def test_every_screen_draws_after_random_resizes_and_keys(size: str, walks: int) -> None:
    for first in range(0, walks, 50):
        async with desk(120, 36) as at:
            for number in range(first, min(first + 50, walks)):
                source = random.Random(number)
                for _ in range(4):
                    width, height = source.choice(SIZES) if source.random() < 0.3 else random_size(source)
                    await at.pilot.resize_terminal(width, height)
                    if source.random() < 0.5:
                        await at.press(source.choice(KEYS))
                    await at.settle()
                    sound(at, width, height)
                await at.press("escape", "escape")
            assert at.port.intents == []
    measured.keep("ui", size, walks=walks)


def random_size(source: random.Random) -> tuple[int, int]:
    return source.randrange(1, 240), source.randrange(1, 80)


def hostile(source: random.Random) -> str:
    """Pieces of hostile texts, characters that command, and any others."""
    pieces = [source.choice(HOSTILE)[:60] for _ in range(source.randrange(3))]
    pieces += [
        chr(source.choice((source.randrange(32), source.randrange(0x20, 0x2100), 0x1B, 0x9B, 0x202E))) for _ in range(6)
    ]
    source.shuffle(pieces)
    return "".join(pieces)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("size", "count"), [("commit", 400), pytest.param("nightly", 101_000, marks=pytest.mark.nightly)]
)
async def test_control_characters_of_random_events_reach_no_terminal(size: str, count: int) -> None:
    found, drawn = 0, 0
    for first in range(0, count, 4_000):
        async with desk(200, 60) as at:
            await at.press("E")
            for number in range(first, min(first + 4_000, count), AT_ONCE):
                for one in range(number, number + AT_ONCE):
                    at.port.event(f"#{one} {hostile(random.Random(one))}", Level.ALERT)
                await at.settle()
                text = at.text()
                found += leaked(text)
                drawn += sum(f"#{one} " in text for one in range(number, number + AT_ONCE))
    measured.keep("ui", size, hostile_strings=drawn, leaked_bytes=found)
    assert found == 0
    assert drawn >= count * 0.95, f"{drawn} of {count} texts were drawn"
