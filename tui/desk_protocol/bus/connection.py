"""Connection to a NATS server. While it is lost nothing is kept: what was not sent by then is never sent."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tui.crossdesk_error import error_text
from tui.desk_protocol.bus.address import BusAddress, BusRefused
from tui.desk_protocol.carrier import LinkClosed
from tui.interface.text import clean, name_extra

if TYPE_CHECKING:
    from nats.aio.subscription import Subscription

CONNECT_S = 2.0
"""Longest wait for a server, s."""
CLOSE_S = 1.0
"""Longest wait for the end of a connection, s."""
PING_S = 1
"""Interval of checks whether the server is there, s; the second that is not answered ends the connection."""
LOOK_S = 0.1
"""Interval of looks whether the connection has ended, s."""
MOST_UNREAD = 16 * 1024 * 1024
"""Bytes that may wait in this process; what comes beyond is lost, and each session notices that."""
HEADER = "Crossdesk"
GONE = "the server is gone"
OTHER_SEED = "the trader or the desk in the address is not that of the seed"
NEEDS = f"a NATS server needs nats-py, of {name_extra('desk')}"
_NO_RESPONDERS = "503"


class BusMessage(NamedTuple):
    """Message received from the NATS server: subjects, our header, data; or notice that nobody listens to a sent one."""

    subject: str
    reply: str
    header: str
    """Text of our header; empty: it has none."""
    data: bytes
    unheard: bool = False
    """Whether the server says that nobody listens to what was sent."""


class BusPlace(NamedTuple):
    """Bus address, with functions that read the NKEY seed and make the TLS context."""

    address: BusAddress
    read_seed: Callable[[], str]
    """Reads the NKEY seed, for every connection anew."""
    tls: Callable[[], ssl.SSLContext]
    """Makes the context with which certificates are checked."""


class Bus(Protocol):
    """Connection to a NATS server that publishes to subjects and listens on them."""

    @property
    def most_bytes(self) -> int:
        """Largest message that the server accepts, bytes."""
        ...

    @property
    def ended(self) -> asyncio.Event: ...

    @property
    def why_ended(self) -> str: ...

    async def listen(self, subject: str, take: Callable[[BusMessage], None]) -> None:
        """Subscribe to a subject, calling `take` for each message; return once the server has confirmed the subscription.

        Raises:
            LinkClosed: The connection is lost.
        """
        ...

    async def publish(self, subject: str, reply: str, header: str, data: bytes = b"") -> None:
        """Send a message; if the connection is lost, fail at once instead of sending it later.

        Raises:
            LinkClosed: The connection is lost; the message is not sent later.
        """
        ...

    async def close(self) -> None:
        """Send what was published so far, then close the connection."""
        ...


OpenBus = Callable[[BusPlace], Awaitable[Bus]]

log = logging.getLogger("tui.desk_protocol")


class NatsBus:
    """Connection to a NATS server by the package `nats-py`."""

    def __init__(self) -> None:
        from nats.aio.client import Client

        self._client = Client()
        self.ended = asyncio.Event()
        self.why_ended = ""
        self.most_bytes = 0
        self._watching: asyncio.Task[None] | None = None
        self._heard: list[Subscription] = []

    async def connect(self, place: BusPlace) -> None:
        """Connect to the NATS server with the seed of `place`.

        Raises:
            LinkClosed: No server answers, or it refuses the key.
        """
        from nats import errors

        try:
            async with asyncio.timeout(2 * CONNECT_S):
                # Not by its own means: on a new connection it would send what was left of the former one.
                await self._client.connect(
                    place.address.url, allow_reconnect=False, max_reconnect_attempts=1, reconnect_time_wait=0,
                    connect_timeout=int(CONNECT_S), ping_interval=PING_S, max_outstanding_pings=1, pending_size=0,
                    nkeys_seed_str=place.read_seed(), error_cb=self._hear_error, closed_cb=self._hear_end,
                    disconnected_cb=self._hear_end,
                    # The client would else begin unencrypted, and let the server decide.
                    tls=place.tls() if place.address.is_encrypted else None,
                    tls_handshake_first=place.address.is_encrypted,
                )  # fmt: skip
        except (OSError, errors.Error, TimeoutError, ValueError) as error:
            await self._end()
            why = self.why_ended or clean(error_text(error))
            raise LinkClosed(f"the server {place.address.url} cannot be used: {why}") from None
        self.why_ended = ""
        self.most_bytes = int(self._client.max_payload)
        self._watching = asyncio.ensure_future(self._watch())
        flushing: asyncio.Task[None] | None = getattr(self._client, "_flusher_task", None)
        if flushing is not None:  # the client lets it fail with the connection and never looks
            flushing.add_done_callback(_look_at_end)

    async def _watch(self) -> None:
        """Check at intervals whether the connection was lost: the client reports no loss when its last write fails."""
        while self._client.is_connected and not self.ended.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self.ended.wait()
        await self._hear_end()

    async def _hear_error(self, error: Exception) -> None:
        from nats import errors

        text = clean(error_text(error), 300)
        log.info("bus: %s", text)
        forbidden = "permissions violation" in text.lower()
        if forbidden:
            text = f"{text}; {OTHER_SEED}"
        elif isinstance(error, errors.UnexpectedEOF):
            text = f"{GONE}: {text}"
        self.why_ended = self.why_ended or text
        if forbidden:
            self.ended.set()

    async def _hear_end(self) -> None:
        self.why_ended = self.why_ended or GONE
        self.ended.set()

    async def listen(self, subject: str, take: Callable[[BusMessage], None]) -> None:
        from nats import errors
        from nats.aio.msg import Msg

        async def pass_on(message: Msg) -> None:
            headers = message.headers or {}
            unheard = headers.get("Status", "") == _NO_RESPONDERS
            take(BusMessage(message.subject, message.reply, headers.get(HEADER, ""), message.data, unheard))

        try:
            self._heard.append(await self._client.subscribe(subject, cb=pass_on, pending_bytes_limit=MOST_UNREAD))
            for _ in range(2):  # the first ping may overtake the subscription
                await self._client.flush(int(CONNECT_S))
        except (OSError, errors.Error, TimeoutError) as error:
            raise LinkClosed(self.why_ended or clean(str(error))) from None
        if self.ended.is_set():
            raise LinkClosed(self.why_ended)

    async def publish(self, subject: str, reply: str, header: str, data: bytes = b"") -> None:
        from nats import errors

        if self.ended.is_set():
            raise LinkClosed(self.why_ended)
        try:
            await self._client.publish(subject, data, reply, {HEADER: header})
        except (OSError, errors.Error) as error:
            raise LinkClosed(self.why_ended or clean(str(error))) from None

    async def close(self) -> None:
        from nats import errors

        with suppress(OSError, errors.Error, TimeoutError):
            if self._client.is_connected:
                await self._client.flush(int(CLOSE_S))
        await self._end()

    async def _end(self) -> None:
        from nats import errors

        if self._watching is not None:
            self._watching.cancel()
        # It waits for ever for the end of a connection whose certificate was refused.
        with suppress(OSError, errors.Error, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._client.close()
        for subscription in self._heard:  # which stay where its last write failed
            reading: asyncio.Task[None] | None = getattr(subscription, "_wait_for_msgs_task", None)
            if reading is not None:
                reading.cancel()


def _look_at_end(task: asyncio.Task[None]) -> None:
    """Log the error of a task that failed; an error never retrieved would be printed on the program's terminal."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.info("bus: %s", clean(error_text(error), 300))


def require_packages() -> None:
    """Check that the optional packages for NATS are installed.

    Raises:
        BusRefused: The packages for it are not installed.
    """
    try:
        import nats.aio.client  # noqa: F401  # only whether they are there
        import nkeys  # noqa: F401
    except ImportError:
        raise BusRefused(NEEDS) from None


async def open_bus(place: BusPlace) -> Bus:
    """Connect to a NATS server and return the connection.

    Raises:
        BusRefused: The packages for it are not installed.
        LinkClosed: No server answers, or it refuses the key.
    """
    require_packages()
    bus = NatsBus()
    await bus.connect(place)
    return bus
