"""Replace, cancel and cancel-all: answers, races, exactly one end per pending action."""

from __future__ import annotations

import pytest

from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tui.interface.envelope import ActionReply
from tui.interface.families.orders import CancelAllOrders, CancelOrder, OrderRecord, ReplaceOrder
from tui.venue.core.commands import Done
from tui.venue.core.events import OrderChanged, QuoteChanged


def touch_qty(desk: Desk) -> str:
    quote = desk.exchange.queries.quote(PERP)
    assert quote is not None
    return quote.bid_qty


def partly_filled(desk: Desk, executed: str = "0.004") -> str:
    """An order of 0.01 of which a part is executed."""
    order = desk.place("BUY", "0.01", "61000")
    desk.sub_place("SELL", executed, "61000")
    return order


def test_cancel_reply_is_pending_and_completion_is_pushed_later() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    reply = desk.cancel(order)
    assert reply == ActionReply(
        order_id=order, client_order_id=order, order_state="OPEN", action="CANCEL_PENDING", action_msg=""
    )
    assert desk.exchange.queries.open_orders(desk.main)[0].action == "CANCEL_PENDING"
    desk.wait()
    assert desk.story(order)[2:] == [("OPEN", "CANCEL_PENDING"), ("CANCELLED", "CANCEL_COMPLETED")]
    assert desk.order(order).cancel_type == "USER"
    assert desk.exchange.queries.open_orders(desk.main) == []


def test_an_order_can_fill_while_its_cancel_is_pending() -> None:
    """TV-20."""
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    desk.cancel(order)
    desk.sub_place("SELL", "0.01", "61000")
    desk.wait()
    assert desk.story(order)[2:] == [
        ("OPEN", "CANCEL_PENDING"),
        ("FILLED", "CANCEL_PENDING"),
        ("FILLED", "CANCEL_FAILED"),
    ]
    assert desk.order(order).action_msg.startswith("401117")


def test_cancel_and_replace_are_rejected_while_a_cancel_pends() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    desk.cancel(order)
    assert code(desk.cancel(order)) == 401915
    assert code(desk.replace(order, qty="0.02")) == 401915


def test_cancel_of_a_finished_order_is_rejected_by_default() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000", time_in_force="IOC")
    assert code(desk.cancel(order)) == 401117
    desk.switch("cancel_finished", "silent")
    assert desk.cancel(order) == ActionReply(order_id=order, client_order_id=order, order_state="CANCELLED")


def test_cancel_or_replace_without_a_valid_id_is_rejected() -> None:
    desk = Desk()
    assert code(desk.do(CancelOrder(portfolio=desk.main))) == 401008
    assert code(desk.cancel("1234567890123456")) == 401018
    assert code(desk.do(ReplaceOrder(portfolio=desk.main, replace_qty="1"))) == 401008
    assert code(desk.do(ReplaceOrder(portfolio=desk.main, order_id="1234567890123456"))) == 400009


def test_order_id_wins_over_client_id_in_a_cancel() -> None:
    desk = Desk()
    first = desk.place("BUY", "0.01", "61000", client_order_id="a")
    desk.place("BUY", "0.01", "61000", client_order_id="b")
    reply = desk.do(CancelOrder(portfolio=desk.main, order_id=first, client_order_id="b"))
    assert isinstance(reply, ActionReply)
    assert reply.order_id == first


def test_replace_quantity_is_the_total_including_fills() -> None:
    """TV-16, TV-17: a fill in flight comes off the remainder."""
    desk = Desk()
    order = partly_filled(desk)
    reply = desk.replace(order, qty="0.007")
    assert isinstance(reply, ActionReply)
    assert (reply.order_state, reply.action) == ("PARTIALLY_FILLED", "AMEND_PENDING")
    desk.sub_place("SELL", "0.002", "61000")
    desk.wait()
    record = desk.order(order)
    assert (record.order_qty, record.executed_qty) == ("0.007", "0.006")
    assert (record.order_state, record.action, record.amend_type) == ("PARTIALLY_FILLED", "AMEND_COMPLETED", "USER")
    assert touch_qty(desk) == "0.001"


def test_replace_quantity_can_mean_the_remainder_by_config() -> None:
    desk = Desk(replace_qty="remaining")
    order = partly_filled(desk)
    desk.replace(order, qty="0.003")
    desk.wait()
    assert desk.order(order).order_qty == "0.007"


