"""Portfolios and their keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.venue.walk.world import Params, World

PORTFOLIO = "Walked1"


def portfolio(world: World) -> str:
    """The id of a portfolio that was created."""
    for row in world.do("portfolios")["list"]:
        if row["name"].startswith("Walked"):
            return str(row["portfolioId"])
    return str(world.do("create_portfolio", name=PORTFOLIO)["portfolioId"])


def key(world: World) -> Params:
    """A fresh key, named as the calls about it name it."""
    made = world.do("create_api_key", portfolioId=portfolio(world), apiName="walk")
    world.do("delete_api_key", portfolioId=portfolio(world), accessKey=world.last_key) if world.last_key else None
    world.last_key = made["accessKey"]
    return {"portfolioId": portfolio(world), "accessKey": made["accessKey"]}


def listed_key(world: World, access_key: str) -> list[Any]:
    found: list[Any] = world.do("api_keys", portfolioApiKey=access_key)["list"]
    return found


VALID: Mapping[str, Callable[[World], Params]] = {
    "create_portfolio": lambda world: {"name": f"Made{world.name()}"},
    "rename_portfolio": lambda world: {"portfolioId": portfolio(world), "name": f"Walked{world.name()}"},
    "portfolios": lambda world: {"portfolioId": portfolio(world)},
    "api_keys": lambda world: {"portfolioId": key(world)["portfolioId"]},
    "create_api_key": lambda world: {
        "portfolioId": portfolio(world), "apiName": world.name(), "permission": "TRADE", "ip": "10.0.0.1",
    },
    "change_api_key": lambda world: {**key(world), "status": "2"},
    "delete_api_key": key,
}  # fmt: skip


def _created(world: World, params: Params, data: Any) -> None:
    [row] = world.do("portfolios", name=params["name"])["list"]
    assert row["portfolioId"] == data["portfolioId"]


def _renamed(world: World, params: Params, data: Any) -> None:
    [row] = world.do("portfolios", portfolioId=params["portfolioId"])["list"]
    assert row["name"] == params["name"]


def _key_made(world: World, params: Params, data: Any) -> None:
    [row] = listed_key(world, data["accessKey"])
    assert (row["apiName"], row["ip"]) == (params["apiName"], "10.0.0.1") and "secretKey" not in row
    world.do("delete_api_key", portfolioId=params["portfolioId"], accessKey=data["accessKey"])


def _key_changed(world: World, params: Params, data: Any) -> None:
    assert listed_key(world, params["accessKey"])[0]["status"] == 2


def _key_deleted(world: World, params: Params, data: Any) -> None:
    assert listed_key(world, params["accessKey"]) == []
    world.last_key = ""


EFFECTS: Mapping[str, Callable[[World, Params, Any], None]] = {
    "create_portfolio": _created, "rename_portfolio": _renamed, "create_api_key": _key_made,
    "change_api_key": _key_changed, "delete_api_key": _key_deleted,
}  # fmt: skip
