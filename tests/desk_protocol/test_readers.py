"""Readers that are slow, deaf or flood: the desk's memory is bounded, others are not delayed, and the slow one is told."""

from __future__ import annotations

import asyncio
import json
import socket
import time
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import pytest_asyncio

from tests.client.fakes import until
from tests.desk_protocol.desks import STARTING, Program, idle_host
from tui.desk_protocol import peer, unix_socket
from tui.desk_protocol.carrier import LinkClosed
from tui.desk_protocol.desk_socket import serve_socket
from tui.desk_protocol.messages import MOST_CALL_BYTES
from tui.engine.event_line import EventLine, Level
from tui.engine.life.thread import EngineThread
from tui.engine.rows import DayRow, QuoteRow, ReadFailure, Table
from tui.engine.status_rows import ENGINE
from tui.host import HostClock
from tui.rules.day_result import FillSums

ROUNDS = 1_000
"""How often every quote changes while a reader is deaf."""
MOST_GROWTH = ROUNDS * 12 * 1024
"""Memory that the desk may need for readers that never read, bytes: less than all those rows would need."""

MOST_WAITING = 5 * 1024 * 1024
"""Memory for answers that nobody reads, bytes."""


class Desk(NamedTuple):
    host: EngineThread
    home: Path

    def tell(self, text: str) -> None:
        self.host.hub.put_event(EventLine(wall_ms=0, level=Level.INFO, text=text))

    def quote(self, pair: int, number: int) -> None:
        sym = f"BINANCE_PERP_C{pair}_USDT"
        self.host.hub.put(Table.QUOTES, sym, QuoteRow(sym=sym, bid=str(number), ask="2", ts=number, received=1.0))


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    tmp_path.chmod(0o700)
    host = idle_host()
    serving = asyncio.create_task(serve_socket(tmp_path / "desk.sock", host, HostClock(), "run"))
    await until(lambda: unix_socket.answers(tmp_path / "desk.sock"))
    yield Desk(host, tmp_path)
    serving.cancel()
    await asyncio.wait([serving])
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


@pytest.mark.parametrize(("synced", "order"), [(True, ["days", "engine_status"]), (False, ["engine_status", "days"])])
async def test_engine_status_is_sent_after_rows_if_in_sync_else_first(
    desk: Desk, synced: bool, order: list[str]
) -> None:
    """A reader may take a part of a batch: rows that are gone are not those of a desk in step."""
    hub = desk.host.hub
    hub.put(Table.DAYS, "1/S", DayRow(sym="S", day_ms=0, sums=FillSums()))
    hub.put(Table.ENGINE_STATUS, ENGINE, msgspec.structs.replace(STARTING, synced=synced))
    program = await Program.attach(desk.home)
    await program.wait_for(lambda message: message["type"] == "whole")
    tables = [message["table"] for message in program.seen if message["type"] == "rows"]
    assert [table for table in tables if table in order] == order
    program.close()


