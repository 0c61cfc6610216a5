"""Somebody on the network: certificates that prove nothing, redirects, proxies. Nothing of ours reaches them."""

from __future__ import annotations

import asyncio
import ssl
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
import websockets
from aiohttp import web

from tui.client.aiohttp_adapter import open_session
from tui.client.connection_status import LinkLost
from tui.client.failover import FailoverSelector
from tui.client.flood.beat import Beat
from tui.client.past_bars import BarsUnreadable, read_past_bars
from tui.client.private_stream import _describe_error
from tui.client.public.connection import PublicConnection
from tui.client.public.frames import PublicHandler, QuoteSink, TickerSink
from tui.client.rate_limiter import RateLimiter
from tui.client.rest import CallFailed, Rest
from tui.client.settings import Service, Timings
from tui.client.signer import Secret, Signer
from tui.client.skew import Skew
from tui.host import HostClock, HostConnector, SeededRandomSource
from tui.interface.families.market import Interval
from tui.interface.families.orders import CANCEL_ORDER, PLACE_ORDER
from tui.interface.families.positions import POSITIONS

TLS = Path(__file__).parent.parent / "data" / "tls"
QUICK = Timings(connect_timeout=2.0, read_timeout=2.0)


class Listener:
    """A server on loopback that counts whoever comes through to it."""

    def __init__(self) -> None:
        self.requests: list[web.Request] = []
        self.answer: Callable[[web.Request], web.StreamResponse] = lambda request: web.json_response(
            {"code": 200000, "message": "Success", "data": []}
        )
        self.port = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        if request.headers.get("Upgrade", "").lower() == "websocket" and "/moved" not in request.path:
            socket = web.WebSocketResponse()
            await socket.prepare(request)
            await socket.close()
            return socket
        return self.answer(request)


@asynccontextmanager
async def listening(context: ssl.SSLContext | None = None) -> AsyncIterator[Listener]:
    listener = Listener()
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", listener.handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    listener.port = runner.addresses[0][1]
    try:
        yield listener
    finally:
        await runner.cleanup()


def rest_of(base: str, session: aiohttp.ClientSession) -> Rest:
    service, clock = Service(rest_url=base, private_ws_url=base, public_ws_url=base), HostClock()
    return Rest(
        service,
        failover=FailoverSelector(service, QUICK, clock),
        session=session,
        signer=Signer("key", Secret("secret"), clock),
        rate_limiter=RateLimiter(QUICK, clock),
        clock=clock,
        random_source=SeededRandomSource(1),
        timings=QUICK,
    )


def quotes_of(url: str, session: aiohttp.ClientSession) -> PublicConnection:
    clock = HostClock()
    nothing = SimpleNamespace(
        public_changed=lambda: None, **dict.fromkeys(("bbo", "last_ts", "mark", "ticker", "interest"))
    )
    return PublicConnection(
        1,
        url,
        session=session,
        signer=Signer("key", Secret("secret"), clock),
        clock=clock,
        random_source=SeededRandomSource(1),
        timings=QUICK,
        skew=Skew(clock),
        quotes=cast(QuoteSink, nothing),
        tickers=cast(TickerSink, nothing),
        handler=cast(PublicHandler, nothing),
        beat=Beat(cast(QuoteSink, nothing), clock),
    )


def server_side(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / f"{name}.pem")
    return context


def old_tls() -> ssl.SSLContext:
    context = server_side("good")
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    return context


SERVERS: dict[str, Callable[[], ssl.SSLContext]] = {
    "expired": lambda: server_side("expired"),
    "another host": lambda: server_side("wronghost"),
    "self-signed": lambda: server_side("selfsigned"),
    "TLS 1.1": old_tls,
}


@pytest.fixture
def authority(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own authority is one that this machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "ca.pem"))


@pytest.mark.usefixtures("authority")
async def test_s17_a_server_with_a_valid_certificate_is_accepted() -> None:
    """The good twin of the refusals below: without it they would prove nothing."""
    async with listening(server_side("good")) as server:
        base = f"https://127.0.0.1:{server.port}"
        connector = HostConnector((base,), loopback_only=True)
        async with open_session(connector) as session:
            assert (await rest_of(base, session).call(POSITIONS)).data == []
            with pytest.raises(LinkLost, match="closed by the server"):
                await quotes_of(f"wss://127.0.0.1:{server.port}/quotes", session)._run_connection()
        async with connector.private_stream(f"wss://127.0.0.1:{server.port}/private"):
            pass
        assert [request.path for request in server.requests][-2:] == ["/quotes", "/private"]


