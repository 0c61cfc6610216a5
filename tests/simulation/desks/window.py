"""Window of another process, attached to the desk of a simulated day; the code of its engine's side is the real one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from tests.simulation.desks.ear import Ear
from tests.simulation.desks.roads import Road
from tests.simulation.harness.simulated_host import VirtualClock
from tests.simulation.harness.world import OWNED
from tui.desk_protocol.carrier import Carrier
from tui.desk_protocol.remote_engine import RemoteEngine
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.intents import Intent, Outcome
from tui.engine.rows import OrderRow, Table
from tui.workstation.model.mirror import Mirror
from tui.workstation.render.repaint import RepaintScheduler

if TYPE_CHECKING:
    from tests.simulation.floor import Floor

AHEAD_S = 86_400.0
"""How far the monotonic clock of another machine is ahead, s."""

RUN = "run"
"""Beginning of the names of the engine's runs; its life follows."""
T = TypeVar("T")
Connects = Callable[["Window"], Awaitable[Carrier]]


class Window:
    """A window with a loop of its own, which a day can make stand still."""

    def __init__(self, floor: Floor, name: str, connects: Connects, *, is_far: bool) -> None:
        self.floor = floor
        self.name = name
        """How the history calls it; over a bus also its trader."""
        self.is_far = is_far
        """Whether it is on another machine, over the bus."""
        self.loop = floor.world.loop(name)
        self.context = copy_context()
        self.clock = VirtualClock(floor.world)
        self.clock.ahead = AHEAD_S if is_far else 0.0
        self.road = Road(floor.world)
        self.road.keeps = not is_far
        self.ear = Ear()
        self._numbers = count(1)
        self._connects = connects
        self._works: tuple[Callable[[], Awaitable[None]], ...] = ()
        """What its process does beside being attached."""
        self._work: list[asyncio.Task[None]] = []
        self._owned: dict[asyncio.Task[Any], None] = {}
        self.context.run(OWNED.set, self._owned)
        self.is_alive = True
        self._boot()

    def _boot(self) -> None:
        """Make what is of one process."""
        self.mirror = Mirror(self.clock)
        self._queue = ConflatingQueue()
        self._frame = RepaintScheduler(self.loop, partial(self._paint, self._queue, self.mirror))
        self._queue.attach(self._frame.wake_from_thread)

        async def connect() -> Carrier:
            return self.ear.on(await self._connects(self))

        self.engine = RemoteEngine(connect, self.name, self._queue, self.clock, self._new_id, is_far=self.is_far)

    def _new_id(self) -> str:
        made = f"{self.name}x{next(self._numbers)}"
        self.floor.history.add("window", "asks", source=self.name, req=made)
        return made

    @property
    def portfolio(self) -> str:
        return self.floor.portfolio

    @property
    def in_step(self) -> bool:
        """Whether it is attached and says that it is in step."""
        status = self.mirror.engine_status
        return status is not None and status.synced and not status.read_only

    def begin(self, *work: Callable[[], Awaitable[None]]) -> None:
        """Attach, and do some work beside it."""
        self.floor.history.add("window", "begins", source=self.name)
        self._works = work
        for part in (self.engine.run, *work):
            self.do(part)

    def kill(self) -> None:
        """End its process; called on another loop. The system tells the other side where it knows it."""
        self.is_alive = False
        self.loop.go_on()
        # The process may be followed by another before the call is made.
        self.call(self._die, self._frame)
        self.road.cut(True)

    def _die(self, frame: RepaintScheduler) -> None:
        frame.close()
        for task in list(self._owned):
            task.cancel()

    def begin_again(self) -> None:
        """Start another process; called on another loop."""
        self.is_alive = True
        self._boot()
        self._work.clear()
        self.begin(*self._works)

    def do(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do some work in the window's process."""
        self.call(self._start, work)

    def call(self, call: Callable[..., object], *args: object) -> None:
        """Call something in the window's process."""
        self.floor.world.deliver(self.loop, 0.0, call, *args, context=self.context)

    async def get(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do some work in the window's process and return its result; called on another loop."""
        got: list[T] = []

        async def whole() -> None:
            got.append(await work())

        self.do(whole)
        while not got:
            await asyncio.sleep(0.001)
        return got[0]

    def _start(self, part: Callable[[], Awaitable[None]]) -> None:
        self._work.append(asyncio.ensure_future(part()))

    async def end(self) -> None:
        """End the window; called on another loop."""
        self.loop.go_on()
        self.call(self._stop)
        while not all(task.done() for task in self._work):
            await asyncio.sleep(0.1)
        self._frame.close()

    def _stop(self) -> None:
        self.engine.stop()
        for task in self._work[1:]:
            task.cancel()

    async def submit(self, intent: Intent) -> Outcome:
        """Send an intent; called in the window's process."""
        return await self.engine.submit(intent)

    def _paint(self, queue: ConflatingQueue, mirror: Mirror) -> None:
        batch = queue.take()
        mirror.apply(batch)
        for first, last in ranges_of([event.seq for event in batch.events if event.seq]):
            self.floor.history.add("window", "events", source=self.name, text=f"{first}-{last}")
        for key in batch.changed.get(Table.ORDERS, ()):
            row = mirror.orders.get(key)
            if row is not None:
                self._painted(row)

    def _painted(self, row: OrderRow) -> None:
        # A window that stood still paints rows of a life that is over.
        life = int(self.engine._run_id.removeprefix(RUN) or 0)
        self.floor.history.add(
            "window", "shown", life=life, source=self.name, oid=row.order_id, state=row.state,
            cid=row.client_order_id if row.key == row.client_order_id else "",
            qty=row.qty, executed=row.executed, conflict=row.conflict,
        )  # fmt: skip


def ranges_of(numbers: list[int]) -> list[tuple[int, int]]:
    """First and last number of each part of a list in which they follow each other."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    return ranges
