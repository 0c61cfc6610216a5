"""Input that looks valid and is not: nested without end, halves of characters, headers that are no ASCII, no masks.

Each is refused in words, the connection or server lives on, and standard error gets one line at most.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.busy import limit
from tests.venue.shell.conftest import STILL, Venue
from tests.venue.shell.test_attacks import port_of, raw, status

NESTED = "[" * 900 + "]" * 900
HALF = '"\\ud800"'
ORDER = "/api/v1/trading/order"
LOGIN = "GET/users/self/verify"
OPEN_S = 5.0


@pytest.fixture(autouse=True)
def nothing_is_logged(venue: Venue) -> Iterator[None]:
    """At its end the log of the venue has short lines alone, and only of the control line."""
    yield
    assert venue.process.stderr is not None
    venue.process.terminate()
    said = venue.process.stderr.read().decode().splitlines()
    assert all(len(line) < 400 and "Traceback" not in line for line in said), said
    assert [line for line in said if "control:" not in line] == []


def signed(venue: Venue, message: str) -> dict[str, str]:
    key, secret = venue.key()
    nonce = str(int(time.time()))
    signature = hmac.new(secret.encode(), f"{message}&{nonce}".encode(), hashlib.sha256).hexdigest()
    return {"X-MBX-APIKEY": key, "nonce": nonce, "signature": signature, "Content-Type": "application/json"}


def test_a_client_that_disconnects_mid_body_is_not_logged(venue: Venue) -> None:
    """The log of the venue is read at the end of the test: it stays empty."""
    head = (
        f"POST {ORDER} HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", port_of(venue)), timeout=OPEN_S) as leaving:
            leaving.sendall(head.encode())
            assert venue.call("GET", "/api/v1/trading/orders")[0] == 200
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT"])
@pytest.mark.parametrize(
    "body",
    [
        f'{{"sym": {NESTED}}}',
        f'{{"sym": {HALF}}}',
        '{"\\udfff": "1"}',
        f'{{"sym": ["a", {HALF}]}}',
        '{"sym": ' + "[" * 30_000 + "}",
        '{"orderQty": ' + "9" * 5000 + "}",
    ],
    ids=["nested", "half a character", "half a name", "half in a list", "endless", "digits"],
)
def test_a_malformed_body_gets_an_error_with_text(venue: Venue, method: str, body: str) -> None:
    code, _, text = venue.raw(method, ORDER, body=body.encode(), headers=signed(venue, ""))
    answer = json.loads(text)
    assert code in (200, 400)
    assert answer["code"] in (400000, 2000)
    assert 0 < len(answer["message"]) <= 200


def test_a_query_that_is_not_utf_8_gets_an_error_with_text(venue: Venue) -> None:
    key, _ = venue.key()
    head = f"GET {ORDER}?orderId=".encode() + b"\xff\xfe\x80" + b" HTTP/1.1\r\n"
    rest = (
        f"Host: 127.0.0.1:{port_of(venue)}\r\nX-MBX-APIKEY: {key}\r\nnonce: {int(time.time())}\r\nsignature: x\r\n\r\n"
    )
    answer = raw(venue, head + rest.encode())
    assert status(answer) in (200, 400), answer[:80]
    _, _, text = venue.raw("GET", ORDER + "?orderId=%ff%ed%a0%80", headers=signed(venue, "orderId=x"))
    assert json.loads(text)["code"] == 2000


@pytest.mark.parametrize("header", ["signature", "nonce", "X-MBX-APIKEY"])
@pytest.mark.parametrize("value", [b"\xc3\xa9" * 32, b"\xff\xfe", b"\xed\xa0\x80"])
def test_non_ascii_headers_get_an_error_with_text(venue: Venue, header: str, value: bytes) -> None:
    headers = {**signed(venue, ""), header: "?"}
    lines = b"".join(
        name.encode() + b": " + (value if name == header else text.encode()) + b"\r\n" for name, text in headers.items()
    )
    request = f"GET {ORDER} HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\n".encode() + lines + b"\r\n"
    answer = raw(venue, request)
    assert status(answer) in (200, 400), answer[:80]


def private_login(venue: Venue, sign: str | None = None) -> str:
    key, secret = venue.key()
    stamp = str(int(time.time()))
    right = hmac.new(secret.encode(), (stamp + LOGIN).encode(), hashlib.sha256).hexdigest()
    args = {"apiKey": key, "timestamp": stamp, "sign": "SIGN"}
    return json.dumps({"action": "login", "args": args}).replace('"SIGN"', sign or f'"{right}"')


@contextlib.contextmanager
def stream(venue: Venue, name: str, path: str = "") -> Iterator[ClientConnection]:
    address = venue.ready[name]
    if path:
        address = f"ws://{urlsplit(address).netloc}{path}"
    with connect(address, compression=None) as socket_:
        yield socket_


def answer_of(connection: ClientConnection, frame: str) -> dict[str, Any]:
    connection.send(frame)
    answer: dict[str, Any] = json.loads(connection.recv(timeout=OPEN_S))
    return answer


PRIVATE = (
    f'{{"action": "place_order", "args": {{"sym": {NESTED}}}}}',
    f'{{"action": "place_order", "args": {{"sym": {HALF}}}}}',
    f'{{"id": {HALF}, "action": "place_order", "args": {{}}}}',
    f'{{"id": {NESTED}, "action": "place_order", "args": {{}}}}',
    f'{{"action": {HALF}, "args": {{}}}}',
    '{"action": "place_order", "args": {"orderQty": ' + "9" * 5000 + "}}",
)


@pytest.mark.parametrize("name", ["private_ws_url", "algo_ws_url"])
@pytest.mark.parametrize("frame", PRIVATE, ids=["nested", "half", "half id", "nested id", "half action", "digits"])
def test_malformed_private_frames_do_not_disconnect(venue: Venue, name: str, frame: str) -> None:
    with stream(venue, name) as connection:
        assert answer_of(connection, frame)["event"] == "error"
        connection.send("ping")
        assert connection.recv(timeout=OPEN_S) == "pong"


@pytest.mark.parametrize("name", ["private_ws_url", "algo_ws_url"])
@pytest.mark.parametrize("sign", [HALF, '"' + "\u00e9" * 64 + '"', NESTED], ids=["half", "no ascii", "nested"])
def test_odd_login_signatures_do_not_disconnect(venue: Venue, name: str, sign: str) -> None:
    with stream(venue, name) as connection:
        assert int(answer_of(connection, private_login(venue, sign))["code"]) in (60009, 601004)
        connection.send("ping")
        assert connection.recv(timeout=OPEN_S) == "pong"


@pytest.mark.parametrize(
    "frame",
    [
        f'{{"event": "subscribe", "arg": [{{"channel": "BBO", "sym": {HALF}}}]}}',
        f'{{"event": "subscribe", "arg": [{{"channel": {HALF}, "sym": "X"}}]}}',
        f'{{"event": "subscribe", "arg": {NESTED}}}',
        f'{{"event": "subscribe", "arg": [{NESTED}]}}',
        f'{{"action": "login", "args": {{"apiKey": "k", "timestamp": "1", "sign": {HALF}}}}}',
        f'{{"action": "login", "args": {{"apiKey": "k", "timestamp": "1", "sign": "{chr(233)}"}}}}',
    ],
    ids=["half sym", "half channel", "nested arg", "nested element", "half sign", "sign no ascii"],
)
def test_malformed_public_frames_do_not_disconnect(venue: Venue, frame: str) -> None:
    with stream(venue, "public_ws_url", "/marketdata/v2/public?binary=false") as connection:
        assert answer_of(connection, frame)["event"] in ("error", "login")
        assert "pong" in answer_of(connection, '{"ping": 1}')
    with stream(venue, "public_ws_url", "/v1/public") as connection:
        connection.send(frame)
        assert isinstance(connection.recv(timeout=OPEN_S), bytes)
        connection.send("ping")
        assert connection.recv(timeout=OPEN_S) in ("pong", b"pong")


def test_malformed_control_input_is_refused_in_one_line_each(venue: Venue) -> None:
    assert venue.process.stdin is not None
    for line in (f'{{"set": {{"network": {HALF}}}}}', f'{{"set": {NESTED}}}', '{"set": {"\\ud800": "x"}}'):
        venue.process.stdin.write(line.encode() + b"\n")
    venue.process.stdin.flush()
    assert venue.data("GET", "/api/v1/trading/orders")["totalSize"] == 0


def test_venue_log_is_bounded_and_hides_secrets_and_controls(tmp_path: Path) -> None:
    import logging

    from tui.cli.log_file import LogStream

    path = tmp_path / "log"
    log = logging.Logger("test")
    with path.open("a") as stream:
        handler = LogStream(stream, "venue", max_bytes=10_000)
        handler.hide("a secret")
        log.addHandler(handler)
        for number in range(1000):
            try:
                raise ValueError(f"\x1b[31m\na secret and number {number} " + "x" * 1000)
            except ValueError:
                log.exception("a defect")
    text = path.read_text()
    assert path.stat().st_size < 12_000
    assert all(len(line) < 400 for line in text.splitlines())
    assert "a defect" in text and "number 999" in text
    assert "\x1b" not in text and "a secret" not in text


def unmasked(venue: Venue, path: str, early: bool) -> bytes:
    """What the venue sends after a text frame without a mask, sent with the upgrade or after its answer."""
    key = base64.b64encode(os.urandom(16)).decode()
    head = (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()
    frame = b"\x81\x04ping"
    with socket.create_connection(("127.0.0.1", port_of(venue)), timeout=10) as connection:
        connection.sendall(head + frame if early else head)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(65536)
        if not early:
            connection.sendall(frame)
        rest = answer.partition(b"\r\n\r\n")[2]
        while part := connection.recv(65536):
            rest += part
        return rest


@pytest.mark.parametrize("early", [False, True], ids=["after the upgrade", "with the upgrade"])
@pytest.mark.parametrize("path", ["/v1/private", "/v1/private-algo", "/marketdata/v2/public", "/v1/public"])
def test_unmasked_websocket_frames_close_the_connection(venue: Venue, path: str, early: bool) -> None:
    said = unmasked(venue, path, early)
    assert b"pong" not in said
    assert struct.pack(">H", 1002) in said


def test_masked_websocket_frames_of_every_length_are_read(venue: Venue) -> None:
    """The guard follows heads that arrive a byte at a time, and lengths of two and eight bytes."""
    key = base64.b64encode(os.urandom(16)).decode()
    head = (
        f"GET /marketdata/v2/public?binary=false HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\nConnection: Upgrade\r\n"
        f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()
    with socket.create_connection(("127.0.0.1", port_of(venue)), timeout=10) as connection:
        connection.sendall(head)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(65536)
        for length in (60, 300, 70_000):
            text = b'{"ping": 1, "more": "' + b"x" * (length - 23) + b'"}'
            size = len(text)
            wide = bytes([0x80 | size]) if size < 126 else (
                b"\xfe" + size.to_bytes(2) if size < 65536 else b"\xff" + size.to_bytes(8)
            )  # fmt: skip
            frame = b"\x81" + wide + b"\x00" * 4 + text
            for at in range(16):
                connection.sendall(frame[at : at + 1])
            connection.sendall(frame[16:])
            answer = b""
            while b"pong" not in answer:
                part = connection.recv(65536)
                assert part
                answer += part


def test_private_and_algo_streams_close_if_no_login_comes(venue: Venue) -> None:
    names = ("private_ws_url", "algo_ws_url")
    with contextlib.ExitStack() as streams:
        known = {name: streams.enter_context(stream(venue, name)) for name in names}
        for one in known.values():
            assert int(answer_of(one, private_login(venue))["code"]) == 0
        strangers = {name: streams.enter_context(stream(venue, name)) for name in names}
        began = time.monotonic()
        while strangers and time.monotonic() - began < 30:
            for name, stranger in list(strangers.items()):
                try:
                    stranger.send("ping")
                    stranger.recv(timeout=OPEN_S)
                except ConnectionClosed as closed:
                    assert closed.rcvd is not None
                    assert (closed.rcvd.code, closed.rcvd.reason) == (1008, "no login within 10 s"), name
                    assert 8 < time.monotonic() - began < limit(20)
                    del strangers[name]
            time.sleep(0.2)
        assert not strangers
        for one in known.values():
            one.send("ping")
            assert one.recv(timeout=OPEN_S) == "pong"


def test_a_websocket_subprotocol_is_accepted_without_a_log_line(start: Callable[..., Venue]) -> None:
    venue = start(*STILL)
    with connect(venue.ready["private_ws_url"], subprotocols=["v1.private"]) as connection:  # type: ignore[list-item]
        connection.send("ping")
        assert connection.recv(timeout=OPEN_S) == "pong"
    venue.process.terminate()
    assert venue.process.stderr is not None
    assert venue.process.stderr.read() == b""


def test_host_names_of_a_proxy_are_accepted_when_configured(start: Callable[..., Venue]) -> None:
    front = "venue.example:8443"
    for names, expected in (("none", 403), (f"other.example,{front}", 200)):
        venue = start(*STILL, "--set", f"hosts={names}")
        for origin in ("", f"Origin: https://{front}\r\n"):
            head = f"GET /api/v1/system/status HTTP/1.1\r\nHost: {front}\r\n{origin}\r\n"
            assert status(raw(venue, head.encode())) == expected
        head = "GET /api/v1/system/status HTTP/1.1\r\nHost: evil.example\r\n\r\n"
        assert status(raw(venue, head.encode())) == 403
