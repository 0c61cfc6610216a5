"""What the client does to aiohttp beyond its public interface: it works with the installed release, and in one file only."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from tui.client.aiohttp_adapter import (
    Socket,
    abort,
    data_waits,
    frames_waiting,
    go_on_reading,
    hold_reading,
    open_session,
    open_socket,
    take_waiting,
)
from tui.host import HostConnector

TUI = Path(__file__).parent.parent.parent / "tui"
ADAPTERS = {TUI / "client" / "aiohttp_adapter.py", TUI / "venue" / "shell" / "streams" / "sockets.py"}


@asynccontextmanager
async def connected(serve: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[Socket]:
    """A socket of the public stream at a server that does this."""
    app = web.Application()
    app.router.add_get("/", serve)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        async with open_session(HostConnector((base,), loopback_only=True)) as session:
            yield await open_socket(session, base)
    finally:
        await runner.cleanup()


async def test_a_command_on_a_broken_pooled_connection_is_sent_once() -> None:
    """aiohttp by itself would open a new connection and send the DELETE again."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, open_session(HostConnector((base,), loopback_only=True)) as session:
        async with session.get(base):
            pass
        with pytest.raises(aiohttp.ClientError):
            await session.delete(base)
        await asyncio.sleep(0)
        assert [request.split()[0] for request in asked] == [b"GET", b"DELETE"]


async def test_http_timeouts_are_not_rounded_to_whole_seconds() -> None:
    async with aiohttp.TCPConnector() as plain:
        assert plain._timeout_ceil_threshold == 5, "the attribute that is set has this meaning in this release"
    async with open_session(HostConnector(("http://127.0.0.1:1",), loopback_only=True)) as session:
        assert session.connector is not None
        assert session.connector._timeout_ceil_threshold == float("inf")


async def test_closing_a_websocket_does_not_wait_for_the_peer() -> None:
    ended = asyncio.Event()

    async def silent(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(autoclose=False)
        await socket.prepare(request)
        transport = request.transport
        assert transport is not None
        while not transport.is_closing():
            await asyncio.sleep(0.005)
        ended.set()
        return socket

    async with connected(silent) as socket:
        abort(socket)
        await asyncio.wait_for(ended.wait(), 30)
    abort(None)


async def test_queued_websocket_data_is_read_up_to_a_ping() -> None:
    async def serve(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        await socket.receive()
        for number in range(3):
            await socket.send_str(str(number))
        await socket.ping(b"there?")
        await socket.send_bytes(b"3")
        await socket.send_str("4")
        sent.set()
        answers.append(await socket.receive())
        return socket

    sent, answers = asyncio.Event(), list[aiohttp.WSMessage]()
    async with connected(serve) as socket:
        hold_reading(socket)
        await socket.send_str("go")
        await asyncio.wait_for(sent.wait(), 30)
        assert not data_waits(socket) and await take_waiting(socket, 9) == []
        go_on_reading(socket)
        assert (await socket.receive()).data == b"0"
        assert [message[1] for message in await take_waiting(socket, 1)] == [b"1"]
        assert data_waits(socket)
        assert [message[1] for message in await take_waiting(socket, 9)] == [b"2"]
        assert not data_waits(socket), "a ping is no data"
        assert (await socket.receive()).data == b"3"
        assert [message[1] for message in await take_waiting(socket, 9)] == [b"4"]
        assert (await asyncio.wait_for(socket.receive(), 30)).type is aiohttp.WSMsgType.CLOSE
        assert not data_waits(socket) and await take_waiting(socket, 9) == []
    assert [(one.type, one.data) for one in answers] == [(aiohttp.WSMsgType.PONG, b"there?")]


async def test_a_paused_websocket_delivers_all_frames_once_resumed() -> None:
    async def many(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        for number in range(10):
            await socket.send_str(str(number))
        sent.set()
        await socket.receive()
        return socket

    sent = asyncio.Event()
    async with connected(many) as socket:
        waiting = frames_waiting(socket)
        hold_reading(socket)
        await socket.send_str("go")
        await asyncio.wait_for(sent.wait(), 30)
        assert len(waiting) == 0
        go_on_reading(socket)
        assert [(await socket.receive()).data for _ in range(10)] == [b"%d" % number for number in range(10)]
        abort(socket)
        hold_reading(socket)
        go_on_reading(socket)


def test_only_the_adapters_touch_private_library_attributes() -> None:
    found = []
    for path in [*(TUI / "client").rglob("*.py"), *(TUI / "venue" / "shell").rglob("*.py")]:
        text = path.read_text()
        if path in ADAPTERS or not ("aiohttp" in text or "websockets" in text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                of = ast.unparse(node.value)
                if of not in ("self", "cls", "super()"):
                    found.append(f"{path.relative_to(TUI)}:{node.lineno}: {of}.{node.attr}")
    assert found == []
