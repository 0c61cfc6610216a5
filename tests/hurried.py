"""An event loop and a clock on which idle time is short: what is tested waits its full time, nobody waits for it.

While nothing can run, a second lasts a twentieth of one; while anything runs, time is the machine's. For tests of an
engine and a service on sockets of one process: nobody else's work counts as idleness, and bytes have a moment to arrive,
which they have not on a loop that leaps (`tests/leaping.py`).
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from tui.host import HostClock
from tui.protocols import Clock

FACTOR = 20.0


class _HurriedSelector(selectors.SelectSelector):
    """Waits for a part of the time it is asked for; `epoll` knows no part of a millisecond."""

    factor = FACTOR
    skipped = 0.0
    """What was not waited for so far, s."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        waited = timeout / self.factor
        found = super().select(waited)
        if not found:
            self.skipped += timeout - waited
        return found


class HurriedLoop(asyncio.SelectorEventLoop):
    """A loop whose idle time is short."""

    def __init__(self) -> None:
        self._hurried = _HurriedSelector()
        super().__init__(self._hurried)

    @property
    def skipped(self) -> float:
        """How far its time is ahead of the machine's, s."""
        return self._hurried.skipped

    @contextmanager
    def unhurried(self) -> Iterator[None]:
        """Idle time is the machine's as long as another process is at work."""
        self._hurried.factor = 1.0
        try:
            yield
        finally:
            self._hurried.factor = FACTOR

    def time(self) -> float:
        return super().time() + self._hurried.skipped


class HurriedClock:
    """The machine's clocks with the time that a loop skipped."""

    def __init__(self, loop: HurriedLoop) -> None:
        self._host, self._loop = HostClock(), loop

    def mono(self) -> float:
        return self._host.mono() + self._loop.skipped

    def boot(self) -> float:
        return self._host.boot() + self._loop.skipped

    def wall(self) -> float:
        return self._host.wall() + self._loop.skipped


def while_another_process_works() -> AbstractContextManager[None]:
    """Let the running loop wait its full time."""
    loop = asyncio.get_running_loop()
    return loop.unhurried() if isinstance(loop, HurriedLoop) else nullcontext()


def clock_of_the_loop() -> Clock:
    """The clock that goes with the running loop."""
    loop = asyncio.get_running_loop()
    return HurriedClock(loop) if isinstance(loop, HurriedLoop) else HostClock()
