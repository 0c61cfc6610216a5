"""Synchronization after a login: open orders, ends, positions, assets and accounts, and beside them the missed fills."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from tui.client.rest import CallFailed, Rest
from tui.engine.event_line import Level
from tui.engine.state.engine_state import EngineState
from tui.engine.sync.fill_reader import FillReader
from tui.engine.sync.push_handler import PushHandler
from tui.engine.sync.reconciliation import Reconciler, after_login

ORDER_LINK = "order link"
"""Cause of what is said of the private stream; a login that came into step settles it."""
RESYNC_WAITS = (0.25, 0.5, 1.0, 2.0, 4.0)
FILL_WAITS = (1.0, 2.0, 5.0, 10.0)
"""Pauses before the day's fills are read again, s; the last one repeats."""
CAUGHT_UP_S = 0.5
"""Longest time after the lists for which missed fills keep the desk out of step, s; many are read in the background."""
FILLS_GAP = 5.0
"""Least time between two reads of fills for UNKNOWN orders, s."""


class LoginSync:
    """Synchronization after a login; one instance per trading session, restarted at every login."""

    def __init__(
        self,
        state: EngineState,
        rest: Rest,
        pushes: PushHandler,
        reconciler: Reconciler,
        *,
        query_now: Callable[[str], None],
        spawn: Callable[[str, Coroutine[Any, Any, None]], bool],
        changed: Callable[[], None],
        failed: Callable[[str, Exception], None],
        in_step: Callable[[], None],
    ) -> None:
        """Initialize the synchronization.

        Args:
            state: State of the engine.
            rest: Client for reads.
            pushes: Buffer of pushes while lists are read.
            reconciler: Reader of the lists.
            query_now: Queries an order now.
            spawn: Starts a job by name.
            changed: Callback when the connection's status must be published again.
            failed: Receiver of internal errors.
            in_step: Callback for a complete snapshot.
        """
        self.fills = FillReader(state, rest, query_now)
        self.error = ""
        """Why the lists could not be read, or empty."""
        self.fill_error = ""
        """Why the fills could not be read, or empty."""
        self._rest = rest
        self._state = state
        self._pushes = pushes
        self._reconciler = reconciler
        self._spawn = spawn
        self._changed = changed
        self._failed = failed
        self._when_in_step = in_step

    async def run(self) -> None:
        """Read the snapshot until it is consistent, then mark the state as synchronized."""
        failures, caught_up, lists_read = 0, asyncio.Event(), asyncio.Event()
        self._rest.close_idle()
        self._spawn("fills", self._read_fills(caught_up, lists_read))
        while True:
            try:
                await after_login(self._reconciler, self._pushes.release)
            except Exception as failure:
                if not isinstance(failure, CallFailed):
                    self._failed("snapshot", failure)
                self._pushes.release()
                self.error = f"SNAPSHOT FAILED: {failure}"
                self._state.notify(Level.WARN, f"{self.error}; older data is shown", cause=ORDER_LINK)
                self._changed()
                await asyncio.sleep(RESYNC_WAITS[min(failures, len(RESYNC_WAITS) - 1)])
                failures += 1
                self._pushes.hold()
                continue
            if not self._pushes.overflow:
                break
            self._pushes.hold()
        self.error = ""
        lists_read.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(CAUGHT_UP_S):
                await caught_up.wait()
        self._state.synced = self._state.was_synced = True
        self._when_in_step()

    async def read_recent_fills(self) -> float:
        """Read new fills unless read within `FILLS_GAP`; return the monotonic start of the last successful read, in s."""
        if self._state.clock.mono() - self.fills.asked_at >= FILLS_GAP:
            with suppress(CallFailed):
                await self.fills.catch_up()
        return self.fills.read_at

    async def _read_fills(self, caught_up: asyncio.Event, lists_read: asyncio.Event) -> None:
        """Read missed fills beside the lists, and after those the rest of the day's fills; retry until it succeeds.

        Args:
            caught_up: Set when the missed fills were read, or the first attempt failed.
            lists_read: Set when the lists were read.
        """
        failures = 0
        while True:
            try:
                await self.fills.catch_up()
                caught_up.set()
                await lists_read.wait()
                await self.fills.whole_day()
            except CallFailed as failure:
                caught_up.set()
                self.fill_error = f"fills: {failure}"
                await asyncio.sleep(FILL_WAITS[min(failures, len(FILL_WAITS) - 1)])
                failures += 1
            else:
                break
        self.fill_error = ""
        self._changed()
