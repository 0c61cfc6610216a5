"""Periodic jobs, each with an interval and a precondition."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec

NEVER = float("inf")


def _always() -> bool:
    return True


class Job(msgspec.Struct):
    """Periodic job."""

    name: str
    """Name of its task; two jobs with one name never run at the same time."""
    interval: Callable[[], float]
    """Returns the seconds from one start to the next; called at each start."""
    run: Callable[[], Coroutine[Any, Any, None]]
    ready: Callable[[], bool] = _always
    """Whether it may run now; otherwise it stays due."""
    early: Callable[[float], bool] | None = None
    """Whether it runs before it is due, by the seconds since its last start."""
    due: float = NEVER
    """Monotonic time of the next start, s."""
    started: float = float("-inf")
    """Monotonic time of the last start, s."""

    def bring_forward(self, at: float) -> None:
        """Make the job due at this time, unless it is due earlier."""
        self.due = min(self.due, at)


class Scheduler:
    """Scheduler that starts due jobs in list order."""

    def __init__(self, jobs: Sequence[Job], spawn: Callable[[str, Coroutine[Any, Any, None]], bool]) -> None:
        self._jobs = jobs
        self._spawn = spawn

    def tick(self, now: float) -> None:
        """Start the due jobs; `now` is monotonic, in s."""
        for job in self._jobs:
            is_due = now >= job.due or (job.early is not None and job.early(now - job.started))
            if is_due and job.ready():
                job.started, job.due = now, now + job.interval()
                self._spawn(job.name, job.run())
