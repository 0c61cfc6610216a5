"""Who is not the trader: a web page, a slow hand, a flood, a path out of the house. The venue stays whole."""

from __future__ import annotations

import base64
import json
import os
import re
import socket
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from tests.busy import limit
from tests.venue.shell.conftest import STILL, Venue

STATUS = "/api/v1/system/status"
STREAMS = ("/v1/private", "/v1/private-algo", "/marketdata/v2/public", "/v2/public")


@pytest.fixture
def venue(start: Callable[..., Venue]) -> Venue:
    return start(*STILL)


def port_of(venue: Venue) -> int:
    return urlsplit(venue.ready["rest_url"]).port or 0


def raw(venue: Venue, request: bytes, within: float = 10.0) -> bytes:
    """Bytes in, the whole answer out."""
    with socket.create_connection(("127.0.0.1", port_of(venue)), timeout=within) as connection:
        connection.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            part = connection.recv(65536)
            if not part:
                break
            answer += part
        return answer


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


@pytest.mark.parametrize(
    "head",
    [
        "GET {path} HTTP/1.1\r\nHost: evil.test\r\n\r\n",
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1.:{port}\r\n\r\n",
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}.\r\n\r\n",
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.test\r\n\r\n",
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        "GET {path} HTTP/1.1\r\nHost: \r\n\r\n",
        "GET {path} HTTP/1.1\r\n\r\n",
        "GET {path} HTTP/1.0\r\n\r\n",
        "GET http://evil.test{path} HTTP/1.1\r\nHost: evil.test\r\n\r\n",
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n",
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1@evil.test\r\n\r\n",
    ],
)
def test_s26_a_foreign_host_header_is_refused(venue: Venue, head: str) -> None:
    answer = raw(venue, head.format(path=STATUS, port=port_of(venue)).encode())
    assert status(answer) in (400, 403), answer[:80]
    assert b'"code"' not in answer


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_s26_each_own_host_name_is_accepted(venue: Venue, name: str) -> None:
    answer = raw(venue, f"GET {STATUS} HTTP/1.1\r\nHost: {name}:{port_of(venue)}\r\n\r\n".encode())
    assert status(answer) == 200


def upgrade(venue: Venue, path: str, origin: str) -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    line = f"Origin: {origin}\r\n" if origin else ""
    return raw(
        venue,
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{line}\r\n".encode(),
    )


@pytest.mark.parametrize("path", STREAMS)
def test_s27_web_pages_of_other_origins_cannot_open_a_stream(venue: Venue, path: str) -> None:
    port = port_of(venue)
    for origin in ("null", "https://evil.test", f"http://localhost:{port + 1}", f"https://127.0.0.1:{port}", "http://"):
        assert status(upgrade(venue, path, origin)) == 403, origin
    for origin in ("", f"http://127.0.0.1:{port}", f"http://localhost:{port}"):
        assert status(upgrade(venue, path, origin)) == 101, origin


def test_s27_no_reply_allows_another_origin(venue: Venue) -> None:
    for method in ("GET", "OPTIONS"):
        head = f"{method} {STATUS} HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\nOrigin: http://127.0.0.1:{port_of(venue)}"
        answer = raw(venue, f"{head}\r\nAccess-Control-Request-Method: POST\r\n\r\n".encode()).lower()
        assert b"access-control-" not in answer
        assert b"set-cookie" not in answer


def test_s29_a_web_form_sent_by_a_browser_places_no_order(venue: Venue) -> None:
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""):
        headers = {"Content-Type": kind} if kind else {}
        code, _, text = venue.raw("POST", "/api/v1/trading/order", body=b"sym=BTC&side=BUY", headers=headers)
        assert code == 400, kind
        assert b"400000" in text


def test_s30_http_headers_over_8_kb_are_rejected(venue: Venue) -> None:
    answer = raw(
        venue, f"GET {STATUS} HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\nX: {'a' * 9000}\r\n\r\n".encode()
    )
    assert status(answer) == 400
    answer = raw(venue, f"GET {STATUS}?{'a' * 9000} HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\n\r\n".encode())
    assert status(answer) == 400


