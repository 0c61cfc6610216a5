"""Output under way to a slow terminal: how much may be, learned from how late the terminal answers."""

from __future__ import annotations

import random

import pytest

from tui.workstation.terminal.output_window import (
    FEWEST,
    LATE_S,
    LEAST,
    LOST_S,
    MOST_PAUSE_S,
    OVERDUE_S,
    SHARE,
    OutputWindow,
)
from tui.workstation.terminal.terminal_probe import TerminalProbe

FRAME = 700
"""Bytes of a frame."""


class Link:
    """Terminal at the end of a link, on a clock that stands; the link keeps what it has not sent yet."""

    def __init__(self, bytes_per_s: float, way_s: float = 0.002) -> None:
        self.now = 0.0
        self.bytes_per_s, self.way_s = bytes_per_s, way_s
        self.written = self.frames = 0
        self._free = 0.0
        """Time at which everything handed over so far is sent."""
        self._answers: list[float] = []
        self.probe = TerminalProbe(self._query, lambda: self.now, written=lambda: self.written)

    def write(self, count: int) -> None:
        self.written += count
        self._free = max(self._free, self.now) + count / self.bytes_per_s

    def _query(self, text: str) -> None:
        self.write(len(text))
        self._answers.append(self._free + self.way_s)

    def run(self, seconds: float, fps: int = 60) -> float:
        """Paint frames whenever none has to wait; return the longest time that a byte waited in the second half."""
        longest, half, until = 0.0, self.now + seconds / 2, self.now + seconds
        next_second = next_frame = self.now
        while self.now < until:
            self.now += 0.001
            while self._answers and self._answers[0] <= self.now:
                del self._answers[0]
                self.probe.note_answer()
            if self.now >= next_second:
                self.probe.ask()
                next_second += 1
            if self.now >= next_frame and not self.probe.is_full() and not self.probe.frame_pause_s:
                self.write(FRAME)
                self.probe.follow_output()
                self.frames += 1
                next_frame = max(next_frame + 1 / fps, self.now)
            if self.now > half:
                longest = max(longest, self._free - self.now)
        return longest


def test_on_a_slow_terminal_link_output_lags_by_little() -> None:
    link = Link(9_600)
    assert link.run(10) < 2.5 * LATE_S
    assert link.frames * FRAME > 10 * 9_600 * 0.8 * SHARE, "frames take their share"


@pytest.mark.parametrize("bytes_per_s", [20_000, 60_000, 90_000])
def test_frames_take_less_than_half_of_a_slow_link(bytes_per_s: int) -> None:
    link = Link(bytes_per_s)
    link.run(4)
    before, began = link.frames, link.now
    link.run(5)
    assert 0.3 < (link.frames - before) * FRAME / (link.now - began) / bytes_per_s < 0.5


def test_the_speed_of_a_slow_terminal_link_is_measured() -> None:
    slow, fast = Link(12_000), Link(5_000_000)
    for link in (slow, fast):
        link.run(20.0)
    assert 11_000 < slow.probe.line_speed < 14_000 and fast.probe.line_speed == float("inf")


def test_a_terminal_link_of_varying_delay_drops_few_frames() -> None:
    link, source = Link(1_000_000), random.Random(1)
    for _ in range(300):
        link.way_s = source.uniform(0.03, 0.06)
        link.run(1 / 30)
    assert link.frames > 0.95 * 600


def test_a_full_redraw_pauses_frames_for_half_a_second_at_most() -> None:
    written = 0
    window = OutputWindow(lambda: written)
    for size, after in ((100, 0.001), *[(FRAME, 0.1)] * (FEWEST + 1)):
        written += size
        window.note_write(0.0)
        window.note_query()
        window.note_answer(after)
    assert 0 < window.frame_pause_s(0.0) < MOST_PAUSE_S
    written += 100_000
    window.note_write(1.0)
    assert window.frame_pause_s(1.0) == MOST_PAUSE_S


def test_a_fast_terminal_gets_every_frame() -> None:
    link = Link(1_000_000)
    link.run(5)
    assert link.written >= 5 * 60 * FRAME


def test_a_long_round_trip_of_a_fast_terminal_drops_no_frames() -> None:
    link = Link(1_000_000, way_s=0.3)
    link.run(5)
    assert link.written >= 5 * 60 * FRAME


def test_a_longer_round_trip_drops_frames_only_for_a_while() -> None:
    link = Link(1_000_000)
    link.run(5)
    link.way_s = 0.3
    link.run(10)
    before = link.written
    link.run(5)
    assert link.written - before > 4 * 60 * FRAME


def test_a_terminal_link_that_recovers_gets_every_frame_again() -> None:
    link = Link(9_600)
    link.run(5)
    link.bytes_per_s = 1_000_000
    link.run(5)
    before = link.written
    link.run(2)
    assert link.written - before >= 2 * 60 * FRAME


def test_a_lost_terminal_reply_stops_frames_only_for_a_while() -> None:
    now, written = 0.0, 10_000
    probe = TerminalProbe(lambda _: None, lambda: now, written=lambda: written)
    probe.ask()
    now = 0.01
    probe.note_answer()
    probe.ask()
    now = 0.03 + OVERDUE_S
    assert probe.is_full(), "the answer is overdue"
    now = 0.02 + LOST_S
    assert not probe.is_full(), "the answer is lost"


def test_a_terminal_that_never_answers_is_not_waited_for() -> None:
    now, written = 0.0, 0
    probe = TerminalProbe(lambda _: None, lambda: now, written=lambda: written)
    for _ in range(100):
        now, written = now + 0.1, written + FRAME
        probe.follow_output()
        assert not probe.is_full()


def test_a_least_amount_of_output_may_always_be_in_flight() -> None:
    written = 0
    window = OutputWindow(lambda: written)
    window.note_answer(0.001)
    written += 2 * LEAST
    window.note_write(0.0)
    window.note_query()
    window.note_answer(5.0)
    written += LEAST
    assert not window.is_full(0.01)
    written += 1
    assert window.is_full(0.01)
