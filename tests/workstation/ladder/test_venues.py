"""Several venues on one price axis: their columns, and that keys are about the venue whose column the cursor is in."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.ladder.ladder import ACCEPTED, BTC, ladder, open_ladder, stand
from tui.engine.intents import Cancel
from tui.engine.modes import TradingState
from tui.engine.orders.pre_trade_checks import check_painted
from tui.engine.rows import DepthRow, Table
from tui.interface.families.orders import TimeInForce
from tui.workstation.features.ladder.pane import LadderPane
from tui.workstation.input.scopes import Scope

EDX, OKX = "EDX_PERP_BTC_USDT", "OKX_PERP_BTC_USDT"
"""Tick 0.5; contracts of 0.01 BTC."""
SIZES = [(80, 24), (120, 36), (160, 45)]


async def open_venues(at: Desk) -> None:
    """Open the ladder of BINANCE with all venues of BTC perp, one tick of the coarsest in a row."""
    await open_ladder(at)
    await at.press(")")
    for _ in range(6):
        await at.press("<")
    await at.settle()
    await stand(at)


async def stand_at(at: Desk, sym: str, price: str) -> None:
    """Put the cursor on a row in the columns of a venue."""
    pane = ladder(at)
    while pane.cursor_sym != sym:
        await at.press("right" if pane.venues.index(sym) > pane.at else "left")
    while Decimal(pane.cursor_key) != Decimal(price):
        await at.press("j" if Decimal(pane.cursor_key) > Decimal(price) else "k")
    await stand(at)


def line_of(at: Desk, price: str) -> str:
    """Line of a price in the ladder, below its title."""
    [line] = [line for line in at.lines_of("ladder")[2:] if price in line]
    return line


@pytest.mark.parametrize("size", SIZES)
async def test_the_ladder_names_and_shows_the_venue_of_the_cursor(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await open_venues(at)
        pane = ladder(at)
        assert pane.venues == (BTC, EDX, OKX) and pane.cursor_sym == BTC
        for sym in (BTC, EDX, OKX):
            await stand_at(at, sym, "64001.0")
            venue = sym.split("_")[0]
            text = at.text()
            assert f"→ {venue} BTC perp" in text and f" Ladder → {venue} " in text.split("\n")[-1]
            assert f"{venue} bids" in at.app.main_screen.tables["ladder"].column_ids()
            assert line_of(at, "64,001.0").count("▌") == 1


async def test_the_ladder_shows_contracts_of_a_venue_in_base_units() -> None:
    async with desk(120, 36) as at:
        await open_venues(at)
        at.port.put(
            Table.DEPTH, OKX, DepthRow(sym=OKX, whole=True, ts=1, bids=(("64000.9", "131"), ("64000.7", "9")), asks=())
        )
        at.port.order("o9", OKX, "BUY", "64000.6", "30", executed="5", position_side="LONG")
        await at.settle()
        row = ladder(at).row("64000.5")
        assert row is not None
        assert [venue.bid for venue in row.venues] == [Decimal("1.4"), Decimal("1.307"), Decimal("1.40")]
        await stand_at(at, OKX, "64000.5")
        own = row.venues[2].buys
        assert own is not None and own.qty == Decimal("0.25") and row.venues[0].buys is None
        assert "B 0.25" in line_of(at, "64,000.5")


@pytest.mark.parametrize("size", SIZES)
async def test_a_small_own_size_on_the_ladder_is_written_without_e(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await open_venues(at)
        await stand_at(at, EDX, "64000.5")
        at.port.order("o9", EDX, "BUY", "64000.5", "0.001")
        await at.settle()
        assert "B0.001" in line_of(at, "64,000.5").replace("B ", "B")
        at.port.order("o9", EDX, "BUY", "64000.5", "0.0001")
        await at.settle()
        assert "e-" not in line_of(at, "64,000.5") and ".0001" in line_of(at, "64,000.5")


@pytest.mark.parametrize(("size", "prices"), [((120, 36), "–02.4"), ((160, 45), "64,000.0–02.4"), ((200, 60), "–02.4")])
async def test_a_ladder_title_of_three_venues_has_grouping_and_prices(size: tuple[int, int], prices: str) -> None:
    async with desk(*size) as at:
        await open_venues(at)
        await at.press(">")
        await at.settle()
        title, heading = at.lines_of("ladder")[:2]
        assert "64,000.0" in line_of(at, "▸") and f"→ BINANCE BTC perp ×5 2/3 {prices} " in title
        assert "BINAN…" not in heading and "BIN" in heading


async def test_the_title_of_the_venue_ladder_names_pair_at_every_width() -> None:
    async with desk(200, 60) as at:
        await open_venues(at)
        await at.press(">")
        await at.settle()
        box = at.app.main_screen.boxes["ladder"]
        pane = at.app.main_screen.tables["ladder"].pane
        for cells in range(40, 110):
            pane.columns(cells - 2)
            drawn = box.box_border.title(at.app.main_screen.titles(box), cells, at.app.palette, top=True, focused=False)
            assert "→ BINANCE BTC perp ×5" in drawn.text, drawn.text


@pytest.mark.parametrize("size", [*SIZES, (200, 60)])
async def test_the_ladder_shows_the_age_of_an_old_book_over_its_asks(size: tuple[int, int]) -> None:
    """The title has no room for it beside the prices of the row."""
    async with desk(*size) as at:
        await open_venues(at)
        assert re.search(r" asks .* (no book|touch) ", at.lines_of("ladder")[1])
        at.clock.pass_by(3.2)
        table = at.app.main_screen.tables["ladder"]
        table.tick()
        table.flush()
        await at.settle()
        assert " 3s old" in at.lines_of("ladder")[1]
        told = [segment for segment in table.render_line(1) if segment.text.strip() == "3s old"]
        warn = at.app.palette.style("warn").color
        assert told and all(segment.style is not None and segment.style.color == warn for segment in told)


async def test_books_of_other_venues_are_read_while_on_the_ladder() -> None:
    async with desk(120, 36) as at:
        await open_venues(at)
        assert at.port.looked_at is not None and (at.port.looked_at.sym, at.port.books) == (BTC, (EDX, OKX))
        await at.press("(")
        assert at.port.looked_at.sym == BTC and at.port.books == ()


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("key", "side", "price", "sends"), [("b", "BUY", "64000.5", "enter"), ("s", "SELL", "64000.9", "y")]
)
async def test_a_ladder_order_goes_to_the_venue_of_the_cursor_column(
    key: str, side: str, price: str, sends: str
) -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_venues(at)
        await stand_at(at, OKX, "64000.5")
        assert "64,000.5–00.9" in at.text()
        await at.press(key)
        assert at.scope() is Scope.PREVIEW and "OKX BTC perp" in at.text()
        await stand(at)
        await at.press(sends)
        await at.settle()
        [order] = at.sent_orders()
        painted = order.painted
        assert (order.sym, order.side, order.price) == (OKX, side, price)
        assert painted is not None and (painted.sym, painted.price) == (OKX, price) and check_painted(order) is None


async def test_a_ladder_order_at_a_coarser_venue_uses_its_tick() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_venues(at)
        await stand_at(at, EDX, "64000.5")
        await at.press("s")
        await stand(at)
        await at.press("y")
        await at.settle()
        [order] = at.sent_orders()
        assert (order.sym, order.price, order.time_in_force) == (EDX, "64000.5", TimeInForce.GTC)


@pytest.mark.parametrize("key", ["b", "s"])
async def test_a_venue_column_just_under_the_cursor_stages_nothing(key: str) -> None:
    async with desk(120, 36) as at:
        await open_venues(at)
        await at.press("right", key)
        await at.settle()
        assert at.scope() is Scope.LADDER and "stands under the cursor for" in at.events()[-1]


@pytest.mark.drawn
async def test_a_ladder_venue_column_not_yet_drawn_stages_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk(120, 36) as at:
        await open_venues(at)
        monkeypatch.setattr(LadderPane, "cursor_sym", property(lambda _: OKX))
        pane = ladder(at)
        monkeypatch.setattr(pane.written, "_drawn", (OKX, pane._describe_cursor()))
        await at.press("b")
        await at.settle()
        assert at.scope() is Scope.LADDER and "the cursor stood in the column of BINANCE BTC perp" in at.events()[-1]


async def test_in_hot_the_header_names_the_venue_that_b_posts_to() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [ACCEPTED]
        await open_venues(at)
        await stand_at(at, OKX, "64000.0")
        at.port.set_desk(trading_state=TradingState.HOT, hot_until=at.clock.at + 60)
        await at.settle()
        assert "B/S post OKX" in at.text()
        await stand(at)
        await at.press("B")
        await at.settle()
        [order] = at.sent_orders()
        assert (order.sym, order.price, order.hot) == (OKX, "64000.0", True)


async def test_on_the_ladder_c_cancels_only_orders_of_the_cursor_venue() -> None:
    async with desk(120, 36) as at:
        await open_venues(at)
        at.port.order("n1", BTC, "BUY", "63999.5", "0.3", position_side="LONG")
        at.port.order("n2", OKX, "BUY", "63999.7", "30", position_side="LONG")
        await at.settle()
        await stand_at(at, EDX, "63999.5")
        await at.press("c")
        assert at.port.intents == []
        await stand_at(at, OKX, "63999.5")
        await at.press("c")
        await at.settle()
        assert [intent.key for intent in at.port.intents if isinstance(intent, Cancel)] == ["n2"]


async def test_back_to_one_venue_the_ladder_keeps_the_cursors_venue() -> None:
    async with desk(160, 45) as at:
        await open_venues(at)
        await stand_at(at, OKX, "63998.5")
        await at.press("(")
        await at.settle()
        pane = ladder(at)
        assert (pane.venues, pane.shown_sym, at.app.main_screen.pair.sym) == ((), OKX, OKX)
        assert pane.axis is not None and pane.axis.tick == Decimal("0.1")
        low = Decimal(pane.cursor_key)
        assert low <= Decimal("63998.5") < low + pane.axis.tick * pane.axis.group and f" {low:,}" in at.text()


async def test_the_venues_key_says_that_no_other_venue_trades_the_pair() -> None:
    async with desk(200, 60) as at:
        await at.press("1", "g", "j", "d")
        ladder(at).show("BINANCE_PERP_SOL_USDT")
        await at.press(")")
        assert "no other venue trades this pair" in at.text() and ladder(at).venues == ()


async def test_a_click_in_the_ladder_goes_to_the_venue_of_its_column() -> None:
    async with desk(120, 36) as at:
        await open_venues(at)
        await stand_at(at, OKX, "64000.5")
        await at.press("left")
        table = at.app.main_screen.tables["ladder"]
        ids, widths = table.column_ids(), table.column_widths()
        x = 1 + sum(widths[: ids.index("OKX asks")]) + 2
        await at.click(table.region.x + x, table.region.y + 5)
        assert ladder(at).cursor_sym == OKX and at.port.intents == []


async def test_a_list_cursor_on_a_shown_venue_keeps_all_ladder_venues() -> None:
    """An order of OKX under the cursor of the orders made one venue of three."""
    async with desk(160, 45) as at:
        await open_venues(at)
        at.port.order("o9", OKX, "BUY", "64000.5", "30", position_side="LONG")
        await at.settle()
        price = ladder(at).cursor_key
        await at.press("2")
        table = at.app.main_screen.tables["orders"]
        while at.app.main_screen.pair.sym != OKX:
            await at.press("j")
            await at.pause(1.0)
        assert table.selected == "o9"
        await at.settle()
        assert ladder(at).venues == (BTC, EDX, OKX) and ladder(at).cursor_sym == OKX
        assert ladder(at).cursor_key == price and "→ OKX BTC perp" in at.lines_of("ladder")[0]
        assert at.port.looked_at is not None and at.port.looked_at.sym == OKX and at.port.books == (BTC, EDX)


async def test_a_ladder_of_another_pair_begins_with_one_venue() -> None:
    async with desk(120, 36) as at:
        await open_venues(at)
        at.app.main_screen.pair.show("BINANCE_PERP_ETH_USDT")
        await at.settle()
        assert ladder(at).venues == () and at.port.books == ()
