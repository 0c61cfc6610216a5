"""The synthetic market: lively, in line, and a place where resting orders really trade."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from itertools import pairwise

from tests.venue.core.drive import PERP, SPOT, Desk
from tui.venue.core.events import MarkChanged, PublicTrade, QuoteChanged
from tui.venue.core.market.symbols import SHIPPED
from tui.venue.core.participants.agents import Agents


def test_simulated_best_bid_and_ask_change_often() -> None:
    desk = Desk(agents="on")
    desk.wait(10_000)
    counts = Counter(event.sym for event in desk.log if isinstance(event, QuoteChanged))
    assert set(counts) == set(SHIPPED)
    assert min(counts.values()) >= 25
    assert 800 <= counts[PERP] <= 4000


def test_simulated_spreads_are_mostly_one_tick_wide() -> None:
    desk = Desk(agents="on")
    for _ in range(4):
        desk.wait(10_000)
    quotes = [event for event in desk.log if isinstance(event, QuoteChanged) and event.sym == PERP]
    same = sum((a.bid, a.ask) == (b.bid, b.ask) for a, b in pairwise(quotes))
    assert same / len(quotes) > 0.75
    tick = SHIPPED[PERP].tick
    assert sum(Decimal(one.ask) - Decimal(one.bid) == tick for one in quotes) / len(quotes) > 0.85
    assert all(Decimal(one.bid) < Decimal(one.ask) for one in quotes)


def test_mark_price_updates_once_a_second_near_the_book() -> None:
    desk = Desk(agents="on")
    desk.wait(5_000)
    marks = [event for event in desk.log if isinstance(event, MarkChanged) and event.sym == PERP]
    assert len(marks) == 5
    quote = desk.exchange.queries.quote(PERP)
    assert quote is not None
    assert abs(Decimal(marks[-1].mark) / Decimal(quote.bid) - 1) < Decimal("0.003")
    assert desk.exchange.queries.mark(SPOT) is None


def test_order_books_of_one_coin_move_together() -> None:
    desk = Desk(agents="on")
    desk.steer("BTC", "70000")
    desk.wait(100)
    for sym, pair in SHIPPED.items():
        quote = desk.exchange.queries.quote(sym)
        assert quote is not None
        if pair.base == "BTC":
            assert abs(Decimal(quote.bid) / 70000 - 1) < Decimal("0.002")


def test_an_order_at_the_best_price_fills_later_as_maker() -> None:
    desk = Desk(agents="on")
    desk.wait(1000)
    quote = desk.exchange.queries.quote(PERP)
    assert quote is not None
    orders = [
        desk.place(side, "0.01", price, time_in_force="GTX")
        for side, price in (("BUY", quote.bid), ("SELL", quote.ask))
    ]
    assert [desk.order(order).executed_qty for order in orders] == ["0", "0"]
    for _ in range(12):
        desk.wait(10_000)
        done = [desk.order(order) for order in orders if desk.order(order).order_state == "FILLED"]
        if done:
            break
    assert (done[0].fee, done[0].rebate_coin) == ("0", "USDT")


def test_simulated_takers_fill_earlier_orders_of_others_first() -> None:
    desk = Desk(agents="still")
    quote, agents = desk.exchange.queries.quote(PERP), desk.driver
    assert quote is not None
    assert isinstance(agents, Agents)
    desk.place("BUY", quote.ask_qty)
    own = desk.place("BUY", "0.001", quote.ask, time_in_force="GTX")
    state, pit = desk.state, agents._maker_pairs[PERP]
    for _ in range(5):
        best = state.books[PERP].levels(1, is_buy=True)[0]
        agents._take_liquidity(pit, *best, 1, is_buy=False)
    assert desk.order(own).order_state == "FILLED"
    assert desk.fills(own) == []
    desk.wait()
    assert desk.fills(own) == [("0.001", quote.ask)]
    assert state.books[PERP].levels(1, is_buy=True)[0][0] == SHIPPED[PERP].ticks(Decimal(quote.bid))


def test_an_order_the_price_moves_through_fills_at_its_own_price() -> None:
    desk = Desk(agents="still")
    order = desk.place("SELL", "0.5", "62000")
    desk.steer("BTC", "63000")
    assert desk.order(order).order_state == "FILLED"
    assert desk.fills(order) == [("0.5", "62000")]


def test_a_still_market_does_not_refill_size_that_was_taken() -> None:
    desk = Desk(agents="still")
    before = desk.exchange.queries.quote(PERP)
    desk.wait(5000)
    assert desk.exchange.queries.quote(PERP) == before
    assert before is not None
    first = desk.place("BUY", before.ask_qty)
    second = desk.place("BUY", "0.001")
    assert desk.order(first).executed_avg_price == before.ask
    assert Decimal(desk.order(second).executed_avg_price) > Decimal(before.ask)


def test_simulated_makers_refill_the_book_after_a_large_order() -> None:
    desk = Desk(agents="on")
    desk.place("BUY", "20")
    gone = desk.exchange.queries.quote(PERP)
    desk.wait(200)
    back = desk.exchange.queries.quote(PERP)
    assert gone is not None
    assert back is not None
    assert Decimal(back.ask) - Decimal(back.bid) < Decimal(gone.ask) - Decimal(gone.bid)


def test_the_simulated_market_can_be_switched_off_and_on() -> None:
    desk = Desk(agents="on")
    own = desk.place("BUY", "0.01", "60000")
    desk.switch("agents", "off")
    quote = desk.exchange.queries.quote(PERP)
    assert quote is not None
    assert (quote.bid, quote.ask) == ("60000", "0")
    desk.switch("agents", "on")
    desk.wait(100)
    again = desk.exchange.queries.quote(PERP)
    assert again is not None
    assert Decimal(again.bid) > 60000
    assert desk.order(own).order_state == "OPEN"


def test_speed_setting_makes_simulated_traders_act_more_often() -> None:
    counts = []
    for speed in ("0.25", "1", "4"):
        desk = Desk(agents="on", speed=speed)
        desk.wait(3000)
        counts.append(sum(isinstance(event, QuoteChanged) for event in desk.log))
    assert counts[0] * 2 < counts[1] < counts[2] / 2


def test_simulated_market_skips_the_time_it_was_not_run() -> None:
    desk = Desk(agents="on")
    desk.wait(8 * 3600 * 1000)
    assert len(desk.events) < 100
    desk.wait(1000)
    assert sum(isinstance(event, QuoteChanged) for event in desk.events) > 30


def test_public_trades_have_a_taker_side_and_unique_ids() -> None:
    desk = Desk(agents="on")
    desk.wait(5000)
    prints = [event for event in desk.log if isinstance(event, PublicTrade)]
    assert {event.side for event in prints} == {"buy", "sell"}
    assert len({event.trade_id for event in prints}) == len(prints)
