"""A service closes a connection that was unused at the moment it is used: a read goes out anew, a command never."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import AsyncIterator

import aiohttp
import aiohttp.connector
import pytest

from tests.client.test_hostile_network import rest_of
from tui.client.aiohttp_adapter import close_idle, open_session
from tui.client.rest import CallFailed, IdleConnectionLost, Rest
from tui.host import POOL_IDLE_S, HostConnector
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.families.orders import CANCEL_ORDER, PLACE_ORDER
from tui.interface.families.positions import POSITIONS
from tui.interface.families.transfers import RAPID_POOL_POST
from tui.venue.shell.server import SILENT_S

BODY = b'{"code":200000,"message":"Success","data":[]}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
ENDINGS = {
    "closed": b"",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Len",
    "half a body": ANSWER[:-5],
}


class Closing:
    """Answers the first requests of each connection; at the next it ends the connection."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        """Method and number of the connection, for each request."""
        self.connections = 0
        self.answered_each = 1
        """Requests of one connection that are answered."""
        self.last_words = b""
        """What is sent before the end."""
        self.reset = False
        """The end is a reset."""
        self.hold = asyncio.Event()
        """While it is clear, answers wait."""
        self.hold.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        try:
            for turn in range(self.answered_each + 1):
                method = await self._read_request(reader)
                self.requests.append(f"{method} {number}")
                await self.hold.wait()
                if turn < self.answered_each:
                    writer.write(ANSWER)
            writer.write(self.last_words)
            if self.reset:
                at_once = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    async def _read_request(self, reader: asyncio.StreamReader) -> str:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next((line.split(":")[1] for line in head.splitlines() if line.lower().startswith("content-len")), "0")
        await reader.readexactly(int(length))
        return head.split()[0]


@pytest.fixture
async def closing() -> AsyncIterator[tuple[Closing, Rest, aiohttp.ClientSession]]:
    service = Closing()
    server = await asyncio.start_server(service.serve, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, open_session(HostConnector((base,), loopback_only=True)) as session:
        yield service, rest_of(base, session), session


Rig = tuple[Closing, Rest, aiohttp.ClientSession]


async def leave_idle(rig: Rig, connections: int) -> None:
    """Several reads at once, each on a connection of its own, which then waits unused."""
    service, rest, _ = rig
    service.hold.clear()
    reads = [asyncio.create_task(rest.call(POSITIONS)) for _ in range(connections)]
    async with asyncio.timeout(30):
        while len(service.requests) < connections:
            await asyncio.sleep(0)
        service.hold.set()
        await asyncio.gather(*reads)
    assert service.connections == connections
    service.requests.clear()


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("idle", [1, 3])
async def test_a_query_on_a_closed_idle_connection_is_retried(closing: Rig, idle: int, reset: bool) -> None:
    service, rest, _ = closing
    await leave_idle(closing, idle)
    service.reset = reset
    assert (await rest.call(POSITIONS, attempts=1)).data == []
    assert rest.last_error == ""
    assert service.requests == ["GET 1", f"GET {idle + 1}"], "once more, and not on another one that waited as long"


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("endpoint", [PLACE_ORDER, CANCEL_ORDER], ids=lambda one: one.method)
async def test_i1_a_command_on_a_closed_idle_connection_is_unknown(
    closing: Rig, endpoint: Endpoint, reset: bool
) -> None:
    service, rest, _ = closing
    await leave_idle(closing, 2)
    service.reset = reset
    with pytest.raises(CallFailed) as caught:
        await rest.call(endpoint, {"clientOrderId": "a"})
    assert (caught.value.kind, caught.value.unsure) == (ErrorClass.UNSURE, True)
    assert service.requests == [f"{endpoint.method} 1"]
    assert rest.last_error, "of a command that got lost the link tells"
    await rest.call(POSITIONS, attempts=1)
    assert service.requests[1:] == ["GET 3"], "what is asked next does not meet the other old connection"


async def test_a_post_query_on_a_closed_idle_connection_is_not_resent(closing: Rig) -> None:
    service, rest, _ = closing
    await leave_idle(closing, 1)
    assert RAPID_POOL_POST.method == "POST" and not RAPID_POOL_POST.is_command
    with pytest.raises(CallFailed) as caught:
        await rest.call(RAPID_POOL_POST, {"pool": "FUNDING"}, attempts=1)
    assert not caught.value.unsure
    assert service.requests == ["POST 1"]


async def test_a_query_on_a_new_connection_that_breaks_fails_at_once(closing: Rig) -> None:
    service, rest, _ = closing
    service.answered_each = 0
    with pytest.raises(CallFailed) as caught:
        await rest.call(POSITIONS, attempts=1)
    assert not isinstance(caught.value, IdleConnectionLost)
    assert service.requests == ["GET 1"]
    assert "Server disconnected" in rest.last_error


async def test_a_query_is_retried_on_one_more_connection_only(closing: Rig) -> None:
    service, rest, _ = closing
    await leave_idle(closing, 1)
    service.answered_each = 0
    with pytest.raises(CallFailed):
        await rest.call(POSITIONS, attempts=1)
    assert service.requests == ["GET 1", "GET 2"]
    assert rest.last_error


@pytest.mark.parametrize("ending", ENDINGS)
async def test_only_a_query_without_any_reply_bytes_is_retried(closing: Rig, ending: str) -> None:
    service, rest, _ = closing
    await leave_idle(closing, 1)
    service.last_words = ENDINGS[ending]
    if ending == "closed":
        await rest.call(POSITIONS, attempts=1)
        assert len(service.requests) == 2
        return
    with pytest.raises(CallFailed):
        await rest.call(POSITIONS, attempts=1)
    assert service.requests == ["GET 1"]


async def test_a_retried_query_counts_in_the_rate_limit(closing: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    _, rest, _ = closing
    await leave_idle(closing, 1)
    counted: list[str] = []
    monkeypatch.setattr(rest._rate_limiter, "count", counted.append)
    await rest.call(POSITIONS, attempts=1)
    assert counted == [POSITIONS.key] * 2


@pytest.mark.parametrize(("unused", "connections"), [(POOL_IDLE_S - 0.1, 1), (POOL_IDLE_S + 0.1, 2)])
async def test_an_idle_connection_is_closed_before_the_server_does(
    closing: Rig, monkeypatch: pytest.MonkeyPatch, unused: float, connections: int
) -> None:
    service, rest, _ = closing
    service.answered_each = 5
    now = time.monotonic()
    monkeypatch.setattr(aiohttp.connector, "monotonic", lambda: now)
    await rest.call(POSITIONS)
    now += unused
    await rest.call(POSITIONS)
    assert service.connections == connections
    assert POOL_IDLE_S < SILENT_S, "shorter than that of the paper venue"


async def test_idle_connections_are_closed_and_active_ones_are_not(closing: Rig) -> None:
    service, rest, session = closing
    service.answered_each = 5
    await leave_idle(closing, 2)
    service.hold.clear()
    in_use = asyncio.create_task(rest.call(POSITIONS))
    async with asyncio.timeout(30):
        while not service.requests:
            await asyncio.sleep(0)
    close_idle(session)
    service.hold.set()
    await in_use
    await rest.call(POSITIONS)
    assert service.requests == ["GET 1", "GET 1"], "the one in use goes on and is used again"
