"""`crossdesk page`: a read-only web page of the desk that runs."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from typing import TYPE_CHECKING

import click

from tui.cli.desks.folded_lines import echo_folded
from tui.crossdesk_error import CrossdeskError, error_text

if TYPE_CHECKING:
    import socket

    from tui.page.desk_feed import DeskFeed
    from tui.programs.watched_desk import WatchedDesk

OPEN_TO_NETWORK = (
    "WARNING: this address is reached from the network without encryption; who reads along sees all that the page shows"
)


class PageFailed(CrossdeskError):
    """Error for a web page that cannot be served; the text says why."""

    title = "Not started"


@click.command()
@click.argument("pairs", nargs=-1, metavar="[PAIR]...")
@click.option("--profile", metavar="NAME", help="The desk of a configured service instead of the paper venue's.")
@click.option(
    "--listen", default="127.0.0.1:8765", show_default=True, metavar="ADDRESS:PORT", help="Where it is served."
)
def command(pairs: tuple[str, ...], profile: str | None, listen: str) -> None:
    """Show the desk that runs as a web page that changes nothing, with quotes of PAIRs such as BINANCE_PERP_BTC_USDT.

    The address that is printed has a token; who does not know it sees nothing. Ctrl+C ends it.
    """
    from tui.interface import decimals
    from tui.page.access import parse_listen

    host, port = parse_listen(listen)
    decimals.setup()
    asyncio.run(_serve(_build_feed(profile, pairs), host, port))


def _build_feed(profile: str | None, pairs: tuple[str, ...]) -> DeskFeed:
    """Build the source of the page's data: it attaches to the desk of a profile, and again whenever the link is lost.

    Raises:
        UnknownProfile: The configuration has no such profile.
    """
    from tui.cli.service_target import find_desk
    from tui.desk_protocol.messages import Role
    from tui.host import HostClock, fresh_id
    from tui.page.desk_feed import DeskFeed
    from tui.programs.watched_desk import WatchedDesk

    find_desk(profile)
    clock = HostClock()

    def connect() -> WatchedDesk:
        return WatchedDesk(find_desk(profile), clock, fresh_id, name="page", role=Role.WATCH)

    return DeskFeed(connect, clock, pairs, partial(echo_folded, err=True))


async def _serve(feed: DeskFeed, host: str, port: int) -> None:
    """Serve the web page until SIGTERM, SIGINT or SIGHUP.

    Raises:
        PageFailed: The address is taken, or none of this machine.
    """
    from aiohttp import web

    from tui.host import fresh_secret
    from tui.page.access import Access, is_loopback
    from tui.page.server import PageServer

    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    listener = await _listen(host, port)
    access = Access(host, listener.getsockname()[1], fresh_secret)
    runner = web.AppRunner(
        PageServer(feed, access).build(), access_log=None, handle_signals=False, shutdown_timeout=1.0
    )
    await runner.setup()
    await web.SockSite(runner, listener).start()
    feeding = asyncio.ensure_future(feed.run())
    if not is_loopback(host):
        echo_folded(OPEN_TO_NETWORK)
    click.echo(f"crossdesk page: {access.url}")
    try:
        await asyncio.wait([feeding, asyncio.ensure_future(ended.wait())], return_when=asyncio.FIRST_COMPLETED)
    finally:
        feeding.cancel()
        [failed] = await asyncio.gather(feeding, return_exceptions=True)
        await runner.cleanup()
    if isinstance(failed, Exception):
        raise PageFailed(f"the page failed: {error_text(failed)}") from failed
    click.echo("crossdesk page: ended")


async def _listen(host: str, port: int) -> socket.socket:
    """Open the listening socket.

    Raises:
        PageFailed: It cannot be opened.
    """
    import socket

    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise PageFailed(f"--listen {host}:{port}: {error.strerror}; name another port") from None
    return listener
