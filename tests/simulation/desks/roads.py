"""Way of one process to the desk: what passes on it, and what befalls it; and lines on it, as over a Unix socket."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context

from tests.simulation.harness.world import VirtualLoop, World
from tui.desk_protocol.carrier import WRITE_BUFFER, Accept, LinkClosed
from tui.desk_protocol.messages import MOST_CALL_BYTES, MOST_LINE_BYTES, ProtocolError

DELAY = 0.0005
"""Seconds that a message is on its way."""

Go = Callable[[float], None]
"""Delivers a message after a further delay, s; as often as it is called."""
Rule = Callable[[bool, bytes, Go], bool]
"""Does something with a message (True: to the desk, its bytes, how to deliver it); False: it passes as it is."""


class Road:
    """Way between one process and the desk; a rule may hold, double, swap and drop what passes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rules: list[Rule] = []
        self.latency = 0.0
        """Further delay of every message, s."""
        self.silent = False
        """Whether nothing passes, and nobody is told."""
        self.is_open = True
        """Whether new connections can be made."""
        self.cut: Callable[[bool], None] = lambda told: None
        """Ends the connection of now; True: the desk is told of it."""
        self.keeps = False
        """Whether what comes while it is silent is delivered later."""
        self._kept: list[Callable[[], None]] = []
        self._due = {True: 0.0, False: 0.0}

    def carry(self, up: bool, data: bytes, loop: VirtualLoop, deliver: Callable[[], None], context: Context) -> None:
        """Deliver a message on a loop, in order, unless a rule says otherwise."""

        def go(after: float) -> None:
            if after:
                self.world.deliver(loop, DELAY + after, deliver, context=context)
                return
            due = max(self.world.now + DELAY + self.latency, self._due[up])
            self._due[up] = due
            self.world.deliver(loop, due - self.world.now, deliver, context=context)

        if self.silent:
            if self.keeps:
                self._kept.append(lambda: go(0.0))
            return
        for rule in tuple(self.rules):
            if rule(up, data, go):
                return
        go(0.0)

    def speak(self) -> None:
        """End the silence; what was kept arrives."""
        self.silent = False
        kept, self._kept = self._kept, []
        for deliver in kept:
            deliver()


class LineEnd:
    """One end of a connection that carries lines; it holds up a writer whose reader does not read."""

    peer: LineEnd

    def __init__(self, road: Road, loop: VirtualLoop, context: Context, *, is_far: bool) -> None:
        self._road, self._loop, self._context = road, loop, context
        self._is_far = is_far
        """Whether it is the end of the desk."""
        self._most = MOST_CALL_BYTES if is_far else MOST_LINE_BYTES
        self._lines: deque[bytes] = deque()
        self._unread = 0
        """Bytes that this end sent and its peer has not read."""
        self._came, self._has_room = asyncio.Event(), asyncio.Event()
        self._is_over = self._is_closed = False

    async def receive(self) -> bytes:
        while True:
            if self._is_closed:
                raise LinkClosed("the connection was closed")
            if self._lines:
                line = self._lines.popleft()
                self._call(self.peer, 0.0, self.peer.make_room, len(line) + 1)
                if len(line) > self._most:
                    raise ProtocolError(f"a line may have {self._most} bytes at most")
                return line
            if self._is_over:
                raise LinkClosed("the other side has ended")
            self._came.clear()
            await self._came.wait()

    async def send(self, data: bytes) -> None:
        if self._is_over:
            raise LinkClosed("the other side has ended")
        self._unread += len(data)
        peer = self.peer
        self._road.carry(not self._is_far, data, peer._loop, lambda: peer.take(data), peer._context)
        while self._unread > WRITE_BUFFER and not self._is_over:
            self._has_room.clear()
            await self._has_room.wait()
        if self._is_over:
            raise LinkClosed("the other side has ended")

    def take(self, data: bytes) -> None:
        """Take lines of the other end."""
        if not self._is_over:
            self._lines.extend(data[:-1].split(b"\n"))
            self._came.set()

    def make_room(self, size: int) -> None:
        """Note that the other end has read."""
        self._unread -= size
        self._has_room.set()

    def hang_up(self) -> None:
        """End: what came before is still read."""
        self._is_over = True
        self._came.set()
        self._has_room.set()

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self.hang_up()
            self._call(self.peer, DELAY, self.peer.hang_up)

    async def wait_closed(self) -> None:
        """Do nothing: the system tells the other side."""

    def _call(self, end: LineEnd, delay: float, call: Callable[..., None], *args: object) -> None:
        self._road.world.deliver(end._loop, delay, call, *args, context=end._context)

    def lose(self) -> None:
        """Learn, from any loop, that the connection is gone."""
        self._call(self, 0.0, self.hang_up)


class LineServer:
    """Place at which the desk can be reached while its process lives."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop, self._context = loop, Context()
        self._accept: Accept | None = None
        """Serves a connection; None: nobody listens."""
        self._ends: list[LineEnd] = []
        self._served: set[asyncio.Task[None]] = set()

    def open(self, accept: Accept, context: Context) -> None:
        """Listen from now on, in a process."""
        self._accept, self._context = accept, context

    def close(self) -> None:
        """Take no further connections."""
        self._accept = None

    async def connect(self, road: Road, loop: VirtualLoop, context: Context) -> LineEnd:
        """Connect over a road.

        Raises:
            LinkClosed: Nobody listens, or the road is closed.
        """
        await asyncio.sleep(DELAY)
        if self._accept is None or not road.is_open:
            raise LinkClosed("no desk answers")
        near = LineEnd(road, loop, context, is_far=False)
        far = LineEnd(road, self._loop, self._context, is_far=True)
        near.peer, far.peer = far, near
        self._ends += [near]

        def cut(told: bool) -> None:
            near.lose()
            if told:
                far.lose()

        road.cut = cut
        road.world.deliver(self._loop, DELAY, self._serve, far, context=self._context)
        return near

    def _serve(self, end: LineEnd) -> None:
        if self._accept is not None:
            task = asyncio.ensure_future(self._accept(end, "this machine"))
            self._served.add(task)
            task.add_done_callback(self._served.discard)

    def die(self) -> None:
        """End with the process: nothing is read or sent any more, and the system tells the others."""
        self.close()
        for end in self._ends:
            end.lose()
        self._ends.clear()
