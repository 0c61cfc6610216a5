"""One virtual clock for several event loops in one thread.

The loops are asyncio's own (tasks, futures, call_soon), but time stands still while anything can run and then jumps to the
next timer. Timers live in one heap, ordered by whole microseconds and by the order in which they were set, so that a run is
the same in every process.
"""

from __future__ import annotations

import asyncio
import heapq
from asyncio import events
from collections.abc import Awaitable, Callable
from contextvars import Context, ContextVar
from typing import Any, TypeVar

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
        self._timers: list[tuple[int, int, asyncio.TimerHandle, VirtualLoop]] = []
        self._sequence = 0
        self.errors: list[str] = []

    @property
    def now(self) -> float:
        return self.now_us / 1_000_000

    def loop(self, name: str) -> VirtualLoop:
        """A new loop on this clock."""
        made = VirtualLoop(self, name)
        self.loops.append(made)
        return made

    def set_timer(self, when: float, handle: asyncio.TimerHandle, loop: VirtualLoop) -> None:
        self._sequence += 1
        # A microsecond late, never early, and never now: who asks `now > when` would set the same timer for ever.
        at = max(self.now_us + 1, int(when * 1_000_000) + 1)
        heapq.heappush(self._timers, (at, self._sequence, handle, loop))

    def run(self, loop: VirtualLoop, work: Awaitable[T], *, within: float = 3600.0) -> T:
        """Run everything until `work` on `loop` ends.

        Raises:
            TimeIsUp: `within` virtual seconds were not enough.
            Deadlock: nothing is left that could make progress.
        """
        with loop.entered():
            task = asyncio.ensure_future(work, loop=loop)
        limit = self.now_us + round(within * 1_000_000)
        rounds = 0
        while not task.done():
            if self._run_ready():
                rounds += 1
                if rounds > MAX_ROUNDS:
                    raise RuntimeError("time does not move")
                continue
            rounds = 0
            self._next_timers(limit)
        if self.errors:
            raise AssertionError("\n".join(self.errors))
        return task.result()

    def _run_ready(self) -> bool:
        progress = False
        for loop in self.loops:
            progress = loop.run_ready() or progress
        return progress

    def _next_timers(self, limit: int) -> None:
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        if not self._timers:
            raise Deadlock("no timer and nothing to run")
        at = self._timers[0][0]
        if at > limit:
            raise TimeIsUp(f"virtual second {limit / 1_000_000:.6f} passed")
        self.now_us = at
        while self._timers and self._timers[0][0] <= at:
            _, _, handle, loop = heapq.heappop(self._timers)
            if not handle.cancelled():
                loop.make_ready(handle)


class _Entered:
    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def __enter__(self) -> None:
        self._before = events._get_running_loop()
        events._set_running_loop(self._loop)

    def __exit__(self, *_: object) -> None:
        events._set_running_loop(self._before)


class VirtualLoop(asyncio.BaseEventLoop):
    """An event loop whose clock and timers belong to a world; only `call_soon_threadsafe` crosses from another loop."""

    def __init__(self, world: World, name: str) -> None:
        super().__init__()
        self.world = world
        self.name = name
        self.network: Any = None
        self.set_task_factory(self._task)
        self.set_exception_handler(self._failed)

    def entered(self) -> _Entered:
        return _Entered(self)

    def run_ready(self) -> bool:
        """Run the handles that are ready now; True when there were any."""
        count = len(self._ready)  # type: ignore[attr-defined]
        if not count:
            return False
        with self.entered():
            for _ in range(count):
                handle = self._ready.popleft()  # type: ignore[attr-defined]
                if not handle._cancelled:
                    handle._run()
        return True

    def make_ready(self, handle: asyncio.Handle) -> None:
        self._ready.append(handle)  # type: ignore[attr-defined]

    def time(self) -> float:
        return self.world.now

    def is_running(self) -> bool:
        return events._get_running_loop() is self

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        self._own()
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self.world.set_timer(when, handle, self)
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        self._own()
        return self.call_soon_threadsafe(callback, *args, context=context)

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self.make_ready(handle)
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

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers fall out of the heap when their time comes."""

    def _own(self) -> None:
        running = events._get_running_loop()
        if running is not None and running is not self:
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
