"""Wrong input on every endpoint and on both streams: an answer each time, never a 500, never a task that died (V34)."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest
import websockets
from aiohttp.http_exceptions import HttpProcessingError

from tests.venue.shell.inside import Inside, inside
from tui.interface import catalogue, signing
from tui.interface.endpoint import Endpoint
from tui.venue.shell.rest.handlers import SERVED
from tui.venue.shell.streams.private import ALGO, PRIVATE

PERP = "BINANCE_PERP_BTC_USDT"
PIECES: tuple[str, ...] = (
    "", " ", "0", "-1", "1e999", "NaN", "Infinity", "1" * 400, "0.0000000000000000000000000001", "٣", "½", "1_0", "+1", "1.",
    ".5", "0x10", "null", "true", "TRUE", "[]", "{}", "\x00", "\x1b[31m", "\u202e", "\ud7ff", "😀" * 40, "a" * 5000,
    "' OR 1=1 --",
    "../../etc/passwd", "%00", "1712345678901", "99999999999999999", "0000000000000000", "1000000000000000",
    "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT", "OKX_MARGIN_ETH_USDT", "NOPE_PERP_BTC_USDT", "BINANCE_PERP_", ",,,",
    "BUY", "SELL", "LIMIT", "MARKET", "GTC", "FOK", "LONG", "SHORT", "NONE", "NET", "BOTH", "BINANCE", "OKX", "EDX",
    "USDT", "BTC", "5", "100", "1000", "1001", "61800", "0.001", "1", "LAST_PRICE", "MARK_PRICE", "TPSL",
    "CONDITIONAL", "OCO",
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (None, True, 0, -1, 1.5, 10**30, [], [1, [2]], {}, {"a": {"b": 1}}, "x", ["\x00"])
BODIES = (
    b"", b" ", b"[]", b"null", b"{", b'{"a":', b"\xff\xfe", b'{"a":1,"a":2}', b"[" * 20_000, b'{"a":' * 9_000, b'"text"',
    b"1e400",
    b'{"sym":"x"}' + b" " * 70_000, b'{"\\ud800":"\\ud800"}',
)  # fmt: skip


GOOD = {
    "sym": PERP, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.001", "limitPrice": "61800", "timeInForce": "GTC",
    "exchange": "BINANCE", "exchangeType": "BINANCE", "page": "1", "pageSize": "5", "coin": "USDT", "leverage": "5",
    "positionMode": "NET", "businessType": "PERP", "positionSide": "NONE", "algoOrderType": "TPSL", "symList": PERP,
    "conditionType": "CONDITIONAL", "conditionalTriggerPrice": "62000", "clientOrderId": "fuzz", "replaceQty": "0.002",
}  # fmt: skip


def drawn(source: random.Random, endpoint: Endpoint) -> dict[str, Any]:
    """Parameters of an endpoint, mostly its own names, with values out of the bag."""
    names = [name for param in endpoint.params for name in (param.name, *param.aliases)] or ["sym"]
    sent: dict[str, Any] = {
        param.name: GOOD[param.name] for param in endpoint.params if param.required and param.name in GOOD
    }
    for _ in range(source.randrange(len(names) + 2)):
        name = source.choice(names) if source.random() < 0.95 else source.choice(PIECES)
        if name in GOOD and source.random() < 0.7:
            sent[name] = GOOD[name]
            continue
        odd = endpoint.method != "GET" and source.random() < 0.1
        sent[name] = source.choice(ODD_VALUES) if odd else source.choice(PIECES)
    return sent


async def call(venue: Inside, endpoint: Endpoint, sent: dict[str, Any], key: str, source: random.Random) -> int:
    """One signed request; its HTTP status. The answer is an envelope with a code and a short one-line message."""
    nonce, holder = str(int(time.time())), venue.keys[key]
    body = json.dumps(sent).encode()
    params: dict[str, str] = {name: str(value) for name, value in sent.items()}
    if endpoint.method != "GET":
        try:
            params = signing.to_signed_text(body)
        except signing.BadBody:
            params = {}
    headers = {
        "X-MBX-APIKEY": holder.api_key,
        "nonce": nonce,
        "signature": signing.sign_request(holder.api_secret, params, nonce),
        "Content-Type": "application/json",
    }
    if source.random() < 0.03:
        headers[source.choice(list(headers))] = source.choice(("", "x", "9" * 10, "é", "1" * 2000))
    url = f"http://127.0.0.1:{venue.port}{endpoint.path}"
    query = params if endpoint.method == "GET" else None
    async with venue.http.request(
        endpoint.method, url, params=query, data=None if query is not None else body, headers=headers
    ) as response:
        text = await response.read()
    if response.status == 400 and not text.startswith(b"{"):
        return response.status
    envelope = json.loads(text)
    if "code" in envelope:
        assert isinstance(envelope["code"], int)
        assert len(envelope["message"]) <= 200
        assert "\n" not in envelope["message"]
    return response.status


@pytest.fixture
def complaints(caplog: pytest.LogCaptureFixture) -> Iterator[list[dict[str, Any]]]:
    """What the loop was told about tasks that died; the server's log of handlers that died is looked at here."""
    with caplog.at_level(logging.ERROR):
        yield []
    died = [record for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
    # What is no HTTP at all is refused, and logged, before it reaches the venue.
    died = [one for one in died if not (one.exc_info and isinstance(one.exc_info[1], HttpProcessingError))]
    assert [(record.getMessage(), record.exc_info) for record in died] == []


def watch(complaints: list[dict[str, Any]]) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))


