"""Side of a window: a connection and a session of its own on the bus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from tui.desk_protocol.bus.address import output_subject
from tui.desk_protocol.bus.connection import Bus, BusMessage, BusPlace, OpenBus, open_bus
from tui.desk_protocol.bus.session import (
    GATEWAY_SILENT_BEATS,
    PIECE,
    ROOM,
    BusSession,
    Header,
    Kind,
    read_header,
)
from tui.desk_protocol.carrier import LinkClosed
from tui.desk_protocol.messages import MOST_LINE_BYTES

OPEN_S = 1.5
"""Longest wait for the gateway to answer, s."""


class BusWindow:
    """Window's side of the bus: requests a session of the gateway, and passes received messages to it."""

    def __init__(self, bus: Bus, place: BusPlace, mark: str) -> None:
        """Initialize the window; `mark` is an id, unique among windows, for its output subject."""
        self._bus = bus
        self._address = place.address
        self._output = output_subject(self._address.desk, self._address.trader, mark)
        self._mark = mark
        self._session: BusSession | None = None
        self._opened: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._watching: asyncio.Task[None] | None = None

    async def open(self) -> BusSession:
        """Request a session from the gateway and wait for it; fail if no gateway answers in time.

        Raises:
            LinkClosed: No gateway answers.
        """
        await self._bus.listen(self._output, self._hear)
        await self._publish(Header(self._mark, Kind.OPEN).text(), b"")
        self._watching = asyncio.ensure_future(self._watch())
        try:
            async with asyncio.timeout(OPEN_S):
                name = await self._opened
        except TimeoutError:
            raise LinkClosed(self._nobody()) from None
        self._session = BusSession(
            name, self._publish, most_line=MOST_LINE_BYTES, most_piece=min(PIECE, self._bus.most_bytes - ROOM),
            silent_beats=GATEWAY_SILENT_BEATS, ended=self.close,
        )  # fmt: skip
        return self._session

    def _nobody(self) -> str:
        return f"no gateway serves the desk {self._address.desk!r} on {self._address.url}"

    async def _publish(self, header: str, data: bytes) -> None:
        await self._bus.publish(self._address.commands, self._output, header, data)

    async def _watch(self) -> None:
        await self._bus.ended.wait()
        self._fail(self._bus.why_ended)

    def _fail(self, why: str) -> None:
        if self._session is not None:
            self._session.fail(why)
        elif not self._opened.done():
            self._opened.set_exception(LinkClosed(why))

    def _hear(self, message: BusMessage) -> None:
        header = read_header(message.header)
        if message.unheard:
            self._fail(self._nobody())
        elif header is None:
            return
        elif header.kind is Kind.OPENED:
            self._hear_opened(header.session)
        elif self._session is not None and header.session == self._session.name:
            self._session.take(header, message.data)
        elif self._session is None and header.kind is Kind.BYE and header.session == self._mark:
            self._fail(message.data.decode(errors="replace") or "the gateway refuses this window")

    def _hear_opened(self, name: str) -> None:
        if not self._opened.done():
            self._opened.set_result(name)
        elif self._session is not None and self._session.name != name:
            self._fail(f"two gateways serve the desk {self._address.desk!r}; end one")

    async def close(self) -> None:
        """Close the connection to the NATS server."""
        if self._watching is not None:
            self._watching.cancel()
        await self._bus.close()


async def connect(place: BusPlace, new_id: Callable[[], str], open_bus: OpenBus = open_bus) -> BusSession:
    """Connect to the NATS server and open a session with the gateway that serves the desk.

    Args:
        place: Server, desk and trader.
        new_id: Makes a name that nobody else has.
        open_bus: Connects to the server.

    Raises:
        BusRefused: The packages for it are not installed.
        LinkClosed: No server or no gateway answers, or the server refuses the key.
    """
    window = BusWindow(await open_bus(place), place, new_id())
    try:
        return await window.open()
    except BaseException:
        with suppress(asyncio.CancelledError):
            await window.close()
        raise
