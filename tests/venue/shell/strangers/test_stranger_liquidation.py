"""A liquidation for somebody who only read the description: four channels on the right connections, and the query."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import ROUND_DOWN, Decimal
from typing import Any

import pytest

from tests.venue.shell.conftest import Venue
from tests.venue.shell.strangers.test_stranger import SYM, Stranger
from tests.venue.shell.strangers.test_stranger_private import ACCOUNT, POSITION, client_of, login_args

EVENT = "/api/v1/trading/liquidationEvent"
PUSH = {
    "liquidationEventId", "portfolioId", "exchangeType", "eventType", "nodeType", "createAt", "accounts", "assets",
    "positions", "openOrders",
}  # fmt: skip
REDUCED = {
    "portfolioId", "exchangeType", "orderId", "liquidationEventId", "positionId", "sym", "positionSide", "reduceQty",
    "closedPnl", "liqFee", "totalTradingFee", "createAt", "updateAt",
}  # fmt: skip
PASSED = ["TRIGGERED", "MARGIN_CALL", "CANCEL_OPEN", "CANCEL_ALL"]
LIQUIDATION_CHANNELS = ("LiquidationEvent", "LiquidationPosition", "LiquidationPositionByUser", "MarginCall")
TICK = Decimal("0.1")


@pytest.fixture
def empty(start: Callable[..., Venue]) -> Venue:
    """A market that only the two portfolios make, so that the mark stays where it is put."""
    return start(
        "--seed", "7", "--set", "latency=test", "--set", "agents=off", "--set", "rate_profile=off", "--control"
    )


def place(venue: Venue, side: str, quantity: str, price: str, key: str = "main") -> str:
    sent = {"sym": SYM, "side": side, "orderType": "LIMIT", "orderQty": quantity, "limitPrice": price}
    return str(venue.data("POST", "/api/v1/trading/order", sent, key=key)["orderId"])


def meet(venue: Venue, holder: str = "sub") -> dict[str, Any]:
    """One portfolio buys 14 BTC from the other with leverage 50; returns its position."""
    venue.data("POST", "/api/v1/trading/position/leverage", {"sym": SYM, "leverage": "50"}, key=holder)
    place(venue, "SELL", "14", "61800", "main" if holder == "sub" else "sub")
    place(venue, "BUY", "14", "61800", holder)
    return dict(venue.data("GET", "/api/v1/trading/position", {"sym": SYM}, key=holder)[0])


async def test_sub_portfolio_liquidation_is_pushed_to_its_connections(
    empty: Venue,
) -> None:
    before = (await asyncio.to_thread(meet, empty))["liqPrice"]
    threshold = Decimal(before).quantize(TICK, ROUND_DOWN)
    assert await asyncio.to_thread(empty.data, "GET", EVENT, key="sub") == {}
    async with (
        client_of(empty, "sub") as own, client_of(empty) as main, client_of(empty, "readonly") as quiet,
        Stranger(empty.ready["private_ws_url"] + "-algo", *empty.key("sub")) as algo,
    ):  # fmt: skip
        assert (await own.login())["code"] == 0
        assert (await main.login())["code"] == 0
        assert (await quiet.ask("login", **login_args(empty, "readonly", onlyTrade=True)))["code"] == 0
        assert (await algo.login())["code"] == "0"
        await asyncio.to_thread(place, empty, "BUY", "14", "60900")
        empty.move("BTC", str(threshold + TICK))
        await own.until(lambda: len(own.channel("LiquidationEvent")) == len(PASSED))
        assert own.channel("LiquidationPosition") == [], "not a tick before"
        empty.move("BTC", str(threshold))
        await own.until(lambda: "REDUCE_END" in [one["nodeType"] for one in own.channel("LiquidationEvent")])
        for client in (own, main, quiet, algo):
            await client.pong()
        pushed = own.channel("LiquidationEvent")
        assert [one["nodeType"] for one in pushed] == [*PASSED, "REDUCE_START", "REDUCE_END"]
        (reduced,) = own.channel("LiquidationPosition")
        assert main.channel("LiquidationPositionByUser") == [reduced]
        assert own.channel("LiquidationPositionByUser") == main.channel("LiquidationPosition") == []
        assert main.channel("LiquidationEvent") == main.channel("MarginCall") == []
        assert [row["accountStatus"] for rows in own.channel("MarginCall") for row in rows] == [
            "CANCEL_ALL",
            "LIQUIDATING",
        ]
        for client in (quiet, algo):
            assert [name for name in LIQUIDATION_CHANNELS if client.channel(name)] == []
    _check_shapes(pushed, reduced)
    start = pushed[4]
    assert start["positions"][0]["markPrice"] == str(threshold)
    assert Decimal(start["accounts"][0]["uniMMR"]) <= 1
    event = await asyncio.to_thread(empty.data, "GET", EVENT, key="sub")
    assert event["liquidationEventId"] == pushed[0]["liquidationEventId"]
    assert [node["nodeType"] for node in event["nodes"]] == [one["nodeType"] for one in pushed]
    for node, one in zip(event["nodes"], pushed, strict=True):
        assert node == {
            name: one[name] for name in ("nodeType", "createAt", "accounts", "assets", "positions", "openOrders")
        }


def _check_shapes(pushed: list[dict[str, Any]], reduced: dict[str, Any]) -> None:
    for one in pushed:
        assert set(one) == PUSH
        for row in one["accounts"]:
            assert set(row) == ACCOUNT - {"perpAvailableMargin", "updateAt"}
        for row in one["positions"]:
            assert set(row) == POSITION - {"exchangeType"}
    assert set(reduced) == REDUCED
    numbers = {name for name, value in reduced.items() if not isinstance(value, str)}
    assert numbers == {"createAt", "updateAt"}
    assert (type(reduced["createAt"]), type(reduced["updateAt"])) == (int, int)
    assert Decimal(reduced["reduceQty"]) > 0 and Decimal(reduced["liqFee"]) > 0


async def test_liquidation_of_the_main_portfolio_is_pushed_only_to_it(start: Callable[..., Venue]) -> None:
    venue = start(
        *("--seed", "7", "--set", "latency=test", "--set", "agents=still", "--set", "rate_profile=off", "--control")
    )
    sent = {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "55"}
    venue.data("POST", "/api/v1/trading/position/leverage", {"sym": SYM, "leverage": "50"})
    async with client_of(venue) as main, client_of(venue, "sub") as sub:
        assert (await main.login())["code"] == 0
        assert (await sub.login())["code"] == 0
        assert (await main.ask("place_order", **sent))["code"] == 200000
        venue.move("BTC", "57000")
        (reduced,) = await main.until(lambda: main.channel("LiquidationPosition"))
        for client in (main, sub):
            await client.pong()
        assert (reduced["totalTradingFee"], reduced["liqFee"], reduced["reduceQty"]) == (None, "0", "55")
        assert [one["nodeType"] for one in main.channel("LiquidationEvent")] == [*PASSED, "TAKEOVER"]
        assert main.channel("LiquidationPositionByUser") == []
        assert [name for name in LIQUIDATION_CHANNELS if sub.channel(name)] == []


def test_liquidation_query_returns_only_its_own_portfolio(empty: Venue) -> None:
    assert empty.data("GET", EVENT) == {}
    for wrong, code in (("12", 400000), ("217600000000000x", 400000), ("2176000000000001", 401930)):
        _, answer = empty.call("GET", EVENT, {"liquidationEventId": wrong})
        assert answer["code"] == code, wrong
    meet(empty)
    empty.move("BTC", "61500")
    event: dict[str, Any] = {}
    while not event:
        event = empty.data("GET", EVENT, key="sub")
    assert (event["eventType"], event["exchangeType"]) == ("REDUCE", "BINANCE")
    assert [node["nodeType"] for node in event["nodes"]] == ["TRIGGERED", "MARGIN_CALL"]
    named = {"liquidationEventId": event["liquidationEventId"]}
    assert empty.data("GET", EVENT, named, key="sub") == event
    _, answer = empty.call("GET", EVENT, named)
    assert answer["code"] == 401930, "an event of another portfolio"


async def test_with_an_empty_insurance_fund_adl_closes_positions(
    start: Callable[..., Venue],
) -> None:
    venue = start(
        *("--seed", "7", "--set", "latency=test", "--set", "agents=still", "--set", "rate_profile=off", "--control"),
        *("--set", "insurance_fund=empty"),
    )
    for key in ("main", "sub"):
        await asyncio.to_thread(
            venue.data, "POST", "/api/v1/trading/position/leverage", {"sym": SYM, "leverage": "50"}, key=key
        )
    async with client_of(venue) as main, client_of(venue, "sub") as sub:
        assert (await main.login())["code"] == 0
        assert (await sub.login())["code"] == 0
        market = {"sym": SYM, "orderType": "MARKET"}
        assert (await sub.ask("place_order", **market, side="SELL", orderQty="12"))["code"] == 200000
        assert (await main.ask("place_order", **market, side="BUY", orderQty="55"))["code"] == 200000
        resting = await asyncio.to_thread(place, venue, "BUY", "0.1", "55000", "sub")
        await sub.pong()
        (before,) = await asyncio.to_thread(venue.data, "GET", "/api/v1/trading/position", {"sym": SYM}, key="sub")
        fills = len(sub.channel("Trades"))
        venue.move("BTC", "57000")
        await main.until(lambda: main.channel("LiquidationPosition"))
        for client in (main, sub):
            await client.pong()
        last = [row for rows in sub.channel("Positions") for row in rows][-1]
        assert Decimal(before["positionQty"]) < Decimal(last["positionQty"]) <= 0, "the short is smaller or gone"
        ended = sub.channel("Orders")[-1]
        assert (ended["orderId"], ended["orderState"], ended["cancelType"]) == (resting, "CANCELLED", "LIQUIDATING")
        assert len(sub.channel("Trades")) == fills and sub.channel("LiquidationEvent") == [], "it traded nothing"
    booked = (await asyncio.to_thread(venue.data, "GET", "/api/v1/trading/statement", key="sub"))["list"][0]
    assert (booked["statementType"], booked["requestId"]) == ("TRADE", before["positionId"])
    assert Decimal(booked["deltaAmount"]) > 0
