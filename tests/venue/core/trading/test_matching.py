"""The walk of a taker, own orders that meet, and what a fill says of itself: each outcome to the last figure."""

from __future__ import annotations

import random
from decimal import Decimal

import msgspec
import pytest

from tests.venue.core.drive import OKX, PERP, SPOT, Desk
from tui.interface.families.history import NO_ALGO, TradeRecord
from tui.interface.families.orders import CancelOrder
from tui.rules import bands
from tui.venue.core.events import OrderFilled, PublicTrade
from tui.venue.core.market.book import HOUSE, Book, BookTouch, Resting
from tui.venue.core.market.symbols import Pair
from tui.venue.core.trading import matching


def ends(desk: Desk, order: str, portfolio: str = "") -> tuple[str, str, str, str]:
    """State, executed quantity, cancel type and reason."""
    found = desk.order(order, portfolio)
    return found.order_state, found.executed_qty, found.cancel_type, found.reason


def record(desk: Desk, order: str) -> TradeRecord:
    """The last fill of an order."""
    return [one.record for one in desk.log if isinstance(one, OrderFilled) and one.record.order_id == order][-1]


KILLED = ("CANCELLED", "0", "EXPIRE", "Unfilled remainder expired")

# -- fill or kill ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "limit", "whole"),
    [
        ("BUY", "61802", True),
        ("BUY", "61801.9", False),
        ("SELL", "61798", True),
        ("SELL", "61798.1", False),
    ],
)
def test_fill_or_kill_counts_levels_up_to_its_limit_price(side: str, limit: str, whole: bool) -> None:
    desk = Desk()
    other = "SELL" if side == "BUY" else "BUY"
    for price in ("61800", "61801", "61802") if side == "BUY" else ("61800", "61799", "61798"):
        desk.sub_place(other, "0.001", price)
    order = desk.place(side, "0.003", limit, time_in_force="FOK")
    assert ends(desk, order) == (("FILLED", "0.003", "", "") if whole else KILLED)


def test_fill_or_kill_is_killed_if_one_lot_is_missing() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.003", "61800")
    assert ends(desk, desk.place("BUY", "0.004", "61800", time_in_force="FOK")) == KILLED
    assert ends(desk, desk.place("BUY", "0.003", "61800", time_in_force="FOK"))[:2] == ("FILLED", "0.003")


def test_reduce_only_fill_or_kill_needs_a_position_of_its_size() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.002", "61800")
    desk.place("BUY", "0.002", "61800")
    desk.sub_place("BUY", "0.01", "61700")
    assert ends(desk, desk.place("SELL", "0.003", "61700", time_in_force="FOK", reduce_only=True)) == KILLED
    assert desk.order(desk.place("SELL", "0.001", "61700", time_in_force="FOK")).order_state == "FILLED"


def test_fill_or_kill_ignores_reduce_only_size_without_position() -> None:
    """Two resting orders would close one position of 2 lots; together they show 4, and give 2."""
    desk = Desk()
    desk.sub_place("SELL", "0.004", "61800")
    desk.place("BUY", "0.004", "61800")
    desk.place("SELL", "0.004", "61900", reduce_only=True)
    desk.sub_place("BUY", "0.002", "61850")
    desk.place("SELL", "0.002", "61850")
    assert desk.exchange.queries.positions(desk.main)[0].position_qty == "0.002"
    order = desk.sub_place("BUY", "0.003", "61900", time_in_force="FOK")
    assert desk.order(order, desk.sub).order_state == "CANCELLED"
    order = desk.sub_place("BUY", "0.002", "61900", time_in_force="FOK")
    assert desk.order(order, desk.sub).order_state == "FILLED"


@pytest.mark.parametrize(
    ("mode", "outcome"),
    [("taker", "CANCELLED"), ("both", "CANCELLED"), ("maker", "FILLED"), ("decrement", "FILLED"), ("allow", "FILLED")],
)
def test_a_fill_or_kill_order_follows_the_self_trade_policy(mode: str, outcome: str) -> None:
    desk = Desk(self_trade=mode)
    own = desk.place("SELL", "0.001", "61800")
    desk.sub_place("SELL", "0.005", "61801")
    order = desk.place("BUY", "0.003", "61801", time_in_force="FOK")
    assert desk.order(order).order_state == outcome
    if mode in ("taker", "both"):
        assert ends(desk, order) == KILLED, "by its time in force, not by the policy"
        assert desk.order(own).order_state == "OPEN", "a killed order touches nothing"


