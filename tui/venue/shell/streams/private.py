"""Private and algo streams: login, heartbeat, order actions, and pushes of the API key's portfolio."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import msgspec
from aiohttp import WSCloseCode, WSMsgType, web

from tui.interface import catalogue, signing
from tui.interface.endpoint import RateLimit
from tui.interface.envelope import MAX_REQUEST_FRAME, PING, PONG, ActionReply
from tui.interface.families.history import NO_ALGO, TradeRecord, add_removed_fields
from tui.interface.families.orders import Action, CancelAllOrders, CancelOrder, OrderState, ReplaceOrder
from tui.interface.streams import PrivateChannel
from tui.interface.text import is_plain
from tui.venue.core.commands import Command, Rejected, Reply
from tui.venue.core.events import (
    AccountsChanged,
    AlgoChanged,
    AssetsChanged,
    Event,
    KeyRefused,
    LiquidationReached,
    MarginCalled,
    OrderChanged,
    OrderFilled,
    PositionLiquidated,
    PositionsChanged,
    PrivateEvent,
    SubPositionLiquidated,
)
from tui.venue.shell import actions, downtime
from tui.venue.shell.connection_slots import SLOT, Slot
from tui.venue.shell.faults import distort
from tui.venue.shell.keys import ErrorReply, Key, Keyring
from tui.venue.shell.rate_limits import SlidingWindows, limit_for
from tui.venue.shell.runtime import Runtime
from tui.venue.shell.snapshots import print_snapshots
from tui.venue.shell.streams.inbox import Inbox
from tui.venue.shell.streams.outbox import Outbox
from tui.venue.shell.streams.sockets import ClientSocket

PUSH_FAULTS = ("close_fault", "odd_data", "push_fault")
"""Switches of the faults that can befall a push."""
IDLE_S = 30
"""Silence after which a connection is closed, s."""
LOGIN_LIMIT = RateLimit(1, 1)
MAX_FAILED_LOGINS = 3
LOGIN_S = 10
"""Time limit of a connection until its first successful login, s."""
BAD_FRAMES = 10
"""Unreadable frames within `BAD_FRAMES_S` after which a connection is closed."""
BAD_FRAMES_S = 10
MAX_ID = 64
"""Longest id of a request, characters."""
SWAP_S = 0.5
"""Time that a push waits for the one it is swapped with, s."""
_BAD_ID = object()
"""Id of a request that cannot be repeated in its answer."""
_DECODER = json.JSONDecoder(parse_float=signing.Token)


class BuildFrame(Protocol):
    """Function that builds the push message of an event; empty when the stream has no channel for the event."""

    def __call__(self, event: PrivateEvent, *, with_removed: bool) -> str:
        """Build the push, on request with the fields that the service has removed."""


class StreamKind(NamedTuple):
    """Settings of a kind of private stream: rate limits, push format, login code."""

    limits: Mapping[str, RateLimit]
    """Rate limit by action."""
    frame: BuildFrame
    login_code: int | str


class PrivateSession:
    """Client connection of a private stream."""

    def __init__(self, owner: PrivateStream, socket: ClientSocket, slot: Slot, address: str) -> None:
        self._owner = owner
        self._address = address
        self._slot = slot
        self._socket = socket
        self._runtime = owner.runtime
        self._limits = owner.kind.limits
        self.outbox = Outbox(socket)
        self._inbox = Inbox(self._frame)
        self.key: Key | None = None
        self.only_trade = False
        self._swapped: str | None = None
        self._failed_logins = 0
        self._bad: deque[float] = deque()
        self._began = self._heard = asyncio.get_running_loop().time()

    async def run(self) -> None:
        """Read frames one after the other until the connection ends."""
        idle = asyncio.get_running_loop().create_task(self._watch_idle(), name="private idle")
        try:
            async for message in self._socket:
                self._heard = asyncio.get_running_loop().time()
                if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                    break
                if self._runtime.switches["network"] == "black_hole":
                    continue
                if message.data != PING and self.closes_by_fault("frame"):
                    break
                if message.data == PING:
                    self.outbox.send(PONG, self._runtime.entry_delay() + self._runtime.exit_delay())
                    continue
                await self._inbox.put(message.data, self._runtime.entry_delay())
                if self.outbox.closing:
                    break
        finally:
            idle.cancel()
            await self._inbox.drain()
            await self.outbox.finish()

    async def _watch_idle(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            anonymous = self.key is None
            until = min(self._heard + IDLE_S, self._began + LOGIN_S) if anonymous else self._heard + IDLE_S
            left = until - loop.time()
            if left <= 0 and anonymous:
                self.outbox.close(WSCloseCode.POLICY_VIOLATION, f"no login within {LOGIN_S} s")
                return
            if left <= 0:
                self.outbox.close(WSCloseCode.GOING_AWAY, f"no traffic for {IDLE_S} s")
                return
            await asyncio.sleep(left)

    def push(self, channel: str, frame: str, delay: float) -> None:
        """Send a push, unless an injected fault of its channel changes, delays or drops it."""
        if self._runtime.switches["network"] == "black_hole" or self.closes_by_fault("push"):
            return
        faults = self._runtime.faults
        distortion = faults.strikes("odd_data", channel)
        if distortion is not None:
            frame = distort(distortion.kind, frame)
        fault = faults.strikes("push_fault", channel)
        match fault.kind if fault is not None else "":
            case "drop":
                return
            case "delay":
                later = int(fault.figure or "500") / 1000 if fault is not None else 0.0
                asyncio.get_running_loop().call_later(later, self.outbox.send, frame)
                return
            case "reorder" if self._swapped is None:
                self._swapped = frame
                asyncio.get_running_loop().call_later(SWAP_S, self._release)
                return
            case "duplicate":
                for _ in range(int(fault.figure or "1") if fault is not None else 0):
                    self.outbox.send(frame, delay)
        self.outbox.send(frame, delay)
        self._release()

    def _release(self) -> None:
        """Send the push that the fault `reorder` held back."""
        swapped, self._swapped = self._swapped, None
        if swapped is not None:
            self.outbox.send(swapped)

    def closes_by_fault(self, point: str) -> bool:
        """Close the connection if the fault `close_fault` occurs at this point; return True if it did."""
        fault = self._runtime.faults.strikes("close_fault", point)
        if fault is None:
            return False
        if fault.kind in ("rst", "1006"):
            self.outbox.abort()
        else:
            self.outbox.close(int(fault.kind), "fault")
        return True

    def _frame(self, data: str | bytes) -> None:
        if self.outbox.closing:
            return
        request = _parse(data)
        if request is None:
            self._bad_frame(None, 601004, "mismatched input")
            return
        answer_id = _request_id(request)
        action, args = request.get("action"), request.get("args")
        if answer_id is _BAD_ID:
            self._bad_frame(None, 601004, "mismatched input: id is a text of at most 64 characters or an integer")
        elif not isinstance(action, str) or not isinstance(args, dict):
            self._bad_frame(answer_id, 601004, "mismatched input: action and args are needed, args is an object")
        elif action == "login":
            self._login(answer_id, args)
        elif action not in self._limits:
            known = ", ".join(self._limits)
            self._bad_frame(answer_id, 601902, f"unknown action {action[:40]!r}; known are login, {known}")
        else:
            self._act(answer_id, action, args)

    def _login(self, answer_id: Any, args: Mapping[str, Any]) -> None:
        skew = int(self._runtime.switches["client_skew"])
        unknown = int(self._runtime.switches["login_unknown_key"])
        now = self._runtime.clock.wall()
        key = self._owner.keyring.login(args, address=self._address, wall_s=now, window_s=skew, unknown_key=unknown)
        if not isinstance(key, ErrorReply) and self._owner.windows.acquire(key.api_key, "login", LOGIN_LIMIT) > 0:
            key = ErrorReply(60009, "Login failed. too many logins")
        if isinstance(key, ErrorReply):
            self._failed_logins += 1
            event = "login" if self._runtime.switches["login_failure"] == "new" else "error"
            self._reply(answer_id, event, key.code, key.message, None)
            if self._failed_logins >= MAX_FAILED_LOGINS:
                self.outbox.close(WSCloseCode.POLICY_VIOLATION, "three failed logins")
            return
        self.key = key
        self._slot.count_as_logged_in()
        self.only_trade = str(args.get("onlyTrade", False)).lower() == "true"
        self._reply(answer_id, "login", self._owner.kind.login_code, "", None)
        if self._runtime.switches["login_snapshot"] == "full" and not self.only_trade:
            self._owner.push_snapshot(self)
        self.closes_by_fault("login")

    def _act(self, answer_id: Any, action: str, args: Mapping[str, Any]) -> None:
        command = self._read_command(action, args)
        if isinstance(command, ErrorReply):
            self._reply(answer_id, action, command.code, command.message, None)
        else:
            self._execute(action, command, partial(self._answer, answer_id, action))

    def _read_command(self, action: str, args: Mapping[str, Any]) -> Command | ErrorReply:
        """Build the command of an action, or return the first error that prevents it."""
        key = self._acting_key()
        if isinstance(key, ErrorReply):
            return key
        if "TRADE" not in key.permissions:
            return ErrorReply(2002, "the key lacks the permission TRADE")
        limit = limit_for(action, self._limits[action], key.level, self._runtime.switches["sub_limits"])
        if self._owner.windows.acquire(key.api_key, "stream " + action, limit) > 0:
            return ErrorReply(100429, self._owner.windows.refusal(action, limit))
        unread = actions.describe_unread(actions.BY_ACTION[action], args)
        if unread:
            return ErrorReply(601004, unread)
        try:
            sent = {name: signing.text_of(value) for name, value in args.items() if value is not None}
        except signing.BadBody as error:
            return ErrorReply(400000, str(error))
        command = actions.build_command(actions.BY_ACTION[action], key.portfolio, sent)
        if isinstance(command, ErrorReply):
            return command
        paused = downtime.describe_pause(self._runtime.switches["maintenance"], action, self._runtime.now_ms())
        if paused:
            return ErrorReply(601903, paused)
        return command

    def _acting_key(self) -> Key | ErrorReply:
        """Return the API key in its current state, or the error that keeps it from trading."""
        if self.key is None:
            return ErrorReply(601901, "log in before the first action")
        key = self._owner.keyring.find(self.key.api_key)
        if key is None:
            return ErrorReply(405001, "The apiKey Not Found")
        if not key.accepts(self._address):
            return ErrorReply(2001, f"address {self._address} is not on the list of the apiKey")
        return ErrorReply(100041, "the apiKey is frozen") if key.frozen else key

    def _execute(self, action: str, command: Command, answer: Callable[[Reply], None]) -> None:
        """Execute a command; injected faults can delay it, or cancel the order of a replace."""
        faults = self._runtime.faults
        late = faults.strikes("commit_late", action)
        if late is not None:
            asyncio.get_running_loop().call_later(int(late.figure) / 1000, self._runtime.submit, command, answer)
        elif isinstance(command, ReplaceOrder) and faults.strikes("replace_fault", action):
            self._lose_order(command, answer)
        else:
            self._runtime.submit(command, answer)

    def _answer(self, answer_id: Any, action: str, reply: Reply) -> None:
        """Send the reply to an action; injected faults can lose it, delay it, or close the connection instead."""
        faults = self._runtime.faults
        if faults.strikes("lose_reply", action) or self.closes_by_fault(action):
            return
        slow = faults.strikes("reply_delay", action)
        if slow is not None:
            asyncio.get_running_loop().call_later(int(slow.figure) / 1000, self._answer_now, answer_id, action, reply)
        else:
            self._answer_now(answer_id, action, reply)

    def _answer_now(self, answer_id: Any, action: str, reply: Reply) -> None:
        if isinstance(reply, Rejected):
            self._reply(answer_id, action, reply.code, reply.message, None)
        else:
            self._reply(answer_id, action, 200000, "Success", reply)

    def _lose_order(self, command: ReplaceOrder, answer: Callable[[Reply], None]) -> None:
        """Fail a replace and cancel its order, for the fault `replace_fault`."""
        ids = {"order_id": command.order_id, "client_order_id": command.client_order_id}

        def answer_cancelled(reply: Reply) -> None:
            if isinstance(reply, ActionReply):
                reply = msgspec.structs.replace(reply, order_state=OrderState.CANCELLED, action=Action.AMEND_FAILED)
            answer(reply)

        self._runtime.submit(CancelOrder(portfolio=command.portfolio, **ids), answer_cancelled)

    def _reply(self, answer_id: Any, event: str, code: int | str, msg: str, data: Any) -> None:
        if self._runtime.switches["network"] == "black_hole":
            return
        shown: int | str = str(code) if self._runtime.switches["code_type"] == "text" else code
        frame = {"id": answer_id, "event": event, "code": shown, "msg": msg[:200], "data": data}
        self.outbox.send(msgspec.json.encode(frame).decode(), self._runtime.exit_delay())

    def _bad_frame(self, answer_id: Any, code: int, msg: str) -> None:
        now = asyncio.get_running_loop().time()
        self._bad.append(now)
        while self._bad[0] < now - BAD_FRAMES_S:
            self._bad.popleft()
        self._reply(answer_id, "error", code, msg, None)
        if len(self._bad) >= BAD_FRAMES:
            self._reply(None, "error", 601904, "too many bad frames", None)
            self.outbox.close(WSCloseCode.POLICY_VIOLATION, "too many bad frames")


def _request_id(request: Mapping[str, Any]) -> Any:
    value = request.get("id")
    if value is None or (type(value) is str and len(value) <= MAX_ID):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        return value
    return _BAD_ID


def _parse(data: str | bytes) -> dict[str, Any] | None:
    try:
        text = data if isinstance(data, str) else data.decode(json.detect_encoding(data))
        request = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return request if isinstance(request, dict) and is_plain(request) else None


class PrivateStream:
    """All connections of the private stream, or of the algo stream."""

    def __init__(self, runtime: Runtime, keyring: Keyring, windows: SlidingWindows, kind: StreamKind) -> None:
        self.runtime = runtime
        self.kind = kind
        self.keyring = keyring
        self.windows = windows
        self._sessions: dict[int, PrivateSession] = {}
        self._count = 0
        runtime.listen(self._on_events)

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Serve a connection from the WebSocket upgrade to its end."""
        socket = ClientSocket(compress=False, max_msg_size=MAX_REQUEST_FRAME, timeout=0.5)
        await socket.prepare(request)
        session = PrivateSession(self, socket, request[SLOT], request.remote or "")
        self._count += 1
        number = self._count
        self._sessions[number] = session
        try:
            await session.run()
        finally:
            del self._sessions[number]
            if session.key is not None:
                self._on_disconnect(session.key.portfolio)
        return socket

    def _on_disconnect(self, portfolio: str) -> None:
        """Cancel a portfolio's orders after its last connection ended, by the switch `dead_man` (cancel on disconnect)."""
        after = self.runtime.switches["dead_man"]
        if self.kind is PRIVATE and after != "off" and not self._has_session(portfolio):
            asyncio.get_running_loop().call_later(int(after), self._end_orders, portfolio)

    def _has_session(self, portfolio: str) -> bool:
        return any(
            session.key is not None and session.key.portfolio == portfolio for session in self._sessions.values()
        )

    def _end_orders(self, portfolio: str) -> None:
        if not self._has_session(portfolio) and self.runtime.switches["dead_man"] != "off":
            self.runtime.execute(CancelAllOrders(portfolio=portfolio, alone=True), lambda _reply: None)

    def drop_connections(self) -> None:
        """Drop every connection without a close frame."""
        for session in list(self._sessions.values()):
            session.outbox.abort()

    def _close_refused(self, refused: KeyRefused) -> None:
        """Close the connections of an API key that was frozen or deleted."""
        for session in list(self._sessions.values()):
            if session.key is not None and session.key.api_key == refused.access_key:
                session.outbox.close(WSCloseCode.POLICY_VIOLATION, refused.reason)

    def _on_events(self, events: Sequence[Event]) -> None:
        if not self._sessions:
            return
        for event in events:
            if isinstance(event, KeyRefused):
                self._close_refused(event)
        private = [event for event in events if isinstance(event, PrivateEvent)]
        may_fail = self.runtime.switches["network"] == "black_hole" or self.runtime.faults.may_strike(PUSH_FAULTS)
        for event in self.runtime.order_pushes(private):
            frame = ""
            for session in list(self._sessions.values()):
                if session.key is None or session.only_trade:
                    continue
                channel = CHANNELS[type(event)]
                foreign = session.key.portfolio != event.portfolio
                if foreign and not self.runtime.faults.strikes("wrong_portfolio", channel):
                    continue
                frame = frame or self._frame(event)
                if not frame:
                    break
                if may_fail:
                    session.push(channel, frame, self.runtime.exit_delay())
                else:
                    session.outbox.send(frame, self.runtime.exit_delay())

    def _frame(self, event: PrivateEvent) -> str:
        """Build the push message of an event; empty when this stream has no channel for it."""
        frame = self.kind.frame(event, with_removed=self.runtime.switches["serve_removed"] == "true")
        names = self.runtime.switches["push_names"]
        if names == "orders" or (names == "documents" and isinstance(event, OrderChanged)):
            name = f'"channel":"{CHANNELS[type(event)]}"'
            frame = frame.replace(name, name.lower(), 1)
        return frame

    def push_snapshot(self, session: PrivateSession) -> None:
        """Push the current orders, positions, assets and accounts of a portfolio to one connection."""
        if session.key is None:
            return
        exchange, portfolio = self.runtime.exchange, session.key.portfolio
        events: list[PrivateEvent] = [
            OrderChanged(portfolio, row) for row in reversed(exchange.queries.open_orders(portfolio))
        ]
        events.append(PositionsChanged(portfolio, tuple(exchange.queries.positions(portfolio))))
        events.append(AssetsChanged(portfolio, tuple(exchange.queries.assets(portfolio))))
        events.append(AccountsChanged(portfolio, tuple(exchange.queries.accounts(portfolio))))
        for event in events:
            frame = self._frame(event)
            if frame:
                session.push(CHANNELS[type(event)], frame, self.runtime.exit_delay())


