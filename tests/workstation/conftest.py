"""Nothing animates, nobody's own settings are read, and no test waits for a timer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping

from tests.leaping import LeapingLoop, textual_takes_the_time_of_the_loop

os.environ["TEXTUAL_ANIMATIONS"] = "none"

__all__ = ["textual_takes_the_time_of_the_loop"]


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"leaping": LeapingLoop}
