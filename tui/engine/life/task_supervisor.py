"""Named tasks of the engine, one per name; failures are notified and journaled, permanent tasks restarted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

from tui.client.rest import CallFailed
from tui.engine.event_line import Level
from tui.engine.state.engine_state import EngineState

log = logging.getLogger("tui.engine")

RESTART_S = 1.0
"""Pause before an ended part is restarted, s."""


class TaskSupervisor:
    """Supervisor that starts tasks, reports their failures, and cancels all of them at the end."""

    def __init__(self, state: EngineState, changed: Callable[[], None]) -> None:
        """Start without tasks.

        Args:
            state: State in which failures are reported and journaled.
            changed: Callback after an internal error, to show it at once.
        """
        self._state = state
        self._changed = changed
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._failed_reads: dict[str, str] = {}
        self.failures = 0
        """Number of internal errors."""
        self.error = ""
        """Text of the newest internal error, or empty."""

    @property
    def read_error(self) -> str:
        """Error of a read whose newest attempt failed; empty when the newest attempts of all reads worked."""
        return next(iter(self._failed_reads.values()), "")

    def spawn(self, name: str, work: Coroutine[Any, Any, None]) -> bool:
        """Start a task unless one of this name is running; return whether it was started."""
        running = self._tasks.get(name)
        if running is not None and not running.done():
            work.close()
            return False
        task = asyncio.create_task(work, name=name)
        self._tasks[name] = task
        task.add_done_callback(lambda done: self._on_done(name, done))
        return True

    def keep_running(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Start a permanent task; after a failure it is reported and restarted."""
        self.spawn(name, self._run_forever(name, work))

    async def _run_forever(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except Exception as error:
                self.report_failure(name, error)
            await asyncio.sleep(RESTART_S)

    def cancel(self, *names: str) -> None:
        """Cancel tasks by name; the names can be reused at once."""
        for name in names:
            running = self._tasks.pop(name, None)
            if running is not None:
                running.cancel()

    async def end(self) -> None:
        """Cancel all tasks and wait until they have ended."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def report_failure(self, where: str, error: Exception) -> None:
        """Notify and journal an internal error; the engine keeps running."""
        self.failures += 1
        self.error = f"internal error in {where}: {type(error).__name__}"
        log.error("internal error in %s", where, exc_info=error)
        with suppress(Exception):
            self._state.write_journal("trouble", self.error)
            self._state.notify(Level.ALERT, self.error)
            self._changed()

    def _on_done(self, name: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(name) is task:
            del self._tasks[name]
        if task.cancelled():
            return
        error = task.exception()
        before = self._failed_reads.pop(name, None)
        if isinstance(error, CallFailed):
            self._failed_reads[name] = f"{name}: {error}"
            if self._failed_reads[name] != before:
                self._state.notify(Level.WARN, f"{self._failed_reads[name]}; older data is shown", cause=name)
        elif isinstance(error, Exception):
            self.report_failure(name, error)
        elif before is not None:
            self._state.notify(Level.INFO, f"{name}: works again", cause=name)
