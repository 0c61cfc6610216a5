"""Pacing of repaints: the first change after a pause is painted at once, later ones after an interval."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial

BUSY_RETRY_S = 0.004
OWN_SHARE = 0.1
"""Share of the time that paints between frames may take; what is left of it is kept for a burst of changes."""
OWN_BURST_S = 0.02
"""Most time kept for paints between frames, s."""


class RepaintScheduler:
    """Timer that schedules frames; the caller paints them."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        paint: Callable[[], None],
        fps: int = 60,
        busy: Callable[[], bool] = lambda: False,
        paint_own: Callable[[], bool] | None = None,
        frame_pause_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Initialize a scheduler.

        Args:
            loop: Loop of the screen; its clock paces the frames.
            paint: Callback that takes the newest rows and draws; called on the loop.
            fps: Most frames per second for changes that are not urgent.
            busy: Whether an earlier frame is still being written to the terminal; painting waits for it.
            paint_own: Callback that draws urgent changes between two frames while that takes little of the time, True
                when others remain for the next frame. Without it an urgent change paints everything.
            frame_pause_s: Time for which the next frame has to leave a slow link free, s; urgent changes do not wait for it.
        """
        self._loop = loop
        self._paint = paint
        self._busy = busy
        self._paint_own = paint_own
        self._frame_pause_s = frame_pause_s
        self.set_fps(fps)
        # The engine's thread wakes the loop; frames run in the context of the creator.
        self._context = contextvars.copy_context()
        self._last = float("-inf")
        """Time at which the newest frame was due, or began when none was scheduled."""
        self._own_budget, self._own_counted = OWN_BURST_S, loop.time()
        """Time left for paints between frames, s, and when it was last counted."""
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0  # of the timer
        self._urgent_waits = self._closed = False
        """Whether an urgent change waits for the terminal, and whether painting has ended."""
        self.frozen = False
        """While True nothing is painted; the caller still takes in data."""
        self.paints = self.own_paints = self.wakes = 0
        """Frames, paints between frames, and wake-ups since the start; for tests."""

    def wake_from_thread(self, *, urgent: bool) -> None:
        """Request a frame from any thread, without blocking."""
        try:
            self._loop.call_soon_threadsafe(partial(self.wake, urgent=urgent), context=self._context)
        except RuntimeError:
            self._closed = True

    def wake(self, *, urgent: bool = False) -> None:
        """Schedule a frame after a change."""
        self.wakes += 1
        if self._closed:
            return
        now = self._loop.time()
        due = max(self._last + self._interval, now + self._frame_pause_s())
        if self._busy():
            self._urgent_waits |= urgent
            self._at(now + BUSY_RETRY_S if urgent else max(due, now + BUSY_RETRY_S))
        elif now >= due or (urgent and self._paint_own is None):
            self._now()
        elif not (urgent and self._can_paint_own(now)) or self._paint_between(now):
            self._at(due)

    def _paint_between(self, now: float) -> bool:
        """Paint account changes between two frames; return whether market changes remain for the next frame."""
        assert self._paint_own is not None
        self._urgent_waits = False
        self.own_paints += 1
        others_wait = self._paint_own()
        self._own_budget -= self._loop.time() - now
        return others_wait

    def _can_paint_own(self, now: float) -> bool:
        """Return whether painting between frames has not used up its share of the time."""
        self._own_budget = min(OWN_BURST_S, self._own_budget + OWN_SHARE * (now - self._own_counted))
        self._own_counted = now
        return self._own_budget > 0

    def set_fps(self, fps: int) -> None:
        """Set the frame rate, for example lower while the window has no focus."""
        self.fps = fps
        self._interval = 1 / fps

    @property
    def idle(self) -> bool:
        """Whether no frame is scheduled."""
        return self._timer is None

    def close(self) -> None:
        """Stop painting permanently."""
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
        due, now = self._due, self._loop.time()
        if self._busy():
            self._at(now + BUSY_RETRY_S)
            return
        if (frame_pause_s := self._frame_pause_s()) > 0 and self._paint_own is not None:
            if not self._urgent_waits or self._paint_between(now):
                self._at(now + frame_pause_s)
            return
        # Timers fire late. Counting the interval from the due time instead of the start lets frames drift towards the
        # arrival of periodic data, so that it is not delayed for ever.
        self._now(due if now - due < self._interval else now)

    def _now(self, began: float | None = None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._closed:
            return
        self._urgent_waits = False
        self._last = self._loop.time() if began is None else began
        self.paints += 1
        self._paint()
