"""What an answer means: one test for each line of the table."""

from __future__ import annotations

import pytest

from tui.engine.orders import reply_class
from tui.engine.orders.reply_class import Meaning

OID = "2106591138643265"


@pytest.mark.parametrize(
    "code",
    [
        *(401000, 401018, 401099, 401117, 401129, 401199, 401211, 401290, 401901, 401915, 405001, 406015),
        *(2000, 2001, 2002, 2003, 4000, 7000, 60009, 100001, 100002, 100003, 100018, 100041, 100429),
        *(400000, 400003, 400007, 400009),
    ],
)
def test_refusal_codes_end_a_placement(code: int) -> None:
    reading = reply_class.of_place(code, "why", order_id="")
    assert reading.meaning is Meaning.REFUSED
    assert str(code) in reading.text
    assert "why" in reading.text


@pytest.mark.parametrize("code", [401009, 406010])
def test_a_duplicate_id_is_queried_never_final(code: int) -> None:
    assert reply_class.of_place(code, "", order_id="").meaning is Meaning.UNSURE


@pytest.mark.parametrize(
    "code", [400008, 400010, 400011, 400012, 400013, 500, 501, 40000, 50001, 601004, 601903, 404, 123456, -1, 0]
)
def test_f64_ambiguous_codes_leave_a_placement_unknown(code: int) -> None:
    assert reply_class.of_place(code, "", order_id="").meaning is Meaning.UNSURE


def test_success_with_an_id_is_accepted() -> None:
    assert reply_class.of_place(200000, "Success", order_id=OID).meaning is Meaning.ACCEPTED


@pytest.mark.parametrize(
    ("code", "order_id", "http"),
    [(200000, "", 200), (200000, OID, 500), (401013, OID, 200), (200, OID, 200), (401013, "", 502)],
    ids=["F38 no data", "F39 success in a 500", "error with data", "F39 short success", "F65 refusal in a 5xx"],
)
def test_contradictory_answers_are_unknown(code: int, order_id: str, http: int) -> None:
    reading = reply_class.of_place(code, "", order_id=order_id, http=http)
    assert reading.meaning is Meaning.UNSURE
    assert "contradictory" in reading.text


@pytest.mark.parametrize(
    ("code", "order_id", "state", "replace", "meaning"),
    [
        (200000, OID, "OPEN", False, Meaning.ACCEPTED),
        (200000, OID, "OPEN", True, Meaning.ACCEPTED),
        (200000, OID, "CANCELLED", True, Meaning.GONE),
        (200000, OID, "REJECTED", True, Meaning.GONE),
        (200000, OID, "CANCELLED", False, Meaning.ACCEPTED),
        (401117, "", "", False, Meaning.TOO_LATE),
        (401058, "", "", True, Meaning.TOO_LATE),
        (401018, "", "", False, Meaning.REFUSED),
        (401018, "", "", True, Meaning.REFUSED),
        (401019, "", "", False, Meaning.LOOK),
        (401015, "", "", True, Meaning.REFUSED),
        (100429, "", "", False, Meaning.REFUSED),
        (200000, "", "", False, Meaning.UNSURE),
        (400013, "", "", False, Meaning.UNSURE),
        (601004, "", "", True, Meaning.UNSURE),
        (999999, "", "", True, Meaning.UNSURE),
    ],
)
def test_answers_to_cancel_and_replace(code: int, order_id: str, state: str, replace: bool, meaning: Meaning) -> None:
    assert reply_class.of_change(code, "", order_id=order_id, state=state, replace=replace).meaning is meaning


@pytest.mark.parametrize(
    ("code", "http", "meaning"),
    [
        (200000, 200, Meaning.ACCEPTED),
        (200000, 500, Meaning.UNSURE),
        (200, 200, Meaning.UNSURE),
        (2002, 200, Meaning.REFUSED),
        (400013, 200, Meaning.UNSURE),
        (100429, 200, Meaning.REFUSED),
    ],
)
def test_answers_to_cancel_all(code: int, http: int, meaning: Meaning) -> None:
    assert reply_class.of_cancel_all(code, "", http=http).meaning is meaning
