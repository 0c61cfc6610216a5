"""An event loop that never waits: where nothing can run, its clock jumps to the next timer.

For tests of the screen, whose waits are all timers of their own process. A test takes the CPU time it needs and no more,
and a busy machine cannot make a timer late: the clock stands still while anything can run.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Iterator

import pytest


class _LeapingSelector(selectors.DefaultSelector):
    """Looks at the files, and takes the waiting out of the clock."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        found = super().select(0)
        if not found:
            self.now += timeout
        return found


class LeapingLoop(asyncio.SelectorEventLoop):
    """Its time is that of its timers alone; files are read as always."""

    def __init__(self) -> None:
        self._waiting = _LeapingSelector()
        self._waiting.now = time.monotonic()
        super().__init__(self._waiting)

    def time(self) -> float:
        return self._waiting.now


class LeapingPolicy(asyncio.DefaultEventLoopPolicy):
    """Makes `asyncio.run` leap."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return LeapingLoop()


def now() -> float:
    """The clock of the running loop, that of the machine outside of one."""
    try:
        return asyncio.get_running_loop().time()
    except RuntimeError:
        return time.monotonic()


@pytest.fixture(autouse=True)
def textual_takes_the_time_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Timers and events of textual, which asks the machine otherwise."""
    monkeypatch.setattr("textual._time.get_time", now)


@pytest.fixture
def every_run_leaps() -> Iterator[None]:
    """For what starts a loop of its own with `asyncio.run`."""
    before = asyncio.get_event_loop_policy()
    asyncio.set_event_loop_policy(LeapingPolicy())
    yield
    asyncio.set_event_loop_policy(before)
