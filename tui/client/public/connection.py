"""Connection of the public stream: life cycle, login and heartbeat."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import aiohttp

from tui.client.aiohttp_adapter import Socket, abort, open_socket
from tui.client.backoff import Backoff
from tui.client.connection_status import ConnectionStatus, LinkLost, Phase, describe_silence
from tui.client.flood.beat import Beat
from tui.client.flood.burst_reader import BurstReader
from tui.client.public.frames import PublicFrames, PublicHandler, QuoteSink, TickerSink
from tui.client.public.subscriptions import PublicSubscriptions
from tui.client.settings import Timings
from tui.client.signer import ClockOff, Signer
from tui.client.skew import Skew
from tui.interface import errors, streams
from tui.interface.envelope import parse_code
from tui.interface.streams import PublicEvent
from tui.interface.times import millis
from tui.protocols import Clock, RandomSource


class PublicConnection:
    """Public connection that stays up, with its pairs subscribed, while `run` runs."""

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
        beat: Beat,
    ) -> None:
        self.status = ConnectionStatus()
        self.subscriptions = PublicSubscriptions(handler, timings, clock)
        self.syms = self.subscriptions.syms
        self.logged_in = False
        self._url, self._session, self._signer, self._clock = url, session, signer, clock
        self._timings = timings
        self._skew = skew
        self._handler = handler
        self._backoff = Backoff(timings, random_source.stream(f"public backoff {number}"))
        self._socket: Socket | None = None
        self._ping: tuple[float, float] | None = None
        """Time of the last ping, by the monotonic clock and the boot clock, s."""
        self._login: asyncio.Future[bool] | None = None
        self.frames = PublicFrames(
            quotes,
            tickers,
            syms=self.syms,
            before_quote=self._prepare_quote,
            take_event=self._take_event,
            handler=handler,
            status=self.status,
            timings=timings,
        )
        self.reader = BurstReader(self.frames, quotes, syms=self.syms, status=self.status, clock=clock, beat=beat)

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
        """Drop the current connection at once; `run` reconnects."""
        abort(self._socket)

    async def add(self, syms: tuple[str, ...]) -> None:
        """Subscribe the connection to more pairs."""
        self.syms.update(dict.fromkeys(syms))
        if self._socket is not None and self.status.phase is Phase.READY:
            await self.subscriptions.subscribe(self._socket, syms)

    async def remove(self, syms: tuple[str, ...]) -> None:
        """Unsubscribe the connection from pairs."""
        self.reader.leave(syms)
        self.subscriptions.forget(syms)
        if self._socket is not None and self.status.phase is Phase.READY:
            await self.subscriptions.unsubscribe(self._socket, syms)

    async def _run_connection(self) -> None:
        self._set_phase(Phase.CONNECTING)
        self._login = None
        self._ping = None
        self.subscriptions.begin()
        async with asyncio.timeout(self._timings.connect_timeout):
            socket = await open_socket(self._session, self._url)
        self._socket = socket
        self.status.last_frame = self._clock.mono()
        pinger = asyncio.create_task(self._keep_alive(socket), name="public ping")
        starter = asyncio.create_task(self._log_in_and_subscribe(socket), name="public greeting")
        try:
            await self.reader.read(socket)
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
            # A wrong clock costs the login, not the quotes, which also measure it.
            with suppress(TimeoutError, ClockOff):
                await socket.send_str(streams.public_login_frame(self._signer.login_args(private=False)).decode())
                async with asyncio.timeout(self._timings.reply_timeout):
                    self.logged_in = await self._login
        self._backoff.reset()
        self.status.retries = 0
        self._set_phase(Phase.READY)
        await self.subscriptions.subscribe(socket, tuple(self.syms))

    def _prepare_quote(self, sym: str) -> None:
        """Deliver a pair's held older quote first; count the new quote as confirmation of the subscription."""
        self.reader.deliver_older(sym)
        self.subscriptions.confirm(sym)

    def _take_event(self, event: PublicEvent, received: float) -> None:
        if event.pong is not None:
            self._take_pong(millis(str(event.pong)), received)
        elif event.event == "login" or (event.event == "error" and self._login is not None and not self._login.done()):
            code = -1 if event.code is None else parse_code(event.code)
            if self._login is not None and not self._login.done():
                self._login.set_result(errors.is_success(code) or code == errors.LOGIN_SUCCESS)
        elif event.event in ("subscribe", "error"):
            self.subscriptions.take_reply(event)

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
            self.subscriptions.expire(now)
            await self.subscriptions.retry_refused(socket)
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

    def _set_phase(self, phase: Phase, last_error: str = "") -> None:
        self.status.phase = phase
        self.status.since = self._clock.mono()
        self.status.last_error = last_error
        self._handler.public_changed()