def test_fill_or_kill_does_not_count_own_resting_orders() -> None:
    desk = Desk(self_trade="maker")
    desk.place("SELL", "0.002", "61800")
    desk.sub_place("SELL", "0.002", "61801")
    assert ends(desk, desk.place("BUY", "0.003", "61801", time_in_force="FOK")) == KILLED


def test_reduce_only_fill_or_kill_can_match_several_orders() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.004", "61800")
    desk.place("BUY", "0.004", "61800")
    for price in ("61701", "61700"):
        desk.sub_place("BUY", "0.002", price)
    order = desk.place("SELL", "0.003", "61700", time_in_force="FOK", reduce_only=True)
    assert ends(desk, order)[:2] == ("FILLED", "0.003")


def test_fill_or_kill_can_fill_from_simulated_liquidity() -> None:
    desk = Desk(agents="still")
    assert ends(desk, desk.place("BUY", "0.002", "61900", time_in_force="FOK"))[:2] == ("FILLED", "0.002")


# -- own orders meet -------------------------------------------------------------------------------------------------

SELF = ("SYSTEM", "self trade")


def met(mode: str, own: str, taker: str) -> tuple[Desk, str, str]:
    """An own resting sell, somebody else's behind it, and an own buy through both."""
    desk = Desk(self_trade=mode)
    maker = desk.place("SELL", own, "61800")
    desk.sub_place("SELL", "0.005", "61801")
    return desk, maker, desk.place("BUY", taker, "61801")


def test_self_trade_policy_taker_cancels_the_taker() -> None:
    desk, maker, taker = met("taker", "0.002", "0.003")
    assert ends(desk, taker) == ("CANCELLED", "0", *SELF)
    assert ends(desk, maker) == ("OPEN", "0", "", "")


def test_self_trade_policy_maker_cancels_the_maker() -> None:
    desk, maker, taker = met("maker", "0.002", "0.003")
    assert ends(desk, maker) == ("CANCELLED", "0", *SELF)
    assert ends(desk, taker) == ("FILLED", "0.003", "", "")


def test_self_trade_policy_both_cancels_both_orders() -> None:
    desk, maker, taker = met("both", "0.002", "0.003")
    assert ends(desk, maker) == ("CANCELLED", "0", *SELF)
    assert ends(desk, taker) == ("CANCELLED", "0", *SELF)


def test_self_trade_policy_allow_fills_both_orders() -> None:
    desk, maker, taker = met("allow", "0.002", "0.003")
    assert ends(desk, maker)[:2] == ("FILLED", "0.002")
    assert ends(desk, taker)[:2] == ("FILLED", "0.003")


def test_self_trade_decrement_reduces_both_orders() -> None:
    desk, maker, taker = met("decrement", "0.002", "0.003")
    assert ends(desk, maker) == ("CANCELLED", "0", *SELF)
    found = desk.order(taker)
    assert (found.order_state, found.order_qty, found.executed_qty) == ("FILLED", "0.001", "0.001")


def test_self_trade_decrement_keeps_the_rest_of_a_larger_maker() -> None:
    desk, maker, taker = met("decrement", "0.005", "0.003")
    found = desk.order(maker)
    assert (found.order_state, found.order_qty, found.executed_qty) == ("OPEN", "0.002", "0")
    assert ends(desk, taker) == ("CANCELLED", "0", *SELF)
    desk.sub_place("BUY", "0.002", "61800")
    assert desk.order(maker).order_state == "FILLED"


def test_self_trade_decrement_after_a_fill_ends_the_taker_filled() -> None:
    desk = Desk(self_trade="decrement")
    desk.sub_place("SELL", "0.001", "61799")
    maker = desk.place("SELL", "0.005", "61800")
    taker = desk.place("BUY", "0.003", "61800")
    assert ends(desk, taker) == ("FILLED", "0.001", "", "")
    assert desk.order(maker).order_qty == "0.003"


