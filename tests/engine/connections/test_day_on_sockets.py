"""A day of thousands of fills on real sockets, with a restart in the middle: the desk's sum is the venue's."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import Venue
from tui.client.rate_limiter import RateLimiter
from tui.engine.journal.journal_file import read_all
from tui.engine.limits import Limits
from tui.engine.orders.risk_mode import find_breach
from tui.interface import decimals
from tui.interface.decimals import plain
from tui.interface.endpoint import RateLimit
from tui.rules.day_result import DAY_MS

SYM = "BINANCE_PERP_BTC_USDT"
FILLS = "/api/v1/trading/executions/pageable"
DELAY = RateLimiter.delay


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue("--seed", "7", "--set", "latency=test", "--set", "rate_profile=off")
    yield found
    found.stop()


@pytest.fixture
def _windows_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the limit of the fills be over after a second, not ten: the venue has none, and the desk still waits for it."""
    monkeypatch.setattr(
        RateLimiter,
        "delay",
        lambda limiter, name, limit, **more: DELAY(limiter, name, RateLimit(limit.count, 1), **more),
    )


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


def limit_stands_at(life: Life) -> Decimal:
    """The day's result as the loss limit reckons with it: the limit is not beyond it, and a hair less is."""
    desk = life.engine.state
    result = desk.fills.day.net
    exact, hair = plain(-result), plain(-result - Decimal("0.00000000000001"))
    found = []
    for most in (exact, hair):
        desk.settings = msgspec.structs.replace(desk.settings, limits=Limits(max_loss=most))
        found.append(bool(find_breach(desk)))
    assert found == [False, True], f"the loss limit does not stand at {result}"
    return result


async def live_a_day(venue: Venue, home: Path, *, before: int, during: int, missed: int, after: int) -> None:
    """Fills before the first run of an engine, during it, while none runs, and while the second one comes into step."""
    decimals.setup()
    other = Client(venue)
    await other.trade(before)
    history = len(other.fills())
    life = Life(venue, home)
    await life.in_step()
    fills = life.engine.state.fills
    assert not fills.day_is_whole, "being in step does not wait for a thousand fills and more"
    await until(lambda: fills.day_is_whole, 60)
    assert limit_stands_at(life) == other.net()
    await other.trade(during)
    await until(lambda: fills.day.total.fills == len(other.fills()), 60)
    assert limit_stands_at(life) == other.net()
    await life.end()
    await other.trade(missed)
    trading = asyncio.create_task(other.trade(after))
    life = Life(venue, home)
    assert await life.in_step() < 5
    await trading
    fills = life.engine.state.fills
    await until(lambda: fills.day_is_whole and fills.day.total.fills == len(other.fills()), 60)
    assert limit_stands_at(life) == other.net()
    await life.end()
    entries, error = read_all(home / "journal.db")
    journaled = [json.loads(one.payload)["transactionId"] for one in entries if one.kind == "fill"]
    venue_has = [one["transactionId"] for one in other.fills()]
    assert not error and len(journaled) == len(set(journaled))
    assert set(journaled) == set(venue_has[: len(venue_has) - history]), "every fill since the journal began, no other"
    assert len(venue_has) == before + during + missed + after


@pytest.mark.timeout(240)
@pytest.mark.usefixtures("_windows_of_a_second")
async def test_daily_pnl_and_journal_match_the_venue_exactly(venue: Venue, tmp_path: Path) -> None:
    await live_a_day(venue, tmp_path, before=1_010, during=30, missed=1_010, after=60)


@pytest.mark.real
@pytest.mark.timeout(900)
async def test_daily_pnl_and_journal_match_after_5000_fills(venue: Venue, tmp_path: Path) -> None:
    await live_a_day(venue, tmp_path, before=2_000, during=500, missed=2_000, after=500)
