"""An amend that is a cancel plus a new order inside: ids, chain, states, protection."""

from __future__ import annotations

import pytest

from tests.venue.core.drive import PERP, SPOT, Desk, code
from tui.interface.envelope import ActionReply
from tui.interface.families.algo import CancelAlgo, PlaceAlgo


def renewed(desk: Desk, order: str, qty: str = "", price: str = "") -> ActionReply:
    reply = desk.replace(order, qty, price)
    assert isinstance(reply, ActionReply), reply
    return reply


@pytest.mark.parametrize(
    ("value", "sym", "is_new"),
    [("off", PERP, False), ("off", SPOT, False), ("spot", PERP, False), ("spot", SPOT, True), ("all", PERP, True)],
)
def test_an_amend_makes_a_new_order_on_venues_set_by_config(value: str, sym: str, is_new: bool) -> None:
    desk = Desk(replace_as_new=value)
    order = desk.place("BUY", "0.01", "61000", sym, client_order_id="mine")
    reply = renewed(desk, order, price="60900")
    assert (reply.order_id != order) is is_new
    assert (reply.client_order_id, reply.action) == ("mine", "AMEND_PENDING")
    desk.wait()
    assert desk.order(reply.order_id).limit_price == "60900"


def test_an_order_replaced_as_new_keeps_its_client_id() -> None:
    desk = Desk(replace_as_new="all")
    old = desk.place("BUY", "0.05", "61000", client_order_id="chain")
    desk.sub_place("SELL", "0.02", "61000")
    new = renewed(desk, old, qty="0.04", price="61100").order_id
    before, after = desk.order(old), desk.order(new)
    assert (before.order_state, before.cancel_type, before.amend_type) == ("CANCELLED", "USER", "USER")
    assert (before.action, before.executed_qty, before.order_qty) == ("AMEND_COMPLETED", "0.02", "0.05")
    assert (after.origin, after.order_qty, after.executed_qty, after.order_state) == (
        "REPLACE",
        "0.02",
        "0",
        "OPEN",
    )
    assert desk.story(old)[-2:] == [("PARTIALLY_FILLED", "AMEND_PENDING"), ("CANCELLED", "AMEND_COMPLETED")]
    found = desk.exchange.queries.order(desk.main, client_order_id="chain")
    assert found == after
    assert desk.restarted().queries.order(desk.main, client_order_id="chain") == after


def test_an_amend_as_new_that_crosses_replies_filled() -> None:
    desk = Desk(replace_as_new="all")
    desk.sub_place("SELL", "0.05", "61800")
    order = desk.place("BUY", "0.05", "61000")
    assert renewed(desk, order, price="61800").order_state == "FILLED"


@pytest.mark.parametrize(("cross", "state"), [("cancel", "CANCELLED"), ("refuse", "OPEN")])
def test_a_crossing_post_only_amend_makes_no_new_order(cross: str, state: str) -> None:
    desk = Desk(replace_as_new="all", gtx_amend_cross=cross)
    desk.sub_place("SELL", "0.05", "61800")
    order = desk.place("BUY", "0.05", "61000", time_in_force="GTX")
    reply = renewed(desk, order, price="61900")
    assert (reply.order_id, reply.order_state) == (order, state)
    assert desk.order(order).action == "AMEND_FAILED"
    assert len(desk.exchange.queries.orders(desk.main)) == 1


def test_amend_as_new_at_an_invalid_price_is_rejected() -> None:
    desk = Desk(replace_as_new="all")
    order = desk.place("BUY", "0.05", "61000")
    assert code(desk.replace(order, price="61000.05")) == 401015


def test_amend_as_new_below_the_filled_size_ends_the_order() -> None:
    desk = Desk(replace_as_new="all")
    order = desk.place("BUY", "0.05", "61000")
    desk.sub_place("SELL", "0.02", "61000")
    assert renewed(desk, order, qty="0.01").order_id == order
    desk.wait()
    assert desk.order(order).order_state == "CANCELLED"


def test_an_attached_stop_moves_to_the_replacement_order() -> None:
    desk = Desk(replace_as_new="all")
    old = desk.place("BUY", "0.05", "61000", sl_trigger_price="60000")
    new = renewed(desk, old, price="60900").order_id
    (algo,) = desk.exchange.queries.algos(desk.main)
    assert (algo.attached_order_id, algo.order_state) == (new, "PENDING_NEW")
    desk.sub_place("SELL", "0.02", "60900")
    (algo,) = desk.exchange.queries.algos(desk.main)
    assert (algo.order_state, algo.order_qty) == ("NEW", "0.02")


def test_a_replaced_triggered_order_keeps_its_algo_order() -> None:
    desk = Desk(replace_as_new="all")
    desk.do(
        PlaceAlgo(
            portfolio=desk.main, algo_order_type="TPSL", sym=PERP, condition_type="CONDITIONAL", side="BUY",
            order_qty="0.01", conditional_trigger_price="61900", conditional_trigger_type="MARK_PRICE",
            conditional_price="61500",
        )
    )  # fmt: skip
    desk.wait()
    desk.steer("BTC", "62000")
    child = desk.exchange.queries.open_orders(desk.main)[0]
    new = renewed(desk, child.order_id, price="61400").order_id
    (algo,) = desk.exchange.queries.algos(desk.main)
    assert (desk.order(new).algo_order_id, algo.order_state) == (algo.algo_order_id, "PROCESSING")
    desk.do(CancelAlgo(portfolio=desk.main, algo_order_id=algo.algo_order_id))
    desk.wait()
    assert desk.order(new).order_state == "CANCELLED"
    assert desk.exchange.queries.algos(desk.main)[0].order_state == "FAILED"
