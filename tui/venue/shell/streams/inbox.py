"""Receive queue of a connection: simulates network delay, frames keep their order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

MAX_WAITING = 1000
"""Most frames on their way; the next one is read from the socket when there is room."""


class Inbox:
    """Receive queue that passes frames on in order, each after its own delay."""

    def __init__(self, read: Callable[[str | bytes], None]) -> None:
        self._read = read
        self._waiting: deque[tuple[float, str | bytes]] = deque()
        self._last_due = 0.0
        self._less = asyncio.Event()

    async def put(self, frame: str | bytes, delay: float) -> None:
        """Queue a frame that is passed on after `delay` seconds, but not before the frame ahead of it."""
        loop = asyncio.get_running_loop()
        self._last_due = max(self._last_due, loop.time() + delay)
        if delay <= 0 and not self._waiting:
            self._read(frame)
            return
        self._waiting.append((self._last_due, frame))
        if len(self._waiting) == 1:
            loop.call_at(self._last_due, self._release)
        await self._until(MAX_WAITING)

    async def drain(self) -> None:
        """Wait until every queued frame has been passed on."""
        await self._until(1)

    async def _until(self, most: int) -> None:
        while len(self._waiting) >= most:
            self._less.clear()
            await self._less.wait()

    def _release(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting and self._waiting[0][0] <= loop.time():
                self._read(self._waiting.popleft()[1])
        finally:
            self._less.set()
            if self._waiting:
                loop.call_at(self._waiting[0][0], self._release)
