"""What is cancelled, closed or set is never more than what a request names: over REST and over the stream."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.venue.shell.conftest import STILL, Venue
from tests.venue.shell.strangers.test_stranger import Stranger
from tui.interface.families.algo import OPEN_ALGO_STATES

BTC, ETH = "BINANCE_PERP_BTC_USDT", "BINANCE_PERP_ETH_USDT"
ORDER, ALL, OPEN = "/api/v1/trading/order", "/api/v1/trading/cancelAll", "/api/v1/trading/orders"
ALGO, ALGOS = "/api/v1/algo/order", "/api/v1/algo/cancelAll"
POSITION, POSITIONS = "/api/v1/trading/position", "/api/v1/trading/positions"
FEES, SUB_FEE = "/api/v1/broker/feeRate", "/api/v1/broker/subFeeRate"
RESTING = {"side": "BUY", "orderType": "LIMIT", "orderQty": "0.01"}
STOP = {
    "algoOrderType": "TPSL", "conditionType": "CONDITIONAL", "sym": BTC, "side": "SELL", "orderQty": "0.01",
    "conditionalTriggerPrice": "58000",
}  # fmt: skip


@pytest.fixture
def reach(start: Callable[..., Venue]) -> Venue:
    return start(*STILL, "--set", "rate_profile=off", "--set", "action_in_open_orders=true")


@pytest.fixture
def three(reach: Venue) -> list[dict[str, str]]:
    """Three resting orders on two pairs."""
    return [
        reach.data("POST", ORDER, {**RESTING, "sym": sym, "limitPrice": price, "clientOrderId": f"three{number}"})
        for number, (sym, price) in enumerate([(BTC, "50000"), (BTC, "50100"), (ETH, "2500")])
    ]


@pytest.fixture
async def desk(reach: Venue) -> AsyncIterator[Stranger]:
    async with Stranger(reach.ready["private_ws_url"], *reach.key()) as client:
        assert (await client.login())["code"] == 0
        yield client


def left(venue: Venue) -> set[str]:
    """Orders that are open and stay open."""
    rows = venue.data("GET", OPEN)["list"]
    return {row["orderId"] for row in rows if row["action"] != "CANCEL_PENDING"}


def ids(orders: list[dict[str, str]], name: str = "orderId") -> list[str]:
    return [order[name] for order in orders]


UNREAD = [
    {"orders": "1"}, {"symbol": BTC}, {"exchange_type": "BINANCE"}, {"businessType": "PERP"}, {"portfolioId": "1"},
    {"sym": BTC, "side": "BUY"}, {"Sym": BTC}, {"algoOrderId": "1"}, {"clientOrderIDs": "a"},
    {"orderIds": ""}, {"orderIds": ","}, {"clientOrderId": " "},
]  # fmt: skip
EMPTY_LISTS: list[dict[str, Any]] = [
    {"orderIds": []}, {"orderIds": None}, {"clientOrderIds": [""]}, {"orderId": None}, {"orders": None},
]  # fmt: skip


@pytest.mark.parametrize("args", [*UNREAD, *EMPTY_LISTS], ids=str)
async def test_stream_cancel_with_unknown_fields_is_rejected(
    reach: Venue, desk: Stranger, three: list[dict[str, str]], args: dict[str, Any]
) -> None:
    reply = await desk.ask("cancel_orders", **args)
    assert (reply["event"], reply["code"], reply["data"]) == ("cancel_orders", 601004, None)
    assert next(iter(args if len(args) == 1 else {"side"})) in reply["msg"]
    assert left(reach) == set(ids(three))


@pytest.mark.parametrize("args", UNREAD, ids=str)
def test_rest_cancel_with_unknown_fields_is_rejected(
    reach: Venue, three: list[dict[str, str]], args: dict[str, str]
) -> None:
    assert reach.call("DELETE", ALL, args)[1]["code"] == 400000
    assert left(reach) == set(ids(three))


@pytest.mark.parametrize("path", [ALL, ALGOS, POSITIONS])
@pytest.mark.parametrize("args", EMPTY_LISTS, ids=str)
def test_rest_cancel_with_empty_lists_or_nulls_is_rejected(
    reach: Venue, three: list[dict[str, str]], path: str, args: dict[str, Any]
) -> None:
    if path == POSITIONS:
        args = {**args, "closeAllPos": "true"}
    assert signed(reach, "DELETE", path, args)["code"] == 400000
    assert left(reach) == set(ids(three))


def signed(venue: Venue, method: str, path: str, args: dict[str, Any], query: str = "") -> dict[str, Any]:
    """A call with JSON values of any type, signed as they are signed: null is left out, a list is joined."""
    key, secret = venue.key()
    texts = {
        name: ",".join(map(str, value)) if isinstance(value, list) else value
        for name, value in args.items()
        if value is not None
    }
    nonce = str(int(time.time()))
    message = "&".join(f"{name}={texts[name]}" for name in sorted(texts)) + "&" + nonce
    signature = hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()
    headers = {"X-MBX-APIKEY": key, "nonce": nonce, "signature": signature, "Content-Type": "application/json"}
    address = urlsplit(venue.ready["rest_url"])
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
    try:
        connection.request(method, path + query, body=json.dumps(args), headers=headers)
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return answer


def test_rest_cancel_with_query_and_body_is_rejected(reach: Venue, three: list[dict[str, str]]) -> None:
    refused = signed(reach, "DELETE", ALL, {"exchangeType": "BINANCE"}, f"?sym={ETH}")
    assert (refused["code"], "query" in refused["message"]) == (400000, True)
    assert left(reach) == set(ids(three))


@pytest.mark.parametrize("as_list", [True, False])
@pytest.mark.parametrize("spelling", ["orderIds", "orderId", "clientOrderIds", "clientOrderId"])
async def test_cancel_orders_ends_only_the_listed_orders(
    reach: Venue, desk: Stranger, three: list[dict[str, str]], spelling: str, as_list: bool
) -> None:
    wanted = ids(three[:2], spelling.removesuffix("s"))
    reply = await desk.ask("cancel_orders", **{spelling: wanted if as_list else ",".join(wanted)})  # type: ignore[arg-type]
    assert (reply["code"], reply["data"]) == (200000, {})
    for order in three[:2]:
        await desk.order(order["orderId"], orderState="CANCELLED")
    assert left(reach) == {three[2]["orderId"]}


def test_rest_cancel_all_takes_id_lists_with_filters(reach: Venue, three: list[dict[str, str]]) -> None:
    assert reach.data("DELETE", ALL, {"orderIds": ",".join(ids(three)), "sym": ETH}) == {}
    assert left(reach) == set(ids(three[:2]))
    assert signed(reach, "DELETE", ALL, {"clientOrderIds": ids(three[:1], "clientOrderId")})["code"] == 200000
    assert left(reach) == {three[1]["orderId"]}


async def test_cancel_orders_with_an_unknown_id_cancels_nothing(
    reach: Venue, desk: Stranger, three: list[dict[str, str]]
) -> None:
    for args, code in (
        ({"orderIds": f"{three[0]['orderId']},1000000000000001"}, 401018),
        ({"orderIds": f"{three[0]['orderId']},abc"}, 401007),
        ({"clientOrderIds": "nobody"}, 401018),
    ):
        assert (await desk.ask("cancel_orders", **args))["code"] == code
    assert left(reach) == set(ids(three))


async def test_cancel_orders_skips_listed_orders_that_ended(
    reach: Venue, desk: Stranger, three: list[dict[str, str]]
) -> None:
    reach.data("DELETE", ORDER, {"orderId": three[0]["orderId"]})
    await desk.order(three[0]["orderId"], orderState="CANCELLED")
    assert (await desk.ask("cancel_orders", orderIds=",".join(ids(three[:2]))))["code"] == 200000
    assert left(reach) == {three[2]["orderId"]}


@pytest.mark.parametrize("args", [{}, {"exchangeType": "BINANCE"}, {"exchange": "BINANCE"}], ids=str)
async def test_stream_cancel_orders_without_a_list_cancels_all(
    reach: Venue, desk: Stranger, three: list[dict[str, str]], args: dict[str, str]
) -> None:
    assert (await desk.ask("cancel_orders", **args))["code"] == 200000
    assert left(reach) == set()


@pytest.mark.parametrize("args", [{"algoOrderId": "1"}, {"attachedOrderId": "1"}, {"symbol": BTC}], ids=str)
def test_algo_cancel_all_with_unknown_fields_is_rejected(reach: Venue, args: dict[str, str]) -> None:
    placed = reach.data("POST", ALGO, STOP)["algoOrderId"]
    assert reach.call("DELETE", ALGOS, args)[1]["code"] == 400000
    assert reach.data("GET", ALGO, {"algoOrderId": placed})["orderState"] in OPEN_ALGO_STATES
    assert [row["algoOrderId"] for row in reach.data("DELETE", ALGOS, {"sym": BTC})] == [placed]


def test_close_position_with_unknown_fields_is_rejected(reach: Venue) -> None:
    for sym in (BTC, ETH):
        reach.data("POST", ORDER, {"sym": sym, "side": "BUY", "orderType": "MARKET", "orderQty": "0.02"})
    for path, args in (
        (POSITION, {"sym": BTC, "orderQty": "0.01"}),
        (POSITION, {"sym": BTC, "side": "LONG"}),
        (POSITIONS, {"closeAllPos": "true", "sym": BTC}),
        (POSITIONS, {"closeAllPos": "true", "symbols": BTC}),
        (POSITIONS, {"symList": BTC, "side": "LONG"}),
    ):
        assert reach.call("DELETE", path, args)[1]["code"] == 400000, args
    assert {row["sym"] for row in reach.data("GET", POSITION)} == {BTC, ETH}


def test_sub_fee_for_an_unknown_portfolio_changes_nothing(reach: Venue) -> None:
    change = {"exchange": "BINANCE", "instType": "PERP", "chgType": "ABSOLUTE", "chgTaker": "1"}
    before = reach.data("GET", FEES)
    assert reach.call("POST", SUB_FEE, {**change, "portfolio": "1"})[1]["code"] == 400000
    assert reach.data("GET", FEES) == before
