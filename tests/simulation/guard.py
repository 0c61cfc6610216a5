"""A watchdog process in virtual time: its own connection, its own pipe from the client, and its one duty."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.simulation.harness.simulated_host import MemoryConnector, VirtualClock
from tui.client.aiohttp_adapter import open_session
from tui.client.failover import FailoverSelector
from tui.client.rate_limiter import RateLimiter
from tui.client.rest import Rest
from tui.client.settings import Timings
from tui.client.signer import Secret, Signer
from tui.engine.watchdog import EndReason, WatchdogSetup, cancel_ours, watch
from tui.host import SeededRandomSource, order_id_time

if TYPE_CHECKING:
    from tests.simulation.floor import Floor

BEAT_S = 1.0
"""Least time between two signs of life."""


class Guard:
    """Watches over one life of the client; it outlives it."""

    PATH = "guard"
    """Where it reaches the venue: beside the proxy, whose tables are about the client."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._pipe: asyncio.Queue[bytes] = asyncio.Queue()
        self._last = float("-inf")
        key = floor.keys[0]
        self._charge = WatchdogSetup(
            service=floor.service(),
            key=key.api_key,
            secret=key.api_secret,
            portfolio=floor.portfolio,
            prefix="cdsimula",
            silence=10.0,
            grace=5.0,
        )
        self.cancelled = 0
        """Orders whose cancel the venue accepted."""
        self.end: EndReason | None = None
        self.work = asyncio.ensure_future(self._run())

    def beat(self) -> None:
        """A sign of life of the engine."""
        now = self._floor.world.now
        if now - self._last >= BEAT_S:
            self._last = now
            self._pipe.put_nowait(b"\n")

    def pipe_ends(self) -> None:
        """The client's process is gone."""
        self._pipe.put_nowait(b"")

    def _say(self, text: str) -> None:
        if text.endswith("accepted"):
            self.cancelled += 1
            self._floor.sometimes["watchdog_fired"] += 1

    async def _run(self) -> None:
        floor, timings, charge = self._floor, Timings(), self._charge
        # It runs on the same machine, and its clock is set right: a wrong one is for the client to handle.
        clock = VirtualClock(floor.world)
        clock.ahead = floor.venue_clock.ahead
        # Orders' ids are made with the client's own clock, wrong or not.
        ended = await watch(self._pipe.get, charge, self._say, lambda: order_id_time(floor.clock))
        self.end = ended.end
        if self.end is not EndReason.DEAD:
            return
        async with open_session(MemoryConnector(self.PATH)) as session:
            rest = Rest(
                charge.service,
                failover=FailoverSelector(charge.service, timings, clock),
                session=session,
                signer=Signer(charge.key, Secret(charge.secret), clock),
                rate_limiter=RateLimiter(timings, clock),
                clock=clock,
                random_source=SeededRandomSource(floor.life),
                timings=timings,
            )
            await cancel_ours(rest, charge, self._say, ended.moment)
