"""Reader of one public connection: a single frame is processed at once, queued frames together.

`PublicConnection` calls `read`; decoded data goes to a `FrameSink`. In a burst a quote waits until the frames after it
were seen, and only the newest of its pair is decoded. All other frames are delivered in order, none is dropped. When a
burst was read its quotes are delivered at once, before the connection is held; only one of a pair that nobody looks at
may wait longer (`Beat`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Protocol

from aiohttp import WSMsgType

from tui.client.aiohttp_adapter import Message, Socket, abort, data_waits, take_waiting
from tui.client.connection_status import ConnectionStatus, LinkLost
from tui.client.decode import BadFrame, inflate
from tui.client.flood.beat import Beat, BeatSink
from tui.client.flood.newest_quotes import NewestQuotes
from tui.client.flood.pace import Pace
from tui.client.flood.packed_quotes import PackedQuotes
from tui.protocols import Clock

_BINARY, _TEXT = WSMsgType.BINARY, WSMsgType.TEXT
_DATA = b'"data"'
TURN_FRAMES = 128
"""Frames unpacked per turn of the loop when more wait; then everything else gets its turn, orders first."""
BEHIND = 64
"""Waiting frames from which on most quotes are dropped before they are unpacked."""
TURN_PACKED = 512
"""Frames examined together for that."""
TURN_QUOTES = 64
"""Waiting quotes decoded and delivered per turn."""
MOST_TURNS = 4
"""Turns after which waiting quotes are delivered although more frames wait."""


class BurstSink(BeatSink, Protocol):
    """Receiver of bursts, which also provides the times of the quotes on display."""

    def last_ts(self, sym: str) -> int:
        """Return the server time of a pair's newest quote, ms; 0 without a quote."""
        ...


class FrameSink(Protocol):
    """Decoder of decompressed frames, which delivers their content."""

    def take_frame(self, data: bytes, received: float) -> str:
        """Decode a frame of any kind; return the pair if it was a quote, else an empty text.

        Raises:
            BadFrame: The frame cannot be read.
        """
        ...

    def take_quote(self, sym: str, data: bytes, received: float) -> bool:
        """Decode a frame that starts like a quote of the pair; return whether it was one.

        Raises:
            BadFrame: The frame cannot be read.
        """
        ...

    def count_unreadable(self, data: bytes, reason: str, received: float) -> None:
        """Count a frame that cannot be decoded.

        Raises:
            LinkLost: There were too many of them.
        """
        ...


