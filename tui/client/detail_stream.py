"""Detail stream: order book, trades, index price and candles of the pair in focus, or books of a few more, on its own
connection.

Its failures touch neither quotes nor orders: an unreadable frame is counted and skipped, a book with a gap is requested
anew, a silent connection is replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import aiohttp
from aiohttp import WSMsgType

from tui.client.aiohttp_adapter import Socket, abort, frames_waiting, open_socket
from tui.client.backoff import Backoff
from tui.client.connection_status import ConnectionStatus, LinkLost, Phase, describe_silence
from tui.client.decode import BadFrame, Reader, inflate
from tui.client.settings import Timings
from tui.interface import streams
from tui.interface.families.market import (
    BOOK_LEVELS,
    BarPrice,
    BookPush,
    Channel,
    IndexPush,
    KlineRow,
    TradePush,
    UpdateType,
)
from tui.interface.streams import BarsFrame, Detail, PushFrame
from tui.protocols import Clock, RandomSource

TURN_FRAMES = 64
"""Frames processed per turn of the loop when more are waiting. All are processed: a book is the sum of its pushes."""

_DATA = b'"data"'
_READERS: dict[Channel, Reader[Any]] = {
    Channel.ORDER_BOOK: Reader(PushFrame[BookPush]),
    Channel.TRADE: Reader(PushFrame[TradePush]),
    Channel.INDEX_PRICE: Reader(PushFrame[IndexPush]),
    **{price.channel: Reader(BarsFrame) for price in BarPrice},
}
_PRICES = {price.channel: price for price in BarPrice}
_MARKERS = {channel: f'"{channel}"'.encode() for channel in _READERS}


class DetailSink(Protocol):
    """Receiver of the detail stream's pushes; called for every message, so it must be quick."""

    def begin(self, detail: Detail) -> None:
        """Handle a new subscription; earlier data may be outdated."""
        ...

    def book(self, push: BookPush, *, whole: bool) -> bool:
        """Apply an order book push; return False when pushes are missing and a full snapshot is needed."""
        ...

    def trades(self, pushes: Sequence[TradePush]) -> None: ...

    def index(self, sym: str, push: IndexPush) -> None: ...

    def bars(self, rows: Sequence[KlineRow]) -> None: ...

    def follow_bars(self, price: BarPrice, rows: Sequence[KlineRow]) -> None: ...


class DetailStream:
    """Stream of one or more pairs that stays connected while `run` runs; without a pair there is no connection."""

    def __init__(
        self,
        url: str,
        *,
        session: aiohttp.ClientSession,
        clock: Clock,
        random_source: RandomSource,
        timings: Timings,
        sink_of: Callable[[str], DetailSink],
    ) -> None:
        self.status = ConnectionStatus()
        self._url = url
        self._session = session
        self._clock = clock
        self._timings = timings
        self._sink_of = sink_of
        self._backoff = Backoff(timings, random_source.stream("detail backoff"))
        self._wanted: tuple[Detail, ...] = ()
        self._changed = asyncio.Event()
        self._socket: Socket | None = None

    def follow(self, *details: Detail) -> None:
        """Set the pairs to subscribe to, each once; none disconnects."""
        if details != self._wanted:
            self._wanted = details
            self._changed.set()
            abort(self._socket)

    async def run(self) -> None:
        """Stay connected while a pair is set, until cancelled."""
        while True:
            if not self._wanted:
                self._changed.clear()
                await self._changed.wait()
                continue
            self._changed.clear()
            self.status.epoch += 1
            try:
                await self._follow(self._wanted)
            except (LinkLost, aiohttp.ClientError, OSError, TimeoutError) as lost:
                self.status.last_error = describe_silence(lost)
            self._set_phase(Phase.DOWN)
            if not self._changed.is_set():
                self.status.retries += 1
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), self._backoff.next_delay())

    async def _follow(self, details: tuple[Detail, ...]) -> None:
        self._set_phase(Phase.CONNECTING)
        async with asyncio.timeout(self._timings.connect_timeout):
            socket = await open_socket(self._session, self._url)
        self._socket = socket
        pinger = asyncio.create_task(self._keep_alive(socket), name="detail ping")
        try:
            self.status.last_frame = self._clock.mono()
            for detail in details:
                await self._subscribe(socket, detail)
            self._set_phase(Phase.READY)
            await self._read(socket, {detail.sym: detail for detail in details})
        finally:
            self._socket = None
            pinger.cancel()
            await asyncio.gather(pinger, return_exceptions=True)
            abort(socket)

    async def _subscribe(self, socket: Socket, detail: Detail) -> None:
        self._sink_of(detail.sym).begin(detail)
        frame = streams.detail_frame(detail, BOOK_LEVELS[0])
        await socket.send_str(frame.decode())

    async def _read(self, socket: Socket, details: Mapping[str, Detail]) -> None:
        turn, waiting = 0, frames_waiting(socket)
        while True:
            turn = turn + 1 if waiting else 0
            if turn >= TURN_FRAMES:
                turn = 0
                await asyncio.sleep(0)
            message = await socket.receive()
            if message.type not in (WSMsgType.BINARY, WSMsgType.TEXT):
                raise LinkLost(f"closed ({socket.close_code})" if socket.close_code else "connection lost")
            self.status.last_frame = self._clock.mono()
            try:
                data = inflate(message.data) if message.type is WSMsgType.BINARY else message.data
                gap = self._take(data, details)
            except BadFrame:
                self.status.bad_frames += 1
                continue
            if gap is not None:
                leave = streams.detail_frame(gap, BOOK_LEVELS[0], subscribe=False)
                await socket.send_str(leave.decode())
                await self._subscribe(socket, gap)

    def _take(self, data: bytes, details: Mapping[str, Detail]) -> Detail | None:
        """Process a message; return the subscription whose full order book snapshot is needed, if any."""
        channel = next((name for name, marker in _MARKERS.items() if marker in data), None) if _DATA in data else None
        if channel is None:
            return None
        push = _READERS[channel].read(data)
        detail = details.get(push.arg.symbol)
        if detail is None or push.arg.channel != channel:
            return None
        sink = self._sink_of(detail.sym)
        self._backoff.reset()
        self.status.retries = 0
        rows = push.data if isinstance(push.data, list) else [push.data]
        if channel is Channel.TRADE:
            sink.trades(rows)
        elif channel is Channel.ORDER_BOOK:
            whole = push.arg.updatetype == UpdateType.ALL
            return None if all(sink.book(row, whole=whole) for row in rows) else detail
        elif channel is Channel.INDEX_PRICE:
            sink.index(detail.sym, rows[-1])
        elif channel is detail.price.channel:
            sink.bars(rows)
        else:
            sink.follow_bars(_PRICES[channel], rows)
        return None

    async def _keep_alive(self, socket: Socket) -> None:
        """Ping the server, and drop the connection when it does not answer."""
        timings = self._timings
        while True:
            await asyncio.sleep(timings.ping_every / 2)
            if self._clock.mono() - self.status.last_frame > timings.ping_every + timings.market_ping_timeout:
                abort(socket)
                return
            with suppress(OSError, aiohttp.ClientError):
                await socket.send_str(streams.ping_frame(int(self._clock.wall() * 1000)).decode())

    def _set_phase(self, phase: Phase) -> None:
        self.status.phase = phase
        self.status.since = self._clock.mono()
