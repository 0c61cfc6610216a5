"""Every guard of the gate: what it denies, what it asks, and the sentence it says."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tests.engine.conftest import DECISION, SYM, buy
from tests.engine.orders.gated import SPOT, Gated, asks, denied
from tui.engine.intents import LEAST_STOOD_MS, Cancel, CancelAll, PaintedPrice, Place, Protection, Replace
from tui.engine.modes import Environment, TradingState
from tui.engine.orders.dismissal import SOURCES
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.orders.recent_sends import list_rates, rate_key
from tui.engine.rows import Fact, LocalOrderState, PendingAction, QuoteRow, Source
from tui.engine.status_rows import RateUse
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import PLACE_ORDER, OrderType, PositionSide, Side
from tui.interface.families.positions import AccountRecord, PositionRecord


def test_the_order_gate_passes_a_valid_order(gated: Gated) -> None:
    assert gated.gate.check_place(buy()) is None


def test_view_mode_denies_everything_but_the_kill_switch(gated: Gated) -> None:
    gated.state.trading.own.state = TradingState.VIEW
    gated.row()
    denied(gated.gate.check_place(buy()), "STATE")
    denied(gated.gate.check_cancel(Cancel(decision=DECISION, key="k")), "STATE")
    denied(gated.gate.check_cancel_all(CancelAll(decision=DECISION)), "STATE")
    assert gated.gate.check_cancel_all(CancelAll(decision=DECISION, kill=True)) is None


def test_i18_orders_for_another_environment_are_denied(gated: Gated) -> None:
    live = msgspec.structs.replace(DECISION, environment=Environment.LIVE)
    other = msgspec.structs.replace(DECISION, portfolio="1")
    denied(gated.gate.check_place(buy(decision=live)), "ENVIRONMENT", "LIVE", "PAPER")
    denied(gated.gate.check_place(buy(decision=other)), "PORTFOLIO")
    denied(gated.gate.check_cancel_all(CancelAll(decision=live, kill=True)), "ENVIRONMENT")


@pytest.mark.parametrize(
    ("logged_in", "synced", "proven", "place", "cancel"),
    [
        (True, True, True, True, True),
        (True, False, True, False, True),
        (True, True, False, False, True),
        (False, False, False, False, False),
    ],
    ids=["in step", "F15 resync", "unproven", "F01 down"],
)
def test_link_state_decides_if_orders_and_cancels_are_allowed(
    gated: Gated, logged_in: bool, synced: bool, proven: bool, place: bool, cancel: bool
) -> None:
    gated.row()
    gated.state.logged_in, gated.state.synced, gated.proven = logged_in, synced, proven
    assert (gated.gate.check_place(buy()) is None) == place
    assert (gated.gate.check_cancel(Cancel(decision=DECISION, key="k")) is None) == cancel


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"price": "60000.05"}, ("Price", "60000.05", "60000 or 60000.1")),
        ({"qty": "0.0105"}, ("Size", "0.0105", "0.01 or 0.011")),
        ({"qty": "0.0005"}, ("Size", "0.0005", "0.001")),
        ({"qty": "101"}, ("Size", "101", "100")),
        ({"qty": "0"}, ("size", "above 0")),
        ({"qty": "1_0"}, ("size", "1_0", "digits")),
        ({"price": ""}, ("price", "digits")),
        ({"price": "6e4"}, ("price", "6e4")),
        ({"order_type": OrderType.MARKET, "price": "", "qty": "51"}, ("Size", "51", "50")),
    ],
)
def test_invalid_order_numbers_are_denied_with_valid_values(
    gated: Gated, changes: dict[str, Any], words: tuple[str, ...]
) -> None:
    denied(gated.gate.check_place(buy(**changes)), "NUMBER", *words)


def test_tx08_an_off_tick_price_is_denied_with_both_neighbours(gated: Gated) -> None:
    info = msgspec.structs.replace(gated.state.symbols[SYM], tick_size="0.5", min_notional="0")
    gated.state.symbols[SYM] = info
    gated.quote("100", "101", "100")
    denied(gated.gate.check_place(buy(price="100.74")), "NUMBER", "100.5 or 101")


def test_tv10_reduce_only_orders_have_no_minimum_value(gated: Gated) -> None:
    gated.state.symbols[SYM] = msgspec.structs.replace(gated.state.symbols[SYM], min_notional="1000")
    gated.hold("-1")
    denied(gated.gate.check_place(buy()), "NUMBER", "600", "1000")
    assert gated.gate.check_place(buy(reduce_only=True)) is None


@pytest.mark.parametrize(("state", "sym"), [("suspended", SYM), ("live", "BINANCE_PERP_NO_USDT")])
def test_f46_orders_on_symbols_that_do_not_trade_are_denied(gated: Gated, state: str, sym: str) -> None:
    gated.state.symbols[SYM] = msgspec.structs.replace(gated.state.symbols[SYM], state=state)
    denied(gated.gate.check_place(buy(sym=sym)), "SYMBOL", sym)


def test_s44_order_value_is_checked_by_soft_and_hard_limit(gated: Gated) -> None:
    asks(gated.gate.check_place(buy(qty="0.5")), "SOFT_NOTIONAL", "30,000", "25,000")
    assert gated.gate.check_place(buy(qty="0.5", confirmed=frozenset(["SOFT_NOTIONAL"]))) is None
    over = buy(qty="2", confirmed=frozenset(["NOTIONAL"]))
    denied(gated.gate.check_place(over), "NOTIONAL", "120,000 over the 100,000 limit; max 1.666 BTC")


def test_order_value_counts_the_contract_size(gated: Gated) -> None:
    gated.state.symbols[SYM] = msgspec.structs.replace(gated.state.symbols[SYM], contract_size="0.01", lot_size="1")
    assert gated.gate.check_place(buy(qty="25")) is None
    asks(gated.gate.check_place(buy(qty="50")), "SOFT_NOTIONAL")


@pytest.mark.parametrize(
    ("side", "price", "ok"),
    [
        (Side.BUY, "60150.1", True),
        (Side.BUY, "60150.2", False),
        (Side.BUY, "57000", True),
        (Side.BUY, "56999.9", False),
        (Side.SELL, "59850", True),
        (Side.SELL, "59849.9", False),
        (Side.SELL, "63000.1", True),
        (Side.SELL, "63000.2", False),
    ],
)
def test_order_price_is_checked_by_bands_around_best_bid_and_ask(
    gated: Gated, side: Side, price: str, ok: bool
) -> None:
    refusal = gated.gate.check_place(buy(price=price, side=side))
    if ok:
        assert refusal is None
    else:
        denied(refusal, "BAND", f"{Decimal(price):,}", "accepted")


def test_tv09_price_band_is_a_number_of_ticks_if_that_is_wider(gated: Gated) -> None:
    gated.state.symbols[SYM] = msgspec.structs.replace(gated.state.symbols[SYM], min_notional="0")
    gated.quote("99.9", "100.1", "100")
    assert gated.gate.check_place(buy(price="100.6", qty="1")) is None
    denied(gated.gate.check_place(buy(price="100.7", qty="1")), "BAND", "100.6")
    assert gated.gate.check_place(buy(price="99.4", qty="1", side=Side.SELL)) is None
    denied(gated.gate.check_place(buy(price="99.3", qty="1", side=Side.SELL)), "BAND", "99.4")


def test_a_limit_order_is_denied_if_there_is_no_market_price(gated: Gated) -> None:
    gated.quote("0", "", "")
    denied(gated.gate.check_place(buy()), "STALE", "no price")


def test_a_market_order_needs_liquidity_near_the_mark_price(gated: Gated) -> None:
    market = buy(order_type=OrderType.MARKET, price="")
    assert gated.gate.check_place(market) is None
    gated.quote(ask="0")
    denied(gated.gate.check_place(market), "BAND", "nobody")
    gated.quote(ask="62000")
    denied(gated.gate.check_place(market), "BAND", "62,000", "60,000")


def test_a_market_order_without_mark_price_is_checked_by_quotes(gated: Gated) -> None:
    gated.quote(mark="")
    assert gated.gate.check_place(buy(order_type=OrderType.MARKET, price="")) is None


def test_a_market_order_without_a_quote_is_denied(gated: Gated) -> None:
    del gated.state.quotes.rows[SYM]
    denied(gated.gate.check_place(buy(order_type=OrderType.MARKET, price="", qty="50")), "STALE", "wait for a quote")


@pytest.mark.parametrize(
    ("changes", "price", "words"),
    [
        ({"tick_size": ""}, "60150.15", "60,150.1"),
        ({"tick_size": "", "lot_size": ""}, "70000", "60,150.1"),
    ],
)
def test_without_tick_size_a_price_band_denial_names_its_edge(
    gated: Gated, changes: dict[str, str], price: str, words: str
) -> None:
    gated.state.symbols[SYM] = msgspec.structs.replace(gated.state.symbols[SYM], **changes)
    denied(gated.gate.check_place(buy(price=price)), "BAND", f"accepted up to {words}")


def test_limit_message_without_lot_size_shows_no_largest_size(gated: Gated) -> None:
    gated.state.symbols[SYM] = msgspec.structs.replace(gated.state.symbols[SYM], lot_size="")
    refusal = gated.gate.check_place(buy(qty="2"))
    denied(refusal, "NOTIONAL", "120,000 over the 100,000 limit")
    assert refusal is not None and "max" not in refusal.text


def test_i8_orders_on_stale_quotes_ask_for_confirmation(gated: Gated) -> None:
    gated.clock.advance(3)
    gated.quote(sym=SPOT)
    asks(gated.gate.check_place(buy(price="60000.1")), "STALE", "3.0 s")
    assert gated.gate.check_place(buy(price="60000")) is None
    gated.clock.advance(9)
    gated.status.last_frame = gated.clock.mono()
    for price in ("60000", "60000.1"):
        asks(gated.gate.check_place(buy(price=price)), "STALE", "no quotes for 9 s, this one was 12 s old when asked")
    gated.quote(sym=SPOT)
    gated.status.last_frame = gated.clock.mono() - 6
    asks(gated.gate.check_place(buy(price="60000")), "STALE", "no quotes for 6 s")


def test_an_order_on_a_pair_without_quotes_is_denied(gated: Gated) -> None:
    gated.state.quotes.rows[SYM] = QuoteRow(sym=SYM, ask="60000", mark="60000")
    denied(gated.gate.check_place(buy(price="60000")), "STALE", "no quote of this pair")


def test_one_order_prompt_lists_every_reason_to_ask(gated: Gated) -> None:
    gated.clock.advance(3)
    limits = msgspec.structs.replace(gated.state.settings.limits, first_of_day=True)
    gated.state.settings = msgspec.structs.replace(gated.state.settings, limits=limits)
    order = buy(price="60000.1", qty="0.5")
    names = "SOFT_NOTIONAL+STALE+FIRST_OF_DAY"
    asks(gated.gate.check_place(order), names, "soft limit", "3.0 s old", "first BINANCE BTC perp order today")
    answered = buy(price="60000.1", qty="0.5", confirmed=frozenset(names.split("+")))
    assert gated.gate.check_place(answered) is None


def test_s44_eleven_orders_in_two_seconds_disarm(gated: Gated) -> None:
    for number in range(10):
        order = buy(price=f"{59990 + number}")
        assert gated.gate.check_place(order) is None
        gated.gate.record_sent(order, PLACE_ORDER, "k")
    denied(gated.gate.check_place(buy(price="59980")), "RUNAWAY", "VIEW")
    assert gated.disarmed


def test_tv23_an_order_equal_to_an_unknown_one_is_denied(gated: Gated) -> None:
    gated.row(state=LocalOrderState.UNKNOWN.value, order_id="", position_side="NONE")
    gated.hold("-1")
    denied(gated.gate.check_place(buy()), "UNKNOWN_PENDING")
    asks(gated.gate.check_place(buy(price="59999")), "UNKNOWN_BESIDE", "may arrive as well: BUY 0.01 BINANCE BTC perp")
    assert gated.gate.check_place(buy(price="60010", side=Side.SELL)) is None, "the other side"
    assert gated.gate.check_place(buy(price="59999", reduce_only=True)) is None, "it only closes"
    gated.clock.advance(15)
    gated.quote()
    gated.state.orders.change("k", asked=9)
    denied(gated.gate.check_place(buy(price="60000.0")), "UNKNOWN_PENDING")
    gated.state.orders.change("k", not_found=3, not_found_first=1.0, not_found_last=11.0)
    denied(
        gated.gate.check_place(buy()),
        "UNKNOWN_PENDING",
        "a new attempt is possible once 3 rounds over 10 s found nothing",
    )
    gated.state.orders.change("k", answered=frozenset(SOURCES))
    asks(gated.gate.check_place(buy()), "UNKNOWN_PENDING", "2 x")


def test_a_relative_order_equal_to_an_unknown_one_is_denied(gated: Gated) -> None:
    """`buy 0.01 BTC bid-5t` again was asked about as another order as soon as the market had moved."""
    line = "buy 0.01 BTC BINANCE_PERP_BTC_USDT bid-5t"
    gated.row(state=LocalOrderState.UNKNOWN.value, order_id="", position_side="NONE", instruction=line)
    again = buy(price="59999", instruction=line)
    denied(gated.gate.check_place(again), "UNKNOWN_PENDING", "the same order at 60,000.0 is UNKNOWN for 0 s; a new")
    denied(gated.gate.check_place(again), "UNKNOWN_PENDING", "; or write another price or size")
    for other in (buy(price="59999"), buy(price="59999", instruction=line, hot=True)):
        refusal = gated.gate.check_place(other)
        assert refusal is not None and refusal.guard != "UNKNOWN_PENDING"
    searched = {"not_found": 3, "not_found_first": 1.0, "not_found_last": 11.0, "answered": frozenset(SOURCES)}
    gated.state.orders.change("k", **searched)
    asks(gated.gate.check_place(buy(price="59999", qty="0.02", instruction=line)), "UNKNOWN_PENDING", "0.01 + 0.02")


def test_an_unknown_order_counts_only_with_its_unfilled_rest(gated: Gated) -> None:
    gated.row(state=LocalOrderState.UNKNOWN.value, order_id="", position_side="NONE")
    gated.state.orders.count_fill("k", "2000000000000001", Decimal("0.004"))
    asks(gated.gate.check_place(buy(price="59999")), "UNKNOWN_BESIDE", "may arrive as well: BUY 0.006 BINANCE BTC perp")
    gated.state.orders.count_fill("k", "2000000000000001", Decimal("0.006"))
    assert gated.gate.check_place(buy(price="59999")) is None, "all of it has filled"


def test_f48_orders_without_a_reply_are_limited(gated: Gated) -> None:
    gated.gate.unanswered = 8
    denied(gated.gate.check_place(buy()), "IN_FLIGHT", "8")


def test_i12_order_rate_limit_keeps_a_reserve_for_cancels(gated: Gated) -> None:
    for _ in range(840):
        gated.rate_limiter.count(rate_key(PLACE_ORDER))
    denied(gated.gate.check_place(buy()), "RATE")
    assert list_rates(gated.rate_limiter)[0] == RateUse("new orders", used=840, room=840, seconds=60)
    gated.row()
    assert gated.gate.check_cancel(Cancel(decision=DECISION, key="k")) is None


def test_spot_orders_need_a_free_balance(gated: Gated) -> None:
    state = gated.state
    for coin, free in (("USDT", "500"), ("BTC", "0.02")):
        record = AssetRecord(coin=coin, exchange_type="BINANCE", balance=free, available=free)
        state.facts.assets.rows[f"BINANCE/{coin}"] = Fact(record, state.stamp(Source.PUSH))
    denied(gated.gate.check_place(buy(sym=SPOT)), "BALANCE", "600", "500", "USDT")
    assert gated.gate.check_place(buy(sym=SPOT, qty="0.008")) is None
    denied(gated.gate.check_place(buy(sym=SPOT, qty="0.03", side=Side.SELL)), "BALANCE", "0.02", "BTC")


def test_a_coin_without_a_row_counts_as_zero_balance(gated: Gated) -> None:
    order = buy(sym=SPOT, qty="0.01")
    assert gated.gate.check_place(order) is None, "nothing was read"
    record = AssetRecord(coin="BTC", exchange_type="BINANCE", balance="1", available="1")
    gated.state.facts.assets.rows["BINANCE/BTC"] = Fact(record, gated.state.stamp(Source.PUSH))
    denied(gated.gate.check_place(order), "BALANCE", "needs 600 USDT; 0 available on BINANCE")
    assert gated.gate.check_place(msgspec.structs.replace(order, side=Side.SELL, price="60000.1")) is None


def test_a_margin_order_is_not_checked_by_coin_balance(gated: Gated) -> None:
    """What it lacks is lent; the venue knows how much."""
    sym = "BINANCE_MARGIN_BTC_USDT"
    gated.state.symbols[sym] = msgspec.structs.replace(gated.state.symbols[SYM], sym=sym)
    gated.quote(sym=sym)
    record = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1", available="1")
    gated.state.facts.assets.rows["BINANCE/USDT"] = Fact(record, gated.state.stamp(Source.PUSH))
    assert gated.gate.check_place(buy(sym=sym)) is None


def test_an_order_beyond_the_available_margin_needs_confirmation(gated: Gated) -> None:
    state = gated.state
    account = AccountRecord(exchange_type="BINANCE", available_margin="10")
    state.facts.accounts.rows["BINANCE"] = Fact(account, state.stamp(Source.PUSH))
    asks(gated.gate.check_place(buy()), "MARGIN", "60", "10x", "10")
    gated.hold("-1")
    assert gated.gate.check_place(buy(reduce_only=True)) is None
    position = PositionRecord(sym=SYM, position_qty="-1", leverage="5")
    state.facts.positions.rows[f"{SYM}/NONE"] = Fact(position, state.stamp(Source.PUSH))
    assert gated.gate.check_place(buy()) is None


def test_an_order_both_denied_and_asked_about_is_denied(gated: Gated) -> None:
    denied(gated.gate.check_place(buy(qty="0.5", price="70000")), "BAND")


@pytest.mark.parametrize(
    ("row", "price", "qty", "guard"),
    [
        ({}, "59999", "0.02", ""),
        ({"executed": "0.005"}, "59999", "0.005", "BELOW_FILLED"),
        ({"known_fills": "0.005"}, "59999", "0.005", "BELOW_FILLED"),
        ({}, "60000", "0.01", "NUMBER"),
        ({}, "60000.05", "0.02", "NUMBER"),
        ({}, "70000", "0.02", "BAND"),
        ({"state": LocalOrderState.UNKNOWN.value}, "59999", "0.02", "IN_FLIGHT"),
        ({"state": "FILLED", "final": True}, "59999", "0.02", "ORDER"),
        ({"order_type": "MARKET"}, "59999", "0.02", "ORDER"),
    ],
)
def test_replace_requests_are_checked_by_the_order_guards(
    gated: Gated, row: dict[str, Any], price: str, qty: str, guard: str
) -> None:
    gated.row(**row)
    refusal = gated.gate.check_replace(Replace(decision=DECISION, key="k", price=price, qty=qty))
    assert ("" if refusal is None else refusal.guard) == guard


@pytest.mark.parametrize(
    ("row", "guard", "words"),
    [
        (None, "ORDER", "this order is not in the list"),
        ({"state": "CANCELLED", "final": True}, "ORDER", "the order has ended (CANCELLED)"),
        ({"state": LocalOrderState.SENDING.value}, "IN_FLIGHT", "the order is not sent yet"),
    ],
)
def test_a_cancel_that_is_denied_says_why(gated: Gated, row: dict[str, Any] | None, guard: str, words: str) -> None:
    if row is not None:
        gated.row(**row)
    denied(gated.gate.check_cancel(Cancel(decision=DECISION, key="k")), guard, words)


def test_an_order_of_a_delisted_pair_can_only_be_cancelled(gated: Gated) -> None:
    gated.row()
    del gated.state.symbols[SYM]
    denied(gated.gate.check_replace(Replace(decision=DECISION, key="k", price="59999", qty="0.02")), "SYMBOL", SYM)
    assert gated.gate.check_cancel(Cancel(decision=DECISION, key="k")) is None


def test_a_lost_cancel_may_be_resent_at_once_but_no_lost_replace(gated: Gated) -> None:
    gated.row()
    orders = gated.state.orders
    orders.set_pending("k", PendingAction.CANCEL, "i", 0)
    denied(gated.gate.check_cancel(Cancel(decision=DECISION, key="k")), "IN_FLIGHT")
    orders.mark_action_unknown("k", "i", "no answer")
    assert gated.gate.check_cancel(Cancel(decision=DECISION, key="k")) is None
    orders.set_pending("k", PendingAction.AMEND, "j", 0, "59999", "0.02")
    orders.mark_action_unknown("k", "j", "no answer")
    again = Replace(decision=DECISION, key="k", price="59998", qty="0.02")
    denied(gated.gate.check_replace(again), "IN_FLIGHT")
    pending = orders.pending("k")
    assert pending is not None
    pending.asked = 3
    assert gated.gate.check_replace(again) is None


def test_order_checks_use_exact_decimals(gated: Gated) -> None:
    assert Decimal("0.1") * 3 == Decimal("0.3")
    gated.state.symbols[SYM] = msgspec.structs.replace(gated.state.symbols[SYM], lot_size="0.1", min_notional="0")
    gated.quote("1", "1.1", "1")
    assert gated.gate.check_place(buy(price="1", qty="0.3")) is None


def test_closing_orders_skip_minimum_value_and_margin_not_band(gated: Gated) -> None:
    state = gated.state
    account = AccountRecord(exchange_type="BINANCE", available_margin="1")
    state.facts.accounts.rows["BINANCE"] = Fact(account, state.stamp(Source.PUSH))
    leg = PositionRecord(sym=SYM, position_side="SHORT", position_qty="0.01", leverage="5")
    state.facts.positions.rows[f"{SYM}/SHORT"] = Fact(leg, state.stamp(Source.PUSH))
    state.symbols[SYM] = msgspec.structs.replace(state.symbols[SYM], min_notional="1000")
    assert gated.gate.check_place(buy(position_side=PositionSide.SHORT, price="50000")) is None
    denied(gated.gate.check_place(buy(position_side=PositionSide.SHORT, price="70000")), "BAND")
    asks(
        gated.gate.check_place(buy(side=Side.SELL, position_side=PositionSide.SHORT, price="60010", qty="0.02")),
        "MARGIN",
    )


def test_a_reversing_order_needs_margin_for_the_opening_part(gated: Gated) -> None:
    state = gated.state
    account = AccountRecord(exchange_type="BINANCE", available_margin="10")
    state.facts.accounts.rows["BINANCE"] = Fact(account, state.stamp(Source.PUSH))
    short = PositionRecord(sym=SYM, position_qty="-0.01", leverage="10")
    state.facts.positions.rows[f"{SYM}/NONE"] = Fact(short, state.stamp(Source.PUSH))
    assert gated.gate.check_place(buy(qty="0.01")) is None
    asks(gated.gate.check_place(buy(qty="0.02")), "MARGIN", "60", "10")


def test_a_closing_order_may_be_replaced_far_from_the_market(gated: Gated) -> None:
    gated.row(position_side="SHORT")
    assert gated.gate.check_replace(Replace(decision=DECISION, key="k", price="50000", qty="0.02")) is None


def test_replace_of_an_order_with_unknown_side_is_denied(gated: Gated) -> None:
    gated.row(side="BOTH")
    denied(gated.gate.check_replace(Replace(decision=DECISION, key="k", price="59999", qty="0.02")), "ORDER", "BOTH")


def test_stop_limit_price_must_be_near_its_trigger(gated: Gated) -> None:
    def check(trigger: str, price: str) -> Refusal | None:
        return gated.gate.check_place(buy(stop_loss=Protection(trigger=trigger, source="MARK_PRICE", price=price)))

    assert check("59000", "0") is None and check("59000", "58900") is None
    denied(check("59000", "5900"), "BAND", "limit 5900 of the stop is more than 500 bp beyond its trigger")
    denied(check("59000", "58900.05"), "NUMBER", "Limit price of the stop 58900.05 must be a multiple of 0.1")
    denied(check("59000.05", "0"), "NUMBER", "Stop 59000.05 must be a multiple of 0.1 (nearest 59000 or 59000.1)")
    asks(check("59000", "59100"), "LIMIT_RESTS", "it may rest unfilled")


def test_an_order_on_a_pair_of_unknown_contract_size_is_denied(gated: Gated) -> None:
    gated.state.symbols[SYM] = msgspec.structs.replace(gated.state.symbols[SYM], contract_size="")
    denied(gated.gate.check_place(buy()), "UNIT", "contract size", "BINANCE BTC perp")


def test_a_market_order_with_a_price_is_denied(gated: Gated) -> None:
    denied(gated.gate.check_place(buy(order_type=OrderType.MARKET)), "NUMBER", "60000", "no price")


WAY = "until then only closing orders and cancels are taken"


def test_with_a_loss_limit_opening_waits_for_fills_of_the_day(gated: Gated) -> None:
    limits = msgspec.structs.replace(gated.state.settings.limits, max_loss="5000")
    gated.state.settings = msgspec.structs.replace(gated.state.settings, limits=limits)
    assert not gated.state.fills.day_is_whole
    why = "the daily loss limit 5000 cannot be judged before all fills since 00:00 UTC are read: wait for them"
    denied(gated.gate.check_place(buy()), "DAY", why, WAY)
    gated.hold("-1")
    assert gated.gate.check_place(buy(reduce_only=True)) is None


def test_f101_opening_orders_are_denied_with_a_wrong_clock(gated: Gated) -> None:
    gated.row(qty="0.02")
    gated.state.links.skew_ms = lambda: -25_500.0
    denied(gated.gate.check_place(buy()), "CLOCK", "clock differs by 26 s (behind the service)", "25 s, set this", WAY)
    denied(gated.gate.check_replace(Replace(decision=DECISION, key="k", price="59999", qty="0.02")), "CLOCK")
    assert gated.gate.check_replace(Replace(decision=DECISION, key="k", price="60000", qty="0.01")) is None
    gated.hold("-1")
    assert gated.gate.check_place(buy(reduce_only=True)) is None
    assert gated.gate.check_cancel(Cancel(decision=DECISION, key="k")) is None
    gated.state.links.skew_ms = lambda: 24_900.0
    assert gated.gate.check_place(buy()) is None


@pytest.mark.parametrize(("trigger", "asked"), [("51001", False), ("50900", True)])
def test_a_stop_over_15_percent_from_mark_needs_confirmation(gated: Gated, trigger: str, asked: bool) -> None:
    intent = buy(stop_loss=Protection(trigger=trigger, source="MARK_PRICE"))
    refusal = gated.gate.check_place(msgspec.structs.replace(intent, confirmed=frozenset(["FIRST_OF_DAY"])))
    assert (refusal is not None) is asked
    if refusal is not None:
        assert (
            refusal.ask and refusal.guard == "FAR_TRIGGER" and "beyond 15 % the service may refuse it" in refusal.text
        )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"price": "61700.1"}, "the screen showed BUY 61700.1"),
        ({"side": Side.SELL}, "the screen showed SELL"),
        ({"sym": "OKX_PERP_BTC_USDT"}, "the cursor stood in the column of OKX BTC perp"),
        ({"sym": ""}, "the cursor stood in the column of no pair"),
        ({"stood_ms": LEAST_STOOD_MS - 1}, "stood under the cursor for 99 ms"),
    ],
)
def test_a_ladder_order_is_denied_unless_its_row_was_shown(gated: Gated, changes: dict[str, object], text: str) -> None:
    intent = buy()
    shown = PaintedPrice(
        frame=7, sym=intent.sym, price=intent.price, side=intent.side, bid="1", ask="2", age_ms=0,
        stood_ms=LEAST_STOOD_MS,
    )  # fmt: skip
    assert gated.gate.check_place(msgspec.structs.replace(intent, painted=shown)) is None
    other = msgspec.structs.replace(shown, **changes)
    denied(gated.gate.check_place(msgspec.structs.replace(intent, painted=other)), "LADDER", text)


def test_a_ladder_replace_is_denied_unless_its_row_was_shown(gated: Gated) -> None:
    gated.row()
    shown = PaintedPrice(frame=7, sym=SYM, price="59999.0", side=Side.BUY, bid="1", ask="2", age_ms=0, stood_ms=100)
    intent = Replace(decision=DECISION, key="k", price="59999", qty="0.02", painted=shown)
    assert gated.gate.check_replace(intent) is None
    for changes in ({"price": "59998"}, {"side": Side.SELL}, {"stood_ms": 0}, {"sym": "OKX_PERP_BTC_USDT"}):
        other = msgspec.structs.replace(shown, **changes)
        denied(gated.gate.check_replace(msgspec.structs.replace(intent, painted=other)), "LADDER")


@pytest.mark.parametrize("kind", [Place, Replace])
def test_a_journaled_order_without_ladder_row_is_still_read(kind: type[Place | Replace]) -> None:
    meant: Place | Replace = buy() if kind is Place else Replace(decision=DECISION, key="k", price="1", qty="1")
    kept = msgspec.to_builtins(meant)
    assert kept.pop("painted") is None
    assert msgspec.json.decode(msgspec.json.encode(kept), type=kind) == meant


@pytest.mark.parametrize(
    ("size", "text"),
    [
        ("0", "the position BINANCE BTC perp SHORT has ended"),
        ("-1", "the position BINANCE BTC perp SHORT is 1 now, it was 0.5"),
        ("0.5", "the position BINANCE BTC perp is LONG now, it was SHORT"),
    ],
)
def test_a_reverse_is_denied_if_the_position_size_has_changed(gated: Gated, size: str, text: str) -> None:
    intent, passed = buy(held="-0.5"), gated.gate.note_passed(buy())
    gated.hold("-0.5")
    assert gated.gate.check_place(intent) is None and gated.gate.recheck(intent, passed) is None
    gated.hold(size)
    denied(gated.gate.check_place(intent), "POSITION", text)
    denied(gated.gate.recheck(intent, passed), "POSITION", text)


def test_a_reverse_is_denied_if_newer_fills_closed_the_position(gated: Gated) -> None:
    gated.hold("-0.5")
    gated.order("k", qty="0.5", executed="0.5", state="FILLED", final=True, known_fills="0.5")
    fill = TradeRecord(
        transaction_id="1", order_id="k", sym=SYM, side="BUY", price="60000", quantity="0.5",
        create_at=str(gated.state.server_ms()),
    )  # fmt: skip
    gated.state.fold_fill(fill, Source.PUSH, gated.clock.mono())
    denied(gated.gate.check_place(buy(held="-0.5")), "POSITION", "the position BINANCE BTC perp SHORT has ended")
