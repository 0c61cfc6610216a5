"""Prices of the last hour in the quotes: drawn from what the desk saw, and only where there is room."""

from __future__ import annotations

from tests.workstation.driver import desk
from tui.engine.rows import BarsRow, Table, TickerRow
from tui.interface.families.market import KlineRow
from tui.workstation.features.quotes.minute_closes import MINUTES, MinuteCloses

SYM = "BINANCE_PERP_BTC_USDT"


def rising(count: int, end: int = 1000) -> MinuteCloses:
    closes = MinuteCloses()
    for at in range(count):
        closes.note_price(SYM, end - count + 1 + at, 100.0 + at)
    return closes


def test_the_sparkline_of_an_hour_of_rising_prices_is_a_stair() -> None:
    assert rising(60).draw(SYM, 1000, 8) == "▁▂▃▄▅▆▇█"
    assert rising(60).change(SYM, 1000) == 159 / 100 - 1


def test_the_sparkline_is_blank_for_minutes_without_a_price() -> None:
    closes = rising(6)
    drawn = closes.draw(SYM, 1000, 10)
    assert drawn == " " * 9 + "▄"
    assert closes.draw(SYM, 1030, 10).rstrip() == " " * 4 + "▄"
    assert closes.draw(SYM, 1060, 10) == "" and closes.change(SYM, 1060) is None
    assert rising(1).draw(SYM, 1000, 10) == "" and closes.draw("OKX_PERP_BTC_USDT", 1000, 10) == ""


def test_minute_closes_keep_one_hour_and_a_bar_replaces_a_quote() -> None:
    closes = rising(200)
    closes.note_bars(SYM, [(1000, 5.0), (800, 7.0)])
    assert len(closes._closes[SYM]) == MINUTES
    assert closes._closes[SYM][1000] == 5.0 and 800 not in closes._closes[SYM]
    assert set(closes.draw(SYM, 1000, 10)) <= set("▁▂▃▄▅▆▇█")


def test_the_sparkline_of_equal_prices_is_flat() -> None:
    closes = MinuteCloses()
    for minute in range(941, 1001):
        closes.note_price(SYM, minute, 3.0)
    assert closes.draw(SYM, 1000, 5) == "▄▄▄▄▄"


async def test_wide_quotes_have_a_60_minute_sparkline_and_narrow_none() -> None:
    async with desk(236, 37) as at:
        minute = at.app.view.minute
        for back in range(60):
            at.app.panes.quotes.closes.note_price(SYM, minute - 59 + back, 60_000.0 + back)
        at.port.put(Table.TICKERS, SYM, TickerRow(sym=SYM, last="61000", change="1"))
        await at.settle()
        assert "60m" in at.text()
        assert "▁▁" in at.line_of("quotes", "BINANCE", "64,001") and "█" in at.line_of("quotes", "BINANCE", "64,001")
    async with desk(80, 24) as at:
        assert "60m" not in at.text()


async def test_one_minute_bars_of_the_open_pair_fill_its_sparkline() -> None:
    async with desk(236, 37) as at:
        minute = at.app.view.minute
        bars = tuple(
            KlineRow(open_time=(minute - 59 + at) * 60_000, open="1", high="1", low="1", close=str(1 + at), volume="1")
            for at in range(60)
        )
        at.port.put(Table.BARS, SYM, BarsRow(sym=SYM, interval="1m", bars=bars))
        await at.settle()
        assert "▁▂▃" in at.line_of("quotes", "BINANCE", "64,001")
