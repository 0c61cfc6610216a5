"""When the stop of a position ends with it: at once, before it is armed, and not while its order may still open one."""

from __future__ import annotations

from tests.venue.core.drive import Desk
from tests.venue.core.trading.test_algos import long, only, place, states


def test_a_stop_expires_when_its_position_is_closed() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", sl_trigger_price="61000")
    desk.place("SELL", "0.01")
    assert (only(desk).order_state, only(desk).reason) == ("EXPIRED", "The position is closed")


def test_a_stop_expires_if_its_position_closes_before_activation() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01")
    place(desk, "ENTIRE_CLOSE_POSITION", "", sl_trigger_price="61000")
    desk.place("SELL", "0.01")
    desk.wait()
    assert states(desk, only(desk).algo_order_id) == ["PENDING_NEW", "NEW", "EXPIRED"]


def turn_in_steps(desk: Desk) -> str:
    """A long of 0.02, and a resting order with a stop that sells 0.05: the first fill closes half of it."""
    long(desk, "0.02")
    order = desk.place("SELL", "0.05", "61800", sl_trigger_price="63000", sl_trigger_type="MARK_PRICE")
    desk.sub_place("BUY", "0.01", "61800")
    return order


def test_the_stop_of_a_reversing_order_protects_the_new_position() -> None:
    desk = Desk()
    turn_in_steps(desk)
    assert only(desk).order_state == "NEW"
    desk.steer("BTC", "63100")
    assert only(desk).order_state == "NEW"
    desk.steer("BTC", "61800")
    for qty in ("0.01", "0.03"):
        desk.sub_place("BUY", qty, "61800")
    assert desk.exchange.queries.positions(desk.main)[0].position_qty == "-0.03"
    desk.sub_place("SELL", "1", "63100")
    desk.steer("BTC", "63100")
    assert (only(desk).order_state, only(desk).executed_qty) == ("COMPLETED", "0.03")
    assert desk.exchange.queries.positions(desk.main) == []


def test_a_stop_expires_if_its_order_ends_before_the_reversal() -> None:
    desk = Desk()
    order = turn_in_steps(desk)
    desk.cancel(order)
    desk.wait()
    assert (only(desk).order_state, only(desk).reason) == ("EXPIRED", "The position is closed")


def test_a_second_stop_expires_if_the_first_closes_the_position() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01")
    for price in ("61000", "60900"):
        place(desk, "ENTIRE_CLOSE_POSITION", "", sl_trigger_price=price, sl_trigger_type="MARK_PRICE")
    desk.wait()
    desk.steer("BTC", "60950")
    desk.wait()
    ended = {row.sl_trigger_price: str(row.order_state) for row in desk.exchange.queries.algos(desk.main)}
    assert ended == {"61000": "COMPLETED", "60900": "EXPIRED"}
    assert desk.exchange.queries.positions(desk.main) == []
