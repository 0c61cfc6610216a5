"""NATS server that is killed while orders of two traders leave; the command is `python -m tests.desk_protocol.kills`."""

from __future__ import annotations

import asyncio
import random
import time
from decimal import Decimal
from pathlib import Path

from tests.client.fakes import until
from tests.desk_protocol.bus_desks import GatewayDesk, NatsServer, TraderDesk
from tests.desk_protocol.desk_process import WIDE
from tests.desk_protocol.desks import orders_of
from tests.desk_protocol.kills import Report, Third, judge_outcomes, judge_rows, unsure
from tests.venue.shell.conftest import Venue
from tui.engine.intents import CancelAll, Verdict


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
        for desk in desks:
            desk.stop()
        await asyncio.wait(trading)
        held = orders_of(venue)
        ids = {row["clientOrderId"] for row in held}
        await until(lambda: not [row for row in unsure(gateway) if row.client_order_id in ids], 60)
        for desk in desks:
            judge_outcomes(report, desk.outcomes, held)
            await desk.window.end()
        judge_rows(report, gateway, held)
        stopped = await gateway.submit(CancelAll(decision=gateway.buy("1").decision, kill=True))
        assert stopped.verdict is Verdict.ACCEPTED
        await gateway.end()
    finally:
        server.kill()
    return report
