"""What somebody meets who writes a client from the documents: bodies, times, delays, limits, and what a refusal says."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import re
import socket
import time
from urllib.parse import urlsplit

import aiohttp
import pytest
import websockets

from tests.venue.shell.conftest import Venue
from tests.venue.shell.inside import Inside, inside
from tests.venue.shell.strangers.test_stranger import Stranger
from tui.interface import signing
from tui.venue.shell import connection_slots
from tui.venue.shell.streams import public as public_stream

PERP = "BINANCE_PERP_BTC_USDT"
ORDER, ORDERS, STATUS = "/api/v1/trading/order", "/api/v1/trading/orders", "/api/v1/system/status"
STATS = (
    "/api/v1/trading/user/tradingStats",
    "/v1/trading/user/tradingStats",
    "/v1/trading/user/portfolio/tradingstats",
)
RESTING = {"sym": PERP, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"}


# -- bodies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", b"not gzip at all"),
        ("gzip", gzip.compress(json.dumps(RESTING).encode())[:-9]),
        ("deflate", b"\xff\xff\xff\xff"),
        ("gzip", gzip.compress(b"[" * 100)),
        ("identity", b"{"),
        ("identity", b"\xff\xfe{"),
    ],
    ids=["no gzip", "half gzip", "no deflate", "nested", "half an object", "no utf-8"],
)
def test_an_unreadable_body_is_error_400000(venue: Venue, coding: str, body: bytes) -> None:
    key, secret = venue.key()
    nonce = str(int(time.time()))
    headers = {
        "X-MBX-APIKEY": key, "nonce": nonce, "signature": signing.sign_request(secret, {}, nonce),
        "Content-Type": "application/json", "Content-Encoding": coding,
    }  # fmt: skip
    status, _, text = venue.raw("POST", ORDER, body=body, headers=headers)
    assert (status, json.loads(text)["code"]) == (400, 400000)
    assert not re.search(rb"[a-z]Error\b|Exception", text)


def test_a_compressed_body_is_accepted(venue: Venue) -> None:
    key, secret = venue.key()
    nonce = str(int(time.time()))
    headers = {
        "X-MBX-APIKEY": key, "nonce": nonce, "signature": signing.sign_request(secret, RESTING, nonce),
        "Content-Type": "application/json", "Content-Encoding": "gzip",
    }  # fmt: skip
    packed = gzip.compress(json.dumps(RESTING).encode())
    assert json.loads(venue.raw("POST", ORDER, body=packed, headers=headers)[2])["code"] == 200000


# -- times -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", STATS)
def test_trading_statistics_accept_seconds_and_milliseconds(venue: Venue, path: str) -> None:
    now = int(time.time())
    begin, end = now - 10 * 86_400, now - 86_400
    day = time.strftime("%Y%m%d", time.gmtime(begin))
    told = [venue.data("GET", path, {"begin": f"{begin}{tail}", "end": f"{end}{tail}"}) for tail in ("", "000")]
    assert told[0] == told[1]
    assert told[0]["begin"] == day
    assert venue.call("GET", path, {"begin": f"{begin}0", "end": str(end)})[1]["code"] == 400000
    assert venue.call("GET", path, {"begin": str(end), "end": str(begin)})[1]["code"] == 400004


# -- delays ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("latency", ["normal", "bad"])
async def test_network_delay_of_several_orders_is_not_added_up(latency: str) -> None:
    """Twenty orders at once are answered in order, all after one delay of the line, and the ping too."""
    async with inside(("agents", "still"), ("latency", latency)) as venue, Raw(venue) as client:
        began = time.monotonic()
        for number in range(20):
            await client.send({"id": str(number), "action": "place_order", "args": RESTING})
        await client.socket.send("ping")
        replies = [await client.reply() for _ in range(20)]
        assert [reply["id"] for reply in replies] == [str(number) for number in range(20)]
        # One after the other they take twenty delays of the way in, 3 s on a bad line.
        assert latency == "normal" or time.monotonic() - began < 2.0
        assert client.pong_before < 20


class Raw:
    """A socket whose replies and pong are counted in the order they come."""

    def __init__(self, venue: Inside) -> None:
        self._venue = venue
        self.replies = 0
        self.pong_before = -1

    async def __aenter__(self) -> Raw:
        self.socket = await websockets.connect(self._venue.private_url)
        key, stamp = self._venue.keys["main"], str(int(time.time()))
        sign = signing.sign_login(key.api_secret, stamp)
        await self.send({"action": "login", "args": {"apiKey": key.api_key, "timestamp": stamp, "sign": sign}})
        assert json.loads(await self.socket.recv())["code"] == 0
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    async def send(self, frame: object) -> None:
        await self.socket.send(json.dumps(frame))

    async def reply(self) -> dict[str, str]:
        """The next reply; pushes are skipped, a pong is noted."""
        while True:
            text = await asyncio.wait_for(self.socket.recv(), 10)
            if text == "pong":
                self.pong_before = self.replies
                continue
            frame: dict[str, str] = json.loads(text)
            if "event" in frame:
                self.replies += 1
                return frame


async def test_orders_in_flight_arrive_after_the_client_disconnects() -> None:
    async with inside(("agents", "still"), ("latency", "bad")) as venue:
        async with Raw(venue) as client:
            for number in range(3):
                await client.send({"id": str(number), "action": "place_order", "args": RESTING})
        async with asyncio.timeout(10):
            while len((await venue.data("GET", ORDERS))["list"]) < 3:
                pass


# -- limits ------------------------------------------------------------------------------------------------------------


async def test_rate_limit_error_names_the_limit_and_the_profile() -> None:
    async with inside(("rate_profile", "short")) as venue:
        answers = [await venue.raw("GET", "/api/v1/trading/account") for _ in range(2)]
        status, refused = answers[-1]
        assert (status, refused["code"], refused["data"]) == (429, 100429, {})
        wanted = "Too many requests: GET /api/v1/trading/account takes 1/1 s for each key (rate_profile=short)"
        assert refused["message"] == wanted
        async with venue.stranger() as client:
            assert (await client.login())["code"] == 0
            replies = [await client.ask("cancel_orders", sym=PERP) for _ in range(11)]
            assert "cancel_orders takes 10/10 s for each key (rate_profile=short)" in replies[-1]["msg"]


async def test_more_than_64_connections_at_once_are_refused(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "tui.venue")
    async with inside() as venue:
        key = venue.keys["main"]
        venue.server._slots.known = 64  # as many streams as are served
        for _ in range(5):
            async with venue.http.get(
                f"http://127.0.0.1:{venue.port}{ORDERS}", headers={"X-MBX-APIKEY": key.api_key}
            ) as response:
                body = await response.json()
                assert (response.status, body["code"], response.headers["Retry-After"]) == (429, 100429, "1")
                assert "at most 64 connections with a known key and 48 without" in body["message"]
        assert [record.message for record in caplog.records if "connection limit" in record.message] == [
            "connection limit reached: at most 64 connections with a known key and 48 without; "
            "further connections are answered with 429"
        ]
        venue.server._slots.known = 0
        assert (await venue.raw("GET", ORDERS))[0] == 200


async def test_open_streams_of_a_key_count_until_they_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the key of their request, or from the login on; three connections stand for the sixty-four."""
    monkeypatch.setattr(connection_slots, "MAX_KNOWN", 3)
    async with (
        inside() as venue,
        aiohttp.ClientSession(headers={"X-MBX-APIKEY": venue.keys["main"].api_key}) as session,
    ):
        streams = [await session.ws_connect(venue.private_url) for _ in range(2)]
        assert (await venue.raw("GET", ORDERS))[0] == 200, "the last one is free"
        async with venue.stranger() as client:
            assert (await client.login())["code"] == 0
            assert (await venue.raw("GET", ORDERS))[0] == 429
            async with venue.http.get(f"http://127.0.0.1:{venue.port}{STATUS}") as response:
                assert response.status == 200, "those without a key are counted apart"
            await streams[0].close()
            until = time.monotonic() + 5
            while (await venue.raw("GET", ORDERS))[0] != 200:
                assert time.monotonic() < until
                await asyncio.sleep(0.05)


