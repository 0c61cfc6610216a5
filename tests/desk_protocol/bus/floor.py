"""Floor of a gateway and two traders on a NATS server."""

from __future__ import annotations

from typing import NamedTuple

from tests.desk_protocol.bus.bus_desks import BusRules, GatewayDesk, NatsServer, TraderDesk
from tests.desk_protocol.desks import DeskOf
from tests.venue.shell.conftest import Venue


class Floor(NamedTuple):
    """A gateway and the desks of two traders."""

    gateway: GatewayDesk
    anna: TraderDesk
    bert: TraderDesk
    server: NatsServer
    venue: Venue

    @property
    def gateway_bus(self) -> BusRules:
        return self.gateway.rules


def names(desk: DeskOf) -> set[str]:
    return {peer.name for peer in desk.status().peers}
