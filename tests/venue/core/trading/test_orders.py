"""What happens to orders: matching, time in force, pushes, holds, fees, reduce-only, self-trade."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tests.venue.core.walk import commands
from tui.venue.core.events import (
    AccountsChanged,
    AlgoChanged,
    AssetsChanged,
    OrderChanged,
    OrderFilled,
    PositionsChanged,
    PublicTrade,
    QuoteChanged,
)
from tui.venue.core.state.algo_orders import Trigger


def kinds(desk: Desk, portfolio: str) -> list[str]:
    """Private pushes of the last command, in order."""
    return [type(event).__name__ for event in desk.events if getattr(event, "portfolio", "") == portfolio]


def test_better_prices_trade_first_then_older_orders() -> None:
    desk = Desk()
    first = desk.place("SELL", "0.002", "61800")
    second = desk.place("SELL", "0.002", "61800")
    better = desk.place("SELL", "0.001", "61799.9")
    desk.sub_place("BUY", "0.004", "61800")
    assert desk.order(better).order_state == "FILLED"
    assert desk.order(first).order_state == "FILLED"
    assert desk.order(second).order_state == "PARTIALLY_FILLED"
    assert desk.order(second).executed_qty == "0.001"


def test_fill_price_is_the_price_of_the_maker_order() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.01", "61700")
    buy = desk.place("BUY", "0.01", "61900")
    assert desk.fills(buy) == [("0.01", "61700")]


def test_a_resting_order_is_pushed_as_new_and_then_open() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    records = [event.record for event in desk.events if isinstance(event, OrderChanged)]
    assert [record.order_state for record in records] == ["NEW", "OPEN"]
    assert int(records[0].update_at) < int(records[1].update_at)
    assert records[0].create_at == str(desk.now)
    assert desk.order(order) == records[1]
    assert kinds(desk, desk.main) == ["OrderChanged", "OrderChanged", "AccountsChanged"] or kinds(desk, desk.main) == [
        "OrderChanged",
        "OrderChanged",
        "AssetsChanged",
        "AccountsChanged",
    ]


def test_each_fill_pushes_trade_order_position_asset_and_account() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.01", "61800")
    desk.sub_place("SELL", "0.01", "61801")
    desk.place("BUY", "0.02", "61801")
    one = ["OrderFilled", "OrderChanged", "PositionsChanged", "AssetsChanged", "AccountsChanged"]
    assert kinds(desk, desk.main) == ["OrderChanged", *one, *one]
    states = [event.record.order_state for event in desk.events if isinstance(event, OrderChanged)]
    assert states == ["NEW", "PARTIALLY_FILLED", "FILLED", "FILLED", "FILLED"]


def test_spot_fill_pushes_assets_and_no_position() -> None:
    desk = Desk()
    desk.place("SELL", "0.01", "61800", SPOT)
    desk.sub_place("BUY", "0.01", "61800", SPOT)
    assert kinds(desk, desk.sub) == ["OrderChanged", "OrderFilled", "OrderChanged", "AssetsChanged", "AccountsChanged"]


@pytest.mark.parametrize("tif", ["IOC", "FOK"])
def test_an_unfilled_ioc_or_fok_order_expires(tif: str) -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000", time_in_force=tif)
    record = desk.order(order)
    assert (record.order_state, record.cancel_type, record.executed_qty) == ("CANCELLED", "EXPIRE", "0")
    assert desk.exchange.queries.open_orders(desk.main) == []


def test_market_order_on_an_empty_book_is_accepted_and_expires() -> None:
    desk = Desk()
    record = desk.order(desk.place("BUY", "0.01"))
    assert (record.order_state, record.cancel_type, record.time_in_force) == ("CANCELLED", "EXPIRE", "IOC")
    assert record.limit_price == ""


def test_market_order_fills_at_most_five_percent_from_mark() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.001", "64000")
    desk.sub_place("SELL", "0.001", "65000")
    record = desk.order(desk.place("BUY", "0.01"))
    assert record.executed_qty == "0.001"
    assert (record.order_state, record.cancel_type) == ("CANCELLED", "EXPIRE")


@pytest.mark.parametrize(
    ("outcome", "state", "cancel_type"),
    [("reject", "REJECT", "SYSTEM"), ("cancel", "CANCELLED", "EXPIRE")],
)
def test_post_only_order_that_would_cross_is_accepted_then_ends(outcome: str, state: str, cancel_type: str) -> None:
    desk = Desk(gtx_outcome=outcome)
    desk.sub_place("SELL", "0.01", "61800")
    order = desk.place("BUY", "0.01", "61800", time_in_force="GTX")
    record = desk.order(order)
    assert (record.order_state, record.cancel_type, record.executed_qty) == (state, cancel_type, "0")
    assert record.reason
    assert [state for state, _ in desk.story(order)] == ["NEW", state]


def test_rejected_state_can_be_spelled_rejected_by_config() -> None:
    desk = Desk(reject_state="REJECTED")
    desk.sub_place("SELL", "0.01", "61800")
    assert desk.order(desk.place("BUY", "0.01", "61800", time_in_force="GTX")).order_state == "REJECTED"


def test_perpetual_taker_pays_a_fee_and_maker_gets_a_rebate() -> None:
    desk = Desk()
    maker = desk.sub_place("SELL", "0.1", "60000")
    taker = desk.place("BUY", "0.1", "60000")
    assert (desk.order(taker).fee, desk.order(taker).fee_coin, desk.order(taker).rebate) == ("3", "USDT", "0")
    record = desk.order(maker, desk.sub)
    assert (record.fee, record.fee_coin, record.rebate, record.rebate_coin) == ("0", "", "0.3", "USDT")
    assert desk.exchange.queries.balance(desk.main, "BINANCE", "USDT") == Decimal("99997")
    assert desk.exchange.queries.balance(desk.sub, "BINANCE", "USDT") == Decimal("20000.3")


def test_spot_buyer_pays_the_fee_in_the_coin_bought() -> None:
    desk = Desk()
    desk.place("SELL", "0.1", "60000", SPOT)
    buy = desk.sub_place("BUY", "0.1", "60000", SPOT)
    record = desk.order(buy, desk.sub)
    assert (record.fee, record.fee_coin, record.leverage) == ("0.0001", "BTC", None)
    assert desk.exchange.queries.balance(desk.sub, "BINANCE", "BTC") == Decimal("0.0999")
    assert desk.exchange.queries.balance(desk.main, "BINANCE", "BTC") == Decimal("0.9")
    assert desk.exchange.queries.balance(desk.main, "BINANCE", "USDT") == Decimal("106000")


def test_contract_orders_use_the_contract_size_in_all_amounts() -> None:
    desk = Desk()
    desk.sub_place("SELL", "25", "64000", OKX)
    order = desk.place("BUY", "25", "64000", OKX)
    record = desk.order(order)
    assert (record.order_qty, record.executed_amount, record.executed_avg_price) == ("25", "16000", "64000")
    assert record.fee == "8"
    prints = [event for event in desk.events if isinstance(event, PublicTrade)]
    assert [(event.qty, event.side) for event in prints] == [("0.25", "buy")]
    position = desk.exchange.queries.positions(desk.main)[0]
    assert position.position_qty == "25"
    assert Decimal(position.position_value) == Decimal("0.25") * Decimal(position.mark_price)


def test_frozen_balance_of_a_spot_order_ends_with_the_order() -> None:
    desk = Desk()

    def frozen() -> str:
        return next(
            row.frozen
            for row in desk.exchange.queries.assets(desk.main)
            if (row.coin, row.exchange_type) == ("USDT", "BINANCE")
        )

    order = desk.place("BUY", "0.1", "60000", SPOT)
    assert frozen() == "6000"
    assert code(desk.try_place("SELL", "0.04", "60000", SPOT, portfolio=desk.sub)) == 401901
    desk.cancel(order)
    assert frozen() == "6000"
    desk.wait()
    assert frozen() == "0"


def test_quote_amount_order_spends_whole_lots_only() -> None:
    desk = Desk()
    desk.place("SELL", "0.1", "60000", SPOT)
    order = desk.try_place("BUY", "", sym=SPOT, portfolio=desk.sub, quote_order_qty="100")
    assert code(order) == 0
    record = desk.exchange.queries.executions(desk.sub)[0]
    assert record.quantity == "0.00166"
    detail = desk.order(record.order_id, desk.sub)
    assert (detail.order_state, detail.order_qty, detail.quote_order_qty) == ("FILLED", "", "100")
    assert desk.exchange.queries.balance(desk.sub, "BINANCE", "USDT") == Decimal("20000") - Decimal("99.6")


def test_a_reversed_position_realizes_the_closed_part() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.005", "60000")
    desk.place("BUY", "0.005", "60000")
    first = desk.exchange.queries.positions(desk.main)[0]
    desk.sub_place("BUY", "0.008", "59000")
    desk.place("SELL", "0.008", "59000")
    position = desk.exchange.queries.positions(desk.main)[0]
    assert (position.position_qty, position.avg_price) == ("-0.003", "59000")
    assert position.position_id != first.position_id
    assert desk.exchange.queries.executions(desk.main)[0].rpnl == "-5"


def test_a_closed_position_is_pushed_with_size_zero() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.005", "60000")
    desk.place("BUY", "0.005", "60000")
    desk.sub_place("BUY", "0.005", "60000")
    desk.place("SELL", "0.005", "60000")
    rows = [row for event in desk.events if isinstance(event, PositionsChanged) for row in event.records]
    assert {row.position_qty for row in rows} == {"0"}
    assert all(row.liq_price is None for row in rows)
    assert desk.exchange.queries.positions(desk.main) == []


def test_a_position_reopened_in_the_ms_of_a_close_is_newer() -> None:
    desk = Desk()
    rows = []
    for side, other in (("BUY", "SELL"), ("SELL", "BUY"), ("BUY", "SELL")):
        desk.sub_place(other, "0.005", "60000")
        desk.place(side, "0.005", "60000")
        rows += [row for event in desk.events if isinstance(event, PositionsChanged) for row in event.records]
    ours = [row for row in rows if row.portfolio_id == desk.main]
    assert [row.position_qty for row in ours] == ["0.005", "0", "0.005"]
    assert [int(row.update_at) - desk.now for row in ours] == [0, 1, 2]


def test_reduce_only_order_fills_at_most_the_position() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.005", "60000")
    desk.place("BUY", "0.005", "60000")
    desk.sub_place("BUY", "0.02", "60000")
    record = desk.order(desk.place("SELL", "0.01", "60000", reduce_only=True))
    assert (record.order_state, record.cancel_type, record.executed_qty) == ("CANCELLED", "REDUCE_ONLY", "0.005")
    assert desk.exchange.queries.positions(desk.main) == []


def test_resting_reduce_only_order_fills_at_most_the_position() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.005", "60000")
    desk.place("BUY", "0.005", "60000")
    order = desk.place("SELL", "0.01", "60000", reduce_only=True)
    taker = desk.sub_place("BUY", "0.01", "60000")
    record = desk.order(order)
    assert (record.order_state, record.cancel_type, record.executed_qty) == ("CANCELLED", "REDUCE_ONLY", "0.005")
    assert desk.order(taker, desk.sub).executed_qty == "0.005"


def test_resting_reduce_only_order_ends_with_the_position() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.005", "60000")
    desk.place("BUY", "0.005", "60000")
    protective = desk.place("SELL", "0.005", "62000", reduce_only=True)
    desk.sub_place("BUY", "0.005", "60000")
    desk.place("SELL", "0.005", "60000")
    assert desk.order(protective).cancel_type == "REDUCE_ONLY"


def test_fill_or_kill_does_not_count_own_orders_as_liquidity() -> None:
    desk = Desk()
    desk.place("SELL", "0.01", "61800")
    desk.sub_place("SELL", "0.01", "61900")
    record = desk.order(desk.place("BUY", "0.01", "61900", time_in_force="FOK"))
    assert (record.order_state, record.executed_qty) == ("CANCELLED", "0")


def test_allowed_self_trade_fills_both_orders() -> None:
    desk = Desk(self_trade="allow")
    sell = desk.place("SELL", "0.01", "61800")
    buy = desk.place("BUY", "0.01", "61800")
    assert desk.order(sell).order_state == desk.order(buy).order_state == "FILLED"
    assert desk.exchange.queries.positions(desk.main) == []


def test_quote_of_an_empty_book_side_is_zero() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    quote = next(event for event in desk.events if isinstance(event, QuoteChanged))
    assert (quote.bid, quote.bid_qty, quote.ask, quote.ask_qty) == ("61000", "0.01", "0", "0")
    desk.cancel(order)
    desk.wait()
    shown = desk.exchange.queries.quote(PERP)
    assert shown is not None
    assert (shown.bid, shown.bid_qty) == ("0", "0")


def test_queried_rows_equal_the_last_pushed_rows() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.5")
    desk.place("BUY", "0.1", "61000", SPOT)
    desk.steer("BTC", "62500")
    desk.wait(1500)
    rows: dict[object, object] = {}
    for event in desk.log:
        if isinstance(event, PositionsChanged | AssetsChanged | AccountsChanged) and event.portfolio == desk.main:
            for row in event.records:
                rows[(type(row), getattr(row, "sym", ""), getattr(row, "coin", ""), row.exchange_type)] = row
    exchange = desk.exchange
    shown = [
        *exchange.queries.positions(desk.main),
        *exchange.queries.assets(desk.main),
        *exchange.queries.accounts(desk.main),
    ]
    pushed = list(rows.values())
    assert all(row in shown for row in pushed)
    assert len(pushed) >= 4


@pytest.mark.parametrize("seed", range(3))
def test_each_push_of_a_row_is_later_than_the_one_before(seed: int) -> None:
    desk = Desk(self_trade="allow")
    commands(desk, f"later {seed}", 400)
    newest: dict[tuple[str, ...], int] = {}
    for event in desk.log:
        if not isinstance(event, OrderChanged | AlgoChanged | PositionsChanged | AssetsChanged | AccountsChanged):
            continue
        for row in [event.record] if isinstance(event, OrderChanged | AlgoChanged) else event.records:
            names = ("order_id", "algo_order_id", "exchange_type", "sym", "position_side", "coin")
            key = (type(event).__name__, event.portfolio, *(str(getattr(row, name, "")) for name in names))
            assert int(row.update_at) > newest.get(key, 0), key
            newest[key] = int(row.update_at)
    assert len(newest) > 50


def test_executions_and_open_orders_are_listed_newest_first() -> None:
    desk = Desk(agents="still")
    ids = [desk.place("BUY", "0.001", "61000") for _ in range(3)]
    assert [record.order_id for record in desk.exchange.queries.open_orders(desk.main)] == ids[::-1]
    for _ in range(3):
        desk.place("BUY", "0.001")
    trades = desk.exchange.queries.executions(desk.main)
    assert [trade.transaction_id for trade in trades] == sorted((t.transaction_id for t in trades), reverse=True)
    assert [event.record for event in desk.log if isinstance(event, OrderFilled)] == trades[::-1]


@pytest.mark.parametrize("name", ["reason", "leverage", "tp"])
def test_the_invariant_check_finds_an_order_changed_silently(name: str) -> None:
    """Also one that was checked before."""
    desk = Desk()
    order = desk.state.orders[desk.place("BUY", "0.03", "61800")]
    desk.exchange.check()
    setattr(order, name, {"reason": "other", "leverage": 7, "tp": Trigger(ticks=5)}[name])
    with pytest.raises(AssertionError, match="without an event"):
        desk.exchange.check()


def test_the_invariant_check_finds_a_price_level_of_wrong_size() -> None:
    desk = Desk(agents="still")
    desk.exchange.check()
    front = desk.state.books[PERP].front(is_buy=True)
    assert front is not None
    front.lots += 1
    with pytest.raises(AssertionError):
        desk.exchange.check()