class BurstReader:
    """Reader of all messages of one connection."""

    def __init__(
        self,
        sink: FrameSink,
        quotes: BurstSink,
        *,
        syms: Collection[str],
        status: ConnectionStatus,
        clock: Clock,
        beat: Beat,
    ) -> None:
        """Initialize a reader.

        Args:
            sink: Decoder of frames.
            quotes: Receiver of bursts.
            syms: Pairs of the connection at any time.
            status: Status of the connection.
            clock: Clock.
            beat: Beat of all connections of the stream.
        """
        self.newest = NewestQuotes(quotes.last_ts)
        self.packed = PackedQuotes(self.newest)
        self._sink = sink
        self._quotes = quotes
        self._status = status
        self._clock = clock
        self._syms = syms
        self._pace = Pace()
        self._beat = beat
        self._socket: Socket | None = None

    async def read(self, socket: Socket) -> None:
        """Read messages until the connection ends.

        Raises:
            LinkLost: It ended, or sent too many unreadable frames.
        """
        self.newest.forget()
        self.packed.forget()
        self._socket = socket
        try:
            await self._read_on(socket)
        finally:
            self._socket = None
            self._beat.release(socket)
            if self.newest:
                self._beat.expect(self)

    async def _read_on(self, socket: Socket) -> None:
        while True:
            message = await socket.receive()
            began, count = self._clock.mono(), 1
            if data_waits(socket) or self._beat.gathers:
                self._quotes.begin_burst()
                try:
                    count = await self._take_burst(socket, message)
                finally:
                    self._quotes.end_burst()
            else:
                self._take_alone(socket, message)
            self._beat.count(began, count)
            self._pace.count(began, count)
            if self._is_held():
                self._beat.hold(socket, began)
            if self.newest:
                self._beat.expect(self)

    def _is_held(self) -> bool:
        """Return whether the next read of this connection waits for the beat at which all held connections are read."""
        if self._pace.floods:
            return False
        return self._pace.is_fast or (self._beat.gathers and not self._beat.has_attended(self._syms))

    def leave(self, syms: Sequence[str]) -> None:
        """Drop undelivered quotes of pairs that were unsubscribed."""
        self.newest.forget()
        for sym in syms:
            self.newest.take(sym)

    def deliver_older(self, sym: str) -> None:
        """Deliver a pair's undelivered quote before its next quote is delivered."""
        if not self.newest:
            return
        frames, received = self.newest.take(sym)
        for data in frames:
            try:
                if self._sink.take_quote(sym, data, received):
                    return
            except BadFrame as bad:
                self._sink.count_unreadable(data, str(bad), received)

    def bring_up(self, sym: str) -> None:
        """Deliver a pair's held quote now, because somebody asks for the newest one."""
        try:
            self.deliver_older(sym)
        except LinkLost as lost:
            # Nobody who calls this reads the connection; the reader sees that it has ended.
            self._status.last_error = str(lost)
            abort(self._socket)

    def deliver_due(self, held_until: float, most: int) -> int:
        """Deliver up to `most` held quotes: of pairs looked at or held since `held_until` (monotonic s); return how many."""
        due = self.newest.list_due(held_until, self._beat.attended)[:most]
        for sym in due:
            self.bring_up(sym)
        return len(due)

    def holds_quotes(self) -> bool:
        """Report whether quotes are held."""
        return bool(self.newest)

    async def _take_burst(self, socket: Socket, first: Message) -> int:
        """Process queued frames in parts, yielding to the event loop between parts; return the number of frames."""
        count, turns = 1, 0
        part: Sequence[Message] = (first,)
        while True:
            waiting: Sequence[Message] = await take_waiting(socket, TURN_PACKED)
            count += len(waiting)
            if len(waiting) >= BEHIND:
                waiting = self.packed.last_of_each(waiting)
            part = (*part, *waiting)
            for at in range(0, len(part), TURN_FRAMES):
                if at:
                    await asyncio.sleep(0)
                self._take_part(socket, part[at : at + TURN_FRAMES])
            turns += 1
            if turns >= MOST_TURNS or not data_waits(socket):
                turns = 0
                while True:
                    if not self._deliver_attended(TURN_QUOTES):
                        break
                    await asyncio.sleep(0)
            if not data_waits(socket):
                return count
            await asyncio.sleep(0)
            part = ()

    def _take_part(self, socket: Socket, messages: Sequence[Message]) -> None:
        """Decompress a part of the queued frames; hold each pair's newest quote, process other messages in order."""
        self._status.last_frame = received = self._clock.mono()
        frames, at = self._unpack_frames(socket, messages, received), 0
        while (at := self.newest.put(frames, at, received)) < len(frames):
            self._take_now(frames[at], received)
            at += 1

    def _take_alone(self, socket: Socket, message: Message) -> None:
        """Unpack and process one message at once, as no other message waits in the queue."""
        self._status.last_frame = received = self._clock.mono()
        for data in self._unpack_frames(socket, (message,), received):
            self._take_now(data, received)

    def _unpack_frames(self, socket: Socket, messages: Sequence[Message], received: float) -> list[bytes]:
        frames = []
        for kind, content, _ in messages:
            if kind is _BINARY:
                try:
                    frames.append(inflate(content))
                except BadFrame as bad:
                    self._sink.count_unreadable(b"", str(bad), received)
            elif kind is _TEXT:
                frames.append(content)
            else:
                self._end(socket, kind, content)
        return frames

    def _end(self, socket: Socket, kind: WSMsgType, data: object) -> None:
        """Deliver all held quotes; raise `LinkLost` if the message is an error or a close of the connection."""
        self._deliver_waiting()
        if kind is WSMsgType.ERROR:
            raise LinkLost(str(data)[:100] or "connection lost")
        if kind in (WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED):
            raise LinkLost(f"closed by the server ({socket.close_code})" if socket.close_code else "connection lost")

    def _take_now(self, data: bytes, received: float) -> None:
        """Decode and deliver a frame at once, without holding it for a newer quote of its pair."""
        if self.newest and _DATA not in data:
            # A reply to a subscription counts for the quotes before and after it.
            self._deliver_waiting()
        try:
            sym = self._sink.take_frame(data, received)
        except BadFrame as bad:
            self._sink.count_unreadable(data, str(bad), received)
        else:
            if sym and not self.newest.knows(sym):
                self.newest.learn(data, sym)

    def _deliver_attended(self, most: int) -> bool:
        """Deliver held quotes of at most `most` pairs (while the beat gathers only attended ones); return if more are due.

        While the beat does not gather every pair counts as looked at.
        """
        beat = self._beat
        waiting = self.newest.list_due(float("-inf") if beat.gathers else float("inf"), beat.attended)
        for sym in waiting[:most]:
            self.deliver_older(sym)
        return len(waiting) > most

    def _deliver_waiting(self) -> None:
        """Deliver all held quotes, the newest of each pair."""
        while self.newest:
            self.deliver_older(self.newest.next_pair())
