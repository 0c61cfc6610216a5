"""A NATS server of this machine, and a gateway with two traders on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.client.fakes import until
from tests.desk_protocol.bus.bus_desks import GatewayDesk, NatsServer, OtherClock, TraderDesk, run_server
from tests.desk_protocol.bus.floor import Floor
from tests.venue.shell.conftest import Venue
from tui.engine.intents import CancelAll, Verdict


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    for package in ("nats", "nkeys"):
        pytest.importorskip(package, reason="pip install -r requirements-desk.lock")
    with run_server(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest_asyncio.fixture
async def floor(venue: Venue, server: NatsServer, tmp_path: Path) -> AsyncIterator[Floor]:
    gateway = GatewayDesk(server, venue, tmp_path)
    await gateway.in_step()
    await until(lambda: any("traders attach" in text for text in gateway.texts()), 10)
    anna, bert = TraderDesk(server, "anna"), TraderDesk(server, "bert", OtherClock())
    for desk in (anna, bert):
        await desk.in_step()
    yield Floor(gateway, anna, bert, server, venue)
    for desk in (anna, bert):
        await desk.end()
    decision = gateway.buy("1").decision
    assert (await gateway.submit(CancelAll(decision=decision, kill=True))).verdict is Verdict.ACCEPTED
    await gateway.end()
