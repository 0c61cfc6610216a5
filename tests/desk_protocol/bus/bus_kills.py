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
from tests.desk_protocol.desk_process import WIDE
from tests.desk_protocol.desks import orders_of
from tests.desk_protocol.kills import Killed, Report, Third, judge_outcomes, judge_rows, settled
from tests.venue.shell.conftest import Venue
from tui.engine.intents import CancelAll, Verdict
from tui.engine.journal.journal_file import read_all


async def kill_server(server: NatsServer, desks: list[Third], kills: int, seed: int) -> list[float]:
    """Kill the server again and again at moments of the seed; return how long the desks needed each time, s."""
    moments, took = random.Random(seed), []
    for _ in range(kills):
        await asyncio.sleep(moments.uniform(0.02, 0.4))
        server.kill()
        await until(lambda: not any(desk.is_back() for desk in desks), 10)
        await asyncio.sleep(moments.uniform(0.0, 0.5))
        server.start()
        began = time.monotonic()
        await until(lambda: all(desk.is_back() for desk in desks), 30)
        took.append(round(time.monotonic() - began, 2))
        sent = [len(desk.outcomes) for desk in desks]
        await until(lambda: all(len(desk.outcomes) > before for desk, before in zip(desks, sent, strict=True)), 30)  # noqa: B023
    return took


async def run(venue: Venue, home: Path, kills: int, seed: int) -> Report:
    """Kill the server that often, and judge what is left."""
    server = NatsServer(home)
    server.start()
    try:
        gateway = GatewayDesk(server, venue, home, WIDE)
        await gateway.in_step()
        report = Report(kills_of_servers=kills)
        desks = [
            Third(TraderDesk(server, name), Decimal(first)) for name, first in (("anna", 60_000), ("bert", 59_000))
        ]
        for desk in desks:
            await desk.window.in_step()
        trading = [asyncio.create_task(desk.trade()) for desk in desks]
        report.in_step_s = await kill_server(server, desks, kills, seed)
        await end(desks, trading, gateway, venue, report)
    finally:
        server.kill()
    return report


async def end(
    desks: list[Third], trading: list[asyncio.Task[None]], gateway: GatewayDesk, venue: Venue, report: Report
) -> None:
    """Let the desks end their last order, and compare what they and the gateway say with the venue's record."""
    for desk in desks:
        desk.stop()
    await asyncio.wait(trading)
    held = await settled(venue, gateway)
    for desk in desks:
        judge_outcomes(report, desk.outcomes, held)
        await desk.window.end()
    judge_rows(report, gateway, held)
    stopped = await gateway.submit(CancelAll(decision=gateway.buy("1").decision, kill=True))
    assert stopped.verdict is Verdict.ACCEPTED
    await gateway.end()


FIRST_PRICES = range(55_000, 60_000, 1_000)
"""First price of each desk."""


def times_attached(desk: Third) -> int:
    """How often a window has attached."""
    return sum("this window is attached" in text for text in desk.window.texts())


async def kill_gateways(
    home: Path, ready: str, gateway: Killed, desks: list[Third], kills: int, seed: int, report: Report
) -> Killed:
    """Kill the gateway again and again at moments of the seed, and start another one; return the last one."""
    moments = random.Random(seed)
    for _ in range(kills):
        await asyncio.sleep(moments.uniform(0.02, 0.6))
        before = [times_attached(desk) for desk in desks]
        gateway.kill()
        await asyncio.sleep(moments.choice((0.0, 0.0, moments.uniform(0, 2))))
        gateway = Killed(home, "gateway", stdin=ready)
        await gateway.ready()
        began = time.monotonic()
        pairs = list(zip(desks, before, strict=True))
        await until(lambda: all(desk.is_back() and times_attached(desk) > last for desk, last in pairs), 30)  # noqa: B023
        report.in_step_s.append(round(time.monotonic() - began, 2))
        sent = [len(desk.outcomes) for desk in desks]
        await until(lambda: all(len(desk.outcomes) > last for desk, last in zip(desks, sent, strict=True)), 30)  # noqa: B023
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
        pairs = zip(TRADERS, FIRST_PRICES, strict=True)
        desks = [Third(TraderDesk(server, name), Decimal(first)) for name, first in pairs]
        for desk in desks:
            await desk.window.in_step()
        trading = [asyncio.create_task(desk.trade()) for desk in desks]
        killed = await kill_gateways(home, ready, killed, desks, kills, seed, report)
        killed.kill()
        last = GatewayDesk(server, venue, home, WIDE)
        await last.in_step()
        await end(desks, trading, last, venue, report)
        entries, damage = read_all(home / "journal.db")
        assert not damage, damage
        known = {entry.client_order_id for entry in entries if entry.kind == "intent"}
        report.wrong["not_written"] = sum(row["clientOrderId"] not in known for row in orders_of(venue))
    finally:
        server.kill()
    return report
