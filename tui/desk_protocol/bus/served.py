"""Bus of a gateway as a carrier beside the socket of its home."""

from __future__ import annotations

from collections.abc import Callable

from tui.desk_protocol.bus.connection import BusPlace, OpenBus, open_bus
from tui.desk_protocol.bus.gateway import serve_bus
from tui.desk_protocol.desk_socket import ServeBus
from tui.desk_protocol.engine_host import EngineHost
from tui.desk_protocol.server import DeskServer
from tui.engine.event_line import EventLine, Level
from tui.protocols import Clock

BUS_CAUSE = "bus"
"""Cause of the warning that the server is lost; a later line with it settles the warning."""


def bus_of(
    place: BusPlace, host: EngineHost, clock: Clock, new_id: Callable[[], str], open_bus: OpenBus = open_bus
) -> ServeBus:
    """Return a function that serves traders on the bus; its event lines say whether they can attach now."""

    def tell(text: str, *, can_attach: bool) -> None:
        level = Level.INFO if can_attach else Level.WARN
        host.hub.put_event(EventLine(wall_ms=int(clock.wall() * 1000), level=level, text=text, cause=BUS_CAUSE))

    async def serve(server: DeskServer) -> None:
        await serve_bus(place, server.accept, new_id, tell, open_bus)

    return serve
