"""NATS server or gateway that is killed while orders leave; the command is `python -m tests.desk_protocol.kills`."""

from __future__ import annotations

import asyncio
import json
import random
import time
from decimal import Decimal
from pathlib import Path

from tests.client.fakes import until
from tests.desk_protocol.bus.bus_desks import TRADERS, GatewayDesk, NatsServer, TraderDesk
from tests.desk_protocol.kill_report import Interval, Report, judge_desk, judge_seen
from tests.desk_protocol.kills import Killed
from tests.desk_protocol.steady_trader import WIDE, SteadyTrader
from tests.venue.shell.conftest import Venue

FIRST_PRICES = range(59_000, 61_500, 500)
"""Lowest price of orders that rest, of each desk: all are inside the band."""


async def attach_traders(server: NatsServer, number: int) -> list[SteadyTrader]:
    """Attach the windows of that many traders, and wait until they are in step."""
    firsts = zip(TRADERS[:number], FIRST_PRICES, strict=False)
    desks = [
        SteadyTrader(TraderDesk(server, name), Decimal(first), share) for share, (name, first) in enumerate(firsts)
    ]
    for desk in desks:
        await desk.window.in_step()
    return desks


async def kill_server(server: NatsServer, desks: list[SteadyTrader], kills: int, seed: int, report: Report) -> None:
    """Kill the server again and again at moments of the seed."""
    moments, interval = random.Random(seed), Interval(desks, report)
    await interval.go_on()
    for _ in range(kills):
        await asyncio.sleep(moments.uniform(0.02, 0.4))
        interval.end()
        server.kill()
        await until(lambda: not any(desk.is_back() for desk in desks), 10)
        await asyncio.sleep(moments.uniform(0.0, 0.5))
        server.start()
        began = time.monotonic()
        await until(lambda: all(desk.is_back() for desk in desks), 30)
        report.in_step_s.append(round(time.monotonic() - began, 2))
        await interval.go_on()
    interval.end()


async def run(venue: Venue, home: Path, kills: int, seed: int) -> Report:
    """Kill the server that often while two traders send, and judge what is left."""
    server = NatsServer(home)
    server.start()
    try:
        gateway = GatewayDesk(server, venue, home, WIDE)
        await gateway.in_step()
        report = Report(kills_of_servers=kills)
        desks = await attach_traders(server, 2)
        trading = [asyncio.create_task(desk.trade()) for desk in desks]
        await kill_server(server, desks, kills, seed, report)
        await stop(desks, trading, venue, report)
        await judge_desk(report, venue, home, gateway, desks)
    finally:
        server.kill()
    return report


async def stop(desks: list[SteadyTrader], trading: list[asyncio.Task[None]], venue: Venue, report: Report) -> None:
    """Let the desks end their last order, judge which fills they saw, and end their windows."""
    for desk in desks:
        desk.stop()
    await asyncio.gather(*trading)
    await judge_seen(report, venue, desks)
    for desk in desks:
        await desk.window.end()


def times_attached(desk: SteadyTrader) -> int:
    """How often a window has attached."""
    return sum("this window is attached" in text for text in desk.window.texts())


async def kill_gateways(
    home: Path, ready: str, gateway: Killed, desks: list[SteadyTrader], kills: int, seed: int, report: Report
) -> Killed:
    """Kill the gateway again and again at moments of the seed, and start another one; return the last one."""
    moments, interval = random.Random(seed), Interval(desks, report)
    await interval.go_on()
    for _ in range(kills):
        await asyncio.sleep(moments.uniform(0.02, 0.6))
        interval.end()
        before = [times_attached(desk) for desk in desks]
        gateway.kill()
        await asyncio.sleep(moments.choice((0.0, 0.0, moments.uniform(0, 2))))
        gateway = Killed(home, "gateway", stdin=ready)
        await gateway.ready()
        began = time.monotonic()
        pairs = list(zip(desks, before, strict=True))
        await until(lambda: all(desk.is_back() and times_attached(desk) > last for desk, last in pairs), 30)  # noqa: B023
        report.in_step_s.append(round(time.monotonic() - began, 2))
        await interval.go_on()
    interval.end()
    return gateway


async def run_gateways(venue: Venue, home: Path, kills: int, seed: int) -> Report:
    """Kill that many gateways while five traders send, and judge what is left."""
    home.chmod(0o700)
    server = NatsServer(home)
    server.start()
    try:
        ready = json.dumps({"ready": venue.ready, "port": server.port, "seeds": server.seeds})
        killed = Killed(home, "gateway", stdin=ready)
        await killed.ready()
        report = Report(kills_of_gateways=kills)
        desks = await attach_traders(server, len(TRADERS))
        trading = [asyncio.create_task(desk.trade()) for desk in desks]
        killed = await kill_gateways(home, ready, killed, desks, kills, seed, report)
        await stop(desks, trading, venue, report)
        killed.kill()
        last = GatewayDesk(server, venue, home, WIDE)
        await last.in_step()
        await judge_desk(report, venue, home, last, desks)
    finally:
        server.kill()
    return report
