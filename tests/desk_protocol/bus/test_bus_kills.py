"""Servers and gateways are killed while traders' orders leave: none is sent twice, and all is known. `pytest -m real`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.desk_protocol.bus.bus_desks import find_server
from tests.desk_protocol.steady_trader import MOST_OPEN
from tests.venue.shell.conftest import Venue

pytest.importorskip("nats", reason="pip install -r requirements-desk.lock")
pytest.importorskip("nkeys", reason="pip install -r requirements-desk.lock")
pytestmark = pytest.mark.skipif(not find_server(), reason="no nats-server: pip install -r requirements-desk.lock")

KILLS = 100
GATEWAYS = 20
SEED = 4711
BACK_S = 2.0
"""Time after which every desk is in step again once the server or the gateway is back, s."""


@pytest.mark.real
@pytest.mark.timeout(900)
async def test_b10_killed_servers_send_nothing_twice(venue: Venue, tmp_path: Path) -> None:
    from tests.desk_protocol.bus.bus_kills import run

    report = await run(venue, tmp_path, KILLS, SEED)
    assert report.failures == {}, report
    assert min(report.accepted_by_desk) > KILLS and report.fills > KILLS, report
    assert report.denials["LIMIT"] and report.most_open > MOST_OPEN // 2, report
    assert max(report.in_step_s) < BACK_S, sorted(report.in_step_s)[-5:]


@pytest.mark.real
@pytest.mark.timeout(900)
async def test_b09_killed_gateways_send_nothing_twice(venue: Venue, tmp_path: Path) -> None:
    from tests.desk_protocol.bus.bus_kills import run_gateways

    report = await run_gateways(venue, tmp_path, GATEWAYS, SEED)
    assert report.failures == {}, report
    assert min(report.accepted_by_desk) > GATEWAYS and report.fills > 2 * GATEWAYS, report
    assert report.denials["LIMIT"] and report.most_open > MOST_OPEN // 2, report
    assert max(report.in_step_s) < BACK_S, sorted(report.in_step_s)[-5:]