@pytest.mark.usefixtures("authority")
@pytest.mark.parametrize("kind", SERVERS)
async def test_s17_f59_a_server_with_a_bad_certificate_gets_no_request(kind: str) -> None:
    async with listening(SERVERS[kind]()) as server:
        base = f"https://127.0.0.1:{server.port}"
        connector = HostConnector((base,), loopback_only=True)
        async with open_session(connector) as session:
            with pytest.raises(CallFailed) as caught:
                await rest_of(base, session).call(PLACE_ORDER, {"clientOrderId": "a"})
            assert not caught.value.unsure, "nothing was sent, and that is known"
            with pytest.raises((aiohttp.ClientError, ssl.SSLError)):
                await quotes_of(f"wss://127.0.0.1:{server.port}", session)._run_connection()
        with pytest.raises((ssl.SSLError, OSError)):
            async with connector.private_stream(f"wss://127.0.0.1:{server.port}"):
                pass
        assert server.requests == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_s19_http_redirects_are_never_followed(status: int) -> None:
    async with listening() as elsewhere, listening() as server:
        to = f"http://127.0.0.1:{elsewhere.port}/api/v1/trading/order"
        server.answer = lambda request: web.Response(status=status, headers={"Location": to})
        base = f"http://127.0.0.1:{server.port}"
        connector = HostConnector((base,), loopback_only=True)
        async with open_session(connector) as session:
            rest = rest_of(base, session)
            for endpoint in (POSITIONS, PLACE_ORDER, CANCEL_ORDER):
                with pytest.raises(CallFailed):
                    await rest.call(endpoint, {"clientOrderId": "a"} if endpoint.is_command else None, attempts=1)
            with pytest.raises(aiohttp.ClientError, match=f"redirects with status {status}"):
                await quotes_of(f"ws://127.0.0.1:{server.port}/moved", session)._run_connection()
        with pytest.raises(websockets.InvalidStatus):
            async with connector.private_stream(f"ws://127.0.0.1:{server.port}/moved"):
                pass
        assert len(server.requests) == 5
        assert elsewhere.requests == []


async def test_s19_proxy_environment_variables_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    async with listening() as proxy, listening() as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "WS_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("NO_PROXY", "")
        monkeypatch.setenv("no_proxy", "")
        base = f"http://127.0.0.1:{server.port}"
        connector = HostConnector((base,), loopback_only=True)
        async with open_session(connector) as session:
            assert (await rest_of(base, session).call(POSITIONS)).data == []
            with pytest.raises(LinkLost, match="closed by the server"):
                await quotes_of(f"ws://127.0.0.1:{server.port}", session)._run_connection()
        async with connector.private_stream(f"ws://127.0.0.1:{server.port}"):
            pass
        assert len(server.requests) == 3
        assert proxy.requests == []


async def test_no_stream_offers_compression_of_frames() -> None:
    """A compressed frame could grow to any size behind the bound on what was received."""
    async with listening() as server:
        url = f"ws://127.0.0.1:{server.port}"
        connector = HostConnector((url,), loopback_only=True)
        async with open_session(connector) as session:
            with pytest.raises(LinkLost, match="closed by the server"):
                await quotes_of(url, session)._run_connection()
        async with connector.private_stream(url):
            pass
    assert len(server.requests) == 2
    assert [request.headers.get("Sec-WebSocket-Extensions") for request in server.requests] == [None, None]


@pytest.mark.parametrize(
    ("url", "accepted"),
    [
        ("https://example.test", True),
        ("wss://example.test/x", True),
        ("http://127.0.0.1:1", True),
        ("ws://[::1]:1/x", True),
        ("ws://localhost:1/x", True),
        ("http://example.test", False),
        ("ws://example.test", False),
        ("ws://127.0.0.1.example.test", False),
        ("http://127.0.0.2", False),
        ("ftp://example.test", False),
        ("example.test", False),
    ],
)
def test_s18_unencrypted_addresses_are_allowed_on_localhost_only(url: str, accepted: bool) -> None:
    try:
        HostConnector((url,), loopback_only=False)
    except OSError:
        assert not accepted
    else:
        assert accepted


def test_connector_has_no_option_that_weakens_tls() -> None:
    """The connector takes no setting that would loosen any of this."""
    names: Any = HostConnector.__init__.__annotations__
    assert set(names) == {"urls", "loopback_only", "return"}


async def test_a_late_reply_with_past_bars_is_a_timeout_error() -> None:
    async def wait(request: web.Request) -> web.Response:
        await request.content.readany()
        await silence.wait()
        return web.Response()

    silence, app = asyncio.Event(), web.Application()
    app.router.add_get("/bars", wait)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    async with open_session(HostConnector((f"http://127.0.0.1:{port}",), loopback_only=True)) as session:
        with pytest.raises(BarsUnreadable, match=r"^timeout error$"):
            await read_past_bars(
                session, f"http://127.0.0.1:{port}/bars", "SYM", Interval.M1, end=0, most=1, patience_s=0.05
            )
    silence.set()
    await runner.cleanup()


async def test_a_server_that_hangs_up_is_told_as_taking_no_connection() -> None:
    """The network cut of a paper venue: it takes the connection and ends it before an answer."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/private"
    with pytest.raises(websockets.InvalidHandshake) as caught:
        async with HostConnector((url,), loopback_only=True).private_stream(url):
            pass
    server.close()
    assert _describe_error(caught.value) == "the venue cannot be reached: it takes no connection"
