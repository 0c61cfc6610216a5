"""Owner and windows are killed or stopped while orders leave: none is sent twice, and all end as the venue says."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from tests.client.fakes import until
from tests.desk_protocol.desks import orders_of, start_owner
from tests.desk_protocol.kill_report import Report, judge_rows, judge_written, settled
from tests.desk_protocol.kills import Killed, run
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
    moments = random.Random(SEED)
    owner = start_owner(venue, tmp_path, WIDE)
    await owner.in_step()
    window = Killed(tmp_path, "window")
    await window.ready()
    for _ in range(STOPS):
        sent = len(orders_of(venue))
        await until(lambda: len(orders_of(venue)) > sent, 30)  # noqa: B023
        await asyncio.sleep(moments.uniform(0, 0.3))
        window.stand_still()
        await asyncio.sleep(moments.choice((0.5, 1.9, 2.1, 4.0)))
        window.go_on()
    window.kill()
    report, held = Report(), await settled(venue, owner)
    judge_written(report, tmp_path, held)
    judge_rows(report, owner, held)
    assert report.wrong == dict.fromkeys(report.wrong, 0), report
    assert report.orders > STOPS
    await owner.end()