async def test_public_connections_without_login_are_limited_to_five() -> None:
    async with inside() as venue, aiohttp.ClientSession() as session:
        key, stamp = venue.keys["main"], str(int(time.time()))
        first = await session.ws_connect(venue.public_url)
        login = {"apiKey": key.api_key, "timestamp": stamp, "sign": signing.sign_login(key.api_secret, stamp)}
        await first.send_json({"action": "login", "args": login})
        assert (await first.receive_json())["code"] == "200000"
        others = [await session.ws_connect(venue.public_url) for _ in range(public_stream.CONNECTIONS_ANONYMOUS)]
        for other in others:
            await other.send_json({"ping": 1})
            assert "pong" in await other.receive_json()
        over = await session.ws_connect(venue.public_url)
        message = await over.receive()
        assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1008)
        assert message.extra == "more than 5 connections without a login"


def test_the_http_connect_method_is_refused(venue: Venue) -> None:
    address = urlsplit(venue.ready["rest_url"])
    for target in (f"127.0.0.1:{address.port}", "example.com:443", STATUS):
        with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
            connection.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\n\r\n".encode())
            answer = connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 405 "), answer
        assert b'"code": 405' in answer


# -- what a refusal says -----------------------------------------------------------------------------------------------


def test_a_rejected_signature_says_what_was_wrong(venue: Venue) -> None:
    key, secret = venue.key()
    nonce = str(int(time.time()))
    good = {"X-MBX-APIKEY": key, "nonce": nonce, "signature": signing.sign_request(secret, {"sym": PERP}, nonce)}

    def refusal(target: str = f"{ORDERS}?sym={PERP}", **changes: str) -> tuple[int, str]:
        headers = {name: value for name, value in {**good, **changes}.items() if value}
        answer = json.loads(venue.raw("GET", target, headers=headers)[2])
        return answer["code"], answer["message"]

    assert refusal()[0] == 200000
    for header in good:
        assert refusal(**{header: ""}) == (2000, f"API verification failed: the header {header} is missing")
    assert refusal(signature="0" * 64) == (
        2000, f"API verification failed: the signature is wrong; it must sign 'sym={PERP}&{nonce}'",
    )  # fmt: skip
    assert refusal(**{"X-MBX-APIKEY": "nobody"}) == (405001, "The apiKey Not Found")
    assert refusal(nonce="12")[0] == 7000
    assert "nonce '12'" in refusal(nonce="12")[1]
    assert "nonce is -120 s off" in refusal(nonce=str(int(nonce) - 120))[1].replace("-121", "-120")
    assert venue.call("POST", ORDER, RESTING, key="readonly")[1]["message"] == "the key lacks the permission TRADE"


async def test_a_rejected_stream_login_says_what_was_wrong(venue: Venue) -> None:
    key, secret = venue.key()
    stamp = str(int(time.time()))
    cases = [
        ({"apiKey": "nobody", "timestamp": stamp, "sign": "0" * 64}, "The apiKey Not Found"),
        ({"apiKey": key, "timestamp": stamp, "sign": "0" * 64}, "The signature is wrong"),
        ({"apiKey": key, "timestamp": "12", "sign": signing.sign_login(secret, "12")}, "timestamp is not Unix seconds"),
    ]
    async with Stranger(venue.ready["private_ws_url"], key, secret) as client:
        for args, why in cases[:2]:
            assert why in (await client.ask("login", **args))["msg"]
    async with Stranger(venue.ready["private_ws_url"], key, secret) as client:
        assert cases[2][1] in (await client.ask("login", **cases[2][0]))["msg"]
