"""A desk on a recorded market says where the market comes from, and that it stands still once it has ended."""

from __future__ import annotations

import msgspec
import pytest

from tests.engine.conftest import StateRig
from tui.engine.sync.monitors import RecordingMonitor
from tui.interface.ready import Recording

STARTED = 1_700_000_000_000


def watched(bare: StateRig, *, loops: bool) -> RecordingMonitor:
    """A recording of a minute and a half that began with the clock of the test."""
    recording = Recording(
        name="btc\x1b[2J.rec", recorded_ms=1_600_000_000_000, started_ms=STARTED, length_ms=90_000, loops=loops
    )
    bare.state.identity = msgspec.structs.replace(bare.state.identity, recording=recording)
    return RecordingMonitor(bare.state)


def told(bare: StateRig) -> list[str]:
    return [event.text for event in bare.screen.look().events]


def test_start_and_end_of_a_recorded_market_are_reported_once(bare: StateRig) -> None:
    monitor = watched(bare, loops=False)
    for _ in range(2):
        monitor.check()
    [text] = told(bare)
    assert "recorded 2020-09-13 12:26:40 UTC, 1:30 long, ends then" in text and "\x1b" not in text
    bare.clock.advance(89.9)
    monitor.check()
    assert len(told(bare)) == 1
    bare.clock.advance(0.1)
    for _ in range(2):
        monitor.check()
    assert [("has ended: its market stands still" in text) for text in told(bare)] == [False, True]


def test_a_looping_recorded_market_reports_no_end(bare: StateRig) -> None:
    monitor = watched(bare, loops=True)
    bare.clock.advance(1000)
    monitor.check()
    [text] = told(bare)
    assert text.endswith("1:30 long, begins again at its end")


@pytest.mark.parametrize(("skew_ms", "ended"), [(0.0, False), (2000.0, False), (-2000.0, True)])
def test_end_of_a_recorded_market_is_by_the_server_clock(bare: StateRig, skew_ms: float, ended: bool) -> None:
    monitor = watched(bare, loops=False)
    bare.state.links.skew_ms = lambda: skew_ms
    bare.clock.advance(89)
    monitor.check()
    assert any("has ended" in text for text in told(bare)) == ended


def test_a_live_market_reports_no_recording(bare: StateRig) -> None:
    RecordingMonitor(bare.state).check()
    assert told(bare) == []