def test_s30_slow_http_clients_are_closed_and_block_nobody(venue: Venue) -> None:
    """Three slow ways at once: nothing said, half a head, half a body."""
    heads = (
        b"",
        f"GET {STATUS} HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\nX-A".encode(),
        f"POST /api/v1/trading/order HTTP/1.1\r\nHost: 127.0.0.1:{port_of(venue)}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{".encode(),
    )
    began = time.monotonic()
    slow = [socket.create_connection(("127.0.0.1", port_of(venue)), timeout=15) for _ in heads]
    for connection, head in zip(slow, heads, strict=True):
        connection.sendall(head)
    assert venue.call("GET", STATUS)[0] == 200
    for connection in slow:
        while connection.recv(65536):
            pass
        connection.close()
    assert 3 < time.monotonic() - began < limit(12)


def test_s30_unauthenticated_clients_cannot_block_known_keys(start: Callable[..., Venue]) -> None:
    """64 streams that never logged in kept the trader's REST calls out."""
    venue = start(*STILL, "--set", "rate_profile=off")
    port = port_of(venue)
    held: list[socket.socket] = []
    codes = []
    for number in range(50):
        connection = socket.create_connection(("127.0.0.1", port), timeout=10)
        held.append(connection)
        connection.sendall(
            f"GET /v1/private HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(number.to_bytes(16, 'big')).decode()}"
            "\r\n\r\n".encode()
        )
        codes.append(status(connection.recv(4096)))
    assert codes.count(101) == 48
    assert set(codes[48:]) == {429}
    refused, headers, body = venue.raw("GET", STATUS)
    assert (refused, headers["Retry-After"], json.loads(body)["code"]) == (429, "1", 100429)
    assert "64 connections with a known key and 48 without" in json.loads(body)["message"]
    for _ in range(5):
        assert venue.call("GET", "/api/v1/trading/orders")[0] == 200
    for connection in held[:3]:
        connection.close()
    deadline = time.monotonic() + 5
    while venue.raw("GET", STATUS)[0] != 200:
        assert time.monotonic() < deadline
    for connection in held:
        connection.close()


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/api/v1/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/api/v1/trading/order/../../../tui/host.py",
        "//etc/passwd",
        "/etc/passwd%00.json",
        "/api/v1/trading/orders;id",
        "/api/v1/trading/orders'--",
        "/static/../pyproject.toml",
    ],
)
def test_s31_no_url_path_serves_a_file(venue: Venue, path: str) -> None:
    code, _, text = venue.raw("GET", path)
    assert code in (400, 403, 404)
    assert b"root:" not in text and b"import" not in text


@pytest.mark.parametrize(
    "text", ["' OR 1=1 --", "1; DROP TABLE orders", "../../../etc/passwd", "$(id)", "{{7*7}}", "\x00"]
)
def test_s31_s32_odd_ids_get_a_plain_error_reply(venue: Venue, text: str) -> None:
    _, answer = venue.call("GET", "/api/v1/trading/order", {"clientOrderId": text})
    assert answer["code"] not in (200, 200000, 500)
    assert not re.search(r"Traceback|File \"|\.py|/home|/usr|sqlite", str(answer))


def test_s34_the_venue_logs_no_requests(start: Callable[..., Venue]) -> None:
    venue = start(*STILL)
    venue.call("GET", "/api/v1/trading/orders")
    venue.call("GET", "/api/v1/trading/orders", secret="wrong")
    venue.raw("GET", "/\x1b[31mred".replace("\x1b", "%1b"))
    raw(venue, b"\x1b]0;title\x07 nonsense\r\n\r\n")
    venue.process.terminate()
    assert venue.process.stderr is not None
    said = venue.process.stderr.read()
    assert b"\x1b" not in said and b"\x07" not in said
    assert b"/api/" not in said
