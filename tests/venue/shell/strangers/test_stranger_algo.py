"""Algo orders for somebody who only read the description: seven endpoints and the algo stream; nothing of ours."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.venue.shell.strangers.test_stranger import SYM, Stranger, touch

RECORD = {
    "portfolioId", "algoOrderId", "algoOrderType", "clientOrderId", "sym", "exchangeType", "businessType", "side",
    "limitPrice", "orderQty", "positionSide", "reduceOnly", "orderState", "reason", "executedQty", "executedAmount",
    "executedAvgPrice", "createAt", "updateAt", "conditionType", "conditionalTriggerPrice",
    "conditionalTriggerPriceType", "conditionalTriggerType", "conditionalPrice", "attachedOrderId", "tpTriggerPrice",
    "tpTriggerType", "tpPrice", "slTriggerPrice", "slTriggerType", "slPrice",
}  # fmt: skip
ORDER = "/api/v1/algo/order"


def conditional(venue: Any, **more: str) -> dict[str, str]:
    bid, _ = touch(venue)
    return {
        "algoOrderType": "TPSL",
        "conditionType": "CONDITIONAL",
        "sym": SYM,
        "side": "BUY",
        "orderQty": "0.010",
        "conditionalTriggerPrice": f"{bid + 900:.1f}",
        "orderType": "ignored",
        "timeInForce": "ignored",
        **more,
    }


def test_algo_orders_are_placed_replaced_and_cancelled_by_rest(venue: Any) -> None:
    made = venue.data("POST", ORDER, conditional(venue, clientOrderId="algorest", reduceOnly="false"))
    assert set(made) == {"algoOrderId", "clientOrderId"}
    assert made["clientOrderId"] == "algorest"
    assert len(made["algoOrderId"]) == 16
    row = venue.data("GET", ORDER, {"clientOrderId": "algorest", "attachedOrderId": "stray"})
    assert set(row) == RECORD
    assert {type(value) for value in row.values()} == {str}
    assert (row["reduceOnly"], row["conditionType"], row["side"]) == ("false", "CONDITIONAL", "BUY")
    changed = venue.data("PUT", ORDER, {"algoOrderId": made["algoOrderId"], "orderQty": "0.02"})
    assert changed == made
    page = venue.data("GET", "/api/v1/algo/openOrders", {"sym": SYM})
    assert {"page", "pageSize", "pageNum", "totalSize", "list"} == set(page)
    assert page["list"][0]["orderQty"] == "0.02"
    assert venue.data("GET", "/api/v1/algo/openOrders", {"sym": "BINANCE_PERP_ETH_USDT"})["list"] == []
    gone = venue.data("DELETE", "/api/v1/algo/cancelAll", {"sym": SYM, "businessType": "PERP"})
    assert gone == [made]
    while venue.data("GET", ORDER, made)["orderState"] != "CANCELLED":
        pass
    history = venue.data("GET", "/api/v1/algo/history/orders", {"algoOrderType": "TPSL"})["list"]
    assert made["algoOrderId"] in [row["algoOrderId"] for row in history]
    assert venue.call("DELETE", ORDER, {"clientOrderId": "algorest"})[1]["code"] == 401117
    assert venue.call("GET", ORDER)[1]["code"] == 401008
    unknown = venue.call("GET", ORDER, {"algoOrderId": "1" * 16})[1]
    assert unknown["code"] == 401018
    assert "not found" in unknown["message"]
    assert venue.call("GET", ORDER, {"algoOrderId": "12"})[1]["code"] == 401007
    assert venue.call("POST", ORDER, conditional(venue), key="readonly")[1]["code"] == 2002
    assert venue.call("GET", "/api/v1/algo/openOrders", key="readonly")[1]["code"] == 200000


def test_algo_reply_shapes_follow_the_switches(venue: Any) -> None:
    made = venue.data("POST", ORDER, conditional(venue))
    venue.set("algo_answer", "bare")
    venue.set("algo_open_shape", "array")
    try:
        while isinstance(venue.data("GET", "/api/v1/algo/openOrders"), dict):
            pass
        _, changed = venue.call("PUT", ORDER, {"algoOrderId": made["algoOrderId"], "orderQty": "0.02"})
        assert changed == made
        _, refused = venue.call("PUT", ORDER, {"algoOrderId": made["algoOrderId"]})
        assert refused["code"] == 400009
        assert venue.data("GET", "/api/v1/algo/openOrders")[0]["algoOrderId"] == made["algoOrderId"]
        _, cancelled = venue.call("DELETE", ORDER, {"algoOrderId": made["algoOrderId"]})
        assert cancelled == made
    finally:
        venue.set("algo_answer", "envelope")
        venue.set("algo_open_shape", "page")


@pytest.fixture
def algo_stranger(venue: Any) -> Stranger:
    return Stranger(venue.ready["algo_ws_url"], *venue.key())


async def test_algo_stream_pushes_algo_order_child_order_and_trade(venue: Any, algo_stranger: Stranger) -> None:
    bid, ask = await asyncio.to_thread(touch, venue)
    async with algo_stranger as client, Stranger(venue.ready["private_ws_url"], *venue.key("readonly")) as private:
        login = await client.login()
        assert (login["event"], login["code"]) == ("login", "0")
        assert (await private.login())["code"] == 0
        await client.send("ping")
        await client.until(lambda: client.channel_count("pong"))
        placed = await asyncio.to_thread(
            venue.data, "POST", "/api/v1/trading/order",
            {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "0.002", "tpTriggerPrice": f"{ask + 0.2:.1f}",
             "slTriggerPrice": f"{bid - 300:.1f}", "slTriggerType": "MARK_PRICE"},
        )  # fmt: skip
        armed = await client.algo(
            lambda row: row["attachedOrderId"] == placed["orderId"] and row["orderState"] == "NEW"
        )
        assert set(armed) == RECORD
        assert armed["orderQty"] == "0.002"
        await private.until(lambda: [row for rows in private.channel("Positions") for row in rows if row["tpslOrder"]])
        # A buy that walks the book past the trigger: the last price hits it.
        await asyncio.to_thread(
            venue.data, "POST", "/api/v1/trading/order",
            {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "timeInForce": "IOC", "orderQty": "12",
             "limitPrice": f"{ask + 1:.1f}"},
        )  # fmt: skip
        key = armed["algoOrderId"]
        await client.algo(lambda row: row["algoOrderId"] == key and row["orderState"] == "PROCESSING")
        done = await client.algo(lambda row: row["algoOrderId"] == key and row["orderState"] == "COMPLETED")
        assert done["executedQty"] == "0.002"
        child = client.channel("SUB_ORDER")[-1]
        assert (child["algoOrderId"], child["orderType"], child["reduceOnly"]) == (key, "DMA", True)
        assert child["orderState"] == "FILLED"
        trade = client.channel("SUB_TRADE")[-1]
        assert (trade["algoOrderId"], trade["orderId"], trade["side"]) == (key, child["orderId"], "SELL")
        await private.order(child["orderId"], orderState="FILLED")
        assert {push["channel"] for push in client.pushes} == {"pong", "ALGO_ORDER", "SUB_ORDER", "SUB_TRADE"}
        await asyncio.to_thread(venue.data, "DELETE", "/api/v1/trading/position", {"sym": SYM})


async def test_algo_stream_actions_match_the_rest_endpoints(venue: Any, algo_stranger: Stranger) -> None:
    order = await asyncio.to_thread(conditional, venue)
    async with algo_stranger as client:
        early = await client.ask("place_algo_order", **order)
        assert early["code"] == 601901
        assert (await client.login())["code"] == "0"
        placed = await client.ask("place_algo_order", **order)
        assert (placed["event"], placed["code"], placed["msg"]) == ("place_algo_order", 200000, "Success")
        key = placed["data"]["algoOrderId"]
        await client.algo(lambda row: row["algoOrderId"] == key and row["orderState"] == "PENDING_NEW")
        await client.algo(lambda row: row["algoOrderId"] == key and row["orderState"] == "NEW")
        replaced = await client.ask("replace_algo_order", algoOrderId=key, orderQty="0.03")
        assert replaced["data"] == placed["data"]
        await client.algo(lambda row: row["algoOrderId"] == key and row["orderQty"] == "0.03")
        refused = await client.ask("place_algo_order", **{**order, "algoOrderType": "TWAP"})
        assert (refused["code"], refused["data"]) == (401290, None)
        cancelled = await client.ask("cancel_algo_order", algoOrderId=key)
        assert cancelled["code"] == 200000
        await client.algo(lambda row: row["algoOrderId"] == key and row["orderState"] == "PENDING_CANCEL")
        await client.algo(lambda row: row["algoOrderId"] == key and row["orderState"] == "CANCELLED")
        unknown = await client.ask("place_order", sym=SYM)
        assert (unknown["event"], unknown["code"]) == ("error", 601902)
        await client.send(json.dumps({"action": "subscribe", "args": {"channel": "order"}}))
        await client.until(lambda: client._replies.get("None"))


async def test_private_stream_pushes_no_algo_orders(venue: Any) -> None:
    order = await asyncio.to_thread(conditional, venue)
    async with Stranger(venue.ready["private_ws_url"], *venue.key()) as client:
        assert (await client.login())["code"] == 0
        made = await asyncio.to_thread(venue.data, "POST", ORDER, order)
        await asyncio.to_thread(venue.data, "DELETE", ORDER, {"algoOrderId": made["algoOrderId"]})
        await client.send("ping")
        await client.until(lambda: client.channel_count("pong"))
        assert {push["channel"] for push in client.pushes} <= {"pong", "Positions", "Assets", "Accounts", "MarginCall"}
