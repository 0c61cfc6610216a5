"""Windows and a program on the desk of a floor, the servers that they reach it by, and the host of its engine."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec

from tests.simulation.desks.memory_bus import MemoryServer
from tests.simulation.desks.program import NAME, TOTAL, Program
from tests.simulation.desks.roads import LineServer
from tests.simulation.desks.window import RUN, Window
from tui.desk_protocol.bus import window as bus_window
from tui.desk_protocol.bus.address import parse_address
from tui.desk_protocol.bus.connection import Bus, BusPlace
from tui.desk_protocol.bus.served import bus_of
from tui.desk_protocol.carrier import Carrier
from tui.desk_protocol.server import DeskServer
from tui.engine.intents import Intent, Outcome
from tui.engine.life.thread import EngineThread
from tui.engine.limits import TraderLimits
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import Table
from tui.engine.status_rows import ENGINE, EngineStatusRow
from tui.workstation.model.mirror import Mirror

if TYPE_CHECKING:
    from tests.simulation.floor import Floor
    from tests.simulation.trader import Trader
    from tui.engine.engine import Engine

TRADER = "anna"
"""Trader of the window on the bus."""
ORDER_VALUE = "1200"
"""Most value of an order of that trader, in quote."""
LIMITS = {TRADER: TraderLimits(hard_notional=ORDER_VALUE)}
COMPARED = (
    Table.ORDERS, Table.ALGOS, Table.POSITIONS, Table.ASSETS, Table.FILLS, Table.SETTINGS, Table.COMMANDS, Table.MANDATES,
)  # fmt: skip
"""Tables that a window shows as the desk does."""
TIMES = frozenset(["since", "received", "not_found_first", "not_found_last", "proven_from", "expires"])
"""Fields of rows that a window on another machine shows by its own clock."""


class VirtualHost(EngineThread):
    """The host of an engine without its thread."""

    async def live(self) -> None:
        """Run the engine and its servers until the process ends."""
        self.hub.put(Table.ENGINE_STATUS, ENGINE, self._status)
        await self._serve()


class AttachedDesks:
    """Windows and a program of one floor."""

    def __init__(self, floor: Floor, windows: int, source: random.Random) -> None:
        self.floor = floor
        self._ids = count(1)
        self.bus = MemoryServer(floor.world, floor.engine_loop, "desk")
        self.lines = LineServer(floor.engine_loop)
        self.windows = [Window(floor, TRADER, self._over_bus, is_far=True)]
        self._traders: Sequence[Trader] = ()
        self.program: Program | None = None
        if windows > 1:
            self.windows.append(Window(floor, "second", self._over_lines, is_far=False))
            self.program = Program(floor, self.lines, source)
        for name, value in ((TRADER, ORDER_VALUE), (NAME, TOTAL)):
            floor.history.add("limit", "orders" if name == NAME else "order", source=name, qty=value)

    @property
    def attached(self) -> tuple[Window | Program, ...]:
        """All of them."""
        return (*self.windows, *((self.program,) if self.program is not None else ()))

    # Where they attach

    def host(self) -> VirtualHost:
        """Make the host of the next engine."""
        floor = self.floor
        starting = EngineStatusRow(
            environment=Environment.PAPER, portfolio=floor.portfolio, portfolio_name="main",
            trading_state=TradingState.VIEW, synced=False,
        )  # fmt: skip
        host = VirtualHost(lambda hub: floor.engine, starting, floor.clock, self._serve)
        host.watch(floor.watched())
        return host

    def _new_id(self) -> str:
        return f"id{next(self._ids)}"

    async def _serve(self, host: EngineThread) -> None:
        """Serve windows and programs beside an engine, as its process does."""
        floor = self.floor
        server = DeskServer(host, floor.clock, f"{RUN}{floor.life}")

        async def open_bus(place: BusPlace) -> Bus:
            return await self.bus.open("", None, floor.engine_loop, floor.context)

        self.lines.open(server.accept, floor.context)
        try:
            await bus_of(_place(""), host, floor.clock, self._new_id, open_bus)(server)
        finally:
            self.lines.close()
            await server.close()

    async def _over_bus(self, window: Window) -> Carrier:
        async def open_bus(place: BusPlace) -> Bus:
            return await self.bus.open(TRADER, window.road, window.loop, window.context)

        return await bus_window.connect(_place(TRADER), self._new_id, open_bus)

    async def _over_lines(self, window: Window) -> Carrier:
        return await self.lines.connect(window.road, window.loop, window.context)

    def observe(self, engine: Engine) -> None:
        """Write down what peers have the engine do."""
        once = engine.submit

        async def submit(intent: Intent) -> Outcome:
            decision, floor = intent.decision, self.floor
            if decision.peer:
                number = getattr(intent, "preview", "") or decision.command
                floor.history.add(
                    "desk", "taken", life=floor.life, intent=number, req=decision.command, source=decision.peer
                )
            return await once(intent)

        vars(engine)["submit"] = submit

    def owner_dies(self) -> None:
        """Note that the process of the engine is gone: it says nothing more."""
        self.lines.die()
        self.bus.lose_gateway()

    # Their day

    def begin(self, traders: Sequence[Trader] = ()) -> None:
        """Start all of them, each window with its trader."""
        self._traders = traders
        for window in self.windows:
            window.begin(*(trader.run for trader in traders if trader.desk is window))
        if self.program is not None:
            self.program.begin()

    def stop_trading(self) -> None:
        """Let the traders end what they began."""
        for trader in self._traders:
            trader.trading = False

    async def traded(self) -> None:
        """Wait until the traders and the program have ended what they began."""
        if self.program is not None:
            await self.program.end()
        while not all(trader.ended for trader in self._traders):
            await asyncio.sleep(0.1)

    async def end(self) -> None:
        """End all of them."""
        for one in self.attached:
            await one.end()

    @property
    def in_step(self) -> bool:
        """Whether every window is."""
        return all(window.in_step for window in self.windows)

    # The end

    def differences(self) -> list[str]:
        """What a window shows otherwise than the desk."""
        mine = self.floor.mirror
        return [
            f"{window.name}: {table.value} {key}"
            for window in self.windows
            for table in COMPARED
            for key in _keys(mine, window.mirror, table)
            if not _are_alike(mine.row(table, key), window.mirror.row(table, key))
        ]


def _place(trader: str) -> BusPlace:
    who = f"{trader}@" if trader else ""
    return BusPlace(parse_address(f"nats://{who}127.0.0.1:4222"), lambda: "", _no_tls)


def _no_tls() -> Any:
    raise AssertionError("there is no network")


def _keys(mine: Mirror, theirs: Mirror, table: Table) -> list[str]:
    return sorted({*mine._tables[table], *theirs._tables[table]})


def _are_alike(mine: object, theirs: object) -> bool:
    """Whether two rows differ at most in their times; most are equal whole, which is cheap to see."""
    return mine == theirs or _plain(mine) == _plain(theirs)


def _plain(row: object) -> object:
    """A row without its times."""
    return _without_times(msgspec.to_builtins(row))


def _without_times(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_times(part) for name, part in value.items() if name not in TIMES}
    return value
