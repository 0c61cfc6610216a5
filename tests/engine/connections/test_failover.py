"""A tier that dies under an order in flight: the other one is taken, the order is asked about there and sent once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from tests.engine.services import host_services
from tests.venue.shell.conftest import Venue
from tui.client.settings import Service, Timings
from tui.client.signer import Secret, Signer
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.engine import Engine
from tui.engine.intents import Decision, Outcome, Place, Verdict
from tui.engine.limits import Limits
from tui.engine.modes import Environment, TradingState
from tui.engine.settings import EngineSettings
from tui.engine.state.engine_state import Identity
from tui.host import HostClock, HostConnector
from tui.interface import decimals
from tui.interface.families.orders import OrderType, Side

SYM = "BINANCE_PERP_BTC_USDT"
QUICK = Timings(reply_timeout=1.0, reconnect_first=0.02, reconnect_cap=0.1, tier_min_stay=1.5, connect_timeout=1.0)


async def _until(what: Callable[[], bool], within: float = 20.0) -> None:
    async with asyncio.timeout(within):
        while not what():
            await asyncio.sleep(0.01)


def _engine(venue: Venue) -> tuple[Engine, str]:
    line = venue.ready
    key = line["keys"][0]
    service = Service(
        rest_url=line["rest_url"],
        private_ws_url=line["private_ws_url"],
        public_ws_url=line["public_ws_url"],
        ha_rest_url=line["ha_rest_url"],
        ha_private_ws_url=line["ha_private_ws_url"],
    )
    clock = HostClock()
    urls = (
        service.rest_url,
        service.private_ws_url,
        service.public_ws_url,
        service.ha_rest_url,
        service.ha_private_ws_url,
    )
    engine = Engine(
        host_services(clock, HostConnector(urls, loopback_only=True)),
        Identity(environment=Environment.PAPER, service=service, portfolio=key["portfolioId"]),
        signer=Signer(key["api_key"], Secret(key["api_secret"]), clock),
        updates=ConflatingQueue(),
        settings=EngineSettings(timings=QUICK, pulse=0.05, limits=Limits(first_of_day=False)),
    )
    return engine, key["portfolioId"]


@pytest.fixture
def venue() -> Iterator[Venue]:
    decimals.setup()
    still = ("--seed", "7", "--set", "latency=test", "--set", "agents=still", "--set", "past=off")
    running = Venue(*still, "--set", "ha=on", "--control")
    yield running
    running.stop()


@pytest.mark.timeout(90)
async def test_f75_failover_with_an_order_in_flight_resolves_it(venue: Venue) -> None:
    assert venue.ready["ha_rest_url"] != venue.ready["rest_url"]
    engine, portfolio = _engine(venue)
    engine.watch((SYM,))
    running = asyncio.create_task(engine.run())
    try:
        desk = engine.state
        await _until(lambda: desk.synced and bool(desk.quotes.rows[SYM].bid))
        engine.set_trading_state(TradingState.ARMED)
        assert engine.session is not None
        failover = engine.session.connections.failover
        assert failover.current.name == "AZ4"
        venue.set("lose_reply", "on")
        venue.data("GET", "/api/v1/trading/account")
        decision = Decision(environment=Environment.PAPER, portfolio=portfolio, state=TradingState.ARMED, source="test")
        place = Place(decision=decision, sym=SYM, side=Side.BUY, order_type=OrderType.LIMIT, qty="0.01", price="61000")
        sending = asyncio.create_task(engine.submit(place))
        await _until(lambda: len(venue.data("GET", "/api/v1/trading/orders")["list"]) == 1)
        venue.set("lose_reply", "off")
        venue.set("tier_down", "AZ4")
        outcome: Outcome = await sending
        assert (outcome.verdict, outcome.text) == (
            Verdict.ACCEPTED,
            "OPEN (seen at the venue; the reply is missing)",
        )
        await _until(lambda: failover.current.name == "HA" and desk.synced)
        await _until(lambda: desk.orders.rows[outcome.key].state == "OPEN")
        venue.set("tier_down", "none")
        await _until(lambda: failover.is_preferred and desk.synced)
        rows = venue.data("GET", "/api/v1/trading/history/orders")["list"]
        assert [row["clientOrderId"] for row in rows] == [outcome.key]
    finally:
        engine.stop()
        await running
