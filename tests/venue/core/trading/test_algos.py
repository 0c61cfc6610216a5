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
    found = desk.exchange.queries.algo(desk.main, algo_order_id=algo_id)
    assert isinstance(found, AlgoRecord), found
    return found


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


def test_an_attached_order_waits_for_fills_and_follows_them() -> None:
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


def test_the_position_row_shows_its_protection() -> None:
    desk = Desk()
    long(desk, sl_trigger_price="61000")
    shown = desk.exchange.queries.positions(desk.main)[0].tpsl_order
    assert shown == [only(desk)]
    desk.do(CancelAlgo(portfolio=desk.main, algo_order_id=only(desk).algo_order_id))
    desk.wait()
    assert desk.exchange.queries.positions(desk.main)[0].tpsl_order == []


def test_protection_ends_with_an_unfilled_order_only() -> None:
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


def test_a_refused_post_only_order_takes_its_protection_with_it() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.01", "61800")
    desk.place("BUY", "0.01", "61800", time_in_force="GTX", sl_trigger_price="61000")
    assert only(desk).order_state == "CANCELLED"


def test_stop_by_last_fires_on_one_print_and_closes_at_market() -> None:
    desk = Desk()
    long(desk, sl_trigger_price="61000", tp_trigger_price="63000")
    bids(desk, "60990")
    desk.place("SELL", "0.002", "60990", time_in_force="IOC")
    row = only(desk)
    assert states(desk, row.algo_order_id)[-1] == "COMPLETED"
    child = children(desk, row.algo_order_id)[0]
    assert (child.order_type, child.reduce_only, child.exchange_order_type, child.order_state) == (
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


def test_last_fires_where_mark_waits() -> None:
    """TX-04: sell stop, last below it, mark above it."""
    for kind, fired in (("LAST_PRICE", True), ("MARK_PRICE", False)):
        desk = Desk()
        long(desk, sl_trigger_price="61000", sl_trigger_type=kind)
        bids(desk, "60990")
        desk.place("SELL", "0.002", "60990", time_in_force="IOC")
        assert (only(desk).order_state == "COMPLETED") is fired


def test_mark_trigger_fires_when_the_mark_is_there() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    desk.steer("BTC", "61100")
    assert only(desk).order_state == "NEW"
    desk.steer("BTC", "60900")
    assert only(desk).order_state == "COMPLETED"
    assert desk.exchange.queries.positions(desk.main) == []


def test_take_profit_of_a_short_fires_below_and_its_stop_above() -> None:
    for trigger, price in (("tp", "61000"), ("sl", "62500")):
        desk = Desk(agents="still")
        desk.place("SELL", "0.01", **{f"{trigger}_trigger_price": price, f"{trigger}_trigger_type": "MARK_PRICE"})
        desk.steer("BTC", price)
        assert (only(desk).side, only(desk).order_state) == ("BUY", "COMPLETED")


def test_one_fires_and_the_other_dies() -> None:
    desk = Desk(agents="still")
    desk.place(
        "BUY", "0.01", tp_trigger_price="63000", tp_trigger_type="MARK_PRICE",
        sl_trigger_price="61000", sl_trigger_type="MARK_PRICE",
    )  # fmt: skip
    desk.steer("BTC", "63100")
    assert only(desk).order_state == "COMPLETED"
    desk.steer("BTC", "60000")
    assert len(children(desk, only(desk).algo_order_id)) == 1


def test_when_both_are_hit_in_one_step_the_stop_is_taken() -> None:
    desk = Desk()
    long(desk, tp_trigger_price="62000", tp_price="61990", sl_trigger_price="61500", sl_price="61400")
    desk.sub_place("BUY", "0.001", "62000")
    desk.sub_place("BUY", "0.001", "61500")
    desk.place("SELL", "0.002", "61500", time_in_force="IOC")
    assert [child.limit_price for child in children(desk, only(desk).algo_order_id)] == ["61400"]


def test_the_end_of_a_limit_child_ends_the_algo_order() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE", sl_price="61900")
    desk.steer("BTC", "60900")
    row = only(desk)
    child = children(desk, row.algo_order_id)[0]
    assert (row.order_state, child.order_state, child.limit_price) == ("PROCESSING", "OPEN", "61900")
    desk.cancel(child.order_id)
    desk.wait()
    assert only(desk).order_state == "FAILED"


def test_child_closes_no_more_than_is_left() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.03", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    desk.place("SELL", "0.02")
    desk.steer("BTC", "60900")
    assert children(desk, only(desk).algo_order_id)[0].order_qty == "0.01"
    assert desk.exchange.queries.positions(desk.main) == []


def test_legs_of_hedge_mode_are_protected_apart() -> None:
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
def test_a_bought_coin_is_protected_by_last_where_no_mark_is(sym: str) -> None:
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
def test_wrong_triggers_of_an_order_are_refused(side: str, more: dict[str, Any], wanted: int, names: str) -> None:
    desk = Desk()
    reply = desk.try_place(side, "0.01", "61800", **more)
    assert code(reply) == wanted
    assert isinstance(reply, Rejected)
    assert names in reply.message
    assert desk.exchange.queries.orders(desk.main) == []


def test_zero_and_empty_mean_no_trigger() -> None:
    desk = Desk()
    desk.place("BUY", "0.01", "61000", tp_trigger_price="0", tp_trigger_type="LAST_PRICE", tp_price="0")
    assert desk.exchange.queries.algos(desk.main) == []


def test_a_far_limit_is_the_reference_of_its_triggers() -> None:
    desk = Desk()
    desk.place("BUY", "0.01", "58000", tp_trigger_price="60000", sl_trigger_price="57000")
    assert code(desk.try_place("BUY", "0.01", "58000", sl_trigger_price="60000")) == 401916


# -- placed by themselves ----------------------------------------------------------------------------------------------


def test_placed_order_is_armed_a_little_later() -> None:
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
def test_a_conditional_order_waits_from_either_side(trigger: str, move: str) -> None:
    desk = Desk(agents="still")
    made = accepted(
        desk, "CONDITIONAL", side="BUY", conditional_trigger_price=trigger, conditional_trigger_type="MARK_PRICE"
    )
    desk.steer("BTC", move)
    assert algo(desk, made).order_state == "COMPLETED"
    assert desk.exchange.queries.positions(desk.main)[0].position_qty == "0.01"


def test_whole_position_closes_what_is_held_when_it_fires() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01")
    made = accepted(desk, "ENTIRE_CLOSE_POSITION", "", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    assert (algo(desk, made).order_qty, algo(desk, made).side, algo(desk, made).reduce_only) == ("", "SELL", "true")
    desk.place("BUY", "0.02")
    desk.steer("BTC", "60900")
    assert algo(desk, made).executed_qty == "0.03"
    assert desk.exchange.queries.positions(desk.main) == []


def test_part_of_a_position_is_closed() -> None:
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
def test_refusals_of_a_placement(condition: str, more: dict[str, Any], wanted: int) -> None:
    desk = Desk()
    assert code(place(desk, condition, **more)) == wanted
    assert desk.exchange.queries.algos(desk.main) == []
    assert desk.events == []


def test_hedge_mode_needs_a_leg() -> None:
    desk = Desk()
    desk.do(SetPositionMode(portfolio=desk.main, exchange_type="BINANCE", position_mode="BOTH"))
    assert code(place(desk, "CONDITIONAL", side="BUY", conditional_trigger_price="62500")) == 401905


def test_side_of_a_closing_order_must_close() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01")
    assert code(place(desk, "PARTIAL_CLOSE_POSITION", side="BUY", tp_trigger_price="62500")) == 401903


def test_algo_client_ids_are_separate_and_the_newest_counts() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", "61000", client_order_id="same")
    accepted(desk, "CONDITIONAL", side="BUY", conditional_trigger_price="62500", client_order_id="same")
    second = accepted(desk, "CONDITIONAL", side="BUY", conditional_trigger_price="62500", client_order_id="same")
    found = desk.exchange.queries.algo(desk.main, client_order_id="same")
    assert isinstance(found, AlgoRecord)
    assert found.algo_order_id == second


def test_a_refused_child_fails_its_algo_order_with_the_code() -> None:
    desk = Desk(agents="still")
    made = accepted(
        desk, "CONDITIONAL", "900", side="BUY", conditional_trigger_price="62500", conditional_trigger_type="MARK_PRICE"
    )
    desk.steer("BTC", "62600")
    assert algo(desk, made).order_state == "FAILED"
    assert algo(desk, made).reason.startswith("401902 ")
    assert children(desk, made) == []


# -- replace and cancel ------------------------------------------------------------------------------------------------


def test_replace_changes_what_is_sent_and_keeps_the_rest() -> None:
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


def test_attached_protection_is_replaced_and_its_order_shows_it() -> None:
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


def test_finished_and_working_ones_cannot_be_replaced() -> None:
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


def test_cancel_is_pending_first_and_a_trigger_may_win_the_race() -> None:
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


def test_cancel_by_client_id_and_by_the_protected_order() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.03", "61800", sl_trigger_price="61000")
    reply = desk.do(CancelAlgo(portfolio=desk.main, order_id=order))
    assert reply == AlgoReply(algo_order_id=only(desk).algo_order_id, client_order_id=only(desk).client_order_id)
    desk.wait()
    assert only(desk).order_state == "CANCELLED"
    assert desk.order(order).order_state == "OPEN"
    assert code(desk.do(CancelAlgo(portfolio=desk.main))) == 401008
    assert code(desk.do(CancelAlgo(portfolio=desk.sub, algo_order_id=only(desk).algo_order_id))) == 401018


def test_cancel_all_takes_what_matches_every_filter() -> None:
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


def test_tpsl_orders_ignore_a_limit_price_and_engine_name() -> None:
    """They are for algo types with a limit of their own; a limit price that is no number is refused all the same."""
    desk = Desk(agents="still")
    wanted = {"side": "BUY", "conditional_trigger_price": "62500"}
    assert code(place(desk, "CONDITIONAL", **wanted, limit_price="cheap")) == 401006
    algo_id = accepted(desk, "CONDITIONAL", **wanted, limit_price="61999.9", algo_provider="HOUSE")
    assert algo(desk, algo_id).limit_price == ""


# -- durability --------------------------------------------------------------------------------------------------------


def test_algo_orders_survive_a_restart_and_still_fire() -> None:
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
    kept = again.queries.algo(desk.main, client_order_id="kept")
    assert isinstance(kept, AlgoRecord)
    assert kept.order_state == "NEW"
    desk.exchange = again
    desk.now += 2000
    desk.steer("BTC", "60900")
    assert again.queries.positions(desk.main) == []


def test_every_push_of_an_algo_order_has_a_later_time_stamp() -> None:
    desk = Desk()
    long(desk, sl_trigger_price="61000")
    bids(desk, "60990")
    desk.place("SELL", "0.002", "60990", time_in_force="IOC")
    stamps = [int(e.record.update_at) for e in desk.log if isinstance(e, AlgoChanged)]
    assert stamps == sorted(set(stamps))
    pushed = [e.record for e in desk.log if isinstance(e, OrderChanged) and e.record.algo_order_id]
    assert pushed[0].order_state == "NEW"


def test_an_account_at_risk_loses_its_algo_orders_too() -> None:
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
