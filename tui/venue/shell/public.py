"""The public stream: subscribe rules, heartbeat, and pushes that are built and compressed once for everybody."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from aiohttp import WSCloseCode, WSMsgType, web

from tui.interface.envelope import MAX_REQUEST_FRAME, PING, PONG
from tui.interface.families.market import Bbo, Channel, MarkPush, TradePush
from tui.interface.symbols import BadSymbol, parse_symbol
from tui.venue.core.events import Event, MarkChanged, Printed, QuoteChanged
from tui.venue.shell.keys import Denial, Keyring
from tui.venue.shell.outbox import Outbox
from tui.venue.shell.runtime import Runtime

IDLE_S = 60
PING_S = 30
PAIRS_ANONYMOUS = 5
PAIRS_KNOWN = 50
CONNECTIONS_ANONYMOUS = 5
CONNECTIONS_KNOWN = 40
REQUESTS_PER_S = 50

PERP_ONLY = frozenset(
    [
        Channel.MARK_PRICE,
        Channel.INDEX_PRICE,
        Channel.MARK_PRICE_KLINE,
        Channel.INDEX_KLINE,
        Channel.OPEN_INTEREST,
    ]
)
SERVED = frozenset([Channel.BBO, Channel.TRADE, Channel.MARK_PRICE])
"""Channels this venue pushes; the others are refused as unknown."""


class Refusal(Exception):
    """Why one subscription cannot be."""

    def __init__(self, code: str, msg: str) -> None:
        super().__init__(msg)
        self.code, self.msg = code, msg


class Frame:
    """One message, as text and, when somebody wants it so, as one gzip frame."""

    def __init__(self, message: Mapping[str, Any]) -> None:
        self.text = msgspec.json.encode(message)
        self._packed: bytes | None = None

    @property
    def packed(self) -> bytes:
        if self._packed is None:
            packer = zlib.compressobj(1, zlib.DEFLATED, 31)
            self._packed = packer.compress(self.text) + packer.flush()
        return self._packed


class Session:
    """One connection of the public stream."""

    def __init__(self, owner: PublicStream, socket: web.WebSocketResponse, *, address: str, plain: bool) -> None:
        self._owner = owner
        self._socket = socket
        self._runtime = owner.runtime
        self.address = address
        self._plain = plain
        self.outbox = Outbox(socket)
        self.known = False
        self.wanted: dict[tuple[str, str], None] = {}
        self._heard = asyncio.get_running_loop().time()

    async def run(self) -> None:
        """Read frames one after the other until the connection ends."""
        loop = asyncio.get_running_loop()
        idle = loop.create_task(self._watch_idle(), name="public idle")
        ping = loop.create_task(self._ping(), name="public ping")
        try:
            async for message in self._socket:
                if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                    break
                self._heard = loop.time()
                await asyncio.sleep(self._runtime.entry_delay())
                self._frame(message.data)
                if self.outbox.closing:
                    break
        finally:
            idle.cancel()
            ping.cancel()
            if not self.outbox.closing or self._socket.closed:
                await self.outbox.finish()

    def push(self, frame: Frame, delay: float = 0.0) -> None:
        self.outbox.send(frame.text.decode() if self._plain else frame.packed, delay)

    async def _watch_idle(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            left = self._heard + IDLE_S - loop.time()
            if left <= 0:
                self.outbox.close(WSCloseCode.GOING_AWAY, "no traffic for 60 s")
                return
            await asyncio.sleep(left)

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(PING_S)
            try:
                await self._socket.ping()
            except (ConnectionError, RuntimeError):
                return

    def _frame(self, data: str | bytes) -> None:
        if data == PING:
            self.outbox.send(PONG)
            return
        try:
            request = json.loads(data)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            self._error("601004", "mismatched input: the frame is not a JSON object")
        elif "ping" in request:
            self.push(Frame({"pong": self._runtime.now_ms()}))
        elif request.get("action") == "login":
            self._login(request.get("args"))
        else:
            self._subscription(request)

    def _login(self, args: Any) -> None:
        key = self._owner.keyring.login(args if isinstance(args, dict) else {}, wall_s=self._runtime.clock.wall())
        if isinstance(key, Denial):
            self.push(Frame({"id": None, "event": "login", "code": "10001", "msg": "auth failed"}))
            return
        self.known = True
        self.push(Frame({"event": "login", "code": "200000", "msg": "success"}))

    def _subscription(self, request: Mapping[str, Any]) -> None:
        event, args = request.get("event"), request.get("arg")
        verb = event.lower() if isinstance(event, str) else ""
        if verb not in ("subscribe", "unsubscribe") or not isinstance(args, list) or not args:
            self._error("601004", "mismatched input: event is subscribe or unsubscribe, arg is a list", args)
            return
        if self._owner.too_fast(self.address):
            self._error("11260", f"more than {REQUESTS_PER_S} requests in a second", args)
            return
        accepted: list[Any] = []
        refused: list[Any] = []
        fresh: list[tuple[str, str]] = []
        first: Refusal | None = None
        for arg in args:
            try:
                channel, sym = self._target(arg)
                if verb == "unsubscribe":
                    self.wanted.pop((channel, sym), None)
                else:
                    self._admit(sym)
                    self.wanted[(channel, sym)] = None
                    fresh.append((channel, sym))
                accepted.append(arg)
            except Refusal as refusal:
                refused.append(arg)
                first = first or refusal
        if first is not None and not accepted:
            self._error(first.code, first.msg, args)
            return
        reply: dict[str, Any] = {"event": verb, "code": 0, "msg": "success", "arg": accepted, "invalidArg": refused}
        if self._runtime.switches["subscribe_reply"] == "short":
            reply = {"event": verb, "arg": accepted, "code": 0}
        self.push(Frame(reply))
        for channel, sym in fresh:
            current = self._owner.current(channel, sym)
            if current is not None:
                self.push(current)

    def _target(self, arg: Any) -> tuple[str, str]:
        channel = arg.get("channel") if isinstance(arg, dict) else None
        sym = (arg.get("sym") or arg.get("instId")) if isinstance(arg, dict) else None
        if not isinstance(channel, str) or channel not in SERVED:
            raise Refusal("601004", f"unknown channel {str(channel)[:40]!r}; known are {', '.join(sorted(SERVED))}")
        try:
            parsed = parse_symbol(sym if isinstance(sym, str) else "")
        except BadSymbol:
            raise Refusal("11100", f"invalid symbol {str(sym)[:64]!r}") from None
        if parsed.sym not in self._owner.syms or (channel in PERP_ONLY and not parsed.is_perp):
            raise Refusal("11100", f"invalid symbol {parsed.sym[:64]!r} for {channel}")
        return channel, parsed.sym

    def _admit(self, sym: str) -> None:
        pairs = dict.fromkeys(wanted for _, wanted in self.wanted)
        limit = PAIRS_KNOWN if self.known else PAIRS_ANONYMOUS
        if sym not in pairs and len(pairs) >= limit:
            raise Refusal("11220" if self.known else "11210", f"more than {limit} pairs on this connection")

    def _error(self, code: str, msg: str, arg: Any = None) -> None:
        frame: dict[str, Any] = {"event": "error", "code": code, "msg": msg[:200]}
        if isinstance(arg, list):
            frame["arg"] = arg
        self.push(Frame(frame))


class PublicStream:
    """All connections of the public stream."""

    def __init__(self, runtime: Runtime, keyring: Keyring) -> None:
        self.runtime = runtime
        self.keyring = keyring
        self.syms = frozenset(runtime.exchange.symbol_infos())
        self._sessions: dict[int, Session] = {}
        self._count = 0
        self._requests: dict[str, deque[float]] = {}
        runtime.listen(self._pushed)

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One connection, from upgrade to end."""
        socket = web.WebSocketResponse(compress=False, max_msg_size=MAX_REQUEST_FRAME, timeout=0.5)
        await socket.prepare(request)
        text = self.runtime.switches["public_text"]
        plain = text == "always" or (text == "query" and request.query.get("binary") == "false")
        session = Session(self, socket, address=request.remote or "", plain=plain)
        self._count += 1
        number = self._count
        self._sessions[number] = session
        beside = [other for other in self._sessions.values() if other.address == session.address]
        limit = CONNECTIONS_KNOWN if any(other.known for other in beside) else CONNECTIONS_ANONYMOUS
        if len(beside) > limit:
            session.outbox.close(WSCloseCode.POLICY_VIOLATION, f"more than {limit} connections")
        try:
            await session.run()
        finally:
            del self._sessions[number]
        return socket

    def cut(self) -> None:
        """Drop every connection without a word."""
        for session in list(self._sessions.values()):
            session.outbox.abort()

    def too_fast(self, address: str) -> bool:
        """Count one subscribe or unsubscribe request; True when it is over the limit and counts for nothing."""
        now = asyncio.get_running_loop().time()
        seen = self._requests.setdefault(address, deque())
        while seen and seen[0] <= now - 1:
            seen.popleft()
        if len(seen) >= REQUESTS_PER_S:
            return True
        seen.append(now)
        return False

    def current(self, channel: str, sym: str) -> Frame | None:
        """The present value of a channel, pushed once after the subscription."""
        event: QuoteChanged | MarkChanged | None = None
        if channel == Channel.BBO:
            event = self.runtime.exchange.quote(sym)
        elif channel == Channel.MARK_PRICE:
            event = self.runtime.exchange.mark(sym)
        return None if event is None else self._frame(event)

    def _pushed(self, events: Sequence[Event]) -> None:
        if not self._sessions:
            return
        sessions = list(self._sessions.values())
        for event in events:
            if not isinstance(event, (QuoteChanged, Printed, MarkChanged)):
                continue
            target = (_channel(event), event.sym)
            frame: Frame | None = None
            for session in self._wanting(sessions, target):
                frame = frame or self._frame(event)
                session.push(frame, self.runtime.exit_delay())

    @staticmethod
    def _wanting(sessions: Sequence[Session], target: tuple[str, str]) -> Iterator[Session]:
        return (session for session in sessions if target in session.wanted)

    def _frame(self, event: QuoteChanged | Printed | MarkChanged) -> Frame:
        ts: str | int = event.ts if self.runtime.switches["public_ts"] == "int" else str(event.ts)
        data: Bbo | TradePush | MarkPush
        match event:
            case QuoteChanged():
                data = Bbo(bid=event.bid, bid_qty=event.bid_qty, ask=event.ask, ask_qty=event.ask_qty, ts=ts)
            case Printed():
                data = TradePush(price=event.price, qty=event.qty, side=event.side, trade_id=event.trade_id, ts=ts)
            case MarkChanged():
                data = MarkPush(mark=event.mark, ts=ts)
        return Frame({"arg": {"channel": _channel(event), "sym": event.sym}, "data": data})


def _channel(event: QuoteChanged | Printed | MarkChanged) -> str:
    match event:
        case QuoteChanged():
            return Channel.BBO
        case Printed():
            return Channel.TRADE
        case MarkChanged():
            return Channel.MARK_PRICE
