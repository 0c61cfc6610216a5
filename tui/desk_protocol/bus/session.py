"""Carrier of a window on the bus: numbered pieces of its lines, as many as the other side takes, and signs of life.

Each message has a header of four words: the session, a `Kind`, the number of the newest piece that its sender sent, and the
bytes that the sender has taken. A piece that comes again is dropped; one that is missing ends the session.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

from tui.desk_protocol.carrier import WRITE_BUFFER, LinkClosed
from tui.desk_protocol.messages import ProtocolError
from tui.interface.text import clean

BEAT_S = 0.5
"""Interval of signs of life, s."""
GATEWAY_SILENT_BEATS = 3
"""Intervals without a word of the gateway after which a window leaves."""
WINDOW_SILENT_BEATS = 6
"""Intervals without a word of a window after which the gateway ends it."""
PIECE = 128 * 1024
"""Longest piece of a line in one message, bytes."""
ROOM = 4 * 1024
"""Bytes of a message that are left for its header."""
TOLD_EVERY = WRITE_BUFFER // 4
"""Bytes after which the other side is told what was taken."""


class Kind(StrEnum):
    """Kinds of messages in a session between a window and the gateway on the bus."""

    OPEN = "open"
    """A window asks for a session."""
    OPENED = "opened"
    """Here it is."""
    PIECE = "piece"
    BEAT = "beat"
    """Sign of life."""
    BYE = "bye"
    """The session has ended; the data says why."""


class Header(NamedTuple):
    """Header of a bus message: session, kind, message number, and bytes taken from the other side."""

    session: str
    kind: Kind
    number: int = 0
    taken: int = 0

    def text(self) -> str:
        return f"{self.session} {self.kind.value} {self.number} {self.taken}"


def read_header(text: str) -> Header | None:
    """Parse the header of a bus message; return None if it is not in this program's format."""
    words = text.split(" ")
    if len(words) != 4 or not words[2].isdecimal() or not words[3].isdecimal() or len(text) > 200:
        return None
    try:
        return Header(words[0], Kind(words[1]), int(words[2]), int(words[3]))
    except ValueError:
        return None


Publish = Callable[[str, bytes], Awaitable[None]]
"""Sends a message of the session: its header, and its data."""


