"""What happens to a floor from outside, at moments drawn from the seed: cuts, crashes, clocks, servers, markets."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from tests.simulation.desks.link_weather import LinkWeather
from tests.simulation.failover import Failover
from tests.simulation.feeds import Feeds
from tests.simulation.floor import Floor
from tests.simulation.points import CELLS, CUTS
from tests.simulation.rates import Rates

CALM = (
    ("maintenance", "none"),
    ("market_fault", "off"),
    ("key_fault", "off"),
    ("tier_down", "none"),
    ("delisted", "none"),
    ("risk_ladder", "2.0 1.5 1.2 1.0"),
)
"""Switches of the venue once everything works again."""
LADDERS = ("30000 15000 8000 4000", "90000 60000 40000 20000", "900000 600000 400000 300000")
"""Thresholds of the risk ladder at which positions of the trader's size are margin called, cut or closed."""
PAUSE_S = 30.0
"""How long a virtual machine stands still."""
OUTAGES = ("F01", "F14", "F15", "F16")
"""Points at which a connection cannot be used; attempts meanwhile fill their cells."""


class Weather:
    """Makes the faults of one seed happen until `clear`."""

    def __init__(self, floor: Floor, rates: Rates, seed: int) -> None:
        self.floor = floor
        self.rates = rates
        self.source = random.Random(f"{seed}/weather")
        self._cells = [cell for cell in CELLS if not rates.cells or "/".join(cell) in rates.cells]
        self.source.shuffle(self._cells)
        self._cell = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._feeds = Feeds(floor, random.Random(f"{seed}/feeds"))
        self._links: LinkWeather | None = None
        if floor.desks is not None:
            source = random.Random(f"{seed}/links")
            self._links = LinkWeather(floor, floor.desks, source, self._crash, rates.links)
        self._failover = Failover(floor, random.Random(f"{seed}/failover"))

    def start(self) -> None:
        """Begin."""
        rates = self.rates
        self.floor.proxy.rates = rates
        kinds: tuple[tuple[float, Callable[[], Awaitable[None]]], ...] = (
            (rates.market_gap, self._market),
            (rates.cut_gap, self._cut),
            (rates.flap_gap, self._flap),
            (rates.race_gap, self._race),
            (rates.crash_gap, self._crash),
            (rates.clock_gap, self._clock),
            (rates.host_gap, self._host),
            (rates.server_gap, self._server),
            (rates.other_gap, self._other),
            (rates.quote_gap, self._feeds.quotes),
            (rates.feed_gap, self._feeds.frames),
            (rates.tier_gap, self._failover.strike),
            (rates.key_gap, self._key),
            (rates.engine_gap, self._engine),
            (rates.liquidation_gap, self._liquidation),
            *([(rates.link_gap, self._links.strike)] if self._links is not None else []),
        )
        self._tasks = [asyncio.ensure_future(self._again(gap, what)) for gap, what in kinds if gap]

    async def clear(self) -> None:
        """Everything works again; what was held back arrives."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        floor = self.floor
        floor.armed = floor.tried = None
        floor.race = floor.answers.down = floor.answers.storm = floor.proxy.silent = False
        floor.proxy.rates = Rates()
        floor.network.refuse, floor.network.failure = False, None
        floor.clock.skew = 0.0
        floor.mend_engine()
        for name, value in CALM:
            floor.set_switch(name, value)
        floor.proxy.release()
        if self._links is not None:
            await self._links.calm()
        if not floor.alive:
            self._start_again()

    async def _again(self, gap: float, what: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(self.source.expovariate(1 / gap))
            await what()

    # -- kinds -----------------------------------------------------------------------------------------------------

    async def _market(self) -> None:
        self.floor.move_market()

    async def _race(self) -> None:
        self.floor.race = True

    async def _other(self) -> None:
        self.floor.another_client()

    async def _key(self) -> None:
        """The key loses the right to trade for a while."""
        self.floor.set_switch("key_fault", "readonly:main")
        await asyncio.sleep(self.source.uniform(2, 8))
        self.floor.set_switch("key_fault", "off")

    async def _engine(self) -> None:
        self.floor.break_engine()

    async def _liquidation(self) -> None:
        """The venue sees the account close to its end, cancels, and closes what is open, for a while."""
        self.floor.sometimes["risk_ladder_raised"] += 1
        self.floor.set_switch("risk_ladder", self.source.choice(LADDERS))
        await asyncio.sleep(self.source.uniform(2, 20))
        self.floor.set_switch("risk_ladder", dict(CALM)["risk_ladder"])

    async def _crash(self) -> None:
        if not self.floor.alive:
            return
        await self.floor.crash()
        await asyncio.sleep(self.source.uniform(0.1, 5))
        self._start_again()

    def _start_again(self) -> None:
        self.floor.begin()
        self.floor.engine.watch(self.floor.watched())

    async def _cut(self) -> None:
        """The next cell of the matrix, or a cut at any moment."""
        floor = self.floor
        point, kind, command = self._cells[self._cell % len(self._cells)]
        self._cell += 1
        floor.tried = None
        if self.source.random() < 0.2 and not self.rates.cells:
            floor.cut(self.source.choice(CUTS))
            floor.proxy.fault("F105")
        elif point in ("F01", "F16"):
            await self._outage(point, kind)
        elif point in ("F14", "F15"):
            floor.armed = (point, kind, command)
            floor.cut("reset")
        else:
            floor.armed = (point, kind, command)

    async def _outage(self, point: str, kind: str) -> None:
        """The link is down for a few seconds while the trader goes on."""
        floor = self.floor
        floor.network.refuse = True
        floor.tried = (point, kind)
        floor.cut(kind)
        if kind == "black_hole":
            floor.proxy.fault("F47")
        await asyncio.sleep(self.source.uniform(2, 10))
        floor.network.refuse = False
        await asyncio.sleep(1)
        floor.tried = None

    async def _flap(self) -> None:
        floor = self.floor
        kind = self.source.choice(CUTS)
        for _ in range(self.source.randrange(4, 12)):
            floor.tried = ("F16", kind)
            if floor.cut(kind):
                floor.proxy.fault("F16")
            await asyncio.sleep(self.source.uniform(0.5, 3))
        floor.tried = None

    async def _clock(self) -> None:
        floor = self.floor
        floor.proxy.fault(self.source.choice(("F101", "F102")))
        floor.history.add("fault", "clock", life=floor.life)
        floor.clock.skew = self.source.choice((-86400.0, -30.0, -1.0, 1.0, 30.0, 86400.0))
        await asyncio.sleep(self.source.uniform(1, 20))
        floor.clock.skew = 0.0
        floor.history.add("fault", "clock", life=floor.life)

    async def _host(self) -> None:
        floor = self.floor
        what = self.source.randrange(7)
        if what == 5:
            floor.proxy.fault("F104")
            floor.stand_still(PAUSE_S)
        elif what == 6:
            floor.no_names()
            floor.cut("reset")
            await asyncio.sleep(self.source.uniform(1, 8))
            floor.network.failure = None
        elif what == 3:
            floor.proxy.fault("F40")
            floor.proxy.silent = True
            await asyncio.sleep(self.source.uniform(2, 12))
            floor.proxy.silent = False
        elif what == 4:
            floor.proxy.fault("F91")
            floor.stand_still(2.0)
        elif what == 0:
            floor.proxy.fault("F103")
            for_s = self.source.choice((60.0, 43_200.0))
            floor.clock.slept += for_s
            floor.venue_clock.ahead += for_s
        elif what == 1:
            floor.descriptors_used_up()
            floor.cut("reset")
            await asyncio.sleep(self.source.uniform(1, 8))
            floor.network.failure = None
        else:
            floor.proxy.fault("F105")
            for wire in floor.network.wires:
                if not wire.ended:
                    wire.hole = True

    async def _server(self) -> None:
        floor = self.floor
        what = self.source.randrange(6)
        if what == 5:
            floor.answers.storm = True
            await asyncio.sleep(self.source.uniform(2, 8))
            floor.answers.storm = False
        elif what == 0:
            floor.proxy.fault("F72")
            floor.network.refuse = True
            for wire in floor.network.wires:
                if not wire.ended and not wire.hole:
                    wire.fin()
            await asyncio.sleep(self.source.uniform(0.5, 5))
            floor.network.refuse = False
        elif what == 1:
            floor.proxy.fault("F71")
            now = floor.runtime.now_ms()
            floor.runtime.switches.set("maintenance", f"TRADE {now} {now + 10_000} sudden")
            await asyncio.sleep(10)
            floor.runtime.switches.set("maintenance", "none")
        elif what == 2:
            private = floor.private_wire()
            if private is not None:
                floor.proxy.close_with(private)
        elif what == 3:
            floor.proxy.fault("F79")
            floor.answers.down = True
            await asyncio.sleep(self.source.uniform(2, 12))
            floor.answers.down = False
        else:
            floor.proxy.fault("F74")
            floor.cut("fin")
