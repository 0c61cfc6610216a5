"""The desk of the pictures: the whole program on a paper venue with a past, prepared once and copied for each look."""

from __future__ import annotations

import gc
import os
import pickle
import re
from asyncio import events
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from textual.drivers.headless_driver import HeadlessDriver
from textual.events import Resize
from textual.geometry import Size as TerminalSize

from tests.accidents.virtual_desk import FPS, VirtualDesk
from tests.pictures import portfolio
from tui.engine.intents import Intent, Verdict
from tui.engine.limits import Limits
from tui.engine.modes import RiskMode
from tui.engine.settings import EngineSettings
from tui.interface.decimals import plain
from tui.interface.families.market import Interval, KlineRow
from tui.interface.families.orders import PlaceOrder
from tui.interface.streams import Detail
from tui.venue.core.commands import Command, Rejected, Reply
from tui.workstation.settings import WorkstationSettings

T = TypeVar("T")
Size = tuple[int, int]

SEED = 20260312
SIZE: Size = (120, 36)
PAST_MS = 6 * 3_600_000
"""Old bars of the charts, ms."""
FIRST_RANKS_S = 40.0
"""Time in which every leg is asked for its rank in the deleveraging queue, s."""


class PictureDesk(VirtualDesk):
    """A desk that holds positions on several venues and has seen a liquidation."""

    has_past = True

    def __init__(self, theme: str = "dark") -> None:
        self.theme = theme
        self._loses_place = False
        super().__init__(SEED, SIZE, market="slow")

    def workstation_settings(self) -> WorkstationSettings:
        return WorkstationSettings(bell=False, fps=FPS, flash=False, theme=self.theme)

    def settings(self) -> EngineSettings:
        return EngineSettings(limits=Limits(soft_notional="500000", hard_notional="500000", first_of_day=False))

    async def read_past_bars(self) -> None:
        """Give the engine the old minutes of the open pair, which a venue with a server offers at a path of its own."""
        sym = self.app.main_screen.pair.sym

        def read() -> None:
            end = self.runtime.now_ms()
            bars = self.exchange.bars(sym, Interval.M1, end - PAST_MS, end)
            rows = [
                KlineRow(
                    open_time=bar.start, open=plain(bar.open), high=plain(bar.high), low=plain(bar.low),
                    close=plain(bar.close), volume=plain(bar.volume),
                )
                for bar in bars
            ]  # fmt: skip
            self.engine.state.detail.add_past(Detail(sym), rows)

        await self.at_venue(read)

    def take_looks(self, looks: Sequence[Callable[[PictureDesk], Awaitable[T]]]) -> list[T]:
        """Prepare the desk once, and take each look at a copy of it in a process of its own.

        Raises:
            RuntimeError: A look failed; the reason is in its text.
        """
        results: list[T] = []

        async def take() -> None:
            await self.set_up()
            results.extend([await self._look_in_a_copy(look) for look in looks])

        self.play(take)
        return results

    async def _look_in_a_copy(self, look: Callable[[PictureDesk], Awaitable[T]]) -> T:
        """Fork: the copy goes on from here on its own virtual clock, this process waits for what it saw."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            gc.freeze()  # what the other process made is not looked through again in each copy
            events._set_running_loop(self.screen_loop)  # which loop runs is remembered with the process
            try:
                result: Any = (True, await look(self))
            except BaseException as error:  # whatever it is, the other process raises it
                result = (False, f"{type(error).__name__}: {error}")
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(result, pipe)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            worked, result = pickle.load(pipe)
        os.waitpid(child, 0)
        if not worked:
            raise RuntimeError(result)
        return result  # type: ignore[no-any-return]

    async def resize(self, size: Size) -> None:
        """Give the terminal another size."""
        driver = self.app._driver
        assert isinstance(driver, HeadlessDriver)
        driver._size = size
        self.app.post_message(Resize(TerminalSize(*size), TerminalSize(*size)))
        await self.pause(1)

    async def press_keys(self, *keys: str, apart: float = 0.4) -> None:
        """Press keys as a hand does, each when the screen is still."""
        for key in keys:
            await self.press(key)
            await self.pause(apart)

    async def set_up(self) -> None:
        """Trade until the portfolio is what the pictures show."""
        await self._carry_out_at_venue(portfolio.lose_a_position(self.portfolio), apart=2.0)
        await self.pause(30)
        await self._carry_out_at_venue(portfolio.trade(self.portfolio, self.keys[1].portfolio), apart=0.5)
        self.port.set_risk_mode(RiskMode.NORMAL)
        await self.press_keys("!", "!", "!", "!", "!", "!", "a", "y")
        await self.pause(1)
        await self.send(portfolio.work(self.decision(), self.mirror))
        await self.pause(FIRST_RANKS_S)
        await self.press_keys("4", "g", "g", "3", "g", "g", "2", "g", "g", "1", "g", "g")

    def lose_next_order(self) -> None:
        """Let the next order never arrive at the venue."""
        self._loses_place = True

    async def lose_links(self, seconds: float) -> None:
        """Let nothing of the streams arrive for a time."""

        def cut() -> None:
            self.network.filters.append(lambda wire, _direction, _data: bool(re.search(b"public|private", wire.target)))

        await self.at_venue(cut)
        await self.pause(seconds)

    def _count_money(self, command: Command, answer: Callable[[Reply], None]) -> None:
        if self._loses_place and isinstance(command, PlaceOrder):
            self._loses_place = False
            return
        super()._count_money(command, answer)

    async def _carry_out_at_venue(self, commands: Iterable[Command], apart: float) -> None:
        """Let another client of the account carry commands out, one after another.

        Raises:
            ValueError: The venue refused one.
        """
        for command in commands:
            replies: list[Reply] = []
            await self.at_venue(partial(self.runtime.execute, command, replies.append))
            await self.pause(apart)
            for reply in replies:
                if isinstance(reply, Rejected):
                    raise ValueError(f"{command} was refused: {reply.message}")

    async def send(self, intents: Iterable[Intent]) -> None:
        """Send intents of this desk.

        Raises:
            ValueError: One was not accepted.
        """
        for intent in intents:
            done = self.port.submit(intent)
            await self.until(done.done)
            if done.result().verdict is not Verdict.ACCEPTED:
                raise ValueError(f"{intent} was not accepted: {done.result()}")
            await self.pause(0.5)