def test_self_trade_decrement_releases_the_frozen_maker_funds() -> None:
    desk = Desk(self_trade="decrement")
    desk.place("SELL", "0.005", "61800", SPOT)
    desk.place("BUY", "0.003", "61800", SPOT)
    frozen = {one.coin: one.frozen for one in desk.exchange.queries.assets(desk.main) if one.exchange_type == "BINANCE"}
    assert Decimal(frozen["BTC"]) == Decimal("0.002")
    assert Decimal(frozen["USDT"]) == 0


def test_self_trade_decrement_of_a_quote_amount_order_ends_both() -> None:
    desk = Desk(self_trade="decrement")
    maker = desk.place("SELL", "0.002", "61800", SPOT)
    taker = desk.place("BUY", "", sym=SPOT, quote_order_qty="100")
    assert ends(desk, maker) == ("CANCELLED", "0", *SELF)
    assert ends(desk, taker) == KILLED


# -- what a fill says ------------------------------------------------------------------------------------------------


def test_fill_records_of_both_sides_have_role_order_id_and_fee() -> None:
    desk = Desk()
    maker = desk.sub_place("SELL", "0.010", "61800", client_order_id="mine")
    taker = desk.place("BUY", "0.010", "61800", client_order_id="yours")
    took, gave = record(desk, taker), record(desk, maker)
    assert (took.exec_type, gave.exec_type) == ("TAKER", "MAKER")
    assert (took.client_order_id, gave.client_order_id) == ("yours", "mine")
    assert (took.side, gave.side) == ("BUY", "SELL")
    assert (took.quantity, took.price) == (gave.quantity, gave.price) == ("0.01", "61800")
    assert Decimal(took.fee) == Decimal(618) * matching_pair(desk, PERP).taker > 0
    assert (took.fee_coin, took.rebate, took.rebate_coin) == ("USDT", "0", "")
    assert Decimal(gave.fee or "0") - Decimal(gave.rebate or "0") == Decimal(618) * matching_pair(desk, PERP).maker
    assert took.transaction_id != gave.transaction_id


def test_spot_buy_fee_is_in_the_coin_and_sell_fee_in_usdt() -> None:
    desk = Desk()
    seller = desk.place("SELL", "0.010", "61800", SPOT)
    buyer = desk.sub_place("BUY", "0.010", "61800", SPOT)
    took, gave = record(desk, buyer), record(desk, seller)
    assert took.fee_coin == "BTC"
    assert Decimal(took.fee) > 0
    assert {gave.fee_coin, gave.rebate_coin} <= {"", "USDT"}
    assert bool(gave.fee_coin) == (Decimal(gave.fee) > 0)
    assert bool(gave.rebate_coin) == (Decimal(gave.rebate) > 0)


@pytest.mark.parametrize("maker_rate", ["-0.0001", "0", "0.0002"])
def test_a_fill_has_either_a_fee_or_a_rebate(maker_rate: str) -> None:
    desk = Desk()
    pair = msgspec.structs.replace(matching_pair(desk, PERP), maker=Decimal(maker_rate))
    desk.state.pairs = {**desk.state.pairs, PERP: pair}
    maker = desk.sub_place("SELL", "0.010", "61800")
    desk.place("BUY", "0.010", "61800")
    gave = record(desk, maker)
    amount = Decimal(618) * abs(Decimal(maker_rate))
    fee, rebate = (amount, Decimal(0)) if Decimal(maker_rate) > 0 else (Decimal(0), amount)
    assert (Decimal(gave.fee), Decimal(gave.rebate)) == (fee, rebate)
    assert (gave.fee_coin, gave.rebate_coin) == ("USDT" if fee else "", "USDT" if rebate else "")


def matching_pair(desk: Desk, sym: str) -> Pair:
    """The rules of a pair, to be changed."""
    return desk.state.pairs[sym]


def test_a_public_trade_shows_the_taker_side() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.001", "61800")
    desk.place("BUY", "0.001", "61800")
    desk.sub_place("BUY", "0.002", "61700")
    desk.place("SELL", "0.002", "61700")
    prints = [(one.side, one.qty, one.price) for one in desk.log if isinstance(one, PublicTrade)]
    assert prints == [("buy", "0.001", "61800"), ("sell", "0.002", "61700")]


