"""The tick: leading edge, then the interval, urgent at once, nothing when nothing changes."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from tui.workstation.render.repaint import RepaintScheduler


class Loop:
    """A loop whose time moves by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, object, Handle]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, call: object) -> Handle:
        handle = Handle()
        self.timers.append((when, call, handle))
        return handle

    def run_to(self, now: float) -> None:
        self.now = now
        due = [timer for timer in self.timers if timer[0] <= now]
        self.timers = [timer for timer in self.timers if timer[0] > now]
        for _, call, handle in due:
            if not handle.cancelled:
                assert callable(call)
                call()


class Handle:
    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


def frame_on(loop: Loop, fps: int = 10, busy: list[bool] | None = None) -> tuple[RepaintScheduler, list[float]]:
    painted: list[float] = []
    state = busy or [False]
    frame = RepaintScheduler(loop, lambda: painted.append(loop.now), fps, lambda: state[0])  # type: ignore[arg-type]
    return frame, painted


def test_first_change_is_drawn_at_once_and_later_ones_per_frame() -> None:
    loop = Loop()
    frame, painted = frame_on(loop)
    loop.now = 5.0
    frame.wake()
    assert painted == [5.0]
    loop.now = 5.01
    frame.wake()
    frame.wake()
    assert painted == [5.0] and len(loop.timers) == 1
    loop.run_to(5.11)
    assert painted == [5.0, 5.11] and frame.idle
    loop.run_to(9.0)
    assert len(painted) == 2


def test_updates_at_the_frame_rate_are_soon_drawn_without_delay() -> None:
    """Both clocks are a little late each time; the screen must not stay behind the rows for as long as they come."""
    loop = Loop()
    frame, painted = frame_on(loop, fps=60)
    frame.wake()
    waited = []
    wake = 0.012
    for _ in range(120):
        loop.run_to(wake)
        frame.wake()
        shown = len(painted)
        if painted[-1] != wake:
            loop.run_to(loop.timers[0][0] + 0.0008)
            shown = len(painted)
        waited.append(painted[shown - 1] - wake)
        wake += 1 / 60 + 0.0005
    assert waited[0] > 0.004, "the first one had to wait"
    assert waited[-60:] == [0.0] * 60
    assert all(later - before > 1 / 60 - 0.001 for before, later in pairwise(painted))


def test_an_urgent_change_is_drawn_at_once_with_pending_ones() -> None:
    loop = Loop()
    frame, painted = frame_on(loop)
    frame.wake()
    loop.now = 0.01
    frame.wake()
    loop.now = 0.02
    frame.wake(urgent=True)
    assert painted == [0.0, 0.02] and frame.idle
    loop.run_to(0.2)
    assert painted == [0.0, 0.02]


def test_drawing_waits_for_a_terminal_that_does_not_read() -> None:
    loop = Loop()
    busy = [True]
    frame, painted = frame_on(loop, busy=busy)
    frame.wake(urgent=True)
    assert painted == []
    loop.run_to(0.5)
    assert painted == []
    busy[0] = False
    loop.run_to(1.0)
    assert painted == [1.0]


def test_an_urgent_paint_does_not_delay_the_next_frame() -> None:
    loop = Loop()
    own: list[float] = []

    def paint_own() -> bool:
        own.append(loop.now)
        return True

    painted: list[float] = []
    frame = RepaintScheduler(loop, lambda: painted.append(loop.now), 10, paint_own=paint_own)  # type: ignore[arg-type]
    frame.wake()
    loop.now = 0.02
    frame.wake(urgent=True)
    assert (painted, own) == ([0.0], [0.02]) and not frame.idle
    loop.run_to(0.09)
    assert painted == [0.0]
    loop.run_to(0.1)
    assert painted == [0.0, 0.1] and frame.idle


def test_urgent_paints_over_their_time_share_wait_for_the_frame() -> None:
    loop = Loop()
    own: list[float] = []

    def paint_own() -> bool:
        own.append(loop.now)
        loop.now += 0.012
        return False

    painted: list[float] = []
    frame = RepaintScheduler(loop, lambda: painted.append(loop.now), 10, paint_own=paint_own)  # type: ignore[arg-type]
    frame.wake()
    for at in (0.02, 0.04, 0.06):
        loop.now = at
        frame.wake(urgent=True)
    assert own == [0.02, 0.04] and not frame.idle, "two paints of 12 ms use up the burst of 20 ms"
    loop.run_to(0.1)
    assert painted == [0.0, 0.1]
    loop.now = 0.19
    frame.wake(urgent=True)
    assert own == [0.02, 0.04, 0.19], "a tenth of the time is theirs again"


def test_an_urgent_change_is_drawn_as_soon_as_output_is_free() -> None:
    loop = Loop()
    busy = [False]
    frame, painted = frame_on(loop, fps=1, busy=busy)
    frame.wake()
    loop.now = 0.1
    frame.wake()
    busy[0] = True
    frame.wake(urgent=True)
    busy[0] = False
    loop.run_to(0.2)
    assert painted == [0.0, 0.2], "the timer of the frame is at 1.0"


def test_on_a_slow_link_frames_pause_and_urgent_paints_do_not() -> None:
    loop, rest = Loop(), [0.5]
    frames: list[float] = []
    own: list[float] = []

    def paint_own() -> bool:
        own.append(loop.now)
        return False

    frame = RepaintScheduler(
        loop,  # type: ignore[arg-type]
        lambda: frames.append(loop.now),
        10,
        paint_own=paint_own,
        frame_pause_s=lambda: rest[0] - loop.now,
    )
    frame.wake()
    loop.run_to(0.2)
    frame.wake(urgent=True)
    assert frames == [] and own == [0.2], "an own change does not wait"
    loop.run_to(0.5)
    assert frames == [0.5]
    rest[0] = 0.9
    loop.run_to(0.6)
    frame.wake()
    rest[0] = 1.2
    loop.run_to(0.9)
    assert frames == [0.5], "an own change in between took the link"
    loop.run_to(1.2)
    assert frames == [0.5, 1.2]


def test_an_urgent_paint_waits_for_busy_output_not_for_a_pause() -> None:
    loop, busy = Loop(), [True]
    frames: list[float] = []
    own: list[float] = []

    def paint_own() -> bool:
        own.append(loop.now)
        return True

    frame = RepaintScheduler(
        loop,  # type: ignore[arg-type]
        lambda: frames.append(loop.now),
        10,
        lambda: busy[0],
        paint_own,
        lambda: 0.5 - loop.now,
    )
    frame.wake(urgent=True)
    loop.run_to(0.1)
    assert own == []
    busy[0] = False
    loop.run_to(0.2)
    assert own == [0.2] and frames == []
    loop.run_to(0.5)
    assert frames == [0.5] and own == [0.2]


async def test_waking_the_scheduler_of_a_closed_loop_is_harmless() -> None:
    loop = asyncio.new_event_loop()
    frame = RepaintScheduler(loop, lambda: None)
    loop.close()
    frame.wake_from_thread(urgent=True)
