"""NATS server in memory: subjects by key, messages on the roads of its clients, and its end and return."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial

from tests.simulation.desks.roads import DELAY, Road
from tests.simulation.harness.world import VirtualLoop, World
from tui.desk_protocol.bus.address import command_subject, output_subject
from tui.desk_protocol.bus.connection import BusMessage
from tui.desk_protocol.carrier import LinkClosed

MOST_BYTES = 1024 * 1024
Take = Callable[[BusMessage], None]


class MemoryBus:
    """Connection of one process."""

    most_bytes = MOST_BYTES

    def __init__(
        self, server: MemoryServer, trader: str, road: Road | None, loop: VirtualLoop, context: Context
    ) -> None:
        self.server = server
        self.trader = trader
        """Owner of its key; empty: the gateway."""
        self.road = road
        """None: nothing befalls it."""
        self.loop, self.context = loop, context
        self.ended = asyncio.Event()
        self.why_ended = ""
        self.heard: list[tuple[str, Take]] = []

    async def listen(self, subject: str, take: Take) -> None:
        await asyncio.sleep(DELAY)
        self._check(not self.trader or subject.startswith(output_subject(self.server.desk, self.trader, "")), subject)
        self.heard.append((subject, take))

    async def publish(self, subject: str, reply: str, header: str, data: bytes = b"") -> None:
        self._check(not self.trader or subject == command_subject(self.server.desk, self.trader), subject)
        self.server.publish(self, BusMessage(subject, reply, header, data))

    def _check(self, is_allowed: bool, subject: str) -> None:
        if not is_allowed:
            self.end(f'nats: permissions violation for "{subject}"')
        if self.ended.is_set():
            raise LinkClosed(self.why_ended)

    async def close(self) -> None:
        self.end("the connection was closed")

    def end(self, why: str) -> None:
        """End; what is under way is lost."""
        self.why_ended = self.why_ended or why
        self.heard.clear()
        self.server.forget(self)
        self.ended.set()

    def lose(self) -> None:
        """Learn, from any loop, that the connection is gone."""
        self.heard.clear()
        self.server.forget(self)
        self.server.world.deliver(self.loop, 0.0, self.end, "the server is gone", context=self.context)


class MemoryServer:
    """The server: it keeps nothing, and says where nobody listens."""

    def __init__(self, world: World, loop: VirtualLoop, desk: str) -> None:
        self.world = world
        self._loop, self._context = loop, copy_context()
        self.desk = desk
        self.is_up = True
        self._clients: list[MemoryBus] = []

    async def open(self, trader: str, road: Road | None, loop: VirtualLoop, context: Context) -> MemoryBus:
        """Connect a process.

        Raises:
            LinkClosed: The server is down, or the road is closed.
        """
        await asyncio.sleep(DELAY)
        if not self.is_up or (road is not None and not road.is_open):
            raise LinkClosed("no server answers")
        bus = MemoryBus(self, trader, road, loop, context)
        self._clients.append(bus)
        if road is not None:
            road.cut = lambda told: bus.lose()
        return bus

    def forget(self, bus: MemoryBus) -> None:
        """Drop a client that is gone."""
        if bus in self._clients:
            self._clients.remove(bus)

    def fall(self) -> None:
        """End at once; every client notices."""
        self.is_up = False
        for bus in tuple(self._clients):
            bus.lose()

    def lose_gateway(self) -> None:
        """Note that the gateway's process is gone; nobody is told."""
        for bus in tuple(self._clients):
            if not bus.trader:
                bus.lose()

    def publish(self, sender: MemoryBus, message: BusMessage) -> None:
        """Take a message from a client and pass it to who listens."""
        if sender.road is None:
            self._pass_on(sender, message)
        else:
            sender.road.carry(True, message.data, self._loop, partial(self._pass_on, sender, message), self._context)

    def _pass_on(self, sender: MemoryBus, message: BusMessage) -> None:
        if sender not in self._clients:
            return
        listening = [
            (bus, take) for bus in self._clients for subject, take in bus.heard if _fits(subject, message.subject)
        ]
        for bus, take in listening:
            self._hand_over(bus, take, message)
        if not listening and message.reply:
            nobody = BusMessage(message.reply, "", "", b"", unheard=True)
            for subject, take in sender.heard:
                if _fits(subject, message.reply):
                    self._hand_over(sender, take, nobody)

    def _hand_over(self, bus: MemoryBus, take: Take, message: BusMessage) -> None:
        def deliver() -> None:
            if bus in self._clients:
                take(message)

        if bus.road is None:
            self.world.deliver(bus.loop, DELAY, deliver, context=bus.context)
        else:
            bus.road.carry(False, message.data, bus.loop, deliver, bus.context)


def _fits(pattern: str, subject: str) -> bool:
    """Return whether a subject is one of a pattern with `*` for a word."""
    words, parts = pattern.split("."), subject.split(".")
    return len(words) == len(parts) and all(word in ("*", part) for word, part in zip(words, parts, strict=True))
