"""Carriers of a desk, served beside the engine while this process holds the account: the socket of the home, and a bus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from tui.desk_protocol import unix_socket
from tui.desk_protocol.engine_host import EngineHost
from tui.desk_protocol.server import DeskServer
from tui.desk_protocol.unix_socket import BoundSocket, SocketRefused
from tui.engine.event_line import EventLine, Level
from tui.protocols import Clock

RETRY_S = 0.5
"""Pause between two attempts to open the socket, s."""
SOCKET_CAUSE = "socket"
"""Cause of the warning that the socket cannot be opened; a later line with it settles the warning."""
ServeBus = Callable[[DeskServer], Coroutine[Any, Any, None]]
"""Serves a further carrier until cancelled."""


async def serve_socket(
    path: Path, host: EngineHost, clock: Clock, run_id: str, bus: ServeBus | None = None, *, has_screen: bool = False
) -> None:
    """Serve windows, programs and agents on the Unix socket, and windows on the bus if there is one, until cancelled.

    Where the socket cannot be opened, an event line says why, and it is tried again. Call this only while holding the
    account.

    Args:
        path: Place of the socket.
        host: What runs the engine.
        clock: Clocks of this process.
        run_id: Name of this run of the engine, that no other run has.
        bus: Serves the windows of a bus; None: there is none.
        has_screen: Whether this process is a desk itself, which others count.
    """
    server = DeskServer(host, clock, run_id, has_screen=has_screen)
    try:
        async with asyncio.TaskGroup() as carriers:
            carriers.create_task(_serve_path(path, server, host, clock))
            if bus is not None:
                carriers.create_task(bus(server))
    finally:
        await server.close()


async def _bind(path: Path, host: EngineHost, clock: Clock) -> BoundSocket:
    """Bind the Unix socket, retrying until its path can be used; event lines say when others cannot or can attach."""
    said = ""

    def say(level: Level, text: str) -> None:
        line = EventLine(wall_ms=int(clock.wall() * 1000), level=level, text=text, cause=SOCKET_CAUSE)
        host.hub.put_event(line)

    while True:
        try:
            if said:
                # In a thread, for another process that serves it may stand still.
                await asyncio.to_thread(unix_socket.clear_place, path)
            bound = unix_socket.bind(path)
        except SocketRefused as error:
            if str(error) != said:
                said = str(error)
                say(Level.WARN, f"other windows and programs cannot attach: {said}")
        else:
            if said:
                say(Level.INFO, "other windows and programs can attach")
            return bound
        await asyncio.sleep(RETRY_S)


async def _serve_path(path: Path, server: DeskServer, host: EngineHost, clock: Clock) -> None:
    bound = await _bind(path, host, clock)
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