async def burst(venue: Inside, per_endpoint: int, seed: int) -> tuple[int, dict[int, int]]:
    """Requests to every row of the catalogue; how many, and the statuses."""
    source, statuses, count = random.Random(seed), dict[int, int](), 0
    for endpoint in catalogue.BY_NAME.values():
        for _ in range(per_endpoint if endpoint.name in SERVED else 1):
            key = source.choice((*["main"] * 7, "sub", "subuser", "readonly"))
            status = await call(venue, endpoint, drawn(source, endpoint), key, source)
            statuses[status] = statuses.get(status, 0) + 1
            count += 1
            assert status != 500, endpoint.key
    venue.exchange.check()
    return count, statuses


async def test_s32_no_request_to_any_endpoint_breaks_the_venue(complaints: list[dict[str, Any]]) -> None:
    watch(complaints)
    async with inside(("agents", "still")) as venue:
        served = sum(1 for name in catalogue.BY_NAME if name in SERVED)
        count, statuses = await burst(venue, 2_000 // served + 1, 1)
        assert count >= 2_000
        assert set(statuses) <= {200, 400, 404}, statuses
        assert await venue.data("GET", "/api/v1/trading/orders") is not None
    assert complaints == []


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(2, 12))
async def test_random_requests_never_break_the_venue_in_a_long_run(seed: int, complaints: list[dict[str, Any]]) -> None:
    watch(complaints)
    async with inside(("agents", "on"), seed=str(seed)) as venue:
        await burst(venue, 400, seed)
    assert complaints == []


async def test_odd_bodies_queries_and_methods_never_break_the_venue(complaints: list[dict[str, Any]]) -> None:
    watch(complaints)
    async with inside(("agents", "off")) as venue:
        base = f"http://127.0.0.1:{venue.port}"
        for endpoint in catalogue.BY_NAME.values():
            for body in (*BODIES, b"{}"):
                if endpoint.method == "GET":
                    continue
                headers = {"Content-Type": "application/json"}
                async with venue.http.request(endpoint.method, base + endpoint.path, data=body, headers=headers) as got:
                    assert got.status in (200, 400, 404, 413), (endpoint.key, body[:40])
                    await got.read()
        for path in (
            "/",
            "//",
            "/%00",
            "/api/v1/trading/order/x",
            "/" + "a" * 4000,
            "/api/v1/trading/orders?a=1&a=2&=&&%ff",
        ):
            for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"):
                async with venue.http.request(method, base + path) as got:
                    assert got.status in (200, 400, 404, 405, 414), (method, path)
                    await got.read()
        assert await venue.data("GET", "/api/v1/trading/orders") is not None
    assert complaints == []


def frame(source: random.Random, actions: list[str]) -> str | bytes:
    """A frame of a stream: an action with values out of the bag, a subscription, or rubbish."""
    kind = source.randrange(10)
    if kind == 0:
        return source.choice(BODIES)[:900_000]
    if kind == 1:
        return source.choice([piece for piece in PIECES if piece])
    names = ("sym", "side", "orderType", "orderQty", "limitPrice", "clientOrderId", "orderId", "replaceQty", "reduceOnly",
             "positionSide", "tpTriggerPrice", "exchangeType", "algoOrderType", "conditionType", "apiKey", "sign",
             "timestamp")  # fmt: skip
    bag = (*PIECES, *ODD_VALUES)
    args: Any = {source.choice(names): source.choice(bag) for _ in range(source.randrange(8))}
    if kind == 2:
        args = source.choice(ODD_VALUES)
    sent = {"action": source.choice([*actions, "login", "x", ""]), "args": args, "id": source.choice(bag)}
    if kind > 7:
        channels = ("BBO", "TRADE", "ORDER_BOOK", "KLINE", "TICKER", "MARK_PRICE", "x", "")
        arg = [{"channel": source.choice(channels), "sym": source.choice(bag), "level": source.choice(bag),
                "interval": source.choice(bag)} for _ in range(source.randrange(4))]  # fmt: skip
        sent = {
            "event": source.choice(("subscribe", "unsubscribe", "SUBSCRIBE", 5, None)),
            "arg": source.choice((arg, args)),
        }
    return json.dumps(sent)


async def _feed(venue: Inside, url: str, source: random.Random, actions: list[str], key: str, count: int) -> int:
    """Send frames, connecting anew whenever the venue closes; returns what was sent."""
    sent = 0
    while sent < count:
        async with websockets.connect(url, max_size=None, max_queue=None, ping_interval=None) as socket:
            stamp, holder = str(int(time.time())), venue.keys[key]
            args = {"apiKey": holder.api_key, "timestamp": stamp, "sign": signing.sign_login(holder.api_secret, stamp)}
            try:
                await socket.send(json.dumps({"action": "login", "args": args}))
                while sent < count:
                    sent += 1
                    await socket.send(frame(source, actions))
                    if not sent % 20:
                        await asyncio.sleep(0)
            except websockets.ConnectionClosed:
                continue
    return sent


@pytest.mark.parametrize("stream", ["private", "algo", "public", "older"])
async def test_random_frames_never_break_a_stream(stream: str, complaints: list[dict[str, Any]]) -> None:
    watch(complaints)
    async with inside(("agents", "still")) as venue:
        venue.server._private.windows = venue.server._algo.windows
        url = venue.private_url
        if stream != "private":
            path = {"algo": "/v1/private-algo", "public": "/marketdata/v2/public?binary=false", "older": "/v1/public"}
            url = url.replace("/v1/private", path[stream])
        limits = {"private": PRIVATE, "algo": ALGO}.get(stream, PRIVATE).limits
        assert await _feed(venue, url, random.Random(stream), list(limits), "main", 400) == 400
        venue.exchange.check()
        async with venue.stranger("sub") as other:
            assert (await other.login())["code"] == 0
            assert (await other.ask("cancel_orders"))["code"] == 200000
        async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{venue.port}/") as got:
            assert got.status == 404
    assert complaints == []
