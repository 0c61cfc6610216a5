"""Switches of the shell on the values that are not their default; a client that is nobody's product sees them work."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable

import pytest

from tests.busy import limit
from tests.venue.shell.conftest import STILL, Venue
from tests.venue.shell.strangers.test_stranger import SYM, Stranger

ORDER = "/api/v1/trading/order"
LIMIT = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"}
MARKET = {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "0.002"}


@pytest.fixture
def other(start: Callable[..., Venue]) -> Venue:
    """A venue with the other value of several switches at once."""
    return start(
        *STILL, "--set", "rate_profile=off", "--set", "action_in_open_orders=false", "--set", "serve_removed=true",
        "--set", "client_skew=5", "--set", "push_order=shuffled", "--set", "dead_man=1",
        "--set", "maintenance=TRADE 4000000000000 4000000600000 far away,TRADE 1600000000000 1600000600000",
    )  # fmt: skip


def state_of(venue: Venue, order: str, key: str = "main") -> str:
    return str(venue.data("GET", ORDER, {"orderId": order}, key=key)["orderState"])


def stranger(venue: Venue) -> Stranger:
    return Stranger(venue.ready["private_ws_url"], *venue.key())


def test_open_orders_can_omit_action_fields_by_config(other: Venue) -> None:
    other.data("POST", ORDER, LIMIT)
    row = other.data("GET", "/api/v1/trading/orders")["list"][0]
    assert {"action", "actionMsg"} & set(row) == set()
    assert "action" in other.data("GET", ORDER, {"orderId": row["orderId"]})
    other.data("DELETE", "/api/v1/trading/cancelAll", {"sym": SYM})


def test_removed_fill_fields_are_served_by_config(other: Venue) -> None:
    other.data("POST", ORDER, MARKET)
    row = other.data("GET", "/api/v1/trading/executions")[0]
    assert (row["tradingFee"], row["tradingFeeCoin"], row["updateAt"]) == (row["fee"], "USDT", row["createAt"])
    assert other.data("GET", "/api/v1/trading/executions/pageable")["list"][0]["tradingFee"] == row["fee"]


async def test_pushed_fills_have_one_signed_fee_by_config(other: Venue) -> None:
    async with stranger(other) as client:
        assert (await client.login())["code"] == 0
        await client.ask("place_order", **MARKET)
        await client.until(lambda: client.channel("Trades"))
        fill = client.channel("Trades")[0]
        assert (fill["tradingFee"], fill["tradingFeeCoin"]) == (fill["fee"], "USDT")


async def test_login_clock_tolerance_can_be_five_seconds_by_config(other: Venue) -> None:
    key, secret = other.key()
    async with stranger(other) as client:
        stamp = str(int(time.time()) - 10)
        sign = hmac.new(secret.encode(), (stamp + "GET/users/self/verify").encode(), hashlib.sha256).hexdigest()
        refused = await client.ask("login", apiKey=key, timestamp=stamp, sign=sign)
        assert (refused["code"], "within 5 s" in refused["msg"]) == (60009, True)


async def test_push_order_across_channels_can_vary_by_config(other: Venue) -> None:
    seen: set[tuple[str, ...]] = set()
    async with stranger(other) as client:
        assert (await client.login())["code"] == 0
        for _ in range(12):
            client.pushes.clear()
            placed = await client.ask("place_order", **MARKET)
            await client.order(placed["data"]["orderId"], orderState="FILLED")
            await client.send("ping")
            await client.until(lambda: client.channel_count("pong"))
            states = [row["orderState"] for row in client.channel("Orders")]
            assert states == sorted(states, key=["NEW", "PARTIALLY_FILLED", "FILLED"].index)
            seen.add(tuple(dict.fromkeys(push["channel"] for push in client.pushes if push["channel"] != "pong")))
    assert len(seen) > 1


async def test_cancel_on_disconnect_cancels_orders(other: Venue) -> None:
    async with stranger(other) as client:
        assert (await client.login())["code"] == 0
        order = (await client.ask("place_order", **LIMIT))["data"]["orderId"]

    async with asyncio.timeout(limit(10)):
        while await asyncio.to_thread(state_of, other, order) != "CANCELLED":
            await asyncio.sleep(0.1)


async def test_cancel_on_disconnect_waits_for_the_last_connection(other: Venue) -> None:
    async with Stranger(other.ready["private_ws_url"], *other.key("readonly")) as watching:
        assert (await watching.login())["code"] == 0
        async with stranger(other) as client:
            assert (await client.login())["code"] == 0
            order = (await client.ask("place_order", **LIMIT))["data"]["orderId"]
        async with Stranger(other.ready["private_ws_url"], *other.key("sub")) as leaving:
            assert (await leaving.login())["code"] == 0
            lost = (await leaving.ask("place_order", **LIMIT))["data"]["orderId"]
        # The portfolio that nobody watches left later: when its timer has run out, the other one's would have too.
        async with asyncio.timeout(limit(10)):
            while await asyncio.to_thread(state_of, other, lost, "sub") != "CANCELLED":
                await asyncio.sleep(0.1)
        assert await asyncio.to_thread(state_of, other, order) == "OPEN"


def test_a_future_maintenance_window_is_listed(other: Venue) -> None:
    _, _, text = other.raw("GET", "/api/v1/system/status")
    assert json.loads(text)["data"] == [
        {
            "status": 0,
            "startTime": 4000000000000,
            "endTime": 4000000600000,
            "desc": "far away",
            "serviceType": "TRADE",
            "maintainType": "1",
            "env": "1",
        }
    ]


@pytest.mark.edition("documents")
async def test_maintenance_blocks_new_orders_and_allows_cancels(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--set", "maintenance=TRADE 1600000000000 4000000000000 now", "--control")
    _, status = await asyncio.to_thread(venue.call, "GET", "/api/v1/system/status")
    assert (status["code"], status["data"][0]["status"]) == (200000, 1)
    for method, path, body in (
        ("POST", ORDER, LIMIT),
        ("PUT", ORDER, {"orderId": "1" * 16, "replaceQty": "1"}),
        ("DELETE", "/api/v1/trading/position", {"sym": SYM}),
    ):
        assert (await asyncio.to_thread(venue.call, method, path, body))[1]["code"] == 400011
    assert (await asyncio.to_thread(venue.call, "POST", ORDER, {"sym": SYM}))[1]["code"] == 400009
    assert (await asyncio.to_thread(venue.call, "DELETE", ORDER, {"orderId": "1" * 16}))[1]["code"] == 401018
    async with stranger(venue) as client:
        assert (await client.login())["code"] == 0
        assert (await client.ask("place_order", **LIMIT))["code"] == 601903
        assert (await client.ask("cancel_orders"))["code"] == 200000
        venue.set("maintenance", "none")
        async with asyncio.timeout(limit(10)):
            while (await client.ask("place_order", **LIMIT))["code"] == 601903:
                await asyncio.sleep(0.02)


def test_sub_portfolio_keys_can_have_lower_replace_limits(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--set", "sub_limits=lower")
    body = {"orderId": "1" * 16, "replaceQty": "1"}
    codes = [venue.call("PUT", ORDER, body, key="sub")[1]["code"] for _ in range(21)]
    assert codes == [401018] * 20 + [100429]
    assert {venue.call("PUT", ORDER, body)[1]["code"] for _ in range(21)} == {401018}


def test_a_delisted_pair_cannot_be_subscribed(start: Callable[..., Venue]) -> None:
    from websockets.sync.client import connect

    venue = start(*STILL, "--control")
    venue.set("delisted", SYM)
    while venue.data("GET", "/api/v1/trading/sym/info", {"sym": SYM})[SYM]["state"] != "delisted":
        time.sleep(0.02)
    assert venue.call("POST", ORDER, LIMIT)[1]["code"] == 401912
    with connect(venue.ready["public_ws_url"] + "?binary=false") as socket:
        socket.send(json.dumps({"event": "subscribe", "arg": [{"channel": "BBO", "sym": SYM}]}))
        assert str(json.loads(socket.recv(timeout=10))["code"]) == "11250"
    venue.set("delisted", "none")
    while venue.data("GET", "/api/v1/trading/sym/info", {"sym": SYM})[SYM]["state"] != "live":
        time.sleep(0.02)
    assert venue.call("POST", ORDER, LIMIT)[1]["code"] == 200000
