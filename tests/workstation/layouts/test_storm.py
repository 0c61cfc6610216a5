"""A storm of sizes and layouts: after it the terminal shows what one full repaint would show, cell by cell."""

from __future__ import annotations

import random

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal, differences, painted, terminal_of
from tests.workstation.layouts.random_layouts import random_layout
from tests.workstation.scripted import SYMBOLS
from tui.workstation.layouts.presets import PRESETS
from tui.workstation.settings import WorkstationSettings

STORMS_BY_DAY, STORMS = 10, 20
SIZES_AT_ONCE = 10
"""Sizes that follow each other before anybody looks at the picture."""
KEYS = ("0", "d", "tab", "2", "5", ")", "shift+down", "}", "ctrl+down", "\\", "escape")


async def resize(at: Desk, draw: random.Random) -> tuple[int, int]:
    """Resize the window without waiting for what it shows."""
    size = draw.randint(20, 300), draw.randint(5, 100)
    terminal_of(at).resize(*size)
    await at.pilot.resize_terminal(*size)
    return size


def move_market(at: Desk, draw: random.Random) -> None:
    for pair in draw.sample(SYMBOLS, 3):
        at.port.quote(pair.sym, f"6400{draw.randint(0, 9)}.{draw.randint(0, 9)}", "64011.5", "0.5", "0.8")


async def look(at: Desk) -> list[str]:
    """Wait until the picture is painted; return where it differs from a full repaint."""
    await painted(at)
    at.app.main_screen.panel.follow()
    for table in at.app.main_screen.tables.values():
        table._refresh_totals()
    at.app._tick()
    await painted(at)
    return differences(at)


@pytest.mark.drawn
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("seed", "storms"),
    [(1, STORMS_BY_DAY), *(pytest.param(seed, STORMS, marks=pytest.mark.nightly) for seed in range(1, 12))],
)
async def test_the_screen_is_drawn_right_after_many_random_resizes(seed: int, storms: int) -> None:
    draw = random.Random(seed)
    settings = WorkstationSettings(bell=False, cancel_all_on_quit="never")
    async with desk(120, 36, settings=settings, terminal=EmulatedTerminal) as at:
        second = at.app._second
        assert second is not None
        second.stop()
        main = at.app.main_screen
        for storm in range(storms):
            layout = draw.choice([*PRESETS, random_layout(draw), random_layout(draw)])
            main.use_layout(layout)
            if draw.random() < 0.3:
                await at.press("b")
            size = (0, 0)
            for _ in range(SIZES_AT_ONCE):
                size = await resize(at, draw)
                move_market(at, draw)
                if draw.random() < 0.3:
                    await at.press(draw.choice(KEYS))
            found = await look(at)
            assert not found, f"storm {storm}, {layout.steps}, {size}: " + "\n".join(found[:5])
            assert at.app._exception is None
            await at.press("escape", "escape")
        assert at.port.intents == []
