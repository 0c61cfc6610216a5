"""`python -m benchmarks.desk.front`: stands before a paper venue, sends quotes of its own, and stamps what passes.

REST and the private streams are passed on unchanged, but for pairs that are added to the rules. Lines of JSON come in
(`rate`, `probe`, `cut`, `newest`, `stats`, `stop`) and go out (what passed, with the monotonic clock in ns).
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from itertools import cycle
from typing import Any

import aiohttp
from aiohttp import WSMsgType, web

from benchmarks.desk.frames import POOL, detail_pushes, held_position, pack, pool_of, quote_frame, socket_frame

ORDER_SYM = "BINANCE_PERP_BTC_USDT"
"""Orders are given here; its quote stands still."""
PROBE_SYM = "BINANCE_SPOT_BTC_USDT"
"""Its quote moves when it is told to, and only then."""
MADE = "BINANCE_SPOT_C{:03d}_USDT"
"""Pairs that the venue does not have: spot, since of perpetuals it would be asked for the funding."""
_LIKE = "BINANCE_SPOT_ETH_USDT"
HELD = "BINANCE_PERP_C{:03d}_USDT"
"""Pairs of made positions, which the venue does not have either."""
_HELD_LIKE = "BINANCE_PERP_ETH_USDT"
DETAIL_S = 0.25
"""Seconds between two pushes of the book of the pair that is open."""
_BURST = 10
"""Quotes that a connection gets at once, at least: services send them together."""
_BEHIND_BYTES = 4_000_000
"""A connection with so much unread gets nothing until it has caught up."""
_HOP_BY_HOP = frozenset(["host", "content-length", "transfer-encoding", "connection", "content-encoding"])


def tell(kind: str, **what: object) -> None:
    sys.stdout.write(json.dumps({"kind": kind, **what}) + "\n")
    sys.stdout.flush()


def made_symbols(ready: Mapping[str, Any], count: int, positions: int = 0) -> list[str]:
    """Pairs beside those of the venue, so that there are so many, and those of made positions."""
    made = [MADE.format(number) for number in range(max(0, count - positions - len(ready["symbols"])))]
    return made + [HELD.format(number) for number in range(positions)]


def _like(sym: str) -> str:
    """The pair of the venue that a made one is like."""
    return _HELD_LIKE if is_perp(sym) else _LIKE


def is_perp(sym: str) -> bool:
    return "_PERP_" in sym


class Reader:
    """One connection of the public stream and the pairs it asked for."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport) -> None:
        self.socket = socket
        self.transport = transport
        self.syms: dict[str, None] = {}
        self.load: cycle[bytes] | None = None
        self.weight = 0
        self.due = 0.0
        """Quotes that are due and were not written, because they are too few for a burst."""


