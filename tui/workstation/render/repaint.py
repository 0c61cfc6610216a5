"""The leading-edge tick: the first change after a quiet time is painted at once, the next ones wait for the interval.

Nothing runs when nothing changes. Knows nothing of textual, so that the simulation can drive it on a virtual loop.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable

BUSY_RETRY_S = 0.004


class RepaintScheduler:
    """Decides when to paint; what to paint is the caller's."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        paint: Callable[[], None],
        fps: int = 60,
        busy: Callable[[], bool] = lambda: False,
        paint_own: Callable[[], bool] | None = None,
    ) -> None:
        """
        Args:
            loop: Loop of the screen; its time paces the frames.
            paint: Takes the newest rows and draws; called on the loop.
            fps: Most paints per second of what is not urgent.
            busy: Whether an earlier frame has not left for the terminal yet; then painting waits.
            paint_own: Draws only what is urgent, between two frames; True when the rest waits for the next one. Without
                it an urgent change paints everything.
        """
        self._loop = loop
        self._paint = paint
        self._busy = busy
        self._paint_own = paint_own
        self._interval = 1 / fps
        # The engine's thread wakes us; what is painted belongs to the context of whoever made the frame.
        self._context = contextvars.copy_context()
        self._last = float("-inf")
        """When the newest frame was due, or began where nothing had waited for it."""
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        """When it fires."""
        self._closed = False
        self.frozen = False
        """While True nothing is painted; data is still taken in by whoever asks."""
        self.paints = self.own_paints = self.wakes = 0
        """Frames, paints between two of them, and wake-ups since the start; tests count them."""

    def wake_from_thread(self, urgent: bool) -> None:
        """The wake of the conflating queue: callable from any thread, never blocks."""
        try:
            self._loop.call_soon_threadsafe(self.wake, urgent, context=self._context)
        except RuntimeError:
            self._closed = True

    def wake(self, urgent: bool = False) -> None:
        """Something changed."""
        self.wakes += 1
        if self._closed:
            return
        now = self._loop.time()
        due = self._last + self._interval
        if self._busy():
            self._at(now + BUSY_RETRY_S if urgent else max(due, now + BUSY_RETRY_S))
        elif now >= due or (urgent and self._paint_own is None):
            self._now()
        elif urgent and self._paint_own is not None:
            self.own_paints += 1
            if self._paint_own():
                self._at(due)
        else:
            self._at(due)

    def set_fps(self, fps: int) -> None:
        """Change the pace, for example while the window has lost the focus."""
        self._interval = 1 / fps

    @property
    def idle(self) -> bool:
        """Whether no timer is waiting."""
        return self._timer is None

    def close(self) -> None:
        """No paint after this."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _at(self, when: float) -> None:
        if self._timer is not None and when < self._due:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._due = when
            self._timer = self._loop.call_at(when, self._fire)

    def _fire(self) -> None:
        self._timer = None
        if self._busy():
            self._at(self._loop.time() + BUSY_RETRY_S)
            return
        due, now = self._due, self._loop.time()
        # Timers are late. Were the next frame an interval after this one began, rows that come in a beat of their own
        # could stay behind it for ever; so each frame comes closer to them, until they find the screen free.
        self._now(due if now - due < self._interval else now)

    def _now(self, began: float | None = None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._closed:
            return
        self._last = self._loop.time() if began is None else began
        self.paints += 1
        self._paint()
