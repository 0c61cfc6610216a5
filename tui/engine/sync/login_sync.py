"""Getting in step after a login: orders first and alone, then fills and what is UNKNOWN behind them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from tui.client.rest import CallFailed, Rest
from tui.engine.rows import Level
from tui.engine.state.engine_state import EngineState
from tui.engine.sync.fill_reader import FillReader
from tui.engine.sync.push_handler import PushHandler
from tui.engine.sync.reconciliation import Reconciler, after_login

RESYNC_WAITS = (0.25, 0.5, 1.0, 2.0, 4.0)
FILL_WAITS = (1.0, 2.0, 5.0, 10.0)
"""Pauses (s) before the fills of the day are asked for again; the last one repeats."""
FILLS_GAP = 5.0
"""Least time (s) between two looks at the fills on behalf of UNKNOWN orders."""


class LoginSync:
    """One for the life of an engine; its two jobs are cancelled and begun again with every login."""

    def __init__(
        self,
        state: EngineState,
        rest: Rest,
        pushes: PushHandler,
        reconciler: Reconciler,
        *,
        expedite: Callable[[str], None],
        spawn: Callable[[str, Coroutine[Any, Any, None]], bool],
        changed: Callable[[], None],
        failed: Callable[[str, Exception], None],
        in_step: Callable[[], None],
    ) -> None:
        """Prepare.

        Args:
            desk: What is known.
            rest: Where it is read.
            pushes: Pushes, kept while lists are read.
            reconciler: Reads the lists.
            expedite: Ask about an order now.
            spawn: Starts a job by name.
            changed: What is shown about the link is to be shown again.
            failed: Told of internal errors.
            in_step: The desk is in step.
        """
        self.fills = FillReader(state, rest, expedite)
        self.trouble = ""
        """Why the lists could not be read, or empty."""
        self.fill_trouble = ""
        """The same of the fills."""
        self._state = state
        self._pushes = pushes
        self._reconciler = reconciler
        self._spawn = spawn
        self._changed = changed
        self._failed = failed
        self._when_in_step = in_step

    async def run(self) -> None:
        """Read everything until it fits together; then the desk is in step."""
        failures = 0
        while True:
            try:
                await after_login(self._reconciler, self._pushes.release)
            except Exception as failure:
                if not isinstance(failure, CallFailed):
                    self._failed("snapshot", failure)
                self._pushes.release()
                self.trouble = f"SNAPSHOT FAILED: {failure}"
                self._state.notify(Level.WARN, f"{self.trouble}; what is shown is older")
                self._changed()
                await asyncio.sleep(RESYNC_WAITS[min(failures, len(RESYNC_WAITS) - 1)])
                failures += 1
                self._pushes.hold()
                continue
            if not self._pushes.overflow:
                break
            self._pushes.hold()
        self._spawn("fills", self._read_fills())
        self.trouble = ""
        self._state.synced = self._state.was_synced = True
        self._when_in_step()

    async def read_recent_fills(self) -> float:
        """Look at the fills unless that was a moment ago; when the newest look that was answered began, monotonic s."""
        if self._state.clock.mono() - self.fills.asked_at >= FILLS_GAP:
            with suppress(CallFailed):
                await self.fills.catch_up()
        return self.fills.read_at

    async def _read_fills(self) -> None:
        """Read what was missed and the rest of the day, however often it takes."""
        failures = 0
        while True:
            try:
                await self.fills.catch_up()
                await self.fills.whole_day()
            except CallFailed as failure:
                self.fill_trouble = f"fills: {failure}"
                await asyncio.sleep(FILL_WAITS[min(failures, len(FILL_WAITS) - 1)])
                failures += 1
            else:
                break
        self.fill_trouble = ""
        self._changed()
