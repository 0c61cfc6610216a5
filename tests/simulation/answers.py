"""What happens to REST answers on their way: errors, other pages, an answer of a moment ago, or none."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, TypeAlias

from aiohttp import web

from tests.simulation.history import text_of
from tui.interface import errors
from tui.interface.families.accounts import CUSTODY_LOCK, CUSTODY_UNLOCK
from tui.interface.families.algo import PLACE_ALGO
from tui.interface.families.deposits import WITHDRAW
from tui.interface.families.portfolio_loans import PORTFOLIO_LOAN_BORROW, PORTFOLIO_LOAN_REPAY
from tui.interface.families.portfolios import CREATE_PORTFOLIO
from tui.interface.families.positions import SET_MARGIN_LEVERAGE, SET_PERP_LEVERAGE, SET_POSITION_MODE
from tui.interface.families.transfers import TRANSFER

if TYPE_CHECKING:
    from tests.simulation.floor import Floor

HA_HOST = "ha.venue.test"
UNKNOWN = "UNKNOWN"
SETTINGS = frozenset(row.path for row in (SET_PERP_LEVERAGE, SET_MARGIN_LEVERAGE, SET_POSITION_MODE))
REPLICA_LAG = 5.0
"""How old an answer of a lagging replica can be, s."""
HA_LAGS = 0.3
"""Share of the answers of the failover tier that are of a moment ago."""

Error: TypeAlias = tuple[str, int, dict[str, Any] | None]
"""A fault, its HTTP status, and its envelope; None: a page for people."""
ERRORS: tuple[Error, ...] = (
    ("F37", 200, {"code": 50001, "message": "internal", "data": {}}),
    ("F61", 429, {"code": 100429, "message": "Too many requests", "data": {}}),
    ("F61", 429, None),
    ("F67", 200, {"code": 100003, "message": "invalid user type", "data": None}),
    ("F63", 418, None),
    ("F65", 502, None),
    ("F58", 302, None),
    ("F64", 200, {"code": 400013, "message": "timeout", "data": {}}),
    ("F39", 500, {"code": 200000, "message": "Success", "data": {"list": [], "totalSize": "0"}}),
    ("F37", 200, {"code": 200000, "message": "Success", "data": None}),
)

_KINDS = {
    PLACE_ALGO.path: "algo", TRANSFER.path: "transfer", PORTFOLIO_LOAN_BORROW.path: "loan",
    PORTFOLIO_LOAN_REPAY.path: "loan", WITHDRAW.path: "withdrawal", CUSTODY_LOCK.path: "custody",
    CUSTODY_UNLOCK.path: "custody", CREATE_PORTFOLIO.path: "portfolio",
}  # fmt: skip
"""Commands that are judged by what arrived of them, by path."""
_RATE = {
    "transfer": "transfers", "loan": "loans", "withdrawal": "withdrawals", "custody": "custody",
    "portfolio": "portfolios",
}  # fmt: skip
"""Field of the rates of those that are account commands."""


class Answers:
    """Stands before the venue's REST and spoils what a floor's rates ask for."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._answers: dict[str, tuple[float, web.Response]] = {}
        self.names: list[str] = []
        """Names of portfolios that were accepted."""
        self.down = False
        """REST ends every connection."""
        self.storm = False
        """Every read is refused: too many requests."""
        self.error: Error | None = None
        """What every error is; None: drawn."""
        self.only = ""
        """A part of the paths that have errors."""

    @web.middleware
    async def around(self, request: web.Request, handler: Any) -> web.StreamResponse:
        rates = self._floor.proxy.rates
        if self.down and "/trading/" in request.path and request.transport is not None:
            request.transport.abort()
            return web.Response(status=503)
        if "/trading/" not in request.path or request.method != "GET":
            asked = await self._write_down(request)
            response: web.StreamResponse = await handler(request)
            self._carried_out(request, asked, response)
            return self._lost(request) or response
        if self.storm:
            return self._refused()
        if self.only in request.path and self._floor.happens(rates.rest_error):
            return self._rest_error()
        response = await handler(request)
        if not isinstance(response, web.Response):
            return response
        url = f"{request.path} {request.query_string}"
        at, old = self._answers.get(url, (0.0, response))
        lagging = max(rates.stale_read, HA_LAGS if rates.tier_gap and request.host == HA_HOST else 0)
        if self._floor.world.now - at <= REPLICA_LAG and self._floor.happens(lagging):
            self._floor.proxy.fault("F76")
            return web.Response(body=old.body, status=old.status, content_type="application/json")
        if rates.stale_read or rates.tier_gap:
            self._answers[url] = (self._floor.world.now, response)
        if self._floor.happens(rates.page_race) and request.path.endswith("/orders"):
            response = self._moved(response)
        if self._floor.happens(rates.rest_slow):
            self._floor.proxy.fault("F35")
            await asyncio.sleep(self._floor.source.choice((0.2, 1.0, 3.0)))
        return response

    async def _write_down(self, request: web.Request) -> dict[str, str]:
        """An account command or a new or changed algo order arrives; cancels may leave without entry, and are not judged."""
        kind = _KINDS.get(request.path)
        if kind is None or request.method not in ("POST", "PUT"):
            return {}
        asked: dict[str, str] = json.loads(await request.text())
        self._floor.history.add("venue", kind, text=text_of(asked))
        return asked

    def _carried_out(self, request: web.Request, asked: dict[str, str], response: web.StreamResponse) -> None:
        """Keep the names that portfolios got: a later name leaves nothing of the one before."""
        if _KINDS.get(request.path) != "portfolio" or not asked or not isinstance(response, web.Response):
            return
        if isinstance(response.body, bytes) and errors.is_success(json.loads(response.body).get("code")):
            self.names.append(asked["name"])

    def _lost(self, request: web.Request) -> web.Response | None:
        """Carried out, and the answer to a setting, an algo command, a transfer or a loan does not come back."""
        floor = self._floor
        kind = _KINDS.get(request.path, "setting")
        if request.method == "GET" or (kind == "setting" and request.path not in SETTINGS) or request.transport is None:
            return None
        source = floor.of_algos if kind == "algo" else floor.of_settings
        source = floor.of_account[_RATE[kind]] if kind in _RATE else source
        if source.random() >= floor.proxy.rates.lose_reply:
            return None
        floor.sometimes[f"{kind}_answer_lost"] += 1
        request.transport.abort()
        return web.Response(status=503)

    def _refused(self) -> web.Response:
        if any(row.state == UNKNOWN for row in self._floor.mirror.orders.values()):
            self._floor.proxy.fault("F62")
        return web.Response(text=json.dumps({"code": 100429, "message": "Too many requests", "data": {}}), status=429)

    def _rest_error(self) -> web.Response:
        name, status, body = self.error or self._floor.source.choice(ERRORS)
        self._floor.proxy.fault(name)
        text = "<html>please log in</html>" if body is None else json.dumps(body)
        return web.Response(text=text, status=status, content_type="text/html" if body is None else "application/json")

    def _moved(self, response: web.Response) -> web.Response:
        """A page that changed while it was read: a row is missing, or there twice."""
        answer = json.loads(response.body or b"{}")  # type: ignore[arg-type]
        rows = answer.get("data", {}).get("list") if isinstance(answer.get("data"), dict) else None
        if not rows:
            return response
        self._floor.sometimes["paging_race"] += 1
        if self._floor.source.random() < 0.5:
            self._floor.proxy.fault("F34")
            rows.pop(self._floor.source.randrange(len(rows)))
        else:
            self._floor.proxy.fault("F36")
            rows.append(rows[0])
        return web.Response(text=json.dumps(answer), content_type="application/json")
