"""Test of a service step by step: connection, clock, key, permissions and streams, without changing anything there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from tui.crossdesk_error import CrossdeskError
from tui.host import HostClock
from tui.workstation.commands.connection import CheckLine, Report

if TYPE_CHECKING:
    from tui.cli.service_target import ChosenService
    from tui.client.rest import Rest
    from tui.client.signer import Signer

STREAM_S = 5.0
"""Seconds a stream may take to answer a login."""

LOGIN_GAP_S = 1.1
"""Seconds between logins: services accept one login per second and key."""

OTHER_LEVEL = (100003, 2003)
"""Codes with which a service refuses a key of another level."""
BAD_SIGNATURE = 2000
"""Code with which a service refuses what a wrong secret has signed."""

Step = tuple[str, str, Callable[[], Awaitable[str]]]
"""Name, field of a profile that its failure is about, and the work, which returns what is said."""


class CheckFailed(CrossdeskError):
    """Check that failed; the text states the error, `field` the field of a profile to change."""

    title = "Check"

    def __init__(self, text: str, field: str = "") -> None:
        super().__init__(text)
        self.field = field


class ServiceCheck:
    """Run of all connection checks of a service; the result of each is reported as soon as it has ended."""

    def __init__(self, service: ChosenService, report: Report, *, stops: bool = False) -> None:
        """Initialize the run.

        Args:
            service: Service, key and portfolio; an empty portfolio is taken from the key.
            report: Called with each result.
            stops: Whether the first failure ends it.
        """
        self._service = service
        self._report = report
        self._stops = stops
        self.portfolio = service.target.portfolio
        """Portfolio of the key."""

    async def run(self) -> list[str]:
        """Run the checks, all or up to the first failure; return the names of the failed ones."""
        from tui.cli.service_target import open_rest

        target, failed = self._service.target, []
        async with open_rest(
            target.service, target.key, target.secret, HostClock(), loopback_only=not self._service.live
        ) as rest:
            for name, field, work in self._steps(rest):
                result = await self._take(name, field, work)
                self._report(result)
                if not result.ok:
                    failed.append(name)
                    if self._stops:
                        break
        return failed

    def _steps(self, rest: Rest) -> Iterator[Step]:
        service = self._service.target.service
        yield "connection", "rest_url", lambda: self._connection(rest)
        yield "clock", "", lambda: self._clock(rest)
        yield "key", "key", lambda: self._key(rest)
        yield "level", "", lambda: self._level(rest)
        yield "permissions", "", lambda: self._permissions(rest)
        # A test that is run again soon has logged in a moment ago.
        log_in = self._next_stream if self._stops else self._stream
        yield "private", "private_ws_url", lambda: log_in(service.private_ws_url, rest)
        if service.algo_ws_url:
            yield "algo", "algo_ws_url", lambda: self._next_stream(service.algo_ws_url, rest)
        yield "public", "public_ws_url", lambda: self._public(rest)
        yield "limits", "", self._limits

    @staticmethod
    async def _take(name: str, field: str, work: Callable[[], Awaitable[str]]) -> CheckLine:
        from aiohttp import ClientError
        from websockets.exceptions import WebSocketException

        try:
            return CheckLine(name, ok=True, text=await work())
        except CheckFailed as error:
            return CheckLine(name, ok=False, text=str(error), field=error.field or field)
        except (CrossdeskError, OSError, TimeoutError, ClientError, WebSocketException, ValueError) as error:
            return CheckLine(name, ok=False, text=str(error) or f"no answer within {STREAM_S:g} s", field=field)

    async def _connection(self, rest: Rest) -> str:
        from tui.client.rest import CallFailed
        from tui.interface.errors import ErrorClass
        from tui.interface.families.system import SYSTEM_STATUS

        clock = HostClock()
        begun = clock.mono()
        try:
            rows = (await rest.call(SYSTEM_STATUS, attempts=1)).data
        except CallFailed as refused:
            if refused.kind is not ErrorClass.CRED:
                raise
            return f"{self._service.target.service.rest_url} answers, and refuses the key"
        took = (clock.mono() - begun) * 1000
        windows = f"; {len(rows)} windows of maintenance are announced" if rows else ""
        return f"{self._service.target.service.rest_url} answers in {took:.0f} ms{windows}"

    async def _clock(self, rest: Rest) -> str:
        from tui.client.signer import CALL_TOLERANCE_MS, clock_error

        skew = rest.skew.ms if rest.skew is not None else None
        reason = clock_error(skew, CALL_TOLERANCE_MS)
        if reason:
            raise CheckFailed(reason)
        return "within a second of the service's" if skew is None else f"{skew / 1000:+.1f} s off the service's"

    async def _key(self, rest: Rest) -> str:
        from tui.client.rest import CallFailed
        from tui.client.signer import short_key
        from tui.interface.families.positions import ACCOUNT

        try:
            rows = (await rest.call(ACCOUNT, attempts=1)).data
        except CallFailed as refused:
            if refused.code == BAD_SIGNATURE:
                raise CheckFailed(str(refused), "secret") from refused
            if refused.code not in OTHER_LEVEL:
                raise
            text = (
                "the key is a sub-user's and has no portfolio: quotes and accounts can be read, nothing can be traded"
            )
            raise CheckFailed(f"{text} ({refused})") from refused
        target = self._service.target
        portfolios = {str(row.portfolio_id) for row in rows}
        self.portfolio = self.portfolio or (portfolios.pop() if len(portfolios) == 1 else "")
        if not self.portfolio:
            raise CheckFailed("the service does not say to which portfolio the key belongs", "portfolio")
        if portfolios - {self.portfolio}:
            text = f"the key is of portfolio {', '.join(sorted(portfolios))}, not of {self.portfolio}"
            raise CheckFailed(text, "portfolio")
        venues = ", ".join(f"{row.exchange_type} {row.account_status}" for row in rows) or "no venue"
        return f"{short_key(target.key)} is accepted for {target.portfolio_name or self.portfolio}: {venues}"

    async def _level(self, rest: Rest) -> str:
        from tui.client.rest import CallFailed
        from tui.interface.families.assets import USER_ASSETS

        try:
            assets = (await rest.call(USER_ASSETS, attempts=1)).data
        except CallFailed as refused:
            if refused.code not in OTHER_LEVEL:
                raise
            return f"not the main key: what concerns all portfolios is refused ({refused})"
        return f"main key; {len(assets)} portfolios hold assets"

    async def _permissions(self, rest: Rest) -> str:
        from tui.client.rest import CallFailed
        from tui.interface.families.portfolios import API_KEYS

        try:
            rows = (await rest.call(API_KEYS, {"portfolioApiKey": self._service.target.key}, attempts=1)).data
        except CallFailed as refused:
            return f"the service does not say ({refused}); READ is there"
        listed = getattr(rows, "rows", rows)
        mine = [row for row in listed if getattr(row, "access_key", "") == self._service.target.key]
        if not mine:
            return "the service does not list this key; READ is there"
        rights = str(mine[0].permission)
        return rights if "TRADE" in rights else f"{rights}: nothing can be traded with this key"

    def _signer(self, rest: Rest) -> Signer:
        from tui.client.signer import Secret, Signer

        target = self._service.target
        signer = Signer(target.key, Secret(target.secret), HostClock())
        signer.skew = rest.skew
        return signer

    async def _next_stream(self, url: str, rest: Rest) -> str:
        await asyncio.sleep(LOGIN_GAP_S)
        return await self._stream(url, rest)

    async def _stream(self, url: str, rest: Rest) -> str:
        """Test the login on one private stream, then drop the connection."""
        import msgspec

        from tui.host import HostConnector
        from tui.interface import errors, streams
        from tui.interface.envelope import StreamReply

        only_trade = self._service.target.service.only_trade
        connector = HostConnector((url,), loopback_only=not self._service.live)
        async with connector.private_stream(url) as socket:
            args = self._signer(rest).login_args(private=True, only_trade=only_trade)
            frame = streams.action_frame("check1", streams.LOGIN, args)
            async with asyncio.timeout(STREAM_S):
                await socket.send(frame, text=True)
                while True:
                    reply = msgspec.json.decode(await socket.recv(decode=False), type=StreamReply)
                    if reply.event:
                        break
            # Nothing more is expected; a slow close by the service is not waited for.
            socket.transport.abort()
        if reply.number != errors.LOGIN_SUCCESS:
            raise CheckFailed(f"login refused: {errors.describe_code(reply.number, reply.text)}")
        return f"{url}: login accepted"

    async def _public(self, rest: Rest) -> str:
        """Connect to the public stream without login, wait for the reply to a ping, then disconnect."""
        import msgspec
        from aiohttp import WSMsgType

        from tui.client.aiohttp_adapter import abort, open_session, open_socket
        from tui.client.decode import inflate
        from tui.host import HostConnector
        from tui.interface import streams
        from tui.interface.streams import PublicEvent

        del rest
        url = self._service.target.service.public_ws_url
        connector = HostConnector((url,), loopback_only=not self._service.live)
        async with open_session(connector) as session, asyncio.timeout(STREAM_S):
            socket = await open_socket(session, url)
            try:
                await socket.send_str(streams.ping_frame(int(HostClock().wall() * 1000)).decode())
                while True:
                    message = await socket.receive()
                    if not isinstance(message.data, bytes):
                        raise CheckFailed("the stream ended without an answer")
                    frame = message.data if message.type is WSMsgType.TEXT else inflate(message.data)
                    if msgspec.json.decode(frame, type=PublicEvent).pong is not None:
                        return f"{url}: answers"
            finally:
                abort(socket)

    @staticmethod
    async def _limits() -> str:
        from tui.interface.families.orders import CANCEL_ORDER, PLACE_ORDER, REPLACE_ORDER

        named = ((PLACE_ORDER, "place"), (REPLACE_ORDER, "replace"), (CANCEL_ORDER, "cancel"))
        return ", ".join(f"{word} {row.limit}" for row, word in named) + " (as published; kept by this program)"