def test_public_trades_have_ids_times_and_base_units() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.001", "61800")
    desk.place("BUY", "0.001", "61800")
    desk.sub_place("SELL", "5", "61810", OKX)
    desk.place("BUY", "5", "61810", OKX)
    one, two = (found for found in desk.log if isinstance(found, PublicTrade))
    assert (one.sym, one.ts, two.sym) == (PERP, desk.now, OKX)
    assert int(two.trade_id) == int(one.trade_id) + 1
    assert 0 < one.at_us <= two.at_us
    assert two.qty == "0.05"


def test_a_fill_record_names_its_portfolio_and_venue() -> None:
    desk = Desk()
    maker = desk.place("SELL", "0.010", "61800", SPOT)
    taker = desk.sub_place("BUY", "0.010", "61800", SPOT)
    for order, owner in ((maker, desk.main), (taker, desk.sub)):
        found = record(desk, order)
        assert (found.portfolio_id, found.exchange_type, found.business_type) == (owner, "BINANCE", "SPOT")
        assert (found.sym, found.order_id, found.algo_order_id) == (SPOT, order, NO_ALGO)
        assert found.create_at == str(desk.now)
        booked = [one for one in desk.state.postings if one.reference == found.transaction_id]
        assert [one.reason for one in booked] == ["trade"]


def test_a_market_order_fills_up_to_its_price_band() -> None:
    for side, other, sign in (("BUY", "SELL", 1), ("SELL", "BUY", -1)):
        desk = Desk()
        state, pair = desk.state, matching_pair(desk, PERP)
        band = bands.band_around(state.valuation(pair), bands.MARKET_SHARE)
        edge = band.high // pair.tick * pair.tick if sign > 0 else -(-band.low // pair.tick) * pair.tick
        state.books[PERP].add(HOUSE, "", int(edge / pair.tick), 2, is_buy=other == "BUY")
        state.books[PERP].add(HOUSE, "", int(edge / pair.tick) + sign, 5, is_buy=other == "BUY")
        order = desk.place(side, "0.004")
        assert desk.order(order).executed_qty == "0.002", side
        assert ends(desk, order) == ("CANCELLED", "0.002", "EXPIRE", "Unfilled remainder expired")


def test_a_price_jump_fills_resting_orders_it_passes() -> None:
    desk = Desk(agents="still")
    state, pair = desk.state, matching_pair(desk, PERP)
    touch = state.books[PERP].touch()
    low, high = (pair.price(ticks) for ticks in (touch.bid - 500, touch.ask + 500))
    buy, sell = desk.place("BUY", "0.001", str(low)), desk.place("SELL", "0.001", str(high))
    matching.sweep(state, pair, touch.bid - 100, touch.ask - 90)
    assert (desk.order(buy).order_state, desk.order(sell).order_state) == ("OPEN", "OPEN"), "not passed"
    matching.sweep(state, pair, touch.bid - 501, touch.bid - 500)
    assert desk.order(buy).order_state == "FILLED"
    assert desk.order(sell).order_state == "OPEN"
    matching.sweep(state, pair, touch.ask + 500, touch.ask + 501)
    assert desk.order(sell).order_state == "FILLED"
    assert record_of(desk, sell).price == pair.price_text(touch.ask + 500)


def record_of(desk: Desk, order: str) -> TradeRecord:
    """The only fill of an order, also of one that no command caused."""
    [found] = [one for one in desk.state.fills[desk.main] if one.order_id == order]
    return found


# -- the market itself takes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("is_buy", "prices"), [(True, ("61800", "61801", "61802")), (False, ("61800", "61799", "61798"))]
)
def test_a_simulated_taker_fills_levels_up_to_its_limit(is_buy: bool, prices: tuple[str, ...]) -> None:
    desk = Desk()
    side = "SELL" if is_buy else "BUY"
    orders = [desk.place(side, "0.002", price) for price in prices]
    state, pair = desk.state, matching_pair(desk, PERP)
    limit, before = int(Decimal(prices[1]) / pair.tick), state.house.get(PERP, 0)
    assert matching.take_for_house(state, pair, limit, 3, is_buy=is_buy) == 3
    assert [desk.order(order).executed_qty for order in orders] == ["0.002", "0.001", "0"]
    assert matching.take_for_house(state, pair, limit, 100, is_buy=is_buy) == 1, "no further than its limit"
    assert matching.take_for_house(state, pair, limit, 100, is_buy=is_buy) == 0
    assert state.house[PERP] - before == (4 if is_buy else -4)
    fills = state.fills[desk.main]
    assert {one.exec_type for one in fills} == {"MAKER"}
    assert [one.quantity for one in fills] == ["0.002", "0.001", "0.001"]
    desk.wait()
    prints = [one for one in desk.log if isinstance(one, PublicTrade)]
    assert [(one.side, one.qty) for one in prints] == [
        ("buy" if is_buy else "sell", quantity) for quantity in ("0.002", "0.001", "0.001")
    ]


