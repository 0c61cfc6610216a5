"""Value limits: at what an order at market counts, and which orders no limit stops."""

from __future__ import annotations

import msgspec
import pytest

from tests.engine.conftest import buy
from tests.engine.orders.test_gate import Gated, asks, denied, gated
from tui.interface.families.orders import OrderType, Side

__all__ = ["gated"]


def test_a_market_order_counts_as_one_percent_more_value(gated: Gated) -> None:
    """The ticket says what it is worth at the touch; the limits count it above that."""
    market = buy(order_type=OrderType.MARKET, price="", qty="0.5")
    asks(gated.gate.check_place(market), "SOFT_NOTIONAL", "30,300 (1 % above the market) over the soft limit 25,000")
    over = msgspec.structs.replace(market, qty="1.7")
    denied(gated.gate.check_place(over), "NOTIONAL", "(1 % above the market) over the 100,000 limit")


def test_a_market_sale_counts_as_the_market_or_less(gated: Gated) -> None:
    sale = buy(side=Side.SELL, order_type=OrderType.MARKET, price="", qty="0.5")
    words = "30,000 (at the market or below) over the soft limit 25,000"
    asks(gated.gate.check_place(sale), "SOFT_NOTIONAL", words)
    assert gated.gate.check_place(msgspec.structs.replace(sale, qty="0.416")) is None
    over = msgspec.structs.replace(sale, qty="1.7")
    denied(gated.gate.check_place(over), "NOTIONAL", "102,000 (at the market or below) over the 100,000 limit")


@pytest.mark.parametrize(("order_type", "price"), [(OrderType.MARKET, ""), (OrderType.LIMIT, "60000")])
@pytest.mark.parametrize("qty", ["0.5", "2"])
def test_no_value_limit_stops_a_closing_order(gated: Gated, order_type: OrderType, price: str, qty: str) -> None:
    close = buy(side=Side.SELL, order_type=order_type, price=price, qty=qty)
    assert gated.gate.check_place(close) is not None
    assert gated.gate.check_place(msgspec.structs.replace(close, reduce_only=True)) is None
