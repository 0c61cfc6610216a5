"""Value limits: at what an order at market counts, and which orders no limit stops."""

from __future__ import annotations

import msgspec
import pytest

from tests.engine.conftest import buy
from tests.engine.orders.gated import SPOT, Gated, asks, denied
from tui.engine.intents import Place
from tui.engine.rows import Fact, Source
from tui.interface.families.assets import AssetRecord
from tui.interface.families.orders import OrderType, Side
from tui.interface.families.positions import AccountRecord


def test_a_market_order_counts_as_one_percent_more_value(gated: Gated) -> None:
    """The ticket says what it is worth at the touch; the limits count it above that."""
    market = buy(order_type=OrderType.MARKET, price="", qty="0.5")
    asks(gated.gate.check_place(market), "SOFT_NOTIONAL", "30,300 (1 % above the market) over the soft limit 25,000")
    over = msgspec.structs.replace(market, qty="1.7")
    denied(gated.gate.check_place(over), "NOTIONAL", "(1 % above the market) over the 100,000 limit")


def test_a_market_sell_is_valued_at_the_market_or_below(gated: Gated) -> None:
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
    gated.hold("5")
    assert gated.gate.check_place(msgspec.structs.replace(close, reduce_only=True)) is None


def _spend(amount: str, qty: str, **changes: object) -> Place:
    order = buy(sym=SPOT, order_type=OrderType.MARKET, price="", qty=qty)
    return msgspec.structs.replace(order, quote_qty=amount, **changes)


def test_a_buy_by_amount_counts_as_that_amount(gated: Gated) -> None:
    record = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="300000", available="30000")
    gated.state.facts.assets.rows["BINANCE/USDT"] = Fact(record, gated.state.stamp(Source.PUSH))
    asks(gated.gate.check_place(_spend("30000", "0.499")), "SOFT_NOTIONAL", "30,000 over the soft limit 25,000")
    denied(gated.gate.check_place(_spend("30001", "0.499")), "BALANCE", "needs 30001 USDT; 30000 available")
    assert gated.gate.check_place(_spend("10", "0.001")) is None, "the lot took a third of the size"


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (_spend("1000000", "0.001"), "amount 1000000 is far above what size 0.001 is worth, 60.6"),
        (_spend("60", "0.001", side=Side.SELL), "only a market buy of a spot or margin pair spends an amount"),
        (_spend("60", "0.001", order_type=OrderType.LIMIT, price="60000"), "only a market buy"),
        (_spend("60", "0.001", sym="BINANCE_PERP_BTC_USDT"), "only a market buy"),
        (_spend("much", "0.001"), "much"),
    ],
)
def test_an_amount_that_does_not_fit_the_order_is_refused(gated: Gated, order: Place, words: str) -> None:
    denied(gated.gate.check_place(order), "NUMBER", words)


@pytest.mark.parametrize(("leverage", "shown"), [("50", ""), ("2", "needs about 300 margin at 2x; 100 available")])
def test_margin_is_judged_at_the_leverage_read_from_the_service(gated: Gated, leverage: str, shown: str) -> None:
    account = AccountRecord(exchange_type="BINANCE", available_margin="100")
    gated.state.facts.accounts.rows["BINANCE"] = Fact(account, gated.state.stamp(Source.PUSH))
    gated.state.leverages[buy().sym] = leverage
    refusal = gated.gate.check_place(buy())
    assert (refusal.text if refusal is not None else "") == shown


def test_reduce_only_orders_may_rest_outside_the_price_band(gated: Gated) -> None:
    gated.hold("-1")
    assert gated.gate.check_place(buy(price="50000", reduce_only=True)) is None
    denied(gated.gate.check_place(buy(price="70000", reduce_only=True)), "BAND")