class Front:
    """The server and its load."""

    def __init__(self, ready: Mapping[str, Any], symbols: int, positions: int) -> None:
        """
        Args:
            ready: Ready line of the venue.
            symbols: Pairs in all; those the venue does not have are made.
            positions: Positions that are made, each of a made pair.
        """
        self._venue = ready
        self.made = made_symbols(ready, symbols, positions)
        self._held = dict.fromkeys(sym for sym in self.made if is_perp(sym))
        self._bases: dict[str, Decimal] = {}
        self._ticks: dict[str, Decimal] = {}
        self._readers: dict[Reader, None] = {}
        self._streams: dict[asyncio.Transport, None] = {}
        """Connections of streams that are open now."""
        self._rate = 0
        self._sent = self._offered = 0
        self._ts = int(time.time() * 1000)
        self._pools: dict[str, list[bytes]] = {}
        self._session: aiohttp.ClientSession | None = None
        self._detail: asyncio.Task[None] | None = None
        """What sends book, bars and trades of the pair that is open."""

    # -- start -------------------------------------------------------------------------------------------------------

    async def begin(self) -> int:
        """Learn the quotes of the venue and listen; the port."""
        self._session = aiohttp.ClientSession(auto_decompress=True)
        await self._learn_quotes()
        app = web.Application(client_max_size=1 << 24)
        app.router.add_route("*", "/{path:.*}", self._serve)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return int(runner.addresses[0][1])

    async def _learn_quotes(self) -> None:
        assert self._session is not None
        wanted = dict.fromkeys(self._venue["symbols"])
        while wanted:
            group = list(wanted)[:5]
            async with self._session.ws_connect(self._venue["public_ws_url"], compress=0) as socket:
                arg = [{"channel": "BBO", "sym": sym} for sym in group]
                await socket.send_str(json.dumps({"event": "subscribe", "arg": arg}))
                while any(sym in wanted for sym in group):
                    message = json.loads(zlib.decompress(await socket.receive_bytes(timeout=10), wbits=31))
                    if "data" in message:
                        sym, bid, ask = message["arg"]["sym"], message["data"]["bid"], message["data"]["ask"]
                        self._bases[sym] = Decimal(bid)
                        self._ticks[sym] = Decimal(ask) - Decimal(bid)
                        wanted.pop(sym, None)
        for sym in self.made:
            self._bases[sym], self._ticks[sym] = self._bases[_like(sym)], self._ticks[_like(sym)]

    # -- REST and private streams ------------------------------------------------------------------------------------

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._serve_stream(request)
        assert self._session is not None
        if request.path.endswith("/fundingRate") and (sym := request.query.get("sym", "")) in self._held:
            at = str(self._ts)
            row = {"sym": sym, "fundingRate": "0.0001", "fundingTime": at, "nextFundingTime": at}
            return web.json_response({"code": 200000, "message": "Success", "data": [row]})
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _HOP_BY_HOP}
        body = await request.read()
        url = self._venue["rest_url"] + request.raw_path
        async with self._session.request(request.method, url, headers=headers, data=body or None) as answer:
            data = await answer.read()
            if self.made and request.path.endswith("/sym/info"):
                data = self._with_made(data)
            if self._held and request.method == "GET" and request.path.endswith("/trading/position"):
                data = self._with_held(data)
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in _HOP_BY_HOP}
            return web.Response(status=answer.status, body=data, headers=kept)

    async def _serve_stream(self, request: web.Request) -> web.StreamResponse:
        transport = request.transport
        assert transport is not None
        self._streams[transport] = None
        try:
            if "public" in request.path:
                return await self._serve_quotes(request)
            return await self._pass_stream(request)
        finally:
            del self._streams[transport]

    def _with_made(self, data: bytes) -> bytes:
        said = json.loads(data)
        if isinstance(said.get("data"), dict) and _LIKE in said["data"]:
            for sym in self.made:
                said["data"][sym] = {**said["data"][_like(sym)], "sym": sym, "originalSymbol": sym}
        return json.dumps(said).encode()

    def _with_held(self, data: bytes) -> bytes:
        said = json.loads(data)
        if isinstance(said.get("data"), list):
            portfolio = self._venue["keys"][0]["portfolioId"]
            said["data"] += [
                held_position(sym, str(number + 1), portfolio, self._bases[sym])
                for number, sym in enumerate(self._held)
            ]
        return json.dumps(said).encode()

    async def _pass_stream(self, request: web.Request) -> web.WebSocketResponse:
        assert self._session is not None
        inner = web.WebSocketResponse(compress=False, autoping=False)
        await inner.prepare(request)
        url = self._venue["rest_url"].replace("http", "ws", 1) + request.raw_path
        async with self._session.ws_connect(url, compress=0, autoping=False) as outer:
            up = asyncio.create_task(self._pass_up(inner, outer))
            down = asyncio.create_task(self._pass_down(outer, inner))
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
            for task in (up, down):
                task.cancel()
        await inner.close()
        return inner

    async def _pass_up(self, source: web.WebSocketResponse, target: aiohttp.ClientWebSocketResponse) -> None:
        async for message in source:
            at = time.monotonic_ns()
            if message.type is WSMsgType.TEXT:
                await target.send_str(message.data)
                if '"action"' in message.data:
                    tell("action", at=at, action=json.loads(message.data).get("action", ""))
            elif message.type is WSMsgType.PING:
                await target.ping(message.data)

    async def _pass_down(self, source: aiohttp.ClientWebSocketResponse, target: web.WebSocketResponse) -> None:
        async for message in source:
            if message.type is WSMsgType.TEXT:
                at = time.monotonic_ns()
                await target.send_str(message.data)
                if '"data"' in message.data:
                    tell("push", at=at, text=message.data)
            elif message.type is WSMsgType.PONG:
                await target.pong(message.data)

    # -- quotes ------------------------------------------------------------------------------------------------------

    async def _serve_quotes(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        transport = request.transport
        assert isinstance(transport, asyncio.Transport)
        reader = Reader(socket, transport)
        # Connections of equal weight write in turn, not all at once.
        reader.due = -float(3 * len(self._readers) % _BURST)
        self._readers[reader] = None
        try:
            async for message in socket:
                if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                    await self._hear(reader, message.data)
        finally:
            del self._readers[reader]
        return socket

    async def _hear(self, reader: Reader, data: str | bytes) -> None:
        if data == "ping":
            await reader.socket.send_str("pong")
            return
        said = json.loads(data)
        if "ping" in said:
            await reader.socket.send_bytes(pack({"pong": int(time.time() * 1000)}))
        elif said.get("action") == "login":
            await reader.socket.send_bytes(pack({"event": "login", "code": "200000", "msg": "success"}))
        elif said.get("event") == "subscribe":
            reply = {"event": "subscribe", "code": 0, "msg": "success", "arg": said["arg"], "invalidArg": []}
            await reader.socket.send_bytes(pack(reply))
            syms = dict.fromkeys(arg["sym"] for arg in said["arg"] if arg["channel"] == "BBO")
            reader.syms.update((sym, None) for sym in syms)
            reader.transport.write(b"".join(self._still(sym) for sym in syms))
            self._share_load(reader)
            books = [arg["sym"] for arg in said["arg"] if arg["channel"] == "ORDER_BOOK"]
            if books:
                self._detail = asyncio.create_task(self._show_detail(reader, books[0], said["arg"]))

    async def _show_detail(self, reader: Reader, sym: str, args: list[dict[str, str]]) -> None:
        """Send book, bars and trades of a pair four times a second while its connection is open."""
        source, number = random.Random(sym), 0
        while not reader.transport.is_closing():
            for data in detail_pushes(self._bases[sym], self._ticks[sym], number, source):
                arg = next(one for one in args if one["channel"] == data[0])
                reader.transport.write(socket_frame(pack({"arg": arg | {"updatetype": "all"}, "data": data[1]})))
            number += 1
            await asyncio.sleep(DETAIL_S)

    def _still(self, sym: str) -> bytes:
        return quote_frame(sym, self._bases[sym], self._ticks[sym], self._ts)

    def _share_load(self, reader: Reader) -> None:
        moving = [sym for sym in reader.syms if sym not in (ORDER_SYM, PROBE_SYM)]
        reader.weight = len(moving)
        reader.load = cycle(self._interleaved(moving)) if moving else None

    def _interleaved(self, syms: Iterable[str]) -> list[bytes]:
        pools = []
        count = POOL if not self.made else POOL // 10
        for sym in syms:
            if sym not in self._pools:
                self._pools[sym] = pool_of(sym, self._bases[sym], self._ticks[sym], self._ts, count)
            pools.append(self._pools[sym])
        return [frame for frames in zip(*pools, strict=True) for frame in frames]

    async def load(self) -> None:
        """Send at the rate that was told, in bursts, for ever."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            if not self._rate:
                await asyncio.sleep(0.01)
                due = loop.time()
                continue
            period = max(0.002, _BURST / self._rate)
            self._burst(round(self._rate * period))
            due = max(due + period, loop.time() - 0.1)
            await asyncio.sleep(max(0.0, due - loop.time()))

    def _burst(self, count: int) -> None:
        readers = [reader for reader in self._readers if reader.load is not None]
        moving = sum(reader.weight for reader in readers)
        for reader in readers:
            reader.due += count * reader.weight / moving
            if reader.due < min(count, _BURST):
                continue
            share = int(reader.due)
            reader.due -= share
            self._offered += share
            load = reader.load
            if load is not None and not reader.transport.is_closing() and self._keeps_up(reader):
                reader.transport.write(b"".join(next(load) for _ in range(share)))
                self._sent += share

    def _keeps_up(self, reader: Reader) -> bool:
        return reader.transport.get_write_buffer_size() < _BEHIND_BYTES

    # -- what it is told ---------------------------------------------------------------------------------------------

    def obey(self, line: str) -> None:
        told = json.loads(line)
        do = told["do"]
        if do == "rate":
            self._rate = told["value"]
        elif do == "probe":
            self._probe(Decimal(told["bid"]))
        elif do == "cut":
            for transport in list(self._streams):
                transport.abort()
        elif do == "newest":
            self._rate = 0
            tell("newest", bids=self._newest())
        elif do == "stats":
            tell("stats", offered=self._offered, sent=self._sent, at=time.monotonic_ns())

    def _probe(self, bid: Decimal) -> None:
        frame = quote_frame(PROBE_SYM, bid, self._ticks[PROBE_SYM], self._ts)
        for reader in self._readers:
            if PROBE_SYM in reader.syms:
                at = time.monotonic_ns()
                reader.transport.write(frame)
                tell("probe", at=at, bid=str(bid))

    def _newest(self) -> dict[str, str]:
        """Send one last quote of every pair, unlike all before; the bids."""
        bids: dict[str, str] = {}
        for reader in self._readers:
            frames = []
            for sym in reader.syms:
                bid = self._bases[sym] + 33 * self._ticks[sym]
                bids[sym] = str(bid)
                frames.append(quote_frame(sym, bid, self._ticks[sym], self._ts + 1))
            reader.transport.write(b"".join(frames))
        return bids


async def run(ready: Mapping[str, Any], symbols: int, positions: int) -> None:
    """Serve until standard input ends."""
    front = Front(ready, symbols, positions)
    port = await front.begin()
    tell("ready", port=port)
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    load = asyncio.create_task(front.load())
    while line := await lines.readline():
        front.obey(line.decode())
    load.cancel()
    with suppress(asyncio.CancelledError):
        await load


if __name__ == "__main__":
    asyncio.run(run(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
