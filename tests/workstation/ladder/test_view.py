"""What the ladder shows: own orders, levels, traded quantities, the title, and when its window moves."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal, terminal_of
from tests.workstation.ladder.ladder import cursor_price, ladder, open_ladder, rest_three
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import DepthRow, PrintsRow, Table, TickerRow
from tui.interface.families.market import TradePush
from tui.workstation.features.ladder import cells
from tui.workstation.features.ladder.book import LadderRow
from tui.workstation.settings import WorkstationSettings

BTC = "BINANCE_PERP_BTC_USDT"
ACCEPTED = Outcome(verdict=Verdict.ACCEPTED, key="new")


@pytest.mark.parametrize(
    ("size", "buys", "sells"), [((120, 36), "B 0.5 ", "S UNK "), ((80, 24), "0.5 ", "3.3 UNK 0.1 ")]
)
async def test_at_120_and_80_columns_own_ladder_orders_share_a_column(
    size: tuple[int, int], buys: str, sells: str
) -> None:
    async with desk(*size) as at:
        await rest_three(at)
        lines = at.lines_of("ladder")
        for price, text in (("64,000.5", buys), ("64,001.5", sells)):
            assert [line for line in lines if price in line and text in line], (price, lines)


async def test_ladder_rows_show_the_traded_size_and_the_last_trade() -> None:
    async with desk(160, 45) as at:
        await open_ladder(at)
        trades = (
            TradePush(price="64001.2", qty="0.5", side="BUY", trade_id="2", ts=2),
            TradePush(price="64001.2", qty="0.25", side="BUY", trade_id="1", ts=1),
        )
        at.port.put(Table.PRINTS, BTC, PrintsRow(sym=BTC, trades=trades))
        await at.settle()
        row = ladder(at).row("64001.2")
        assert row is not None and (str(row.traded), row.last) == ("0.75", "BUY")
        at.port.put(Table.PRINTS, BTC, PrintsRow(sym=BTC, trades=trades))
        await at.settle()
        again = ladder(at).row("64001.2")
        assert again is not None and str(again.traded) == "0.75"


async def test_volume_bars_of_the_ladder_scale_to_its_largest_row() -> None:
    async with desk(80, 24) as at:
        await open_ladder(at)
        prices = ("64001.0", "64001.1", "64001.2", "64003.0")
        trades = tuple(
            TradePush(price=price, qty="1", side="SELL", trade_id=str(number), ts=number)
            for number, price in enumerate(prices)
        )
        at.port.put(Table.PRINTS, BTC, PrintsRow(sym=BTC, trades=trades[::-1]))
        await at.settle()
        await at.press(">", ">")
        pane = ladder(at)
        rows = [row for key in list(pane.keys()) if (row := pane.row(key)) is not None and row.traded]
        assert [(str(row.low), row.traded, round(row.share, 2)) for row in rows] == [
            ("64003.0", Decimal(1), Decimal("0.33")),
            ("64001.0", Decimal(3), Decimal(1)),
        ]
        more = TradePush(price="64003.5", qty="5", side="BUY", trade_id="9", ts=9)
        at.port.put(Table.PRINTS, BTC, PrintsRow(sym=BTC, trades=(more, *trades[::-1])))
        await at.settle()
        [line] = [line for line in at.lines_of("ladder") if "64,001.0" in line]
        assert "███" not in line and "█▌  3" in line, "the bar of a row that did not trade became shorter"


@pytest.mark.parametrize("venues", [False, True])
async def test_ladder_entries_and_alerts_without_column_are_letters(venues: bool) -> None:
    """At 120 columns entry, stop and target were nowhere on the ladder."""
    async with desk(120, 36) as at:
        await open_ladder(at)
        if venues:
            await at.press(")", *["<"] * 6)
        leg = at.app.mirror.positions[f"{BTC}/LONG"]
        entry = msgspec.structs.replace(leg.record, avg_price="64000.5")
        at.port.put(Table.POSITIONS, f"{BTC}/LONG", msgspec.structs.replace(leg, record=entry))
        ladder(at).alerts = lambda sym: [Decimal("64002.0")] if sym == BTC else []
        await at.settle()
        table = at.app.main_screen.tables["ladder"]
        for _ in range(2):
            table.tick()
            table.flush()
        await at.settle()
        assert "marks" not in table.column_ids()
        text = "\n".join(at.lines_of("ladder"))
        assert "64,000.5E" in text and "64,002.0A" in text and "64,001.5 " in text, text


async def test_the_ladder_marks_alerts_and_high_and_low_of_the_day() -> None:
    async with desk(80, 24) as at:
        await open_ladder(at)
        at.port.put(Table.TICKERS, BTC, TickerRow(sym=BTC, last="64001", high="64001.7", low="64000.3"))
        ladder(at).alerts = lambda sym: [Decimal("64001.4")] if sym == BTC else []
        await at.settle()
        table = at.app.main_screen.tables["ladder"]
        for _ in range(2):
            table.tick()
            table.flush()
        await at.settle()
        marks = {
            key: row.marks for key in list(ladder(at).keys()) if (row := ladder(at).row(key)) is not None and row.marks
        }
        assert marks == {"64001.7": ("high",), "64001.4": ("alert",), "64001.0": ("mark",), "64000.3": ("low",)}
        lines = at.lines_of("ladder")
        for price, name in (("64,001.7", "high"), ("64,001.4", "alert"), ("64,000.3", "low")):
            assert [line for line in lines if price in line and f" {name} " in line]
        at.port.put(Table.TICKERS, BTC, TickerRow(sym=BTC, last="64001", high="64001.6", low="64000.3"))
        await at.settle()
        assert [line for line in at.lines_of("ladder") if " high " in line and "64,001.6" in line]


async def test_the_ladder_marks_mark_and_index_price_and_follows_them() -> None:
    async with desk(80, 24) as at:
        await open_ladder(at)
        quote = at.app.mirror.quotes[BTC]
        for mark, index in (("64001.7", "64000.3"), ("64001.6", "64000.4")):
            at.port.put(Table.QUOTES, BTC, msgspec.structs.replace(quote, mark=mark))
            at.port.put(Table.TICKERS, BTC, TickerRow(sym=BTC, last="64001", index=index))
            await at.settle()
            for price, name in ((mark, "mark"), (index, "index")):
                named = [line for line in at.lines_of("ladder") if f" {name} " in line]
                assert len(named) == 1 and f"{Decimal(price):,}" in named[0]


async def test_the_ladder_title_says_how_old_the_book_is() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        at.clock.pass_by(3.2)
        table = at.app.main_screen.tables["ladder"]
        table.tick()
        table.flush()
        await at.settle()
        assert "book 3.2s" in at.lines_of("ladder")[0]


@pytest.mark.parametrize(("size", "room"), [((80, 24), False), ((160, 45), True), ((200, 60), True)])
async def test_the_age_of_a_fresh_book_stands_where_there_is_room(size: tuple[int, int], room: bool) -> None:
    """It stood only in a title of its own."""
    async with desk(*size) as at:
        await open_ladder(at)
        at.clock.pass_by(0.2)
        table = at.app.main_screen.tables["ladder"]
        table.tick()
        table.flush()
        await at.settle()
        assert ("book 0.2s" in at.lines_of("ladder")[0]) == room


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45), (200, 60)])
async def test_the_ladder_title_names_pair_and_grouping_at_every_size(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await open_ladder(at)
        await at.press(">", ">", ">", ">", ">")
        for bid in ("64001.0", "69001.0"):
            at.port.quote(BTC, bid, bid)
            at.clock.pass_by(2.0)
            await at.settle()
            assert "BINANCE BTC perp ×100" in at.lines_of("ladder")[0]


@pytest.mark.parametrize(
    ("size", "far"),
    [((80, 24), "best 47901t ↑"), ((120, 36), " ↑47901t"), ((160, 45), "best 47901t ↑"), ((200, 60), " ↑47901t")],
)
async def test_the_ladder_title_shows_group_and_distance_at_any_size(size: tuple[int, int], far: str) -> None:
    async with desk(*size) as at:
        await open_ladder(at)
        await at.press(">", ">", ">", ">", ">")
        axis = ladder(at).axis
        assert axis is not None and axis.top is not None
        bid = axis.price_of(axis.range_of(axis.top)[1] + 47901)
        at.port.quote(BTC, str(bid), str(bid + 1))
        await at.settle()
        assert f"×100{far}" in at.lines_of("ladder")[0].replace(" · ", "")


async def test_the_ladder_title_counts_the_ticks_to_an_unseen_best_bid() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        await at.press(">", ">")
        axis = ladder(at).axis
        assert axis is not None and axis.top is not None
        highest = axis.range_of(axis.top)[1]
        for ticks in (3, 14, 15):
            bid = axis.price_of(highest + ticks)
            at.port.quote(BTC, str(bid), str(bid + 1))
            await at.settle()
            assert f"best {ticks}t ↑" in at.lines_of("ladder")[0]


async def leave_the_window(at: Desk) -> tuple[int, Decimal]:
    """The market moves a hundred ticks above the window; its old top row and the new best price."""
    axis = ladder(at).axis
    assert axis is not None and axis.top is not None
    bid = axis.price_of(axis.range_of(axis.top)[1] + 100)
    at.port.quote(BTC, str(bid), str(bid + 1))
    await at.settle()
    return axis.top, bid


async def pass_seconds(at: Desk, count: int = 1) -> None:
    for _ in range(count):
        at.clock.pass_by(1.0)
        at.app.main_screen.tables["ladder"].tick()
        at.app.main_screen.tables["ladder"].flush()
        await at.settle()


async def test_an_idle_ladder_returns_to_the_best_bid_after_a_notice() -> None:
    async with desk(120, 36, settings=WorkstationSettings(bell=False, ladder_recentre_s=20)) as at:
        await open_ladder(at)
        top, bid = await leave_the_window(at)
        axis, idle = ladder(at).axis, [18.0]
        assert axis is not None
        ladder(at).idle_s = lambda: idle[0]
        await pass_seconds(at, 3)
        assert axis.top == top and "to best" not in at.lines_of("ladder")[0]
        idle[0] = 19.1
        await pass_seconds(at)
        assert axis.top == top and "to best 100t" in at.lines_of("ladder")[0]
        idle[0] = 20.1
        await pass_seconds(at)
        assert axis.cursor == axis.ticks_of(bid) and cursor_price(at) == str(bid)
        await at.press("b")
        assert "this price stands under the cursor for" in at.text() and at.app.main_screen.panel.ticket is None


async def test_key_d_on_the_pair_of_the_ladder_goes_to_its_best_bid() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        _, bid = await leave_the_window(at)
        await at.press("1", "d")
        assert cursor_price(at) == str(bid)


@pytest.mark.parametrize("case", ["no setting", "cursor moved", "ticket", "key"])
async def test_a_ladder_in_use_does_not_return_to_the_market_by_itself(case: str) -> None:
    after = 0 if case == "no setting" else 20
    async with desk(120, 36, settings=WorkstationSettings(bell=False, ladder_recentre_s=after)) as at:
        await open_ladder(at)
        if case == "cursor moved":
            await at.press("k")
        if case == "ticket":
            await at.press("b")
        if case != "key":
            at.app.guard.acted_at -= 100
        top, _ = await leave_the_window(at)
        await pass_seconds(at, 3)
        axis = ladder(at).axis
        assert axis is not None and axis.top == top


async def test_a_book_level_better_than_the_best_price_is_not_shown() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        at.port.quote(BTC, "64000.0", "64000.2", "1.5", "0.8")
        await at.settle()
        pane = ladder(at)
        crossing, best = pane.row("64000.8"), pane.row("64000.0")
        assert crossing is not None and crossing.bid is None
        assert best is not None and str(best.bid) == "1.5" and best.best == "bid"


async def test_a_ladder_row_with_bid_and_ask_shows_both_in_bold() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        at.port.quote(BTC, "64000.1", "64000.2", "1.5", "0.8")
        await at.press(">", "g")
        pane = ladder(at)
        row = pane.row(pane.cursor_key)
        assert row is not None and str(row.bid) == "1.5" and str(row.ask) == "0.8"
        roles = cells.bid(row, pane.view)[1], cells.ask(row, pane.view)[1]
        assert (*roles, cells.marks(row)[0]) == ("buy-strong", "sell-strong", "bid ask")
        marked = msgspec.structs.replace(row, marks=("mark", "index"))
        assert cells.marks(marked)[0] == cells.marks_short(marked) == "bid ask"
        assert cells.marks(msgspec.structs.replace(row, marks=("mark", "SL")))[0] == "SL mark"


@pytest.mark.drawn
async def test_the_ladder_title_says_no_book_until_the_book_is_whole() -> None:
    async with desk(160, 45, terminal=EmulatedTerminal) as at:
        await at.press("1", "g", "j", "d")
        await at.settle()
        book = DepthRow(sym=BTC, whole=True, ts=1, bids=(("64001.0", "2.1"),), asks=(("64001.2", "0.8"),))
        for whole in (False, True, False, True):
            at.port.put(Table.DEPTH, BTC, msgspec.structs.replace(book, whole=whole))
            await at.settle()
            title = terminal_of(at).screen.line(at.app.main_screen.tables["ladder"].region.y)
            assert ("no book" not in title) == whole


async def test_a_narrow_ladder_row_names_one_mark_and_counts_the_rest() -> None:
    async with desk(80, 24) as at:
        await open_ladder(at)
        at.port.put(Table.TICKERS, BTC, TickerRow(sym=BTC, last="64001", high="64001.0", low="64000.9"))
        pane = ladder(at)
        pane.alerts = lambda sym: [Decimal("64001.1")] if sym == BTC else []
        for _ in range(3):
            await at.press(">")
        table = at.app.main_screen.tables["ladder"]
        for _ in range(2):
            table.tick()
            table.flush()
        await at.settle()
        row = next(row for key in list(pane.keys()) if (row := pane.row(key)) is not None and "alert" in row.marks)
        assert set(row.marks) == {"alert", "mark", "high", "low"}
        assert cells.marks(row)[0] == "alert mark high low"
        assert [line for line in at.lines_of("ladder") if " alert +3 " in line]


def test_ladder_row_marks_begin_with_liquidation_and_stops() -> None:
    row = LadderRow(ticks=1, low=Decimal(1), high=Decimal(2), marks=("entry", "b/e", "high", "TP", "SL", "SL", "liq"))
    assert cells.marks(row) == ("liq SL TP entry b/e high", "warn")
    assert cells.marks_short(row) == "liq +5"


@pytest.mark.parametrize(
    ("tick", "groups", "shown"),
    [("25", 5, "62,500–4975 "), ("25", 1, "64,000–100 "), ("2.5", 5, "64,000.0–247.5 "), ("0.5", 5, "64,000.0–49.5 ")],
)
async def test_a_grouped_ladder_row_shows_its_whole_price_range(tick: str, groups: int, shown: str) -> None:
    """Two digits before the point told another price: a row from 62,500 to 64,975 was 62,500–75."""
    async with desk(200, 60) as at:
        at.port.put(Table.SYMBOLS, BTC, msgspec.structs.replace(at.app.mirror.symbols[BTC], tick_size=tick))
        at.port.quote(BTC, "64000", "64025", "1.5", "0.8")
        await open_ladder(at)
        await at.press("0", *">" * groups)
        await at.settle()
        assert [line for line in at.lines_of("ladder") if shown in line], at.lines_of("ladder")


@pytest.mark.parametrize("separators", [True, False])
async def test_ladder_sizes_follow_the_setting_of_thousands_separators(separators: bool) -> None:
    settings = WorkstationSettings(bell=False, separators=separators)
    async with desk(200, 60, settings=settings) as at:
        await open_ladder(at)
        depth = DepthRow(sym=BTC, whole=True, ts=2, bids=(("64000.8", "12345.6"),), asks=(("64001.5", "3300"),))
        at.port.put(Table.DEPTH, BTC, depth)
        at.port.order("n1", BTC, "BUY", "63999.9", "4321", position_side="LONG")
        await at.settle()
        text = "\n".join(at.lines_of("ladder"))
        for grouped, plain in (("12,345.6", "12345.6"), ("3,300", "3300"), ("4,321", "4321")):
            assert (grouped in text, plain in text) == (separators, not separators), text
