"""Carriers of the protocol: whatever takes lines to the other side and brings lines from there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol

from tui.desk_protocol.messages import ProtocolError

WRITE_BUFFER = 256 * 1024
"""Bytes that may wait for a slow reader before its writer waits."""


class LinkClosed(ProtocolError):
    """Error for a closed connection; programs catch it together with refusals (`DeskError`) as `crossdesk.Error`."""

    title = "Link closed"


class Carrier(Protocol):
    """Connection to one peer that carries text lines in both directions."""

    async def receive(self) -> bytes:
        """Return the next received line without its line end; wait for it.

        Raises:
            LinkClosed: The other side is gone.
            ProtocolError: The line is longer than accepted.
        """
        ...

    async def send(self, data: bytes) -> None:
        """Send one or more whole lines; wait while the other side is too slow to read.

        Raises:
            LinkClosed: The other side is gone.
        """
        ...

    def close(self) -> None:
        """Close the connection; bytes that the other side has not received by now are lost."""
        ...

    async def wait_closed(self) -> None:
        """Wait until the other side has been told of the end, on connections that do not report it by themselves."""
        ...


Connect = Callable[[], Awaitable[Carrier]]
"""Function that opens a connection to the engine's side."""
Accept = Callable[[Carrier, str], Coroutine[Any, Any, None]]
"""Called with each new connection and with what is known of its other side, for messages."""


class StreamCarrier:
    """Carrier over a pair of asyncio streams, such as those of a Unix socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most_bytes: int) -> None:
        """Initialize the carrier; `most_bytes` is the `limit` that the reader was opened with."""
        self._reader = reader
        self._writer = writer
        self._most_bytes = most_bytes
        writer.transport.set_write_buffer_limits(high=WRITE_BUFFER)

    async def receive(self) -> bytes:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            raise LinkClosed("the other side has ended") from None
        except asyncio.LimitOverrunError:
            raise ProtocolError(f"a line may have {self._most_bytes} bytes at most") from None
        except (OSError, RuntimeError) as error:
            raise LinkClosed(str(error) or "the connection was lost") from None
        return line[:-1]

    async def send(self, data: bytes) -> None:
        if self._writer.is_closing():
            raise LinkClosed("the other side has ended")
        try:
            self._writer.write(data)
            await self._writer.drain()
        except (OSError, RuntimeError) as error:
            raise LinkClosed(str(error) or "the connection was lost") from None

    def close(self) -> None:
        with suppress(OSError, RuntimeError):
            transport = self._writer.transport
            # A closed transport would stay until a reader that never reads has taken the rest.
            if transport.get_write_buffer_size():
                transport.abort()
            else:
                self._writer.close()

    async def wait_closed(self) -> None:
        """Do nothing: the operating system reports the end to the other side."""
