"""Socket of a home, served beside the engine while this process holds the account."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from tui.desk_protocol import unix_socket
from tui.desk_protocol.server import DeskServer, EngineHost
from tui.desk_protocol.unix_socket import SocketRefused
from tui.engine.rows import EventLine, Level
from tui.protocols import Clock


class DeskSocket:
    """Socket for the windows, programs and agents of this machine."""

    def __init__(self, path: Path, clock: Clock, new_id: Callable[[], str]) -> None:
        """Initialize the socket; `new_id` names a run of the engine as no other run is named."""
        self._path = path
        self._clock = clock
        self._new_id = new_id
        self._wanted = asyncio.Event()

    def open(self) -> None:
        """Open the socket soon; called on the engine's loop once this process holds the account."""
        self._wanted.set()

    async def run(self, host: EngineHost) -> None:
        """Serve from `open` on, until cancelled; where it cannot be opened, an event line says why."""
        await self._wanted.wait()
        server = DeskServer(host, self._clock, self._new_id())
        try:
            listening = await unix_socket.serve(self._path, server.accept)
        except SocketRefused as error:
            text = f"other windows and programs cannot attach: {error}"
            host.hub.put_event(EventLine(wall_ms=int(self._clock.wall() * 1000), level=Level.WARN, text=text))
            return
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            listening.close()
            server.close()
            remove(self._path)


def remove(path: Path) -> None:
    """Remove the socket of this process."""
    path.unlink(missing_ok=True)
