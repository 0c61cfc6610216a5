"""Program of another process that trades within mandates, on the desk of a simulated day."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from contextvars import copy_context
from decimal import Decimal
from typing import TYPE_CHECKING

from tests.simulation.desks.ear import Ear
from tests.simulation.desks.roads import LineServer, Road
from tests.simulation.harness.simulated_host import VirtualClock
from tui.desk_protocol.carrier import Carrier
from tui.desk_protocol.messages import ProtocolError, Role
from tui.programs.async_desk import AsyncDesk
from tui.programs.desk_error import DeskError

if TYPE_CHECKING:
    from tests.simulation.floor import Floor

NAME = "robot"
PAIR = "BINANCE_PERP_BTC_USDT"
TOTAL = "3000"
"""Most value of all its orders, in quote."""
GAP_S = 2.0
"""Mean seconds between two attempts."""


class Program:
    """A program that asks for a mandate, uses it until it ends, and asks again; it leaves when told to."""

    def __init__(self, floor: Floor, lines: LineServer, source: random.Random) -> None:
        self.floor = floor
        self.loop = floor.world.loop(NAME)
        self.context = copy_context()
        self.road = Road(floor.world)
        self.road.keeps = True
        self.ear = Ear()
        self._clock = VirtualClock(floor.world)
        self._lines, self._source = lines, source
        self._sent = 0
        self._doing = ""
        self._is_stopping = False
        self._work: asyncio.Task[None] | None = None
        self._desk: AsyncDesk | None = None

    def begin(self) -> None:
        """Start it; called on another loop."""
        self.floor.world.deliver(self.loop, 0.0, self._start, context=self.context)

    def _start(self) -> None:
        self._work = asyncio.ensure_future(self._run())

    async def end(self) -> None:
        """End it; called on another loop."""
        self._is_stopping = True
        self.loop.go_on()
        if self._work is not None:
            self.floor.world.deliver(self.loop, 0.0, self._work.cancel, context=self.context)
            while not self._work.done():
                await asyncio.sleep(0.1)

    async def connect(self) -> Carrier:
        """Connect to the desk."""
        return self.ear.on(await self._lines.connect(self.road, self.loop, self.context))

    async def _run(self) -> None:
        while not self._is_stopping:
            with suppress(ProtocolError):
                async with self._make_desk() as self._desk:
                    await self._trade(self._desk)
            self._desk = None
            await asyncio.sleep(self._source.uniform(0.5, 3))

    def _make_desk(self) -> AsyncDesk:
        return AsyncDesk(self.connect, self._clock, self.new_id, name=NAME, role=Role.PROPOSE)

    async def _trade(self, desk: AsyncDesk) -> None:
        while True:
            with suppress(DeskError):
                await desk.ask_mandate(
                    PAIR, order_value="2000", position_value=TOTAL, traded_value=TOTAL, loss="5000",
                    orders_per_minute=60, seconds=60, reason="campaign", wait=5,
                )  # fmt: skip
                while desk.mandate is not None:
                    await self._send(desk)
                    await asyncio.sleep(self._source.expovariate(1 / GAP_S))
            await asyncio.sleep(self._source.uniform(0.5, 5))

    async def _send(self, desk: AsyncDesk) -> None:
        quote, source = self.floor.mirror.quotes.get(PAIR), self._source
        if quote is None or not quote.bid:
            return
        price = round(Decimal(quote.bid) * (1 - Decimal(source.randrange(-5, 60)) / 10_000), 1)
        mine = [key for key, row in self.floor.mirror.orders.items() if row.peer == NAME and not row.final]
        choice = source.random()
        if mine and choice < 0.3:
            self._doing = "cancel"
            await desk.cancel(source.choice(mine))
        elif mine and choice < 0.4:
            self._doing = "replace"
            await desk.replace(source.choice(mine), "0.01", price)
        else:
            self._doing = "place"
            sent = await desk.place("BUY", PAIR, source.choice(("0.003", "0.01", "0.02", "0.06")), price)
            self.floor.history.add(
                "trader", "outcome", life=self.floor.life, cid=sent.order, text=sent.verdict, intent=self._number(),
                source=NAME,
            )  # fmt: skip

    def _number(self) -> str:
        return f"{NAME}x{self._sent}"

    def new_id(self) -> str:
        """Make the id of a command, and write down what is asked for with it."""
        self._sent += 1
        self.floor.history.add("trader", self._doing, life=self.floor.life, intent=self._number(), source=NAME)
        return self._number()

    def leave(self) -> None:
        """End the connection, whatever is on its way."""
        self.road.cut(True)
