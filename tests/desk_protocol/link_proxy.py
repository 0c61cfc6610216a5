"""A proxy between a window and the socket of a desk, which cuts, holds, doubles and swaps lines as a test wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from tui.desk_protocol.messages import MOST_LINE_BYTES

Rule = Callable[[bytes], Awaitable[Sequence[bytes]]]
"""A line in, the lines that go on in its place."""


async def pass_on(line: bytes) -> Sequence[bytes]:
    return [line]


class LinkProxy:
    """Serves `proxy.sock` of a home; as long as nothing is asked of it, it passes everything on unchanged."""

    def __init__(self) -> None:
        self.up: Rule = pass_on
        self.down: Rule = pass_on
        self.is_open = True
        """Whether new connections are passed on."""
        self._near: set[asyncio.StreamWriter] = set()
        self._far: set[asyncio.StreamWriter] = set()
        self._held: set[asyncio.StreamWriter] = set()
        """Connections to the desk whose other side is gone without a word."""
        self._pumps: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def serve(cls, home: Path) -> AsyncIterator[LinkProxy]:
        proxy = cls()

        async def connected(near_in: asyncio.StreamReader, near_out: asyncio.StreamWriter) -> None:
            await proxy._connect(home, near_in, near_out)

        server = await asyncio.start_unix_server(connected, home / "proxy.sock", limit=MOST_LINE_BYTES)
        (home / "proxy.sock").chmod(0o600)
        try:
            yield proxy
        finally:
            server.close()
            for pump in proxy._pumps:
                pump.cancel()
            proxy.cut()
            if proxy._pumps:
                await asyncio.wait(proxy._pumps)

    async def _connect(self, home: Path, near_in: asyncio.StreamReader, near_out: asyncio.StreamWriter) -> None:
        if not self.is_open:
            near_out.close()
            return
        try:
            far_in, far_out = await asyncio.open_unix_connection(home / "desk.sock", limit=MOST_LINE_BYTES)
        except OSError:
            near_out.close()
            return
        self._near.add(near_out)
        self._far.add(far_out)
        for reader, writer, is_up in ((near_in, far_out, True), (far_in, near_out, False)):
            pump = asyncio.create_task(self._pump(reader, writer, is_up))
            self._pumps.add(pump)
            pump.add_done_callback(self._pumps.discard)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_up: bool) -> None:
        with suppress(OSError):
            while line := await reader.readline():
                for one in await (self.up if is_up else self.down)(line):
                    writer.write(one)
                await writer.drain()
        if writer not in self._held:
            writer.close()

    def cut(self, *, unnoticed: bool = False) -> None:
        """End all connections; `unnoticed`: those to the desk stay, as if their other side were still there."""
        if unnoticed:
            self._held |= self._far
        for writer in self._near if unnoticed else self._near | self._far:
            writer.close()
        self._near.clear()
        if not unnoticed:
            self._far.clear()


def method_of(line: bytes) -> str:
    """The method of a call."""
    return str(json.loads(line).get("method", ""))


def read(line: bytes) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(line)
    return message
