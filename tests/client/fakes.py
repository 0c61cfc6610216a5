"""A small scripted service on loopback and a clock that tests move."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from email.utils import formatdate
from typing import Any

from aiohttp import WSMsgType, web

from tests.hurried import clock_of_the_loop
from tui.client.settings import Service

Reply = dict[str, Any] | None
PORTFOLIO = "2171869303228000"


class FakeClock:
    """Time that stands still until it is advanced."""

    def __init__(self, *, wall: float = 1_700_000_000.0) -> None:
        self.now = 0.0
        self._wall = wall
        self.slept = 0.0

    def mono(self) -> float:
        return self.now

    def boot(self) -> float:
        return self.now + self.slept

    def wall(self) -> float:
        return self._wall + self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class FreeLock:
    def __init__(self, *, free: bool = True) -> None:
        self.free = free

    def acquire(self) -> bool:
        return self.free

    def release(self) -> None:
        self.free = True


async def until(condition: Callable[[], object], limit: float = 5.0) -> None:
    """Wait for a condition; a test that waits longer has failed."""
    async with asyncio.timeout(limit):
        while not condition():
            await asyncio.sleep(0.005)


def order(**changes: Any) -> dict[str, Any]:
    """An order record as the service spells it."""
    return {
        "portfolioId": PORTFOLIO,
        "orderId": "2000000000000001",
        "clientOrderId": "",
        "orderState": "OPEN",
        "sym": "BINANCE_PERP_BTC_USDT",
        "side": "BUY",
        "exchangeOrderType": "LIMIT",
        "orderQty": "0.01",
        "limitPrice": "60000",
        "executedQty": "0",
        "createAt": "1700000000000",
        "updateAt": "1700000000001",
        **changes,
    }


SYMBOL = {
    "sym": "BINANCE_PERP_BTC_USDT",
    "state": "live",
    "tickSize": "0.1",
    "lotSize": "0.001",
    "minSize": "0.001",
    "minNotional": "5",
    "maxLimitSize": "100",
    "maxMarketSize": "50",
    "defaultLeverage": "5",
    "safeLeverage": "10",
}


class FakeService:
    """Serves one portfolio. Behaviour is changed by replacing `on_action` and by filling the lists."""

    def __init__(self) -> None:
        self.actions: list[dict[str, Any]] = []
        self.calls: list[tuple[str, str, dict[str, str]]] = []
        self.headers: list[dict[str, str]] = []
        """Of each call, as they arrived."""
        self.orders: dict[str, dict[str, Any]] = {}
        """Orders by clientOrderId, as order detail tells them."""
        self.open: list[dict[str, Any]] = []
        self.trades: list[dict[str, Any]] = []
        self.positions: list[dict[str, Any]] = []
        self.refuse_rest: Callable[[str], web.Response | None] = lambda path: None
        self.held: dict[tuple[str, str], asyncio.Event] = {}
        """Calls, by method and path, whose answer waits."""
        self.on_action: Callable[[dict[str, Any]], Reply | Awaitable[Reply]] = self.accept
        self.login_code: int | str = 0
        self.logins = 0
        self.privates: list[web.WebSocketResponse] = []
        self.publics: list[web.WebSocketResponse] = []
        self.pongs = True
        self.refused_syms: frozenset[str] = frozenset()
        self.subscriptions: list[list[dict[str, Any]]] = []
        """What was subscribed on the public stream, one list for each request."""
        self._runner: web.AppRunner | None = None
        self._next = 2_000_000_000_000_000

    @property
    def placed(self) -> list[dict[str, Any]]:
        return [frame for frame in self.actions if frame["action"] == "place_order"]

    def accept(self, frame: dict[str, Any]) -> Reply:
        """Take every action; a placed order rests."""
        args = frame["args"]
        cid = args.get("clientOrderId", "")
        if frame["action"] == "place_order":
            self.rest(args)
        found = self.orders.get(cid) or {}
        data = {"orderId": found.get("orderId") or args.get("orderId", "2000000000000001"), "clientOrderId": cid}
        return {"code": 200000, "msg": "Success", "data": {} if frame["action"] == "cancel_orders" else data}

    def rest(self, args: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """An order now exists at the venue."""
        self._next += 1
        record = order(
            orderId=str(self._next),
            clientOrderId=args["clientOrderId"],
            side=args["side"],
            orderQty=args["orderQty"],
            limitPrice=args.get("limitPrice", ""),
            **changes,
        )
        self.orders[args["clientOrderId"]] = record
        self.open.append(record)
        return record

    async def push(self, channel: str, data: object) -> None:
        for socket in self.privates:
            await socket.send_str(json.dumps({"channel": channel, "data": data}))

    async def say(self, text: str) -> None:
        for socket in self.privates:
            await socket.send_str(text)

    async def quote(self, bid: str = "60000", ask: str = "60000.1", ts: int = 1, **arg: str) -> None:
        arg = {"channel": "BBO", "sym": "BINANCE_PERP_BTC_USDT", **arg}
        data = {"bid": bid, "bidqty": "1", "ask": ask, "askqty": "1", "ts": str(ts)}
        for socket in self.publics:
            await socket.send_str(json.dumps({"arg": arg, "data": data}))

    def cut(self) -> None:
        """End every private connection at once."""
        for socket in self.privates:
            transport = socket._req.transport if socket._req is not None else None
            if transport is not None:
                transport.abort()
        self.privates.clear()

    async def private(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.privates.append(socket)
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            if message.data == "ping":
                if self.pongs:
                    await socket.send_str("pong")
                continue
            frame = json.loads(message.data)
            if frame["action"] == "login":
                self.logins += 1
                await socket.send_str(json.dumps({"id": frame.get("id"), "event": "login", "code": self.login_code}))
                continue
            self.actions.append(frame)
            reply = self.on_action(frame)
            if isinstance(reply, Awaitable):
                reply = await reply
            if reply is not None:
                await socket.send_str(json.dumps({"id": frame["id"], "event": frame["action"], **reply}))
        return socket

    async def public(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.publics.append(socket)
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            frame = json.loads(message.data)
            if "ping" in frame:
                await socket.send_str(json.dumps({"pong": frame["ping"]}))
            elif frame.get("action") == "login":
                await socket.send_str(json.dumps({"event": "login", "code": "200000"}))
            elif frame.get("event") == "subscribe":
                self.subscriptions.append(frame["arg"])
                taken = [arg for arg in frame["arg"] if arg["sym"] not in self.refused_syms]
                refused = [arg for arg in frame["arg"] if arg["sym"] in self.refused_syms]
                answer = {"event": "subscribe", "code": 0, "arg": taken, "invalidArg": refused}
                await socket.send_str(json.dumps(answer))
        return socket

    async def call(self, request: web.Request) -> web.StreamResponse:
        path = request.path
        body = await request.text()
        params = dict(request.query) if request.method == "GET" else json.loads(body or "{}")
        self.calls.append((request.method, path, params))
        self.headers.append(dict(request.headers))
        answer = self.refuse_rest(path) or web.json_response(self._answer(path, params))
        if (gate := self.held.get((request.method, path))) is not None:
            await gate.wait()
        return answer

    def _answer(self, path: str, params: dict[str, str]) -> dict[str, Any]:
        data: object
        if path == "/api/v1/trading/order":
            found = self.orders.get(params.get("clientOrderId", ""))
            if found is None:
                found = next((one for one in self.orders.values() if one["orderId"] == params.get("orderId")), None)
            if found is None:
                return {"code": 401018, "message": "order not found", "data": {}}
            data = found
        elif path == "/api/v1/trading/orders":
            data = _page(self.open)
        elif path == "/api/v1/trading/history/orders":
            data = _page([])
        elif path == "/api/v1/trading/portfolio/assets":
            data = _page([{"coin": "USDT", "exchangeType": "BINANCE", "balance": "100000", "available": "100000"}])
        elif path == "/api/v1/trading/position":
            data = self.positions
        elif path == "/api/v1/trading/account":
            data = [{"exchangeType": "BINANCE", "availableMargin": "100000", "portfolioId": PORTFOLIO}]
        elif path == "/api/v1/trading/executions":
            data = self.trades
        elif path == "/api/v1/adl/rank":
            data = {"adlRanks": []}
        elif path == "/api/v1/trading/sym/info":
            data = {SYMBOL["sym"]: SYMBOL}
        else:
            return {"code": 404, "message": "Not found", "data": {}}
        return {"code": 200000, "message": "Success", "data": data}

    async def stop(self) -> None:
        self.cut()
        for socket in self.publics:
            transport = socket._req.transport if socket._req is not None else None
            if transport is not None:
                transport.abort()
        if self._runner is not None:
            await self._runner.cleanup()

    async def start(self) -> Service:
        app = web.Application()
        app.on_response_prepare.append(_set_date)
        app.router.add_get("/v1/private", self.private)
        app.router.add_get("/marketdata/v2/public", self.public)
        app.router.add_route("*", "/api/{tail:.*}", self.call)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        base = f"127.0.0.1:{port}"
        return Service(
            rest_url=f"http://{base}",
            private_ws_url=f"ws://{base}/v1/private",
            public_ws_url=f"ws://{base}/marketdata/v2/public",
        )


def _page(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"page": 1, "pageSize": 1000, "pageNum": 1, "totalSize": len(rows), "list": rows}


async def _set_date(_request: web.Request, response: web.StreamResponse) -> None:
    """The date of the running loop's clock: a hurried one is ahead of the machine's."""
    response.headers["Date"] = formatdate(int(clock_of_the_loop().wall()), usegmt=True)


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[FakeService, Service]]:
    """A running fake and its addresses."""
    fake = FakeService()
    service = await fake.start()
    try:
        yield fake, service
    finally:
        await fake.stop()


def success(data: object) -> web.Response:
    """The answer of a REST call that succeeded."""
    return web.json_response({"code": 200000, "message": "Success", "data": data})


def refusal(code: int, message: str) -> web.Response:
    """The answer of a REST call that was refused."""
    return web.json_response({"code": code, "message": message, "data": {}})