def test_replace_below_the_filled_quantity_ends_the_order() -> None:
    desk = Desk()
    order = partly_filled(desk)
    desk.replace(order, qty="0.003")
    desk.wait()
    record = desk.order(order)
    assert (record.order_state, record.executed_qty, record.cancel_type) == ("CANCELLED", "0.004", "USER")
    assert (record.action, record.amend_type) == ("AMEND_COMPLETED", "USER")


def test_replace_below_the_filled_quantity_can_be_rejected() -> None:
    desk = Desk(amend_below_filled="refuse")
    order = partly_filled(desk)
    assert code(desk.replace(order, qty="0.003")) == 401914
    record = desk.order(order)
    assert (record.order_state, record.action) == ("PARTIALLY_FILLED", "AMEND_FAILED")
    assert record.action_msg.startswith("401914 ")
    desk.replace(order, qty="0.007")
    desk.sub_place("SELL", "0.003", "61000")
    desk.wait()
    record = desk.order(order)
    assert (record.order_state, record.order_qty, record.action) == ("PARTIALLY_FILLED", "0.01", "AMEND_FAILED")


def test_replace_fails_if_the_order_fills_first() -> None:
    """TV-18."""
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    desk.replace(order, price="60900")
    desk.sub_place("SELL", "0.01", "61000")
    desk.wait()
    record = desk.order(order)
    assert (record.order_state, record.action) == ("FILLED", "AMEND_FAILED")
    assert record.action_msg.startswith("401117 ")


def test_a_rejected_replace_keeps_the_order_and_is_pushed() -> None:
    """TV-19."""
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    assert code(desk.replace(order, price="61000.05")) == 401015
    records = [event.record for event in desk.events if isinstance(event, OrderChanged)]
    assert [(record.order_state, record.action) for record in records] == [("OPEN", "AMEND_FAILED")]
    assert records[0].action_msg.startswith("401015 ")
    assert desk.order(order).limit_price == "61000"
    assert order in [record.order_id for record in desk.exchange.queries.open_orders(desk.main)]


@pytest.mark.parametrize(
    ("qty", "price", "expected"),
    [
        ("x", "", 401005),
        ("", "x", 401006),
        ("0.0015", "", 401013),
        ("2000", "", 401025),
        ("", "99000", 401906),
        ("0.01", "61000", 401914),
        ("900", "", 401902),
    ],
)
def test_replace_values_are_validated_like_new_orders(qty: str, price: str, expected: int) -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    assert code(desk.replace(order, qty=qty, price=price)) == expected


def test_only_a_size_reduction_keeps_queue_priority() -> None:
    desk = Desk()
    first = desk.place("BUY", "0.01", "61000")
    second = desk.place("BUY", "0.01", "61000")
    desk.replace(first, qty="0.009")
    desk.wait()
    desk.sub_place("SELL", "0.001", "61000")
    assert desk.order(first).executed_qty == "0.001"
    desk.replace(first, qty="0.02")
    desk.wait()
    desk.sub_place("SELL", "0.001", "61000")
    assert desk.order(first).executed_qty == "0.001"
    assert desk.order(second).executed_qty == "0.001"


def test_every_amend_loses_queue_priority_by_config() -> None:
    desk = Desk(amend_priority="requeue")
    first = desk.place("BUY", "0.01", "61000")
    second = desk.place("BUY", "0.01", "61000")
    desk.replace(first, qty="0.009")
    desk.wait()
    desk.sub_place("SELL", "0.001", "61000")
    assert desk.order(second).executed_qty == "0.001"


def test_an_amend_that_crosses_the_book_fills() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.004", "61500")
    order = desk.place("BUY", "0.01", "61000")
    desk.replace(order, price="61500")
    desk.wait()
    assert desk.story(order)[2:] == [
        ("OPEN", "AMEND_PENDING"),
        ("OPEN", "AMEND_COMPLETED"),
        ("PARTIALLY_FILLED", "AMEND_COMPLETED"),
    ]
    assert desk.order(order).limit_price == "61500"


def test_a_post_only_amend_that_crosses_cancels_the_order() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.004", "61500")
    order = desk.place("BUY", "0.01", "61000", time_in_force="GTX")
    desk.replace(order, price="61500")
    desk.wait()
    record = desk.order(order)
    assert (record.order_state, record.cancel_type, record.action) == ("CANCELLED", "SYSTEM", "AMEND_FAILED")
    assert record.reason == "post-only amend would cross"


