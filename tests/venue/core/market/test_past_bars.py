"""Bars of the time before a venue's first start: the same start gives the same ones, and they lead to its first prices."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest

from tests.venue.core.seeded import Seeded
from tui.interface import decimals
from tui.interface.families.market import INTERVAL_MS, Channel, Interval
from tui.venue.core.commands import Advance
from tui.venue.core.exchange import Exchange
from tui.venue.core.market.market_profiles import PROFILES
from tui.venue.core.market.symbols import REFERENCE_PRICES, SHIPPED
from tui.venue.core.past.bars import KEPT_MS
from tui.venue.core.switches import Switches

SYM = "BINANCE_PERP_BTC_USDT"
START = 1_760_000_000_000 + 61_234_567
"""In the middle of a day."""
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def venue(seed: str = "bars", **switches: str) -> Exchange:
    decimals.setup()
    return Exchange(random_source=Seeded(seed), start_ms=START, switches=Switches({"agents": "off", **switches}))


def test_past_bars_of_a_seed_are_the_same_for_any_time_range() -> None:
    long = list(venue().bars(SYM, Interval.M1, START - 2 * DAY, START))
    for begin, end in ((START - DAY, START - HOUR), (START - 90_000, START), (START - 2 * DAY, START - DAY)):
        part = list(venue().bars(SYM, Interval.M1, begin, end))
        assert part == [bar for bar in long if begin <= bar.start < end]
    assert long != list(venue("another").bars(SYM, Interval.M1, START - 2 * DAY, START))


@pytest.mark.parametrize("sym", sorted(SHIPPED))
def test_invented_past_bars_are_gapless_and_on_tick_and_lot(sym: str) -> None:
    pair = SHIPPED[sym]
    bars = list(venue().bars(sym, Interval.M1, START - DAY, START))
    assert all(later.start - bar.start == MINUTE for bar, later in pairwise(bars))
    assert START - bars[-1].start < 2 * MINUTE
    for bar in bars:
        assert bar.low <= min(bar.open, bar.close) <= max(bar.open, bar.close) <= bar.high
        assert not bar.volume % pair.lot_base and bar.volume > 0
        assert all(pair.ticks(price) is not None for price in (bar.open, bar.high, bar.low, bar.close))
    opening = REFERENCE_PRICES[pair.base]
    assert abs(bars[-1].close - opening) < opening / 1000
    assert all(abs(later.open - bar.close) <= pair.tick for bar, later in pairwise(bars))


def test_one_hour_bars_equal_the_sum_of_their_minute_bars() -> None:
    exchange = venue()
    begin = (START - 2 * DAY) // HOUR * HOUR
    minutes = list(exchange.bars(SYM, Interval.M1, begin, START))
    for hour in exchange.bars(SYM, Interval.H1, begin, START):
        own = [bar for bar in minutes if hour.start <= bar.start < hour.start + HOUR]
        assert (hour.open, hour.close) == (own[0].open, own[-1].close)
        assert (hour.high, hour.low) == (max(bar.high for bar in own), min(bar.low for bar in own))
        assert hour.volume == sum(bar.volume for bar in own)


def test_one_hour_bars_reach_back_as_far_as_the_history() -> None:
    hours = list(venue().bars(SYM, Interval.H1, START - KEPT_MS[Interval.H1], START))
    assert len(hours) >= 90 * 24 - 1
    assert all(later.start - bar.start == HOUR for bar, later in pairwise(hours))
    assert len({bar.close for bar in hours}) > 1000


def test_volumes_of_invented_past_bars_match_the_live_market() -> None:
    """They were flat beside those of the first hour: 400 times less on the most active pair."""
    decimals.setup()
    exchange = Exchange(random_source=Seeded("volume"), start_ms=START, switches=Switches({"agents": "on"}))
    end = START + MINUTE
    for now in range(START, end + 1, 1000):
        exchange.apply(Advance(), now)
        exchange.drain_durable()
    for sym in (sym for sym, profile in PROFILES.items() if profile.tempo > 10):
        past = [bar.volume for bar in exchange.bars(sym, Interval.M1, START - DAY, START)]
        live = sum(bar.volume for bar in exchange.candles.series(Channel.KLINE, sym).minutes_from(START - MINUTE, end))
        assert live / 4 < sum(past) / len(past) < 4 * live, sym
        assert max(past) > 3 * min(past), sym


def test_without_invented_history_there_are_no_past_bars() -> None:
    exchange = venue(past="off")
    assert list(exchange.bars(SYM, Interval.M1, START - DAY, START)) == []


def test_invented_past_bars_are_followed_by_bars_of_trades() -> None:
    exchange = venue()
    series = exchange.candles.series(Channel.KLINE, SYM)
    for late in (1, 2, 70):
        series.add_price(Decimal(62_000), Decimal(1), START + late * MINUTE)
    minutes = list(exchange.bars(SYM, Interval.M1, START - 10 * MINUTE, START + HOUR * 2))
    assert [bar.close for bar in minutes[-3:]] == [Decimal(62_000)] * 3
    assert minutes[-1].start - minutes[-2].start == 68 * MINUTE
    hours = list(exchange.bars(SYM, Interval.H1, START // HOUR * HOUR, START + HOUR * 2))
    assert len({bar.start for bar in hours}) == len(hours)
    assert all(not bar.start % INTERVAL_MS[Interval.H1] for bar in hours)