def test_a_simulated_taker_does_not_trade_a_halted_pair() -> None:
    desk = Desk()
    desk.place("SELL", "0.002", "61800")
    state, pair = desk.state, matching_pair(desk, PERP)
    state.halted[PERP] = "delisted"
    assert matching.take_for_house(state, pair, 10**9, 5, is_buy=True) == 0


# -- holds and cut orders --------------------------------------------------------------------------------------------


def frozen(desk: Desk, coin: str, portfolio: str = "") -> Decimal:
    rows = desk.exchange.queries.assets(portfolio or desk.main)
    return next(Decimal(one.frozen) for one in rows if (one.exchange_type, one.coin) == ("BINANCE", coin))


def test_a_spot_order_freezes_its_cost_and_releases_the_rest() -> None:
    desk = Desk()
    desk.place("SELL", "0.004", "61800", SPOT)
    order = desk.sub_place("BUY", "0.010", "61900", SPOT)
    assert frozen(desk, "USDT", desk.sub) == Decimal("0.006") * 61900
    desk.do(CancelOrder(portfolio=desk.sub, order_id=order))
    desk.wait(50)
    assert frozen(desk, "USDT", desk.sub) == 0
    order = desk.place("SELL", "0.010", "62000", SPOT)
    assert frozen(desk, "BTC") == Decimal("0.010")
    desk.sub_place("BUY", "0.004", "62000", SPOT)
    assert frozen(desk, "BTC") == Decimal("0.006")
    desk.sub_place("BUY", "0.006", "62000", SPOT)
    assert desk.order(order).order_state == "FILLED"
    assert frozen(desk, "BTC") == 0


@pytest.mark.parametrize("excess", ["cut", "reject"])
def test_resting_reduce_only_orders_shrink_with_the_position(excess: str) -> None:
    desk = Desk(reduce_only_excess=excess)
    desk.sub_place("SELL", "0.004", "61800")
    desk.place("BUY", "0.004", "61800")
    order = desk.place("SELL", "0.004", "61900", reduce_only=True)
    desk.sub_place("BUY", "0.003", "61700")
    desk.place("SELL", "0.003", "61700")
    found = desk.order(order)
    cuts = excess == "cut"
    assert found.order_qty == ("0.001" if cuts else "0.004")
    assert found.order_state == "OPEN"
    assert desk.state.resting[order].lots == (1 if cuts else 4)
    desk.sub_place("BUY", "0.001", "61700")
    desk.place("SELL", "0.001", "61700")
    assert desk.order(order).order_state == "CANCELLED"
    assert desk.order(order).cancel_type == "REDUCE_ONLY"


def test_a_quote_amount_order_buys_whole_lots_only() -> None:
    desk = Desk()
    desk.place("SELL", "0.01", "61800", SPOT)
    pair = matching_pair(desk, SPOT)
    lot_cost = 61800 * pair.lot_base
    amount = str(lot_cost * 37 + lot_cost / 2)
    order = desk.sub_place("BUY", "", sym=SPOT, quote_order_qty=amount)
    found = desk.order(order, desk.sub)
    assert found.order_state == "FILLED"
    assert Decimal(found.executed_qty) == 37 * pair.lot_base


def test_a_quote_amount_order_is_cancelled_if_not_fully_filled() -> None:
    desk = Desk()
    desk.place("SELL", "0.1", "61800", SPOT)
    order = desk.sub_place("BUY", "", sym=SPOT, quote_order_qty="10000")
    assert ends(desk, order, desk.sub) == ("CANCELLED", "0.1", "EXPIRE", "Unfilled remainder expired")


# -- the book alone --------------------------------------------------------------------------------------------------


