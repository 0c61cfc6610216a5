"""The page of a real gateway: what it shows, and that it says when the gateway has ended."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from pathlib import Path
from typing import Any

import aiohttp

from tests.busy import limit
from tests.cli.test_gateway import Command, crossdesk, read_until


def has_quote(message: dict[str, Any]) -> bool:
    """Tell whether a pair has a quote."""
    return any(row[1] != "–" for table in message["tables"] if table["name"] == "Quotes" for row in table["rows"])


def has_order(message: dict[str, Any]) -> bool:
    """Tell whether there is an order."""
    return any(table["rows"] for table in message["tables"] if table["name"] == "Orders")


async def wait_for(stream: aiohttp.ClientWebSocketResponse, word: str) -> dict[str, Any]:
    """Return the first message with a status word in which the first quote and the order have come."""
    async with asyncio.timeout(limit(30)):
        while True:
            message: dict[str, Any] = json.loads((await stream.receive()).data)
            if message["status"]["word"] == word and has_quote(message) and has_order(message):
                return message


def end(*processes: Command) -> None:
    for process in processes:
        process.kill()
        process.wait()


async def test_the_web_page_shows_a_desk_and_says_when_it_ended(tmp_path: Path) -> None:
    gateway = crossdesk(tmp_path, "gateway")
    page = crossdesk(tmp_path, "page", "--listen", "127.0.0.1:0", "NOSUCH_PAIR", "BINANCE_PERP_BTC_USDT")
    try:
        read_until(gateway, "In sync")
        assert (
            crossdesk(tmp_path, "do", "buy 0.01 BTC BINANCE_PERP_BTC_USDT at bid-500t", "--arm", "--yes").wait(60) == 0
        )
        found = re.search(r"(http://[^/]+)/open/\S+", read_until(page, "crossdesk page: "))
        assert found is not None
        unknown = read_until(page, "not known")
        assert "NOSUCH_PAIR; a pair is written EXCHANGE_TYPE_BASE_QUOTE" in unknown and "BTC" in unknown
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
            async with client.get(found[0]) as answer:
                assert answer.status == 200
            async with client.ws_connect(f"{found[1]}/stream", headers={"Origin": found[1]}) as stream:
                tables = {table["name"]: table for table in (await wait_for(stream, "in sync"))["tables"]}
                assert list(tables) == ["Positions", "Orders", "Quotes", "ADL", "Assets"]
                assert tables["Orders"]["rows"][0][:3] == ["BINANCE BTC perp", "BUY", "0.01 BTC"]
                gateway.send_signal(signal.SIGTERM)
                gone = await wait_for(stream, "desk gone")
                assert gone["status"]["reason"] and [table["name"] for table in gone["tables"]] == list(tables)
                read_until(page, ": start `crossdesk` or `crossdesk gateway`; it is tried again each second")
                page.send_signal(signal.SIGTERM)
        assert page.wait(limit(10)) == 0
    finally:
        end(gateway, page)
