"""Server of REST and the streams at one address: local-access checks, connection limits, ready line."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from email.utils import formatdate

from aiohttp import hdrs, web

from tui.crossdesk_error import CrossdeskError
from tui.interface.envelope import MAX_BODY
from tui.interface.ready import BARS_PATH, ReadyKey, ReadyLine, Recording
from tui.interface.streams import ALGO_PATH, PRIVATE_PATH, PUBLIC_PATH
from tui.venue.core.exchange import Exchange
from tui.venue.shell.connection_slots import MAX_ANONYMOUS, MAX_KNOWN, SLOT, Slots
from tui.venue.shell.descriptions.documents import DESCRIPTIONS, write_description
from tui.venue.shell.key_secrets import KeySecrets
from tui.venue.shell.keys import Key, Keyring
from tui.venue.shell.rate_limits import SlidingWindows
from tui.venue.shell.rest.bars import BarsAnswer
from tui.venue.shell.rest.router import Rest
from tui.venue.shell.runtime import Runtime
from tui.venue.shell.streams.private import ALGO, PRIVATE, PrivateStream
from tui.venue.shell.streams.public import PublicStream
from tui.venue.shell.switches import parse_fronts

log = logging.getLogger("tui.venue")

LEGACY_PUBLIC_PATHS = ("/v2/public", "/v1/public")
BLACK_HOLE_S = 0.05
"""Interval at which an unanswered request checks whether the network is back, s."""
SILENT_S = 5.0
"""Time after which silent connections and slow requests are closed, s."""

EVERYTHING = ("READ", "TRADE", "TRANSFER", "WITHDRAW")
"""All rights of a key."""

Next = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """Server of a venue; the caller opens its listening site (TCP, or in memory for tests)."""

    def __init__(self, runtime: Runtime, keys: Iterable[Key], secrets: KeySecrets) -> None:
        """Create the server with its routes.

        Args:
            runtime: The running exchange.
            keys: Keys of this launch, shown in the ready line.
            secrets: Secrets of the keys created for portfolios.
        """
        self.runtime = runtime
        self.keys = tuple(keys)
        keyring = self._keyring = Keyring(self.keys, runtime.exchange.queries, secrets, runtime.faults)
        windows = SlidingWindows(runtime.clock.mono, lambda: runtime.switches["rate_profile"])
        self._rest = Rest(runtime, keyring, secrets, windows)
        self._private = PrivateStream(runtime, keyring, windows, PRIVATE)
        self._algo = PrivateStream(runtime, keyring, windows, ALGO)
        self._public = PublicStream(runtime, keyring)
        self._own_hosts: frozenset[str] = frozenset()
        self._failover: frozenset[str] = frozenset()
        self._slots = Slots()
        self._crowded = False
        """Whether the newest connection was above the limit."""
        self._date = (-1, "")
        """Newest second of a Date header, and its text."""
        self._transports: dict[asyncio.Transport, str] = {}
        """Open connections, with the tier of each."""
        application = web.Application(client_max_size=MAX_BODY, middlewares=[self._guard])
        application.on_response_prepare.append(self._set_date_header)
        application.router.add_get(PRIVATE_PATH, self._private.serve)
        application.router.add_get(ALGO_PATH, self._algo.serve)
        application.router.add_get(PUBLIC_PATH, self._public.serve)
        for path in LEGACY_PUBLIC_PATHS:
            application.router.add_get(path, self._public.serve_legacy)
        for name in DESCRIPTIONS:
            application.router.add_get(f"/{name}.json", _answer_description)
        application.router.add_get(BARS_PATH, BarsAnswer(runtime).answer)
        application.router.add_route("*", "/{path:.*}", self._rest.answer)
        self.runner = web.AppRunner(
            application, access_log=None, keepalive_timeout=SILENT_S, shutdown_timeout=0.5, handle_signals=False
        )

    def accept_hosts(self, hosts: Iterable[str], failover: Iterable[str] = ()) -> None:
        """Set the accepted Host headers, for example `127.0.0.1:8080`; `failover` are those of the failover tier."""
        self._failover = frozenset(failover)
        self._own_hosts = frozenset(hosts) | self._failover

    def drop_connections(self) -> None:
        """Drop every stream connection, as a broken network would."""
        self._private.drop_connections()
        self._algo.drop_connections()
        self._public.drop_connections()

    def drop_tier(self, tier: str) -> None:
        """Drop the stream connections of one failover tier."""
        for transport, transport_tier in list(self._transports.items()):
            if transport_tier == tier:
                transport.abort()

    def ready_line(
        self, pid: int, rest_url: str, ws_url: str, *, recording: Recording | None = None, ha: str = ""
    ) -> ReadyLine:
        """Build the ready line, the only output with the API keys; `ha` is the address of the failover tier."""
        return ReadyLine(
            pid=pid,
            rest_url=rest_url,
            private_ws_url=ws_url + PRIVATE_PATH,
            algo_ws_url=ws_url + ALGO_PATH,
            public_ws_url=ws_url + PUBLIC_PATH,
            ha_rest_url=f"http://{ha}" if ha else "",
            ha_private_ws_url=f"ws://{ha}{PRIVATE_PATH}" if ha else "",
            keys=[
                ReadyKey(
                    name=key.name,
                    level=key.level,
                    portfolio=key.portfolio,
                    permissions=list(key.permissions),
                    api_key=key.api_key,
                    api_secret=key.api_secret,
                    portfolio_name=self.runtime.exchange.queries.portfolios[key.portfolio].name,
                )
                for key in self.keys
            ],
            symbols=sorted(self.runtime.exchange.queries.symbol_infos()),
            replay=recording is not None,
            recording=recording,
            account_id=self.runtime.account_id,
            bars_url=rest_url + BARS_PATH,
        )

    async def _set_date_header(self, _request: web.Request, response: web.StreamResponse) -> None:
        """Set the Date header to the venue time, which can differ from the machine's time."""
        second = self.runtime.now_ms() // 1000
        if second != self._date[0]:
            self._date = second, formatdate(second, usegmt=True)
        response.headers["Date"] = self._date[1]

    @web.middleware
    async def _guard(self, request: web.Request, handler: Next) -> web.StreamResponse:
        """Run the first checks of a request: network switch, connection limit, foreign Host and Origin headers."""
        tier = "HA" if request.headers.get("Host") in self._failover else "AZ4"
        if request.path in (PUBLIC_PATH, *LEGACY_PUBLIC_PATHS):
            tier = "market"
        if self.runtime.switches["network"] == "cut" or self.runtime.switches["tier_down"] == tier:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=503)
        while self.runtime.switches["network"] == "black_hole":  # noqa: ASYNC110
            await asyncio.sleep(BLACK_HOLE_S)
        if not self._is_host_accepted(request):
            return web.Response(status=403)
        if request.method == hdrs.METH_CONNECT:
            # The target of CONNECT is a host, not a path: no route matches it.
            return web.json_response({"code": 405, "message": "Method not allowed", "data": {}}, status=405)
        slot = self._slots.take(known=self._keyring.knows(request.headers.get("X-MBX-APIKEY", "")))
        if slot is None:
            return self._refuse_connection()
        self._crowded = False
        request[SLOT] = slot
        transport = request.transport
        if transport is not None:
            self._transports[transport] = tier
        try:
            return await handler(request)
        finally:
            slot.release()
            if transport is not None:
                self._transports.pop(transport, None)

    def _refuse_connection(self) -> web.Response:
        """Refuse a connection above the limit; log one line per period of overload."""
        most = f"at most {MAX_KNOWN} connections with a known key and {MAX_ANONYMOUS} without"
        if not self._crowded:
            log.warning("connection limit reached: %s; further connections are answered with 429", most)
        self._crowded = True
        body = {"code": 100429, "message": f"Too many requests: {most}, streams included", "data": {}}
        return web.json_response(body, status=429, headers={"Retry-After": "1"})

    def _is_host_accepted(self, request: web.Request) -> bool:
        """Report whether Host is this server or a configured proxy, and Origin, if sent, is the same."""
        fronts = frozenset(parse_fronts(self.runtime.switches["hosts"]))
        hosts = request.headers.getall("Host", [])
        if len(hosts) != 1 or hosts[0] not in self._own_hosts | fronts:
            return False
        origin = request.headers.get("Origin")
        own = {f"http://{host}" for host in self._own_hosts | fronts} | {f"https://{host}" for host in fronts}
        return origin is None or origin in own


