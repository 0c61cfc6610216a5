"""Two addresses of one service: the one in use goes while a command is on its way, again and again, or comes alive late."""

from __future__ import annotations

import asyncio
import random

from tests.simulation.floor import Floor
from tests.simulation.harness.network import Wire
from tests.simulation.harness.proxy import PRIVATE
from tests.simulation.points import COMMANDS, CUTS


class Failover:
    """Takes the tiers of one floor down and brings them back."""

    def __init__(self, floor: Floor, source: random.Random) -> None:
        self.floor = floor
        self.source = source

    async def strike(self) -> None:
        """One of the ways in which a tier fails."""
        choice = self.source.random()
        if choice < 0.5:
            await self._in_flight()
        elif choice < 0.75:
            await self._flap()
        else:
            await self._alive_again()
        self.floor.set_switch("tier_down", "none")

    async def _in_flight(self) -> None:
        floor = self.floor
        floor.armed = ("F75", self.source.choice(CUTS), self.source.choice(COMMANDS))
        await asyncio.sleep(self.source.uniform(12, 30))

    async def _flap(self) -> None:
        floor = self.floor
        floor.proxy.fault("F77")
        for _ in range(self.source.randrange(2, 5)):
            floor.set_switch("tier_down", floor.tier)
            await asyncio.sleep(self.source.uniform(2, 8))

    async def _alive_again(self) -> None:
        """What the old tier says is held back until the client has gone to the other one."""
        floor = self.floor
        old = floor.private_wire()
        if old is None:
            return
        held: list[bytes] = []

        def keep(wire: Wire, direction: str, data: bytes) -> bool:
            if wire is not old or direction != "in" or PRIVATE not in wire.target:
                return False
            held.append(data)
            return True

        floor.network.filters.insert(0, keep)
        # The connection stays as it is: only new ones are refused.
        floor.runtime.switches.set("tier_down", floor.tier)
        try:
            await asyncio.sleep(self.source.uniform(10, 20))
        finally:
            floor.network.filters.remove(keep)
            if held:
                floor.proxy.fault("F78")
            # Past everything that watches: when the client has not gone yet, this is news to it.
            for data in held:
                old.deliver(old.server, data)
