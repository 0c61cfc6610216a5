"""A TCP relay between workstation and venue, which can fall silent as a network does: nothing arrives, nothing ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")
PORTS = 4
"""Addresses of a venue: REST, the private stream, the public one, that of algo orders."""


class Relay:
    """Carries bytes between ports of its own and those of a venue, on a loop and thread of its own."""

    def __init__(self) -> None:
        self.connections = 0
        self._lost: set[asyncio.StreamWriter] = set()
        """Ends of connections over which nothing passes any more."""
        self._writers: set[asyncio.StreamWriter] = set()
        self._targets: dict[int, int] = {}
        """Port of the venue by own port."""
        self._free: list[int] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="relay", daemon=True)
        self._thread.start()
        self._call(self._begin())

    @property
    def hosts(self) -> str:
        """The Host headers that come over it, for the switch `hosts` of the venue."""
        return ",".join(f"127.0.0.1:{port}" for port in (*self._free, *self._targets))

    def stand_for(self, urls: Iterable[str]) -> list[str]:
        """The addresses that stand for those of a venue."""
        return [self._stand_for(url) for url in urls]

    def _stand_for(self, url: str) -> str:
        port = urlsplit(url).port or 0
        own = next((own for own, target in self._targets.items() if target == port), None)
        if own is None:
            own = self._free.pop()
            self._targets[own] = port
        return url.replace(f":{port}", f":{own}", 1)

    def fall_silent(self) -> None:
        """Every connection there is stays open and carries nothing any more; new ones are carried."""
        self._loop.call_soon_threadsafe(lambda: self._lost.update(self._writers))

    def close(self) -> None:
        """End the relay and its thread."""
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _begin(self) -> None:
        for _ in range(PORTS):
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            self._free.append(server.sockets[0].getsockname()[1])

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        target = self._targets[writer.get_extra_info("sockname")[1]]
        with suppress(OSError, asyncio.CancelledError):
            other, there = await asyncio.open_connection("127.0.0.1", target)
            self._writers |= {writer, there}
            await asyncio.gather(self._carry(reader, there), self._carry(other, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                if writer not in self._lost:
                    writer.write(data)
                    await writer.drain()
            if writer not in self._lost:
                writer.close()