async def _answer_description(request: web.Request) -> web.Response:
    """Answer with an API description for the requested host; it contains no secrets, so no API key is needed."""
    name = request.path.removeprefix("/").removesuffix(".json")
    return web.Response(body=write_description(name, request.host), content_type="application/json")


class UnknownPortfolio(CrossdeskError):
    """Error for a portfolio name or id that the venue does not have."""

    title = "No such portfolio"


def make_keys(exchange: Exchange, fresh: Callable[[], str], chosen: str = "") -> list[Key]:
    """Create random API keys at the venue's start: a main, a sub, a sub-user and a read-only key.

    Args:
        exchange: Exchange of the venue.
        fresh: Draws a key or secret.
        chosen: Name or id of a portfolio that gets two more keys: `desk` and, read-only, `desk-readonly`.

    Raises:
        UnknownPortfolio: No portfolio has the chosen name or id.
    """
    portfolios = exchange.queries.portfolios.values()
    main = exchange.queries.main_portfolio.id
    sub = next(portfolio.id for portfolio in portfolios if not portfolio.is_main)
    keys = [
        Key("main", "main", main, EVERYTHING, fresh(), fresh()),
        Key("sub", "sub", sub, EVERYTHING, fresh(), fresh()),
        Key("subuser", "subuser", main, ("READ", "TRANSFER"), fresh(), fresh()),
        Key("readonly", "main", main, ("READ",), fresh(), fresh()),
    ]
    if chosen:
        owner = next((portfolio for portfolio in portfolios if chosen in (portfolio.name, portfolio.id)), None)
        if owner is None:
            known = ", ".join(portfolio.name for portfolio in portfolios)
            raise UnknownPortfolio(f"--portfolio {chosen[:40]}: the paper venue has {known}")
        keys.append(Key("desk", owner.level, owner.id, EVERYTHING, fresh(), fresh()))
        keys.append(Key("desk-readonly", owner.level, owner.id, ("READ",), fresh(), fresh()))
    return keys
