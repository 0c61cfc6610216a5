"""Public stream: subscriptions, heartbeat, and pushes that are built and compressed once for all clients.

The legacy generation is served on its own paths: other shapes, three channels, always compressed, no idle timeout.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from aiohttp import WSCloseCode, WSMsgType, web

from tui.interface.envelope import MAX_REQUEST_FRAME, PING, PONG
from tui.interface.families.market import Channel
from tui.interface.text import is_plain
from tui.venue.core.events import Event, MarketEvent, PositionsChanged, PublicTrade, QuoteChanged
from tui.venue.shell.connection_slots import SLOT, Slot
from tui.venue.shell.faults import QUOTE_KINDS, REFUSE
from tui.venue.shell.keys import ErrorReply, Keyring
from tui.venue.shell.runtime import Runtime
from tui.venue.shell.streams.channels import (
    TIMED,
    PublicMessage,
    PushBuilder,
    SequenceNumbers,
    SubscribeReply,
    Subscription,
    SubscriptionRejected,
    Target,
    distort_message,
    parse_target,
    target_of,
)
from tui.venue.shell.streams.inbox import Inbox
from tui.venue.shell.streams.legacy_public import LegacyPushBuilder
from tui.venue.shell.streams.outbox import Outbox
from tui.venue.shell.streams.sockets import ClientSocket
from tui.venue.shell.streams.timed_channels import TimedChannels

IDLE_S = 60
PING_S = 30
PAIRS_ANONYMOUS = 5
PAIRS_KNOWN = 50
CONNECTIONS_ANONYMOUS = 5
CONNECTIONS_KNOWN = 40
REQUESTS_PER_S = 50
LEGACY_REQUESTS_PER_S = 10


class PublicSession:
    """Client connection of the public stream."""

    def __init__(
        self,
        owner: PublicStream,
        socket: ClientSocket,
        pushes: PushBuilder,
        slot: Slot,
        *,
        address: str,
        plain: bool,
    ) -> None:
        self._owner = owner
        self._slot = slot
        self._socket = socket
        self._runtime = owner.runtime
        self.pushes = pushes
        """Message builder of its generation of the stream."""
        self.is_legacy = isinstance(pushes, LegacyPushBuilder)
        self.address = address
        self._plain = plain
        self.outbox = Outbox(socket)
        self._inbox = Inbox(self._frame)
        self.known = False
        self.wanted: dict[Target, Subscription] = {}
        self._heard = asyncio.get_running_loop().time()

    async def run(self) -> None:
        """Read frames one after the other until the connection ends."""
        loop = asyncio.get_running_loop()
        watches = [loop.create_task(self._ping(), name="public ping")]
        if not self.is_legacy:
            watches.append(loop.create_task(self._watch_idle(), name="public idle"))
        try:
            async for message in self._socket:
                if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                    break
                self._heard = loop.time()
                if self._runtime.switches["network"] == "black_hole":
                    continue
                await self._inbox.put(message.data, self._runtime.entry_delay())
                if self.outbox.closing:
                    break
        finally:
            for watch in watches:
                watch.cancel()
            await self._inbox.drain()
            await self.outbox.finish()

    def push(self, frame: PublicMessage, delay: float = 0.0) -> None:
        if self._runtime.switches["network"] == "black_hole":
            return
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
        if self.outbox.closing:
            return
        if data == PING:
            self.outbox.send(PONG, self._runtime.exit_delay())
            return
        try:
            request = json.loads(data)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict) or not is_plain(request):
            self._error("601004", "mismatched input: the frame is not a JSON object")
        elif "ping" in request:
            self.push(PublicMessage({"pong": self._runtime.now_ms()}), self._runtime.exit_delay())
        elif request.get("action") == "login":
            self._login(request.get("args"))
        else:
            self._subscription(request)

    def _login(self, args: Any) -> None:
        key = self._owner.keyring.login(
            args if isinstance(args, dict) else {},
            address=self.address,
            wall_s=self._runtime.clock.wall(),
            window_s=int(self._runtime.switches["client_skew"]),
            public=True,
        )
        if isinstance(key, ErrorReply):
            self.push(PublicMessage({"id": None, "event": "login", "code": "10001", "msg": "auth failed"}))
            return
        self.known = True
        self._slot.count_as_logged_in()
        self.push(PublicMessage({"event": "login", "code": "200000", "msg": "success"}))

    def _subscription(self, request: Mapping[str, Any]) -> None:
        event, args = request.get("event"), request.get("arg")
        verb = event.lower() if isinstance(event, str) else ""
        change = {"subscribe": self._subscribe, "unsubscribe": self._unsubscribe}.get(verb)
        if change is None or not isinstance(args, list) or not args:
            self._error("601004", "mismatched input: event is subscribe or unsubscribe, arg is a list", args)
            return
        limit = LEGACY_REQUESTS_PER_S if self.is_legacy else REQUESTS_PER_S
        if self._owner.exceeds_rate(self.address, limit):
            self._error("11260", f"more than {limit} requests in a second", args)
            return
        accepted: list[Any] = []
        targets: list[Target] = []
        rejected: list[Any] = []
        first: SubscriptionRejected | None = None
        for arg in args:
            try:
                targets.append(change(arg))
                accepted.append(arg)
            except SubscriptionRejected as rejection:
                rejected.append(arg)
                first = first or rejection
        if first is not None and not accepted:
            self._error(first.code, first.msg, args)
            return
        self.push(self.pushes.reply(SubscribeReply(verb, targets, accepted, rejected)))
        if verb == "subscribe":
            for target in dict.fromkeys(targets):
                # A later spelling of the same bar in this request replaces an earlier one.
                if target in self.wanted:
                    self._owner.begin(self, target)

    def _subscribe(self, arg: Any) -> Target:
        """Subscribe the connection to one element of a request.

        Raises:
            SubscriptionRejected: Not a channel and pair of this stream, or too many pairs.
        """
        target, level = parse_target(arg, self._owner.syms, self.pushes.channels)
        self._drop_other_spellings(target)
        if self._runtime.faults.strikes("market_fault", target.sym, kinds=(REFUSE,)):
            raise SubscriptionRejected("11250", f"sym {target.sym} is not supported now")
        if self._runtime.exchange.queries.is_delisted(target.sym):
            raise SubscriptionRejected("11250", f"sym {target.sym} is not supported any more")
        self._admit(target.sym)
        if target not in self.wanted or self.wanted[target].level != level:
            self.wanted[target] = Subscription(level=level)
        return target

    def _unsubscribe(self, arg: Any) -> Target:
        """Unsubscribe the connection from one element of a request.

        Raises:
            SubscriptionRejected: Not a channel and pair of this stream.
        """
        target, _ = parse_target(arg, self._owner.syms, self.pushes.channels)
        self._drop_other_spellings(target)
        self.wanted.pop(target, None)
        return target

    def _drop_other_spellings(self, target: Target) -> None:
        """Remove subscriptions to the same candles under another spelling of the interval."""
        if target.interval:
            for other in [known for known in self.wanted if known.bar == target.bar and known != target]:
                del self.wanted[other]

    def _admit(self, sym: str) -> None:
        pairs = {target.sym for target in self.wanted}
        limit = PAIRS_KNOWN if self.known else PAIRS_ANONYMOUS
        if sym not in pairs and len(pairs) >= limit:
            raise SubscriptionRejected(
                "11220" if self.known else "11210", f"more than {limit} pairs on this connection"
            )

    def _error(self, code: str, msg: str, arg: Any = None) -> None:
        self.push(self.pushes.error(code, msg, arg))


class PublicStream:
    """All client connections of the public stream."""

    def __init__(self, runtime: Runtime, keyring: Keyring) -> None:
        self.runtime = runtime
        self.keyring = keyring
        self.syms = frozenset(runtime.exchange.queries.symbol_infos())
        self._sessions: dict[int, PublicSession] = {}
        self._count = 0
        self._requests: dict[tuple[str, int], deque[float]] = {}
        numbers = SequenceNumbers(runtime.now_ms())
        self._pushes = PushBuilder(runtime, runtime.exchange.candles, numbers)
        self._legacy = LegacyPushBuilder(runtime, runtime.exchange.candles, numbers)
        self._timed = TimedChannels(runtime, self._pushes, numbers, lambda: list(self._sessions.values()))
        runtime.listen(self._on_events)

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Serve a connection in the current format, from the WebSocket upgrade to its end."""
        text = self.runtime.switches["public_text"]
        plain = text == "always" or (text == "query" and request.query.get("binary") == "false")
        return await self._serve(request, self._pushes, plain=plain)

    async def serve_legacy(self, request: web.Request) -> web.WebSocketResponse:
        """Serve a connection in the legacy format."""
        return await self._serve(request, self._legacy, plain=False)

    async def _serve(self, request: web.Request, pushes: PushBuilder, *, plain: bool) -> web.WebSocketResponse:
        socket = ClientSocket(compress=False, max_msg_size=MAX_REQUEST_FRAME, timeout=0.5)
        await socket.prepare(request)
        session = PublicSession(self, socket, pushes, request[SLOT], address=request.remote or "", plain=plain)
        self._count += 1
        number = self._count
        self._sessions[number] = session
        same_address = [other for other in self._sessions.values() if other.address == session.address]
        if len(same_address) > CONNECTIONS_KNOWN:
            session.outbox.close(WSCloseCode.POLICY_VIOLATION, f"more than {CONNECTIONS_KNOWN} connections")
        elif sum(not other.known for other in same_address) > CONNECTIONS_ANONYMOUS:
            why = f"more than {CONNECTIONS_ANONYMOUS} connections without a login"
            session.outbox.close(WSCloseCode.POLICY_VIOLATION, why)
        try:
            await session.run()
        finally:
            del self._sessions[number]
        return socket

    def drop_connections(self) -> None:
        """Drop every connection without a close frame."""
        for session in list(self._sessions.values()):
            session.outbox.abort()

    def exceeds_rate(self, address: str, limit: int) -> bool:
        """Count a subscribe or unsubscribe request; return True, without counting it, when it exceeds the rate limit."""
        now = asyncio.get_running_loop().time()
        seen = self._requests.setdefault((address, limit), deque())
        while seen and seen[0] <= now - 1:
            seen.popleft()
        if len(seen) >= limit:
            return True
        seen.append(now)
        return False

    def begin(self, session: PublicSession, target: Target) -> None:
        """Push a channel's current value to a new subscriber."""
        subscription = session.wanted[target]
        if target.channel in TIMED:
            self._timed.begin(session, target, subscription)
        elif target.channel == Channel.OPEN_INTEREST:
            lots = subscription.seen = self.runtime.exchange.queries.open_interest(target.sym)
            session.push(session.pushes.interest(target, lots))
        elif (current := session.pushes.current(target)) is not None:
            session.push(current)

    def _on_events(self, events: Sequence[Event]) -> None:
        if not self._sessions:
            return
        sessions = list(self._sessions.values())
        changed_syms: dict[str, None] = {}
        for event in events:
            if isinstance(event, MarketEvent):
                if isinstance(event, PublicTrade):
                    self._timed.record_trade(event)
                self._push_event(sessions, target_of(event), event)
            elif isinstance(event, PositionsChanged):
                changed_syms.update((record.sym, None) for record in event.records)
        for sym in changed_syms:
            self._push_open_interest(sessions, Target(Channel.OPEN_INTEREST, sym))

    def _push_event(self, sessions: Sequence[PublicSession], target: Target, event: MarketEvent) -> None:
        """Push an event to its subscribers; the message is built once for each stream format."""
        frames: dict[PushBuilder, PublicMessage] = {}
        readers = [session for session in sessions if target in session.wanted]
        event, times = self._disturb(event) if readers else (event, 1)
        distortion = self.runtime.faults.strikes("odd_data", target.channel) if readers else None
        for session in readers:
            frame = frames.get(session.pushes)
            if frame is None:
                frame = frames[session.pushes] = distort_message(session.pushes.push_of(event), distortion)
            for _ in range(times):
                session.push(frame, self.runtime.exit_delay())

    def _disturb(self, event: MarketEvent) -> tuple[MarketEvent, int]:
        """Return the event as changed by an injected market-data fault, and how many times to push it."""
        fault = self.runtime.faults.strikes("market_fault", event.sym, kinds=QUOTE_KINDS)
        if fault is None:
            return event, 1
        by = int(fault.figure or "5000")
        match fault.kind:
            case "silence":
                return event, 0
            case "old" | "future":
                return msgspec.structs.replace(event, ts=event.ts + (by if fault.kind == "future" else -by)), 1
            case "crossed" if isinstance(event, QuoteChanged):
                sides = {"bid": event.ask, "ask": event.bid, "bid_qty": event.ask_qty, "ask_qty": event.bid_qty}
                return msgspec.structs.replace(event, **sides), 1
            case "burst":
                return event, int(fault.figure or "50")
            case _:
                return event, 1

    def _push_open_interest(self, sessions: Sequence[PublicSession], target: Target) -> None:
        """Push the open interest of a pair to subscribers whose last value differs, after positions have changed."""
        readers = [(session, session.wanted[target]) for session in sessions if target in session.wanted]
        if not readers:
            return
        lots = self.runtime.exchange.queries.open_interest(target.sym)
        frame = self._pushes.interest(target, lots)
        for session, subscription in readers:
            if subscription.seen != lots:
                subscription.seen = lots
                session.push(frame, self.runtime.exit_delay())
