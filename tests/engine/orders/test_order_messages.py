"""What each message of the service does to the order table: which row, which words, which question."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tests.engine.order_rig import BEGAN, CID, ID, OTHER, SYM, WORDS, Told, changed
from tui.engine.event_line import Level
from tui.engine.rows import OrderRow, PendingAction, Source

Message = tuple[Any, ...]
"""Arguments of `Told.fold` in their order, and more fields as a mapping at the end."""


def fold(told: Told, *message: Any) -> OrderRow:
    *plain, last = message
    return told.fold(*plain, **last) if isinstance(last, dict) else told.fold(*message)


# -- orders nobody here sent --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "fields", "key", "external", "line"),
    [
        (Source.PUSH, {}, ID, True, (Level.WARN, "EXTERNAL order")),
        (Source.PUSH, {"clientOrderId": ""}, ID, True, (Level.WARN, "EXTERNAL order")),
        (Source.PUSH, {"orderType": ""}, ID, True, (Level.WARN, "EXTERNAL order")),
        (Source.PUSH, {"orderType": "REPLACE"}, ID, True, (Level.WARN, "EXTERNAL order")),
        (Source.PUSH, {"algoOrderId": ""}, ID, True, (Level.WARN, "EXTERNAL order")),
        (Source.PUSH, {"algoOrderId": "0"}, ID, True, (Level.WARN, "EXTERNAL order")),
        (Source.PUSH, {"algoOrderId": None}, ID, True, (Level.WARN, "EXTERNAL order")),
        (Source.PUSH, {"algoOrderId": "7"}, ID, False, (Level.WARN, "TP/SL fired:")),
        (Source.PUSH, {"algoOrderId": "7", "orderType": "SYSTEM"}, ID, False, (Level.WARN, "TP/SL fired:")),
        (
            Source.PUSH,
            {"orderType": "SYSTEM_LIQ"},
            ID,
            False,
            (Level.ALERT, "made by the venue (SYSTEM_LIQ), not by you:"),
        ),
        (Source.PUSH, {"clientOrderId": "cd7"}, "cd7", False, None),
        (Source.SNAPSHOT, {}, ID, True, None),
        (Source.QUERY, {}, ID, True, None),
        (Source.SNAPSHOT, {"orderType": "DELIST"}, ID, False, None),
        (Source.SNAPSHOT, {"clientOrderId": "cd7"}, "cd7", False, None),
    ],
)
def test_f26_a_first_record_marks_orders_of_others_as_external(
    told: Told, source: Source, fields: dict[str, Any], key: str, external: bool, line: tuple[Level, str] | None
) -> None:
    row = told.fold("OPEN", source=source, **{"clientOrderId": "x", **fields})
    assert (row.key, row.external, row.state, told.screen()) == (key, external, "OPEN", {key: row})
    assert told.heard() == ([] if line is None else [(line[0], f"{line[1]} {WORDS}: OPEN", key)])
    assert told.asked == []


@pytest.mark.parametrize(
    ("action", "overlay"),
    [
        ("AMEND_PENDING", PendingAction.AMEND),
        ("CANCEL_PENDING", PendingAction.CANCEL),
        ("AMEND_FAILED", PendingAction.NOTHING),
    ],
)
def test_a_first_order_record_may_show_a_pending_change(told: Told, action: str, overlay: PendingAction) -> None:
    row = told.fold("OPEN", action=action)
    pending = told.orders.pending(CID)
    assert (row.overlay, PendingAction.NOTHING if pending is None else pending.overlay) == (overlay, overlay)
    assert pending is None or pending.began == told.now
    assert told.fold("OPEN", action=action) == row, "a repeat is nothing new"


@pytest.mark.parametrize(
    ("executed", "words"),
    [
        ("-1", "executed quantity '-1' is not possible"),
        ("x", "executed quantity 'x' is not possible"),
        ("0.02", "executed 0.02 of 0.01"),
    ],
)
def test_f33_an_impossible_first_order_record_is_not_believed(told: Told, executed: str, words: str) -> None:
    row = told.fold("OPEN", executed)
    assert (row.conflict, row.executed, told.asked) == (words, "0", [CID])
    assert told.heard() == [(Level.ALERT, f"CONFLICT: {WORDS}: {words}", CID)]
    # The record that is possible may be of the same time, as the one that was spoilt on its way.
    true = told.fold("OPEN", "0", 20)
    assert (true.executed, true.conflict) == ("0", words)
    asked = told.fold("OPEN", "0.005", 21, Source.QUERY)
    assert (asked.executed, asked.conflict) == ("0.005", "")
    ended = told.fold("CANCELLED", "0.005", 22)
    assert (ended.state, ended.final) == ("CANCELLED", True)


def test_f33_executed_quantity_never_goes_below_the_first_record(told: Told) -> None:
    told.fold("OPEN", "0.004")
    assert told.fold("OPEN", "0.003", 21).conflict == "executed quantity went down from 0.004 to 0.003"


def test_f32_a_first_order_record_of_unknown_state_is_queried(told: Told) -> None:
    assert (told.fold("HALF_OPEN").final, told.asked) == (False, [CID])
    told.fold("HALF_OPEN", "0.001", 21)
    assert told.asked == [CID]
    told.fold("HALF_SHUT", "0.001", 22)
    assert told.asked == [CID, CID]


def test_f31_two_orders_with_one_client_id_are_both_conflicts(told: Told) -> None:
    first = told.fold("OPEN")
    second = told.fold("OPEN", at=21, orderId=OTHER)
    assert (second.key, second.conflict) == (OTHER, f"same client order id as {ID}")
    assert told.orders.rows[CID] == changed(first, conflict=f"same client order id as {OTHER}")
    assert told.heard() == [(Level.ALERT, f"CONFLICT: {WORDS}: one client order id, two orders", OTHER)]
    assert [told.orders.find(*ids) for ids in (("", CID), (OTHER, ""), (ID, ""))] == [CID, OTHER, CID]


def test_orders_without_client_id_have_separate_rows(told: Told) -> None:
    rows = [told.fold("OPEN", orderId=name, clientOrderId="") for name in ("1", "2")]
    assert [(row.key, row.conflict) for row in rows] == [("1", ""), ("2", "")]


def test_one_foreign_client_order_id_on_two_orders_is_a_conflict(told: Told) -> None:
    told.fold("OPEN", clientOrderId="x")
    assert told.orders.find("", "x") == ID
    assert told.fold("OPEN", orderId=OTHER, clientOrderId="x").conflict == f"same client order id as {ID}"


# -- which of two is kept -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        (("OPEN", "0", 20), ("PARTIALLY_FILLED", "0.004", 21), True),
        (("OPEN", "0", 20), ("PARTIALLY_FILLED", "0.004", 19), False),
        (("OPEN", "0", 20), ("NEW", "0", 21), True),
        (("OPEN", "0", 20), ("NEW", "0", 20), False),
        (("NEW", "0", 20), ("OPEN", "0", 20), True),
        (("OPEN", "0", 20), ("OPEN", "0", 20, {"fee": "1"}), False),
        (("OPEN", "0", 20), ("OPEN", "0", 20, {"action": "CANCEL_PENDING"}), True),
        (
            ("OPEN", "0", 20, {"action": "AMEND_PENDING"}),
            ("OPEN", "0", 20, {"action": "CANCEL_PENDING", "fee": "1"}),
            True,
        ),
        (("OPEN", "0", 20, {"action": "CANCEL_PENDING"}), ("OPEN", "0", 20, {"fee": "1"}), False),
        (("OPEN", "0.004", 20), ("FILLED", "0.003", 20), False),
        (("FILLED", "0.01", 20), ("PARTIALLY_FILLED", "0.004", 20), False),
    ],
)
def test_f23_the_newer_order_record_is_kept(told: Told, first: Message, second: Message, taken: bool) -> None:
    told.sent("SENT")
    before = fold(told, *first)
    after = fold(told, *second)
    assert (after != before) is taken
    assert (after.state, after.executed) == ((second[0], second[1]) if taken else (first[0], first[1]))
    assert after.conflict == ""


def test_an_unreadable_executed_quantity_is_a_conflict(told: Told) -> None:
    told.fold("OPEN")
    assert told.fold("OPEN", "x").conflict == "executed quantity 'x' is not possible"


@pytest.mark.parametrize(
    ("source", "state", "conflict", "cleared"),
    [
        (Source.QUERY, "FILLED", True, True),
        (Source.QUERY, "OPEN", True, False),
        (Source.PUSH, "FILLED", True, False),
        (Source.SNAPSHOT, "FILLED", True, False),
        (Source.QUERY, "FILLED", False, True),
    ],
)
def test_a_query_reply_that_agrees_clears_a_conflict(
    told: Told, source: Source, state: str, conflict: bool, cleared: bool
) -> None:
    told.sent("SENT")
    row = told.fold("FILLED", "0.01", 20)
    if conflict:
        row = told.fold("OPEN", "0.01", 30)
    told.screen()
    after = told.fold(state, "0.01", 20 if state == "FILLED" else 19, source)
    assert after == (changed(row, conflict="") if cleared else row)
    assert (told.screen() != {}) is (conflict and cleared)


# -- conflicts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [Source.PUSH, Source.SNAPSHOT])
def test_i7_an_end_state_is_never_changed_without_a_query(told: Told, source: Source) -> None:
    told.sent("SENT")
    row = told.fold("FILLED", "0.01")
    told.heard()
    after = told.fold("OPEN", "0.01", 30, source)
    assert after == changed(row, conflict="was FILLED, now OPEN", since=told.now)
    line = (Level.ALERT, f"CONFLICT: {WORDS}: was FILLED, now OPEN", CID)
    assert (told.heard(), told.asked) == ([line], [CID])
    assert told.fold("OPEN", "0.01", 31, source) == after
    assert (told.heard(), told.asked) == ([], [CID])


def test_i7_an_end_state_changed_by_a_query_keeps_its_conflict(told: Told) -> None:
    told.sent("SENT")
    told.fold("FILLED", "0.01")
    row = told.fold("CANCELLED", "0.01", 30, Source.QUERY)
    assert (row.state, row.final, row.conflict) == ("CANCELLED", True, "was FILLED, the venue answers CANCELLED")


def test_i7_a_query_may_reopen_an_ended_order(told: Told) -> None:
    told.sent("SENT")
    told.fold("FILLED", "0.01")
    told.heard()
    row = told.fold("OPEN", "0.01", 30, Source.QUERY)
    assert (row.state, row.final, row.conflict) == ("OPEN", False, "was FILLED, the venue answers OPEN")
    assert told.heard() == [(Level.INFO, f"{WORDS}: OPEN 0.01/0.01", CID)]
    assert told.fold("OPEN", "0.01", 31, Source.PUSH).conflict == row.conflict
    assert told.fold("OPEN", "0.01", 32, Source.QUERY).conflict == ""


@pytest.mark.parametrize(("one", "other"), [("CANCELLED", "CANCELED"), ("REJECTED", "REJECT")])
def test_another_spelling_of_the_end_state_is_no_conflict(told: Told, one: str, other: str) -> None:
    told.sent("SENT")
    told.fold(one)
    assert (told.fold(other, at=21).conflict, told.asked) == ("", [])


def test_f33_an_impossible_query_reply_is_not_queried_again(told: Told) -> None:
    told.sent("SENT")
    row = told.fold("OPEN", "0.004")
    after = told.fold("OPEN", "0.003", 30, Source.QUERY)
    assert after == changed(row, conflict="executed quantity went down from 0.004 to 0.003")
    assert told.asked == []


def test_f33_a_replace_below_executed_keeps_the_old_total(told: Told) -> None:
    told.sent("SENT")
    told.fold("OPEN", "0.01", orderQty="0.02")
    amended: dict[str, Any] = {"orderQty": "0.005", "amendType": "USER"}
    assert told.fold("CANCELLED", "0.021", 30, **amended).conflict == "executed 0.021 of 0.005"
    row = told.fold("CANCELLED", "0.02", 31, Source.QUERY, **amended)
    assert (row.state, row.executed, row.conflict) == ("CANCELLED", "0.02", "")


def test_i7_a_conflict_shows_a_hidden_order_row_again(told: Told) -> None:
    told.sent("SENT")
    told.fold("FILLED", "0.01")
    told.orders.sweep(told.now + 60, 60)
    told.screen()
    row = told.fold("OPEN", "0.01", 30)
    assert (told.screen(), told.visible()) == ({CID: row}, [CID])


# -- what a taken record changes ----------------------------------------------------------------------------------------


def test_push_latency_is_measured_for_the_first_push_only(told: Told) -> None:
    told.sent()
    assert told.fold("NEW", at=20, source=Source.SNAPSHOT).push_ms is None
    assert told.fold("OPEN", at=21).push_ms == 500.0
    assert told.fold("PARTIALLY_FILLED", "0.004", at=22).push_ms == 500.0


def test_age_of_an_order_row_counts_from_its_last_state_change(told: Told) -> None:
    told.sent()
    assert told.fold("OPEN").since == BEGAN + 0.25
    assert told.fold("OPEN", "0.001", 21).since == BEGAN + 0.25
    assert told.fold("OPEN", "0.001", 22, action="CANCEL_PENDING").since == BEGAN + 0.75
    assert told.fold("OPEN", "0.002", 23, action="CANCEL_PENDING").since == BEGAN + 0.75
    row = told.fold("OPEN", "0.002", 24, action="CANCEL_FAILED")
    assert (row.since, row.overlay) == (BEGAN + 1.25, PendingAction.NOTHING)


def test_requested_price_and_size_are_shown_until_a_replace_ends(told: Told) -> None:
    told.sent("SENT")
    told.fold("OPEN")
    told.orders.set_pending(CID, PendingAction.AMEND, "i1", told.now, "60001", "0.02")
    row = told.fold("OPEN", at=21, action="AMEND_PENDING")
    assert (row.overlay, row.requested_price, row.requested_qty) == (PendingAction.AMEND, "60001", "0.02")
    row = told.fold("OPEN", at=22, action="AMEND_FAILED")
    assert (row.overlay, row.requested_price, row.requested_qty) == (PendingAction.NOTHING, "", "")
    assert told.orders.pending(CID) is None


def test_f22_a_hidden_order_row_reappears_only_with_a_change(told: Told) -> None:
    told.sent("SENT")
    told.fold("FILLED", "0.004")
    told.orders.sweep(told.now + 60, 60)
    told.fold("FILLED", "0.004", 21)
    assert told.visible() == []
    told.fold("FILLED", "0.01", 22)
    assert told.visible() == [CID]
    told.orders.sweep(told.now + 60, 60)
    told.fold("OPEN", "0.01", 23, Source.QUERY)
    assert told.visible() == [CID]


def test_a_late_push_restores_a_dismissed_order(told: Told) -> None:
    told.sent("OPEN", "cd0")
    told.sent("UNKNOWN")
    told.orders.dismiss(CID, 5.0)
    told.fold("OPEN")
    assert (told.visible(), told.orders.list_dismissed(5.0)) == (["cd0", CID], [])
    assert told.heard() == [
        (Level.ALERT, f"dismissed order is back: {WORDS}: OPEN", CID),
        (Level.INFO, f"resolved: {WORDS}: OPEN", CID),
    ]
    told.orders.mark_unknown(CID, "gone", told.now, vanished=True)
    told.heard()
    told.fold("OPEN", at=30)
    assert told.heard() == [(Level.INFO, f"resolved: {WORDS}: OPEN", CID)]


# -- what is said -------------------------------------------------------------------------------------------------------

INFO, GOOD, WARN = Level.INFO, Level.GOOD, Level.WARN
Q = Source.QUERY


@pytest.mark.parametrize(
    ("before", "message", "level", "words"),
    [
        ("SENT", ("NEW",), INFO, "{}: accepted"),
        ("SENT", ("OPEN", "0", 20, Source.SNAPSHOT), INFO, "{}: OPEN"),
        ("SENT", ("OPEN", "0", 20, {"reason": "why"}), INFO, "{}: OPEN"),
        ("SENT", ("PARTIALLY_FILLED", "0.004"), GOOD, "{}: PARTIAL 0.004/0.01"),
        ("SENT", ("FILLED", "0.01"), GOOD, "{}: FILLED"),
        ("SENT", ("FILLED", "0.01", 20, Q), GOOD, "{}: FILLED"),
        ("SENT", ("CANCELLED",), INFO, "{}: CANCELLED"),
        ("SENT", ("CANCELLED", "0", 20, {"cancelType": "USER"}), INFO, "{}: CANCELLED (USER)"),
        ("SENT", ("CANCELLED", "0.004"), GOOD, "{}: CANCELLED 0.004/0.01"),
        ("SENT", ("REJECT", "0", 20, {"reason": "why"}), WARN, "{}: REJECTED (why)"),
        ("SENT", ("REJECTED",), WARN, "{}: REJECTED"),
        ("SENT", ("FAIL",), WARN, "{}: FAIL"),
        ("SENT", ("EXPIRED",), WARN, "{}: EXPIRED"),
        ("UNKNOWN", ("OPEN",), INFO, "resolved: {}: OPEN"),
        ("UNKNOWN", ("FILLED", "0.01"), GOOD, "resolved: {}: FILLED"),
        ("UNKNOWN", ("FILLED", "0.01", 20, Q), GOOD, "resolved: {}: FILLED while its answer was missing"),
        ("UNKNOWN", ("PARTIALLY_FILLED", "0.004", 20, Q), GOOD, "resolved: {}: PARTIAL 0.004/0.01"),
        ("UNKNOWN", ("REJECT", "0", 20, Q, {"reason": "why"}), WARN, "resolved: {}: REJECTED (why)"),
    ],
)
def test_each_new_order_state_is_reported_once(
    told: Told, before: str, message: Message, level: Level, words: str
) -> None:
    told.sent(before)
    fold(told, *message)
    assert told.heard() == [(level, words.format(WORDS), CID)]
    fold(told, *message)
    assert told.heard() == []


def test_a_fill_found_after_a_reconnect_says_while_disconnected(told: Told) -> None:
    row = told.sent("UNKNOWN")
    told.orders.change(CID, stamp=msgspec.structs.replace(row.stamp, epoch=row.stamp.epoch - 1))
    fold(told, "FILLED", "0.01", 20, Q)
    assert told.heard() == [(GOOD, f"resolved: {WORDS}: FILLED while disconnected", CID)]


AMEND, CANCEL = PendingAction.AMEND, PendingAction.CANCEL


@pytest.mark.parametrize(
    ("overlay", "message", "level", "words"),
    [
        (AMEND, ("OPEN", "0", 21, {"action": "AMEND_COMPLETED"}), INFO, ": amended"),
        (AMEND, ("OPEN", "0", 21, {"action": "AMEND_PENDING"}), None, ""),
        (
            AMEND,
            ("OPEN", "0", 21, {"action": "AMEND_FAILED", "actionMsg": "why"}),
            WARN,
            ": replace: kept unchanged (why)",
        ),
        (AMEND, ("OPEN", "0.001", 21, {"action": "AMEND_COMPLETED"}), GOOD, ": OPEN 0.001/0.01; amended"),
        (
            AMEND,
            ("OPEN", "0.001", 21, {"action": "AMEND_FAILED"}),
            WARN,
            ": OPEN 0.001/0.01; replace: kept unchanged",
        ),
        (AMEND, ("FILLED", "0.01", 21), WARN, ": FILLED; filled before amend"),
        (AMEND, ("CANCELLED", "0", 21), WARN, ": CANCELLED; replace failed and the order is gone"),
        (CANCEL, ("OPEN", "0", 21, {"action": "CANCEL_FAILED"}), WARN, ": cancel failed"),
        (CANCEL, ("CANCELLED", "0", 21, {"cancelType": "USER"}), INFO, ": CANCELLED (USER)"),
        (CANCEL, ("FILLED", "0.01", 21), WARN, ": FILLED; cancel too late"),
        (CANCEL, ("OPEN", "0", 21, {"action": "AMEND_FAILED"}), WARN, ": replace: kept unchanged"),
    ],
)
def test_each_settled_replace_or_cancel_is_reported(
    told: Told, overlay: PendingAction, message: Message, level: Level | None, words: str
) -> None:
    told.sent("SENT")
    told.fold("OPEN")
    told.orders.set_pending(CID, overlay, "i1", told.now, "60001", "0.02")
    told.heard()
    fold(told, *message)
    assert told.heard() == ([] if level is None else [(level, WORDS + words, CID)])


@pytest.mark.parametrize(("one", "two"), [("0", "0.00"), ("0.004", "0.0040"), ("0.0040", "0.004")])
def test_equal_quantities_in_other_digits_are_no_change(told: Told, one: str, two: str) -> None:
    told.sent("SENT")
    told.fold("OPEN", one, 20)
    told.heard()
    told.fold("OPEN", two, 21)
    assert told.heard() == []


@pytest.mark.parametrize(
    ("fields", "level"),
    [
        ({}, Level.GOOD),
        ({"orderType": "SYSTEM_LIQ"}, Level.WARN),
        ({"orderType": "SYSTEM_REDUCE"}, Level.WARN),
        ({"algoOrderId": "7"}, Level.INFO),
    ],
)
def test_a_liquidation_fill_is_reported_as_a_warning(told: Told, fields: dict[str, Any], level: Level) -> None:
    told.fold("OPEN", "0", 20, **fields)
    told.heard()
    told.fold("FILLED", "0.01", 21, **fields)
    assert [heard for heard, _, _ in told.heard()] == [level]


@pytest.mark.parametrize(
    ("average", "end"),
    [
        ("60000", ""), ("0", ""), ("59978.2", " avg 59,978.2"), ("59978.26666", " avg 59,978.27"),
        ("59999.9999", ""), ("59980", " avg 59,980.0"),
    ],
)  # fmt: skip
def test_a_filled_order_event_has_the_average_if_off_the_limit(told: Told, average: str, end: str) -> None:
    told.ticks[SYM] = Decimal("0.1")
    told.sent("OPEN")
    told.fold("FILLED", "0.01", executedAvgPrice=average)
    [(_, text, _)] = told.heard()
    assert text == f"BUY 0.01 BINANCE BTC perp @ 60,000.0: FILLED{end}"


# -- what a filled order has cost ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("charges", "words"),
    [
        ({"fee": "0.384006", "feeCoin": "USDT"}, " fee 0.38 USDT"),
        ({"fee": "0.00000123", "feeCoin": "BTC"}, " fee 0.0000012 BTC"),
        ({"fee": "0", "rebate": "-0.62", "rebateCoin": "USDT"}, " rebate 0.62 USDT"),
        ({"fee": "0", "feeCoin": "USDT"}, ""),
        ({"fee": ""}, ""),
    ],
)
def test_the_event_line_of_a_filled_order_names_its_fee(told: Told, charges: dict[str, Any], words: str) -> None:
    told.fold("OPEN")
    told.heard()
    told.fold("FILLED", "0.01", 21, **charges)
    assert [text for _, text, _ in told.heard()] == [f"{WORDS}: FILLED{words}"]


@pytest.mark.parametrize("origin", [{"algoOrderId": "7"}, {"orderType": "SYSTEM_LIQ"}])
def test_a_fill_of_a_stop_or_liquidation_names_the_fee(told: Told, origin: dict[str, Any]) -> None:
    told.fold("OPEN", "0", 20, clientOrderId="x", **origin)
    told.heard()
    told.fold("FILLED", "0.01", 21, clientOrderId="x", fee="0.384", feeCoin="USDT", **origin)
    assert [text.endswith(": FILLED fee 0.38 USDT") for _, text, _ in told.heard()] == [True]


def test_the_event_of_a_filled_order_of_others_names_no_fee(told: Told) -> None:
    told.fold("OPEN", clientOrderId="x")
    told.heard()
    told.fold("FILLED", "0.01", 21, clientOrderId="x", fee="0.384", feeCoin="USDT")
    assert "fee" not in told.heard()[0][1]
