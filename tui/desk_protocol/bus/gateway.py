"""Side of the gateway: the windows of all traders of a desk on one connection, which is made again when it is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from tui.desk_protocol.bus.address import BusRefused, check_name, claim_subject, command_subject, output_subject
from tui.desk_protocol.bus.connection import Bus, BusMessage, BusPlace, OpenBus, open_bus
from tui.desk_protocol.bus.session import (
    PIECE,
    ROOM,
    WINDOW_SILENT_BEATS,
    BusSession,
    Header,
    Kind,
    read_header,
)
from tui.desk_protocol.carrier import Carrier, LinkClosed
from tui.desk_protocol.messages import MOST_CALL_BYTES, ProtocolError
from tui.interface.text import clean

MOST_WINDOWS = 8
"""Most windows and programs of one trader."""
RETRY_S = 0.3
"""Pause between two attempts to reach the server, s."""
CLAIM_S = 0.3
"""Wait for another gateway of the same desk to object, s."""


class AcceptTrader(Protocol):
    """Function that serves one connection of a trader until it ends."""

    def __call__(self, carrier: Carrier, origin: str, trader: str) -> Coroutine[Any, Any, None]: ...


class _Window:
    """Bus session of a trader's window, with the NATS subject of its output."""

    def __init__(self, session: BusSession, trader: str, output: str) -> None:
        self.session = session
        self.trader = trader
        self.output = output


class GatewayBus:
    """Gateway's side of the bus: all windows' sessions over one connection to the NATS server."""

    def __init__(self, bus: Bus, desk: str, accept: AcceptTrader, new_id: Callable[[], str]) -> None:
        self._bus = bus
        self._desk = desk
        self._accept = accept
        self._new_id = new_id
        self._mark = new_id()
        self._other = asyncio.Event()
        """Set once another gateway says that it serves the desk."""
        self._windows: dict[str, _Window] = {}
        """By the name of the session."""
        self._work: set[asyncio.Task[None]] = set()

    async def serve(self, ready: Callable[[], None]) -> None:
        """Serve windows until the connection to the NATS server is lost; call `ready` once they can attach.

        Raises:
            LinkClosed: The connection is lost.
            ProtocolError: Another gateway serves the desk.
        """
        await self._claim()
        await self._bus.listen(command_subject(self._desk, "*"), self._hear)
        ready()
        try:
            await self._bus.ended.wait()
        finally:
            await self._end(self._bus.why_ended or "the gateway has ended")
        raise LinkClosed(self._bus.why_ended)

    async def _claim(self) -> None:
        """Ask on the bus whether another gateway serves the desk, and fail if so: both would execute every order."""
        claim = claim_subject(self._desk)
        await self._bus.listen(claim, self._hear_claim)
        await self._bus.publish(claim, "", Header(self._mark, Kind.OPEN).text())
        try:
            async with asyncio.timeout(CLAIM_S):
                await self._other.wait()
        except TimeoutError:
            return
        raise ProtocolError(
            f"another gateway serves the desk {self._desk!r} on this server; end it, or name another desk"
        )

    def _hear_claim(self, message: BusMessage) -> None:
        header = read_header(message.header)
        if header is None or header.session == self._mark:
            return
        if header.kind is Kind.OPENED:
            self._other.set()
        elif header.kind is Kind.OPEN:
            self._start(self._bus.publish(claim_subject(self._desk), "", Header(self._mark, Kind.OPENED).text()))

    # Windows

    def _hear(self, message: BusMessage) -> None:
        header, trader, mark = read_header(message.header), message.subject.rpartition(".")[2], _mark_of(message.reply)
        # The server lets a trader publish on the own subject alone; where answers go, it does not check.
        if header is None or not mark or message.reply != output_subject(self._desk, trader, mark):
            return
        if header.kind is Kind.OPEN:
            self._open(trader, mark, message.reply)
            return
        window = self._windows.get(header.session)
        if window is not None and window.output == message.reply:
            window.session.take(header, message.data)
        elif header.kind is not Kind.BYE:
            self._refuse(message.reply, header.session, "the gateway does not know this window any more")

    def _refuse(self, output: str, session: str, why: str) -> None:
        self._start(self._bus.publish(output, "", Header(session, Kind.BYE).text(), why.encode()))

    def _open(self, trader: str, mark: str, output: str) -> None:
        windows = [window for window in self._windows.values() if window.trader == trader]
        if any(window.output == output for window in windows):
            return  # the message came twice
        try:
            check_name("trader", trader)
            if len(windows) >= MOST_WINDOWS:
                raise ProtocolError(f"{trader} has {MOST_WINDOWS} windows and programs; end one first")
        except ProtocolError as error:
            self._refuse(output, mark, str(error))
            return
        name = self._new_id()
        session = BusSession(
            name, partial(self._bus.publish, output, ""), most_line=MOST_CALL_BYTES,
            most_piece=min(PIECE, self._bus.most_bytes - ROOM), silent_beats=WINDOW_SILENT_BEATS,
            ended=partial(self._forget, name),
        )  # fmt: skip
        self._windows[name] = _Window(session, trader, output)
        self._start(self._serve_window(session, trader, output))

    async def _serve_window(self, session: BusSession, trader: str, output: str) -> None:
        await self._bus.publish(output, "", Header(session.name, Kind.OPENED).text())
        await self._accept(session, f"{trader} on the bus", trader)

    async def _forget(self, name: str) -> None:
        self._windows.pop(name, None)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(_until_lost(work))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _end(self, why: str) -> None:
        windows = list(self._windows.values())
        for window in windows:
            window.session.fail(why)
        for window in windows:
            await window.session.wait_closed()
        if self._work:
            await asyncio.wait(self._work)


async def _until_lost(work: Coroutine[Any, Any, None]) -> None:
    with suppress(LinkClosed):  # who reads the connection says so
        await work


def _mark_of(output: str) -> str:
    mark = output.rpartition(".")[2]
    return mark if mark.isalnum() and len(mark) <= 64 else ""


class TellTraders(Protocol):
    """Function that is told how the bus goes on, such as a lost connection."""

    def __call__(self, text: str, *, can_attach: bool) -> None:
        """Receive a text on the state of the bus, and whether windows can attach now."""


async def serve_bus(
    place: BusPlace, accept: AcceptTrader, new_id: Callable[[], str], tell: TellTraders,
    open_bus: OpenBus = open_bus,
) -> None:  # fmt: skip
    """Serve the windows of a desk's traders on the bus until cancelled; reconnect to the NATS server when it is lost.

    Args:
        place: Server and desk.
        accept: Serves a connection; its trader is the one that the server vouches for.
        new_id: Makes a name that nobody else has.
        tell: Told once how it goes on.
        open_bus: Connects to the server.

    Raises:
        BusRefused: The packages for it are not installed.
    """
    said = ""
    while True:
        try:
            bus = await open_bus(place)
            try:
                said = ""
                ready = partial(tell, f"traders attach to {place.address.write('TRADER')}", can_attach=True)
                await GatewayBus(bus, place.address.desk, accept, new_id).serve(ready)
            finally:
                await bus.close()
        except BusRefused:
            raise
        except ProtocolError as error:
            why = f"no trader can attach over the bus: {error}"
        if why != said:
            said = why
            tell(clean(why, 300), can_attach=False)
        await asyncio.sleep(RETRY_S)
