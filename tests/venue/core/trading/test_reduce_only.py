"""A reduce-only quantity above the position, on every value of the switch."""

from __future__ import annotations

import pytest

from tests.venue.core.drive import PERP, Desk, code
from tui.interface.families.orders import ReplaceOrder
from tui.interface.families.positions import SetPositionMode


def held(value: str) -> Desk:
    """Long 0.03, with nobody on the other side of the book."""
    desk = Desk(reduce_only_excess=value)
    desk.sub_place("SELL", "0.03", "61800")
    desk.place("BUY", "0.03", "61800")
    return desk


def test_reduce_only_clip_mode_fills_at_most_the_position() -> None:
    desk = held("clip")
    order = desk.place("SELL", "0.05", "61900", reduce_only=True)
    assert (desk.order(order).order_qty, desk.order(order).amend_type) == ("0.05", "")
    desk.sub_place("BUY", "0.05", "61900")
    row = desk.order(order)
    assert (row.executed_qty, row.order_state, row.cancel_type) == ("0.03", "CANCELLED", "REDUCE_ONLY")
    assert desk.exchange.queries.positions(desk.main) == []


def test_reduce_only_cut_mode_lowers_the_order_to_the_position() -> None:
    desk = held("cut")
    order = desk.place("SELL", "0.05", "61900", reduce_only=True)
    assert (desk.order(order).order_qty, desk.order(order).amend_type) == ("0.03", "REDUCE_ONLY")
    desk.sub_place("BUY", "0.01", "61700")
    desk.place("SELL", "0.01", "61700")
    assert desk.order(order).order_qty == "0.02"
    desk.sub_place("BUY", "0.02", "61900")
    assert desk.order(order).order_state == "FILLED"


def test_reduce_only_reject_mode_refuses_more_than_the_position() -> None:
    desk = held("reject")
    reply = desk.try_place("SELL", "0.05", "61900", reduce_only=True)
    assert code(reply) == 401903
    desk.place("SELL", "0.03", "61900", reduce_only=True)


def test_reduce_only_cancel_others_mode_cancels_oldest_first() -> None:
    desk = held("cancel_others")
    first = desk.place("SELL", "0.01", "61900", reduce_only=True)
    second = desk.place("SELL", "0.01", "61910", reduce_only=True)
    plain = desk.place("SELL", "0.01", "61920")
    third = desk.place("SELL", "0.02", "61930", reduce_only=True)
    assert [desk.order(one).order_state for one in (first, second, plain, third)] == [
        "CANCELLED",
        "OPEN",
        "OPEN",
        "OPEN",
    ]
    assert (desk.order(first).cancel_type, desk.order(first).reason) == ("REDUCE_ONLY", "Reduce only order cancelled")


@pytest.mark.parametrize("value", ["clip", "cut", "reject", "cancel_others"])
def test_reduce_only_without_a_position_is_always_rejected(value: str) -> None:
    desk = Desk(reduce_only_excess=value)
    assert code(desk.try_place("SELL", "0.01", "61900", reduce_only=True)) == 401903


@pytest.mark.parametrize("value", ["clip", "cut", "cancel_others"])
def test_a_hedge_close_order_fills_at_most_its_leg_in_every_mode(value: str) -> None:
    """TV-14: legs LONG 3 and SHORT 2, BUY of the SHORT leg 5."""
    desk = Desk(agents="still", reduce_only_excess=value)
    desk.do(SetPositionMode(portfolio=desk.main, exchange_type="BINANCE", position_mode="BOTH"))
    desk.place("BUY", "0.03", position_side="LONG")
    desk.place("SELL", "0.02", position_side="SHORT")
    order = desk.place("BUY", "0.05", position_side="SHORT")
    assert desk.order(order).executed_qty == "0.02"
    assert [(row.position_side, row.position_qty) for row in desk.exchange.queries.positions(desk.main)] == [
        ("LONG", "0.03")
    ]


def test_reduce_only_never_reverses_a_position_in_any_mode() -> None:
    for value in ("clip", "cut", "cancel_others"):
        desk = held(value)
        desk.place("SELL", "0.02", "61900", reduce_only=True)
        desk.place("SELL", "0.02", "61910", reduce_only=True)
        desk.sub_place("BUY", "0.09", "62000")
        assert desk.exchange.queries.position_lots(desk.main, PERP) >= 0
        order = desk.exchange.queries.open_orders(desk.sub)[0]
        desk.do(ReplaceOrder(portfolio=desk.sub, order_id=order.order_id, replace_price="61990"))


def test_reduce_only_remainder_is_cancelled_with_the_position() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.003", "61800")
    desk.place("BUY", "0.003", "61800")
    desk.sub_place("BUY", "0.003", "61800")
    order = desk.place("SELL", "0.005", "61800", reduce_only=True)
    row = desk.order(order)
    assert (row.executed_qty, row.order_state, row.cancel_type) == ("0.003", "CANCELLED", "REDUCE_ONLY")
    after = desk.sub_place("BUY", "0.005", "61800")
    assert desk.fills(after) == []


def test_fill_or_kill_counts_only_executable_reduce_only_size() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.005", "61800")
    desk.place("BUY", "0.005", "61800")
    desk.place("SELL", "0.005", "61801", reduce_only=True)
    desk.sub_place("BUY", "0.002", "61800")
    desk.place("SELL", "0.002", "61800")
    whole = desk.sub_place("BUY", "0.005", "61801", time_in_force="FOK")
    row = desk.order(whole, desk.sub)
    assert (row.order_state, row.cancel_type, row.executed_qty) == ("CANCELLED", "EXPIRE", "0")
    fits = desk.sub_place("BUY", "0.003", "61801", time_in_force="FOK")
    assert desk.order(fits, desk.sub).order_state == "FILLED"


def test_reduce_only_fill_or_kill_counts_own_orders_that_reopen() -> None:
    """Where own orders may meet: 0.005 of a position of 0.003 trade whole against an own bid, which opens it again."""
    desk = Desk(self_trade="allow")
    desk.sub_place("SELL", "0.003", "61800")
    desk.place("BUY", "0.003", "61800")
    desk.place("BUY", "0.005", "61700")
    row = desk.order(desk.place("SELL", "0.005", "61700", time_in_force="FOK", reduce_only=True))
    assert (row.order_state, row.executed_qty) == ("FILLED", "0.005")
    assert [one.position_qty for one in desk.exchange.queries.positions(desk.main)] == ["0.003"]


def test_reduce_only_fill_or_kill_expires_with_its_position() -> None:
    desk = Desk(self_trade="allow")
    desk.sub_place("SELL", "0.003", "61800")
    desk.place("BUY", "0.003", "61800")
    desk.sub_place("BUY", "0.003", "61710")
    desk.place("BUY", "0.005", "61700")
    row = desk.order(desk.place("SELL", "0.005", "61700", time_in_force="FOK", reduce_only=True))
    assert (row.order_state, row.cancel_type, row.executed_qty) == ("CANCELLED", "EXPIRE", "0")
