"""Every private channel, limit and error frame for somebody who only read the description; nothing of ours."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import websockets

from tests.venue.shell.conftest import STILL, Venue
from tests.venue.shell.strangers.conftest import unknown_login
from tests.venue.shell.strangers.test_stranger import SYM, Stranger

SPOT = "BINANCE_SPOT_BTC_USDT"
ALWAYS_TEXT = {
    "portfolioId", "orderId", "clientOrderId", "exchangeType", "businessType", "sym", "limitPrice", "orderQty",
    "quoteOrderQty", "side", "exchangeOrderType", "timeInForce", "executedQty", "executedAmount", "executedAvgPrice",
    "lastExecutedQty", "lastExecutedPrice", "lastExecutedAmount", "fee", "feeCoin", "rebate", "rebateCoin",
    "orderState", "createAt", "updateAt",
}  # fmt: skip
ORDER = ALWAYS_TEXT | {
    "portfolioName", "orderType", "reason", "reduceOnly", "leverage", "borrowAmount", "borrowAsset", "positionSide",
    "algoOrderId", "tpTriggerPrice", "tpTriggerType", "tpPrice", "slTriggerPrice", "slTriggerType", "slPrice",
    "action", "actionMsg", "cancelType", "amendType",
}  # fmt: skip
TRADE = {
    "transactionId", "portfolioId", "orderId", "clientOrderId", "exchangeType", "businessType", "sym", "side",
    "quantity", "price", "fee", "feeCoin", "rebate", "rebateCoin", "rpnl", "algoOrderId", "tradeSource", "execType",
    "createAt",
}  # fmt: skip
POSITION = {
    "positionId", "portfolioId", "exchangeType", "sym", "positionSide", "positionQty", "avgPrice", "markPrice",
    "positionValue", "positionMargin", "positionMM", "unrealizedPNL", "unrealizedPNLRate", "leverage", "maxLeverage",
    "riskLevel", "fee", "fundingFee", "liqPrice", "tpslOrder", "createAt", "updateAt",
}  # fmt: skip
ACCOUNT = {
    "portfolioId", "exchangeType", "equity", "marginValue", "openLossMargin", "validMargin", "perpMargin",
    "debtMargin", "frozenMargin", "availableMargin", "maintainMargin", "positionValue", "upnl", "uniMMR", "riskRatio",
    "accountStatus", "positionMode", "perpAvailableMargin", "updateAt",
}  # fmt: skip
ASSET = {"portfolioId", "coin", "exchangeType", "balance", "available", "frozen", "equity", "updateAt"}
LIMIT = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"}
MARKET = {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "0.002"}


@pytest.fixture
def limited(start: Callable[..., Venue]) -> Venue:
    """A venue with the published limits."""
    return start(*STILL, "--control")


def client_of(venue: Venue, key: str = "main") -> Stranger:
    return Stranger(venue.ready["private_ws_url"], *venue.key(key))


def login_args(venue: Venue, key: str = "main", **more: Any) -> dict[str, Any]:
    api_key, secret = venue.key(key)
    stamp = str(int(time.time()))
    sign = hmac.new(secret.encode(), (stamp + "GET/users/self/verify").encode(), hashlib.sha256).hexdigest()
    return {"apiKey": api_key, "timestamp": stamp, "sign": sign, **more}


async def logged_in(venue: Venue) -> Stranger:
    """A connection whose login came through; one per second and key does."""
    while True:
        client = await client_of(venue).__aenter__()
        if (await client.login())["code"] == 0:
            return client
        await client.__aexit__()
        await asyncio.sleep(0.2)


# -- channels ----------------------------------------------------------------------------------------------------------


async def test_fill_pushes_have_the_documented_shape_and_order(venue: Venue, edition: str) -> None:
    async with client_of(venue) as client:
        assert (await client.login())["code"] == 0
        await client.pong()
        assert client.pushes == [{"channel": "pong"}]
        placed = await client.ask("place_order", **MARKET, clientOrderId=f"shape{time.time_ns()}")
        order = placed["data"]["orderId"]
        await client.order(order, orderState="FILLED")
        await client.until(lambda: client.channel("Accounts"))
        await client.pong()
        names = [push["channel"].capitalize() for push in client.pushes if push["channel"] != "pong"]
        assert names[:6] == ["Orders", "Trades", "Orders", "Positions", "Assets", "Accounts"]
        for push in client.pushes:
            if push["channel"] in ("orders", "Orders", "Trades"):
                assert (push["instId"], push["data"]["sym"]) == (SYM, SYM)
            elif push["channel"] != "pong":
                assert isinstance(push["data"], list)
        for row in client.channel("Orders"):
            assert set(row) == ORDER
            assert {type(row[name]) for name in ALWAYS_TEXT} == {str}
            assert (type(row["reduceOnly"]), type(row["leverage"]), row["algoOrderId"]) == (bool, int, None)
            assert int(row["createAt"]) > 0
        trade = client.channel("Trades")[0]
        assert set(trade) == TRADE | ({"tradingFee", "tradingFeeCoin"} if edition == "lenient" else set())
        assert {type(value) for value in trade.values()} == {str}
        assert (trade["orderId"], trade["algoOrderId"], trade["tradeSource"]) == (order, "0", "")
        position = client.channel("Positions")[0][0]
        assert set(position) == POSITION
        assert {type(value) for name, value in position.items() if name not in ("liqPrice", "tpslOrder")} == {str}
        assert position["liqPrice"] is None or isinstance(position["liqPrice"], str)
        account = client.channel("Accounts")[0][0]
        assert set(account) == ACCOUNT
        assert {type(value) for value in account.values()} == {str}
        asset = client.channel("Assets")[0][0]
        assert set(asset) >= ASSET
        assert {type(value) for value in asset.values()} == {str}
        assert [row["coin"] for row in client.channel("Assets")[0]] == ["USDT"]
        await client.ask("place_order", **{**MARKET, "side": "SELL"}, reduceOnly="true")
        await client.until(
            lambda: [row for rows in client.channel("Positions") for row in rows if row["positionQty"] == "0"]
        )


async def test_spot_order_push_has_no_leverage_and_changes_two_coins(venue: Venue) -> None:
    async with client_of(venue) as client:
        assert (await client.login())["code"] == 0
        placed = await client.ask("place_order", sym=SPOT, side="BUY", orderType="MARKET", quoteOrderQty="100")
        row = await client.order(placed["data"]["orderId"], orderState="FILLED")
        assert (row["leverage"], row["orderQty"], row["quoteOrderQty"], row["positionSide"]) == (
            None,
            "",
            "100",
            "NONE",
        )
        await client.until(lambda: client.channel("Assets"))
        assert {one["coin"] for one in client.channel("Assets")[0]} == {"USDT", "BTC"}
        assert client.channel("Positions") == []


async def test_every_order_push_has_a_later_timestamp(venue: Venue) -> None:
    async with client_of(venue) as client:
        assert (await client.login())["code"] == 0
        order = (await client.ask("place_order", **LIMIT))["data"]["orderId"]
        await client.ask("replace_order", orderId=order, replacePrice="50001")
        await client.order(order, action="AMEND_COMPLETED")
        await client.ask("cancel_orders", exchangeType="BINANCE", sym=SYM)
        await client.order(order, orderState="CANCELLED")
        rows = [row for row in client.channel("Orders") if row["orderId"] == order]
        stamps = [int(row["updateAt"]) for row in rows]
        assert stamps == sorted(set(stamps))
        assert [(row["orderState"], row["action"]) for row in rows] == [
            ("NEW", ""),
            ("OPEN", ""),
            ("OPEN", "AMEND_PENDING"),
            ("OPEN", "AMEND_COMPLETED"),
            ("OPEN", "CANCEL_PENDING"),
            ("CANCELLED", "CANCEL_COMPLETED"),
        ]
        detail = await asyncio.to_thread(venue.data, "GET", "/api/v1/trading/order", {"orderId": order})
        assert detail == rows[-1]


async def test_margin_call_push_includes_the_account_row(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--set", "risk_ladder=999 3 2 1", "--control")
    async with client_of(venue) as client:
        assert (await client.login())["code"] == 0
        await client.ask("place_order", **{**MARKET, "orderQty": "1"})
        await client.until(lambda: client.channel("MarginCall"))
        (row,) = client.channel("MarginCall")[0]
        assert set(row) == ACCOUNT
        assert (row["accountStatus"], row["exchangeType"]) == ("MARGIN_CALL", "BINANCE")
        assert [row] in client.channel("Accounts")


async def test_a_trade_only_login_gets_no_pushes(venue: Venue) -> None:
    async with client_of(venue) as quiet, client_of(venue) as loud, client_of(venue, "sub") as foreign:
        for client, only in ((quiet, True), (loud, "false"), (foreign, False)):
            key = "sub" if client is foreign else "main"
            assert (await client.ask("login", **login_args(venue, key, onlyTrade=only)))["code"] == 0
        order = (await quiet.ask("place_order", **LIMIT))["data"]["orderId"]
        await loud.order(order, orderState="OPEN")
        await quiet.ask("cancel_order", orderId=order)
        await loud.order(order, orderState="CANCELLED")
        for client in (quiet, foreign):
            await client.pong()
            assert client.channel("Orders") == []


# -- login -------------------------------------------------------------------------------------------------------------


async def test_repeated_stream_logins_are_limited(limited: Venue) -> None:
    async with client_of(limited, "sub") as client:
        assert (await client.ask("login", **login_args(limited, "sub")))["code"] == 0
        again = await client.ask("login", **login_args(limited, "sub"))
        assert (again["event"], again["code"]) == ("login", 60009)
        assert "too many logins" in again["msg"]


async def test_a_second_login_on_a_connection_replaces_the_first(venue: Venue) -> None:
    async with client_of(venue) as client:
        assert (await client.login())["code"] == 0
        assert (await client.ask("login", **login_args(venue, "readonly")))["code"] == 0
        assert (await client.ask("cancel_orders"))["code"] == 2002


@pytest.mark.parametrize(
    "wrong", [{"apiKey": "nobody"}, {"sign": "0" * 64}, {"timestamp": "12"}, {"sign": 5}, {"timestamp": None}]
)
async def test_a_rejected_login_gives_its_code_and_no_disconnect(
    venue: Venue, edition: str, wrong: dict[str, Any]
) -> None:
    async with client_of(venue) as client:
        args = login_args(venue)
        args.update(wrong)
        refused = await client.ask("login", **args)
        code = unknown_login(edition) if "apiKey" in wrong else 60009
        assert (refused["event"], refused["code"]) == ("login", code)
        assert refused["msg"].startswith("Login failed.")
        assert (await client.login())["code"] == 0


async def test_a_sub_user_key_cannot_log_in_to_the_private_stream(venue: Venue) -> None:
    async with client_of(venue, "subuser") as client:
        assert (await client.login())["code"] == 60009


async def test_the_third_rejected_login_closes_the_connection(venue: Venue) -> None:
    async with websockets.connect(venue.ready["private_ws_url"]) as socket:
        for number in range(3):
            await socket.send(json.dumps({"id": number, "action": "login", "args": {"apiKey": "x"}}))
            reply = json.loads(await asyncio.wait_for(socket.recv(), 10))
            assert (reply["id"], reply["code"]) == (number, 60009)
        with pytest.raises(websockets.ConnectionClosed):
            await asyncio.wait_for(socket.recv(), 10)
        assert socket.close_code == 1008


async def test_stream_reply_shapes_can_be_switched_to_the_old_form(start: Callable[..., Venue], edition: str) -> None:
    venue = start(*STILL, "--set", "login_failure=old", "--set", "code_type=text")
    async with client_of(venue) as client:
        refused = await client.ask("login", apiKey="x", timestamp="1", sign="2")
        assert (refused["event"], refused["code"]) == ("error", str(unknown_login(edition)))
        assert (await client.login())["code"] == "0"
        assert (await client.ask("place_order", **LIMIT))["code"] == "200000"


# -- frames ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "echo", "code"),
    [
        ("{", None, 601004),
        ("[]", None, 601004),
        ("5", None, 601004),
        ('{"id":"a","args":{}}', "a", 601004),
        ('{"id":"a","action":"place_order"}', "a", 601004),
        ('{"id":"a","action":"place_order","args":[]}', "a", 601004),
        ('{"id":"a","action":7,"args":{}}', "a", 601004),
        ('{"id":"' + "x" * 65 + '","action":"login","args":{}}', None, 601004),
        ('{"id":1.5,"action":"login","args":{}}', None, 601004),
        ('{"id":true,"action":"login","args":{}}', None, 601004),
        ('{"id":7,"action":"dance","args":{}}', 7, 601902),
        ('{"action":"subscribe","args":{"channel":"order"}}', None, 601902),
    ],
)
async def test_an_invalid_private_frame_gets_an_error_reply(venue: Venue, frame: str, echo: Any, code: int) -> None:
    async with websockets.connect(venue.ready["private_ws_url"]) as socket:
        await socket.send(frame)
        reply = json.loads(await asyncio.wait_for(socket.recv(), 10))
        assert set(reply) == {"id", "event", "code", "msg", "data"}
        assert (reply["id"], reply["event"], reply["code"], reply["data"]) == (echo, "error", code, None)
        await socket.send("ping")
        assert await asyncio.wait_for(socket.recv(), 10) == "pong"


async def test_the_tenth_invalid_frame_closes_the_connection(venue: Venue) -> None:
    async with websockets.connect(venue.ready["private_ws_url"]) as socket:
        for _ in range(10):
            await socket.send("nonsense")
        codes = [json.loads(await asyncio.wait_for(socket.recv(), 10))["code"] for _ in range(11)]
        assert codes == [601004] * 10 + [601904]
        with pytest.raises(websockets.ConnectionClosed):
            await asyncio.wait_for(socket.recv(), 10)
        assert socket.close_code == 1008


async def test_a_frame_over_one_mebibyte_closes_the_connection(venue: Venue) -> None:
    async with websockets.connect(venue.ready["private_ws_url"]) as socket:
        with pytest.raises(websockets.ConnectionClosed):  # the venue may close while the frame is still on its way
            await socket.send("x" * (1024 * 1024 + 1))
            await asyncio.wait_for(socket.recv(), 10)
        assert socket.close_code == 1009


async def test_request_ids_are_echoed_unchanged_and_may_repeat(venue: Venue) -> None:
    async with websockets.connect(venue.ready["private_ws_url"]) as socket:
        for given in ("place-1", "place-1", "", 12345678901234567, "x" * 64):
            await socket.send(json.dumps({"id": given, "action": "place_order", "args": {}, "ts": "1"}))
            reply = json.loads(await asyncio.wait_for(socket.recv(), 10))
            assert (reply["id"], reply["event"], reply["code"]) == (given, "place_order", 601901)
        await socket.send(json.dumps({"action": "cancel_orders", "args": {}}))
        assert json.loads(await asyncio.wait_for(socket.recv(), 10))["id"] is None


async def test_stream_args_accept_booleans_and_numbers(venue: Venue) -> None:
    async with client_of(venue) as client:
        assert (await client.login())["code"] == 0
        args: dict[str, Any] = {**LIMIT, "orderQty": 0.01, "limitPrice": 50000, "reduceOnly": False}
        placed = await client.ask("place_order", **args)
        assert placed["code"] == 200000
        assert (await client.order(placed["data"]["orderId"], orderState="OPEN"))["orderQty"] == "0.01"
        args = {**LIMIT, "orderQty": {"of": "things"}}
        nested = await client.ask("place_order", **args)
        assert (nested["code"], nested["data"]) == (400000, None)
        await client.ask("cancel_orders")


@pytest.mark.parametrize(
    ("action", "args", "code"),
    [
        ("place_order", {**LIMIT, "limitPrice": "50000.05"}, 401015),
        ("place_order", {**LIMIT, "sym": SPOT, "orderQty": "0.00001"}, 401017),
        ("place_order", {"sym": SYM}, 400009),
        ("place_order", {**LIMIT, "slTriggerPrice": "90000"}, 401916),
        ("place_order", {**LIMIT, "reduceOnly": "maybe"}, 400000),
        ("cancel_order", {}, 401008),
        ("cancel_order", {"orderId": "12"}, 401007),
        ("cancel_order", {"orderId": "1" * 16}, 401018),
        ("cancel_order", {"clientOrderId": "never"}, 401018),
        ("cancel_orders", {"exchangeType": "BINANCE_PERP"}, 401023),
        ("cancel_orders", {"sym": "BINANCE_PERP_XXX_USDT"}, 401011),
        ("replace_order", {"orderId": "1" * 16}, 400009),
        ("replace_order", {"orderId": "1" * 16, "replaceQty": "1"}, 401018),
    ],
)
async def test_a_rejected_stream_action_has_code_and_text(
    venue: Venue, action: str, args: dict[str, str], code: int
) -> None:
    async with client_of(venue) as client:
        assert (await client.login())["code"] == 0
        reply = await client.ask(action, **args)
        assert (reply["event"], reply["code"], reply["data"]) == (action, code, None)
        assert 0 < len(reply["msg"]) <= 200
        assert code != 401018 or "not found" in reply["msg"]


async def test_rate_limits_count_per_key_over_all_connections(limited: Venue) -> None:
    async with client_of(limited, "main") as first:
        assert (await first.login())["code"] == 0
        replies = [await first.ask("cancel_orders", sym=SYM) for _ in range(49)]
        assert {reply["code"] for reply in replies} == {200000}
        assert {json.dumps(reply["data"]) for reply in replies} == {"{}"}
        second = await logged_in(limited)
        try:
            assert (await second.ask("cancel_orders", sym=SYM))["code"] == 200000
            over = await second.ask("cancel_orders", sym=SYM)
            assert (over["code"], over["data"]) == (100429, None)
            assert (await second.ask("cancel_order", orderId="1" * 16))["code"] == 401018
        finally:
            await second.__aexit__()
        assert (await first.ask("cancel_orders", sym=SYM))["code"] == 100429
