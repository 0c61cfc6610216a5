"""One connection of the public stream with its block of pairs."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import aiohttp
from aiohttp import WSMsgType

from tui.client.aiohttp_adapter import (
    Message,
    Socket,
    abort,
    data_waits,
    go_on_reading,
    hold_reading,
    open_socket,
    take_waiting,
)
from tui.client.backoff import Backoff
from tui.client.connection_status import ConnectionStatus, LinkLost, Phase, describe_silence
from tui.client.decode import BadFrame, Reader, inflate
from tui.client.newest_quotes import BBO_MARKER, NewestQuotes, quote_of
from tui.client.packed_quotes import PackedQuotes
from tui.client.settings import Timings
from tui.client.signer import ClockOff, Signer
from tui.client.skew import Skew
from tui.interface import errors, streams
from tui.interface.envelope import PublicArg, code_number
from tui.interface.families.market import Bbo, Channel, InterestPush, MarkPush, TickerPush
from tui.interface.streams import PublicEvent, PushFrame
from tui.interface.symbols import try_parse
from tui.interface.times import millis
from tui.protocols import Clock, RandomSource

T = TypeVar("T")


def _marker(channel: Channel) -> bytes:
    return f'"{channel}"'.encode()


_EVENT: Reader[PublicEvent] = Reader(PublicEvent)
_ARGS: Reader[list[PublicArg]] = Reader(list[PublicArg])
_READERS: tuple[tuple[Channel, Reader[Any]], ...] = (
    (Channel.BBO, Reader(PushFrame[Bbo])),
    (Channel.MARK_PRICE, Reader(PushFrame[MarkPush])),
    (Channel.TICKER, Reader(PushFrame[TickerPush])),
    (Channel.OPEN_INTEREST, Reader(PushFrame[InterestPush])),
)
"""The channels that are read, the most frequent first."""
_QUOTE: Reader[Bbo] = Reader(Bbo)
_TWO_ENDS = b"}}"
"""The end of the quote, and that of the frame."""

_BINARY, _TEXT = WSMsgType.BINARY, WSMsgType.TEXT
_DATA = b'"data"'
_SHOWN = {channel: _marker(channel) for channel in streams.SHOWN_CHANNELS}
_ALWAYS = (Channel.BBO, Channel.TICKER)
_PERPETUAL = (Channel.BBO, Channel.TICKER, Channel.MARK_PRICE, Channel.OPEN_INTEREST)
_SUBSCRIBE_BATCH = 25
SUBSCRIBE_AGAIN_S = 10.0
"""Pairs that are not served are asked for again after this."""
TURN_FRAMES = 128
"""Frames that one turn of the loop unpacks when more wait; then everything else has its turn, orders first of all."""
BEHIND = 64
"""From so many waiting frames on most quotes are dropped before they are unpacked."""
TURN_PACKED = 512
"""Frames that are looked at together for that."""
TURN_QUOTES = 64
"""Quotes that one turn decodes and folds of those that waited."""
GATHER_S = 1 / 60
"""Frames that come fast are read together, one frame of the screen apart: each reading has a price of its own, of each
pair only the newest quote is decoded, and the screen, woken once for all of them, is free to paint them at once."""
FAST_FRAMES = 40
"""That many frames within this time come fast."""
FLOOD_FRAMES = 400
"""From so many on they are read as they come: taking them all at once would last longer than a quote may wait."""
MOST_TURNS = 4
"""Turns after which waiting quotes are folded although more frames wait."""


class QuoteSink(Protocol):
    """Takes best bids and offers, and mark prices. Called for every message: must be quick."""

    def begin_burst(self) -> None:
        """What follows is shown together, at `end_burst`."""
        ...

    def end_burst(self) -> None: ...

    def bbo(self, sym: str, quote: Bbo, received: float) -> None: ...

    def shown_ts(self, sym: str) -> int:
        """Time of the newest quote of a pair, ms; 0 for none."""
        ...

    def mark(self, sym: str, mark: MarkPush) -> None: ...


class TickerSink(Protocol):
    """Takes the slow figures of a pair."""

    def ticker(self, sym: str, push: TickerPush) -> None: ...

    def interest(self, sym: str, push: InterestPush) -> None: ...


class PublicHandler(Protocol):
    """Is notified of what happens to connections and subscriptions. Must not block."""

    def subscribed(self, sym: str, ok: bool, reason: str) -> None:
        """Whether the service serves the pair."""
        ...

    def unreadable(self, channel: str, reason: str) -> None:
        """A push of a channel that is only shown could not be read and is left out."""
        ...

    def public_changed(self) -> None:
        """The phase of some connection changed."""
        ...


_Deliver: TypeAlias = Callable[[str, Sequence[Any], float], None]
"""Takes the pair, the rows of a push and when they were received, monotonic s."""


class _PushRoute(NamedTuple):
    """How the pushes of one channel are recognised, read and delivered."""

    channel: Channel
    marker: bytes
    reader: Reader[Any]
    deliver: _Deliver


class _Pace:
    """Whether frames come fast."""

    def __init__(self) -> None:
        self._began = float("-inf")
        self._count = 0
        self._fast = False

    def are_fast(self, now: float, count: int) -> bool:
        """Some frames were read at this time, monotonic s; the last whole stretch of `GATHER_S` decides."""
        self._count += count
        if now - self._began >= GATHER_S:
            since = now - self._began
            self._fast = since < 2 * GATHER_S and FAST_FRAMES <= self._count < FLOOD_FRAMES
            self._began, self._count = now, 0
        return self._fast


def channels_of(sym: str) -> tuple[Channel, ...]:
    """Channels wanted for a pair; mark prices and open interest exist for perpetuals only."""
    pair = try_parse(sym)
    return _PERPETUAL if pair is not None and pair.is_perp else _ALWAYS


class PublicConnection:
    """Keeps itself connected and its pairs subscribed for as long as `run` runs."""

    def __init__(
        self,
        number: int,
        url: str,
        *,
        session: aiohttp.ClientSession,
        signer: Signer | None,
        clock: Clock,
        random_source: RandomSource,
        timings: Timings,
        skew: Skew,
        quotes: QuoteSink,
        tickers: TickerSink,
        handler: PublicHandler,
    ) -> None:
        self.status = ConnectionStatus()
        self.syms: dict[str, None] = {}
        self.logged_in = False
        self._url = url
        self._session = session
        self._signer = signer
        self._clock = clock
        self._timings = timings
        self._skew = skew
        self._quotes = quotes
        self._handler = handler
        self._routes = self._push_routes(quotes, tickers)
        self._backoff = Backoff(timings, random_source.stream(f"public backoff {number}"))
        self._socket: Socket | None = None
        self._awaited: dict[str, float] = {}
        self._refused: dict[str, float] = {}
        """Pair -> when it was refused, or not answered."""
        self.newest = NewestQuotes(quotes.shown_ts)
        self.packed = PackedQuotes(self.newest)
        self._pace = _Pace()
        self._bad: deque[float] = deque(maxlen=timings.bad_frames_limit)
        self._ping: tuple[float, float] | None = None
        self._login: asyncio.Future[bool] | None = None

    def _push_routes(self, quotes: QuoteSink, tickers: TickerSink) -> tuple[_PushRoute, ...]:
        deliver: dict[Channel, _Deliver] = {
            Channel.BBO: self._take_quotes,
            Channel.MARK_PRICE: _deliver_each(quotes.mark),
            Channel.TICKER: _deliver_each(tickers.ticker),
            Channel.OPEN_INTEREST: _deliver_each(tickers.interest),
        }
        return tuple(_PushRoute(name, _marker(name), reader, deliver[name]) for name, reader in _READERS)

    async def run(self) -> None:
        """Stay connected until cancelled."""
        while True:
            self.status.epoch += 1
            try:
                await self._run_connection()
            except LinkLost as lost:
                reason = str(lost)
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                reason = describe_silence(error)
            else:
                reason = "connection ended"
            finally:
                self._socket = None
            self.status.retries += 1
            self._set_phase(Phase.DOWN, self.status.last_error or reason)
            await asyncio.sleep(self._backoff.next_delay())

    def drop(self) -> None:
        """End the present connection at once."""
        abort(self._socket)

    async def add(self, syms: tuple[str, ...]) -> None:
        """Subscribe more pairs."""
        self.syms.update(dict.fromkeys(syms))
        if self._socket is not None and self.status.phase is Phase.READY:
            await self._subscribe(self._socket, syms)

    async def remove(self, syms: tuple[str, ...]) -> None:
        """Leave pairs."""
        self.newest.forget()
        for sym in syms:
            self.newest.take(sym)
            self.syms.pop(sym, None)
            self._awaited.pop(sym, None)
            self._refused.pop(sym, None)
        if self._socket is not None and self.status.phase is Phase.READY:
            for sym in syms:
                with suppress(OSError, aiohttp.ClientError):
                    frame = streams.subscription_frame([sym], channels_of(sym), subscribe=False)
                    await self._socket.send_str(frame.decode())

    async def _run_connection(self) -> None:
        self._set_phase(Phase.CONNECTING)
        self._login = None
        self._ping = None
        self._refused.clear()
        async with asyncio.timeout(self._timings.connect_timeout):
            socket = await open_socket(self._session, self._url)
        self._socket = socket
        self.status.last_frame = self._clock.mono()
        pinger = asyncio.create_task(self._keep_alive(socket), name="public ping")
        starter = asyncio.create_task(self._log_in_and_subscribe(socket), name="public greeting")
        try:
            await self._read(socket)
        finally:
            self._socket = None
            pinger.cancel()
            starter.cancel()
            await asyncio.gather(pinger, starter, return_exceptions=True)
            abort(socket)

    async def _log_in_and_subscribe(self, socket: Socket) -> None:
        self.logged_in = False
        if self._signer is not None:
            self._set_phase(Phase.LOGIN)
            self._login = asyncio.get_running_loop().create_future()
            # A clock that is off costs the login, not the quotes: they also are what measures it.
            with suppress(TimeoutError, ClockOff):
                await socket.send_str(streams.public_login_frame(self._signer.login_args(private=False)).decode())
                async with asyncio.timeout(self._timings.reply_timeout):
                    self.logged_in = await self._login
        self._backoff.reset()
        self.status.retries = 0
        self._set_phase(Phase.READY)
        await self._subscribe(socket, tuple(self.syms))

    async def _subscribe(self, socket: Socket, syms: tuple[str, ...]) -> None:
        now = self._clock.mono()
        for kind in (_PERPETUAL, _ALWAYS):
            group = [sym for sym in syms if channels_of(sym) == kind]
            for start in range(0, len(group), _SUBSCRIBE_BATCH):
                batch = group[start : start + _SUBSCRIBE_BATCH]
                self._awaited.update(dict.fromkeys(batch, now))
                with suppress(OSError, aiohttp.ClientError):
                    await socket.send_str(streams.subscription_frame(batch, kind).decode())

    async def _read(self, socket: Socket) -> None:
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
            if self._pace.are_fast(began, count):
                await self._gather(socket, began)

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
        """Take what waits at once: a part in each turn of the loop, and orders and all else between. How many frames."""
        count, turns = 1, 0
        part: Sequence[Message] = (first,)
        while True:
            found: Sequence[Message] = await take_waiting(socket, TURN_PACKED)
            count += len(found)
            if len(found) >= BEHIND:
                found = self.packed.last_of_each(found)
            part = (*part, *found)
            for at in range(0, len(part), TURN_FRAMES):
                if at:
                    await asyncio.sleep(0)
                self._take_part(socket, part[at : at + TURN_FRAMES])
            turns += 1
            if turns >= MOST_TURNS or not data_waits(socket):
                turns = 0
                while self.newest:
                    self._fold_waiting(TURN_QUOTES)
                    if self.newest:
                        await asyncio.sleep(0)
            if not data_waits(socket):
                return count
            await asyncio.sleep(0)
            part = ()

    def _take_part(self, socket: Socket, messages: Sequence[Message]) -> None:
        """Unpack messages that came together; quotes wait for the newest of their pair, the rest is taken in its turn."""
        self.status.last_frame = received = self._clock.mono()
        frames, at = self._unpacked(socket, messages, received), 0
        while (at := self.newest.put(frames, at, received)) < len(frames):
            self._take_now(frames[at], received)
            at += 1

    def _take_alone(self, socket: Socket, message: Message) -> None:
        """Take a message behind which no other waits."""
        self.status.last_frame = received = self._clock.mono()
        for data in self._unpacked(socket, (message,), received):
            self._take_now(data, received)

    def _unpacked(self, socket: Socket, messages: Sequence[Message], received: float) -> list[bytes]:
        frames = []
        for kind, content, _ in messages:
            if kind is _BINARY:
                try:
                    frames.append(inflate(content))
                except BadFrame as bad:
                    self._count_unreadable(b"", str(bad), received)
            elif kind is _TEXT:
                frames.append(content)
            else:
                self._end(socket, kind, content)
        return frames

    def _end(self, socket: Socket, kind: WSMsgType, data: object) -> None:
        """Raise for what ends a connection, with what came before it folded."""
        self._fold_waiting()
        if kind is WSMsgType.ERROR:
            raise LinkLost(str(data)[:100] or "connection lost")
        if kind in (WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED):
            raise LinkLost(f"closed by the server ({socket.close_code})" if socket.close_code else "connection lost")

    def _take_now(self, data: bytes, received: float) -> None:
        """Take a frame that cannot wait for its full look, in its turn."""
        if self.newest and _DATA not in data:
            # What the service says of a subscription counts for the quotes before and after it.
            self._fold_waiting()
        try:
            sym = self._take(data, received)
        except BadFrame as bad:
            self._count_unreadable(data, str(bad), received)
        else:
            if sym and not self.newest.knows(sym):
                self.newest.learn(data, sym)

    def _fold_waiting(self, most: int = sys.maxsize) -> None:
        """Decode and fold the newest quote of pairs that wait, at most of so many."""
        for _ in range(min(most, len(self.newest))):
            self._fold_newest(self.newest.next_pair())

    def _fold_newest(self, sym: str) -> None:
        """Fold the newest frame of a pair that can be read."""
        frames, received = self.newest.take(sym)
        for data in frames:
            try:
                if self._take_known(sym, data, received):
                    return
            except BadFrame as bad:
                self._count_unreadable(data, str(bad), received)

    def _take_known(self, sym: str, data: bytes, received: float) -> bool:
        """Read the quote of a frame whose first bytes said whose it is; whether it could be read."""
        if data.endswith(_TWO_ENDS):
            try:
                quote = _QUOTE.read(quote_of(data)[:-1])
            except BadFrame:
                pass  # something else than one quote stands behind them: it gets the full look
            else:
                self._take_quotes(sym, (quote,), received)
                return True
        return self._take(data, received) == sym

    def _take(self, data: bytes, received: float) -> str:
        """Read a message and deliver it; the pair, when it was a best bid and offer."""
        if _DATA in data:
            for route in self._routes:
                if route.marker not in data:
                    continue
                # The marker only chooses the cheapest decoder; the decoded channel decides.
                push = route.reader.read(data)
                if push.arg.channel == route.channel:
                    if push.arg.symbol not in self.syms:
                        return ""
                    # Services send an object, or a list that holds it.
                    rows = push.data if isinstance(push.data, list) else (push.data,)
                    route.deliver(push.arg.symbol, rows, received)
                    return push.arg.symbol if route.channel is Channel.BBO else ""
                break
        if data not in (b"pong", b"ping"):
            self._take_event(_EVENT.read(data), received)
        return ""

    def _take_quotes(self, sym: str, quotes: Sequence[Bbo], received: float) -> None:
        if self.newest:
            self._fold_newest(sym)
        if self._awaited and self._awaited.pop(sym, None) is not None:
            self._mark_served(sym)
        for quote in quotes:
            self._quotes.bbo(sym, quote, received)

    def _take_event(self, event: PublicEvent, received: float) -> None:
        if event.pong is not None:
            self._take_pong(millis(str(event.pong)), received)
        elif event.event == "login" or (event.event == "error" and self._login is not None and not self._login.done()):
            code = -1 if event.code is None else code_number(event.code)
            if self._login is not None and not self._login.done():
                self._login.set_result(errors.is_success(code) or code == errors.LOGIN_SUCCESS)
        elif event.event in ("subscribe", "error"):
            self._take_subscription_reply(event)

    def _take_subscription_reply(self, event: PublicEvent) -> None:
        code = -1 if event.code is None else code_number(event.code)
        listed = _ARGS.parse(event.arg, clean=True) if bytes(event.arg)[:1] == b"[" else []
        refused = {arg.symbol: None for arg in event.invalid if arg.channel == Channel.BBO}
        if event.event == "error":
            refused.update({arg.symbol: None for arg in listed if arg.channel == Channel.BBO})
        else:
            for arg in listed:
                if arg.channel == Channel.BBO and arg.symbol in self.syms and arg.symbol not in refused:
                    self._awaited.pop(arg.symbol, None)
                    self._mark_served(arg.symbol)
        for sym in refused:
            if sym in self.syms:
                self._awaited.pop(sym, None)
                self._mark_not_served(sym, errors.describe(code, event.msg or ""))

    def _take_pong(self, server_ms: int, received: float) -> None:
        if self._ping is None:
            return
        sent_mono, sent_boot = self._ping
        self._ping = None
        self.status.round_trip_ms = (received - sent_mono) * 1000
        if server_ms > 0:
            self._skew.add(sent_boot, received - sent_mono, server_ms)

    async def _keep_alive(self, socket: Socket) -> None:
        timings = self._timings
        asked = float("-inf")
        while True:
            now = self._clock.mono()
            quiet = now - self.status.last_frame
            if quiet >= timings.market_ping_idle + timings.market_ping_timeout:
                self.status.last_error = f"no sign of life for {quiet:.0f} s"
                abort(socket)
                return
            self._expire_subscriptions(now)
            await self._subscribe_again(socket, now)
            if quiet < timings.market_ping_idle and now - asked < timings.ping_every:
                await asyncio.sleep(timings.market_ping_idle - quiet)
                continue
            asked = now
            wall = self._clock.wall()
            self._ping = (now, self._clock.boot())
            with suppress(TimeoutError, OSError, aiohttp.ClientError):
                async with asyncio.timeout(timings.market_ping_timeout):
                    await socket.send_str(streams.ping_frame(int(wall * 1000)).decode())
            await asyncio.sleep(timings.market_ping_idle)

    def _expire_subscriptions(self, now: float) -> None:
        late = [sym for sym, since in self._awaited.items() if now - since > self._timings.subscribe_deadline]
        for sym in late:
            del self._awaited[sym]
            self._mark_not_served(sym, "no answer to the subscription")

    def _mark_served(self, sym: str) -> None:
        self._refused.pop(sym, None)
        self._handler.subscribed(sym, True, "")

    def _mark_not_served(self, sym: str, reason: str) -> None:
        self._refused[sym] = self._clock.mono()
        self._handler.subscribed(sym, False, reason)

    async def _subscribe_again(self, socket: Socket, now: float) -> None:
        """Subscribe what was refused a while ago: a pair may trade again."""
        due = tuple(sym for sym, since in self._refused.items() if now - since >= SUBSCRIBE_AGAIN_S)
        for sym in due:
            del self._refused[sym]
        if due:
            await self._subscribe(socket, due)

    def _count_unreadable(self, data: bytes, reason: str, received: float) -> None:
        shown = _display_only_channel(data)
        if not shown:
            self._count_bad(reason, received)
            return
        self.status.bad_frames += 1
        self._handler.unreadable(shown, reason)

    def _count_bad(self, reason: str, received: float) -> None:
        self.status.bad_frames += 1
        self._bad.append(received)
        if len(self._bad) == self._bad.maxlen and received - self._bad[0] < self._timings.bad_frames_window:
            self._bad.clear()
            raise LinkLost(f"too many unreadable frames, last: {reason}")

    def _set_phase(self, phase: Phase, last_error: str = "") -> None:
        self.status.phase = phase
        self.status.since = self._clock.mono()
        self.status.last_error = last_error
        self._handler.public_changed()


def _deliver_each(take: Callable[[str, T], None]) -> _Deliver:
    def deliver(sym: str, rows: Sequence[T], _received: float) -> None:
        for row in rows:
            take(sym, row)

    return deliver


def _display_only_channel(data: bytes) -> str:
    """The channel of a push that is only displayed and holds no quote; empty for everything else."""
    if _DATA not in data or BBO_MARKER in data:
        return ""
    return next((channel.value for channel, mark in _SHOWN.items() if mark in data), "")
