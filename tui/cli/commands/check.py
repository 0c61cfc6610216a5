"""`crossdesk check`: test connection, clock, key, permissions and streams of a service before trading on it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click

from tui import paths
from tui.cli.credentials import protect_memory
from tui.crossdesk_error import CrossdeskError
from tui.host import HostClock
from tui.settings import read

if TYPE_CHECKING:
    from tui.cli.service_target import ChosenService
    from tui.client.rest import Rest

STREAM_S = 5.0
"""Seconds a stream may take to answer a login."""

LOGIN_GAP_S = 1.1
"""Seconds between logins: services accept one login per second and key."""

OTHER_LEVEL = (100003, 2003)
"""Codes with which a service refuses a key of another level."""


class CheckFailed(CrossdeskError):
    """Check that failed; at least one printed line states the error."""

    title = "Check"


@click.command()
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
def command(profile: str | None) -> None:
    """Check that this machine can trade on the service, without changing anything there."""
    from tui.cli.service_target import open_target
    from tui.interface import decimals

    protect_memory()
    decimals.setup()
    with open_target(profile, read(paths.config_file())) as service:
        if service.read_only:
            click.echo(f"window        {service.read_only}")
        failed = asyncio.run(Checks(service).run())
    if failed:
        raise CheckFailed(f"wrong: {', '.join(failed)}")


class Checks:
    """Run of all checks; each check prints its line."""

    def __init__(self, service: ChosenService) -> None:
        self._service = service
        self._failed: list[str] = []

    async def run(self) -> list[str]:
        """Run all checks, print a line for each, and return the names of the failed ones."""
        from tui.cli.service_target import open_rest

        target = self._service.target
        async with open_rest(
            target.service, target.key, target.secret, HostClock(), loopback_only=not self._service.live
        ) as rest:
            await self._line("connection", lambda: self._connection(rest))
            await self._line("clock", lambda: self._clock(rest))
            await self._line("key", lambda: self._key(rest))
            await self._line("level", lambda: self._level(rest))
            await self._line("permissions", lambda: self._permissions(rest))
            await self._line("private", lambda: self._stream(target.service.private_ws_url, rest))
            if target.service.algo_ws_url:
                await asyncio.sleep(LOGIN_GAP_S)
                await self._line("algo", lambda: self._stream(target.service.algo_ws_url, rest))
            await self._line("limits", self._limits)
        return self._failed

    async def _line(self, name: str, check: Callable[[], Awaitable[str]]) -> None:
        try:
            result = f"ok    {await check()}"
        except (CrossdeskError, OSError, TimeoutError) as error:
            self._failed.append(name)
            result = f"WRONG {error}" if str(error) else f"WRONG no answer within {STREAM_S:g} s"
        click.echo(f"{name:<12}  {result}")

    async def _connection(self, rest: Rest) -> str:
        from tui.interface.families.system import SYSTEM_STATUS

        clock = HostClock()
        begun = clock.mono()
        rows = (await rest.call(SYSTEM_STATUS, attempts=1)).data
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
            if refused.code not in OTHER_LEVEL:
                raise
            text = (
                "the key is a sub-user's and has no portfolio: quotes and accounts can be read, nothing can be traded"
            )
            raise CheckFailed(f"{text} ({refused})") from refused
        target = self._service.target
        portfolios = {str(row.portfolio_id) for row in rows}
        if portfolios - {target.portfolio}:
            raise CheckFailed(f"the key is of portfolio {', '.join(sorted(portfolios))}, not of {target.portfolio}")
        venues = ", ".join(f"{row.exchange_type} {row.account_status}" for row in rows) or "no venue"
        return f"{short_key(target.key)} is accepted for {target.portfolio_name or target.portfolio}: {venues}"

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
        return str(mine[0].permission) if mine else "the service does not list this key; READ is there"

    async def _stream(self, url: str, rest: Rest) -> str:
        """Test the login on one stream, then disconnect."""
        import msgspec

        from tui.client.signer import Secret, Signer
        from tui.host import HostConnector
        from tui.interface import errors, streams
        from tui.interface.envelope import StreamReply

        target = self._service.target
        signer = Signer(target.key, Secret(target.secret), HostClock())
        signer.skew = rest.skew
        connector = HostConnector((url,), loopback_only=not self._service.live)
        async with connector.private_stream(url) as socket:
            args = signer.login_args(private=True, only_trade=target.service.only_trade)
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

    @staticmethod
    async def _limits() -> str:
        from tui.interface.families.orders import CANCEL_ORDER, PLACE_ORDER, REPLACE_ORDER

        named = ((PLACE_ORDER, "place"), (REPLACE_ORDER, "replace"), (CANCEL_ORDER, "cancel"))
        return ", ".join(f"{word} {row.limit}" for row, word in named) + " (as published; kept by this program)"
