"""A scripted service with algo orders, and a desk in step with it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.client.fakes import PORTFOLIO, refusal, success, until
from tests.engine.command_rig import ask_every
from tests.engine.conftest import SYM, Rig

ORDER, OPEN, HISTORY = "/api/v1/algo/order", "/api/v1/algo/openOrders", "/api/v1/algo/history/orders"
CANCEL_ALL = "/api/v1/algo/cancelAll"


class AlgoService:
    """The algo orders of a service, and what it answers to a command."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.orders: dict[str, dict[str, Any]] = {}
        self.answer: web.Response | None = None
        """To a command; None: success."""
        self.carries_out = True
        self.known_by_id = True
        """Whether a query by id finds anything."""
        self.at = 1_000
        rig.fake.refuse_rest = self._handle

    @property
    def commands(self) -> list[tuple[str, dict[str, str]]]:
        """The commands that arrived."""
        return [(method, params) for method, path, params in self.rig.fake.calls if path == ORDER and method != "GET"]

    def change(self, algo_id: str, **fields: str) -> None:
        """The service changes an order by itself."""
        self.at += 1
        self.orders[algo_id] |= {**fields, "updateAt": str(self.at)}

    def add(self, **fields: str) -> str:
        """An order that somebody else placed."""
        algo_id = str(7_000 + len(self.orders))
        self.orders[algo_id] = {"orderState": "NEW", "positionSide": "NONE", **fields, "algoOrderId": algo_id}
        self.orders[algo_id] |= {"portfolioId": PORTFOLIO, "clientOrderId": fields.get("clientOrderId", algo_id)}
        self.change(algo_id)
        return algo_id

    def _handle(self, path: str) -> web.Response | None:
        method, _, params = self.rig.fake.calls[-1]
        if path in (OPEN, HISTORY):
            is_open = ("NEW", "PROCESSING", "PENDING_CANCEL")
            rows = [one for one in self.orders.values() if (one["orderState"] in is_open) == (path == OPEN)]
            return success({"list": rows, "page": 1, "pageSize": 1000, "totalSize": str(len(rows))})
        if path == CANCEL_ALL:
            return self.answer or success(
                [{"algoOrderId": one, "clientOrderId": ""} for one in self._cancel_matching(params)]
            )
        if path != ORDER:
            return None
        found = self._find(params)
        if method == "GET":
            return success(found) if found is not None and self.known_by_id else refusal(401018, "algo order not found")
        if method == "DELETE" and found is None and self.answer is None:
            return refusal(401018, "algo order not found")
        if self.carries_out:
            self._carry_out(method, params, found)
        named = self._find(params) or {}
        return self.answer or success({name: named.get(name, "") for name in ("algoOrderId", "clientOrderId")})

    def _cancel_matching(self, params: dict[str, str]) -> list[str]:
        """Cancels what has the fields that a cancel-all names; the venue of the pair is its first word."""
        venue, other = (
            params.get("exchangeType", ""),
            {name: one for name, one in params.items() if name != "exchangeType"},
        )
        found = [
            name
            for name, one in self.orders.items()
            if one["sym"].startswith(venue)
            and other.items() <= {"businessType": one["sym"].split("_")[1], **one}.items()
        ]
        for name in found:
            self.change(name, orderState="CANCELLED")
        return found

    def _find(self, params: dict[str, str]) -> dict[str, Any] | None:
        if "algoOrderId" in params:
            return self.orders.get(params["algoOrderId"])
        names = (one for one in self.orders.values() if one["clientOrderId"] == params.get("clientOrderId"))
        return next(names, None)

    def _carry_out(self, method: str, params: dict[str, str], found: dict[str, Any] | None) -> None:
        if method == "POST":
            self.add(**params)
        elif found is not None and method == "DELETE":
            self.change(found["algoOrderId"], orderState="CANCELLED")
        elif found is not None:
            self.change(found["algoOrderId"], **{name: text for name, text in params.items() if name != "algoOrderId"})


async def serving_algos(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> AlgoService:
    """A service with algo orders and a position, and a desk in step with it."""
    ask_every(monkeypatch, 0.05)
    made = AlgoService(rig)
    rig.fake.positions = [
        {"sym": SYM, "positionQty": "0.5", "positionSide": "NONE", "portfolioId": PORTFOLIO, "updateAt": "1"}
    ]
    await rig.ready()
    await until(lambda: rig.engine.state.facts.positions.rows)
    await until(lambda: rig.session.algos.error == "")
    quotes = rig.engine.state.quotes.rows
    quotes[SYM] = msgspec.structs.replace(quotes[SYM], mark="60000")
    return made
