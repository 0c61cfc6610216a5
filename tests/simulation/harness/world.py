"""One virtual clock for several event loops in one thread.

The loops are asyncio's own (tasks, futures, call_soon), but time stands still while anything can run and then jumps to the
next timer. Timers live in one heap, ordered by whole microseconds and by the order in which they were set, so that a run is
the same in every process.
"""

from __future__ import annotations

import asyncio
import heapq
from asyncio import events
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

import aiohttp.connector

T = TypeVar("T")

MAX_ROUNDS = 1_000_000
"""Rounds without time moving after which a run is a spin, not work."""


OWNED: ContextVar[dict[asyncio.Task[Any], None] | None] = ContextVar("owned", default=None)
"""Unfinished tasks of whoever runs in this context; a process that dies takes them along."""


class Deadlock(RuntimeError):
    """Nothing can run and no timer is set."""


class TimeIsUp(AssertionError):
    """The virtual deadline of a scenario passed."""


class World:
    """The clock and its loops."""

    def __init__(self) -> None:
        self.now_us = 0
        self.loops: list[VirtualLoop] = []
        self.timers: list[tuple[int, int, Handle, VirtualLoop]] = []
        self.sequence = 0
        """Timers set so far; equal times run in this order."""
        self._running: VirtualLoop | None = None
        """The loop that runs now, as this world set it."""
        self.errors: list[str] = []

    @property
    def now(self) -> float:
        return self.now_us / 1_000_000

    def loop(self, name: str) -> VirtualLoop:
        """A new loop on this clock."""
        made = VirtualLoop(self, name)
        self.loops.append(made)
        return made

    def deliver(self, loop: VirtualLoop, delay: float, call: Callable[..., Any], *args: Any, context: Context) -> None:
        """Call on a loop after a delay, from any loop, as a network does; `context` is that of the process called."""
        self.sequence += 1
        at = self.now_us + round(delay * 1_000_000) + 1
        heapq.heappush(self.timers, (at, self.sequence, Handle(call, args, context, at / 1_000_000), loop))

    def run(self, loop: VirtualLoop, work: Awaitable[T], *, within: float = 3600.0) -> T:
        """Run everything until `work` on `loop` ends.

        Raises:
            TimeIsUp: `within` virtual seconds were not enough.
            Deadlock: nothing is left that could make progress.
        """
        before, machine_clock = events._get_running_loop(), vars(aiohttp.connector)["monotonic"]
        events._set_running_loop(loop)
        # The pool of connections reads the machine's clock: idle ones would never grow old in virtual time.
        vars(aiohttp.connector)["monotonic"] = lambda: self.now
        self._running = loop
        task = asyncio.ensure_future(work, loop=loop)
        limit = self.now_us + round(within * 1_000_000)
        rounds = 0
        try:
            while not task.done():
                if self._run_ready():
                    rounds += 1
                    if rounds > MAX_ROUNDS:
                        raise RuntimeError("time does not move")
                    continue
                rounds = 0
                self._next_timers(limit)
        finally:
            events._set_running_loop(before)
            vars(aiohttp.connector)["monotonic"] = machine_clock
            self._running = None
        if self.errors:
            raise AssertionError("\n".join(self.errors))
        return task.result()

    def _run_ready(self) -> bool:
        """Run what is ready now on each loop; False when nothing was."""
        progress = False
        for loop in self.loops:
            ready = loop.ready
            if not ready:
                continue
            progress = True
            if loop is not self._running:
                events._set_running_loop(loop)
                self._running = loop
            for _ in range(len(ready)):
                handle = ready.popleft()
                if not handle.gone:
                    try:
                        handle.context.run(handle.call, *handle.args)
                    except Exception as error:
                        loop.call_exception_handler({"message": f"in {handle.call!r}", "exception": error})
        return progress

    def _next_timers(self, limit: int) -> None:
        timers = self.timers
        while timers and timers[0][2].gone:
            heapq.heappop(timers)
        if not timers:
            raise Deadlock("no timer and nothing to run")
        at = timers[0][0]
        if at > limit:
            raise TimeIsUp(f"virtual second {limit / 1_000_000:.6f} passed")
        # Who stood still is late for timers of before; time never goes back to them.
        if at > self.now_us:
            self.now_us = at
        while timers and timers[0][0] <= at:
            _, _, handle, loop = heapq.heappop(timers)
            if not handle.gone:
                loop.ready.append(handle)


