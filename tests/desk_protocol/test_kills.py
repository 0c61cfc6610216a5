"""Owner and windows are killed while orders leave: none is sent twice, and all end as the venue says. `pytest -m real`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desk_protocol.kills import run
from tests.venue.shell.conftest import STILL, Venue

KILLS = 20
"""Of the owner, and as many of windows."""
SEED = 4711


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off")
    yield found
    found.stop()


@pytest.mark.real
@pytest.mark.timeout(900)
async def test_b09_kills_send_nothing_twice_and_lose_no_order(venue: Venue, tmp_path: Path) -> None:
    report = await run(venue, tmp_path, KILLS, SEED)
    assert report.wrong == dict.fromkeys(report.wrong, 0), report
    assert report.verdicts["accepted"] > 2 * KILLS and report.pauses_of_owners > KILLS // 4, report