async def test_rows_to_peers_wait_briefly_while_a_command_is_sent(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would take the interpreter from the thread of the journal, for which the command waits."""
    monkeypatch.setattr(peer, "HAND_OVER_S", 0.5)
    pause, told = peer.SendPause(), list[str]()

    async def wait(name: str) -> None:
        await pause.wait()
        told.append(name)

    pause.begin()
    rows = asyncio.ensure_future(wait("rows"))
    await asyncio.sleep(0.05)
    assert told == []
    pause.note_written()
    await rows
    pause.begin()
    began = time.monotonic()
    await wait("late")
    assert told == ["rows", "late"] and time.monotonic() - began > 0.4


class Deaf:
    """A peer that says hello and reads nothing, until it is asked to."""

    def __init__(self, desk: Desk) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(desk.home / "desk.sock"))
        self._socket.setblocking(False)
        self._rest = b""

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self._socket, data)

    async def read(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            data = await asyncio.get_running_loop().sock_recv(self._socket, 1 << 20)
            assert data, "the desk hung up"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def close(self) -> None:
        self._socket.close()


HELLO = b'{"id": 1, "method": "hello", "params": {"versions": [1], "name": "deaf", "role": "watch"}}\n'


def rows_of(message: dict[str, Any], table: Table) -> dict[str, Any]:
    """The rows of one table in a message; none in other messages."""
    rows: dict[str, Any] = message["rows"] if message.get("table") == table else {}
    return rows


async def test_a_quiet_row_change_reaches_a_reader_within_seconds(desk: Desk) -> None:
    reader = await Program.attach(desk.home, role="watch")
    await reader.wait_for(lambda message: message["type"] == "whole")
    desk.host.hub.put(Table.UNREAD, "late", ReadFailure("made up"), quiet=True)
    await reader.wait_for(lambda message: "late" in rows_of(message, Table.UNREAD), 3)
    reader.close()


async def test_s64_b08_a_peer_that_does_not_read_costs_little(desk: Desk) -> None:
    deaf = Deaf(desk)
    await deaf.send(HELLO)
    quick = await Program.attach(desk.home, "quick", "watch")
    await quick.wait_for(lambda message: message["type"] == "whole")
    delays: list[float] = []
    sent: dict[int, float] = {}

    async def read() -> None:
        while True:
            message = json.loads(await quick.carrier.receive())
            now = time.monotonic()
            delays.extend(now - sent[row["ts"]] for row in rows_of(message, Table.QUOTES).values())

    reading = asyncio.create_task(read())
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(1, ROUNDS + 1):
            sent[number] = time.monotonic()
            for pair in range(60):
                desk.quote(pair, number)
            for event in range(10):
                desk.tell(f"{number} {event}")
            await asyncio.sleep(0)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    await until(lambda: max(delays, default=0) >= 0 and len(delays) > 100)
    reading.cancel()
    with suppress(asyncio.CancelledError):
        await reading
    assert after - before < MOST_GROWTH
    assert sorted(delays)[len(delays) * 99 // 100] < 0.5
    await asyncio.sleep(1.1)  # a wait of a second is what it is told of
    last: dict[str, str] = {}
    lines, missed, frames, told = 0, 0, 0, 0.0
    async with asyncio.timeout(20):
        while lines + missed < 10 * ROUNDS or any(bid != str(ROUNDS) for bid in last.values()):
            message = await deaf.read()
            told = max(told, message.get("seconds", 0))
            last |= {key: row["bid"] for key, row in rows_of(message, Table.QUOTES).items()}
            frames += len(rows_of(message, Table.QUOTES))
            if message["type"] == "events":
                lines, missed = lines + len(message["lines"]), missed + message["missed"]
    assert len(last) == 60 and lines + missed == 10 * ROUNDS
    assert frames < 60 * 200, "a slow reader gets the newest rows, not all"
    async with asyncio.timeout(5):
        while told < 1:
            message = await deaf.read()
            told = max(told, message.get("seconds", 0))
    deaf.close()
    quick.close()


async def test_answers_to_a_peer_that_does_not_read_stay_bounded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that nobody reads would fill the memory of the desk."""
    monkeypatch.setattr(peer, "WINDOW_S", 0.001)
    deaf = Deaf(desk)
    await deaf.send(HELLO)
    call = json.dumps({"id": 1, "method": "m" * 30}).encode() + b"\n"
    tracemalloc.start()
    try:
        sending = asyncio.create_task(_send_for_ever(deaf.send, call * 100))
        taken = 0
        for _ in range(40):
            await asyncio.sleep(0.05)
            taken = max(taken, tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    sending.cancel()
    await asyncio.wait([sending])
    assert taken < MOST_WAITING
    deaf.close()


async def _send_for_ever(send: Callable[[bytes], Awaitable[None]], call: bytes) -> None:
    while True:
        await send(call)


async def test_s64_b17_a_flood_of_calls_delays_other_peers_little(desk: Desk) -> None:
    """Each of eight flooding programs is read no faster than its share."""
    floods = [await Program.attach(desk.home, f"flood {number}") for number in range(8)]
    long = b'{"id": 1, "method": "time", "params": {}' + b" " * (MOST_CALL_BYTES // 2) + b"}\n"
    calls = [b'{"id": 1, "method": "time", "params": {}}\n' * peer.MOST_OPEN_CALLS, long * 2]
    answered = Counter[int]()

    async def flood(at: int) -> None:
        while True:
            await floods[at].carrier.send(calls[at % 2])
            for _ in range(calls[at % 2].count(b"\n")):
                assert b'"answer"' in await floods[at].carrier.receive()
                answered[at] += 1

    for program in floods:
        await program.wait_for(lambda message: message["type"] == "whole")
    flooding = [asyncio.create_task(flood(at)) for at in range(len(floods))]
    other = await Program.attach(desk.home, "other")
    began, before = time.monotonic(), answered.total()
    for _ in range(50):
        assert (await other.call("time", {}))["type"] == "answer"
    windows = 2 + (time.monotonic() - began) // peer.WINDOW_S  # the first and the last are parts
    assert not any(task.done() for task in flooding) and all(answered[at] for at in range(len(floods))), answered
    assert answered.total() - before <= 8 * peer.MOST_CALLS * windows
    for task in flooding:
        task.cancel()
    await asyncio.wait(flooding)
    for program in (*floods, other):
        program.close()


async def test_a_connection_cut_during_its_greeting_leaves_no_peer(desk: Desk) -> None:
    hello = b'{"id": 1, "method": "hello", "params": {"versions": [1], "name": "gone"}}\n'
    for at in range(200):
        carrier = await unix_socket.connect(desk.home / "desk.sock")
        await carrier.send(hello if at % 2 else hello[: at % len(hello)])
        carrier.close()
    await until(lambda: not desk.host.hub._readers and not desk.host._roles)
    last = await Program.attach(desk.home, "last")
    assert last.welcome["type"] == "answer" and last.welcome["result"]["name"] == "last"
    last.close()


async def test_s64_connections_without_hello_are_few_and_soon_closed(desk: Desk) -> None:
    """Who never says hello would use up the files that the desk may open."""
    silent = [await unix_socket.connect(desk.home / "desk.sock") for _ in range(100)]
    ended = 0
    for carrier in silent[:68]:
        with suppress(LinkClosed):
            async with asyncio.timeout(2):
                await carrier.receive()
        ended += 1
    assert ended == 68
    late = await Program.attach(desk.home, name="late", role="watch", path=desk.home / "desk.sock")
    assert late.welcome["result"]["name"] == "late", "who says hello at once is let in"
    late.close()
    for carrier in silent:
        carrier.close()


async def test_attached_programs_are_limited_so_that_a_desk_has_room(desk: Desk) -> None:
    """A desk has the kill switch: it must not stand outside because of programs."""
    path = desk.home / "desk.sock"
    programs = [await Program.attach(desk.home, name=f"p{number}", role="watch", path=path) for number in range(24)]
    refused = await Program.attach(desk.home, name="one more", role="watch", path=path)
    assert "24 programs are attached, the rest is for desks" in refused.welcome["text"]
    window = await Program.attach(desk.home, name="desk", role="desk", path=path)
    assert window.welcome["result"]["role"] == "desk"
    for peer_of_test in (*programs, refused, window):
        peer_of_test.close()


async def test_a_peer_that_does_not_read_and_sends_too_long_is_ended(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer, "WINDOW_S", 0.001)
    deaf = Deaf(desk)
    await deaf.send(HELLO)
    await until(lambda: desk.host._roles)
    for number in range(20_000):
        desk.tell(f"made up {number}")
    try:
        async with asyncio.timeout(10):
            await deaf.send(b"x" * 4 * MOST_CALL_BYTES)
            await until(lambda: not desk.host._roles, 10)
    except OSError:
        await until(lambda: not desk.host._roles, 10)
    deaf.close()
