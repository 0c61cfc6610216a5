"""The history of a venue with a past, read by a real engine on real sockets; the desk itself is told nothing of it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from tests.client.fakes import until
from tests.engine.conftest import Screen
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import Venue
from tests.venue.walk.reading import call_without_limits
from tui.engine.journal.journal_file import read_all
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, MoreRows, ReadState
from tui.interface.families.history import PortfolioStats
from tui.workstation.features.history.booked_tabs import CLOSED, STATEMENT, VOLUME
from tui.workstation.features.history.history_query import HistoryQuery, Window
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.features.history.trade_tabs import FILLS, ORDERS
from tui.workstation.model.display_context import DisplayContext

LISTS = (
    (ORDERS, ("/api/v1/trading/history/orders", "/api/v1/trading/archive/history/orders")),
    (FILLS, ("/api/v1/trading/executions/pageable", "/api/v1/trading/archive/executions/pageable")),
    (CLOSED, ("/api/v1/trading/history/position",)),
    (STATEMENT, ("/api/v1/trading/statement",)),
)


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue("--seed", "7", "--set", "latency=test", "--set", "agents=still", "--set", "rate_profile=off")
    yield found
    found.stop()


class Reader:
    """An engine in step, and what its screen is told of the history."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.screen = Screen(life.engine.updates)

    async def read(self, tab: HistoryTab, days: int, **changes: Any) -> ListRead:
        """Every page of a list of so many days up to today."""
        now = int(time.time() * 1000)
        first = datetime.fromtimestamp(now / 1000, UTC).date() - timedelta(days=days)
        ask = HistoryQuery(window=Window.OWN, first_day=first.isoformat(), **changes)
        query = tab.build_query(tab.name, ask, now)
        self.life.engine.read(query)
        while True:
            await until(lambda: not self.shown(tab).under_way, 60)
            read = self.shown(tab)
            if read.state is not ReadState.PART:
                assert read.state is ReadState.WHOLE, read.text
                return read
            self.life.engine.read(MoreRows(key=tab.name))

    def shown(self, tab: HistoryTab) -> ListRead:
        read = self.screen.look().tables[Table.ANSWERS][tab.name]
        assert isinstance(read, ListRead)
        return read

    async def rows(self, tab: HistoryTab, days: int, **changes: Any) -> list[Any]:
        """The rows of a list as the screen shows them."""
        return list(tab.pick(await self.read(tab, days, **changes), cast(DisplayContext, None)))


@pytest.fixture
async def reader(venue: Venue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Reader]:
    call_without_limits(monkeypatch)
    life = Life(venue, tmp_path)
    await life.in_step()
    yield Reader(life)
    await life.end()


async def test_every_history_list_equals_the_venue_list(venue: Venue, reader: Reader) -> None:
    for tab, paths in LISTS:
        read = await reader.read(tab, 85)
        begin = min(dict(source.params)[tab.past.window[0]] for source in read.query.sources)
        listed = [
            venue.data("GET", path, {tab.past.window[0]: begin, "pageSize": "1000"})["totalSize"] for path in paths
        ]
        assert len(read.rows) == read.total == sum(listed) > 90, tab.name
    assert all(row.executed_qty != "0" for row in await reader.rows(ORDERS, 85, executed=True))
    volume = (await reader.read(VOLUME, 30)).data
    assert isinstance(volume, PortfolioStats) and volume.binance_perp_vol_usd != "0"


async def test_history_lists_can_be_read_for_several_pairs(reader: Reader) -> None:
    two = sorted({fill.sym for fill in await reader.rows(FILLS, 85)})[:2]
    for tab, _ in LISTS:
        alone = [await reader.read(tab, 85, sym=sym) for sym in two]
        both = await reader.read(tab, 85, sym=",".join(two))
        assert {row.sym for row in tab.pick(both, cast(DisplayContext, None))} == set(two), tab.name
        assert len(both.rows) == both.total == sum(one.total for one in alone), tab.name
    assert [row.symbol for row in await reader.rows(VOLUME, 85, sym=",".join(two))] == two


async def test_an_order_and_its_fills_are_found_by_client_id(reader: Reader) -> None:
    [*_, oldest] = await reader.rows(ORDERS, 85, executed=True)
    [order] = await reader.rows(ORDERS, 85, order=oldest.client_order_id)
    assert order.order_id == oldest.order_id
    fills = await reader.rows(FILLS, 85, order=oldest.client_order_id)
    assert float(oldest.executed_qty) == pytest.approx(sum(float(fill.quantity) for fill in fills))


async def test_history_reads_do_not_enter_journal_or_daily_pnl(reader: Reader, tmp_path: Path) -> None:
    engine = reader.life.engine
    await until(lambda: engine.state.fills.day_is_whole, 30)
    await reader.read(FILLS, 20)
    tables = reader.screen.look().tables
    assert not tables.get(Table.FILLS)
    assert not tables.get(Table.DAYS)
    assert not tables.get(Table.STATEMENTS)
    assert not [event.text for event in reader.screen.events if "FILL" in event.text]
    await reader.life.end()
    kinds = {entry.kind for entry in read_all(tmp_path / "journal.db")[0]}
    assert not kinds & {"fill", "push"}
