"""Pages served in the process of a test, with what they show given."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from aiohttp import web

from tui.host import fresh_secret
from tui.page.access import Access
from tui.page.server import PageServer
from tui.page.snapshot import PageStatus, PageTable, Snapshot

HOSTILE = '<img src=x onerror="document.title=`taken`"><script>document.title="taken"</script>'
QUOTES = PageTable(
    "Quotes", ("pair", "bid>", "ask>", "age>", "bid size>", "ask size>", "mark>"),
    (
        ("BINANCE BTC perp", "61,759.7", "61,759.8", "0.1 s", "12.345 BTC", "7.891 BTC", "61,759.8"),
        (HOSTILE, "1", "2", "0.1 s", "1 BTC", "2 BTC", "1"),
    ),
    2,
)  # fmt: skip
POSITIONS = PageTable(
    "Positions", ("pair", "side", "size>", "result USDT>", "entry>", "mark>", "stop>", "liquidation>"),
    (("BINANCE BTC perp", "LONG", "0.02 BTC", "-12.30", "61,758.8", "61,759.8", "none!", "58,123.4"),), 1,
)  # fmt: skip


class Shown:
    """What the page shows, changed by the test."""

    def __init__(self) -> None:
        status = PageStatus(
            word="in sync",
            account=f"PAPER {HOSTILE}",
            risk_mode="NORMAL",
            working=1,
            unknown=1,
            links=("private up",),
        )
        self.snapshot = Snapshot(status=status, tables=(POSITIONS, QUOTES), age_s=0.1)


class Page(NamedTuple):
    """Page that is served."""

    shown: Shown
    access: Access
    base: str
    runner: web.AppRunner


@asynccontextmanager
async def serve_page(port: int = 0) -> AsyncIterator[Page]:
    """Serve a page on a port of this machine; 0 is a free one."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    port = listener.getsockname()[1]
    shown, access = Shown(), Access("127.0.0.1", port, fresh_secret)
    runner = web.AppRunner(PageServer(shown, access).build(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    try:
        yield Page(shown, access, f"http://127.0.0.1:{port}", runner)
    finally:
        await runner.cleanup()
