"""Public stream: as many connections as the watched pairs need, each with a share of the pairs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import aiohttp

from tui.client.connection_status import ConnectionStatus, Phase
from tui.client.flood.beat import Beat
from tui.client.public.connection import PublicConnection
from tui.client.public.frames import PublicHandler, QuoteSink, TickerSink
from tui.client.settings import Timings
from tui.client.signer import Signer
from tui.client.skew import Skew
from tui.protocols import Clock, RandomSource

NO_ROOM = "all allowed connections are full"
"""Reason why a pair is not subscribed when all connections are full."""


class PublicStream:
    """Public stream that delivers quotes of the watched pairs while `run` runs."""

    def __init__(
        self,
        url: str,
        *,
        session: aiohttp.ClientSession,
        signer: Signer | None,
        clock: Clock,
        random_source: RandomSource,
        timings: Timings,
        quotes: QuoteSink,
        tickers: TickerSink,
        handler: PublicHandler,
    ) -> None:
        self.skew = Skew(clock)
        self.connections: list[PublicConnection] = []
        self._url = url
        self._session = session
        self._signer = signer
        self._clock = clock
        self._random_source = random_source
        self._timings = timings
        self._quotes = quotes
        self._tickers = tickers
        self._handler = handler
        self._beat = Beat(quotes, clock)
        self._wanted: tuple[str, ...] = ()
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._crash: BaseException | None = None
        self._numbers = 0

    def watch(self, syms: tuple[str, ...]) -> None:
        """Set the pairs to watch, by priority; others are unsubscribed, those beyond capacity are reported as rejected."""
        self._wanted = tuple(dict.fromkeys(syms))
        self._beat.watch(self._wanted)
        self._changed.set()

    def attend(self, syms: Iterable[str]) -> None:
        """Set the pairs that somebody looks at; quotes of other pairs may be delivered later (`Beat`)."""
        self._beat.attend(syms)

    def bring_up(self, sym: str) -> None:
        """Deliver the newest quote of a pair now, should one be held."""
        for connection in self.connections:
            if sym in connection.syms:
                connection.reader.bring_up(sym)

    async def run(self) -> None:
        """Connect and subscribe the watched pairs until cancelled."""
        try:
            while True:
                await self._changed.wait()
                self._changed.clear()
                if self._crash is not None:
                    raise self._crash
                await self._assign_pairs()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._beat.stop()
            self._tasks.clear()
            self.connections.clear()
            self._crash = None
            self._changed.set()

    def drop(self) -> None:
        """Drop all connections at once; they reconnect by themselves."""
        for connection in self.connections:
            connection.drop()

    def status(self) -> ConnectionStatus:
        """Return the status of the worst connection: lowest phase first, then oldest last frame."""
        if not self.connections:
            return ConnectionStatus()
        order = (Phase.DOWN, Phase.CONNECTING, Phase.LOGIN, Phase.READY)
        worst = min(
            self.connections,
            key=lambda connection: (order.index(connection.status.phase), connection.status.last_frame),
        )
        status = worst.status
        trips = [
            connection.status.round_trip_ms
            for connection in self.connections
            if connection.status.round_trip_ms is not None
        ]
        return ConnectionStatus(
            phase=status.phase,
            epoch=status.epoch,
            since=status.since,
            last_frame=status.last_frame,
            round_trip_ms=max(trips) if trips else None,
            retries=status.retries,
            bad_frames=sum(connection.status.bad_frames for connection in self.connections),
            last_error=status.last_error,
        )

    async def _assign_pairs(self) -> None:
        wanted = dict.fromkeys(self._wanted)
        held = {sym: connection for connection in self.connections for sym in connection.syms}
        for connection in self.connections:
            gone = tuple(sym for sym in connection.syms if sym not in wanted)
            if gone:
                await connection.remove(gone)
        missing = [sym for sym in wanted if sym not in held]
        for connection in self.connections:
            room = self._capacity(connection) - len(connection.syms)
            if missing and room > 0:
                batch, missing = missing[:room], missing[room:]
                await connection.add(tuple(batch))
        while missing and len(self.connections) < self._timings.public_connections:
            connection = self._add_connection()
            room = self._capacity(connection)
            batch, missing = missing[:room], missing[room:]
            connection.syms.update(dict.fromkeys(batch))
            task = asyncio.create_task(connection.run(), name=f"public {self._numbers}")
            task.add_done_callback(self._on_task_end)
            self._tasks.append(task)
        for sym in missing:
            self._handler.on_subscription(sym, NO_ROOM, ok=False)

    def _on_task_end(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._crash = task.exception()
            self._changed.set()

    def _capacity(self, connection: PublicConnection) -> int:
        """Return how many pairs a connection may subscribe to; the higher limit requires a login that did not fail."""
        if self._signer is None or (connection.status.phase is Phase.READY and not connection.logged_in):
            return self._timings.pairs_per_connection
        return self._timings.pairs_per_login

    def _add_connection(self) -> PublicConnection:
        self._numbers += 1
        connection = PublicConnection(
            self._numbers,
            self._url,
            session=self._session,
            signer=self._signer,
            clock=self._clock,
            random_source=self._random_source,
            timings=self._timings,
            skew=self.skew,
            quotes=self._quotes,
            tickers=self._tickers,
            handler=self._handler,
            beat=self._beat,
        )
        self.connections.append(connection)
        return connection
