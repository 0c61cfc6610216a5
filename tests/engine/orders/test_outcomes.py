"""What an answer means: one test for each line of the table."""

from __future__ import annotations

import pytest

from tui.engine.orders import reply_class
from tui.engine.orders.reply_class import ReplyClass

OID = "2106591138643265"


@pytest.mark.parametrize(
    "code",
    [
        *(401000, 401018, 401099, 401117, 401129, 401199, 401211, 401290, 401901, 401915, 405001, 406015),
        *(2000, 2001, 2002, 2003, 4000, 7000, 60009, 100001, 100002, 100003, 100018, 100041, 100429),
        *(400000, 400003, 400007, 400009),
    ],
)
def test_rejection_codes_end_a_new_order(code: int) -> None:
    reading = reply_class.classify_place(code, "why", order_id="")
    assert reading.meaning is ReplyClass.REFUSED
    assert str(code) in reading.text
    assert "why" in reading.text


@pytest.mark.parametrize("code", [401009, 406010])
def test_a_duplicate_id_error_is_queried_and_never_final(code: int) -> None:
    assert reply_class.classify_place(code, "", order_id="").meaning is ReplyClass.UNSURE


@pytest.mark.parametrize(
    "code", [400008, 400010, 400011, 400012, 400013, 500, 501, 40000, 50001, 601004, 601903, 404, 123456, -1, 0]
)
def test_f64_ambiguous_error_codes_leave_a_new_order_unknown(code: int) -> None:
    assert reply_class.classify_place(code, "", order_id="").meaning is ReplyClass.UNSURE


def test_a_success_reply_with_an_order_id_is_accepted() -> None:
    assert reply_class.classify_place(200000, "Success", order_id=OID).meaning is ReplyClass.ACCEPTED


@pytest.mark.parametrize(
    ("code", "order_id"),
    [(200000, ""), (401013, OID), (200, OID)],
    ids=["F38 no data", "error with data", "F39 short success"],
)
def test_contradictory_place_replies_are_unknown(code: int, order_id: str) -> None:
    reading = reply_class.classify_place(code, "", order_id=order_id)
    assert reading.meaning is ReplyClass.UNSURE
    assert "contradictory" in reading.text


@pytest.mark.parametrize(
    ("code", "order_id", "state", "replace", "meaning"),
    [
        (200000, OID, "OPEN", False, ReplyClass.ACCEPTED),
        (200000, OID, "OPEN", True, ReplyClass.ACCEPTED),
        (200000, OID, "CANCELLED", True, ReplyClass.GONE),
        (200000, OID, "REJECTED", True, ReplyClass.GONE),
        (200000, OID, "CANCELLED", False, ReplyClass.ACCEPTED),
        (401117, "", "", False, ReplyClass.TOO_LATE),
        (401058, "", "", True, ReplyClass.TOO_LATE),
        (401018, "", "", False, ReplyClass.REFUSED),
        (401018, "", "", True, ReplyClass.REFUSED),
        (401019, "", "", False, ReplyClass.LOOK),
        (401015, "", "", True, ReplyClass.REFUSED),
        (100429, "", "", False, ReplyClass.REFUSED),
        (200000, "", "", False, ReplyClass.UNSURE),
        (400013, "", "", False, ReplyClass.UNSURE),
        (601004, "", "", True, ReplyClass.UNSURE),
        (999999, "", "", True, ReplyClass.UNSURE),
    ],
)
def test_cancel_and_replace_replies_are_classified(
    code: int, order_id: str, state: str, replace: bool, meaning: ReplyClass
) -> None:
    assert reply_class.classify_change(code, "", order_id=order_id, state=state, replace=replace).meaning is meaning


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (200000, ReplyClass.ACCEPTED),
        (200, ReplyClass.UNSURE),
        (2002, ReplyClass.REFUSED),
        (400013, ReplyClass.UNSURE),
        (100429, ReplyClass.REFUSED),
    ],
)
def test_cancel_all_replies_are_classified(code: int, meaning: ReplyClass) -> None:
    assert reply_class.classify_cancel_all(code, "").meaning is meaning
