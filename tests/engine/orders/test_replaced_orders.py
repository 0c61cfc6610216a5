"""Records of an order whose amend made a new order, and of the order it replaced."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.engine.order_rig import CID, ID, NEXT, NEXT_WORDS, OTHER, Told
from tui.engine.event_line import Level
from tui.engine.rows import Source


@pytest.mark.parametrize(("state", "executed"), [("OPEN", "0"), ("CANCELLED", "0"), ("PARTIALLY_FILLED", "0.004")])
@pytest.mark.parametrize("at", [19, 20, 21])
def test_an_order_row_continues_under_its_replacement_id(told: Told, state: str, executed: str, at: int) -> None:
    told.sent("SENT")
    told.fold(state, executed)
    told.orders.count_fill(CID, ID, Decimal("0.005"))
    told.heard()
    row = told.fold("OPEN", "0.001", at, **NEXT)
    assert row.filled == "0.001", "the fills before were those of the former id"
    assert (row.key, row.order_id, row.earlier_ids, row.state, row.final, row.price, row.executed, row.conflict) == (
        *(CID, OTHER, (ID,), "OPEN", False, "60001", "0.001", ""),
    )
    assert row.stamp.update_at == at
    assert [told.orders.find(OTHER, ""), told.orders.find(ID, "")] == [CID, ""]
    assert told.heard() == [(Level.GOOD, f"{NEXT_WORDS}: OPEN 0.001/0.01", CID)]
    assert told.asked == []


def test_a_replacement_order_with_bad_quantities_is_unknown(told: Told) -> None:
    told.sent("SENT")
    told.fold("CANCELLED", "0.004")
    row = told.fold("OPEN", "-1", 21, **NEXT)
    assert (row.order_id, row.earlier_ids, row.state, row.final, row.executed) == (OTHER, (ID,), "SENT", False, "0")
    assert (row.conflict, told.asked) == ("executed quantity '-1' is not possible", [CID])


def test_pushes_of_a_replaced_order_change_nothing(told: Told) -> None:
    told.sent("SENT")
    told.fold("OPEN")
    row = told.fold("OPEN", at=21, **NEXT)
    for at, state, executed, source in (
        (30, "CANCELLED", "0", Source.PUSH),
        (31, "FILLED", "0.01", Source.PUSH),
        (32, "CANCELLED", "0", Source.QUERY),
    ):
        after = told.fold(state, executed, at=at, source=source)
        assert after == msgspec.structs.replace(row, earlier_at=(at,)), "only its stamp is kept"
    assert list(told.orders.rows) == [CID]
    assert list(told.orders.visible_rows()) == [after], "the screen has the same row"
    third = told.fold("OPEN", at=33, **{**NEXT, "orderId": "3", "createAt": "11"})
    assert (third.key, third.order_id, third.earlier_ids) == (CID, "3", (ID, OTHER))


def test_a_late_end_of_a_replaced_order_leaves_the_row_open(told: Told) -> None:
    told.fold("OPEN", at=21, **NEXT)
    after = told.fold("CANCELLED", at=30)
    assert (after.order_id, after.state, after.earlier_ids, after.earlier_at) == (OTHER, "OPEN", (ID,), (30,))


def test_a_push_of_a_replaced_order_restores_no_hidden_row(told: Told) -> None:
    told.sent("SENT")
    told.fold("OPEN")
    told.fold("FILLED", "0.01", at=21, **NEXT)
    told.orders.sweep(told.now + 100, 1)
    assert told.visible() == []
    told.fold("CANCELLED", at=30)
    assert told.visible() == []


def test_a_replaced_order_still_listed_is_a_second_row(told: Told) -> None:
    told.sent("SENT")
    told.fold("OPEN")
    told.fold("OPEN", at=21, **NEXT)
    alive = told.fold("OPEN", at=30, source=Source.SNAPSHOT, orderType="REPLACE")
    assert (alive.key, alive.conflict) == (ID, f"same client order id as {OTHER}")
    assert told.orders.rows[CID].order_id == OTHER


@pytest.mark.parametrize("end_first", [True, False])
def test_an_older_list_does_not_restore_a_replaced_order(told: Told, end_first: bool) -> None:
    told.sent("SENT")
    told.fold("OPEN", at=1000)
    if end_first:
        told.fold("CANCELLED", at=2001)
    told.fold("OPEN", at=2000, **NEXT)
    if not end_first:
        told.fold("CANCELLED", at=2001)
    row = told.fold("OPEN", at=1000, source=Source.SNAPSHOT)
    assert (row.key, row.order_id, row.state, row.conflict) == (CID, OTHER, "OPEN", "")
    assert list(told.orders.rows) == [CID]


def test_a_replacement_without_fills_is_reported_as_info(told: Told) -> None:
    told.sent("SENT")
    told.fold("PARTIALLY_FILLED", "0.004")
    told.heard()
    told.fold("OPEN", "0", 30, **NEXT)
    assert [level for level, _, _ in told.heard()] == [Level.INFO]


def test_two_orders_with_one_client_id_are_queried_till_one_ends(told: Told) -> None:
    told.sent("SENT")
    told.fold("OPEN")
    told.fold("OPEN", at=21, **NEXT)
    told.asked.clear()
    told.fold("OPEN", at=30, source=Source.SNAPSHOT)
    assert told.asked == [ID]
    assert told.fold("OPEN", at=30, source=Source.QUERY).conflict, "both live"
    assert told.orders.rows[CID].conflict
    ended = told.fold("CANCELLED", at=40, source=Source.QUERY)
    assert (ended.state, ended.conflict, told.orders.rows[CID].conflict) == ("CANCELLED", "", "")


def test_an_order_row_keeps_the_first_order_id_it_gets(told: Told) -> None:
    told.sent("SENT")
    assert told.fold("OPEN", **NEXT).earlier_ids == ()
    assert told.fold("OPEN", at=21, clientOrderId="", orderId=OTHER).key == CID
