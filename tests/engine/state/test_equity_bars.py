"""Equity of the account as bars of a minute: without loans, never from half of the figures, kept over a restart."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import msgspec

from tests.client.fakes import until
from tests.engine.conftest import StateRig
from tui.engine.market.bar_file import BarFile
from tui.engine.market.equity_bars import MOST_MINUTES, EquityBars
from tui.engine.rows import EQUITY, BarsRow, Source, Stamp, Table
from tui.interface.families.assets import AssetRecord
from tui.interface.families.market import KlineRow
from tui.interface.families.positions import AccountRecord
from tui.interface.streams import Detail

MINUTE = 60_000
START = 1_795_532_400_000


def put_equity(bare: StateRig, venue: str, equity: str, at: int, **more: object) -> None:
    record = msgspec.structs.replace(AccountRecord(exchange_type=venue, equity=equity), **more)
    bare.state.facts.accounts.push(venue, record, Stamp("7001", 1, at, Source.PUSH, float(at)))


def shown(bare: StateRig) -> list[tuple[str, str, str, str]]:
    row = bare.screen.look().tables[Table.BARS][EQUITY]
    assert isinstance(row, BarsRow)
    return [(bar.open, bar.high, bar.low, bar.close) for bar in row.bars]


def test_equity_samples_of_a_minute_are_one_bar(bare: StateRig) -> None:
    kept: list[KlineRow] = []
    bars = EquityBars(bare.state, lambda _, row: kept.append(row))
    for step, equity in enumerate(("100", "103.5", "99", "101")):
        put_equity(bare, "OKX", equity, step + 1)
        bars.sample(START + 10_000 * step)
    assert shown(bare) == [("100", "103.5", "99", "101")] and kept == []
    bars.sample(START + MINUTE)
    assert shown(bare)[1:] == [("101", "101", "101", "101")]
    assert [(row.open_time, row.close) for row in kept] == [(START, "101")]


def test_equity_is_the_sum_of_the_venues_without_loans(bare: StateRig) -> None:
    bars = EquityBars(bare.state, lambda *_: None)
    put_equity(bare, "OKX", "100.10", 1)
    put_equity(bare, "EDX", "500", 2, net_equity="300.2")
    put_equity(bare, "BINANCE", "50", 3)
    loan = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="50", loan_value="20")
    bare.state.facts.assets.push("BINANCE/USDT", loan, Stamp("7001", 1, 4, Source.PUSH, 4.0))
    bars.sample(START)
    assert shown(bare)[-1][-1] == "430.3"


def test_an_equity_sample_needs_the_equity_of_every_venue(bare: StateRig) -> None:
    bars = EquityBars(bare.state, lambda *_: None)
    bars.sample(START)
    put_equity(bare, "OKX", "100", 1)
    put_equity(bare, "EDX", "", 2)
    bars.sample(START)
    assert EQUITY not in bare.screen.look().tables.get(Table.BARS, {})


def test_a_clock_set_back_changes_no_equity_bar(bare: StateRig) -> None:
    bars = EquityBars(bare.state, lambda *_: None)
    put_equity(bare, "OKX", "100", 1)
    bars.sample(START)
    put_equity(bare, "OKX", "90", 2)
    bars.sample(START - MINUTE)
    bars.sample(START)
    assert shown(bare) == [("100", "100", "90", "90")]


def test_the_bars_of_the_equity_are_bounded(bare: StateRig) -> None:
    bars = EquityBars(bare.state, lambda *_: None)
    put_equity(bare, "OKX", "100", 1)
    for minute in range(MOST_MINUTES + 3):
        bars.sample(START + minute * MINUTE)
    assert len(shown(bare)) == MOST_MINUTES


async def test_equity_bars_of_a_portfolio_are_there_after_a_restart(bare: StateRig, tmp_path: Path) -> None:
    file, state = BarFile(tmp_path / "bars.db"), bare.state
    state.services = msgspec.structs.replace(state.services, bars=file)
    state.portfolio, state.synced = "7001", True
    now = int(state.clock.wall() * 1000)
    start = now - now % MINUTE - 20 * MINUTE
    old = KlineRow(open_time=start, open="90", high="95", low="88", close="91", volume="0")
    file.write(Detail(f"{EQUITY} 7001"), [old])
    file.write(Detail(f"{EQUITY} 7002"), [msgspec.structs.replace(old, close="5")])
    put_equity(bare, "OKX", "100", 1)
    running = asyncio.create_task(EquityBars(state, lambda *_: None).run())
    try:
        await until(lambda: EQUITY in bare.screen.look().tables.get(Table.BARS, {}))
        assert shown(bare) == [("90", "95", "88", "91"), ("100", "100", "100", "100")]
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
