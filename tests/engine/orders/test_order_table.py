"""Orders fold the same way in whatever order their messages come."""

from __future__ import annotations

import itertools
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tests.client.fakes import order
from tests.engine.conftest import StateRig, queue_of
from tui.engine.rows import LocalOrderState, OrderRow, PendingAction, Source
from tui.interface.families.orders import OrderRecord

CID = "cdabc123000000000000aa"


def record(at: int, state: str, executed: str = "0", **changes: Any) -> OrderRecord:
    raw = order(orderState=state, executedQty=executed, updateAt=str(at), clientOrderId=CID, **changes)
    return msgspec.convert(raw, OrderRecord)


def sent(bare: StateRig) -> None:
    """An order of ours, on its way."""
    bare.state.orders.add(
        OrderRow(
            key=CID,
            client_order_id=CID,
            sym="BINANCE_PERP_BTC_USDT",
            side="BUY",
            qty="0.01",
            price="60000",
            state=LocalOrderState.SENT.value,
            stamp=bare.state.stamp(Source.LOCAL),
        )
    )


def fold(bare: StateRig, one: OrderRecord, source: Source = Source.PUSH) -> OrderRow:
    bare.clock.advance(0.001)
    key = bare.state.orders.fold(one, bare.state.stamp(source, int(one.update_at)))
    return bare.state.orders.rows[key]


LIFE = [
    record(10, "NEW"),
    record(10, "OPEN"),
    record(20, "PARTIALLY_FILLED", "0.004"),
    record(30, "FILLED", "0.01"),
]


@pytest.mark.parametrize("path", list(itertools.permutations(range(4))))
def test_f23_order_records_in_any_sequence_end_in_the_same_state(bare: StateRig, path: tuple[int, ...]) -> None:
    sent(bare)
    for index in path:
        row = fold(bare, LIFE[index])
    assert (row.state, row.executed, row.conflict, row.key) == ("FILLED", "0.01", "", CID)
    executed = [float(one.executed) for one in bare.state.orders.rows.values()]
    assert executed == [0.01]
    assert not bare.asked


@pytest.mark.parametrize("times", [2, 100])
def test_f22_repeated_order_pushes_change_nothing(bare: StateRig, times: int) -> None:
    sent(bare)
    for one in LIFE:
        fold(bare, one)
    lines = len(bare.screen.look().events)
    for one in LIFE * times:
        fold(bare, one)
    assert bare.state.orders.rows[CID].state == "FILLED"
    assert len(bare.screen.look().events) == lines


def test_f24_a_place_reply_after_a_push_changes_nothing(bare: StateRig) -> None:
    sent(bare)
    fold(bare, LIFE[3])
    bare.state.orders.apply_reply(
        CID, order_id="2000000000000001", state="NEW", reason="", stamp=bare.state.stamp(Source.REPLY)
    )
    assert bare.state.orders.rows[CID].state == "FILLED"


def test_f07_a_place_reply_without_a_push_shows_new(bare: StateRig) -> None:
    sent(bare)
    bare.state.orders.apply_reply(
        CID, order_id="2000000000000001", state="NEW", reason="", stamp=bare.state.stamp(Source.REPLY)
    )
    row = bare.state.orders.rows[CID]
    assert (row.state, row.stamp.source) == ("NEW", Source.REPLY)
    assert fold(bare, LIFE[1]).state == "OPEN"


def test_i7_a_contradicted_end_state_is_a_conflict_and_queried(bare: StateRig) -> None:
    sent(bare)
    fold(bare, LIFE[3])
    row = fold(bare, record(40, "OPEN", "0.01"))
    assert row.state == "FILLED"
    assert "OPEN" in row.conflict
    assert bare.asked == [CID]
    row = fold(bare, record(50, "OPEN", "0.01"), Source.QUERY)
    assert (row.state, row.final) == ("OPEN", False)
    assert "FILLED" in row.conflict


def test_an_order_query_that_agrees_clears_the_conflict(bare: StateRig) -> None:
    sent(bare)
    fold(bare, LIFE[3])
    fold(bare, record(40, "OPEN", "0.01"))
    assert fold(bare, LIFE[3], Source.QUERY).conflict == ""


