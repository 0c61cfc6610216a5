"""A replace whose answer the journal lost: the order it may have made is asked about after a restart, and none too many."""

from __future__ import annotations

import msgspec
import pytest

from tests.engine.conftest import DECISION
from tests.engine.journal.test_restore import (
    AMENDED,
    ID,
    OTHER,
    SENT_AT,
    WALL,
    Told,
    entry,
    journal,
    push,
    read,
    text,
    the_row,
    through_a_checkpoint,
)
from tui.engine.intents import Replace
from tui.engine.journal.journal_rows import Entry

CHANGE = "change"
"""Intent id of the replace."""
LOST = the_row(
    "UNKNOWN", 0, price="60001", qty="0.02", create_at=5, since=SENT_AT + 2,
    reason="cancelled, and its replace got no answer in an earlier session",
)  # fmt: skip
CANCELLED = push(20, "CANCELLED", "0.004")


def replaced(*told: Told) -> list[Entry]:
    """An order that was open and replaced, and what was told afterwards."""
    wanted = Replace(decision=DECISION, key="c", price="60001", qty="0.02")
    intent = text({"kind": "Replace", "intent": wanted, "args": {}})
    entries = [*journal(push(10, "OPEN")), of_change(3, "intent", intent)]
    for at, (kind, what) in enumerate(told, 4):
        own = kind in ("reply", "not_sent")
        entries.append(of_change(at, kind, text(what)) if own else entry(at, kind, text(what)))
    return entries


def of_change(number: int, kind: str, payload: str) -> Entry:
    return msgspec.structs.replace(entry(number, kind, payload, cid=""), intent_id=CHANGE)


def answer(code: int, order_id: str = "", state: str = "") -> Told:
    data = {"orderId": order_id, "orderState": state} if order_id else None
    return "reply", {"code": code, "text": "why", "data": data}


@pytest.mark.parametrize(
    "told",
    [
        [CANCELLED],
        [CANCELLED, CANCELLED],
        [CANCELLED, push(20, "CANCELLED", "0.004", kind="snapshot")],
        [answer(200000, OTHER), CANCELLED],
        [CANCELLED, answer(200000, OTHER)],
        [answer(400013), CANCELLED],
        [push(20, "CANCELED", "0.004")],
        [push(10, "OPEN", action="AMEND_COMPLETED"), CANCELLED],
        [push(15, "OPEN", action="AMEND_PENDING"), CANCELLED],
    ],
)
def test_f85_a_lost_replace_is_queried_after_a_restart(told: list[Told]) -> None:
    assert read(replaced(*told)).rows == [LOST]


@pytest.mark.parametrize(
    "told",
    [
        [answer(401013), CANCELLED],
        [CANCELLED, answer(401117)],
        [answer(200000, ID), CANCELLED],
        [CANCELLED, answer(200000, ID, "CANCELLED")],
        [("not_sent", "the link is down"), CANCELLED],
        [push(15, "OPEN", action="AMEND_FAILED"), CANCELLED],
        [push(15, "OPEN", action="AMEND_COMPLETED", limitPrice="60001"), CANCELLED],
        [push(20, "FILLED", "0.01")],
        [CANCELLED, push(20, "CANCELLED", "0.004", kind="query")],
        [CANCELLED, push(30, "FILLED", "0.02", kind="query", **AMENDED)],
        [CANCELLED, push(30, "FILLED", "0.02", **AMENDED)],
        [CANCELLED, ("dismiss", "x")],
    ],
)
def test_f85_a_settled_replace_is_not_queried_after_a_restart(told: list[Told]) -> None:
    assert read(replaced(*told)).rows == []


def test_f85_a_query_by_order_id_does_not_settle_a_lost_replace() -> None:
    asked = msgspec.structs.replace(entry(5, "query", text(push(20, "CANCELLED", "0.004")[1])), order_id=ID)
    assert read([*replaced(CANCELLED), asked]).rows == [LOST]


def test_f85_a_restart_restores_the_replacement_order() -> None:
    rows = read(replaced(CANCELLED, push(30, "OPEN", **AMENDED))).rows
    assert [(row.order_id, row.state, row.earlier_ids) for row in rows] == [(OTHER, "OPEN", (ID,))]


def test_f85_a_journal_checkpoint_keeps_an_open_replace() -> None:
    entries = replaced(CANCELLED, answer(401117))
    for at in range(1, len(entries)):
        assert read(through_a_checkpoint(entries[:-1], at, WALL)).rows == read(entries[:-1]).rows
        assert read(through_a_checkpoint(entries, at, WALL)).rows == []
