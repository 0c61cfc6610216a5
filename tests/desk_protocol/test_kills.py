"""Owner and windows are killed or stopped while orders leave: none is sent twice, and all end as the venue says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.desk_protocol.desks import start_owner
from tests.desk_protocol.kill_report import judge_killed
from tests.desk_protocol.kills import Killed, run, stop_and_go_on
from tests.desk_protocol.steady_trader import MOST_OPEN, WIDE
from tests.venue.shell.conftest import Venue

KILLS = 20
"""Of the owner, and as many of windows."""
STOPS = 10
SEED = 4711


@pytest.mark.real
@pytest.mark.timeout(900)
async def test_b09_b25_kills_send_nothing_twice_and_lose_no_order(venue: Venue, tmp_path: Path) -> None:
    report = await run(venue, tmp_path, KILLS, SEED)
    assert report.failures == {}, report
    assert report.verdicts["accepted"] > 10 * KILLS and report.pauses_of_owners > KILLS // 4, report
    assert report.fills > 2 * KILLS and report.denials["LIMIT"] and report.most_open > MOST_OPEN // 2, report


@pytest.mark.real
@pytest.mark.timeout(300)
async def test_b18_stopped_windows_send_nothing_twice(venue: Venue, tmp_path: Path) -> None:
    owner = start_owner(venue, tmp_path, WIDE)
    await owner.in_step()
    window = Killed(tmp_path, "window")
    await stop_and_go_on(venue, window, STOPS, SEED)
    window.kill()
    report = await judge_killed(venue, tmp_path, owner)
    assert report.failures == {}, report
    assert report.orders > STOPS
