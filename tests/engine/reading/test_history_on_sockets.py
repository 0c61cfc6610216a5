"""The history of a venue with a past, read by a real engine on real sockets; the desk itself is told nothing of it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client.fakes import until
from tests.engine.conftest import Screen
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import Venue
from tui.engine.history import HistoryKind, HistoryQuery, HistoryRead, NextPage, ReadState
from tui.engine.journal.journal_file import read_all
from tui.engine.rows import Table
from tui.rules.day_result import DAY_MS

LISTS = {
    HistoryKind.ORDERS: ("/api/v1/trading/history/orders", "/api/v1/trading/archive/history/orders"),
    HistoryKind.FILLS: ("/api/v1/trading/executions/pageable", "/api/v1/trading/archive/executions/pageable"),
    HistoryKind.CLOSED: ("/api/v1/trading/history/position",),
    HistoryKind.STATEMENT: ("/api/v1/trading/statement",),
}


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

    async def read(self, kind: HistoryKind, begin: int, **changes: Any) -> HistoryRead:
        """Every page of a list."""
        self.life.engine.history(HistoryQuery(kind=kind, begin_ms=begin, **changes))
        while True:
            await until(lambda: not self.shown(kind).under_way, 60)
            found = self.shown(kind)
            if found.state is not ReadState.PART:
                assert found.state is ReadState.WHOLE, found.text
                return found
            self.life.engine.history(NextPage(kind=kind))

    def shown(self, kind: HistoryKind) -> HistoryRead:
        found = self.screen.look().tables[Table.HISTORY][kind.value]
        assert isinstance(found, HistoryRead)
        return found


@pytest.fixture
async def reader(venue: Venue, tmp_path: Path) -> AsyncIterator[Reader]:
    life = Life(venue, tmp_path)
    await life.in_step()
    yield Reader(life)
    await life.end()


async def test_every_list_is_what_the_venue_lists(venue: Venue, reader: Reader) -> None:
    now = int(time.time() * 1000)
    begin = now - 85 * DAY_MS
    for kind, paths in LISTS.items():
        read = await reader.read(kind, begin)
        name = "startTime" if kind is HistoryKind.STATEMENT else "begin"
        listed = [venue.data("GET", path, {name: str(begin), "pageSize": "1000"})["totalSize"] for path in paths]
        assert len(read.rows) == read.total == sum(listed) > 90, kind
        executed = await reader.read(HistoryKind.ORDERS, begin, executed=True)
        assert all(row.executed_qty != "0" for row in executed.rows)  # type: ignore[union-attr]
    volume = await reader.read(HistoryKind.VOLUME, now - 30 * DAY_MS)
    assert volume.portfolio is not None
    assert volume.user is not None
    assert volume.portfolio.binance_perp_vol_usd != "0"


async def test_several_pairs_are_read_in_every_list_and_counted_in_the_volume(reader: Reader) -> None:
    begin = int(time.time() * 1000) - 85 * DAY_MS
    fills = (await reader.read(HistoryKind.FILLS, begin)).rows
    two = sorted({fill.sym for fill in fills})[:2]  # type: ignore[union-attr]
    for kind in LISTS:
        alone = [await reader.read(kind, begin, sym=sym) for sym in two]
        both = await reader.read(kind, begin, sym=",".join(two))
        assert {row.sym for row in both.rows} == set(two), kind  # type: ignore[union-attr]
        assert len(both.rows) == both.total == sum(one.total for one in alone), kind
    volume = await reader.read(HistoryKind.VOLUME, begin, sym=",".join(two))
    assert [row.symbol for row in volume.rows] == two  # type: ignore[union-attr]


async def test_one_order_and_its_fills_are_found_by_its_client_order_id(reader: Reader) -> None:
    begin = int(time.time() * 1000) - 85 * DAY_MS
    [*_, oldest] = (await reader.read(HistoryKind.ORDERS, begin, executed=True)).rows
    client_id, qty = oldest.client_order_id, oldest.executed_qty  # type: ignore[union-attr]
    [found] = (await reader.read(HistoryKind.ORDERS, begin, order=client_id)).rows
    assert found.order_id == oldest.order_id  # type: ignore[union-attr]
    fills = (await reader.read(HistoryKind.FILLS, begin, order=client_id)).rows
    assert float(qty) == pytest.approx(sum(float(fill.quantity) for fill in fills))  # type: ignore[union-attr, misc]


async def test_a_new_journal_and_the_day_are_told_nothing_of_the_past(reader: Reader, tmp_path: Path) -> None:
    engine = reader.life.engine
    await until(lambda: engine.state.fills.day_is_whole, 30)
    await reader.read(HistoryKind.FILLS, int(time.time() * 1000) - 20 * DAY_MS)
    tables = reader.screen.look().tables
    assert not tables.get(Table.FILLS)
    assert not tables.get(Table.DAYS)
    assert not tables.get(Table.STATEMENTS)
    assert not [event.text for event in reader.screen.events if "FILL" in event.text]
    await reader.life.end()
    kinds = {entry.kind for entry in read_all(tmp_path / "journal.db")[0]}
    assert not kinds & {"fill", "push"}
