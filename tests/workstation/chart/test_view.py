"""The chart on the desk: which lines a new price repaints, own marks, crosshair, zoom, intervals."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from decimal import Decimal

import msgspec
import pytest

from tests.workstation.chart.samples import END, MINUTE, walk_bars
from tests.workstation.driver import Desk, desk
from tui.engine.rows import AlgoRow, BarsRow, Fact, QuoteRow, Row, Table
from tui.interface.families.algo import AlgoRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.market import BarPrice, Interval, KlineRow, TradePush
from tui.interface.streams import Detail
from tui.workstation.features.chart.last_price import find_last
from tui.workstation.features.chart.view import ChartView

SYM = "BINANCE_PERP_BTC_USDT"


def klines(count: int = 120) -> tuple[KlineRow, ...]:
    return tuple(
        KlineRow(
            open_time=bar.start, open=str(bar.open), high=str(bar.high), low=str(bar.low), close=str(bar.close),
            volume=str(bar.volume),
        )
        for bar in walk_bars(count)
    )  # fmt: skip


def put_bars(at: Desk, bars: Iterable[KlineRow], interval: str = "1m", sym: str = SYM, price: str = "last") -> None:
    at.port.put(Table.BARS, sym, BarsRow(sym=sym, interval=interval, bars=tuple(bars), price=price))


@asynccontextmanager
async def chart_desk(width: int = 160, height: int = 45) -> AsyncIterator[tuple[Desk, ChartView]]:
    """A desk with the chart of the BTC perpetual in front."""
    async with desk(width, height) as at:
        at.app.main_screen.pair.show(SYM)
        at.app.main_screen.show_pane("chart")
        put_bars(at, klines())
        await at.settle()
        view = at.app.main_screen.boxes["chart"]
        assert isinstance(view, ChartView)
        yield at, view


def text_of(at: Desk, view: ChartView) -> str:
    region = view.region
    return "\n".join(line[region.x : region.right] for line in at.text().split("\n")[region.y : region.bottom])


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45), (200, 60)])
async def test_the_chart_of_the_open_pair_shows_its_bars(size: tuple[int, int]) -> None:
    async with chart_desk(*size) as (at, view):
        shown = text_of(at, view)
        assert "Chart" in shown and "1m" in shown
        assert sum(character in "█▀▄┃╹╻╿╽" for character in shown) > 15
        assert f"{Decimal(klines()[-1].close):,}" in shown


async def test_a_price_change_in_the_open_bar_repaints_few_chart_lines() -> None:
    async with chart_desk() as (at, view):
        painter = at.app.painter
        before = painter.lines_compared
        bars = klines()
        close = str(Decimal(bars[-1].close) + Decimal("0.1"))
        high = max(bars[-1].high, close, key=Decimal)
        put_bars(at, [*bars[:-1], msgspec.structs.replace(bars[-1], close=close, high=high)])
        await at.settle()
        assert f"{Decimal(close):,}" in text_of(at, view)
        assert painter.lines_compared - before <= 12


@pytest.mark.parametrize(
    ("trade", "bid", "ask", "quoted", "last"),
    [
        ("100", "", "", 0, "100"),
        ("100", "99", "101", 70, "100"),
        ("100", "101", "102", 70, "101"),
        ("100", "97", "98", 70, "98"),
        ("100", "97", "98", 50, "100"),
        ("100", "103", "102", 70, "100"),
        ("", "103", "104", 70, "103"),
        ("", "103", "104", 10, "95"),
    ],
)
def test_the_chart_clamps_the_last_trade_to_a_newer_quote(
    trade: str, bid: str, ask: str, quoted: int, last: str
) -> None:
    newest = TradePush(price=trade, qty="1", side="BUY", ts=60) if trade else None
    quote = QuoteRow(sym=SYM, bid=bid, ask=ask, ts=quoted)
    assert find_last(Decimal(95), 40, newest, quote) == Decimal(last)


async def test_a_quote_beyond_the_last_price_repaints_a_few_chart_rows() -> None:
    async with chart_desk() as (at, view):
        close = Decimal(klines()[-1].close)
        before, lines = text_of(at, view), at.app.painter.lines_compared
        quote = QuoteRow(sym=SYM, bid=str(close + 4), ask=str(close + 5), ts=END, received=at.clock.at)
        at.port.put(Table.QUOTES, SYM, quote)
        await at.settle()
        shown = text_of(at, view)
        assert f"◂{close + 4:,}" in shown and f"◂{close:,}" not in shown
        changed = [
            row for row, (old, new) in enumerate(zip(before.split("\n"), shown.split("\n"), strict=True)) if old != new
        ]
        assert 2 <= len(changed) <= 4
        assert at.app.painter.lines_compared - lines <= 12


async def test_a_burst_of_quotes_computes_the_last_price_once_a_frame() -> None:
    async with chart_desk() as (at, view):
        close, made = Decimal(klines()[-1].close), 0
        assert view._model is not None
        follow = view._model.follow_last

        def count() -> Iterable[int]:
            nonlocal made
            made += 1
            return follow()

        view._model.follow_last = count  # type: ignore[method-assign]
        for step in range(500):
            bid = close + step % 7
            at.port.put(Table.QUOTES, SYM, QuoteRow(sym=SYM, bid=str(bid), ask=str(bid + 1), ts=END + step))
        await at.settle()
        assert 1 <= made <= 3


async def test_the_chart_shows_own_orders_fills_and_stops_while_listed() -> None:
    async with chart_desk() as (at, view):
        bar, stamp = klines()[-3], at.port.stamp()
        last = Decimal(klines()[-1].close)
        before = text_of(at, view)
        bought = TradeRecord(
            transaction_id="f1",
            order_id="700",
            sym=SYM,
            side="BUY",
            quantity="0.5",
            price=bar.close,
            create_at=str(bar.open_time),
        )
        stop = AlgoRecord(algo_order_id="a1", sym=SYM, side="SELL", order_state="NEW", sl_trigger_price=str(last - 6))
        marks: tuple[tuple[Table, Row, str], ...] = (
            (Table.ORDERS, at.port.order("mine", SYM, "BUY", str(last - 4), "0.250"), "buy 0.25"),
            (Table.FILLS, Fact(bought, stamp), "▲"),
            (Table.ALGOS, AlgoRow(key="mine", record=stop, stamp=stamp), "SL "),
        )
        for table, row, shown in marks:
            assert shown not in before
            at.port.put(table, "mine", row)
            await at.settle()
            assert shown in text_of(at, view)
            at.port.put(table, "mine", None)
            await at.settle()
            assert shown not in text_of(at, view)


async def test_the_chart_crosshair_is_at_an_exact_price_on_the_tick() -> None:
    async with chart_desk() as (at, view):
        assert (view.crosshair_price(), view.drawn_price) == (None, None)
        view.move_crosshair(-3, 0)
        await at.settle()
        price = view.crosshair_price()
        assert price is not None and price == Decimal(klines()[-1].close)
        tick = view.chart_pane.tick
        assert tick is not None
        for rows in (1, 1, -3, 5):
            view.move_crosshair(0, rows)
            await at.settle()
            moved = view.crosshair_price()
            assert moved is not None and moved % tick == 0
            assert (moved < price) == (rows > 0)
            price = moved
            painted = view.drawn_price
            assert painted is not None and painted.price == price
            assert view.line_of(SYM) is not None


async def test_the_crosshair_stays_while_prices_move() -> None:
    async with chart_desk() as (at, view):
        view.move_crosshair(-3, 2)
        await at.settle()
        price, painted = view.crosshair_price(), view.drawn_price
        bars = klines()
        for step in range(1, 6):
            close = str(Decimal(bars[-1].close) + step * 15)
            put_bars(at, [*bars[:-1], msgspec.structs.replace(bars[-1], close=close, high=close)])
            await at.settle()
        assert view.crosshair_price() == price
        assert painted is not None and view.drawn_price is not None
        assert view.drawn_price.since == painted.since and view.drawn_price.frame > painted.frame


async def test_the_crosshair_scrolls_back_to_older_bars() -> None:
    async with chart_desk(120, 36) as (at, view):
        at.app.main_screen.zoom()
        await at.settle()
        for _ in range(12):
            view.move_crosshair(-10, 0)
        await at.settle()
        (first, *_) = klines()
        assert f"C {Decimal(first.close):,}" in text_of(at, view)
        view.hide_crosshair()
        await at.settle()
        assert f"C {Decimal(klines()[-1].close):,}" in text_of(at, view)


async def test_another_chart_interval_asks_for_bars_and_waits_for_them() -> None:
    async with chart_desk() as (at, view):
        view.cycle_interval(1)
        await at.settle()
        assert at.port.details[-1] == Detail(SYM, Interval.M3)
        assert "no bars" in text_of(at, view)
        put_bars(at, klines(), "3m")
        await at.settle()
        assert "no bars" not in text_of(at, view)


async def test_key_m_switches_the_chart_to_mark_and_index_bars() -> None:
    async with chart_desk() as (at, view):
        for price in ("mark", "index"):
            await at.press("m")
            assert at.port.details[-1] == Detail(SYM, price=BarPrice(price))
            assert f"no bars of the {price} price of BINANCE BTC" in text_of(at, view)
            put_bars(at, klines(), price=price)
            await at.settle()
            assert "no bars" not in text_of(at, view) and f" {price} " in text_of(at, view).split("\n")[0]
        await at.press("m")
        assert at.port.details[-1] == Detail(SYM)


async def test_zooming_the_chart_in_and_out_redraws_and_restores_it() -> None:
    async with chart_desk() as (at, view):
        before = text_of(at, view)
        view.zoom(1)
        await at.settle()
        assert text_of(at, view) != before
        view.zoom(-1)
        await at.settle()
        assert text_of(at, view) == before


async def test_the_chart_shows_no_bars_of_another_pair() -> None:
    async with chart_desk() as (at, view):
        before = text_of(at, view)
        put_bars(at, klines(20), sym="BINANCE_PERP_ETH_USDT")
        await at.settle()
        assert text_of(at, view) == before
        assert klines()[-1].open_time == END - MINUTE


async def test_price_alerts_of_the_pair_stand_in_the_chart() -> None:
    async with chart_desk() as (at, view):
        price = Decimal(klines()[-1].close) + 3
        at.app.panes.chart.alerts = lambda sym: [price] if sym == SYM else []
        view.tick()
        view.flush()
        await at.settle()
        assert f"alert {price:,}" in text_of(at, view)


async def test_a_crosshair_price_counts_as_drawn_only_once_on_screen() -> None:
    async with chart_desk() as (at, view):
        view.move_crosshair(0, 1)
        painted = [view.drawn_price]
        await at.settle()
        painted.append(view.drawn_price)
        assert [price is None for price in painted] == [True, False], "drawn later than moved"
        far = [msgspec.structs.replace(bar, open="90000", high="90100", low="89900", close="90000") for bar in klines()]
        put_bars(at, far)
        await at.settle()
        assert view.crosshair_price() is not None and view.drawn_price is None


async def test_a_changed_tick_size_redraws_the_prices_of_the_chart() -> None:
    async with chart_desk() as (at, view):
        info = at.app.mirror.symbols[SYM]
        assert f"{Decimal(klines()[-1].close):,.1f}" in text_of(at, view)
        at.port.put(Table.SYMBOLS, SYM, msgspec.structs.replace(info, tick_size="0.001"))
        await at.settle()
        assert f"{Decimal(klines()[-1].close):,.3f}" in text_of(at, view)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
async def test_the_chart_title_tells_high_and_low_of_the_crosshair_bar(size: tuple[int, int]) -> None:
    async with chart_desk(*size) as (at, view):
        view.move_crosshair(-3, 0)
        await at.settle()
        bar = klines()[-4]
        title = text_of(at, view).split("\n")[0].replace(" · ", " ")
        assert f"H {Decimal(bar.high):,} L {Decimal(bar.low):,}" in title


async def test_key_0_maximizes_the_chart_pane_and_back() -> None:
    async with chart_desk(80, 24) as (at, view):
        await at.press("2", "d")
        at.app.main_screen.show_pane("chart")
        view.focus()
        await at.settle()
        await at.press("0")
        assert at.app.main_screen.zoomed and "too small" not in at.text()
        await at.press("0")
        assert not at.app.main_screen.zoomed


async def test_the_chart_says_that_1m_is_the_shortest_interval() -> None:
    async with chart_desk() as (at, view):
        view.focus()
        await at.settle()
        await at.press(",")
        assert "1m is the shortest interval" in at.text() and view.interval == "1m"


@pytest.mark.parametrize(("key", "width"), [("+", "wide"), ("-", "narrow")])
async def test_the_chart_says_when_its_bars_are_widest_or_narrowest(key: str, width: str) -> None:
    async with chart_desk() as (at, view):
        view.focus()
        await at.settle()
        for _ in range(20):
            await at.press(key)
        assert f"the bars are as {width} as they can be" in at.text()