def test_order_book_matches_a_simple_list_model() -> None:
    """Random additions, reductions and synthetic sizes; every view against one flat list in order of arrival."""
    source = random.Random(5)
    book = Book()
    flat: list[Resting] = []
    for step in range(3000):
        dice = source.random()
        is_buy = source.random() < 0.5
        ticks = source.randint(90, 99) if is_buy else source.randint(100, 109)
        if dice < 0.45 or not flat:
            owner = source.choice(("a", "b", HOUSE))
            flat.append(book.add(owner, f"o{step}", ticks, source.randint(1, 9), is_buy=is_buy))
        elif dice < 0.8:
            one = source.choice(flat)
            book.reduce(one, source.randint(1, one.lots))
        elif dice < 0.9:
            book.remove(source.choice(flat))
        else:
            want = source.randint(0, 20)
            book.set_house(ticks, want, is_buy=is_buy)
            known = {id(one) for one in flat}
            flat += [one for one in book.walk(is_buy=is_buy) if id(one) not in known]
            assert book.house_lots(ticks, is_buy=is_buy) == want
        flat = [one for one in flat if one.lots]
        book.check()
        for side in (True, False):
            mine = [one for one in flat if one.is_buy is side]
            queue = sorted(mine, key=lambda one: (-one.ticks if one.is_buy else one.ticks, one.seq))
            assert list(book.walk(is_buy=side)) == queue
            assert book.front(is_buy=side) is (queue[0] if queue else None)
            assert book.best_price(is_buy=side) == (queue[0].ticks if queue else None)
            sums: dict[int, int] = {}
            for one in queue:
                sums[one.ticks] = sums.get(one.ticks, 0) + one.lots
            assert book.levels(is_buy=side) == list(sums.items())
            assert book.levels(2, is_buy=side) == list(sums.items())[:2]
            assert book.house_prices(is_buy=side) == sorted({one.ticks for one in queue if one.owner == HOUSE})
            for price in (89, 95, 99, 100, 104, 110):
                best = book.best_price(is_buy=not side)
                assert book.crosses(price, is_buy=side) == (
                    best is not None and (best <= price if side else best >= price)
                )
        bids, asks = book.levels(1, is_buy=True), book.levels(1, is_buy=False)
        assert book.touch() == BookTouch(*(bids[0] if bids else (0, 0)), *(asks[0] if asks else (0, 0)))
    book.clear_house()
    assert not book.house_prices(is_buy=True) and not book.house_prices(is_buy=False)
    assert list(book.walk(is_buy=True)) == sorted(
        (one for one in flat if one.is_buy and one.owner != HOUSE), key=lambda one: (-one.ticks, one.seq)
    )


def test_simulated_size_joins_and_leaves_the_end_of_the_queue() -> None:
    book = Book()
    book.set_house(99, 5, is_buy=True)
    mine = book.add("a", "1", 99, 2, is_buy=True)
    book.set_house(99, 8, is_buy=True)
    assert [(one.owner, one.lots) for one in book.walk(is_buy=True)] == [(HOUSE, 5), ("a", 2), (HOUSE, 3)]
    book.set_house(99, 10, is_buy=True)
    assert [one.lots for one in book.walk(is_buy=True)] == [5, 2, 5]
    book.set_house(99, 4, is_buy=True)
    assert [(one.owner, one.lots) for one in book.walk(is_buy=True)] == [(HOUSE, 4), ("a", 2)]
    book.set_house(99, 0, is_buy=True)
    assert list(book.walk(is_buy=True)) == [mine]
    book.set_house(98, 0, is_buy=True)
    assert book.house_lots(98, is_buy=True) == 0


@pytest.mark.parametrize("is_buy", [True, False])
def test_order_book_check_finds_an_invalid_book(is_buy: bool) -> None:
    for other in (99, 100, 101):
        book = Book()
        book.add("a", "1", 100, 1, is_buy=is_buy)
        book.check()
        book.add("b", "2", other, 1, is_buy=not is_buy)
        if (other > 100) is is_buy and other != 100:
            book.check()
        else:
            with pytest.raises(AssertionError, match="crossed book"):
                book.check()
    for wrong in ((2, 1), (0, 2)):
        book = Book()
        queue = [book.add("a", str(number), 100, 1, is_buy=is_buy) for number in range(2)]
        for one, lots in zip(queue, wrong, strict=True):
            one.lots = lots
        with pytest.raises(AssertionError):
            book.check()
