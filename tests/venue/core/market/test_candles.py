"""Bars, 24-hour figures, book levels, index and open interest as the exchange itself says them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.drive import PERP, SPOT, Desk
from tests.venue.core.market.test_replay import bbo
from tui.interface.decimals import plain
from tui.interface.families.market import INTERVAL_MS, Channel, Interval
from tui.venue.core.events import IndexChanged, MarkChanged
from tui.venue.core.market.candles import BarSeries, Candles, bar_start
from tui.venue.core.participants.replay import RecordedMarket

MINUTE, DAY = 60_000, 86_400_000
MONDAY = 1_722_816_000_000
"""2024-08-05 00:00 UTC."""


def texts(*figures: Decimal) -> str:
    return " ".join(plain(figure) for figure in figures)


@pytest.mark.parametrize("interval", list(INTERVAL_MS))
def test_every_candle_interval_opens_on_its_boundary(interval: Interval) -> None:
    assert bar_start(interval, MONDAY) == MONDAY
    assert bar_start(interval, MONDAY - 1) == MONDAY - INTERVAL_MS[interval]
    assert bar_start(interval, MONDAY + INTERVAL_MS[interval] - 1) == MONDAY


def test_monthly_candles_open_on_the_first_day() -> None:
    august, september = 1_722_470_400_000, 1_725_148_800_000
    assert [bar_start(Interval.MONTH, at) for at in (august, MONDAY, september - 1)] == [august] * 3
    assert bar_start(Interval.MONTH, september) == september


def test_candle_interval_case_matters_only_for_1m_and_1M() -> None:
    for name in ("1h", "2h", "4h", "6h", "12h", "1d", "1w"):
        assert Interval.parse(name) is Interval.parse(name.upper()) is not None
    assert Interval.parse("1m") is Interval.M1
    assert Interval.parse("1M") is Interval.MONTH
    assert [Interval.parse(name) for name in ("3M", "2m", "1x", "", "H", "h")] == [None] * 6


def test_a_candle_without_trades_repeats_the_last_close() -> None:
    series = BarSeries()
    for price, after in (("100", 0), ("105", 10), ("99", 20), ("101", 30)):
        series.add_price(Decimal(price), Decimal("0.5"), MONDAY + after)
    bar = series.bar("1m", MONDAY + 40)
    assert texts(bar.open, bar.high, bar.low, bar.close, bar.volume) == "100 105 99 101 2"
    running = series.bar("1m", MONDAY + MINUTE)
    assert series.last_closed("1m") is bar
    assert texts(running.open, running.close, running.volume) == "101 101 0"
    assert running.prices == 0
    series.add_price(Decimal("110"), Decimal(1), MONDAY + MINUTE + 1)
    assert texts(running.open, running.low) == "110 110"
    assert series.bar("1H", MONDAY + MINUTE + 2).high == 110


def test_24_hour_statistics_drop_older_candles() -> None:
    series = BarSeries()
    series.add_price(Decimal(50), Decimal(7), MONDAY)
    series.add_price(Decimal(100), Decimal(1), MONDAY + 2 * MINUTE)
    last = Decimal(120)
    assert texts(*series.day(last, MONDAY + 3 * MINUTE)) == "50 1.4 120 50 8 450"
    assert texts(*series.day(last, MONDAY + DAY + MINUTE)) == "100 0.2 120 100 1 100"
    assert texts(*series.day(last, MONDAY + 2 * DAY)) == "120 0 120 120 0 0"


def test_candles_of_the_last_day_survive_a_restart() -> None:
    desk = Desk()
    desk.place("BUY", "0.01", "60000")
    desk.sub_place("SELL", "0.01", "60000")
    desk.wait(6000)
    first = desk.exchange.candles.series(Channel.KLINE, PERP).day(Decimal(61000), desk.now)
    assert texts(first.open, first.volume) == "60000 0.01"
    again = desk.restarted().candles.series(Channel.KLINE, PERP)
    assert again.day(Decimal(61000), desk.now) == first
    assert again.bar("1D", desk.now).open == 60000
    assert [row.key for row in desk.durable.values() if row.table == "bars"]
    replayed = desk.restarted(RecordedMarket([bbo(0, "61000", "1", "61001", "1")]))
    assert replayed.candles.series(Channel.KLINE, PERP).day(Decimal(61000), desk.now).volume == 0
    desk.wait(DAY + 11 * MINUTE)
    desk.place("BUY", "0.01", "61000")
    desk.sub_place("SELL", "0.01", "61000")
    desk.wait(6000)
    kept = [row.key for row in desk.durable.values() if row.table == "bars" and row.value is not None]
    assert kept == [f"{PERP}|{desk.now - desk.now % (10 * MINUTE)}"]


def test_candles_of_trades_mark_and_index_are_reproducible() -> None:
    def bars() -> list[object]:
        desk, candles = Desk(agents="on"), Candles()
        desk.wait(5000)
        candles.add_events(desk.log)
        channels = (Channel.KLINE, Channel.MARK_PRICE_KLINE, Channel.INDEX_KLINE)
        return [candles.series(channel, PERP).bar("5m", desk.now) for channel in channels]

    first = bars()
    assert first == bars()
    assert all(bar.prices for bar in first)  # type: ignore[attr-defined]


def test_index_price_is_published_with_every_mark_price() -> None:
    desk = Desk(agents="still")
    desk.steer("BTC", "63000.5")
    marks = [event.sym for event in desk.events if isinstance(event, MarkChanged)]
    index = {event.sym: event.index for event in desk.events if isinstance(event, IndexChanged)}
    assert list(index) == marks
    assert index[PERP] == "63000.5"
    assert desk.exchange.queries.index(SPOT) is None


def test_order_book_query_is_cut_at_its_depth_best_price_first() -> None:
    desk = Desk()
    for price in ("60000", "60002", "60001"):
        desk.place("BUY", "0.5", price)
    desk.place("SELL", "0.25", "61000")
    bids, asks = desk.exchange.queries.book(PERP, 2)
    assert list(bids.items()) == [("60002", "0.5"), ("60001", "0.5")]
    assert asks == {"61000": "0.25"}


def test_long_and_short_open_interest_are_equal() -> None:
    desk = Desk(agents="still")
    before = Decimal(desk.exchange.queries.open_interest(PERP))
    assert before > 0
    desk.place("SELL", "3")
    desk.sub_place("BUY", "0.1")
    assert Decimal(desk.exchange.queries.open_interest(PERP)) > before
    state = desk.state
    held = [position.lots for position in state.positions.values()] + [bot.lots for bot in state.bots[PERP]]
    assert sum(held) + state.house[PERP] == 0
