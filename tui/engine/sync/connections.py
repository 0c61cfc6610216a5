"""Every connection to the service: REST, public stream, private stream, and which address they use."""

from __future__ import annotations

from typing import Any

from tui.client.failover import FailoverSelector
from tui.client.private_stream import Handler, PrivateStream
from tui.client.public_connection import PublicHandler
from tui.client.public_stream import PublicStream
from tui.client.rate_limiter import RateLimiter
from tui.client.rest import Rest
from tui.client.signer import Signer
from tui.engine.rows import Level
from tui.engine.state.engine_state import EngineState
from tui.engine.sync.status_publisher import Links, RestStatus


class Connections:
    """Built whole; nothing is opened before its streams run."""

    def __init__(
        self,
        state: EngineState,
        *,
        signer: Signer | None,
        rate_limiter: RateLimiter,
        session: Any,
        market_session: Any,
        private_handler: Handler,
        public_handler: PublicHandler,
    ) -> None:
        """Build.

        Args:
            state: Identity of the service, settings, clocks.
            signer: Signs reads and logins; None: only the public stream is served.
            rate_limiter: Keeps inside the published limits.
            session: HTTP session of REST.
            market_session: HTTP session of the public stream.
            private_handler: Hears the private stream.
            public_handler: Hears how the public stream stands; quotes and tickers go straight into the state.
        """
        services, service, timings = state.services, state.identity.service, state.settings.timings
        self._state = state
        self.failover = FailoverSelector(service, timings, services.clock)
        self.rest = Rest(
            service,
            failover=self.failover,
            session=session,
            signer=signer,
            rate_limiter=rate_limiter,
            clock=services.clock,
            random_source=services.random_source,
            timings=timings,
        )
        self.public = PublicStream(
            service.public_ws_url,
            session=market_session,
            signer=signer,
            clock=services.clock,
            random_source=services.random_source,
            timings=timings,
            quotes=state.quotes,
            tickers=state.tickers,
            handler=public_handler,
        )
        self.rest.skew = self.public.skew
        self.private: PrivateStream | None = None
        """None without a key."""
        if signer is not None:
            signer.skew = self.public.skew
            self.private = PrivateStream(
                self.failover,
                connector=services.connector,
                signer=signer,
                clock=services.clock,
                random_source=services.random_source,
                ids=services.ids,
                timings=timings,
                handler=private_handler,
            )

    @property
    def in_flight(self) -> int:
        """Actions that wait for an answer."""
        return 0 if self.private is None else self.private.in_flight

    def links(self) -> Links:
        """How each of them stands."""
        rest = RestStatus(
            tier=self.failover.current.name if len(self.failover.all) > 1 else "",
            last_answer=self.rest.last_answer,
            round_trip_ms=self.rest.round_trip_ms,
            trouble=self.rest.last_error,
        )
        private = None if self.private is None else self.private.status
        return Links(private=private, public=self.public.status(), rest=rest)

    def drop(self, reason: str) -> None:
        """Begin both streams anew."""
        if self.private is not None:
            self.private.drop(reason)
        self.public.drop()

    def may_go_back(self) -> bool:
        """Whether the preferred tier may be tried again: stayed long enough, and nothing waits for an answer."""
        return self.failover.may_return(self.in_flight)

    async def go_back(self) -> None:
        """Ask the preferred tier whether it answers again; go back while nothing waits for an answer."""
        first = self.failover.all[0]
        if not await self.rest.answers(first):
            self.failover.stay()
            return
        if not self.may_go_back():
            return
        self.failover.go_back()
        self._state.say(Level.INFO, f"tier {first.name} answers again; going back to it")
        if self.private is not None:
            self.private.drop(f"back to tier {first.name}")
