"""A public stream for benchmarks: pre-built gzip frames of best bids and offers, written in bursts at a set rate.

Runs as a process of its own, `python -m benchmarks.rig.quote_feed`, and shares no interpreter with what is measured.
Lines on its standard input set the rate in frames per second; `last` writes one newest quote of each pair, `flood N`
writes N frames as fast as they are taken; the end of the input ends it. It speaks as much WebSocket as that needs: text
and binary frames, no compression, no fragments.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import sys
import time
from collections.abc import Iterator
from decimal import Decimal

from benchmarks.desk.frames import pack_text, quote_text, socket_frame

BTC = "BINANCE_PERP_BTC_USDT"
PRICE = Decimal("61750.0")
"""Near the first price of a still paper market, so that orders of the benchmark pass the band of the venue."""
TICK = Decimal("0.1")
LAST_BID = Decimal("61749.9")
"""Bid of the quotes that `last` writes; no other frame has it."""
BASE_MS = 1_700_000_000_000
VARIANTS = 40
"""Different frames of a pair before they repeat."""
PERIOD = 0.002
"""Least time between two bursts, s: the market batches too, up to 1,152 messages in 100 ms."""
MOST_WAITING = 4_000_000
"""Bytes a slow reader may leave before bursts are left out."""
FLOOD_AHEAD = 500_000
"""Bytes that wait for the reader in a flood."""
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def symbols(count: int) -> list[str]:
    """The pair that is traded, and as many synthetic ones as are asked for besides."""
    return [BTC, *(f"BINANCE_PERP_S{number:03}_USDT" for number in range(1, count))]


def messages(count: int) -> list[bytes]:
    """Texts of pushes of this many pairs in turn, `VARIANTS` of each."""
    found = []
    for variant in range(VARIANTS):
        for number, sym in enumerate(symbols(count)):
            bid = PRICE + Decimal((variant * 7 + number) % 40) / 10
            sizes = (
                f"{(variant * 37 + number) % 90 / 10 + 0.012:.3f}",
                f"{(variant * 11 + number) % 70 / 10 + 0.034:.3f}",
            )
            found.append(quote_text(sym, bid, bid + TICK, sizes, BASE_MS))
    return found


def last_messages(count: int) -> list[bytes]:
    """One quote of each pair that is newer than all others."""
    return [quote_text(sym, LAST_BID, LAST_BID + TICK, ("1.000", "1.000"), BASE_MS + 1) for sym in symbols(count)]


def text_frame(text: bytes) -> bytes:
    """The message as a text frame of a server."""
    size = len(text)
    head = bytes([0x81, size]) if size < 126 else bytes([0x81, 126]) + size.to_bytes(2, "big")
    return head + text


def packed_frame(text: bytes) -> bytes:
    """The message as a binary gzip frame of a server."""
    return socket_frame(pack_text(text))


class Feed(asyncio.Protocol):
    """One connection."""

    def __init__(self, frames: list[bytes], lasts: list[bytes]) -> None:
        self._frames = frames
        self._lasts = lasts
        self._received = bytearray()
        self._open = False
        self._at = 0
        self.sent = 0
        """Frames handed to the socket."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=2 * MOST_WAITING)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._open:
            head, found, rest = bytes(self._received).partition(b"\r\n\r\n")
            if not found:
                return
            self._received, self._open = bytearray(rest), True
            key = next(
                line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")
            )
            accept = base64.b64encode(hashlib.sha1(key + _GUID).digest())
            self._transport.write(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
            )
        for text in self._texts():
            self._answer(json.loads(text))

    @property
    def waiting(self) -> int:
        """Bytes the reader has not taken."""
        return self._transport.get_write_buffer_size()

    def burst(self, count: int) -> None:
        """Write the next frames, unless the reader is far behind."""
        if not self._open or self._transport.is_closing() or self.waiting > MOST_WAITING:
            return
        end = self._at + count
        chunk = self._frames[self._at : end]
        while len(chunk) < count:
            chunk += self._frames[: count - len(chunk)]
        self._at = end % len(self._frames)
        self.sent += count
        self._transport.write(b"".join(chunk))

    def last(self) -> None:
        self._transport.write(b"".join(self._lasts))

    def _texts(self) -> Iterator[bytes]:
        """Whole frames of the client, which are always masked."""
        while len(self._received) >= 6:
            size, at = self._received[1] & 0x7F, 2
            if size == 126:
                size, at = int.from_bytes(self._received[2:4], "big"), 4
            if len(self._received) < at + 4 + size:
                return
            mask, body = self._received[at : at + 4], self._received[at + 4 : at + 4 + size]
            opcode = self._received[0] & 15
            del self._received[: at + 4 + size]
            if opcode == 1:
                yield bytes(byte ^ mask[place % 4] for place, byte in enumerate(body))

    def _answer(self, request: dict[str, object]) -> None:
        if request.get("action") == "login":
            answer: dict[str, object] = {"event": "login", "code": "0", "msg": ""}
        elif "ping" in request:
            answer = {"pong": str(int(time.time() * 1000))}
        else:
            answer = {"event": request.get("event"), "arg": request.get("arg"), "code": "0"}
        self._transport.write(text_frame(json.dumps(answer).encode()))


async def serve(pairs: int, form: str) -> None:
    """Serve until the standard input ends.

    Args:
        pairs: Number of pairs.
        form: `gzip` or `text` frames.
    """
    loop = asyncio.get_running_loop()
    build = packed_frame if form == "gzip" else text_frame
    frames, lasts = [build(one) for one in messages(pairs)], [build(one) for one in last_messages(pairs)]
    feeds: list[Feed] = []

    def accept() -> Feed:
        feeds.append(Feed(frames, lasts))
        return feeds[-1]

    server = await loop.create_server(accept, "127.0.0.1", 0)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    print(json.dumps({"url": f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/"}), flush=True)
    writer = asyncio.create_task(asyncio.sleep(0))
    while line := (await reader.readline()).decode().split():
        writer.cancel()
        if line[0] == "last":
            for feed in feeds:
                feed.last()
        elif line[0] == "flood":
            writer = asyncio.create_task(_flood(feeds[-1], int(line[1])))
        else:
            print(json.dumps({"sent": sum(feed.sent for feed in feeds)}), flush=True)
            writer = asyncio.create_task(_write(feeds, float(line[0])))


async def _flood(feed: Feed, count: int) -> None:
    """Write this many frames and the last ones as fast as the reader takes them."""
    end = feed.sent + count
    while feed.sent < end:
        if feed.waiting > FLOOD_AHEAD:
            await asyncio.sleep(0.0002)
        else:
            feed.burst(min(256, end - feed.sent))
    feed.last()


async def _write(feeds: list[Feed], rate: float) -> None:
    if not rate:
        return
    period = max(PERIOD, 10 / rate)
    due, owed = time.perf_counter(), 0.0
    while True:
        due += period
        owed += rate * period
        for feed in feeds:
            feed.burst(int(owed))
        owed -= int(owed)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        due = max(due, time.perf_counter() - 0.1)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2]))
