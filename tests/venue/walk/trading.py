"""Orders, algo orders, positions, settings and what is read about them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.venue.walk.world import DAY_MS, OCO, OTHER, PERP, Params, World


def _month() -> Params:
    now = int(time.time() * 1000)
    return {"begin": str(now - 30 * DAY_MS), "end": str(now)}


VALID: Mapping[str, Callable[[World], Params]] = {
    "place_order": lambda world: {
        "sym": PERP, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "58000",
        "timeInForce": "GTC", "clientOrderId": world.name(), "tpTriggerPrice": "70000", "tpTriggerType": "MARK_PRICE",
        "tpPrice": "0", "slTriggerPrice": "53000", "slTriggerType": "MARK_PRICE", "slPrice": "0",
    },
    "replace_order": lambda world: {"orderId": world.resting(), "replacePrice": "58100", "replaceQty": "0.02"},
    "cancel_order": lambda world: {"orderId": world.resting()},
    "cancel_all": lambda world: {"sym": PERP},
    "order_detail": lambda world: {"orderId": world.resting()},
    "place_algo": lambda world: {**OCO, "clientOrderId": world.name()},
    "replace_algo": lambda world: {"algoOrderId": world.do("place_algo", **OCO)["algoOrderId"], "slTriggerPrice": "56000"},
    "cancel_algo": lambda world: {"algoOrderId": world.stop()},
    "algo_detail": lambda world: {"algoOrderId": world.stop()},
    "cancel_all_algos": lambda world: {"sym": PERP},
    "close_position": lambda world: {"sym": _opened(world)},
    "close_positions": lambda world: {"symList": _opened(world)},
    "set_perp_leverage": lambda world: {"sym": PERP, "leverage": "7"},
    "set_margin_leverage": lambda world: {"exchangeType": "BINANCE", "coin": "ETH", "leverage": "2"},
    "set_position_mode": lambda world: {"exchangeType": "EDX", "positionMode": "BOTH"},
    "portfolio_trading_stats": lambda world: _month(),
    "user_trading_stats_old": lambda world: _month(),
    "user_trading_stats": lambda world: _month(),
    "funding_rate": lambda world: {"sym": PERP},
    "interest_rates": lambda world: {"exchangeType": "BINANCE"},
}  # fmt: skip
"""Parameters of a call that is accepted, by row; others are called without any."""


def _opened(world: World) -> str:
    world.do("place_order", sym=OTHER, side="BUY", orderType="MARKET", orderQty="0.1")
    return OTHER


def _placed(world: World, params: Params, data: Any) -> None:
    assert world.order(data["orderId"])["clientOrderId"] == params["clientOrderId"]


def _replaced(world: World, params: Params, data: Any) -> None:
    world.until(lambda: world.order(data["orderId"])["limitPrice"] == "58100")
    assert world.order(data["orderId"])["orderQty"] == "0.02"


def _cancelled(world: World, params: Params, data: Any) -> None:
    world.until(lambda: world.order(params["orderId"])["orderState"] == "CANCELLED")


def _all_cancelled(world: World, params: Params, data: Any) -> None:
    world.until(lambda: not [row for row in world.do("open_orders")["list"] if row["sym"] == PERP])
    world.resting()


def _algo(world: World, algo_id: str) -> Any:
    return world.do("algo_detail", algoOrderId=algo_id)


def _algo_placed(world: World, params: Params, data: Any) -> None:
    assert _algo(world, data["algoOrderId"])["clientOrderId"] == params["clientOrderId"]


def _algo_replaced(world: World, params: Params, data: Any) -> None:
    world.until(lambda: _algo(world, params["algoOrderId"])["slTriggerPrice"] == "56000")


def _algo_cancelled(world: World, params: Params, data: Any) -> None:
    gone = params["algoOrderId"]
    world.until(lambda: gone not in [row["algoOrderId"] for row in world.do("open_algos")["list"]])


def _algos_cancelled(world: World, params: Params, data: Any) -> None:
    world.until(lambda: not world.do("open_algos", sym=PERP)["list"])
    world.stop()


def _closed(world: World, params: Params, data: Any) -> None:
    world.until(lambda: not world.position(OTHER))


def _leverage(world: World, params: Params, data: Any) -> None:
    assert world.do("perp_leverage", sym=PERP)[0]["leverage"] == "7"


def _margin_leverage(world: World, params: Params, data: Any) -> None:
    [row] = world.do("margin_leverage", exchangeType="BINANCE", coin="ETH")["list"]
    assert row["leverage"] == "2"


def _mode(world: World, params: Params, data: Any) -> None:
    assert {row["exchangeType"]: row["positionMode"] for row in world.do("account")}["EDX"] == "BOTH"
    world.do("set_position_mode", exchangeType="EDX", positionMode="NET")


EFFECTS: Mapping[str, Callable[[World, Params, Any], None]] = {
    "place_order": _placed, "replace_order": _replaced, "cancel_order": _cancelled, "cancel_all": _all_cancelled,
    "place_algo": _algo_placed, "replace_algo": _algo_replaced, "cancel_algo": _algo_cancelled,
    "cancel_all_algos": _algos_cancelled, "close_position": _closed, "close_positions": _closed,
    "set_perp_leverage": _leverage, "set_margin_leverage": _margin_leverage, "set_position_mode": _mode,
}  # fmt: skip
"""What shows that a command was carried out, by row."""