class Handle:
    """A call to come: as much of asyncio's own handles as anybody asks for, and cheaper to make."""

    __slots__ = ("_when", "args", "call", "context", "gone")

    def __init__(self, call: Callable[..., Any], args: tuple[Any, ...], context: Context, when: float = 0.0) -> None:
        self.call, self.args, self.context, self._when = call, args, context, when
        self.gone = False

    def cancel(self) -> None:
        self.gone = True
        # What is cancelled stays in the heap for a while; what it holds need not.
        self.call, self.args = _nothing, ()

    def cancelled(self) -> bool:
        return self.gone

    def when(self) -> float:
        return self._when


def _nothing() -> None: ...


class _Held(deque[Handle]):
    """Calls of a loop that stands still: there are some, and none is ready."""

    def __bool__(self) -> bool:
        return False


class VirtualLoop(asyncio.BaseEventLoop):
    """An event loop whose clock and timers belong to a world; only `call_soon_threadsafe` crosses from another loop."""

    def __init__(self, world: World, name: str) -> None:
        super().__init__()
        self.world = world
        self.name = name
        self.ready: deque[Handle] = deque()
        self.network: Any = None
        self.set_task_factory(self._task)
        self.set_exception_handler(self._failed)

    def time(self) -> float:
        return self.world.now_us / 1_000_000

    def hold(self) -> None:
        """Stand still, as a stopped process does: timers run out and calls arrive, and nothing runs."""
        self.ready = _Held(self.ready)

    def go_on(self) -> None:
        """Go on after `hold` with all that waits."""
        self.ready = deque(self.ready)

    def is_running(self) -> bool:
        return events._get_running_loop() is self

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> Handle:
        world = self.world
        if world._running is not self:
            self._own()
        handle = Handle(callback, args, copy_context() if context is None else context, when)
        world.sequence = sequence = world.sequence + 1
        # A microsecond late, never early, and never now: who asks `now > when` would set the same timer for ever.
        at, now = int(when * 1_000_000), world.now_us
        heapq.heappush(world.timers, ((at if at > now else now) + 1, sequence, handle, self))
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> Handle:
        return self.call_at(self.world.now_us / 1_000_000 + delay, callback, *args, context=context)

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> Handle:
        if self.world._running is not self:
            self._own()
        handle = Handle(callback, args, copy_context() if context is None else context)
        self.ready.append(handle)
        return handle

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> Handle:
        handle = Handle(callback, args, copy_context() if context is None else context)
        self.ready.append(handle)
        return handle

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """There are no threads in virtual time: the call runs at once."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    async def create_unix_connection(self, protocol_factory: Any, path: Any = None, **_: Any) -> Any:
        return await self.network.connect(self, protocol_factory, str(path))

    async def create_unix_server(self, protocol_factory: Any, path: Any = None, **_: Any) -> Any:
        return self.network.listen(self, protocol_factory, str(path))

    def _own(self) -> None:
        if events._get_running_loop() is not None:
            raise RuntimeError(f"{self.name}: called from another loop; only call_soon_threadsafe may cross")

    @staticmethod
    def _task(loop: Any, work: Any, **options: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **options)
        owned = OWNED.get()
        if owned is not None:
            owned[task] = None
            task.add_done_callback(owned.pop)
        return task

    def _failed(self, _loop: Any, context: dict[str, Any]) -> None:
        self.world.errors.append(f"{self.name}: {context.get('message')} {context.get('exception')!r}")
