"""How one record becomes a row, which of two is newer, and what ends a replace or cancel: the tables, line by line."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO, order
from tests.engine.conftest import DECISION
from tui.engine.intents import Place
from tui.engine.rows import OrderRow, PendingAction, Source, Stamp
from tui.engine.state import order_fold
from tui.engine.state.order_fold import Pending
from tui.interface.families.orders import OrderRecord, OrderType, PositionSide, Side, TimeInForce
from tui.workstation.table.raw_facts import raw_facts

ID, OTHER = "2000000000000001", "2000000000000002"


def record(state: str = "OPEN", executed: str = "0", at: int = 20, **changes: Any) -> OrderRecord:
    return msgspec.convert(order(orderState=state, executedQty=executed, updateAt=str(at), **changes), OrderRecord)


def stamp(at: int = 20, source: Source = Source.PUSH, received: float = 7.5) -> Stamp:
    return Stamp(PORTFOLIO, 3, at, source, received)


# -- which of two of the same time --------------------------------------------------------------------------------------

ON_ITS_WAY = (
    [record("NEW"), record("ACCEPTED")],
    [record("NEW", action="CANCEL_PENDING"), record("ACCEPTED", action="AMEND_PENDING")],
    [record("NEW", action="AMEND_FAILED")],
    [record("OPEN"), record("HALF_OPEN")],
    [record("OPEN", action="AMEND_PENDING"), record("OPEN", action="CANCEL_PENDING")],
    [record("OPEN", action="AMEND_COMPLETED"), record("OPEN", action="CANCEL_FAILED")],
    [record("PARTIALLY_FILLED")],
    [record("CANCELLED"), record("REJECT"), record("EXPIRED"), record("FILLED")],
    [record("CANCELLED", action="CANCEL_COMPLETED")],
    [record("NEW", "0.004")],
    [record("OPEN", "0.004")],
    [record("FILLED", "0.004")],
    [record("OPEN", "0.005")],
)
"""Records of one time; those of a line are even, those of a later line are newer."""


def test_order_records_are_ranked_by_fills_then_by_end_state() -> None:
    ranks = [[order_fold.rank(one, Decimal(one.executed_qty)) for one in line] for line in ON_ITS_WAY]
    assert all(one == line[0] for line in ranks for one in line)
    assert all(line[0] < after[0] for line, after in pairwise(ranks))


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("CANCELED", "CANCELLED", True),
        ("CANCELLED", "CANCELED", True),
        ("REJECT", "REJECTED", True),
        ("REJECTED", "REJECT", True),
        *((end, end, True) for end in ("FILLED", "CANCELED", "CANCELLED", "REJECT", "REJECTED", "FAIL", "EXPIRED")),
        ("REJECT", "CANCELLED", False),
        ("REJECTED", "CANCELED", False),
        ("FILLED", "CANCELLED", False),
        ("CANCELED", "EXPIRED", False),
        ("FAIL", "REJECT", False),
    ],
)
def test_cancelled_and_canceled_are_the_same_end_state(left: str, right: str, same: bool) -> None:
    assert order_fold.is_same_end(left, right) is same


@pytest.mark.parametrize(
    ("text", "figure"), [("0.004", Decimal("0.004")), ("", Decimal(0)), ("0", Decimal(0)), ("1_0", None), ("x", None)]
)
def test_executed_quantity_is_0_if_empty_and_none_if_unreadable(text: str, figure: Decimal | None) -> None:
    assert order_fold.parse_executed(record(executed=text)) == figure


@pytest.mark.parametrize(
    ("origin", "at", "created", "follows"),
    [
        ("REPLACE", "6", 5, True),
        ("REPLACE", "5", 5, True),
        ("REPLACE", "4", 5, False),
        ("REPLACE", "1", 2, False),
        ("REPLACE", "", 5, True),
        ("REPLACE", "x", 5, True),
        ("REPLACE", "6", 0, True),
        ("DMA", "6", 5, False),
        ("DMA", "", 5, False),
        ("", "6", 5, False),
    ],
)
def test_only_an_order_created_later_is_taken_as_replacement(origin: str, at: str, created: int, follows: bool) -> None:
    assert order_fold.follows(record(orderType=origin, createAt=at), created) is follows


def row(**changes: Any) -> OrderRow:
    values: dict[str, Any] = {
        "key": "c",
        "client_order_id": "c",
        "order_id": ID,
        "sym": "S",
        "side": "BUY",
        "state": "OPEN",
        "stamp": stamp(),
    }
    return OrderRow(**{**values, **changes})


MADE = {"origin": "REPLACE", "create_at": 50}


@pytest.mark.parametrize(
    ("told", "known", "pushed", "read_alive"),
    [
        ({"orderId": ID}, {"earlier_ids": (ID,)}, False, False),
        ({"orderId": ID, "createAt": "1"}, MADE, False, False),
        ({"orderId": OTHER}, {}, False, False),
        ({"orderId": ""}, {"earlier_ids": ("",)}, False, False),
        ({"orderId": OTHER}, {"earlier_ids": (OTHER,)}, True, False),
        ({"orderId": OTHER, "createAt": "49"}, MADE, True, False),
        ({"orderId": OTHER, "createAt": "1"}, MADE, True, False),
        ({"orderId": OTHER, "createAt": "50"}, MADE, False, False),
        ({"orderId": OTHER, "createAt": "0"}, MADE, False, False),
        ({"orderId": OTHER, "createAt": ""}, MADE, False, False),
        ({"orderId": OTHER, "createAt": "49"}, {"origin": "DMA", "create_at": 50}, False, False),
        ({"orderId": OTHER, "createAt": "51"}, {**MADE, "earlier_ids": (OTHER,)}, True, False),
    ],
)
def test_pushes_of_a_replaced_order_are_ignored(
    told: dict[str, Any], known: dict[str, Any], pushed: bool, read_alive: bool
) -> None:
    found = [
        order_fold.is_left_behind(record(state, **told), row(**known), source)
        for state, source in (
            ("OPEN", Source.PUSH),
            ("CANCELLED", Source.PUSH),
            ("CANCELLED", Source.QUERY),
            ("CANCELLED", Source.SNAPSHOT),
            ("OPEN", Source.QUERY),
            ("OPEN", Source.SNAPSHOT),
        )
    ]
    assert found == [pushed, pushed, pushed, pushed, read_alive, read_alive]


@pytest.mark.parametrize(("sent", "shown"), [("60000", "60000"), ("0", ""), ("", ""), ("0.5", "0.5")])
def test_an_order_without_a_limit_price_shows_no_price(sent: str, shown: str) -> None:
    assert order_fold.price_of(record(limitPrice=sent)) == shown


def test_a_record_without_a_quantity_keeps_the_order_size() -> None:
    """Its record has no orderQty: `FILLED 0.0039/` and `filled 0.0039 of , then it ended` stood on the screen."""
    before = order_fold.build_row(record(orderQty="0.004"), "k", stamp(), None, external=False)
    after = order_fold.build_row(record("FILLED", "0.0039", orderQty=""), "k", stamp(), before, external=False)
    assert after.qty == "0.004"


# -- what cannot be -----------------------------------------------------------------------------------------------------

WIDE = "9" * 50


@pytest.mark.parametrize(
    ("told", "before", "total_before", "words"),
    [
        ({"executed": "0"}, "0", "", ""),
        ({"executed": "0.01"}, "0", "", ""),
        ({"executed": "0.004"}, "0.004", "", ""),
        ({"executed": "-1"}, "0", "", "executed quantity '-1' is not possible"),
        ({"executed": "-0"}, "0", "", ""),
        ({"executed": "-1"}, "-2", "", "executed quantity '-1' is not possible"),
        ({"executed": "abc"}, "0", "", "executed quantity 'abc' is not possible"),
        ({"executed": WIDE}, "0", "", f"executed quantity '{'9' * 40}' is not possible"),
        ({"executed": "0.0030"}, "0.0040", "", "executed quantity went down from 0.004 to 0.003"),
        ({"executed": "0.02"}, "0", "", "executed 0.02 of 0.01"),
        ({"executed": "0.020", "orderQty": "0.010"}, "0", "0.03", "executed 0.02 of 0.01"),
        ({"executed": "0.02", "orderQty": ""}, "0", "", ""),
        ({"executed": "0.02", "orderQty": "x"}, "0", "", ""),
        ({"executed": "0.02", "orderQty": "0"}, "0", "", ""),
        ({"executed": "2", "orderQty": "1"}, "0", "", "executed 2 of 1"),
        ({"executed": "0.02", "orderQty": "-1"}, "0", "", "size '-1' is not possible"),
        ({"limitPrice": "-5"}, "0", "", "limit price '-5' is not possible"),
        ({"executed": "0.02", "amendType": "USER"}, "0", "0.03", "executed 0.02 of 0.01"),
        ({"executed": "0.02", "state": "CANCELLED"}, "0", "0.03", "executed 0.02 of 0.01"),
        ({"executed": "0.02", "state": "CANCELLED", "amendType": "USER"}, "0", "0.02", ""),
        ({"executed": "0.02", "state": "FILLED", "amendType": "REDUCE_ONLY"}, "0", "0.03", ""),
        ({"executed": "0.02", "state": "FILLED", "amendType": "USER"}, "0", "0.015", "executed 0.02 of 0.01"),
        ({"executed": "0.02", "state": "FILLED", "amendType": "USER"}, "0.02", "0.015", ""),
        ({"executed": "0.02", "state": "FILLED", "amendType": "USER"}, "0.019", "", ""),
        ({"executed": "0.01", "state": "FILLED", "amendType": "USER"}, "0", "0.005", ""),
    ],
)
def test_f33_impossible_executed_quantities_are_reported(
    told: dict[str, Any], before: str, total_before: str, words: str
) -> None:
    one = record(**told)
    assert order_fold.impossible(one, order_fold.parse_executed(one), Decimal(before), total_before) == words


def test_a_first_order_record_is_checked_against_its_own_total() -> None:
    assert order_fold.impossible(record(), Decimal("0.02"), Decimal(0)) == "executed 0.02 of 0.01"
    ended = record("FILLED", amendType="USER")
    assert order_fold.impossible(ended, Decimal("0.02"), Decimal(0)) == ""


# -- the row ------------------------------------------------------------------------------------------------------------

FULL = record(
    "PARTIALLY_FILLED",
    "0.004",
    clientOrderId="cd1",
    positionSide="LONG",
    exchangeOrderType="LIMIT",
    timeInForce="GTX",
    orderType="SYSTEM",
    executedAvgPrice="59999.5",
    fee="1.25",
    feeCoin="USDT",
    rebate="0.5",
    rebateCoin="BNB",
    reduceOnly=True,
    createAt="19",
    algoOrderId="77",
    tpTriggerPrice="61000",
    slTriggerPrice="58000",
    reason="why",
    cancelType="USER",
)
FULL_ROW = OrderRow(
    key="k",
    client_order_id="cd1",
    order_id=ID,
    sym="BINANCE_PERP_BTC_USDT",
    side="BUY",
    position_side="LONG",
    order_type="LIMIT",
    time_in_force="GTX",
    origin="SYSTEM",
    price="60000",
    qty="0.01",
    executed="0.004",
    average="59999.5",
    fee="1.25",
    fee_coin="USDT",
    rebate="0.5",
    rebate_coin="BNB",
    reduce_only=True,
    state="PARTIALLY_FILLED",
    final=False,
    reason="why",
    external=True,
    since=7.5,
    create_at=19,
    algo_id="77",
    tp_trigger="61000",
    sl_trigger="58000",
    stamp=stamp(),
)


def test_a_first_order_record_fills_every_row_field() -> None:
    assert order_fold.build_row(FULL, "k", stamp(), None, external=True) == msgspec.structs.replace(
        FULL_ROW, record=FULL
    )


def test_order_card_shows_every_record_field_as_received() -> None:
    shown = dict(raw_facts(order_fold.build_row(FULL, "k", stamp(), None, external=True).record))
    assert len(FULL.__struct_fields__) == 44
    for name in FULL.__struct_fields__:
        value = getattr(FULL, name)
        assert name.replace("_", " ") in shown
        if value not in (None, ""):
            text = shown[name.replace("_", " ")]
            assert text.endswith(f" UTC ({value})") if name.endswith("_at") else text == str(value)


def test_order_card_shows_service_fields_before_our_own_fields() -> None:
    facts = raw_facts(order_fold.build_row(FULL, "k", stamp(), None, external=True))
    names = [name for name, _ in facts]
    assert names[:44] == [name.replace("_", " ") for name in FULL.__struct_fields__]
    assert {"key", "external", "source"} <= set(names[44:])
    assert dict(reversed(facts))["order state"] == FULL.order_state


def test_missing_numbers_of_a_first_order_record_stay_empty() -> None:
    empty = record(
        "CANCELED", "", limitPrice="0", positionSide="", executedAvgPrice="", fee="", rebate="", cancelType="USER"
    )
    assert order_fold.build_row(empty, "k", stamp(), None, external=False) == OrderRow(
        key="k",
        client_order_id="",
        order_id=ID,
        sym="BINANCE_PERP_BTC_USDT",
        side="BUY",
        order_type="LIMIT",
        qty="0.01",
        state="CANCELED",
        final=True,
        reason="USER",
        since=7.5,
        create_at=1_700_000_000_000,
        record=empty,
        stamp=stamp(),
    )


BEFORE = row(
    client_order_id="cd0",
    state="OPEN",
    reason="kept",
    external=True,
    conflict="was FILLED",
    overlay=PendingAction.CANCEL_LOST,
    requested_price="60001",
    requested_qty="0.02",
    since=1.5,
    arrival_mid="60000.5",
    reply_ms=12.0,
    push_ms=13.0,
    earlier_ids=("1", "2"),
    asked=3,
    not_found=2,
)
CARRIED = {
    name: getattr(BEFORE, name)
    for name in (
        *("external", "conflict", "overlay", "requested_price", "requested_qty"),
        *("arrival_mid", "reply_ms", "push_ms", "earlier_ids"),
    )
}


@pytest.mark.parametrize(
    ("told", "changes"),
    [
        ({"clientOrderId": "cd1"}, {"client_order_id": "cd1", "since": 1.5, "reason": "kept"}),
        ({}, {"client_order_id": "cd0", "since": 1.5, "reason": "kept"}),
        ({"reason": "new"}, {"client_order_id": "cd0", "since": 1.5, "reason": "new"}),
        ({"state": "NEW"}, {"client_order_id": "cd0", "since": 7.5, "reason": "", "state": "NEW"}),
        (
            {"state": "EXPIRED", "cancelType": "EXPIRE"},
            {"client_order_id": "cd0", "since": 7.5, "reason": "EXPIRE", "state": "EXPIRED", "final": True},
        ),
    ],
)
def test_fields_of_our_own_stay_when_an_order_record_arrives(told: dict[str, Any], changes: dict[str, Any]) -> None:
    plain = order_fold.build_row(record(), "k", stamp(), None, external=False)
    expected = msgspec.structs.replace(plain, record=record(**told), **{**CARRIED, **changes})
    assert order_fold.build_row(record(**told), "k", stamp(), BEFORE, external=False) == expected


@pytest.mark.parametrize(
    ("sent", "shown"), [(True, True), ("true", True), ("TRUE", True), (False, False), ("false", False), ("", False)]
)
def test_reduce_only_is_read_from_a_boolean_or_text(sent: object, shown: bool) -> None:
    assert order_fold.build_row(record(reduceOnly=sent), "k", stamp(), None, external=False).reduce_only is shown


@pytest.mark.parametrize(("sent", "shown"), [(None, ""), ("", ""), ("0", ""), ("7", "7")])
def test_algo_order_id_of_a_triggered_order_is_kept(sent: str | None, shown: str) -> None:
    assert order_fold.build_row(record(algoOrderId=sent), "k", stamp(), None, external=False).algo_id == shown


@pytest.mark.parametrize(("sent", "shown"), [("", ""), ("0", ""), ("-1", ""), ("x", ""), ("0.5", "0.5"), ("1", "1")])
def test_a_trigger_price_of_zero_means_no_trigger(sent: str, shown: str) -> None:
    built = order_fold.build_row(record(tpTriggerPrice=sent, slTriggerPrice=sent), "k", stamp(), None, external=False)
    assert (built.tp_trigger, built.sl_trigger) == (shown, shown)


# -- what ends a change -------------------------------------------------------------------------------------------------

A, C, AL, CL = PendingAction.AMEND, PendingAction.CANCEL, PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST
MSG = {"actionMsg": "401015 tick"}
APPLIED = {"limitPrice": "60001.0", "orderQty": "0.020"}
KEPT = "replace: kept unchanged"


def sent(overlay: PendingAction, action: str = "", price: str = "60001", qty: str = "0.02") -> Pending:
    return Pending(overlay, (20, action), 1.0, "i", price, qty)


@pytest.mark.parametrize(
    ("overlay", "at", "told", "after", "words"),
    [
        # the service is at it
        (A, 21, {"action": "AMEND_PENDING"}, A, ""),
        (AL, 21, {"action": "AMEND_PENDING"}, A, ""),
        (AL, 20, {"action": "AMEND_PENDING"}, A, ""),
        (AL, 19, {"action": "AMEND_PENDING"}, AL, ""),
        (AL, 21, {"action": "CANCEL_PENDING"}, AL, ""),
        (A, 21, {"action": "CANCEL_PENDING"}, A, ""),
        (CL, 21, {"action": "CANCEL_PENDING"}, C, ""),
        (CL, 20, {"action": "CANCEL_PENDING"}, C, ""),
        (CL, 19, {"action": "CANCEL_PENDING"}, CL, ""),
        (CL, 21, {"action": "AMEND_PENDING"}, CL, ""),
        # nothing about it
        (A, 21, {}, A, ""),
        (AL, 21, {}, AL, ""),
        (C, 21, {}, C, ""),
        (CL, 21, {}, CL, ""),
        # done
        (A, 21, {"action": "AMEND_COMPLETED"}, None, "amended"),
        (AL, 20, {"action": "AMEND_COMPLETED"}, None, "amended"),
        (A, 19, {"action": "AMEND_COMPLETED"}, A, ""),
        (A, 21, APPLIED, None, "amended"),
        (AL, 20, APPLIED, None, "amended"),
        (A, 21, {"limitPrice": "60001"}, A, ""),
        (A, 21, {"orderQty": "0.02"}, A, ""),
        (C, 21, APPLIED, C, ""),
        (C, 21, {"action": "CANCEL_COMPLETED"}, C, ""),
        (CL, 21, {"action": "CANCEL_COMPLETED"}, CL, ""),
        # failed
        (A, 21, {"action": "AMEND_FAILED", **MSG}, None, f"{KEPT} (401015 tick)"),
        (AL, 20, {"action": "AMEND_FAILED"}, None, KEPT),
        (A, 19, {"action": "AMEND_FAILED"}, A, ""),
        (C, 21, {"action": "CANCEL_FAILED", **MSG}, None, "cancel failed (401015 tick)"),
        (CL, 20, {"action": "CANCEL_FAILED"}, None, "cancel failed"),
        (C, 19, {"action": "CANCEL_FAILED"}, C, ""),
        # of the other kind
        (C, 21, {"action": "AMEND_FAILED", **MSG}, C, f"{KEPT} (401015 tick)"),
        (CL, 21, {"action": "AMEND_FAILED"}, CL, KEPT),
        (C, 21, {"action": "AMEND_COMPLETED"}, C, ""),
        (A, 21, {"action": "CANCEL_FAILED", **MSG}, A, ""),
        (A, 21, {"action": "CANCEL_COMPLETED"}, A, ""),
        # the order ended
        (C, 21, {"state": "FILLED"}, None, "cancel too late"),
        (CL, 21, {"state": "FILLED"}, None, "cancel too late"),
        (C, 21, {"state": "CANCELLED"}, None, ""),
        (CL, 19, {"state": "EXPIRED"}, None, ""),
        (A, 21, {"state": "FILLED"}, None, "filled before amend"),
        (AL, 21, {"state": "FILLED", "action": "AMEND_COMPLETED"}, None, "filled before amend"),
        (A, 21, {"state": "CANCELLED"}, None, "replace failed and the order is gone"),
        (A, 21, {"state": "REJECT", "action": "AMEND_FAILED"}, None, "replace failed and the order is gone"),
        (
            A,
            21,
            {"state": "CANCELLED", "action": "AMEND_COMPLETED"},
            None,
            "amended: nothing was left of it, the order is gone",
        ),
    ],
)
def test_an_order_record_settles_a_pending_replace_or_cancel(
    overlay: PendingAction, at: int, told: dict[str, Any], after: PendingAction | None, words: str
) -> None:
    expected = None if after is None else sent(after)
    assert order_fold.pending_after(record(at=at, **told), sent(overlay), 7.5) == (expected, words)


@pytest.mark.parametrize("action", ["AMEND_QUEUED", "SOMETHING_NEW", "AMEND_complete", "CANCEL_SOON"])
def test_i13_an_unknown_action_settles_no_pending_change(action: str) -> None:
    for overlay in (A, AL):
        asked = sent(overlay)
        assert order_fold.pending_after(record(at=30, action=action), asked, 7.5) == (asked, "")


@pytest.mark.parametrize("action", ["AMEND_PENDING", "AMEND_FAILED", "AMEND_COMPLETED"])
def test_a_record_older_than_a_pending_change_does_not_settle_it(action: str) -> None:
    assert order_fold.pending_after(record(action=action), sent(AL, action), 7.5) == (sent(AL, action), "")
    assert order_fold.pending_after(record(action=action), sent(A, action), 7.5) == (sent(A, action), "")


@pytest.mark.parametrize(
    ("price", "qty"), [("", "0.02"), ("60001", ""), ("", ""), ("60002", "0.02"), ("60001", "0.03")]
)
def test_a_replace_with_other_price_or_quantity_is_not_confirmed(price: str, qty: str) -> None:
    asked = sent(A, price=price, qty=qty)
    assert order_fold.pending_after(record(at=21, **APPLIED), asked, 7.5) == (asked, "")


def test_a_replace_without_price_is_not_confirmed_by_quantity() -> None:
    asked = sent(A, price="")
    assert order_fold.pending_after(record(at=21, limitPrice="", orderQty="0.02"), asked, 7.5) == (asked, "")


@pytest.mark.parametrize("sent_price", ["", "x"])
def test_an_unreadable_record_confirms_no_replace(sent_price: str) -> None:
    asked = sent(A)
    told = record(at=21, limitPrice=sent_price, orderQty="0.02")
    assert order_fold.pending_after(told, asked, 7.5) == (asked, "")


@pytest.mark.parametrize(
    ("action", "overlay"), [("AMEND_PENDING", A), ("CANCEL_PENDING", C), ("", None), ("AMEND_COMPLETED", None),
                            ("CANCEL_FAILED", None), ("AMEND_FAILED", None), ("A_NEW_WORD", None)]
)  # fmt: skip
def test_a_replace_or_cancel_by_another_client_is_shown(action: str, overlay: PendingAction | None) -> None:
    began = None if overlay is None else Pending(overlay, (21, action), 7.5)
    assert order_fold.pending_after(record(at=21, action=action), None, 7.5) == (began, "")


@pytest.mark.parametrize("state", ["FILLED", "CANCELLED"])
def test_an_ended_order_shows_no_pending_change(state: str) -> None:
    assert order_fold.pending_after(record(state, action="AMEND_PENDING"), None, 7.5) == (None, "")


@pytest.mark.parametrize(
    ("overlay", "cancel", "lost"), [(A, False, False), (AL, False, True), (C, True, False), (CL, True, True)]
)
def test_pending_actions_know_if_they_are_a_cancel_or_lost(overlay: PendingAction, cancel: bool, lost: bool) -> None:
    assert (sent(overlay).is_cancel, sent(overlay).is_lost) == (cancel, lost)


# -- the row of a new order, and what an amend left behind -----------------------------------------------------------------


def test_a_new_order_row_has_all_requested_fields() -> None:
    place = Place(
        decision=DECISION,
        sym="OKX_PERP_BTC_USDT",
        side=Side.SELL,
        order_type=OrderType.LIMIT,
        qty="5",
        price="60000.1",
        time_in_force=TimeInForce.GTX,
        position_side=PositionSide.SHORT,
        reduce_only=True,
    )
    at = stamp(source=Source.LOCAL)
    assert order_fold.row_of(place, "c", state="SENDING", since=7.5, create_at=1700, stamp=at) == OrderRow(
        key="c",
        client_order_id="c",
        sym="OKX_PERP_BTC_USDT",
        side="SELL",
        position_side="SHORT",
        order_type="LIMIT",
        time_in_force="GTX",
        price="60000.1",
        qty="5",
        reduce_only=True,
        state="SENDING",
        since=7.5,
        create_at=1700,
        stamp=at,
    )


@pytest.mark.parametrize(
    ("ids", "times", "told", "after"),
    [
        ((), (), ("1", 5), (("1",), (5,))),
        ((), (), ("1", 0), (("1",), (0,))),
        (("1", "2"), (), ("1", 0), (("1", "2"), (0, 0))),
        (("1", "2"), (7,), ("2", 3), (("1", "2"), (7, 3))),
        (("1",), (7,), ("1", 6), (("1",), (7,))),
        (("1",), (7,), ("1", 8), (("1",), (8,))),
    ],
)
def test_each_replaced_order_id_keeps_its_newest_time(
    ids: tuple[str, ...], times: tuple[int, ...], told: tuple[str, int], after: tuple[object, object]
) -> None:
    assert order_fold.record_replaced(ids, times, *told) == after


@pytest.mark.parametrize(("at", "left"), [(19, True), (20, False), (21, False)])
def test_a_query_can_show_that_a_replaced_order_is_alive(at: int, left: bool) -> None:
    known = row(earlier_ids=(OTHER,), earlier_at=(20,))
    assert order_fold.is_left_behind(record("OPEN", at=at, orderId=OTHER), known, Source.QUERY) is left


def test_a_query_without_time_can_show_a_replaced_order_alive() -> None:
    assert not order_fold.is_left_behind(record("OPEN", at=0, orderId=OTHER, createAt="49"), row(**MADE), Source.QUERY)
