"""Nothing animates, nobody's own settings are read, and no test waits for a timer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from textual._compositor import Compositor

from tests.leaping import LeapingLoop, textual_takes_the_time_of_the_loop
from tests.undrawn import draw_what_sends

os.environ["TEXTUAL_ANIMATIONS"] = "none"

UNDRAWN = frozenset(["keys", "lists", "screens", "tickets"])

__all__ = ["textual_takes_the_time_of_the_loop"]


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"leaping": LeapingLoop}


@pytest.fixture(autouse=True)
def nothing_is_drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames that nobody looks at are not drawn: `Desk.text` draws what it returns.

    Tests of the painter, and those marked `drawn`, draw every frame.
    """
    folder = request.path.relative_to(Path(__file__).parent).parts[0]
    if folder in UNDRAWN and not request.node.get_closest_marker("drawn"):
        monkeypatch.setattr(Compositor, "render_update", draw_what_sends)
