"""Best rows over venues, own orders at the touch, and what is probably ahead of them."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import info
from tui.engine.rows import Fact, QuoteRow, Table
from tui.engine.status_rows import LinkRow, LinkState
from tui.interface.families.fees import FeeSchedule
from tui.workstation.features.quotes.consolidated_bbo import VenueQuote, best_of, touch_of
from tui.workstation.model.orders.queue_estimates import QueueEstimates

BTC, OKX, EDX = "BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT", "EDX_PERP_BTC_USDT"


def fees(at: Desk, venue: str, taker: str) -> None:
    at.port.put(Table.FEES, f"{venue}/PERP", Fact(FeeSchedule(exchange=venue, taker=taker, maker="0"), at.port.stamp()))


async def test_best_price_row_adds_sizes_of_venues_at_the_same_price() -> None:
    async with desk(200, 37) as at:
        at.port.quote(OKX, "64001.0", "64001.1", "131", "52")
        await at.settle()
        line = at.line_with("BTC perp best")
        assert "3.415" in line, "2.105 BTC and 131 contracts of 0.01"
        best = at.app.main_screen.tables["quotes"].pane.row("best PERP BTC")
        assert best is not None and best.at == "BIN+OKX/OKX"


async def test_best_price_row_has_no_size_if_a_contract_is_unknown() -> None:
    async with desk(160, 45) as at:
        at.port.put(Table.SYMBOLS, OKX, info(OKX, "0.1", "1", ""))
        at.port.quote(OKX, "64001.5", "64001.9", "131", "52")
        await at.settle()
        line = at.line_with("BTC perp best")
        assert "64,001.5" in line and "–" in line, "a part of the sum would be a lie"


async def test_best_price_row_shows_crossed_and_locked_markets() -> None:
    async with desk(160, 45) as at:
        at.port.quote(OKX, "64003.0", "64003.1", "131", "52")
        await at.settle()
        assert "-0.3bp" in at.line_with("BTC perp best")
        at.port.quote(OKX, "64001.2", "64003.1", "131", "52")
        await at.settle()
        assert "=0.0bp" in at.line_with("BTC perp best")


async def test_best_price_row_leaves_out_an_unsubscribed_venue() -> None:
    async with desk(160, 45) as at:
        row = at.app.mirror.quotes[OKX]
        at.port.put(Table.QUOTES, OKX, msgspec.structs.replace(row, subscribed=False))
        await at.settle()
        line = at.line_with("BTC perp 2/3")
        assert "64,001.2" in line and "64,001.1" not in line


async def test_an_old_quote_is_quiet_and_a_silent_link_is_called_stale() -> None:
    async with desk(200, 37) as at:
        at.clock.pass_by(8)
        at.port.put(Table.LINKS, "public", LinkRow(name="public", state=LinkState.UP, last_frame=at.clock.at))
        at.port.quote("BINANCE_PERP_SOL_USDT", "151.24", "151.25")
        await at.settle()
        at.app.main_screen.tick()
        await at.settle()
        assert "quiet" in at.line_with("  BINANCE", "64,001.2") and "STALE" not in "".join(at.lines_of("quotes"))
        at.clock.pass_by(8)
        at.port.put(Table.LINKS, "public", LinkRow(name="public", state=LinkState.UP, last_frame=at.clock.at - 8))
        await at.settle()
        at.app.main_screen.tick()
        await at.settle()
        assert "STALE" not in at.line_with("  BINANCE", "64,001.2")
        assert "STALE 8s" in at.line_with("1 Quotes")


async def test_best_prices_of_venues_can_be_shown_net_of_taker_fees() -> None:
    async with desk(160, 45) as at:
        fees(at, "BINANCE", "0.0001")
        fees(at, "OKX", "0.0010")
        await at.settle()
        await at.press("1", ")")
        assert "NET OF TAKER FEE ( ends it" in at.line_with("1 Quotes"), "the event that names the key goes by"
        bid, ask = Decimal("64001.0") * Decimal("0.9999"), Decimal("64001.2") * Decimal("1.0001")
        line = at.line_with("BTC perp best")
        assert f"{bid:,.1f}" in line and f"{ask:,.1f}" in line, "the venue with the lower fee wins"
        assert "–" in at.line_with("  EDX "), "an unknown fee gives no price"
        await at.press("(")
        assert "NET OF TAKER FEE" not in at.text() and "64,001.1" in at.line_with("BTC perp best")


async def test_own_orders_at_the_best_price_are_marked_with_their_size() -> None:
    async with desk(200, 37) as at:
        at.port.order("o9", BTC, "BUY", "64001.0", "0.300", executed="0.050", position_side="LONG")
        await at.settle()
        line = at.line_with("  BINANCE", "64,001.2")
        assert "›" in line and "0.250 ~1.855" in line, "2.105 at the touch, 0.250 of it is ours"
        at.port.quote(BTC, "64002.0", "64002.2")
        await at.settle()
        assert "0.250" not in at.line_with("  BINANCE", "64,002.2"), "not at the touch any more"


async def test_best_price_row_without_quotes_has_no_price() -> None:
    async with desk(80, 24) as at:
        best = best_of([], "k")
        assert (best.quote.bid, best.quote.ask, best.live) == ("", "", 0)
        quote = QuoteRow(sym=BTC, bid="0", ask="5", ask_qty="1", received=1000.0)
        one = best_of([touch_of(VenueQuote(quote, Decimal(0), at.app.view.info(BTC), live=True))], "k")
        assert (one.quote.bid, one.quote.ask, one.bid_syms) == ("", "5", ())


@pytest.mark.parametrize(
    ("sizes", "ahead"),
    [
        (("10",), "9"),
        (("10", "12"), "9"),
        (("10", "12", "8"), None),
        (("10", "4"), "3"),
    ],
)
async def test_queue_estimate_falls_with_the_book_size_and_never_grows(
    sizes: tuple[str, ...], ahead: str | None
) -> None:
    async with desk(80, 24, filled=False) as at:
        queues = QueueEstimates(at.app.mirror)
        at.port.quote(BTC, "100.0", "100.1", sizes[0], "1")
        order = at.port.order("q1", BTC, "BUY", "100.0", "1")
        await at.settle()
        queues.follow([BTC], ["q1"])
        before = queues.ahead(order)
        for size in sizes[1:]:
            at.port.quote(BTC, "100.0", "100.1", size, "1")
            await at.settle()
            queues.follow([BTC], [])
        now = queues.ahead(order)
        assert before is not None and now is not None and now <= before
        if ahead is not None:
            assert now == Decimal(ahead)
        else:
            assert Decimal(5) < now < Decimal(9), "most of the drop is taken from the front, which is larger"


async def test_queue_estimate_is_0_after_a_fill_none_at_another_price() -> None:
    async with desk(80, 24, filled=False) as at:
        queues = QueueEstimates(at.app.mirror)
        at.port.quote(BTC, "100.0", "100.1", "10", "1")
        at.port.order("q1", BTC, "BUY", "100.0", "1")
        await at.settle()
        queues.follow([BTC], ["q1"])
        order = at.port.order("q1", BTC, "BUY", "100.0", "1", executed="0.4")
        await at.settle()
        queues.follow([], ["q1"])
        assert queues.ahead(order) == 0
        moved = at.port.order("q1", BTC, "BUY", "99.0", "1", executed="0.4")
        await at.settle()
        queues.follow([], ["q1"])
        assert queues.ahead(moved) is None, "another price is another queue"


@pytest.mark.parametrize(("size", "ahead"), [("1", "9"), ("5", "12")])
async def test_a_smaller_size_keeps_the_queue_place_and_a_larger_not(size: str, ahead: str) -> None:
    async with desk(80, 24, filled=False) as at:
        queues = QueueEstimates(at.app.mirror)
        at.port.quote(BTC, "100.0", "100.1", "12", "1")
        at.port.order("q1", BTC, "BUY", "100.0", "3")
        await at.settle()
        queues.follow([BTC], ["q1"])
        at.port.quote(BTC, "100.0", "100.1", "15", "1")
        await at.settle()
        queues.follow([BTC], [])
        order = at.port.order("q1", BTC, "BUY", "100.0", size)
        await at.settle()
        queues.follow([], ["q1"])
        assert queues.ahead(order) == Decimal(ahead), "a smaller size keeps its place, a larger one goes to the end"
        at.port.quote(BTC, "100.0", "100.1", str(12 + int(size)), "1")
        await at.settle()
        queues.follow([BTC], [])
        assert queues.ahead(order) == Decimal(ahead), "the own change is no cancel of others"


async def test_a_quote_updates_queue_estimates_only_at_bid_and_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk(160, 45) as at:
        queues, looked = QueueEstimates(at.app.mirror), list[str]()
        monkeypatch.setattr(queues, "_look", lambda order: looked.append(order.key))
        for number in range(20):
            at.port.order(f"q{number}", BTC, "BUY", f"{100 - number}.0", "1")
        at.port.order("q20", BTC, "SELL", "100.00", "1")
        at.port.quote(BTC, "97.0", "100.0", "10", "1")
        await at.settle()
        queues.follow([], [f"q{number}" for number in range(21)])
        looked.clear()
        queues.follow([BTC], [])
        assert looked == ["q3", "q20"]
        at.port.put(Table.ORDERS, "q3", None)
        await at.settle()
        queues.follow([], ["q3"])
        queues.follow([BTC], [])
        assert looked == ["q3", "q20", "q20"]


async def test_the_best_price_row_recomputes_only_the_changed_venue() -> None:
    async with desk(120, 36) as at:
        quotes = at.app.panes.quotes
        key = "best PERP BTC"
        quotes.row(key)
        made = quotes.touch_count
        quotes.row(key)
        assert quotes.touch_count == made
        at.port.quote(OKX, "64001.5", "64001.9", "131", "52")
        await at.settle()
        found = quotes.row(key)
        assert quotes.touch_count == made + 1
        quotes._venue_touches.clear()
        assert quotes.row(key) == found


async def test_the_cached_best_price_row_follows_fees_rules_and_link() -> None:
    async with desk(160, 45) as at:
        quotes = at.app.panes.quotes
        await at.press("v")
        fees(at, "OKX", "0.01")
        await at.settle()
        at.port.put(Table.SYMBOLS, BTC, info(BTC, "0.1", "0.001", "7"))
        await at.settle()
        for down in (False, True):
            if down:
                at.port.put(Table.LINKS, "public", LinkRow(name="public", state=LinkState.DOWN))
                await at.settle()
            found = quotes.row("best PERP BTC")
            quotes._venue_touches.clear()
            assert quotes.row("best PERP BTC") == found
        assert found is not None and found.venues == 0


async def test_a_small_window_labels_net_prices_and_how_to_leave_them() -> None:
    async with desk(80, 24) as at:
        await at.press("d", "1", ")")
        await at.settle()
        assert "NET OF FEE (" in at.line_with("1 Quotes")
        assert "net bid " in at.line_with("symbol") and "net ask " in at.line_with("symbol"), "where prices are read"
        assert "( shows those of the venue again" in at.events()[-1]
        await at.press("(")
        await at.settle()
        assert "net bid" not in at.text() and "NET OF FEE" not in at.text() and "prices of the venue" in at.events()[-1]