def test_a_crossing_post_only_amend_can_fail_and_keep_the_order() -> None:
    desk = Desk(gtx_amend_cross="refuse")
    desk.sub_place("SELL", "0.004", "61500")
    order = desk.place("BUY", "0.01", "61000", time_in_force="GTX")
    desk.replace(order, price="61500")
    desk.wait()
    record = desk.order(order)
    assert (record.order_state, record.limit_price, record.action) == ("OPEN", "61000", "AMEND_FAILED")


def test_a_cancel_fails_a_pending_amend_and_then_completes() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    desk.replace(order, qty="0.02")
    assert code(desk.cancel(order)) == 0
    desk.wait()
    assert desk.story(order)[2:] == [
        ("OPEN", "AMEND_PENDING"),
        ("OPEN", "AMEND_FAILED"),
        ("OPEN", "CANCEL_PENDING"),
        ("CANCELLED", "CANCEL_COMPLETED"),
    ]
    assert desk.order(order).order_qty == "0.01"


def test_a_spot_amend_fails_if_the_balance_is_used_meanwhile() -> None:
    desk = Desk()
    order = desk.place("BUY", "1", "61000", SPOT)
    desk.replace(order, qty="1.5")
    other = desk.try_place("BUY", "0.5", "61000", SPOT)
    assert code(other) == 0
    desk.wait()
    record = desk.order(order)
    assert (record.action, record.order_qty) == ("AMEND_FAILED", "1")
    assert record.action_msg.startswith("401901 ")


def test_cancel_all_cancels_only_orders_that_match_its_filters() -> None:
    desk = Desk()
    a = desk.place("BUY", "0.01", "61000")
    b = desk.place("BUY", "1", "61000", OKX)
    c = desk.place("BUY", "0.01", "61000", SPOT)
    already = desk.place("BUY", "0.01", "60000")
    theirs = desk.sub_place("BUY", "0.01", "61000")
    desk.cancel(already)
    assert desk.cancel_all(exchange="BINANCE", sym=PERP) == Done()
    pending = [event.record.order_id for event in desk.events if isinstance(event, OrderChanged)]
    assert pending == [a]
    desk.wait()
    assert {record.order_id for record in desk.exchange.queries.open_orders(desk.main)} == {b, c}
    assert desk.cancel_all() == Done()
    desk.wait()
    assert desk.exchange.queries.open_orders(desk.main) == []
    assert desk.order(theirs, desk.sub).order_state == "OPEN"
    assert desk.cancel_all() == Done()


def test_cancel_all_of_main_can_cover_sub_portfolios_by_config() -> None:
    desk = Desk(cancel_all_scope="user")
    theirs = desk.sub_place("BUY", "0.01", "61000")
    desk.do(CancelAllOrders(portfolio=desk.main, alone=True))
    desk.wait()
    assert desk.order(theirs, desk.sub).order_state == "OPEN"
    desk.cancel_all()
    desk.wait()
    assert desk.order(theirs, desk.sub).order_state == "CANCELLED"


@pytest.mark.parametrize(("filters", "expected"), [({"exchange": "BINANCE_PERP"}, 401023), ({"sym": "X"}, 401011)])
def test_cancel_all_rejects_invalid_filters(filters: dict[str, str], expected: int) -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    assert code(desk.cancel_all(**filters)) == expected
    assert desk.order(order).action == ""


def test_order_pushes_have_rising_timestamps() -> None:
    desk = Desk()
    order = partly_filled(desk)
    desk.replace(order, qty="0.007")
    desk.cancel(order)
    desk.wait()
    stamps = [
        int(event.record.update_at)
        for event in desk.log
        if isinstance(event, OrderChanged) and event.record.order_id == order
    ]
    assert stamps == sorted(set(stamps))


def test_an_order_stays_in_the_book_while_its_cancel_is_pending() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    desk.cancel(order)
    assert not any(isinstance(event, QuoteChanged) for event in desk.events)
    desk.sub_place("SELL", "0.004", "61000")
    desk.wait()
    record = desk.order(order)
    assert isinstance(record, OrderRecord)
    assert (record.order_state, record.executed_qty, record.action) == ("CANCELLED", "0.004", "CANCEL_COMPLETED")
