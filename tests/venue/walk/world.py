"""A venue on which something of everything is there, and for each row a call that it accepts.

To add a row: its parameters in `VALID` where it needs any, and, if it changes something, what shows that in `EFFECTS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from tests.venue.shell.conftest import STILL, Venue
from tui.interface import catalogue

PERP, OTHER, SPOT, MARGIN = (
    "BINANCE_PERP_BTC_USDT", "BINANCE_PERP_ETH_USDT", "BINANCE_SPOT_BTC_USDT", "BINANCE_MARGIN_ETH_USDT",
)  # fmt: skip
DAY_MS = 86_400_000
Params = dict[str, str]
STOP = {
    "algoOrderType": "TPSL", "conditionType": "PARTIAL_CLOSE_POSITION", "sym": PERP, "side": "SELL",
    "orderQty": "0.001", "slTriggerPrice": "54000", "slTriggerType": "MARK_PRICE", "slPrice": "0", "reduceOnly": "true",
}  # fmt: skip
OCO = {**STOP, "conditionType": "OCO", "tpTriggerPrice": "69000", "tpTriggerType": "MARK_PRICE", "tpPrice": "0"}


def start() -> Venue:
    """A still venue without limits, on which money moves at once."""
    return Venue(*STILL, "--set", "rate_profile=off", "--control")


class World:
    """One portfolio that has orders, algo orders, positions, fills and a debt."""

    def __init__(self, venue: Venue) -> None:
        self.venue = venue
        self._numbers = count(1)
        self.do("place_order", sym=PERP, side="BUY", orderType="MARKET", orderQty="0.02")
        self.do("place_order", sym=PERP, side="SELL", orderType="MARKET", orderQty="0.01")
        self.do("place_order", sym=SPOT, side="BUY", orderType="MARKET", orderQty="0.01")
        self.do("place_order", sym=MARGIN, side="SELL", orderType="MARKET", orderQty="20")
        self.do("place_order", sym=OTHER, side="BUY", orderType="MARKET", orderQty="0.5")
        self.do("close_position", sym=OTHER)
        self.resting()
        self.stop()

    def name(self) -> str:
        """A client order id that nobody used."""
        return f"walk{next(self._numbers)}"

    def do(self, row: str, **params: str) -> Any:
        """The data of a call of a row that must succeed."""
        endpoint = catalogue.BY_NAME[row]
        return self.venue.data(endpoint.method, endpoint.path, params)

    def resting(self) -> str:
        """The id of a fresh order that rests."""
        placed = self.do("place_order", sym=PERP, side="BUY", orderType="LIMIT", orderQty="0.01", limitPrice="58000")
        return str(placed["orderId"])

    def stop(self) -> str:
        """The id of a fresh algo order that waits."""
        placed = self.do("place_algo", **STOP)
        return str(placed["algoOrderId"])

    def order(self, order_id: str) -> Any:
        return self.do("order_detail", orderId=order_id)

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until what was only accepted has been carried out."""
        deadline = time.monotonic() + 10
        while not reached():
            assert time.monotonic() < deadline, "it was accepted and not carried out"

    def position(self, sym: str) -> list[Any]:
        return [row for row in self.do("positions") if row["sym"] == sym]


def _yesterday() -> Params:
    now = int(time.time() * 1000)
    return {"begin": str(now - DAY_MS), "end": str(now)}


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
    "portfolio_trading_stats": lambda world: _yesterday(),
    "user_trading_stats_old": lambda world: _yesterday(),
    "user_trading_stats": lambda world: _yesterday(),
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
