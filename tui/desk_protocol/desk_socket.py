"""Socket of a home, served beside the engine while this process holds the account."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tui.desk_protocol import unix_socket
from tui.desk_protocol.server import DeskServer, EngineHost
from tui.desk_protocol.unix_socket import SocketRefused
from tui.engine.rows import EventLine, Level
from tui.protocols import Clock


async def serve_socket(path: Path, host: EngineHost, clock: Clock, run_id: str) -> None:
    """Serve the windows, programs and agents of this machine until cancelled.

    Where the socket cannot be opened, an event line says why. Call this only while holding the account.

    Args:
        path: Place of the socket.
        host: What runs the engine.
        clock: Clocks of this process.
        run_id: Name of this run of the engine, that no other run has.
    """
    try:
        bound = unix_socket.bind(path)
    except SocketRefused as error:
        text = f"other windows and programs cannot attach: {error}"
        host.hub.put_event(EventLine(wall_ms=int(clock.wall() * 1000), level=Level.WARN, text=text))
        return
    server = DeskServer(host, clock, run_id)
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