@pytest.mark.parametrize(
    ("executed", "words"),
    [("0.001", "went down"), ("0.02", "of 0.01"), ("-1", "not possible"), ("1e9x", "not possible")],
)
def test_f33_an_impossible_quantity_keeps_the_old_value(bare: StateRig, executed: str, words: str) -> None:
    sent(bare)
    fold(bare, record(20, "PARTIALLY_FILLED", "0.004"))
    row = fold(bare, record(30, "PARTIALLY_FILLED", executed))
    assert row.executed == "0.004"
    assert words in row.conflict
    assert bare.asked == [CID]


def test_f32_an_unknown_order_state_is_shown_and_queried(bare: StateRig) -> None:
    sent(bare)
    row = fold(bare, record(20, "HALF_OPEN"))
    assert (row.state, row.final) == ("HALF_OPEN", False)
    assert bare.asked == [CID]


def test_f26_orders_of_others_are_external(bare: StateRig) -> None:
    row = fold(bare, msgspec.structs.replace(record(20, "OPEN"), client_order_id="somebody"))
    assert row.external
    assert row.key == "2000000000000001"
    assert bare.screen.said("EXTERNAL")


def test_f31_one_client_id_with_two_orders_is_a_conflict_on_both(bare: StateRig) -> None:
    sent(bare)
    fold(bare, record(20, "OPEN"))
    second = fold(bare, record(21, "OPEN", orderId="2000000000000002"))
    assert second.key == "2000000000000002"
    assert second.conflict
    assert bare.state.orders.rows[CID].conflict
    assert bare.state.orders.rows[CID].order_id == "2000000000000001"


def test_a_replace_by_a_new_order_id_stays_in_one_row(bare: StateRig) -> None:
    sent(bare)
    fold(bare, record(20, "OPEN"))
    row = fold(bare, record(30, "OPEN", orderId="2000000000000002", orderType="REPLACE", limitPrice="60001"))
    assert (row.key, row.price, row.final) == (CID, "60001", False)
    fold(bare, record(31, "CANCELLED"))
    assert bare.state.orders.rows[CID].state == "OPEN"


def test_an_unknown_order_stays_unknown_until_a_query_finds_it(bare: StateRig) -> None:
    sent(bare)
    bare.state.orders.mark_unknown(CID, "no answer", bare.clock.mono())
    bare.clock.advance(1e6)
    bare.state.orders.sweep(bare.clock.mono(), 60)
    assert bare.state.orders.rows[CID].state == LocalOrderState.UNKNOWN
    assert fold(bare, LIFE[1], Source.QUERY).state == "OPEN"
    assert bare.screen.said("resolved")


def test_a_cancel_of_an_unknown_order_keeps_its_age(bare: StateRig) -> None:
    sent(bare)
    orders, clock = bare.state.orders, bare.clock
    orders.mark_unknown(CID, "no answer", clock.mono())
    since = clock.mono()
    clock.advance(8.0)
    orders.set_pending(CID, PendingAction.CANCEL, "c1", clock.mono())
    assert (orders.rows[CID].state, orders.rows[CID].since) == (LocalOrderState.UNKNOWN, since)


def test_events_of_an_unknown_order_or_cancel_are_marked_unsure(bare: StateRig) -> None:
    sent(bare)
    bare.state.orders.mark_unknown(CID, "no answer", bare.clock.mono())
    fold(bare, LIFE[1], Source.QUERY)
    bare.state.orders.set_pending(CID, PendingAction.CANCEL, "i1", bare.clock.mono())
    bare.state.orders.mark_action_unknown(CID, "i1", "no answer")
    lines = queue_of(bare.state.updates).take().events
    assert [(line.key, line.text.split()[0]) for line in lines if line.unsure] == [(CID, "UNKNOWN:"), (CID, "cancel?")]
    assert bare.state.orders.rows[CID].unsure


def test_an_order_that_was_pushed_stays_known_without_reply(bare: StateRig) -> None:
    sent(bare)
    fold(bare, LIFE[1])
    bare.state.orders.mark_unknown(CID, "no answer", bare.clock.mono())
    assert bare.state.orders.rows[CID].state == "OPEN"


