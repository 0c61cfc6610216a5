"""The simulated implementations of the protocols: clock, connector, lock."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import cast

import aiohttp
import aiohttp.connector
from websockets.asyncio.client import ClientConnection, unix_connect

from tests.simulation.harness.world import World

EPOCH = 1_700_000_000.0
"""Wall time at virtual second 0."""
LONG_IDLE_S = 15.0
"""Longer than the venue keeps a connection: now and then a request meets one that was just closed."""


class VirtualClock:
    """The world's clock, with a wall clock that may be off."""

    def __init__(self, world: World, *, skew: float = 0.0) -> None:
        self._world = world
        self.skew = skew
        self.slept = 0.0
        """Seconds this machine slept so far; its timers stood still meanwhile."""
        self.ahead = 0.0
        """Seconds that passed here while another machine slept."""

    # Asked for about 200 times in a virtual second: the three do not call each other.

    def mono(self) -> float:
        return self._world.now_us / 1_000_000 + self.ahead

    def boot(self) -> float:
        return self._world.now_us / 1_000_000 + self.ahead + self.slept

    def wall(self) -> float:
        return EPOCH + (self._world.now_us / 1_000_000 + self.ahead + self.slept) + self.skew


class MemoryConnector:
    """Opens connections in memory by the path the venue listens on."""

    def __init__(self, path: str, *, idle_s: float = LONG_IDLE_S) -> None:
        """
        Args:
            path: Where the venue listens.
            idle_s: Seconds for which an unused connection is kept for the next request.
        """
        self._path = path
        self._idle_s = idle_s

    def http_pool(self) -> aiohttp.BaseConnector:
        return aiohttp.UnixConnector(self._path, keepalive_timeout=self._idle_s)

    def private_stream(self, url: str) -> AbstractAsyncContextManager[ClientConnection]:
        stream = unix_connect(
            self._path,
            url,
            compression=None,
            max_size=8 * 1024 * 1024,
            open_timeout=3,
            close_timeout=0.5,
            ping_interval=None,
        )
        return cast("AbstractAsyncContextManager[ClientConnection]", stream)


class FreeLock:
    """A lock nobody else wants."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None: ...
