"""Leverage, margin leverage and position mode for somebody who only read the description: values, effects, pushes."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.venue.shell.conftest import Venue
from tests.venue.shell.strangers.test_stranger import Stranger

LEVERAGE, LEVERAGES = "/api/v1/trading/position/leverage", "/api/v1/trading/perp/leverage"
MARGIN = "/api/v1/trading/margin/leverage"
ACCOUNT = "/api/v1/trading/account"
SYM = "BINANCE_PERP_ETH_USDT"


def account(venue: Venue, exchange: str = "BINANCE") -> dict[str, Any]:
    rows = venue.data("GET", ACCOUNT)
    return next(row for row in rows if row["exchangeType"] == exchange)


def below(venue: Venue) -> int:
    """A price at which an order rests."""
    return int(Decimal(venue.data("GET", "/api/v1/market/markPrice", {"sym": SYM})[0]["markPrice"]) * 97 / 100)


def order(venue: Venue, quantity: int = 1) -> str:
    """A buy order that rests."""
    sent = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": str(quantity), "limitPrice": str(below(venue))}
    return str(venue.data("POST", "/api/v1/trading/order", sent)["orderId"])


@pytest.mark.parametrize(
    ("path", "sent", "code"),
    [
        (LEVERAGE, {}, 400009),
        (LEVERAGE, {"sym": SYM}, 400009),
        (LEVERAGE, {"leverage": "5"}, 400009),
        (LEVERAGE, {"sym": "BINANCE_SPOT_ETH_USDT", "leverage": "5"}, 401011),
        (LEVERAGE, {"sym": SYM, "leverage": "5.5"}, 400000),
        (LEVERAGE, {"sym": SYM, "leverage": "0"}, 401908),
        (LEVERAGE, {"sym": SYM, "leverage": "1000"}, 401908),
        (MARGIN, {"exchangeType": "BINANCE", "coin": "BTC"}, 400009),
        (MARGIN, {"exchangeType": "NOWHERE", "coin": "BTC", "leverage": "2"}, 401023),
        (MARGIN, {"exchangeType": "BINANCE", "coin": "NOPE", "leverage": "2"}, 406014),
        (MARGIN, {"exchangeType": "BINANCE", "coin": "BTC", "leverage": "two"}, 400000),
        (MARGIN, {"exchangeType": "BINANCE", "coin": "BTC", "leverage": "0"}, 401908),
        (MARGIN, {"exchangeType": "BINANCE", "coin": "BTC", "leverage": "100"}, 401908),
        (ACCOUNT, {"exchangeType": "BINANCE"}, 400009),
        (ACCOUNT, {"exchangeType": "NOWHERE", "positionMode": "NET"}, 401023),
        (ACCOUNT, {"exchangeType": "BINANCE", "positionMode": "HEDGE"}, 400000),
    ],
)
def test_invalid_leverage_or_mode_is_rejected_by_error_code(
    venue: Venue, path: str, sent: dict[str, str], code: int
) -> None:
    before = (venue.data("GET", LEVERAGES), venue.data("GET", MARGIN), account(venue)["positionMode"])
    answer = venue.call("POST", path, sent)[1]
    assert (answer["code"], bool(answer["message"])) == (code, True)
    assert (venue.data("GET", LEVERAGES), venue.data("GET", MARGIN), account(venue)["positionMode"]) == before


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        (LEVERAGE, {"sym": SYM, "leverage": "5"}),
        (MARGIN, {"exchangeType": "BINANCE", "coin": "BTC", "leverage": "2"}),
        (ACCOUNT, {"exchangeType": "BINANCE", "positionMode": "NET"}),
    ],
)
def test_settings_need_trade_permission_and_a_signature(venue: Venue, path: str, sent: dict[str, str]) -> None:
    assert venue.call("POST", path, sent, key="readonly")[1]["code"] == 2002
    assert venue.call("POST", path, sent, secret="wrong")[1]["code"] != 200000
    body = json.dumps(sent).encode()
    assert json.loads(venue.raw("POST", path, body=body)[2])["code"] != 200000


def test_leverage_change_applies_to_open_orders_at_once(venue: Venue) -> None:
    order_id = order(venue)
    price = Decimal(venue.data("GET", "/api/v1/trading/order", {"orderId": order_id})["limitPrice"])
    assert Decimal(account(venue)["perpMargin"]) == price / 20
    assert venue.data("POST", LEVERAGE, {"sym": SYM, "leverage": "5"}) == {}
    row = venue.data("GET", "/api/v1/trading/order", {"orderId": order_id})
    assert (row["leverage"], type(row["leverage"])) == (5, int)
    assert Decimal(account(venue)["perpMargin"]) == price / 5
    assert venue.data("GET", LEVERAGES, {"sym": SYM}) == [{"sym": SYM, "leverage": "5"}]


def test_lower_leverage_without_enough_margin_is_rejected(venue: Venue) -> None:
    free = Decimal(account(venue)["availableMargin"])
    order(venue, int(free * 10 / below(venue)))
    answer = venue.call("POST", LEVERAGE, {"sym": SYM, "leverage": "5"})[1]
    assert answer["code"] == 401920
    assert venue.data("GET", LEVERAGES, {"sym": SYM}) == [{"sym": SYM, "leverage": "20"}]


def test_margin_leverage_is_kept_per_coin_and_venue(venue: Venue) -> None:
    def read() -> dict[tuple[str, str], str]:
        page = venue.data("GET", MARGIN, {"pageSize": "100"})
        return {(row["exchangeType"], row["coin"]): row["leverage"] for row in page["list"]}

    before = read()
    assert venue.data("POST", MARGIN, {"exchangeType": "BINANCE", "coin": "BTC", "leverage": "2"}) == {}
    assert read() == {**before, ("BINANCE", "BTC"): "2"}
    assert venue.data("POST", MARGIN, {"exchange": "BINANCE", "coin": "BTC", "leverage": "1"}) == {}
    assert read() == {**before, ("BINANCE", "BTC"): "1"}


async def test_a_blocked_position_mode_change_says_how_many_rows_block(venue: Venue) -> None:
    async with Stranger(venue.ready["private_ws_url"], *venue.key()) as client:
        await client.login()
        order_id = order(venue)
        answer = venue.call("POST", ACCOUNT, {"exchangeType": "BINANCE", "positionMode": "BOTH"})[1]
        assert (answer["code"], "1 open orders" in answer["message"]) == (406012, True)
        venue.data("DELETE", "/api/v1/trading/order", {"orderId": order_id})
        await client.order(order_id, orderState="CANCELLED")
        assert venue.data("POST", ACCOUNT, {"exchangeType": "BINANCE", "positionMode": "BOTH"}) == {}

        def pushed() -> bool:
            rows = [row for push in client.pushes if push["channel"] == "Accounts" for row in push["data"]]
            return any((row["exchangeType"], row["positionMode"]) == ("BINANCE", "BOTH") for row in rows)

        await client.until(pushed)
    assert account(venue)["positionMode"] == "BOTH" and account(venue, "OKX")["positionMode"] == "NET"
    assert venue.data("POST", ACCOUNT, {"exchangeType": "BINANCE", "positionMode": "BOTH"}) == {}