def test_a_dismissed_order_is_restored_by_a_late_push(bare: StateRig) -> None:
    sent(bare)
    assert not bare.state.orders.dismiss(CID, bare.clock.mono())
    bare.state.orders.mark_unknown(CID, "no answer", bare.clock.mono())
    assert bare.state.orders.dismiss(CID, bare.clock.mono())
    assert not bare.state.orders.unknown()
    fold(bare, LIFE[1])
    assert [row.state for row in bare.state.orders.working()] == ["OPEN"]
    assert bare.screen.said("dismissed order is back")


def test_a_fill_restores_a_dismissed_order(bare: StateRig) -> None:
    sent(bare)
    bare.state.orders.mark_unknown(CID, "no answer", bare.clock.mono())
    bare.state.orders.dismiss(CID, bare.clock.mono())
    assert bare.state.orders.count_fill(CID, "77", Decimal("0.004"))
    assert [(row.state, row.order_id) for row in bare.state.orders.unknown()] == [(LocalOrderState.UNKNOWN, "77")]
    assert bare.screen.order(CID).order_id == "77"
    assert bare.screen.said("dismissed order is back")


def test_repeated_pushes_do_not_restore_ended_order_rows(bare: StateRig) -> None:
    sent(bare)
    fold(bare, LIFE[3])
    bare.clock.advance(61)
    bare.state.orders.sweep(bare.clock.mono(), 60)
    assert not list(bare.state.orders.visible_rows())
    for one in LIFE:
        fold(bare, one)
    assert not list(bare.state.orders.visible_rows())
    fold(bare, record(99, "OPEN", "0.01"))
    assert [row.conflict != "" for row in bare.state.orders.visible_rows()] == [True]


def begin(bare: StateRig, overlay: PendingAction) -> None:
    sent(bare)
    fold(bare, record(20, "OPEN"))
    bare.state.orders.set_pending(CID, overlay, "i1", bare.clock.mono(), "60001", "0.02")


def test_f27_a_rejected_replace_keeps_the_order_row(bare: StateRig) -> None:
    begin(bare, PendingAction.AMEND)
    fold(bare, record(21, "OPEN", action="AMEND_PENDING"))
    row = fold(bare, record(22, "OPEN", action="AMEND_FAILED", actionMsg="401015 tick"))
    assert (row.state, row.price, row.overlay, row.requested_price) == ("OPEN", "60000", PendingAction.NOTHING, "")
    assert bare.screen.said("kept unchanged (401015 tick)")


def test_a_completed_replace_updates_price_and_quantity(bare: StateRig) -> None:
    begin(bare, PendingAction.AMEND)
    row = fold(bare, record(22, "OPEN", action="AMEND_COMPLETED", limitPrice="60001", orderQty="0.02"))
    assert (row.price, row.qty, row.overlay) == ("60001", "0.02", PendingAction.NOTHING)
    assert bare.screen.said("amended")


@pytest.mark.parametrize("flipped", [False, True])
def test_f29_a_cancel_that_races_a_fill_ends_filled(bare: StateRig, flipped: bool) -> None:
    begin(bare, PendingAction.CANCEL)
    pushes = [record(22, "OPEN", action="CANCEL_FAILED"), record(23, "FILLED", "0.01", action="CANCEL_FAILED")]
    for one in reversed(pushes) if flipped else pushes:
        fold(bare, one)
    row = bare.state.orders.rows[CID]
    assert (row.state, row.overlay, row.conflict) == ("FILLED", PendingAction.NOTHING, "")


def test_f10_a_lost_cancel_stays_open_until_the_service_answers(bare: StateRig) -> None:
    begin(bare, PendingAction.CANCEL)
    bare.state.orders.mark_action_unknown(CID, "i1", "no answer")
    row = fold(bare, record(20, "OPEN"), Source.QUERY)
    assert (row.state, row.overlay) == ("OPEN", PendingAction.CANCEL_LOST)
    assert fold(bare, record(25, "CANCELLED", cancelType="USER")).overlay is PendingAction.NOTHING


def test_f09_a_lost_replace_is_confirmed_by_a_query(bare: StateRig) -> None:
    begin(bare, PendingAction.AMEND)
    bare.state.orders.mark_action_unknown(CID, "i1", "no answer")
    assert bare.state.orders.rows[CID].overlay is PendingAction.AMEND_LOST
    row = fold(bare, record(25, "OPEN", action="AMEND_COMPLETED", limitPrice="60001", orderQty="0.02"), Source.QUERY)
    assert (row.overlay, row.price) == (PendingAction.NOTHING, "60001")