CHANNELS: dict[type[PrivateEvent], PrivateChannel] = {
    OrderChanged: PrivateChannel.ORDERS,
    OrderFilled: PrivateChannel.TRADES,
    AssetsChanged: PrivateChannel.ASSETS,
    PositionsChanged: PrivateChannel.POSITIONS,
    AccountsChanged: PrivateChannel.ACCOUNTS,
    MarginCalled: PrivateChannel.MARGIN_CALL,
    LiquidationReached: PrivateChannel.LIQUIDATION_EVENT,
    PositionLiquidated: PrivateChannel.LIQUIDATION_POSITION,
    SubPositionLiquidated: PrivateChannel.LIQUIDATION_BY_USER,
    AlgoChanged: PrivateChannel.ALGO_ORDER,
}
"""Channel of each event."""


def _private_frame(event: PrivateEvent, *, with_removed: bool) -> str:
    of: dict[str, Any]
    match event:
        case OrderChanged(_, record):
            of = {"instId": record.sym, "data": record}
        case OrderFilled(_, record):
            of = {"instId": record.sym, "data": _fill(record, with_removed=with_removed)}
        case LiquidationReached(_, node):
            of = {"data": print_snapshots(node)}
        case PositionLiquidated(_, reduced) | SubPositionLiquidated(_, reduced):
            of = {"data": reduced}
        case AlgoChanged():
            return ""
        case _:
            of = {"data": event.records}
    return msgspec.json.encode({"channel": CHANNELS[type(event)], **of}).decode()


