"""The NATS server is killed while orders of two traders leave: none is sent twice, and all is known. `pytest -m real`."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.client.fakes import until
from tests.desk_protocol.bus_desks import GatewayDesk, NatsServer, TraderDesk, find_server
from tests.desk_protocol.desk_process import WIDE
from tests.desk_protocol.desks import orders_of
from tests.desk_protocol.test_kills import Third, check_outcomes, check_rows, unsure
from tests.venue.shell.conftest import STILL, Venue
from tui.engine.intents import CancelAll, Verdict

pytest.importorskip("nats", reason="pip install -r requirements-desk.lock")
pytest.importorskip("nkeys", reason="pip install -r requirements-desk.lock")
pytestmark = pytest.mark.skipif(not find_server(), reason="no nats-server: pip install -r requirements-desk.lock")

KILLS = 100
SEED = 4711
BACK_S = 2.0
"""Time after which every desk is in step again once the server is back, s."""


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off")
    yield found
    found.stop()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    found = NatsServer(tmp_path)
    found.start()
    yield found
    found.kill()


async def kill_server(server: NatsServer, desks: list[Third]) -> list[float]:
    """Kill the server again and again at moments of the seed; return how long the desks needed each time, s."""
    moments, took = random.Random(SEED), []
    for _ in range(KILLS):
        await asyncio.sleep(moments.uniform(0.02, 0.4))
        server.kill()
        await until(lambda: not any(desk.is_back() for desk in desks), 10)
        await asyncio.sleep(moments.uniform(0.0, 0.5))
        server.start()
        began = time.monotonic()
        await until(lambda: all(desk.is_back() for desk in desks), 30)
        took.append(time.monotonic() - began)
        sent = [len(desk.outcomes) for desk in desks]
        await until(lambda: all(len(desk.outcomes) > before for desk, before in zip(desks, sent, strict=True)), 30)  # noqa: B023
    return took


@pytest.mark.real
@pytest.mark.timeout(900)
async def test_killed_servers_send_nothing_twice(venue: Venue, server: NatsServer, tmp_path: Path) -> None:
    gateway = GatewayDesk(server, venue, tmp_path, WIDE)
    await gateway.in_step()
    desks = [Third(TraderDesk(server, name), Decimal(first)) for name, first in (("anna", 60_000), ("bert", 59_000))]
    for desk in desks:
        await desk.window.in_step()
    trading = [asyncio.create_task(desk.trade()) for desk in desks]
    took = await kill_server(server, desks)
    for desk in desks:
        desk.stop()
    await asyncio.wait(trading)
    held = orders_of(venue)
    ids = {row["clientOrderId"] for row in held}
    await until(lambda: not [row for row in unsure(gateway) if row.client_order_id in ids], 60)
    by_price = Counter(Decimal(row["limitPrice"]) for row in held)
    assert [price for price, count in by_price.items() if count > 1] == []
    for desk in desks:
        check_outcomes(desk.outcomes, by_price)
    check_rows(gateway, held)
    assert max(took) < BACK_S, sorted(took)[-5:]
    for desk in desks:
        await desk.window.end()
    stopped = await gateway.submit(CancelAll(decision=gateway.buy("1").decision, kill=True))
    assert stopped.verdict is Verdict.ACCEPTED
    await gateway.end()