def test_f76_an_outdated_query_reply_changes_nothing(bare: StateRig) -> None:
    sent(bare)
    fold(bare, record(30, "PARTIALLY_FILLED", "0.004"))
    assert fold(bare, record(20, "OPEN"), Source.QUERY).executed == "0.004"


def test_a_reused_order_id_gets_its_own_row(bare: StateRig) -> None:
    sent(bare)
    old = fold(bare, record(10, "OPEN"))
    again = msgspec.structs.replace(record(20, "FILLED", "0.01"), client_order_id="theirs", side="SELL")
    new = fold(bare, again)
    assert new.key != old.key and new.state == "FILLED"
    assert bare.state.orders.rows[CID].state == "OPEN"
    assert "is of another order now" in bare.state.orders.rows[CID].conflict
    assert bare.state.orders.find(again.order_id, "theirs") == new.key
    assert bare.state.orders.find(old.order_id, CID) == CID, "our own order is found by its client order id"
    assert fold(bare, again).key == new.key and len(bare.state.orders.rows) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"limitPrice": "-5"}, "limit price '-5' is not possible"),
        ({"orderQty": "-1"}, "size '-1' is not possible"),
    ],
)
def test_an_impossible_order_price_or_size_is_a_conflict(bare: StateRig, changes: dict[str, str], words: str) -> None:
    sent(bare)
    fold(bare, record(10, "OPEN"))
    row = fold(bare, record(20, "PARTIALLY_FILLED", "0.004", **changes))
    assert (row.price, row.qty, row.state, row.conflict) == ("60000", "0.01", "OPEN", words)
    assert bare.asked == [CID]


def test_order_records_with_invalid_time_are_dropped_and_counted(bare: StateRig) -> None:
    sent(bare)
    odd = msgspec.structs.replace(record(10, "FILLED", "0.01"), update_at="9" * 30)
    for _ in range(3):
        assert bare.state.fold_order(odd, Source.PUSH) == ""
    bare.clock.advance(6)
    bare.state.fold_order(odd, Source.PUSH)
    said = [line.text for line in bare.screen.look().events]
    assert said[0] == f"dropped an order record whose updateAt {'9' * 30!r} is no time in ms"
    assert said[-1].endswith("; 3 records since the last such line")
    assert bare.state.orders.rows[CID].state == LocalOrderState.SENT


def test_ids_of_two_orders_in_one_record_make_a_third_row(bare: StateRig) -> None:
    """The order id of one order and the client order id of another come back together: it is neither of them."""
    theirs = msgspec.structs.replace(record(10, "OPEN"), client_order_id="theirs")
    sent(bare)
    ours = fold(bare, record(20, "OPEN", orderId="2000000000000002"))
    first = fold(bare, theirs)
    third = fold(bare, record(30, "FILLED", "0.01", side="SELL", createAt="25"))
    assert (third.state, third.side, third.executed) == ("FILLED", "SELL", "0.01")
    rows = bare.state.orders.rows
    assert len(rows) == 3
    assert (rows[ours.key].state, rows[ours.key].executed, rows[ours.key].order_id) == ("OPEN", "0", "2000000000000002")
    assert (rows[first.key].state, rows[first.key].executed) == ("OPEN", "0")
    assert bare.screen.said("one client order id, two orders") and bare.screen.said("is of another order now")


def test_reused_ids_with_another_side_mean_a_new_order(bare: StateRig) -> None:
    sent(bare)
    before = fold(bare, record(10, "OPEN"))
    after = fold(bare, record(20, "FILLED", "0.01", side="SELL"))
    rows = bare.state.orders.rows
    assert len(rows) == 2 and (after.side, after.state) == ("SELL", "FILLED")
    assert (rows[before.key].side, rows[before.key].state) == ("BUY", "OPEN")
    assert fold(bare, record(30, "PARTIALLY_FILLED", "0.004")).key == before.key, "each goes on in its own row"
    assert fold(bare, record(40, "FILLED", "0.01", side="SELL")).key == after.key