class BusSession:
    """Line connection between a window and the gateway, in NATS messages, with heartbeats and flow control."""

    def __init__(
        self, name: str, publish: Publish, *, most_line: int, most_piece: int, silent_beats: int,
        ended: Callable[[], Awaitable[None]],
    ) -> None:  # fmt: skip
        """Initialize the session and begin to send heartbeats.

        Args:
            name: Name of the session, that the gateway gave it.
            publish: Sends its messages.
            most_line: Longest line that is accepted, bytes.
            most_piece: Longest piece that is sent, bytes.
            silent_beats: Intervals without a word after which the other side counts as gone.
            ended: Called once the session has ended.
        """
        self.name = name
        self._publish = publish
        self._most_line = most_line
        self._most_piece = most_piece
        self._silent_beats = silent_beats
        self._ended = ended
        self._pieces: deque[bytes] = deque()
        self._unread = 0
        """Bytes in the pieces that were not taken."""
        self._rest = bytearray()
        """What was taken and is no whole line yet."""
        self._searched = 0
        self._received = 0
        self._sent = self._sent_bytes = 0
        self._taken = self._told = 0
        self._theirs = 0
        """Bytes that the other side has taken."""
        self._silence = 0
        self._why = ""
        self._closed = False
        self._came = asyncio.Event()
        self._has_room = asyncio.Event()
        self._over = asyncio.Event()
        self._sending = asyncio.Lock()
        """Held while the pieces of one call of `send` leave."""
        self._keeping = asyncio.ensure_future(self._keep())

    # What comes

    def take(self, header: Header, data: bytes) -> None:
        """Process a received message of the session: data, heartbeat or end; lost messages end the session."""
        if self._over.is_set():
            return
        self._silence = 0
        if header.taken > self._theirs:
            self._theirs = min(header.taken, self._sent_bytes)
            self._has_room.set()
        if header.kind is Kind.BYE:
            self.fail(clean(data.decode(errors="replace"), 200) or "the other side has ended")
        elif header.kind is Kind.BEAT and header.number > self._received:
            self.fail(f"{header.number - self._received} messages were lost")
        elif header.kind is Kind.PIECE and header.number > self._received:
            self._take_piece(header.number, data)

    def _take_piece(self, number: int, data: bytes) -> None:
        if number != self._received + 1:
            self.fail(f"message {self._received + 1} was lost or overtaken")
            return
        self._received = number
        if not data:
            self.fail("a piece is empty")
            return
        self._pieces.append(data)
        self._unread += len(data)
        if self._unread > WRITE_BUFFER + PIECE:
            self.fail("the other side sends more than it may before it is read")
        self._came.set()

    async def receive(self) -> bytes:
        while True:
            if self._closed:
                raise LinkClosed("the connection was closed")
            end = self._rest.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._rest[:end])
                del self._rest[: end + 1]
                self._searched = 0
                if len(line) > self._most_line:
                    raise self._too_long()
                return line
            self._searched = len(self._rest)
            if self._searched > self._most_line:
                raise self._too_long()
            await self._take_next()

    def _too_long(self) -> ProtocolError:
        return ProtocolError(f"a line may have {self._most_line} bytes at most")

    async def _take_next(self) -> None:
        while not self._pieces:
            if self._over.is_set():
                raise LinkClosed(self._why)
            self._came.clear()
            await self._came.wait()
        piece = self._pieces.popleft()
        self._unread -= len(piece)
        self._rest += piece
        self._taken += len(piece)
        if self._taken - self._told >= TOLD_EVERY:
            await self._tell(Kind.BEAT)

    # What leaves

    async def send(self, data: bytes) -> None:
        async with self._sending:
            for at in range(0, len(data), self._most_piece):
                await self._send_piece(data[at : at + self._most_piece])

    async def _send_piece(self, piece: bytes) -> None:
        while self._sent_bytes - self._theirs >= WRITE_BUFFER and not self._over.is_set():
            self._has_room.clear()
            await self._has_room.wait()
        if self._over.is_set():
            raise LinkClosed(self._why)
        self._sent, self._sent_bytes = self._sent + 1, self._sent_bytes + len(piece)
        await self._tell(Kind.PIECE, piece)

    async def _tell(self, kind: Kind, data: bytes = b"") -> None:
        self._told = self._taken
        try:
            await self._publish(Header(self.name, kind, self._sent, self._taken).text(), data)
        except LinkClosed as error:
            self.fail(str(error))
            raise

    # Life

    async def _keep(self) -> None:
        """Send heartbeats until the session ends, and end it when nothing was received for `silent_beats` intervals."""
        try:
            # Intervals are counted, not seconds: a process that stood still would else blame the other side.
            while self._silence < self._silent_beats and not self._over.is_set():
                self._silence += 1
                await self._tell(Kind.BEAT)
                with suppress(TimeoutError):
                    async with asyncio.timeout(BEAT_S):
                        await self._over.wait()
            if not self._over.is_set():
                self.fail(f"nothing was heard for {(self._silent_beats - 1) * BEAT_S:g} s")
            await self._tell(Kind.BYE, b"" if self._closed else self._why.encode())
        except LinkClosed:
            pass
        finally:
            await self._ended()

    def fail(self, why: str) -> None:
        """End the session with a reason: lines received before can still be read, nothing can be sent any more."""
        if not self._over.is_set():
            self._why = why
            self._over.set()
            self._came.set()
            self._has_room.set()

    def close(self) -> None:
        self._closed = True
        self.fail("the connection was closed")

    async def wait_closed(self) -> None:
        """Wait, at most 1 s, until the other side has been told that the session ended."""
        await asyncio.wait([self._keeping], timeout=1.0)
