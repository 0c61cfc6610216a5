"""Carriers of a desk, served beside the engine while this process holds the account: the socket of the home, and a bus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from tui.desk_protocol import unix_socket
from tui.desk_protocol.server import DeskServer, EngineHost
from tui.desk_protocol.unix_socket import SocketRefused
from tui.engine.rows import EventLine, Level
from tui.protocols import Clock

ServeBus = Callable[[DeskServer], Coroutine[Any, Any, None]]
"""Serves a further carrier until cancelled."""


async def serve_socket(path: Path, host: EngineHost, clock: Clock, run_id: str, bus: ServeBus | None = None) -> None:
    """Serve the windows, programs and agents of this machine, and those of a bus, until cancelled.

    Where the socket cannot be opened, an event line says why. Call this only while holding the account.

    Args:
        path: Place of the socket.
        host: What runs the engine.
        clock: Clocks of this process.
        run_id: Name of this run of the engine, that no other run has.
        bus: Serves the windows of a bus; None: there is none.
    """
    server = DeskServer(host, clock, run_id)
    try:
        async with asyncio.TaskGroup() as carriers:
            carriers.create_task(_serve_path(path, server, host, clock))
            if bus is not None:
                carriers.create_task(bus(server))
    finally:
        await server.close()


async def _serve_path(path: Path, server: DeskServer, host: EngineHost, clock: Clock) -> None:
    try:
        bound = unix_socket.bind(path)
    except SocketRefused as error:
        text = f"other windows and programs cannot attach: {error}"
        host.hub.put_event(EventLine(wall_ms=int(clock.wall() * 1000), level=Level.WARN, text=text))
        return
    try:
        listening = await unix_socket.serve(bound, server.accept)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            listening.close()
            await server.close()
    finally:
        bound.socket.close()
        unix_socket.remove(bound)
