"""Portfolio loans, and fees of sub portfolios."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.venue.walk.world import Params, World

_HOUR_MS = 3_600_000


def _loan(world: World) -> Params:
    return {"exchange": "BINANCE", "coin": "USDT", "amount": "1.5", "clientOrderId": world.name()}


def _last_hour(world: World) -> Params:
    del world
    now = int(time.time() * 1000)
    return {"begin": str(now - _HOUR_MS), "end": str(now)}


VALID: Mapping[str, Callable[[World], Params]] = {
    "loan_pool": lambda world: {"exchange": "BINANCE", "asset": "BTC"},
    "portfolio_loan_borrow": _loan,
    "portfolio_loan_repay": _loan,
    "portfolio_loan_orders": lambda world: {"type": "borrow", "coin": "USDT"},
    "portfolio_loan_statement": lambda world: {"type": "borrow"},
    "broker_fee_rate": lambda world: {"exchange": "BINANCE", "instType": "PERP"},
    "collection_records": _last_hour,
    "clearing_statement": _last_hour,
    "set_sub_fee_rate": lambda world: {
        "exchange": "OKX", "instType": "SPOT", "chgType": "ABSOLUTE", "chgTaker": "1", "chgMaker": "0.5",
        "markupRebateRatio": "0.1",
    },
}  # fmt: skip


def _listed(world: World, params: Params, data: Any, kind: str) -> None:
    [row] = world.do("portfolio_loan_orders", clientOrderId=params["clientOrderId"])["list"]
    assert (row["orderId"], row["type"], row["amount"]) == (data["orderId"], kind, "1.50")


def _comes_into_force(world: World, params: Params, data: Any) -> None:
    """From the next full hour on; until then the rates are as before."""
    assert data["effDate"] >= time.strftime("%Y%m%d", time.gmtime())
    assert {row["markupRebateRatio"] for row in world.do("broker_fee_rate")} == {"0.0000"}


EFFECTS: Mapping[str, Callable[[World, Params, Any], None]] = {
    "portfolio_loan_borrow": lambda world, params, data: _listed(world, params, data, "borrow"),
    "portfolio_loan_repay": lambda world, params, data: _listed(world, params, data, "repay"),
    "set_sub_fee_rate": _comes_into_force,
}
