"""Jobs that are due again and again: a row for each, with its interval and what must hold before it runs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec

NEVER = float("inf")


def _always() -> bool:
    return True


class Job(msgspec.Struct):
    """Work that repeats."""

    name: str
    """Of its task; two jobs of one name never run at once."""
    interval: Callable[[], float]
    """Seconds from one start to the next; asked at each start."""
    run: Callable[[], Coroutine[Any, Any, None]]
    ready: Callable[[], bool] = _always
    """Whether it may run now; one that may not stays due."""
    early: Callable[[float], bool] | None = None
    """Whether it runs before it is due, by the seconds since it started last."""
    due: float = NEVER
    """Monotonic time of the next start, s."""
    started: float = float("-inf")
    """Monotonic time of the last start, s."""

    def bring_forward(self, at: float) -> None:
        """Due at this time unless it is due sooner."""
        self.due = min(self.due, at)


class Scheduler:
    """Starts the jobs that are due, in the order of their rows."""

    def __init__(self, jobs: Sequence[Job], spawn: Callable[[str, Coroutine[Any, Any, None]], bool]) -> None:
        self._jobs = jobs
        self._spawn = spawn

    def tick(self, now: float) -> None:
        """One look. `now`: monotonic, s."""
        for job in self._jobs:
            is_due = now >= job.due or (job.early is not None and job.early(now - job.started))
            if is_due and job.ready():
                job.started, job.due = now, now + job.interval()
                self._spawn(job.name, job.run())
