"""A day of thousands of fills on real sockets, with a restart in the middle: the desk's sum is the venue's (R1, R2)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.client.fakes import FreeLock, until
from tests.venue.shell.conftest import Venue
from tui.client.settings import Service
from tui.client.signer import Secret, Signer
from tui.engine.desk import Identity, Seams
from tui.engine.engine import Engine
from tui.engine.handover import Handover
from tui.engine.intents import Environment
from tui.engine.journal import SqliteJournal
from tui.engine.journal_file import read_all
from tui.engine.settings import EngineSettings
from tui.host import HostClock, HostConnector, OrderIds, SeededRandoms
from tui.interface import decimals
from tui.rules.day_result import DAY_MS

SYM = "BINANCE_PERP_BTC_USDT"
FILLS = "/api/v1/trading/executions/pageable"


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue("--seed", "7", "--set", "latency=test", "--set", "rate_profile=off")
    yield found
    found.stop()


class Client:
    """Another client of the same account; it trades at market."""

    def __init__(self, venue: Venue) -> None:
        self.venue = venue
        self.made = 0

    async def trade(self, count: int) -> None:
        """So many orders that fill at once."""
        for _ in range(count):
            self.made += 1
            order = {"sym": SYM, "side": "BUY" if self.made % 2 else "SELL", "orderType": "MARKET", "orderQty": "0.001"}
            await asyncio.to_thread(
                self.venue.data, "POST", "/api/v1/trading/order", {**order, "clientOrderId": f"else{self.made}"}
            )

    def fills(self) -> list[dict[str, Any]]:
        """All fills of today, as the venue lists them."""
        begin = str(int(time.time() * 1000) // DAY_MS * DAY_MS)
        rows: list[dict[str, Any]] = []
        while True:
            page = {"begin": begin, "page": str(len(rows) // 1000 + 1), "pageSize": "1000"}
            found = self.venue.data("GET", FILLS, page)["list"]
            rows += found
            if len(found) < 1000:
                return rows

    def net(self) -> Decimal:
        parts = [(Decimal(one["rpnl"]), Decimal(one["fee"]), Decimal(one["rebate"])) for one in self.fills()]
        return sum((gross - fee + rebate for gross, fee, rebate in parts), Decimal(0))


class Life:
    """One run of an engine on a home."""

    def __init__(self, venue: Venue, home: Path) -> None:
        line, clock = venue.ready, HostClock()
        key = line["keys"][0]
        urls = (line["rest_url"], line["private_ws_url"], line["public_ws_url"])
        seams = Seams(
            clock,
            SeededRandoms(1),
            OrderIds(clock, "abc123", 0, lambda bound: None),
            HostConnector(urls, loopback_only=True),
            SqliteJournal(home / "journal.db", clock),
            FreeLock(),
        )
        self.engine = Engine(
            seams,
            Identity(
                environment=Environment.PAPER,
                service=Service(rest_url=urls[0], private_ws_url=urls[1], public_ws_url=urls[2]),
                portfolio=key["portfolioId"],
            ),
            signer=Signer(key["api_key"], Secret(key["api_secret"]), clock),
            handover=Handover(),
            settings=EngineSettings(pulse=0.05),
        )
        self.task = asyncio.create_task(self.engine.run())

    async def in_step(self) -> float:
        """How long it took, s."""
        began = time.monotonic()
        await until(lambda: self.engine.desk.synced, 30)
        return time.monotonic() - began

    async def end(self) -> None:
        self.engine.stop()
        await self.task


@pytest.mark.timeout(240)
async def test_limit_and_journal_agree_with_the_venue_to_the_last_digit(venue: Venue, tmp_path: Path) -> None:
    decimals.setup()
    other = Client(venue)
    await other.trade(1_100)
    history = len(other.fills())
    life = Life(venue, tmp_path)
    await life.in_step()
    fills = life.engine.desk.fills
    assert not fills.day_is_whole, "being in step does not wait for a thousand fills and more"
    await until(lambda: fills.day_is_whole, 60)
    assert fills.day.net == other.net()
    await other.trade(300)
    await until(lambda: fills.day.total.fills == len(other.fills()), 30)
    await life.end()
    await other.trade(1_100)
    life = Life(venue, tmp_path)
    assert await life.in_step() < 5
    fills = life.engine.desk.fills
    await other.trade(200)
    await until(lambda: fills.day_is_whole and fills.day.total.fills == len(other.fills()), 60)
    assert fills.day.net == other.net()
    await life.end()
    entries, trouble = read_all(tmp_path / "journal.db")
    journaled = [json.loads(one.payload)["transactionId"] for one in entries if one.kind == "fill"]
    venue_has = [one["transactionId"] for one in other.fills()]
    assert not trouble and len(journaled) == len(set(journaled))
    assert set(journaled) == set(venue_has[: len(venue_has) - history]), "every fill since the journal began, no other"
