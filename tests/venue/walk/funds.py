"""Money beside trading."""

from __future__ import annotations

import json
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
    """The id of a fresh transfer, once something of everything under way is there."""
    _everything(world)
    return str(world.do("transfer", **moved(world))["transferId"])


def _everything(world: World) -> None:
    """Bills, withdrawals, deposits and a lock, of the main portfolio and of a sub one."""
    if world.do("broker_deposits")["list"]:
        return
    main, sub = (world.venue.ready["keys"][number]["portfolioId"] for number in (0, 1))
    within = {**moved(world), "toTradeAccountId": sub, "toAccountType": "BINANCE"}
    del within["network"]
    world.do("transfer", **within)
    for owner in (main, sub):
        world.do("withdraw", **{**leaving(world), "accountId": owner})
    world.do("custody_lock", **locked(world))
    assert world.venue.process.stdin is not None
    for account in ("main", "sub"):
        world.venue.process.stdin.write(json.dumps({"deposit": {"USDT": f"25 TRC20 {account}"}}).encode() + b"\n")
    world.venue.process.stdin.flush()
    world.until(lambda: bool(world.do("broker_deposits")["list"] and world.do("deposits")["list"]))


def leaving(world: World) -> Params:
    """A withdrawal of the main portfolio to the address book, with every parameter."""
    [book] = world.do("withdraw_addresses", currency="USDT", network="TRC20")["list"]
    return {
        "accountId": world.venue.ready["keys"][0]["portfolioId"], "fromAccountType": "BINANCE", "currency": "USDT",
        "network": "TRC20", "address": book["address"], "memo": "0", "amount": "10", "loanTrans": "false",
        "rapidTransfer": "false",
    }  # fmt: skip


def locked(world: World) -> Params:
    """What a lock of custody names."""
    account = next(row["accountId"] for row in world.do("accounts") if row["venues"] == "OKX")
    return {"accountId": str(account), "currency": "USDT", "amount": "1"}


def unlocked(world: World) -> Params:
    """What an unlock of custody names, once that much is locked."""
    world.venue.set("network_delay", "0")
    action = str(world.do("custody_lock", **locked(world))["actionId"])
    world.until(lambda: world.do("custody_list", actionId=action)["list"][0]["status"] == 1)
    world.venue.set("network_delay", "20")
    return locked(world)


def _listed(world: World) -> Params:
    _everything(world)
    return {}


USDT = {"currency": "USDT", "network": "TRC20"}
VALID: Mapping[str, Callable[[World], Params]] = {
    "transfer": lambda world: {**moved(world), "clientOrderId": world.name()},
    "transfers": _listed,
    "transfer_detail": lambda world: {"transferId": transferred(world)},
    "rapid_pool": lambda world: {"pool": "OKX"},
    "rapid_pool_post": lambda world: {"pool": "OKX"},
    "bills": _listed,
    "withdraw": lambda world: {**leaving(world), "clientOrderId": world.name()},
    "withdrawals": _listed,
    "broker_withdrawals": _listed,
    "deposits": _listed,
    "broker_deposits": _listed,
    "deposit_address": lambda world: dict(USDT),
    "deposit_venue": lambda world: dict(USDT),
    "set_deposit_venue": lambda world: {**USDT, "exchangeType": "OKX"},
    "custody_list": _listed,
    "custody_lock": locked,
    "custody_unlock": unlocked,
}


def _transferred(world: World, params: Params, data: Any) -> None:
    [row] = [one for one in world.do("transfers")["list"] if one["transferId"] == data["transferId"]]
    assert (row["clientOrderId"], row["amount"]) == (params["clientOrderId"], 5)


def _withdrawn(world: World, params: Params, data: Any) -> None:
    [row] = world.do("withdrawals", id=str(data["id"]))["list"]
    assert (row["clientOrderId"], row["amount"], row["status"]) == (params["clientOrderId"], 10, 1)


def _in_custody(world: World, params: Params, data: Any) -> None:
    [row] = world.do("custody_list", actionId=str(data["actionId"]))["list"]
    assert (str(row["accountId"]), row["amount"]) == (params["accountId"], "1")


def _deposits_elsewhere(world: World, params: Params, data: Any) -> None:
    assert world.do("deposit_venue", **USDT)["exchangeType"] == data["exchangeType"] == "OKX"


EFFECTS: Mapping[str, Callable[[World, Params, Any], None]] = {
    "transfer": _transferred, "withdraw": _withdrawn, "custody_lock": _in_custody, "custody_unlock": _in_custody,
    "set_deposit_venue": _deposits_elsewhere,
}  # fmt: skip
