"""Reading of one public connection: single frames at once, waiting frames together.

`PublicConnection` calls `read`; what is read goes to a `FrameSink`. In a burst a quote waits until the frames behind it
were seen, and only the newest of its pair is decoded. All other frames are delivered in their turn, none is left out.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import Protocol

from aiohttp import WSMsgType

from tui.client.aiohttp_adapter import Message, Socket, data_waits, go_on_reading, hold_reading, take_waiting
from tui.client.connection_status import ConnectionStatus, LinkLost
from tui.client.decode import BadFrame, inflate
from tui.client.flood.newest_quotes import NewestQuotes
from tui.client.flood.packed_quotes import PackedQuotes
from tui.protocols import Clock

_BINARY, _TEXT = WSMsgType.BINARY, WSMsgType.TEXT
_DATA = b'"data"'
TURN_FRAMES = 128
"""Frames that one turn of the loop unpacks when more wait; then everything else has its turn, orders first of all."""
BEHIND = 64
"""From so many waiting frames on most quotes are dropped before they are unpacked."""
TURN_PACKED = 512
"""Frames that are looked at together for that."""
TURN_QUOTES = 64
"""Waiting quotes that one turn decodes and delivers."""
GATHER_S = 1 / 60
"""Frames that come fast are read together, one frame of the screen apart: each reading has a price of its own, of each
pair only the newest quote is decoded, and the screen, woken once for all of them, is free to paint them at once."""
FAST_FRAMES = 40
"""That many frames within this time come fast."""
FLOOD_FRAMES = 400
"""From so many on they are read as they come: taking them all at once would last longer than a quote may wait."""
MOST_TURNS = 4
"""Turns after which waiting quotes are delivered although more frames wait."""


class BurstSink(Protocol):
    """Is told which quotes came together, and the time of the quotes it shows."""

    def begin_burst(self) -> None:
        """What follows is shown together, at `end_burst`."""
        ...

    def end_burst(self) -> None: ...

    def last_ts(self, sym: str) -> int:
        """Time of the newest quote of a pair, ms; 0 for none."""
        ...


class FrameSink(Protocol):
    """Decodes unpacked frames and delivers what they hold."""

    def take(self, data: bytes, received: float) -> str:
        """Decode a frame of any kind; the pair where it was a quote, else an empty text.

        Raises:
            BadFrame: The frame cannot be read.
        """
        ...

    def take_quote(self, sym: str, data: bytes, received: float) -> bool:
        """Decode a frame whose first bytes say that it is a quote of a pair; whether it was one.

        Raises:
            BadFrame: The frame cannot be read.
        """
        ...

    def count_unreadable(self, data: bytes, reason: str, received: float) -> None:
        """Count a frame that cannot be read.

        Raises:
            LinkLost: It was one too many.
        """
        ...


class _Pace:
    """Whether frames come fast."""

    def __init__(self) -> None:
        self._began = float("-inf")
        self._count = 0
        self._fast = False

    def count(self, now: float, frames: int) -> bool:
        """Count frames read at this time, monotonic s; the last whole stretch of `GATHER_S` decides."""
        self._count += frames
        if now - self._began >= GATHER_S:
            since = now - self._began
            self._fast = since < 2 * GATHER_S and FAST_FRAMES <= self._count < FLOOD_FRAMES
            self._began, self._count = now, 0
        return self._fast


class BurstReader:
    """Reads the messages of one connection after another."""

    def __init__(self, sink: FrameSink, quotes: BurstSink, status: ConnectionStatus, clock: Clock) -> None:
        self.newest = NewestQuotes(quotes.last_ts)
        self.packed = PackedQuotes(self.newest)
        self._sink = sink
        self._quotes = quotes
        self._status = status
        self._clock = clock
        self._pace = _Pace()

    async def read(self, socket: Socket) -> None:
        """Read until the connection ends.

        Raises:
            LinkLost: It ended, or sent too much that cannot be read.
        """
        self.newest.forget()
        self.packed.forget()
        while True:
            message = await socket.receive()
            began, count = self._clock.mono(), 1
            if data_waits(socket):
                self._quotes.begin_burst()
                try:
                    count = await self._take_burst(socket, message)
                finally:
                    self._quotes.end_burst()
            else:
                self._take_alone(socket, message)
            if self._pace.count(began, count):
                await self._gather(socket, began)

    def leave(self, syms: Sequence[str]) -> None:
        """Drop what waits of pairs that are no longer subscribed."""
        self.newest.forget()
        for sym in syms:
            self.newest.take(sym)

    def deliver_older(self, sym: str) -> None:
        """Deliver the waiting quote of a pair: a newer one, or one without a time, follows."""
        if not self.newest:
            return
        frames, received = self.newest.take(sym)
        for data in frames:
            try:
                if self._sink.take_quote(sym, data, received):
                    return
            except BadFrame as bad:
                self._sink.count_unreadable(data, str(bad), received)

    async def _gather(self, socket: Socket, began: float) -> None:
        """Let frames gather until a time after the last reading began. One that took as long is followed at once."""
        left = began + GATHER_S - self._clock.mono()
        if left > 0:
            hold_reading(socket)
            try:
                await asyncio.sleep(left)
            finally:
                go_on_reading(socket)

    async def _take_burst(self, socket: Socket, first: Message) -> int:
        """Take what waits in parts, one in each turn of the loop, orders and all else between; the number of frames."""
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
                while self.newest:
                    self._deliver_waiting(TURN_QUOTES)
                    if self.newest:
                        await asyncio.sleep(0)
            if not data_waits(socket):
                return count
            await asyncio.sleep(0)
            part = ()

    def _take_part(self, socket: Socket, messages: Sequence[Message]) -> None:
        """Unpack messages that came together; quotes wait for the newest of their pair, the rest is taken in its turn."""
        self._status.last_frame = received = self._clock.mono()
        frames, at = self._unpack_frames(socket, messages, received), 0
        while (at := self.newest.put(frames, at, received)) < len(frames):
            self._take_now(frames[at], received)
            at += 1

    def _take_alone(self, socket: Socket, message: Message) -> None:
        """Take a message behind which no other waits."""
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
        """Raise for what ends a connection, with what came before it delivered."""
        self._deliver_waiting()
        if kind is WSMsgType.ERROR:
            raise LinkLost(str(data)[:100] or "connection lost")
        if kind in (WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED):
            raise LinkLost(f"closed by the server ({socket.close_code})" if socket.close_code else "connection lost")

    def _take_now(self, data: bytes, received: float) -> None:
        """Decode a frame that does not wait for a newer one."""
        if self.newest and _DATA not in data:
            # A reply to a subscription counts for the quotes before and after it.
            self._deliver_waiting()
        try:
            sym = self._sink.take(data, received)
        except BadFrame as bad:
            self._sink.count_unreadable(data, str(bad), received)
        else:
            if sym and not self.newest.knows(sym):
                self.newest.learn(data, sym)

    def _deliver_waiting(self, most: int = sys.maxsize) -> None:
        """Deliver the newest quote of at most so many waiting pairs."""
        for _ in range(min(most, len(self.newest))):
            self.deliver_older(self.newest.next_pair())
