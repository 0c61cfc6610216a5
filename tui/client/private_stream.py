"""Private stream: login, keep-alive, order actions with replies, pushes; it reconnects by itself.

A waiter, keyed by request id and action, is registered before its frame is written. When the connection is lost, all
waiters fail at once. Nothing is ever written twice.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable
from typing import Any, Protocol

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, WebSocketException
from websockets.protocol import State

from tui.client.backoff import Backoff, LoginGate
from tui.client.connection_status import ConnectionStatus, LinkLost, Phase, describe_silence
from tui.client.decode import BadFrame, Reader, check_bounds, refuse_repeats, wants_cleaning
from tui.client.settings import Timings
from tui.client.signer import ClockOff, Signer
from tui.crossdesk_error import CrossdeskError
from tui.interface import errors, streams
from tui.interface.envelope import PING, PONG, StreamReply
from tui.interface.families.algo import AlgoRecord
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AccountRecord, PositionRecord
from tui.interface.streams import PrivateChannel
from tui.interface.text import scrub
from tui.protocols import Clock, Connector, IdGenerator, RandomSource

MAX_LATE = 2_000
"""Most unanswered requests that a late reply can still reach."""

_REPLY: Reader[StreamReply] = Reader(StreamReply)
_RECORDS: dict[PrivateChannel, tuple[Reader[Any], Reader[Any]]] = {
    channel: (Reader(record), Reader(list[record]))  # type: ignore[valid-type]
    for channel, record in (
        (PrivateChannel.ORDERS, OrderRecord),
        (PrivateChannel.TRADES, TradeRecord),
        (PrivateChannel.ASSETS, AssetRecord),
        (PrivateChannel.POSITIONS, PositionRecord),
        (PrivateChannel.ACCOUNTS, AccountRecord),
        (PrivateChannel.MARGIN_CALL, AccountRecord),
        (PrivateChannel.LIQUIDATION_EVENT, dict[str, Any]),
        (PrivateChannel.LIQUIDATION_POSITION, dict[str, Any]),
        (PrivateChannel.LIQUIDATION_BY_USER, dict[str, Any]),
        (PrivateChannel.ALGO_ORDER, AlgoRecord),
    )
}
_CHANNELS = {channel.lower(): channel for channel in PrivateChannel}


class NotWritten(CrossdeskError):
    """Error for a frame of which certainly no byte was sent."""

    title = "Not sent"


class NoAnswer(CrossdeskError):
    """Error for a frame that was sent but not replied to in time: its outcome is unknown."""

    title = "No answer"


class StreamRoute(Protocol):
    """Source of the address that a stream connects to; it is told of the stream's logins and failures."""

    async def address(self) -> str:
        """Return the address for the next attempt; wait while the stream must stay disconnected."""
        ...

    def record_login(self) -> None:
        """Record a successful login."""
        ...

    def record_failure(self) -> bool:
        """Record a failed attempt or a lost connection; return whether the next attempt uses another address."""
        ...


class PrivateHandler(Protocol):
    """Receiver of the stream's messages; called from the stream's own tasks and must not block."""

    def private_changed(self, status: ConnectionStatus) -> None:
        """Handle a change of the connection phase."""
        ...

    def private_ready(self, epoch: int) -> None:
        """Handle a successful login; pushes of this connection epoch follow."""
        ...

    def private_push(self, epoch: int, channel: PrivateChannel, records: list[Any], received: float) -> None: ...

    def tier_changed(self) -> None:
        """Handle the switch to the other failover tier for the next attempt."""
        ...

    def action_written(self) -> None:
        """Handle that an action's bytes were handed to the transport."""
        ...

    def late_reply(self, token: object, reply: StreamReply) -> None:
        """Handle a reply that came after its action had timed out."""
        ...


