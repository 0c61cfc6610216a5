"""Connections to the service: REST, public stream, private stream, and tier failover."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from aiohttp import ClientSession

from tui.client.aiohttp_adapter import open_session
from tui.client.backoff import LoginGate
from tui.client.failover import FailoverSelector
from tui.client.private_stream import PrivateHandler, PrivateStream, StreamRoute
from tui.client.public.frames import PublicHandler
from tui.client.public.stream import PublicStream
from tui.client.rate_limiter import RateLimiter
from tui.client.rest import Rest
from tui.client.signer import Signer
from tui.engine.conflating_queue import TableSink
from tui.engine.event_line import Level
from tui.engine.market.equity_bars import EquityBars
from tui.engine.market.market_view import MarketView, open_view
from tui.engine.state.engine_state import EngineState
from tui.engine.sync.algo_link import AlgoRoute
from tui.engine.sync.status_publisher import Links, RestStatus
from tui.protocols import Connector


class HttpSessions(msgspec.Struct, frozen=True):
    """HTTP sessions of one trading session: one for REST, one for market data."""

    rest: ClientSession
    market: ClientSession
    """Session of the public stream."""


@asynccontextmanager
async def open_http(connector: Connector) -> AsyncIterator[HttpSessions]:
    """Open both HTTP sessions; they are closed at the end of the block."""
    rest = open_session(connector)
    market = open_session(connector)
    try:
        yield HttpSessions(rest, market)
    finally:
        await market.close()
        await rest.close()


class Connections:
    """All connections of a session; they are built first, and opened when their streams run."""

    def __init__(
        self, state: EngineState, *, signer: Signer | None, rate_limiter: RateLimiter, http: HttpSessions,
        private_handler: PrivateHandler, algo_handler: PrivateHandler, public_handler: PublicHandler,
    ) -> None:  # fmt: skip
        """Build the connections and register their status functions in the state.

        Args:
            state: Identity of the service, settings, clocks.
            signer: Signer of reads and logins; None: only the public stream is used.
            rate_limiter: Limiter for the published rate limits.
            http: Sessions for REST and the public stream.
            private_handler: Receiver of the private stream's events.
            algo_handler: Receiver of the algo stream's events.
            public_handler: Receiver of the public stream's status; quotes and tickers go straight into the state.
        """
        self._state = state
        self.failover = FailoverSelector(state.identity.service, state.settings.timings, state.clock)
        self.rest = _rest(state, self.failover, http.rest, signer, rate_limiter)
        self.public = _public_stream(state, http.market, signer, public_handler)
        state.quotes.bring_up = self.public.bring_up
        self._http = http
        self.view = MarketView(state, http.market, state.detail, state.books)
        self.equity_bars = EquityBars(state, self.view.past_bars.keep)
        skew = self.rest.skew = self.public.skew
        state.links.public_status = self.public.status
        state.links.skew_ms = lambda: skew.ms
        state.links.least_server_ms = lambda: skew.least_server_ms
        self.private: PrivateStream | None = None
        self.algo: PrivateStream | None = None
        """None without a key, or where the service has no algo stream."""
        if signer is not None:
            signer.skew = skew
            logins = LoginGate(state.settings.timings, state.clock)
            private = self.private = _private_stream(state, self.failover, signer, private_handler, logins)
            if state.identity.service.algo_ws_url:
                self.algo = _algo_stream(state, self.failover, signer, algo_handler, logins)
            state.links.is_proven = lambda: private.is_proven

    @property
    def in_flight(self) -> int:
        """Number of requests on the private stream that wait for a reply."""
        return 0 if self.private is None else self.private.in_flight

    def links(self) -> Links:
        """Return the status of the private and public streams and of REST."""
        rest = RestStatus(
            tier=self.failover.current.name if len(self.failover.all) > 1 else "",
            last_answer=self.rest.last_answer,
            round_trip_ms=self.rest.round_trip_ms,
            error=self.rest.last_error,
        )
        private = None if self.private is None else self.private.status
        return Links(private=private, public=self.public.status(), rest=rest)

    def open_view(self, sink: TableSink) -> MarketView:
        """Build a market data view of a further sender, whose rows go only to `sink`."""
        return open_view(self._state, self._http.market, sink)

    def drop(self, reason: str) -> None:
        """Disconnect the private, algo and public streams, so that they reconnect."""
        for stream in (self.private, self.algo):
            if stream is not None:
                stream.drop(reason)
        self.public.drop()

    def may_return(self) -> bool:
        """Return whether to try the preferred tier again: the dwell time is over and no request is in flight."""
        return self.failover.may_return(self.in_flight)

    async def return_to_preferred_tier(self) -> None:
        """Probe the preferred tier and switch back to it while no request is in flight."""
        first = self.failover.all[0]
        if not await self.rest.probe(first):
            self.failover.postpone_return()
            return
        if not self.may_return():
            return
        self.failover.return_to_preferred()
        self._state.notify(Level.INFO, f"tier {first.name} answers again; going back to it")
        if self.private is not None:
            self.private.drop(f"back to tier {first.name}")


def _rest(
    state: EngineState,
    failover: FailoverSelector,
    session: ClientSession,
    signer: Signer | None,
    rate_limiter: RateLimiter,
) -> Rest:
    return Rest(
        state.identity.service,
        failover=failover,
        session=session,
        signer=signer,
        rate_limiter=rate_limiter,
        clock=state.clock,
        random_source=state.services.random_source,
        timings=state.settings.timings,
    )


def _public_stream(
    state: EngineState, session: ClientSession, signer: Signer | None, handler: PublicHandler
) -> PublicStream:
    return PublicStream(
        state.identity.service.public_ws_url,
        session=session,
        signer=signer,
        clock=state.clock,
        random_source=state.services.random_source,
        timings=state.settings.timings,
        quotes=state.quotes,
        tickers=state.tickers,
        handler=handler,
    )


def _private_stream(
    state: EngineState,
    route: StreamRoute,
    signer: Signer,
    handler: PrivateHandler,
    logins: LoginGate,
    name: str = "private",
) -> PrivateStream:
    return PrivateStream(
        route,
        connector=state.services.connector,
        signer=signer,
        clock=state.clock,
        random_source=state.services.random_source,
        ids=state.services.ids,
        timings=state.settings.timings,
        handler=handler,
        logins=logins,
        name=name,
        # The algo stream has nothing but pushes.
        only_trade=state.identity.service.only_trade and name == "private",
    )


def _algo_stream(
    state: EngineState, failover: FailoverSelector, signer: Signer, handler: PrivateHandler, logins: LoginGate
) -> PrivateStream:
    return _private_stream(state, AlgoRoute(state, failover), signer, handler, logins, "algo")
