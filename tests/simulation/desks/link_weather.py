"""What befalls the links of windows and programs: faults of the socket, of the bus, and of who is at their ends."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from tests.simulation.desks.attached import TRADER, AttachedDesks
from tests.simulation.desks.program import Program
from tests.simulation.desks.roads import DELAY, Go, Road
from tests.simulation.desks.window import Window
from tui.desk_protocol.messages import MOST_CALL_BYTES, CommandStatus, ProtocolError
from tui.engine.intents import Cancel, CancelAll, Decision
from tui.engine.modes import Environment, TradingState

if TYPE_CHECKING:
    from tests.simulation.floor import Floor

SUBMIT, PLACE, VERDICT = b'"method":"submit"', b'"method":"place"', b'"verdict":'
MEETS_S = 8.0
"""Longest wait for a message that a fault is for, s."""
LOST = 0.2
"""Share of the messages that are lost."""
FLOOD = 150
"""Commands sent at once."""
GARBAGE = (b'{"id": 1, "met', b"", b"\x00\xff\xfe", b"[" * 5_000, b'{"type": "of another version"}', b"NaN")
Act = Callable[[bytes, Go], bool]


class LinkWeather:
    """Throws one fault after the other at the links of a floor."""

    def __init__(
        self, floor: Floor, desks: AttachedDesks, source: random.Random, crash: Callable[[], Awaitable[None]],
        only: Sequence[str],
    ) -> None:  # fmt: skip
        """Initialize it.

        Args:
            floor: The floor.
            desks: Who is attached.
            source: Draws what befalls whom.
            crash: Kills the desk's process and starts it again.
            only: Faults that are thrown; empty: all.
        """
        self.floor, self.desks, self.source = floor, desks, source
        self._crash = crash
        self._context = copy_context()
        kinds = self._kinds()
        self._names = [name for name in kinds if not only or name in only]
        source.shuffle(self._names)
        self._next = 0
        self._tasks: dict[asyncio.Task[object], None] = {}

    def _kinds(self) -> dict[str, Callable[[Window], Coroutine[Any, Any, None]]]:
        of_program = {"B21": self._mandate_ends, "B22": self._program_leaves}
        return {
            "B01": self._late, "B02": self._twice, "B03": self._overtaken, "B04": self._cut_before,
            "B05": self._cut_after, "B06": self._cut_answered, "B07": self._half_open, "B08": self._deaf,
            "B09": self._restart, "B10": self._bus_restarts, "B11": self._attach_again, "B12": self._clock_unsure,
            "B13": self._garbage, "B14": self._too_long, "B15": self._answer_lost, "B16": self._away,
            "B17": self._flood, "B18": self._stand_still, "B19": self._long_away, "B20": self._kill_meanwhile,
            **(of_program if self.desks.program is not None else {}), "B23": self._ask_of_others,
            "B24": self._messages_lost, "B25": self._window_killed,
        }  # fmt: skip

    async def strike(self) -> None:
        """Begin the next fault at a window."""
        name = self._names[self._next % len(self._names)]
        self._next += 1
        self._start(self._kinds()[name](self.source.choice(self.desks.windows)))

    def _start(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)

    async def calm(self) -> None:
        """End every fault; what is away comes back."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.desks.bus.is_up = True
        for one in self.desks.attached:
            one.road.rules.clear()
            one.road.latency, one.road.is_open = 0.0, True
            one.road.speak()
            one.ear.deaf, one.ear.spoil = False, None
            one.ear.says.clear()
            one.loop.go_on()
        for window in self.desks.windows:
            if not window.is_alive:
                window.begin_again()

    # Helpers

    def _count(self, name: str) -> None:
        self.floor.proxy.fault(name)

    async def _meet(self, name: str, road: Road, word: bytes, act: Act, *, up: bool = True) -> None:
        """Do something with the next message with a word in place of passing it on."""
        met = asyncio.Event()

        def rule(is_up: bool, data: bytes, go: Go) -> bool:
            if is_up is not up or word not in data or b'"known"' in data:
                return False
            road.rules.remove(rule)
            self._count(name)
            self.floor.world.deliver(self.floor.engine_loop, 0.0, met.set, context=self._context)
            return act(data, go)

        road.rules.append(rule)
        try:
            async with asyncio.timeout(MEETS_S):
                await met.wait()
        except TimeoutError:
            pass
        finally:
            if rule in road.rules:
                road.rules.remove(rule)

    def _soon(self, delay: float, call: Callable[..., None], *args: object) -> None:
        self.floor.world.deliver(self.floor.engine_loop, delay, call, *args, context=self._context)

    # Messages

    async def _late(self, window: Window) -> None:
        def hold(_data: bytes, go: Go) -> bool:
            go(self.source.uniform(2.2, 4))
            return True

        await self._meet("B01", window.road, SUBMIT, hold)

    async def _twice(self, window: Window) -> None:
        def double(_up: bool, data: bytes, go: Go) -> bool:
            if SUBMIT in data:
                self._count("B02")
            go(0.0)
            go(0.0)
            return True

        window.road.rules.append(double)
        await asyncio.sleep(self.source.uniform(3, 10))
        if double in window.road.rules:
            window.road.rules.remove(double)

    async def _overtaken(self, window: Window) -> None:
        def hold(_data: bytes, go: Go) -> bool:
            go(self.source.uniform(0.05, 1.0))
            return True

        await self._meet("B03", window.road, SUBMIT, hold)

    async def _messages_lost(self, _window: Window) -> None:
        """Messages of the bus are lost, now and then, in both directions."""
        road = self.desks.windows[0].road

        def lose(_up: bool, _data: bytes, _go: Go) -> bool:
            if self.source.random() > LOST:
                return False
            self._count("B24")
            return True

        road.rules.append(lose)
        await asyncio.sleep(self.source.uniform(0.2, 3))
        if lose in road.rules:
            road.rules.remove(lose)

    async def _cut_before(self, window: Window) -> None:
        def cut(_data: bytes, _go: Go) -> bool:
            window.road.cut(self.source.random() < 0.5)
            return True

        await self._meet("B04", window.road, SUBMIT, cut)

    async def _cut_after(self, window: Window) -> None:
        def cut(_data: bytes, go: Go) -> bool:
            go(0.0)
            self._soon(DELAY + self.source.uniform(0, 0.02), window.road.cut, self.source.random() < 0.5)
            return True

        await self._meet("B05", window.road, SUBMIT, cut)

    async def _cut_answered(self, window: Window) -> None:
        def cut(_data: bytes, go: Go) -> bool:
            go(0.0)
            self._soon(2 * DELAY, window.road.cut, self.source.random() < 0.5)
            return True

        await self._meet("B06", window.road, VERDICT, cut, up=False)

    async def _answer_lost(self, window: Window) -> None:
        def drop(line: bytes) -> bytes | None:
            if VERDICT not in line or b'"known"' in line:
                return line
            window.ear.spoil = None
            self._count("B15")
            return line[: len(line) // 2] if self.source.random() < 0.2 else None

        window.ear.spoil = drop
        await asyncio.sleep(MEETS_S)
        window.ear.spoil = None

    # Links

    async def _half_open(self, window: Window) -> None:
        self._count("B07")
        window.road.silent = True
        await asyncio.sleep(self.source.choice((self.source.uniform(0, 1), self.source.uniform(1, 6))))
        window.road.speak()

    async def _deaf(self, window: Window) -> None:
        self._count("B08")
        window.ear.deaf = True
        await asyncio.sleep(self.source.uniform(2, 8))
        window.ear.deaf = False

    async def _restart(self, _window: Window) -> None:
        if self.floor.alive:
            self._count("B09")
            await self._crash()

    async def _bus_restarts(self, _window: Window) -> None:
        self._count("B10")
        self.desks.bus.fall()
        await asyncio.sleep(self.source.uniform(0.1, 3))
        self.desks.bus.is_up = True

    async def _attach_again(self, window: Window) -> None:
        """The window is back while the desk still believes in its former link."""
        self._count("B11")
        for _ in range(self.source.randrange(1, 4)):
            window.road.cut(False)
            await asyncio.sleep(self.source.uniform(0.3, 1.5))

    async def _clock_unsure(self, window: Window) -> None:
        self._count("B12")
        window.road.latency = 0.6
        window.road.cut(True)
        await asyncio.sleep(self.source.uniform(3, 8))
        window.road.latency = 0.0

    async def _garbage(self, window: Window) -> None:
        self._count("B13")
        garbage = self.source.choice(GARBAGE)
        if self.source.random() < 0.5:
            window.ear.says.append(garbage + b"\n")
            return

        def spoil(line: bytes) -> bytes:
            window.ear.spoil = None
            return garbage if self.source.random() < 0.5 else line[:-1]

        window.ear.spoil = spoil

    async def _too_long(self, window: Window) -> None:
        self._count("B14")
        window.ear.says.append(b"x" * (MOST_CALL_BYTES + 1) + b"\n")

    async def _away(self, window: Window) -> None:
        self._count("B16")
        await self._leave(window, self.source.uniform(3, 8))

    async def _long_away(self, window: Window) -> None:
        self._count("B19")
        await self._leave(window, self.source.uniform(20, 75))

    async def _leave(self, window: Window, seconds: float) -> None:
        window.road.is_open = False
        window.road.cut(True)
        await asyncio.sleep(seconds)
        window.road.is_open = True

    # Who is at the ends

    async def _flood(self, window: Window) -> None:
        self._count("B17")
        cancel = Cancel(decision=self._decision(), key="none")

        async def flood() -> None:
            await asyncio.gather(*(window.submit(cancel) for _ in range(FLOOD)))

        window.do(flood)

    async def _stand_still(self, window: Window) -> None:
        self._count("B18")
        window.loop.hold()
        await asyncio.sleep(self.source.uniform(1, 10))
        window.loop.go_on()

    async def _window_killed(self, window: Window) -> None:
        """Its process ends in the middle of whatever it does, and another one begins."""
        if not window.is_alive:
            return
        self._count("B25")
        window.kill()
        await asyncio.sleep(self.source.uniform(0.1, 3))
        window.begin_again()

    async def _kill_meanwhile(self, window: Window) -> None:
        def kill(_data: bytes, go: Go) -> bool:
            self._soon(0.0, self._kill)
            go(0.0)
            return True

        await self._meet("B20", window.road, SUBMIT, kill)

    def _kill(self) -> None:
        if self.floor.alive:
            self._start(self._send_kill())

    async def _send_kill(self) -> None:
        with suppress(ConnectionAbortedError):
            await self.floor.submit(CancelAll(decision=self._decision(), kill=True))

    async def _mandate_ends(self, _window: Window) -> None:
        def revoke(_data: bytes, go: Go) -> bool:
            self._soon(0.0, self._revoke)
            go(0.0)
            return True

        await self._meet("B21", self._program().road, PLACE, revoke)

    def _revoke(self) -> None:
        self.floor.history.add("trader", "revoke", life=self.floor.life)
        self.floor.engine.revoke()

    async def _program_leaves(self, _window: Window) -> None:
        program = self._program()

        def leave(_data: bytes, go: Go) -> bool:
            go(0.0)
            self._soon(DELAY + self.source.uniform(0, 0.02), program.leave)
            return True

        await self._meet("B22", program.road, PLACE, leave)

    async def _ask_of_others(self, window: Window) -> None:
        """Ask what became of a command of somebody else."""
        self._count("B23")
        others = [one.name for one in self.desks.windows if one is not window] or ["second"]
        number = f"{self.source.choice(others)}x{self.source.randrange(2, 40)}"

        async def ask() -> None:
            client = window.engine._client
            if client is None:
                return
            try:
                asked = await client.call("outcome", number, CommandStatus)
            except ProtocolError:
                return
            if asked.known:
                self.floor.history.add("window", "told of others", source=window.name, text=number)

        window.do(ask)

    def _program(self) -> Program:
        assert self.desks.program is not None
        return self.desks.program

    def _decision(self) -> Decision:
        return Decision(
            environment=Environment.PAPER, portfolio=self.floor.portfolio, state=TradingState.ARMED, source=TRADER
        )
