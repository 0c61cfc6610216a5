"""Nothing animates, nobody's own settings are read, and no test waits for a timer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.leaping import LeapingLoop, textual_takes_the_time_of_the_loop
from tests.undrawn import draw_nothing_else

os.environ["TEXTUAL_ANIMATIONS"] = "none"

UNDRAWN = (
    "alerts/",
    "command_line/",
    "first_steps/",
    "keys/",
    "ladder/",
    "lists/",
    "pair/",
    "painting/test_focus",
    "painting/test_header",
    "painting/test_news",
    "painting/test_pane_heights",
    "painting/test_placement",
    "screens/",
    "tickets/",
)
"""Beginnings of the ids, below this folder, of tests that ask for places and texts and not for what a frame wrote."""

__all__ = ["textual_takes_the_time_of_the_loop"]


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"leaping": LeapingLoop}


@pytest.fixture(autouse=True)
def nothing_is_drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames that nobody looks at are not drawn: `Desk.text` draws what it returns.

    Tests of the painter, and those marked `drawn`, draw every frame.
    """
    place = request.path.relative_to(Path(__file__).parent).as_posix()
    if place.startswith(UNDRAWN) and not request.node.get_closest_marker("drawn"):
        draw_nothing_else(monkeypatch)
