"""The order of input: the next key, click or paste is looked at when the one before has had all of its effect.

Textual carries out an action in the app at once and puts a character into the queue of the focused widget. Looked at
without a pause between them, the keys of one read would change places: `Tab 1` typed into the field before the Tab.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message
from textual.message_pump import MessagePump

from tui.workstation.input.fresh_press import BURST_S

if TYPE_CHECKING:
    from textual.app import App

PASSES = 2
"""The first pass ends behind the key itself, the second behind what its handlers posted: changes, focus, a screen."""
QUIET_S = 0.02
"""After an event behind which nothing comes, the pass waits so long: its effect is painted first."""
CHECK_S = 0.05
"""How often a pass that does not come back is looked at; so long at most a key of the kill switch waits."""
MOST_WAITING = 200
"""Keys of one burst that wait; what comes behind them is no hand, and is ignored to the end of the burst."""
GIVE_UP_CHECKS = 40
"""Checks after which input is looked at again. Counted, not timed: a loop that stood still made no check."""


def key_time() -> float:
    """Now, s, on the clock that every key carries, for what is compared with them."""
    return Message().time


class InputOrder:
    """Takes input as it was read, and hands it on one by one.

    Between two of them an empty message goes through the queue of the receiver, of each of its parents, of the screen
    and of the app: the way of the key itself. Nothing is awaited in a handler, so no widget can wait for itself.
    """

    def __init__(
        self,
        app: App[None],
        handle: Callable[[events.Event], Awaitable[None]],
        urgent: Callable[[events.Event], bool],
        dropped: Callable[[int], None],
        too_many: Callable[[int], None],
    ) -> None:
        """
        Args:
            app: Whose focus and screens decide the receiver.
            handle: Looks at one event.
            urgent: Whether an event must not wait for a widget that is stuck.
            dropped: Told how many events were not handed on because the one before did not end.
            too_many: Told how many keys of one burst were not handed on because no hand presses so many.
        """
        self._app = app
        self._handle = handle
        self._urgent = urgent
        self._dropped = dropped
        self._too_many = too_many
        self._waiting: deque[tuple[events.Event, bool]] = deque()
        """Each with whether it came right behind another key, as in a paste or a macro."""
        self._last_key = float("-inf")
        self._overflowed = False
        """Whether the present burst had more keys than wait."""
        self._ignored = 0
        """Keys that were too many and of which nobody was told yet."""
        self._passes_left = 0
        self._under_way = False
        """Whether the first pass has begun; it begins when something waits for it, or a little later."""
        self._pass = 0
        """Number of the present pass; one that comes back later counts no more."""
        self._at: MessagePump = app
        """In whose queue the pass is."""
        self._checks = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """Events behind the one that is looked at."""
        return len(self._waiting)

    @property
    def idle(self) -> bool:
        """Whether no event waits, nor is a pass on its way."""
        return not self._waiting and not self._under_way

    async def take(self, event: events.Event) -> None:
        """Look at an event now, or when those before it have had their effect. Called in the app's own queue."""
        joined = False
        if isinstance(event, events.Key):
            joined, self._last_key = abs(event.time - self._last_key) < BURST_S, event.time
            self._overflowed = joined and (self._overflowed or len(self._waiting) >= MOST_WAITING)
            if self._overflowed:
                self._ignored += 1
                self._call_check(CHECK_S)
                return
        self._waiting.append((event, joined))
        if not self._passes_left:
            await self._look()
        elif not self._under_way:
            self._begin()

    async def _look(self) -> None:
        while self._waiting and not self._passes_left:
            event, _ = self._waiting.popleft()
            await self._handle(event)
            if not isinstance(event, events.MouseMove):
                self._settle()

    def _settle(self) -> None:
        self._passes_left = PASSES
        if self._waiting:
            self._begin()
        else:
            self._call_check(QUIET_S)

    def _begin(self) -> None:
        self._under_way, self._checks = True, 0
        self._begin_pass()
        self._call_check(CHECK_S)

    def _call_check(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._check)

    def _begin_pass(self) -> None:
        self._pass += 1
        if not self._app.screen_stack:
            return
        receiver = self._app.focused or self._app.screen
        self._go_on([node for node in receiver.ancestors_with_self if node is not self._app], self._pass)

    def _go_on(self, path: list[MessagePump], number: int) -> None:
        """To the next queue; one that closes takes nothing and is passed over."""
        if number != self._pass:
            return
        for at, pump in enumerate(path):
            self._at = pump
            if pump.call_later(self._go_on, path[at + 1 :], number):
                return
        self._at = self._app
        self._app.call_later(self._came_back, number)

    async def _came_back(self, number: int) -> None:
        if number != self._pass or not self._passes_left:
            return
        self._passes_left -= 1
        if self._passes_left:
            self._begin_pass()
        else:
            self._under_way = False
            await self._look()

    def _check(self) -> None:
        """Look after a pass: its widget may have been removed with it, or be stuck."""
        self._timer = None
        if not self._app.is_running:
            return
        if self._ignored and not self._waiting:
            ignored, self._ignored = self._ignored, 0
            self._app.call_later(self._too_many, ignored)
        if not self._passes_left:
            return
        if not self._under_way:
            self._begin()
            return
        self._checks += 1
        if self._checks >= GIVE_UP_CHECKS or self._urgent_waiting():
            self._app.call_later(self._give_up, self._pass)
        elif self._at is not self._app and not self._at.is_attached:
            self._begin_pass()
        self._call_check(CHECK_S)

    def _urgent_waiting(self) -> list[tuple[events.Event, bool]]:
        """Keys of the kill switch that a hand pressed: inside a paste or a macro they count no more than others."""
        return [(event, joined) for event, joined in self._waiting if not joined and self._urgent(event)]

    async def _give_up(self, number: int) -> None:
        """Wait no longer. What was pressed meanwhile meant another screen and is dropped, but for the kill switch."""
        if number != self._pass or not self._passes_left:
            return
        urgent = self._urgent_waiting()[:1]
        pressed = [event for event, _ in self._waiting if isinstance(event, (events.Key, events.Paste))]
        self._waiting = deque(urgent)
        self._passes_left, self._under_way = 0, False
        self._pass += 1
        if len(pressed) > len(urgent):
            self._dropped(len(pressed) - len(urgent))
        await self._look()
