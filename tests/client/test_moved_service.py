"""A service with several addresses, or one that moves: a silent address never hides the one that answers."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec
import pytest

from tests.client.fakes import FakeService, serving
from tests.client.test_hostile_network import rest_of
from tui.client.aiohttp_adapter import open_session
from tui.client.rest import CallFailed, Rest
from tui.client.settings import Service
from tui.host import NAMES_KEPT_S, HostConnector
from tui.interface.families.positions import POSITIONS

SILENT, ANSWERS, MOVED = "127.0.0.2", "127.0.0.1", "127.0.0.3"
NAME = "localhost"


class Names:
    """What the resolver answers for the name of the service."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.addresses = [ANSWERS]
        self.asked = 0
        real = socket.getaddrinfo

        def resolve(host: Any, port: Any, *args: Any, **more: Any) -> Any:
            if host not in (NAME, NAME.encode()):
                return real(host, port, *args, **more)
            self.asked += 1
            kind = socket.SOCK_STREAM
            return [(socket.AF_INET, kind, socket.IPPROTO_TCP, "", (one, int(port or 0))) for one in self.addresses]

        monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    return Names(monkeypatch)


@pytest.fixture
async def fake() -> AsyncIterator[tuple[FakeService, Service]]:
    async with serving() as found:
        yield found


def hole(port: int) -> Iterator[None]:
    """An address that takes no connection and refuses none: its queue is full."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((SILENT, port))
    listener.listen(0)
    waiting = []
    for _ in range(4):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex((SILENT, port))
        waiting.append(one)
    yield
    for one in (*waiting, listener):
        one.close()


@pytest.mark.parametrize("first", [SILENT, ANSWERS])
async def test_a_silent_server_address_does_not_delay_the_next_address(
    fake: tuple[FakeService, Service], names: Names, first: str
) -> None:
    """Both are resolved; asked in order and alone, the silent one would take the whole time to connect, each time."""
    service = named(fake[1])
    url = service.private_ws_url
    port = int(url.split(":")[2].split("/")[0])
    silent = hole(port)
    next(silent)
    names.addresses = [first, ANSWERS if first == SILENT else SILENT]
    connector = HostConnector((service.rest_url, url), loopback_only=True)
    began = time.monotonic()
    async with connector.private_stream(url) as stream:
        assert stream.remote_address[0] == ANSWERS
    async with open_session(connector) as session, session.ws_connect(service.public_ws_url) as socket_:
        assert not socket_.closed
    assert time.monotonic() - began < 2.5
    assert names.asked >= 2
    next(silent, None)


async def test_a_moved_service_is_found_at_its_new_address(names: Names) -> None:
    """The old address goes away, the name is resolved anew: once the kept answer is old."""
    server, port = await answering(ANSWERS, 0)
    connector = HostConnector((f"http://{NAME}:{port}",), loopback_only=True)
    async with open_session(connector) as session:
        rest = rest_of(f"http://{NAME}:{port}", session)
        await rest.call(POSITIONS, attempts=1)
        server.close()
        await server.wait_closed()
        moved, _ = await answering(MOVED, port)
        names.addresses = [MOVED]
        began = time.monotonic()
        while not await answers(rest):
            assert time.monotonic() - began < NAMES_KEPT_S + 3
            await asyncio.sleep(0.05)
        moved.close()


async def answers(rest: Rest) -> bool:
    """Whether a call reaches the service now."""
    try:
        await rest.call(POSITIONS, attempts=1)
    except CallFailed:
        return False
    return True


def named(service: Service) -> Service:
    """The same addresses by name."""
    fields = ("rest_url", "private_ws_url", "public_ws_url")
    return msgspec.structs.replace(service, **{name: getattr(service, name).replace(ANSWERS, NAME) for name in fields})


async def answering(host: str, port: int) -> tuple[asyncio.Server, int]:
    """A service that answers every request with an empty list and closes."""
    body = b'{"code":200000,"message":"Success","data":[]}'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head % len(body) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, host, port)
    return server, server.sockets[0].getsockname()[1]
