"""Algo orders: attached take-profit and stop, the four conditions, triggers by last and by mark, and how they end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tui.interface.families.algo import AlgoRecord, AlgoReply, CancelAlgo, CancelAllAlgos, PlaceAlgo, ReplaceAlgo
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import SetPositionMode
from tui.venue.core.commands import Advance, Rejected, Reply
from tui.venue.core.events import AlgoChanged, OrderChanged


def ids(reply: Reply | None) -> list[str]:
    """Algo orders that a cancel-all names."""
    assert isinstance(reply, tuple), reply
    return [one.algo_order_id for one in reply if isinstance(one, AlgoReply)]


def place(desk: Desk, condition: str, qty: str = "0.01", sym: str = PERP, **more: Any) -> Reply | None:
    return desk.do(
        PlaceAlgo(
            **{
                "portfolio": desk.main,
                "algo_order_type": "TPSL",
                "sym": sym,
                "condition_type": condition,
                "order_qty": qty,
                **more,
            }
        )
    )


def accepted(desk: Desk, condition: str, qty: str = "0.01", sym: str = PERP, **more: Any) -> str:
    reply = place(desk, condition, qty, sym, **more)
    assert isinstance(reply, AlgoReply), reply
    assert reply.algo_order_id
    desk.wait()
    return reply.algo_order_id


def algo(desk: Desk, algo_id: str) -> AlgoRecord:
    return desk.exchange.queries.algo(desk.main, algo_order_id=algo_id)


def only(desk: Desk) -> AlgoRecord:
    found = desk.exchange.queries.algos(desk.main)
    assert len(found) == 1
    return found[0]


def states(desk: Desk, algo_id: str) -> list[str]:
    return [e.record.order_state for e in desk.log if isinstance(e, AlgoChanged) and e.record.algo_order_id == algo_id]


def children(desk: Desk, algo_id: str) -> list[OrderRecord]:
    return [row for row in desk.exchange.queries.orders(desk.main) if row.algo_order_id == algo_id]


def long(desk: Desk, qty: str = "0.01", price: str = "61800", **more: str) -> str:
    desk.sub_place("SELL", qty, price)
    return desk.place("BUY", qty, price, **more)


def bids(desk: Desk, price: str, qty: str = "1") -> None:
    """Somebody who takes what is sold."""
    desk.sub_place("BUY", qty, price)


# -- attached ----------------------------------------------------------------------------------------------------------


def test_an_attached_stop_is_sized_by_the_fills_of_its_order() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.03", "61800", tp_trigger_price="63000", sl_trigger_price="61000", sl_price="60900")
    row = only(desk)
    assert (row.order_state, row.attached_order_id, row.algo_order_type) == ("PENDING_NEW", order, "TPSL")
    assert (row.side, row.reduce_only, row.order_qty) == ("SELL", "true", "0")
    assert (row.tp_trigger_price, row.tp_trigger_type, row.tp_price) == ("63000", "LAST_PRICE", "0")
    assert (row.sl_trigger_price, row.sl_trigger_type, row.sl_price) == ("61000", "LAST_PRICE", "60900")
    assert desk.order(order).sl_price == "60900"
    desk.sub_place("SELL", "0.01", "61800")
    assert (only(desk).order_state, only(desk).order_qty) == ("NEW", "0.01")
    desk.sub_place("SELL", "0.02", "61800")
    assert only(desk).order_qty == "0.03"
    assert states(desk, row.algo_order_id) == ["PENDING_NEW", "NEW", "NEW"]


def test_a_fired_stop_covers_no_later_fill_of_its_order() -> None:
    """The size with which it fired is what had filled: by that a client knows that the order goes on without."""
    desk = Desk()
    order = desk.place("BUY", "0.03", "61800", tp_trigger_price="61900")
    desk.sub_place("SELL", "0.01", "61800")
    bids(desk, "61950", "0.01")
    desk.place("SELL", "0.002", "61950", time_in_force="IOC", reduce_only="true")
    assert (only(desk).order_state, only(desk).order_qty) == ("COMPLETED", "0.01")
    desk.sub_place("SELL", "0.02", "61800")
    assert (desk.order(order).order_state, only(desk).order_qty) == ("FILLED", "0.01")


def test_position_row_shows_its_stop_orders() -> None:
    desk = Desk()
    long(desk, sl_trigger_price="61000")
    shown = desk.exchange.queries.positions(desk.main)[0].tpsl_order
    assert shown == [only(desk)]
    desk.do(CancelAlgo(portfolio=desk.main, algo_order_id=only(desk).algo_order_id))
    desk.wait()
    assert desk.exchange.queries.positions(desk.main)[0].tpsl_order == []


def test_cancelling_an_order_ends_its_stop_only_if_unfilled() -> None:
    desk = Desk()
    first = desk.place("BUY", "0.03", "61800", sl_trigger_price="61000")
    desk.cancel(first)
    desk.wait()
    assert only(desk).order_state == "CANCELLED"
    second = desk.place("BUY", "0.03", "61800", sl_trigger_price="61000")
    desk.sub_place("SELL", "0.01", "61800")
    desk.cancel(second)
    desk.wait()
    newest = desk.exchange.queries.algos(desk.main)[0]
    assert (newest.order_state, newest.order_qty, desk.order(second).order_state) == ("NEW", "0.01", "CANCELLED")


def test_a_rejected_post_only_order_cancels_its_attached_stop() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.01", "61800")
    desk.place("BUY", "0.01", "61800", time_in_force="GTX", sl_trigger_price="61000")
    assert only(desk).order_state == "CANCELLED"


def test_a_last_price_stop_triggers_on_one_trade() -> None:
    desk = Desk()
    long(desk, sl_trigger_price="61000", tp_trigger_price="63000")
    bids(desk, "60990")
    desk.place("SELL", "0.002", "60990", time_in_force="IOC")
    row = only(desk)
    assert states(desk, row.algo_order_id)[-1] == "COMPLETED"
    child = children(desk, row.algo_order_id)[0]
    assert (child.origin, child.reduce_only, child.exchange_order_type, child.order_state) == (
        "DMA",
        True,
        "MARKET",
        "FILLED",
    )
    assert child.executed_qty == "0.008"
    assert desk.exchange.queries.positions(desk.main) == []
    assert (row.executed_qty, row.executed_avg_price) == ("0.008", "60990")
    fills = [fill for fill in desk.exchange.queries.executions(desk.main) if fill.algo_order_id != "0"]
    assert {fill.algo_order_id for fill in fills} == {row.algo_order_id}


def test_only_a_last_price_stop_triggers_if_only_last_fell() -> None:
    """TX-04: sell stop, last below it, mark above it."""
    for kind, fired in (("LAST_PRICE", True), ("MARK_PRICE", False)):
        desk = Desk()
        long(desk, sl_trigger_price="61000", sl_trigger_type=kind)
        bids(desk, "60990")
        desk.place("SELL", "0.002", "60990", time_in_force="IOC")
        assert (only(desk).order_state == "COMPLETED") is fired


def test_a_mark_price_stop_triggers_when_mark_reaches_it() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    desk.steer("BTC", "61100")
    assert only(desk).order_state == "NEW"
    desk.steer("BTC", "60900")
    assert only(desk).order_state == "COMPLETED"
    assert desk.exchange.queries.positions(desk.main) == []


def test_target_of_a_short_triggers_below_and_stop_above() -> None:
    for trigger, price in (("tp", "61000"), ("sl", "62500")):
        desk = Desk(agents="still")
        desk.place("SELL", "0.01", **{f"{trigger}_trigger_price": price, f"{trigger}_trigger_type": "MARK_PRICE"})
        desk.steer("BTC", price)
        assert (only(desk).side, only(desk).order_state) == ("BUY", "COMPLETED")


def test_a_stop_does_not_trigger_after_its_target_has() -> None:
    desk = Desk(agents="still")
    desk.place(
        "BUY", "0.01", tp_trigger_price="63000", tp_trigger_type="MARK_PRICE",
        sl_trigger_price="61000", sl_trigger_type="MARK_PRICE",
    )  # fmt: skip
    desk.steer("BTC", "63100")
    assert only(desk).order_state == "COMPLETED"
    desk.steer("BTC", "60000")
    assert len(children(desk, only(desk).algo_order_id)) == 1


def test_if_stop_and_target_are_both_hit_the_stop_triggers() -> None:
    desk = Desk()
    long(desk, tp_trigger_price="62000", tp_price="61990", sl_trigger_price="61500", sl_price="61400")
    desk.sub_place("BUY", "0.001", "62000")
    desk.sub_place("BUY", "0.001", "61500")
    desk.place("SELL", "0.002", "61500", time_in_force="IOC")
    assert [child.limit_price for child in children(desk, only(desk).algo_order_id)] == ["61400"]


def test_an_algo_order_fails_if_its_triggered_order_is_cancelled() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE", sl_price="61900")
    desk.steer("BTC", "60900")
    row = only(desk)
    child = children(desk, row.algo_order_id)[0]
    assert (row.order_state, child.order_state, child.limit_price) == ("PROCESSING", "OPEN", "61900")
    desk.cancel(child.order_id)
    desk.wait()
    assert only(desk).order_state == "FAILED"


def test_a_triggered_stop_closes_at_most_the_open_position() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.03", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    desk.place("SELL", "0.02")
    desk.steer("BTC", "60900")
    assert children(desk, only(desk).algo_order_id)[0].order_qty == "0.01"
    assert desk.exchange.queries.positions(desk.main) == []


def test_hedge_legs_have_separate_stops() -> None:
    desk = Desk(agents="still")
    desk.do(SetPositionMode(portfolio=desk.main, exchange_type="BINANCE", position_mode="BOTH"))
    desk.place("BUY", "0.01", position_side="LONG", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    desk.place("SELL", "0.02", position_side="SHORT", sl_trigger_price="63000", sl_trigger_type="MARK_PRICE")
    desk.steer("BTC", "60900")
    assert [(row.position_side, row.position_qty) for row in desk.exchange.queries.positions(desk.main)] == [
        ("SHORT", "0.02")
    ]
    done = {row.position_side: row.order_state for row in desk.exchange.queries.algos(desk.main)}
    assert done == {"LONG": "COMPLETED", "SHORT": "NEW"}


@pytest.mark.parametrize("sym", [SPOT, "BINANCE_MARGIN_BTC_USDT"])
def test_a_stop_on_a_pair_without_mark_uses_last_price(sym: str) -> None:
    desk = Desk()
    desk.place("SELL", "0.01", "61800", sym)
    placed = desk.sub_place("BUY", "0.01", "61800", sym, sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    row = desk.exchange.queries.algos(desk.sub)[0]
    assert (row.attached_order_id, row.order_state, row.reduce_only) == (placed, "NEW", "false")
    desk.steer("BTC", "60500")
    assert desk.exchange.queries.algos(desk.sub)[0].order_state == "NEW"
    desk.place("BUY", "0.02", "60990", sym)
    desk.sub_place("SELL", "0.001", "60990", sym, time_in_force="IOC")
    done = desk.exchange.queries.algos(desk.sub)[0]
    assert done.order_state == "COMPLETED"
    child = next(one for one in desk.exchange.queries.orders(desk.sub) if one.algo_order_id == row.algo_order_id)
    assert (child.side, child.reduce_only, child.leverage) == ("SELL", False, None)
    assert float(child.order_qty) <= 0.01


@pytest.mark.parametrize(
    ("side", "more", "wanted", "names"),
    [
        ("BUY", {"tp_trigger_price": "61000"}, 401916, "tpTriggerPrice"),
        ("BUY", {"sl_trigger_price": "62000"}, 401916, "slTriggerPrice"),
        ("SELL", {"tp_trigger_price": "62000"}, 401916, "tpTriggerPrice"),
        ("SELL", {"sl_trigger_price": "61000"}, 401916, "slTriggerPrice"),
        ("BUY", {"sl_trigger_price": "61800"}, 401916, "immediately"),
        ("BUY", {"tp_trigger_price": "71500"}, 401917, "tpTriggerPrice"),
        ("BUY", {"sl_trigger_price": "61000.05"}, 401015, "slTriggerPrice"),
        ("BUY", {"sl_trigger_price": "61000", "sl_price": "61000.05"}, 401015, "slPrice"),
        ("BUY", {"sl_trigger_price": "61000", "sl_trigger_type": "MarkPrice"}, 400000, "MARK_PRICE"),
        ("BUY", {"sl_trigger_price": "-5"}, 401006, "slTriggerPrice"),
    ],
)
def test_invalid_attached_triggers_are_rejected(side: str, more: dict[str, Any], wanted: int, names: str) -> None:
    desk = Desk()
    reply = desk.try_place(side, "0.01", "61800", **more)
    assert code(reply) == wanted
    assert isinstance(reply, Rejected)
    assert names in reply.message
    assert desk.exchange.queries.orders(desk.main) == []


def test_an_attached_trigger_of_zero_means_none() -> None:
    desk = Desk()
    desk.place("BUY", "0.01", "61000", tp_trigger_price="0", tp_trigger_type="LAST_PRICE", tp_price="0")
    assert desk.exchange.queries.algos(desk.main) == []


def test_attached_triggers_are_checked_against_the_limit_price() -> None:
    desk = Desk()
    desk.place("BUY", "0.01", "58000", tp_trigger_price="60000", sl_trigger_price="57000")
    assert code(desk.try_place("BUY", "0.01", "58000", sl_trigger_price="60000")) == 401916


# -- placed by themselves ----------------------------------------------------------------------------------------------


def test_a_placed_algo_order_is_active_after_a_delay() -> None:
    desk = Desk(agents="still")
    reply = place(desk, "CONDITIONAL", side="BUY", conditional_trigger_price="62500", client_order_id="alg1")
    assert isinstance(reply, AlgoReply)
    assert reply.client_order_id == "alg1"
    assert algo(desk, reply.algo_order_id).order_state == "PENDING_NEW"
    desk.wait()
    assert states(desk, reply.algo_order_id) == ["PENDING_NEW", "NEW"]
    row = algo(desk, reply.algo_order_id)
    assert (row.conditional_trigger_price, row.conditional_trigger_price_type) == ("62500", "LAST_PRICE")
    assert row.conditional_trigger_type == "LAST_PRICE"
    assert (row.business_type, row.exchange_type, row.limit_price) == ("PERP", "BINANCE", "")


@pytest.mark.parametrize(("trigger", "move"), [("62500", "62600"), ("61000", "60900")])
def test_a_conditional_order_triggers_from_above_or_below(trigger: str, move: str) -> None:
    desk = Desk(agents="still")
    made = accepted(
        desk, "CONDITIONAL", side="BUY", conditional_trigger_price=trigger, conditional_trigger_type="MARK_PRICE"
    )
    desk.steer("BTC", move)
    assert algo(desk, made).order_state == "COMPLETED"
    assert desk.exchange.queries.positions(desk.main)[0].position_qty == "0.01"


def test_an_entire_position_stop_closes_the_size_at_trigger_time() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01")
    made = accepted(desk, "ENTIRE_CLOSE_POSITION", "", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    assert (algo(desk, made).order_qty, algo(desk, made).side, algo(desk, made).reduce_only) == ("", "SELL", "true")
    desk.place("BUY", "0.02")
    desk.steer("BTC", "60900")
    assert algo(desk, made).executed_qty == "0.03"
    assert desk.exchange.queries.positions(desk.main) == []


def test_a_partial_position_stop_closes_its_size() -> None:
    desk = Desk(agents="still")
    desk.place("SELL", "0.03")
    made = accepted(desk, "PARTIAL_CLOSE_POSITION", tp_trigger_price="61000", tp_trigger_type="MARK_PRICE", side="BUY")
    desk.steer("BTC", "60900")
    assert algo(desk, made).order_state == "COMPLETED"
    assert desk.exchange.queries.positions(desk.main)[0].position_qty == "-0.02"


@pytest.mark.parametrize(
    ("condition", "more", "wanted"),
    [
        ("", {}, 401291),
        ("STOP", {}, 401291),
        ("CONDITIONAL", {"side": "BUY"}, 401292),
        ("CONDITIONAL", {"side": "HOLD", "conditional_trigger_price": "62500"}, 401002),
        ("CONDITIONAL", {"conditional_trigger_price": "62500"}, 400009),
        ("CONDITIONAL", {"side": "BUY", "conditional_trigger_price": "62500", "order_qty": ""}, 400009),
        ("CONDITIONAL", {"side": "BUY", "conditional_trigger_price": "62500", "order_qty": "0"}, 401005),
        ("CONDITIONAL", {"side": "BUY", "conditional_trigger_price": "62500", "order_qty": "0.0015"}, 401013),
        ("CONDITIONAL", {"side": "BUY", "conditional_trigger_price": "62500", "order_qty": "2000"}, 401025),
        ("CONDITIONAL", {"side": "BUY", "conditional_trigger_price": "62500.05"}, 401015),
        ("CONDITIONAL", {"side": "BUY", "conditional_trigger_price": "61800"}, 401916),
        ("CONDITIONAL", {"side": "BUY", "conditional_trigger_price": "72000"}, 401917),
        ("CONDITIONAL", {"side": "BUY", "conditional_trigger_price": "62500", "client_order_id": "x" * 64}, 401001),
        ("CONDITIONAL", {"side": "BUY", "conditional_trigger_price": "62500", "client_order_id": "a b"}, 400000),
        ("OCO", {"side": "SELL", "tp_trigger_price": "62500"}, 401292),
        ("OCO", {"side": "SELL", "tp_trigger_price": "61000", "sl_trigger_price": "60000"}, 401916),
        ("PARTIAL_CLOSE_POSITION", {}, 401292),
        ("PARTIAL_CLOSE_POSITION", {"tp_trigger_price": "62500"}, 401293),
        ("ENTIRE_CLOSE_POSITION", {"order_qty": "", "sl_trigger_price": "61000"}, 401293),
        ("CONDITIONAL", {"algo_order_type": "TWAP"}, 401290),
        ("CONDITIONAL", {"sym": "BINANCE_PERP_XXX_USDT"}, 401011),
        ("CONDITIONAL", {"sym": "EDX_PERP_BTC_USDT"}, 401023),
        ("CONDITIONAL", {"position_side": "BOTH", "side": "BUY"}, 401905),
    ],
)
def test_an_invalid_algo_order_is_rejected_without_an_event(condition: str, more: dict[str, Any], wanted: int) -> None:
    desk = Desk()
    assert code(place(desk, condition, **more)) == wanted
    assert desk.exchange.queries.algos(desk.main) == []
    assert desk.events == []


def test_an_algo_order_in_hedge_mode_needs_a_position_side() -> None:
    desk = Desk()
    desk.do(SetPositionMode(portfolio=desk.main, exchange_type="BINANCE", position_mode="BOTH"))
    assert code(place(desk, "CONDITIONAL", side="BUY", conditional_trigger_price="62500")) == 401905


def test_a_closing_algo_order_needs_the_closing_side() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01")
    assert code(place(desk, "PARTIAL_CLOSE_POSITION", side="BUY", tp_trigger_price="62500")) == 401903


def test_algo_client_ids_are_separate_from_order_client_ids() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", "61000", client_order_id="same")
    accepted(desk, "CONDITIONAL", side="BUY", conditional_trigger_price="62500", client_order_id="same")
    second = accepted(desk, "CONDITIONAL", side="BUY", conditional_trigger_price="62500", client_order_id="same")
    assert desk.exchange.queries.algo(desk.main, client_order_id="same").algo_order_id == second


def test_a_rejected_triggered_order_fails_its_algo_order() -> None:
    desk = Desk(agents="still")
    made = accepted(
        desk, "CONDITIONAL", "900", side="BUY", conditional_trigger_price="62500", conditional_trigger_type="MARK_PRICE"
    )
    desk.steer("BTC", "62600")
    assert algo(desk, made).order_state == "FAILED"
    assert algo(desk, made).reason.startswith("401902 ")
    assert children(desk, made) == []


# -- replace and cancel ------------------------------------------------------------------------------------------------


def test_algo_replace_changes_only_the_given_fields() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.03")
    made = accepted(
        desk, "PARTIAL_CLOSE_POSITION", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE", sl_price="60900"
    )
    reply = desk.do(ReplaceAlgo(portfolio=desk.main, algo_order_id=made, order_qty="0.02", sl_trigger_price="61200"))
    assert reply == AlgoReply(algo_order_id=made, client_order_id=made)
    row = algo(desk, made)
    assert (row.order_qty, row.sl_trigger_price, row.sl_trigger_type, row.sl_price) == (
        "0.02",
        "61200",
        "MARK_PRICE",
        "60900",
    )
    assert code(desk.do(ReplaceAlgo(portfolio=desk.main, algo_order_id=made))) == 400009
    assert code(desk.do(ReplaceAlgo(portfolio=desk.main, order_qty="0.02"))) == 401008
    assert code(desk.do(ReplaceAlgo(portfolio=desk.main, algo_order_id=made, sl_trigger_price="62500"))) == 401916
    assert code(desk.do(ReplaceAlgo(portfolio=desk.main, algo_order_id="1" * 16, order_qty="0.02"))) == 401018
    assert code(desk.do(ReplaceAlgo(portfolio=desk.main, algo_order_id="1", order_qty="0.02"))) == 401007
    assert algo(desk, made) == row


def test_replacing_an_attached_stop_updates_its_order() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.03", "61800", sl_trigger_price="61000")
    made = only(desk).algo_order_id
    assert isinstance(
        desk.do(
            ReplaceAlgo(portfolio=desk.main, algo_order_id=made, sl_trigger_price="61200", tp_trigger_price="63000")
        ),
        AlgoReply,
    )
    assert (desk.order(order).sl_trigger_price, desk.order(order).tp_trigger_price) == ("61200", "63000")
    assert code(desk.do(ReplaceAlgo(portfolio=desk.main, algo_order_id=made, order_qty="0.01"))) == 400000


def test_triggered_or_finished_algo_orders_cannot_be_replaced() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE", sl_price="61900")
    made = only(desk).algo_order_id
    desk.steer("BTC", "60900")
    assert code(desk.do(ReplaceAlgo(portfolio=desk.main, algo_order_id=made, sl_trigger_price="60000"))) == 401117
    assert isinstance(desk.do(CancelAlgo(portfolio=desk.main, algo_order_id=made)), AlgoReply)
    assert code(desk.do(CancelAlgo(portfolio=desk.main, algo_order_id=made))) == 401915
    desk.wait()
    assert children(desk, made)[0].order_state == "CANCELLED"
    assert algo(desk, made).order_state == "FAILED"
    assert code(desk.do(CancelAlgo(portfolio=desk.main, algo_order_id=made))) == 401117


def test_an_algo_order_can_trigger_while_its_cancel_is_pending() -> None:
    for wins in (False, True):
        desk = Desk(agents="still")
        desk.place("BUY", "0.01", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
        made = only(desk).algo_order_id
        desk.do(CancelAlgo(portfolio=desk.main, algo_order_id=made))
        assert code(desk.do(CancelAlgo(portfolio=desk.main, algo_order_id=made))) == 401915
        assert algo(desk, made).order_state == "PENDING_CANCEL"
        if wins:
            desk.steer("BTC", "60900")
        desk.wait()
        tail = ["PENDING_CANCEL", "PROCESSING", "PROCESSING", "COMPLETED"] if wins else ["PENDING_CANCEL", "CANCELLED"]
        assert [state for state in states(desk, made) if state != "NEW"][-2:] == tail[-2:]


def test_an_attached_stop_is_cancelled_by_its_parent_order_id() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.03", "61800", sl_trigger_price="61000")
    reply = desk.do(CancelAlgo(portfolio=desk.main, order_id=order))
    assert reply == AlgoReply(algo_order_id=only(desk).algo_order_id, client_order_id=only(desk).client_order_id)
    desk.wait()
    assert only(desk).order_state == "CANCELLED"
    assert desk.order(order).order_state == "OPEN"
    assert code(desk.do(CancelAlgo(portfolio=desk.main))) == 401008
    assert code(desk.do(CancelAlgo(portfolio=desk.sub, algo_order_id=only(desk).algo_order_id))) == 401018


def test_algo_cancel_all_cancels_orders_that_match_every_filter() -> None:
    desk = Desk(agents="still")
    first = accepted(desk, "CONDITIONAL", side="BUY", conditional_trigger_price="62500")
    second = accepted(desk, "CONDITIONAL", "1", OKX, side="BUY", conditional_trigger_price="62500")
    third = accepted(desk, "OCO", side="SELL", tp_trigger_price="62500", sl_trigger_price="61000")
    assert code(desk.do(CancelAllAlgos(portfolio=desk.main, condition_type="OCO"))) == 400000
    wordless = CancelAllAlgos(portfolio=desk.main, algo_order_type="TPSL", condition_type="STOP")
    assert code(desk.do(wordless)) == 400000
    assert code(desk.do(CancelAllAlgos(portfolio=desk.main, exchange_type="KRAKEN"))) == 401023
    assert desk.do(CancelAllAlgos(portfolio=desk.main, algo_order_type="TWAP")) == ()
    assert code(desk.do(CancelAllAlgos(portfolio=desk.main, algo_order_type="STOP"))) == 400000
    reply = desk.do(CancelAllAlgos(portfolio=desk.main, exchange_type="OKX"))
    assert ids(reply) == [second]
    reply = desk.do(CancelAllAlgos(portfolio=desk.main, algo_order_type="TPSL", condition_type="OCO"))
    assert ids(reply) == [third]
    reply = desk.do(CancelAllAlgos(portfolio=desk.main))
    assert ids(reply) == [first]
    desk.wait()
    assert {row.order_state for row in desk.exchange.queries.algos(desk.main)} == {"CANCELLED"}


def test_conditional_orders_ignore_limit_price_and_provider() -> None:
    """They are for algo types with a limit of their own; a limit price that is no number is refused all the same."""
    desk = Desk(agents="still")
    wanted = {"side": "BUY", "conditional_trigger_price": "62500"}
    assert code(place(desk, "CONDITIONAL", **wanted, limit_price="cheap")) == 401006
    algo_id = accepted(desk, "CONDITIONAL", **wanted, limit_price="61999.9", algo_provider="HOUSE")
    assert algo(desk, algo_id).limit_price == ""


# -- durability --------------------------------------------------------------------------------------------------------


def test_algo_orders_survive_a_restart_and_still_trigger() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    desk.place("BUY", "0.02", "60000", tp_trigger_price="62500")
    pending = place(desk, "CONDITIONAL", side="BUY", conditional_trigger_price="62500", client_order_id="kept")
    assert isinstance(pending, AlgoReply)
    again = desk.restarted(agents="still")
    again.check()
    assert again.state_hash() == desk.exchange.state_hash()
    assert again.queries.algos(desk.main) == desk.exchange.queries.algos(desk.main)
    again.apply(Advance(), desk.now + 2000)
    assert again.queries.algo(desk.main, client_order_id="kept").order_state == "NEW"
    desk.exchange = again
    desk.now += 2000
    desk.steer("BTC", "60900")
    assert again.queries.positions(desk.main) == []


def test_algo_order_pushes_have_rising_timestamps() -> None:
    desk = Desk()
    long(desk, sl_trigger_price="61000")
    bids(desk, "60990")
    desk.place("SELL", "0.002", "60990", time_in_force="IOC")
    stamps = [int(e.record.update_at) for e in desk.log if isinstance(e, AlgoChanged)]
    assert stamps == sorted(set(stamps))
    pushed = [e.record for e in desk.log if isinstance(e, OrderChanged) and e.record.algo_order_id]
    assert pushed[0].order_state == "NEW"


def test_an_account_near_liquidation_loses_its_algo_orders() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "1", sl_trigger_price="61000")
    elsewhere = accepted(desk, "CONDITIONAL", "1", OKX, side="BUY", conditional_trigger_price="62500")
    desk.switch("risk_ladder", "999 998 3 2")
    desk.steer("BTC", "61800")
    assert algo(desk, elsewhere).order_state == "NEW"
    assert {row.order_state for row in desk.exchange.queries.algos(desk.main)} == {"NEW"}
    desk.switch("risk_ladder", "999 998 997 2")
    desk.steer("BTC", "61801")
    ended = {row.sym: (row.order_state, row.reason) for row in desk.exchange.queries.algos(desk.main)}
    assert ended == {PERP: ("CANCELLED", "Account risk"), OKX: ("NEW", "")}
