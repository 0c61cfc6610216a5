"""Old bars of the watched pair: kept in a file, read of the service that offers them, and never over the open bar."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.conftest import StateRig
from tests.venue.shell.inside import Inside
from tui.engine.market import bar_file
from tui.engine.market.bar_file import BarFile
from tui.engine.market.past_bars import BARS_WANTED, PastBars, sum_bars
from tui.engine.rows import BarsRow, Table
from tui.interface.families.market import INTERVAL_MS, BarPrice, Interval, KlineRow
from tui.interface.ready import BARS_PATH
from tui.interface.streams import Detail

PERP = "BINANCE_PERP_BTC_USDT"
MINUTE = 60_000


def bar(at: int, close: str = "5", high: str = "9", low: str = "1", volume: str = "2") -> KlineRow:
    return KlineRow(open_time=at, open="4", high=high, low=low, close=close, volume=volume)


def starts(rows: list[KlineRow]) -> list[int | str]:
    return [row.open_time for row in rows]


def test_stored_bars_are_read_back_by_pair_and_interval(tmp_path: Path) -> None:
    file = BarFile(tmp_path / "bars.db")
    file.write(Detail(PERP, Interval.M1), [bar(2 * MINUTE), bar(MINUTE)])
    file.write(Detail(PERP, Interval.M5), [bar(5 * MINUTE)])
    file.write(Detail(PERP, price=BarPrice.MARK), [bar(MINUTE, "8")])
    file.write(Detail(PERP, Interval.M1), [bar(2 * MINUTE, "7")])
    file.close()
    assert (tmp_path / "bars.db").stat().st_mode & 0o077 == 0
    again = BarFile(tmp_path / "bars.db")
    rows = again.read(Detail(PERP, Interval.M1), 10)
    assert [(row.open_time, row.close) for row in rows] == [(MINUTE, "5"), (2 * MINUTE, "7")]
    assert starts(again.read(Detail(PERP, Interval.M1), 1)) == [2 * MINUTE]
    assert [row.close for row in again.read(Detail(PERP, price=BarPrice.MARK), 10)] == ["8"]
    assert again.read(Detail(PERP, price=BarPrice.INDEX), 10) == again.read(Detail("OKX_PERP_BTC_USDT"), 10) == []


def test_the_file_keeps_a_bounded_number_of_bars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bar_file, "MOST_PER_SERIES", 5)
    file = BarFile(tmp_path / "bars.db")
    for at in range(1, 20):
        file.write(Detail(PERP, Interval.M1), [bar(at * MINUTE)])
    assert starts(file.read(Detail(PERP, Interval.M1), 100)) == [at * MINUTE for at in range(15, 20)]
    file.close()
    monkeypatch.setattr(bar_file, "MOST_BARS", 2)
    assert starts(BarFile(tmp_path / "bars.db").read(Detail(PERP, Interval.M1), 100)) == [18 * MINUTE, 19 * MINUTE]


def test_bars_kept_for_another_paper_venue_state_are_dropped(tmp_path: Path) -> None:
    for owner, kept in (("one", 0), ("one", 1), ("two", 0), ("two", 1)):
        file = BarFile(tmp_path / "bars.db", owner)
        assert len(file.read(Detail(PERP, Interval.M1), 10)) == kept
        file.write(Detail(PERP, Interval.M1), [bar(MINUTE)])
        file.close()


def test_a_damaged_file_of_past_bars_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "bars.db").write_bytes(b"not a database" * 400)
    file = BarFile(tmp_path / "bars.db")
    file.write(Detail(PERP, Interval.M1), [bar(MINUTE)])
    assert starts(file.read(Detail(PERP, Interval.M1), 10)) == [MINUTE] and not file.error


def test_a_symbolic_link_as_file_of_past_bars_keeps_no_bars(tmp_path: Path) -> None:
    (tmp_path / "real.db").touch()
    (tmp_path / "bars.db").symlink_to(tmp_path / "real.db")
    file = BarFile(tmp_path / "bars.db")
    file.write(Detail(PERP, Interval.M1), [bar(MINUTE)])
    assert file.read(Detail(PERP, Interval.M1), 10) == [] and file.error
    assert (tmp_path / "real.db").stat().st_size == 0


def test_longer_bars_are_summed_without_an_incomplete_first() -> None:
    rows = [
        bar(at * MINUTE, close=str(at), high=str(at + 10), low=str(10 - at), volume="0.1")
        for at in (3, 4, 5, 6, 9, 10, 12)
    ]
    summed = sum_bars(rows, 5 * MINUTE)
    assert summed == [
        KlineRow(open_time=5 * MINUTE, open="4", high="19", low="1", close="9", volume="0.3"),
        KlineRow(open_time=10 * MINUTE, open="4", high="22", low="-2", close="12", volume="0.2"),
    ]
    assert sum_bars([], MINUTE) == []


def shown(bare: StateRig) -> BarsRow:
    row = bare.screen.look().tables[Table.BARS][PERP]
    assert isinstance(row, BarsRow)
    return row


def test_past_bars_never_replace_the_bar_that_is_still_open(bare: StateRig) -> None:
    detail, watched = bare.state.detail, Detail(PERP)
    closed: list[KlineRow] = []
    detail.on_closed = lambda _, row: closed.append(row)
    detail.begin(watched)
    detail.bars([bar(3 * MINUTE, "live")])
    detail.add_past(watched, [bar(at * MINUTE, "past") for at in (1, 2, 3)])
    assert [row.close for row in shown(bare).bars] == ["past", "past", "live"]
    detail.add_past(Detail(PERP, Interval.M5), [bar(0, "other")])
    assert len(shown(bare).bars) == 3 and closed == []
    detail.bars([bar(4 * MINUTE, "next")])
    assert [row.close for row in closed] == ["live"]


def test_a_new_chart_interval_drops_the_former_bars(bare: StateRig) -> None:
    detail = bare.state.detail
    detail.begin(Detail(PERP))
    detail.bars([bar(MINUTE)])
    detail.begin(Detail(PERP, Interval.M5))
    detail.bars([bar(5 * MINUTE)])
    assert (shown(bare).interval, len(shown(bare).bars)) == ("5m", 1)


@asynccontextmanager
async def past_bars(bare: StateRig, bars: BarFile | None, *, serves: bool = True) -> AsyncIterator[Inside]:
    """The reader of old bars on a served venue."""
    venue = Inside()
    await venue.open()
    state = bare.state
    url = f"http://127.0.0.1:{venue.port}{BARS_PATH}" if serves else ""
    service = msgspec.structs.replace(state.identity.service, bars_url=url)
    state.identity = msgspec.structs.replace(state.identity, service=service)
    state.services = msgspec.structs.replace(state.services, bars=bars)
    running = asyncio.create_task(PastBars(state, venue.http, state.detail).run())
    try:
        yield venue
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        await venue.close()


@pytest.mark.parametrize("interval", [Interval.M1, Interval.M15, Interval.H4])
async def test_a_new_chart_is_filled_with_past_bars_of_the_paper_venue(bare: StateRig, interval: Interval) -> None:
    async with past_bars(bare, None) as venue:
        bare.state.detail.begin(Detail(PERP, interval))
        tables, length = bare.screen.tables, INTERVAL_MS[interval]
        await until(
            lambda: bare.screen.look() and Table.BARS in tables and len(shown(bare).bars) >= BARS_WANTED - 2, 60
        )
        bars = shown(bare).bars
        times = [int(row.open_time) for row in bars]
        assert all(later - before == length for before, later in pairwise(times))
        assert venue.runtime.now_ms() - times[-1] < 2 * length
        await until(lambda: bare.screen.look() and shown(bare).has_past)
        bare.state.detail.begin(Detail(PERP, Interval.M3))
        bare.state.detail.bars([bar(3 * MINUTE)])
        assert not shown(bare).has_past, "those of another interval are not read yet"


async def test_closed_bars_are_shown_again_when_a_chart_is_reopened(bare: StateRig, tmp_path: Path) -> None:
    file = BarFile(tmp_path / "bars.db")
    watched = Detail(PERP, Interval.M5)
    async with past_bars(bare, file, serves=False):
        bare.state.detail.begin(watched)
        for at in (1, 2, 3):
            bare.state.detail.bars([bar(at * 5 * MINUTE, str(at))])
        await until(lambda: len(file.read(Detail(PERP, Interval.M5), 10)) == 2)
        bare.state.detail.forget()
        bare.state.detail.begin(watched)
        await until(lambda: bool(bare.screen.look().tables.get(Table.BARS)))
        assert [row.close for row in shown(bare).bars] == ["1", "2"]


async def test_a_venue_without_past_bars_only_causes_an_event(bare: StateRig) -> None:
    async with past_bars(bare, None) as venue:
        bare.state.detail.begin(Detail("BINANCE_PERP_XXX_USDT"))
        await until(lambda: any("no old bars" in event.text for event in bare.screen.look().events))
        row = bare.screen.look().tables[Table.BARS]["BINANCE_PERP_XXX_USDT"]
        assert isinstance(row, BarsRow) and row.has_past, "there are none"
        assert venue.port
