"""Money beside trading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.venue.walk.world import Params, World


def moved(world: World) -> Params:
    """A transfer between two sides of the main portfolio, by a network and with every parameter."""
    portfolio = world.venue.ready["keys"][0]["portfolioId"]
    return {
        "fromTradeAccountId": portfolio, "fromAccountType": "BINANCE", "toTradeAccountId": portfolio,
        "toAccountType": "OKX", "currency": "USDT", "network": "TRC20", "amount": "5", "rapidTransfer": "false",
        "loanTrans": "false",
    }  # fmt: skip


def transferred(world: World) -> str:
    """The id of a fresh transfer."""
    return str(world.do("transfer", **moved(world))["transferId"])


VALID: Mapping[str, Callable[[World], Params]] = {
    "transfer": lambda world: {**moved(world), "clientOrderId": world.name()},
    "transfer_detail": lambda world: {"transferId": transferred(world)},
    "rapid_pool": lambda world: {"pool": "OKX"},
    "rapid_pool_post": lambda world: {"pool": "OKX"},
}


def _transferred(world: World, params: Params, data: Any) -> None:
    [row] = [one for one in world.do("transfers")["list"] if one["transferId"] == data["transferId"]]
    assert (row["clientOrderId"], row["amount"]) == (params["clientOrderId"], 5)


EFFECTS: Mapping[str, Callable[[World, Params, Any], None]] = {"transfer": _transferred}
