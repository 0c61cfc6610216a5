"""Carrier of a window that stops reading, hears nonsense, loses lines or says too much, as its day wants."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tui.desk_protocol.carrier import Carrier

LOOK_S = 0.05

Spoil = Callable[[bytes], bytes | None]
"""Makes another line of the next one that is read; None: it is lost."""


class Ear:
    """What a window does with its carrier; it stays over all connections of the window."""

    def __init__(self) -> None:
        self.deaf = False
        """Whether nothing is read."""
        self.spoil: Spoil | None = None
        self.says: list[bytes] = []
        """Lines that are sent before the next one."""

    def on(self, inner: Carrier) -> Carrier:
        """Return a connection on which this happens."""
        return _Heard(inner, self)


class _Heard:
    def __init__(self, inner: Carrier, ear: Ear) -> None:
        self._inner = inner
        self._ear = ear

    async def receive(self) -> bytes:
        while True:
            line = await self._inner.receive()
            while self._ear.deaf:
                await asyncio.sleep(LOOK_S)
            if self._ear.spoil is None:
                return line
            spoiled = self._ear.spoil(line)
            if spoiled is not None:
                return spoiled

    async def send(self, data: bytes) -> None:
        says, self._ear.says = self._ear.says, []
        for line in says:
            await self._inner.send(line)
        await self._inner.send(data)

    def close(self) -> None:
        self._inner.close()

    async def wait_closed(self) -> None:
        await self._inner.wait_closed()