def _fill(record: TradeRecord, *, with_removed: bool) -> object:
    return add_removed_fields(record, pushed=True) if with_removed else record


def _algo_frame(event: PrivateEvent, *, with_removed: bool) -> str:
    """Build the push of an algo order, or of an order or fill of its child order."""
    channel: str
    sym: str
    data: object
    match event:
        case AlgoChanged(_, algo):
            channel, sym, data = PrivateChannel.ALGO_ORDER, algo.sym, algo
        case OrderChanged(_, order) if order.algo_order_id:
            channel, sym, data = "SUB_ORDER", order.sym, order
        case OrderFilled(_, trade) if trade.algo_order_id != NO_ALGO:
            channel, sym, data = "SUB_TRADE", trade.sym, _fill(trade, with_removed=with_removed)
        case _:
            return ""
    return msgspec.json.encode({"channel": channel, "instId": sym, "data": data}).decode()


PRIVATE = StreamKind(
    limits={
        "place_order": catalogue.BY_NAME["place_order"].limit,
        "replace_order": catalogue.BY_NAME["replace_order"].limit,
        "cancel_order": catalogue.BY_NAME["cancel_order"].limit,
        "cancel_orders": catalogue.BY_NAME["cancel_all"].limit,
    },
    frame=_private_frame,
    login_code=0,
)
ALGO = StreamKind(
    limits={
        "place_algo_order": catalogue.BY_NAME["place_algo"].limit,
        "replace_algo_order": catalogue.BY_NAME["replace_algo"].limit,
        "cancel_algo_order": catalogue.BY_NAME["cancel_algo"].limit,
    },
    frame=_algo_frame,
    login_code="0",
)
