"""Input order: each key, click or paste is handled only after the previous one has fully taken effect.

Textual runs an app action at once but queues a character for the focused widget. Without a pause between them, keys of
one read would swap: with `Tab 1`, the digit would be typed before the Tab.
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
"""Passes per event: the first ends after the key itself, the second after messages posted by its handlers."""
QUIET_S = 0.02
"""Delay of the pass when no event follows, s, so that the effect is painted first."""
CHECK_S = 0.05
"""Interval of checks of a pass that does not return, s; the longest wait for a kill-switch key."""
MOST_WAITING = 200
"""Most queued keys of one burst; further ones are ignored until the burst ends, because no hand types so many."""
GIVE_UP_CHECKS = 40
"""Checks after which input continues; counted, not timed, because a blocked loop makes no checks."""


def key_time() -> float:
    """Return the current time on the clock of key events, in s."""
    return Message().time


class InputOrder:
    """Queue of input events, handled one at a time.

    After each event an empty message passes through the queues of its receiver, the receiver's parents, the screen and
    the
    app, as a key does. Handlers never await it, so no widget can wait for itself.
    """

    def __init__(
        self,
        app: App[None],
        handle: Callable[[events.Event], Awaitable[None]],
        urgent: Callable[[events.Event], bool],
        report_dropped: Callable[[int], None],
        report_overflow: Callable[[int], None],
    ) -> None:
        """Start with an empty queue.

        Args:
            app: App whose focus and screens determine the receiver.
            handle: Handler of one event.
            urgent: Whether an event must not wait for a stuck widget.
            report_dropped: Callback with the number of events dropped because an earlier one did not end.
            report_overflow: Callback with the number of keys dropped as a burst faster than typing.
        """
        self._app = app
        self._handle = handle
        self._urgent = urgent
        self._report_dropped = report_dropped
        self._report_overflow = report_overflow
        self._waiting: deque[tuple[events.Event, bool]] = deque()
        """Events, each with whether it directly followed another key, as in a paste or a macro."""
        self._last_key = float("-inf")
        self._overflowed = False
        """Whether the present burst exceeded `MOST_WAITING`."""
        self._ignored = 0
        """Keys dropped as overflow and not reported yet."""
        self._passes_left = 0
        self._under_way = False
        """Whether the first pass has started; it starts when another event waits, or after `QUIET_S`."""
        self._pass = 0
        """Number of the present pass; a late return of an older one is ignored."""
        self._at: MessagePump = app
        """Owner of the queue the pass is in."""
        self._checks = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """Number of queued events behind the current one."""
        return len(self._waiting)

    @property
    def idle(self) -> bool:
        """Whether no event is queued and no earlier one is still taking effect."""
        return not self._waiting and not self._under_way

    async def handle(self, event: events.Event) -> None:
        """Handle an event now, or once earlier ones have taken effect; called in the app's message queue."""
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
        """Send the marker to the message queue of the next widget, skipping closed ones, and at the end back to the app."""
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
        """Retry if the widget being waited for was removed, and give up waiting if it is stuck."""
        self._timer = None
        if not self._app.is_running:
            return
        if self._ignored and not self._waiting:
            ignored, self._ignored = self._ignored, 0
            self._app.call_later(self._report_overflow, ignored)
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
        """Return queued kill switch keys that were pressed by hand, not those inside a paste or macro."""
        return [(event, joined) for event, joined in self._waiting if not joined and self._urgent(event)]

    async def _give_up(self, number: int) -> None:
        """Stop waiting for a stuck widget and drop the queued input, except a kill switch key."""
        if number != self._pass or not self._passes_left:
            return
        urgent = self._urgent_waiting()[:1]
        pressed = [event for event, _ in self._waiting if isinstance(event, (events.Key, events.Paste))]
        self._waiting = deque(urgent)
        self._passes_left, self._under_way = 0, False
        self._pass += 1
        if len(pressed) > len(urgent):
            self._report_dropped(len(pressed) - len(urgent))
        await self._look()
