"""Lists and sums of the archive: right for every window, page and filter, and no dearer for a venue that has lived long."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tui.interface.families.history import TradeRecord
from tui.venue.core.state.archive_reader import ArchivedRow
from tui.venue.shell.storage.archive import Archive
from tui.venue.shell.storage.hourly_counts import HOUR_MS, Selection
from tui.venue.shell.storage.turnover import Turnover

pytestmark = pytest.mark.usefixtures("exact")

SYMS = ("BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT", "OKX_PERP_ETH_USDT")
DAY_MS = 24 * HOUR_MS
START = 19_000 * DAY_MS


def row(number: int, at: int, sym: str = SYMS[0], **changes: Any) -> ArchivedRow:
    return ArchivedRow(
        table="order", key=str(number), value=b"{}", portfolio="p", at=at, sym=sym, exchange=sym.split("_")[0],
        business=sym.split("_")[1], **changes,
    )  # fmt: skip


def fill(number: int, at: int, sym: str, quantity: str, price: str) -> ArchivedRow:
    record = TradeRecord(
        transaction_id=str(number), portfolio_id="p", order_id=str(number // 3), sym=sym, side="BUY", quantity=quantity,
        price=price, fee="0.1", fee_coin="USDT", rpnl="-1.25", create_at=str(at),
    )  # fmt: skip
    return ArchivedRow(
        table="fill", key=str(number), value=msgspec.json.encode(record), portfolio="p", at=at, sym=sym,
        order_id=record.order_id, executed=True,
    )  # fmt: skip


def wanted(rows: list[ArchivedRow], asked: Selection) -> list[tuple[int, int]]:
    """What a list holds, found row by row."""
    found = [
        (one.at, int(one.key))
        for one in rows
        if (one.table, one.portfolio) == (asked.table, asked.portfolio)
        and asked.begin <= one.at <= asked.end
        and all(getattr(one, name) == value for name, value in asked.where.items())
    ]
    return sorted(found, reverse=True)


def test_archive_pages_equal_a_scan_of_all_rows() -> None:
    source = random.Random(4)
    rows = [
        row(number, START + source.randrange(3 * DAY_MS), source.choice(SYMS), executed=source.random() < 0.2)
        for number in range(600)
    ]
    rows += [fill(number, START + source.randrange(DAY_MS), SYMS[0], "1", "2") for number in range(90)]
    archive = Archive(None)
    for first in range(0, len(rows), 100):
        archive.add(rows[first : first + 100])
    archive.add(rows[:50])
    filters: list[tuple[str, dict[str, str | bool]]] = [
        ("order", {}),
        ("order", {"sym": SYMS[1]}),
        ("order", {"executed": True, "exchange": "BINANCE"}),
        ("order", {"sym": "NONE"}),
        ("fill", {"order_id": "7"}),
    ]
    for _ in range(40):
        begin = START + source.randrange(-HOUR_MS, 3 * DAY_MS)
        end = source.choice(
            [begin - 1, begin, begin + source.randrange(3 * DAY_MS), 2**62, begin // HOUR_MS * HOUR_MS - 1]
        )
        for table, where in filters:
            asked = Selection(table, "p", begin, end, where)
            right, found = wanted(rows, asked), archive.select(asked)
            assert found.total == len(right)
            skip, most = source.randrange(len(right) + 3), source.choice([1, 7, 1000])
            assert [place[:2] for place in found.row_positions(skip, most)] == right[skip : skip + most]
    archive.close()


def test_an_old_archive_without_counts_is_counted_on_opening(tmp_path: Path) -> None:
    path = tmp_path / "paper.db-past"
    rows = [row(number, START + number * 60_000, SYMS[number % 3], executed=number % 2 == 0) for number in range(300)]
    rows += [fill(number, START + number * HOUR_MS, SYMS[0], "0.001", "60000.1") for number in range(48)]
    first = Archive(path)
    first.add(rows)
    asked = Selection("order", "p", START + 90_000, START + 4 * HOUR_MS, {"sym": SYMS[1]})
    listed = first.select(asked)
    before = (listed.total, listed.row_positions(3, 20), list(first.turnover("p", 0, 10**6)))
    first.close()
    database = sqlite3.connect(path)
    database.executescript("DROP TABLE tally; DROP TABLE turnover; DROP INDEX of_orders; PRAGMA user_version=1")
    database.close()
    again = Archive(path)
    listed = again.select(asked)
    assert (listed.total, listed.row_positions(3, 20), list(again.turnover("p", 0, 10**6))) == before
    assert before[0] == len(wanted(rows, asked)) > 20
    again.close()


def test_turnover_is_exact_per_day_without_duplicate_fills() -> None:
    archive = Archive(None)
    fills = [fill(number, START + number * HOUR_MS, SYMS[number % 2], "0.00000001", "60000.1") for number in range(72)]
    archive.add(fills[:40])
    archive.add(fills[30:])
    assert list(archive.turnover("p", 19_001, 19_001)) == [
        (sym, Turnover(12 * Decimal("0.000600001"), Decimal("1.2"), Decimal("-15"))) for sym in (SYMS[0], SYMS[1])
    ]
    assert len(list(archive.turnover("p", 0, 10**6))) == 6
    archive.close()


def steps(archive: Archive, work: Callable[[], object]) -> int:
    """How many steps SQLite takes for it: a measure that no busy machine disturbs."""
    taken = 0

    def step() -> int:
        nonlocal taken
        taken += 1
        return 0

    archive._db.set_progress_handler(step, 1)
    work()
    archive._db.set_progress_handler(None, 0)
    return taken


def cost(days: int, an_hour: int) -> int:
    """What a first and a last page of a week cost in an archive of some days with so many orders an hour."""
    archive, number = Archive(None), 0
    for hour in range(days * 24):
        at = START + hour * HOUR_MS
        archive.add([row(number + one, at + one * 1000, executed=one % 10 == 0) for one in range(an_hour)])
        number += an_hour
    now = START + days * DAY_MS
    week = Selection("order", "p", now - 7 * DAY_MS, 2**62, {})

    def ask() -> None:
        found = archive.select(week)
        assert found.total == 7 * 24 * an_hour
        found.row_positions(0, 20)
        found.row_positions(found.total - 20, 20)

    found = steps(archive, ask)
    archive.close()
    return found


def test_reading_an_archive_page_is_as_fast_in_a_large_archive() -> None:
    young, old, busy = cost(8, 5), cost(80, 5), cost(8, 100)
    assert old < 1.05 * young
    assert busy < 2 * young