class PrivateStream:
    """Private or algo stream that stays connected while `run` runs."""

    def __init__(
        self,
        route: StreamRoute,
        *,
        connector: Connector,
        signer: Signer,
        clock: Clock,
        random_source: RandomSource,
        ids: IdGenerator,
        timings: Timings,
        handler: PrivateHandler,
        logins: LoginGate,
        name: str = "private",
        only_trade: bool = False,
    ) -> None:
        """Store the settings; `logins` is shared by all streams of an API key, `only_trade` turns pushes off."""
        self.status = ConnectionStatus()
        self._route = route
        self._name = name
        self._only_trade = only_trade
        self._connector = connector
        self._signer = signer
        self._clock = clock
        self._ids = ids
        self._timings = timings
        self._handler = handler
        self._backoff = Backoff(timings, random_source.stream(f"{name} backoff"))
        self._logins = logins
        self._socket: ClientConnection | None = None
        self._waiters: dict[tuple[str, str], asyncio.Future[StreamReply]] = {}
        self._late: dict[tuple[str, str], object] = {}
        self._bad: deque[float] = deque(maxlen=timings.bad_frames_limit)
        self._pinged = 0.0
        self._heard = asyncio.Event()
        """Set when anything arrived since the last ping."""
        self._ping_idle = timings.ping_idle
        self._objections = 0
        self._login_pending = False

    @property
    def is_proven(self) -> bool:
        """Whether the stream is logged in and received a frame recently enough."""
        age = self._clock.mono() - self.status.last_frame
        return self.status.phase is Phase.READY and age < self._ping_idle + self._timings.ping_timeout

    @property
    def in_flight(self) -> int:
        """Number of requests still without a reply."""
        return len(self._waiters)

    def drop(self, reason: str) -> None:
        """Drop the current connection at once; the stream reconnects by itself."""
        if self._socket is not None:
            self.status.last_error = reason
            self._socket.transport.abort()

    async def run(self) -> None:
        """Stay connected and logged in until cancelled."""
        while True:
            self.status.epoch += 1
            try:
                await self._run_connection(self.status.epoch)
            except LinkLost as lost:
                reason = str(lost)
            except (OSError, WebSocketException, TimeoutError) as error:
                reason = _describe_error(error)
            except Exception:
                self._set_phase(Phase.DOWN, "internal error")
                raise
            else:
                reason = "connection ended"
            finally:
                self._fail_waiters()
                self._socket = None
            self.status.retries += 1
            self._set_phase(Phase.DOWN, self.status.last_error or reason)
            if self._route.record_failure():
                self._handler.tier_changed()
            await asyncio.sleep(max(self._backoff.next_delay(), self._logins.remaining_s()))

    async def send_action(self, action: str, args: dict[str, str], token: object) -> StreamReply:
        """Send one action and wait for its reply.

        Args:
            action: Name of the action.
            args: Its arguments, all texts.
            token: Passed to `late_reply` when the reply comes after the timeout.

        Raises:
            NotWritten: Nothing was passed to the transport.
            NoAnswer: It was, and no reply came in time, or the connection was lost.
        """
        socket = self._socket
        if self.status.phase is not Phase.READY or socket is None or not _is_writable(socket):
            raise NotWritten(f"the {self._name} stream is not connected")
        request_id = self._ids.request_id()
        reply = await self._request(socket, request_id, action, streams.action_frame(request_id, action, args), token)
        if reply is None:
            raise NoAnswer(f"no answer within {self._timings.reply_timeout:g} s")
        return reply

    async def _request(
        self, socket: ClientConnection, request_id: str, action: str, frame: bytes, token: object
    ) -> StreamReply | None:
        key = (request_id, action)
        waiter: asyncio.Future[StreamReply] = asyncio.get_running_loop().create_future()
        self._waiters[key] = waiter
        try:
            async with asyncio.timeout(self._timings.reply_timeout):
                # No await between the check of the socket and the write inside send: an error after this line never
                # proves that nothing was sent.
                await socket.send(frame, text=True)
                self._handler.action_written()
                return await asyncio.shield(waiter)
        except TimeoutError:
            if waiter.done() and waiter.exception() is None:
                return waiter.result()
            self._expect_late_reply(key, token)
            return None
        except (ConnectionClosed, OSError, LinkLost) as error:
            if waiter.done() and waiter.exception() is None:
                return waiter.result()
            raise NoAnswer(_describe_error(error)) from error
        finally:
            self._waiters.pop(key, None)
            if waiter.done():
                waiter.exception()
            else:
                waiter.cancel()

    def _expect_late_reply(self, key: tuple[str, str], token: object) -> None:
        self._late[key] = token
        while len(self._late) > MAX_LATE:
            del self._late[next(iter(self._late))]

    async def _run_connection(self, epoch: int) -> None:
        self.status.last_error, self.status.login_refused = "", False
        try:
            self._signer.check_login()
        except ClockOff as error:
            raise LinkLost(str(error)) from error
        self._set_phase(Phase.CONNECTING)
        async with self._connector.private_stream(await self._route.address()) as socket:
            self._socket = socket
            self._late.clear()
            self.status.last_frame = self._clock.mono()
            reader = asyncio.create_task(self._read(socket, epoch), name=f"{self._name} read {epoch}")
            pinger = asyncio.create_task(self._keep_alive(socket), name=f"{self._name} ping {epoch}")
            try:
                login = asyncio.create_task(self._login(socket), name=f"{self._name} login {epoch}")
                try:
                    await _wait_for_login(reader, login)
                finally:
                    login.cancel()
                self._backoff.reset()
                self._route.record_login()
                self.status.retries = 0
                self._set_phase(Phase.READY)
                self._handler.private_ready(epoch)
                await reader
            finally:
                self._release_socket()
                socket.transport.abort()
                for task in (reader, pinger):
                    task.cancel()
                await _wait_for_end(reader, pinger)

    def _release_socket(self) -> None:
        self._socket = None
        self._fail_waiters()

    async def _login(self, socket: ClientConnection) -> None:
        while True:
            await asyncio.sleep(self._logins.remaining_s())
            # Another stream of the same key may have logged in meanwhile.
            if self._logins.remaining_s() <= 0:
                break
        self._set_phase(Phase.LOGIN)
        request_id = self._ids.request_id()
        try:
            args = self._signer.login_args(private=True, only_trade=self._only_trade)
        except ClockOff as error:
            raise LinkLost(str(error)) from error
        frame = streams.action_frame(request_id, streams.LOGIN, args)
        self._logins.record_login()
        self._login_pending = True
        try:
            reply = await self._request(socket, request_id, streams.LOGIN, frame, None)
        except NoAnswer as error:
            raise LinkLost(str(error)) from error
        finally:
            self._login_pending = False
        if reply is None:
            raise LinkLost("no answer to the login")
        if reply.number != errors.LOGIN_SUCCESS:
            self._logins.record_refusal()
            self.status.login_refused = True
            self.status.last_error = f"login refused: {errors.describe_code(reply.number, reply.text)}"
            raise LinkLost(self.status.last_error)

    async def _read(self, socket: ClientConnection, epoch: int) -> None:
        while True:
            try:
                frame = await socket.recv(decode=False)
            except ConnectionClosed as error:
                raise LinkLost(_describe_error(error)) from error
            received = self._clock.mono()
            self.status.last_frame = received
            self._heard.set()
            if frame == PONG.encode():
                if self._pinged:
                    self.status.round_trip_ms = (received - self._pinged) * 1000
                    self._pinged = 0.0
                    self._objections = 0
                continue
            try:
                self._take(frame, epoch, received)
            except BadFrame as bad:
                self._count_bad(str(bad), received)

    def _take(self, frame: bytes, epoch: int, received: float) -> None:
        check_bounds(frame)
        refuse_repeats(frame)
        clean = wants_cleaning(frame)
        message = _REPLY.parse(frame, clean=False)
        if message.channel:
            self._take_push(message, epoch, received, clean=clean)
            return
        if not message.event:
            raise BadFrame("neither a reply nor a push")
        self._take_reply(scrub(message) if clean else message, received)

    def _take_push(self, message: StreamReply, epoch: int, received: float, *, clean: bool) -> None:
        channel = _CHANNELS.get(message.channel.lower())
        if channel is None or self.status.phase not in (Phase.LOGIN, Phase.READY):
            return
        single, many = _RECORDS[channel]
        if bytes(message.data).lstrip()[:1] == b"[":
            records = many.parse(message.data, clean=clean)
        else:
            records = [single.parse(message.data, clean=clean)]
        self._handler.private_push(epoch, channel, records, received)

    def _take_reply(self, reply: StreamReply, received: float) -> None:
        key = ("" if reply.id is None else str(reply.id), reply.event)
        waiter = self._waiters.get(key) or self._find_login_waiter(reply)
        if waiter is not None and not waiter.done():
            waiter.set_result(reply)
            return
        if key in self._late:
            self._handler.late_reply(self._late.pop(key), reply)
            return
        self.status.stray_replies += 1
        # A stray reply to something else proves nothing about pings.
        if reply.event == "error" and self._pinged and received - self._pinged < 1.0:
            self._count_ping_objection()

    def _find_login_waiter(self, reply: StreamReply) -> asyncio.Future[StreamReply] | None:
        """Return the waiter for the login reply, which some servers send without its id or as an error event."""
        if not self._login_pending or reply.event not in (streams.LOGIN, "error"):
            return None
        waiters = [waiter for (_, action), waiter in self._waiters.items() if action == streams.LOGIN]
        return waiters[0] if waiters else None

    async def _keep_alive(self, socket: ClientConnection) -> None:
        asked = self._clock.mono()
        while True:
            now = self._clock.mono()
            quiet = now - self.status.last_frame
            wait = min(self._ping_idle - quiet, asked + self._timings.ping_every - now)
            if wait > 0:
                await asyncio.sleep(wait)
                continue
            asked = self._pinged = now
            self._heard.clear()
            try:
                async with asyncio.timeout(self._timings.ping_timeout):
                    await socket.send(PING)
                    # Waits only for the pong: a peer that falls silent afterwards must be pinged again in time.
                    await self._heard.wait()
            except TimeoutError:
                self.status.last_error = f"no sign of life for {quiet + self._timings.ping_timeout:.0f} s"
                socket.transport.abort()
                return
            except (ConnectionClosed, OSError):
                return

    def _count_ping_objection(self) -> None:
        self._objections += 1
        self._pinged = 0.0
        if self._objections >= 2 and self._ping_idle < self._timings.ping_fallback:
            self._ping_idle = self._timings.ping_fallback
            self.status.last_error = f"server rejects early pings; pinging every {self._ping_idle:g} s"

    def _count_bad(self, reason: str, received: float) -> None:
        self.status.bad_frames += 1
        self._bad.append(received)
        full = len(self._bad) == self._bad.maxlen
        if full and received - self._bad[0] < self._timings.bad_frames_window:
            self._bad.clear()
            raise LinkLost(f"too many unreadable frames, last: {reason}")

    def _fail_waiters(self) -> None:
        waiters, self._waiters = self._waiters, {}
        for waiter in waiters.values():
            if not waiter.done():
                waiter.set_exception(LinkLost("connection lost"))
                waiter.exception()

    def _set_phase(self, phase: Phase, last_error: str = "") -> None:
        self.status.phase = phase
        self.status.since = self._clock.mono()
        if last_error:
            self.status.last_error = last_error
        elif phase is Phase.READY:
            self.status.last_error = ""
        self._handler.private_changed(self.status)


def _is_writable(socket: ClientConnection) -> bool:
    return socket.state is State.OPEN and not socket.transport.is_closing()


async def _wait_for_login(reader: asyncio.Task[None], login: asyncio.Task[None]) -> None:
    """Wait for the login reply; if the reader ends first, raise its error."""
    await asyncio.wait([reader, login], return_when=asyncio.FIRST_COMPLETED)
    if reader.done():
        await reader
    await login


async def _wait_for_end(*tasks: Awaitable[None]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


def _describe_error(error: BaseException) -> str:
    if isinstance(error, InvalidStatus):
        return f"the venue refused the connection (HTTP {error.response.status_code})"
    if isinstance(error, InvalidHandshake):
        return "the venue cannot be reached: it takes no connection"
    if isinstance(error, ConnectionClosed):
        close = error.rcvd
        return f"closed by the server ({close.code})" if close is not None else "connection lost"
    if isinstance(error, TimeoutError):
        return "no answer while connecting"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused, no server listens there"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return describe_silence(error)
