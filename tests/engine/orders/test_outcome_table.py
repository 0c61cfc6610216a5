"""Every code and every border of the table of answers: what is done with it, and the very words the trader reads."""

from __future__ import annotations

import pytest

from tui.engine.orders import reply_class
from tui.engine.orders.reply_class import ClassifiedReply, ReplyClass
from tui.interface import errors

OID = "2106591138643265"
REFUSED_RANGES = ((400000, 400007), (401000, 401299), (401900, 401999), (405000, 406999))
"""First and last code of what proves that nothing was done."""
REFUSED_SINGLY = (2000, 2001, 2002, 2003, 4000, 7000, 60009, *(100001, 100002, 100003, 100018, 100041, 100429), 400009)
NEIGHBOURS = {
    code + step
    for code in (*REFUSED_SINGLY, *(end for ends in REFUSED_RANGES for end in ends))
    for step in (-2, -1, 0, 1, 2)
}
LOOKED_AT = {401019, 401058, 401117}
"""Answers to a change that ask for a look at the order."""
HUNDREDS = {family + code for family in range(400000, 408000, 100) for code in (0, 8, 9, 10, 50, 99)}
CODES = sorted(
    NEIGHBOURS
    | HUNDREDS
    | set(errors.BY_CODE) - LOOKED_AT
    | {-1, 0, 200, 404, 405, 500, 501, 40000, 50001, 601004, 601903, 999999}
)


def refused(code: int) -> bool:
    return code in REFUSED_SINGLY or any(first <= code <= last for first, last in REFUSED_RANGES)


def test_only_rejection_codes_prove_that_nothing_happened() -> None:
    assert [code for code in CODES if reply_class.is_refusal(code)] == [code for code in CODES if refused(code)]


@pytest.mark.parametrize("code", [401009, 406010])
def test_a_duplicate_id_error_leaves_a_new_order_unsure(code: int) -> None:
    shown = ClassifiedReply(ReplyClass.UNSURE, f"{code} An order with this id exists: seen")
    assert reply_class.classify_place(code, "seen", order_id="") == shown


def test_only_rejection_codes_end_a_new_order() -> None:
    ended = {code for code in CODES if reply_class.classify_place(code, "", order_id="").meaning is ReplyClass.REFUSED}
    assert ended == {code for code in CODES if refused(code)} - {401009, 406010}


def test_only_rejection_codes_end_a_cancel_all() -> None:
    ended = {code for code in CODES if reply_class.classify_cancel_all(code, "").meaning is ReplyClass.REFUSED}
    assert ended == {code for code in CODES if refused(code)}


@pytest.mark.parametrize("replace", [False, True])
def test_three_rejection_codes_do_not_reject_a_replace_or_cancel(replace: bool) -> None:
    codes = [*CODES, *LOOKED_AT]
    meant = {
        code: reply_class.classify_change(code, "", order_id="", state="", replace=replace).meaning for code in codes
    }
    expected = {code: ReplyClass.REFUSED if refused(code) else ReplyClass.UNSURE for code in CODES}
    assert meant == {**expected, 401019: ReplyClass.LOOK, 401058: ReplyClass.TOO_LATE, 401117: ReplyClass.TOO_LATE}


ACCEPTED = ClassifiedReply(ReplyClass.ACCEPTED, "")


@pytest.mark.parametrize(
    ("code", "order_id", "reading"),
    [
        (200000, OID, ACCEPTED),
        (200000, "", "contradictory answer (200000 Unknown code, see message: why)"),
        (200, "", "contradictory answer (200 Unknown code, see message: why)"),
        (200, OID, "contradictory answer (200 Unknown code, see message: why)"),
        (401013, OID, "contradictory answer (401013 Quantity off the lot size: why)"),
        (400013, OID, "contradictory answer (400013 Timed out: why)"),
        (401013, "", ClassifiedReply(ReplyClass.REFUSED, "401013 Quantity off the lot size: why")),
        (100429, "", ClassifiedReply(ReplyClass.REFUSED, "100429 Rate limit: why")),
        (400013, "", "400013 Timed out: why"),
        (999999, "", "999999 Unknown code, see message: why"),
    ],
)
def test_place_order_replies_are_classified_with_their_text(
    code: int, order_id: str, reading: ClassifiedReply | str
) -> None:
    meant = ClassifiedReply(ReplyClass.UNSURE, reading) if isinstance(reading, str) else reading
    assert reply_class.classify_place(code, "why", order_id=order_id) == meant


GONE = "replace failed and the order is gone ({})"


@pytest.mark.parametrize(
    ("code", "order_id", "state", "replace", "meaning", "text"),
    [
        (200000, OID, "", False, ReplyClass.ACCEPTED, ""),
        (200000, OID, "", True, ReplyClass.ACCEPTED, ""),
        (200000, OID, "FILLED", True, ReplyClass.ACCEPTED, ""),
        (200000, OID, "OPEN", True, ReplyClass.ACCEPTED, ""),
        (200000, OID, "REJECT", False, ReplyClass.ACCEPTED, ""),
        *((200000, OID, end, True, ReplyClass.GONE, GONE.format(end)) for end in ("CANCELLED", "REJECT", "REJECTED")),
        (200000, "", "CANCELLED", True, ReplyClass.UNSURE, "contradictory answer (200000 Unknown code, see message: why)"),
        (200, "", "", False, ReplyClass.UNSURE, "contradictory answer (200 Unknown code, see message: why)"),
        (401117, OID, "", False, ReplyClass.UNSURE, "contradictory answer (401117 Order is finished: why)"),
        (401117, "", "", False, ReplyClass.TOO_LATE, "401117 Order is finished: why"),
        (401058, "", "", True, ReplyClass.TOO_LATE, "401058 Order is finished: why"),
        (401019, "", "", False, ReplyClass.LOOK, "401019 Cancel not allowed: why"),
        (401018, "", "", False, ReplyClass.REFUSED, "401018 Order not found: why"),
        (400013, "", "", True, ReplyClass.UNSURE, "400013 Timed out: why"),
    ],
)  # fmt: skip
def test_replace_and_cancel_replies_are_classified_with_text(
    code: int, order_id: str, state: str, replace: bool, meaning: ReplyClass, text: str
) -> None:
    reading = reply_class.classify_change(code, "why", order_id=order_id, state=state, replace=replace)
    assert reading == ClassifiedReply(meaning, text)


@pytest.mark.parametrize(
    ("code", "meaning", "text"),
    [
        (200000, ReplyClass.ACCEPTED, ""),
        (200, ReplyClass.UNSURE, "200 Unknown code, see message: why"),
        (401018, ReplyClass.REFUSED, "401018 Order not found: why"),
        (400013, ReplyClass.UNSURE, "400013 Timed out: why"),
    ],
)
def test_cancel_all_replies_are_classified_with_their_text(code: int, meaning: ReplyClass, text: str) -> None:
    assert reply_class.classify_cancel_all(code, "why") == ClassifiedReply(meaning, text)
