"""A spot or margin market buy that names what it spends: sent as quoteOrderQty, on both editions of a real venue."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue
from tui.engine.intents import Decision, Place, Verdict
from tui.engine.limits import Limits
from tui.engine.modes import Environment, TradingState
from tui.engine.settings import EngineSettings
from tui.engine.state import order_requests
from tui.interface import decimals
from tui.interface.families.orders import OrderType, Side

DECISION = Decision(environment=Environment.PAPER, portfolio="", state=TradingState.ARMED, source="test")
SPOT, MARGIN = "BINANCE_SPOT_BTC_USDT", "BINANCE_MARGIN_ETH_USDT"


@pytest.fixture(params=["documents", "lenient"])
def venue(request: pytest.FixtureRequest) -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off", "--set", f"edition={request.param}")
    yield found
    found.stop()


def test_a_quote_amount_order_is_sent_without_quantity() -> None:
    plain = Place(
        decision=DECISION, sym=SPOT, side=Side.BUY, order_type=OrderType.MARKET, qty="0.016",
    )  # fmt: skip
    args = order_requests.place_order(msgspec.structs.replace(plain, quote_qty="1000"), "a")
    assert (args["quoteOrderQty"], "orderQty" in args) == ("1000", False)
    args = order_requests.place_order(plain, "a")
    assert (args["orderQty"], "quoteOrderQty" in args) == ("0.016", False)


@pytest.mark.parametrize("sym", [SPOT, MARGIN])
async def test_the_venue_fills_a_quote_amount_order(venue: Venue, tmp_path: Path, sym: str) -> None:
    decimals.setup()
    life = Life(venue, tmp_path, EngineSettings(pulse=0.05, limits=Limits(first_of_day=False)))
    try:
        life.engine.watch((sym,))
        await life.in_step()
        state = life.engine.state
        await until(lambda: sym in state.quotes.rows and state.quotes.rows[sym].ask, 30)
        life.engine.set_trading_state(TradingState.ARMED)
        decision = msgspec.structs.replace(DECISION, portfolio=state.portfolio)
        ask = Decimal(state.quotes.rows[sym].ask)
        outcome = await life.engine.submit(
            Place(
                decision=decision, sym=sym, side=Side.BUY, order_type=OrderType.MARKET,
                qty=f"{Decimal(250) / ask:.3f}", quote_qty="250",
            )
        )  # fmt: skip
        assert outcome.verdict is Verdict.ACCEPTED, outcome
        await until(lambda: state.orders.rows[outcome.key].state in ("FILLED", "CANCELLED"), 30)
        order = venue.data("GET", "/api/v1/trading/order", {"clientOrderId": outcome.key})
        assert (order["quoteOrderQty"], order["orderQty"]) == ("250", "")
        lot = Decimal("0.00001" if sym == SPOT else "0.0001")
        assert 250 - lot * ask * 2 < Decimal(order["executedAmount"]) <= 250
    finally:
        await life.end()
