"""The order table message by message: the very rows, the very words and who is asked about."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.order_rig import BEGAN, CID, ID, OTHER, WORDS, Told, changed
from tui.engine.event_line import Level
from tui.engine.rows import PendingAction, Source, Stamp
from tui.engine.state import order_table as orders_module
from tui.engine.state.order_fold import Pending
from tui.engine.state.order_table import DISMISSED_COUNTS
from tui.engine.state.order_texts import order_text


def test_an_order_has_a_short_description(told: Told) -> None:
    assert order_text(told.sent()) == WORDS
    assert order_text(told.sent(price="", side="SELL", qty="3")) == "SELL 3 BINANCE BTC perp market"


def test_an_order_in_contracts_shows_the_unit(told: Told) -> None:
    assert order_text(told.sent(sym="OKX_PERP_BTC_USDT", qty="5")) == "BUY 5ct OKX BTC perp @ 60,000"


@pytest.mark.parametrize(
    ("price", "tick", "shown"),
    [
        ("61882", "0.1", "61,882.0"),
        ("61882.5", "0.10", "61,882.5"),
        ("61882.25", "0.1", "61,882.25"),
        ("0.5", "0.0001", "0.5000"),
        ("61882", "5", "61,882"),
        ("61880", "10", "61,880"),
        ("6E+4", None, "60,000"),
        ("61882.50", None, "61,882.50"),
        ("no price", "0.1", "no price"),
    ],
)
def test_event_prices_use_the_decimals_of_the_tick_size(told: Told, price: str, tick: str | None, shown: str) -> None:
    if tick is not None:
        told.ticks["BINANCE_PERP_BTC_USDT"] = Decimal(tick)
    assert told.orders.text_of(told.sent(price=price)) == f"BUY 0.01 BINANCE BTC perp @ {shown}"
    told.fold("REJECT", limitPrice=price)
    assert f"BUY 0.01 BINANCE BTC perp @ {shown}: REJECTED" in told.heard()[-1][1]


def test_an_order_is_found_by_order_id_or_client_id(told: Told) -> None:
    row = told.sent()
    assert (told.screen(), told.orders.find("", CID), told.orders.find(ID, "")) == ({CID: row}, CID, "")
    told.fold("OPEN")
    told.fold("OPEN", orderId="7", clientOrderId="")
    found = [told.orders.find(*ids) for ids in ((ID, ""), (ID, "x"), ("x", CID), ("7", CID), ("x", "x"), ("", ""))]
    assert found == [CID, CID, CID, "7", "", ""]


def test_an_order_of_an_earlier_session_is_found_by_id(told: Told) -> None:
    told.sent("PARTIALLY_FILLED", order_id=ID, executed="0.004")
    assert told.orders.find(ID, "") == CID
    assert told.fold("OPEN", "0.003").conflict == "executed quantity went down from 0.004 to 0.003"


# -- the reply ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("state", "final"), [("NEW", False), ("OPEN", False), ("REJECT", True)])
@pytest.mark.parametrize(("before", "took"), [("SENDING", 250.0), ("SENT", None), ("UNKNOWN", None)])
def test_f07_a_place_reply_sets_the_state_of_a_new_order(
    told: Told, before: str, took: float | None, state: str, final: bool
) -> None:
    row = told.sent(before)
    at = Stamp(PORTFOLIO, 1, 0, Source.REPLY, BEGAN + 0.25)
    assert told.reply(state=state, reason="why") == changed(
        row, order_id=ID, state=state, final=final, reason="why", since=BEGAN + 0.25, reply_ms=took, stamp=at
    )
    assert (told.orders.find(ID, ""), told.heard(), told.asked) == (CID, [], [])


def test_f24_a_reply_after_a_push_only_sets_its_latency(told: Told) -> None:
    told.sent()
    pushed = told.fold("OPEN")
    assert (pushed.push_ms, pushed.reply_ms) == (250.0, None)
    assert told.reply(state="NEW", reason="why") == changed(pushed, reply_ms=500.0)
    assert told.reply() == changed(pushed, reply_ms=500.0)


def test_a_reply_with_another_order_id_is_ignored(told: Told) -> None:
    told.sent("SENT")
    pushed = told.fold("OPEN")
    told.screen()
    assert (pushed.push_ms, told.reply(OTHER), told.reply()) == (None, pushed, pushed)
    assert (told.orders.find(OTHER, ""), told.screen()) == ("", {})


def test_a_second_reply_can_add_the_order_id_that_was_missing(told: Told) -> None:
    told.sent("SENT")
    first = told.reply("")
    assert (first.order_id, first.state) == ("", "NEW")
    assert told.reply("", "OPEN") == first
    assert told.reply(ID, "OPEN") == changed(first, order_id=ID)
    assert told.orders.find(ID, "") == CID


def test_a_reply_does_not_replace_the_order_id_known_from_a_fill(told: Told) -> None:
    told.sent()
    told.orders.count_fill(CID, "77", Decimal("0.001"))
    row = told.reply(ID)
    assert (row.order_id, row.state, told.orders.find(ID, "")) == ("77", "NEW", "")


def test_an_order_id_missing_in_a_reply_is_added_by_a_later_one(told: Told) -> None:
    told.sent()
    told.reply("")
    told.orders.change(CID, reply_ms=None)
    assert (told.reply(ID).order_id, told.orders.rows[CID].reply_ms) == (ID, 500.0)
    told.orders.change(CID, reply_ms=None)
    assert told.reply("").order_id == ID


def test_a_late_reply_restores_a_dismissed_order(told: Told) -> None:
    told.sent("UNKNOWN")
    assert told.orders.dismiss(CID, told.now)
    assert told.screen() == {CID: None}
    row = told.reply()
    assert told.heard() == [(Level.ALERT, f"dismissed order is back: {WORDS}: UNKNOWN", CID)]
    assert (told.screen(), told.visible(), told.orders.list_dismissed(told.now)) == ({CID: row}, [CID], [])


def test_a_reply_does_not_reset_an_order_to_new(told: Told) -> None:
    told.sent("SENT")
    told.fold("OPEN")
    told.orders.mark_unknown(CID, "gone", told.now, vanished=True)
    assert told.reply().state == "UNKNOWN"


@pytest.mark.parametrize("seen", ["OPEN", "FILLED", "CANCELLED"])
def test_a_reject_reply_for_a_listed_order_is_a_conflict(told: Told, seen: str) -> None:
    told.sent("SENT")
    row = told.fold(seen)
    told.heard()
    assert not told.orders.apply_rejection(CID, "401013 Quantity off the lot size", told.stamp())
    words = f"the reply refused it (401013 Quantity off the lot size), the venue shows {seen}"
    since = told.now if row.final else row.since
    assert told.orders.rows[CID] == changed(row, conflict=words, since=since)
    assert (told.heard(), told.asked) == ([(Level.ALERT, f"CONFLICT: {WORDS}: {words}", CID)], [CID])


@pytest.mark.parametrize("seen", ["", "REJECT", "REJECTED"])
def test_a_reject_reply_ends_an_order_that_was_not_listed(told: Told, seen: str) -> None:
    told.sent("SENT")
    if seen:
        told.fold(seen)
    told.heard()
    assert told.orders.apply_rejection(CID, "why", told.stamp())
    row = told.orders.rows[CID]
    assert (row.state, row.final, row.reason, row.order_id) == (
        (seen, True, "", ID) if seen else ("REJECT", True, "why", "")
    )
    assert (told.heard(), told.asked) == ([], [])


# -- lost, dismissed, swept ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "vanished", "lost"),
    [
        ("SENDING", False, True),
        ("SENT", False, True),
        ("SENT", True, True),
        ("OPEN", False, False),
        ("OPEN", True, True),
        ("HALF_OPEN", True, True),
        ("FILLED", True, False),
        ("FILLED", False, False),
        ("UNKNOWN", False, False),
        ("UNKNOWN", True, False),
    ],
)
def test_i4_an_order_without_reply_is_unknown_and_queried(told: Told, state: str, vanished: bool, lost: bool) -> None:
    row = told.sent(state, final=state == "FILLED", asked=3, not_found=2)
    told.orders.mark_unknown(CID, "no answer", 110.0, vanished=vanished)
    since = BEGAN if state in ("SENDING", "SENT") else 110.0
    unknown = changed(row, state="UNKNOWN", reason="no answer", since=since, asked=0, not_found=0)
    assert told.orders.rows[CID] == (unknown if lost else row)
    line = (Level.ALERT, f"UNKNOWN: {WORDS}: no answer; being queried", CID)
    assert told.heard() == ([line] if lost else [])
    assert told.orders.unknown() == ([told.orders.rows[CID]] if lost or state == "UNKNOWN" else [])


def test_a_vanished_order_is_restored_by_a_push_of_equal_time(told: Told) -> None:
    told.sent("SENT")
    told.fold("OPEN", at=20)
    told.orders.mark_unknown(CID, "gone", told.now, vanished=True)
    assert told.fold("OPEN", at=19).state == "UNKNOWN"
    assert told.fold("OPEN", at=20).state == "OPEN"


def test_only_unknown_orders_are_dismissed(told: Told) -> None:
    told.sent("OPEN")
    assert not told.orders.dismiss(CID, 5.0)
    assert not told.orders.dismiss("nobody", 5.0)
    assert told.visible() == [CID]
    told.sent("UNKNOWN", "cd2")
    assert told.orders.dismiss("cd2", 1.0)
    assert told.orders.dismiss("cd2", 5.0)
    assert ([row.key for row in told.orders.working()], told.orders.unknown()) == ([CID], [])
    ages = (0, DISMISSED_COUNTS - 1, DISMISSED_COUNTS)
    counted = [[row.key for row in told.orders.list_dismissed(5.0 + age)] for age in ages]
    assert counted == [["cd2"], ["cd2"], []]


def test_ended_orders_are_not_working_orders(told: Told) -> None:
    told.sent("OPEN")
    told.sent("UNKNOWN", "cd2")
    told.sent("FILLED", "cd3", final=True)
    assert [row.key for row in told.orders.working()] == [CID, "cd2"]


def test_changes_of_a_hidden_order_row_are_not_published(told: Told) -> None:
    told.sent("UNKNOWN")
    told.orders.dismiss(CID, 5.0)
    told.screen()
    assert told.orders.change(CID, asked=4).asked == 4
    assert (told.screen(), told.visible()) == ({}, [])


def test_fills_are_summed_and_compared_with_the_order(told: Told) -> None:
    told.sent("SENT")
    part = Decimal("0.002")
    assert told.orders.count_fill(CID, "", part)
    assert told.orders.rows[CID].order_id == ""
    assert told.orders.count_fill(CID, ID, part)
    assert (told.orders.rows[CID].order_id, told.orders.find(ID, "")) == (ID, CID)
    told.fold("PARTIALLY_FILLED", "0.006")
    assert not told.orders.count_fill(CID, OTHER, part)
    assert (told.orders.rows[CID].order_id, told.orders.find(OTHER, "")) == (ID, "")
    assert told.orders.count_fill(CID, ID, part)


def test_fills_ahead_of_the_order_record_are_shown_as_filled(told: Told) -> None:
    before = told.sent("SENT", order_id=ID)
    told.orders.count_fill(CID, ID, Decimal("0.002"))
    told.orders.count_fill(CID, OTHER, Decimal("0.003"))
    row = told.orders.rows[CID]
    assert (row.executed, row.filled, row.has_other_fills(before)) == ("0", "0.002", True)
    assert told.screen() == {CID: row}
    reached = told.fold("PARTIALLY_FILLED", "0.0020")
    assert reached.filled == "0.0020" and not reached.has_other_fills(row)
    assert told.fold("PARTIALLY_FILLED", "0.006").filled == "0.006"
    told.orders.count_fill(CID, ID, Decimal("7"))
    assert told.orders.rows[CID].filled == told.orders.rows[CID].qty, "more than its size cannot be"


def test_a_fill_restores_a_dismissed_order_only_once(told: Told) -> None:
    told.sent("UNKNOWN")
    told.orders.dismiss(CID, 5.0)
    told.screen()
    for _ in range(2):
        told.orders.count_fill(CID, ID, Decimal("0.001"))
    assert told.heard() == [(Level.ALERT, f"dismissed order is back: {WORDS}: UNKNOWN", CID)]
    assert told.screen() == {CID: told.orders.rows[CID]}
    assert told.orders.list_dismissed(5.0) == []


def test_ended_order_rows_leave_after_their_display_time(told: Told) -> None:
    told.sent("FILLED", final=True)
    told.sent("OPEN", "cd2")
    told.sent("FILLED", "cd3", final=True, since=BEGAN + 1)
    told.screen()
    told.orders.sweep(BEGAN + 59.9, 60)
    assert told.screen() == {}
    told.orders.sweep(BEGAN + 60, 60)
    assert (told.screen(), told.visible()) == ({CID: None}, ["cd2", "cd3"])


def test_only_the_oldest_ended_order_rows_are_forgotten(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders_module, "HIDDEN_ROWS", 2)
    told.sent("OPEN", "cd0")
    told.sent("UNKNOWN", "cd9")
    told.orders.dismiss("cd9", 5.0)
    for number in range(1, 5):
        told.sent("FILLED", f"cd{number}", order_id=str(number), final=True)
        told.orders.sweep(BEGAN + 60, 60)
    assert list(told.orders.rows) == ["cd0", "cd9", "cd3", "cd4"]
    found = [told.orders.find(str(number), f"cd{number}") for number in range(1, 5)]
    assert found == ["", "", "cd3", "cd4"]
    told.sent("UNKNOWN", "cd8")
    told.orders.dismiss("cd8", 5.0)
    told.orders.sweep(BEGAN + 60, 60)
    assert list(told.orders.rows) == ["cd0", "cd9", "cd3", "cd4", "cd8"]


def test_ended_order_rows_without_an_id_are_forgotten(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders_module, "HIDDEN_ROWS", 0)
    told.sent("REJECT", final=True)
    told.fold("FILLED", "0.01", clientOrderId="")
    told.orders.sweep(told.now + 60, 60)
    assert (told.orders.rows, told.orders.find(ID, CID)) == ({}, "")


def test_dismissed_orders_do_not_count_as_kept_ended_rows(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders_module, "HIDDEN_ROWS", 2)
    told.sent("FILLED", final=True)
    for number in range(2, 5):
        told.sent("UNKNOWN", f"cd{number}")
        told.orders.dismiss(f"cd{number}", 5.0)
    told.orders.sweep(BEGAN + 60, 60)
    assert list(told.orders.rows) == [CID, "cd2", "cd3", "cd4"]


# -- replace and cancel -------------------------------------------------------------------------------------------------


def test_a_sent_replace_shows_requested_price_and_size(told: Told) -> None:
    told.sent("SENT")
    row = told.fold("OPEN", action="AMEND_FAILED")
    told.orders.set_pending(CID, PendingAction.AMEND, "i1", 110.0, "60001", "0.02")
    assert told.orders.pending(CID) == Pending(PendingAction.AMEND, (20, "AMEND_FAILED"), 110.0, "i1", "60001", "0.02")
    assert told.orders.rows[CID] == changed(
        row, overlay=PendingAction.AMEND, requested_price="60001", requested_qty="0.02", since=110.0
    )
    assert told.orders.pending("nobody") is None
    assert not (told.orders.is_being_cancelled(CID) or told.orders.is_being_cancelled("nobody"))
    told.orders.set_pending(CID, PendingAction.CANCEL, "i2", 111.0)
    assert told.orders.rows[CID] == changed(row, overlay=PendingAction.CANCEL, since=111.0)
    assert told.orders.is_being_cancelled(CID)
    told.orders.mark_action_unknown(CID, "i2", "no answer")
    assert not told.orders.is_being_cancelled(CID), "a lost cancel may be repeated"


@pytest.mark.parametrize(
    ("overlay", "lost"),
    [(PendingAction.AMEND, PendingAction.AMEND_LOST), (PendingAction.CANCEL, PendingAction.CANCEL_LOST)],
)
def test_a_lost_replace_or_cancel_is_unknown_and_queried(
    told: Told, overlay: PendingAction, lost: PendingAction
) -> None:
    told.sent("OPEN")
    told.orders.mark_action_unknown(CID, "", "no answer")
    told.orders.mark_action_unknown("nobody", "", "no answer")
    told.orders.set_pending(CID, overlay, "i1", 110.0, "60001", "0.02")
    row = told.orders.rows[CID]
    told.orders.mark_action_unknown(CID, "i0", "no answer")
    assert (told.orders.rows[CID], told.heard()) == (row, [])
    told.orders.mark_action_unknown(CID, "i1", "no answer")
    assert told.orders.rows[CID] == changed(row, overlay=lost, reason="no answer")
    assert told.heard() == [(Level.ALERT, f"{lost.value} {WORDS}: no answer; being queried", CID)]


@pytest.mark.parametrize("lost", [False, True])
def test_a_pending_change_ages_from_when_it_was_sent(told: Told, *, lost: bool) -> None:
    """A partial fill began its age anew: a cancel of a minute ago looked young."""
    told.sent("OPEN")
    told.orders.set_pending(CID, PendingAction.CANCEL, "i1", 60.0)
    if lost:
        told.orders.mark_action_unknown(CID, "i1", "no answer")
    assert told.fold("PARTIALLY_FILLED", "0.001", at=30).since == 60.0
    row = told.fold("PARTIALLY_FILLED", "0.001", at=31, action="CANCEL_PENDING")
    assert (row.overlay, row.since) == (PendingAction.CANCEL, 60.0)
    assert told.fold("PARTIALLY_FILLED", "0.001", at=32, action="CANCEL_FAILED").since == told.now


@pytest.mark.parametrize(
    ("overlay", "price", "state", "reason", "lost"),
    [
        (PendingAction.AMEND, "60001", "OPEN", "", False),
        (PendingAction.AMEND, "60001", "PARTIALLY_FILLED", "", False),
        (PendingAction.AMEND, "60000", "PARTIALLY_FILLED", "no answer", True),
        (PendingAction.AMEND, "60000", "CANCELLED", "", False),
        (PendingAction.CANCEL, "60000", "CANCELLED", "", False),
        (PendingAction.CANCEL, "60000", "OPEN", "no answer", True),
    ],
)
def test_the_reason_no_answer_is_cleared_when_a_change_settles(
    told: Told, overlay: PendingAction, price: str, state: str, reason: str, *, lost: bool
) -> None:
    told.sent("OPEN")
    told.orders.set_pending(CID, overlay, "i1", 110.0, "60001", "0.01")
    told.orders.mark_action_unknown(CID, "i1", "no answer")
    executed = "0.001" if state == "PARTIALLY_FILLED" else "0"
    row = told.fold(state, executed, at=30, limitPrice=price, orderQty="0.01")
    assert (row.reason, row.unsure) == (reason, lost)


@pytest.mark.parametrize(("state", "kept"), [("OPEN", ""), ("UNKNOWN", "why")])
def test_a_new_change_of_an_order_clears_the_former_reason(told: Told, state: str, kept: str) -> None:
    told.sent(state, reason="why")
    told.orders.set_pending(CID, PendingAction.CANCEL, "i1", 110.0)
    assert told.orders.rows[CID].reason == kept


@pytest.mark.parametrize(("why", "reason"), [("", ""), ("401018 Order not found", "401018 Order not found")])
def test_a_failed_replace_leaves_the_order_row_as_it_was(told: Told, why: str, reason: str) -> None:
    row = told.sent("OPEN")
    told.orders.clear_pending(CID, "", why)
    told.orders.set_pending(CID, PendingAction.AMEND, "i1", 110.0, "60001", "0.02")
    told.orders.clear_pending(CID, "i0", why)
    assert told.orders.rows[CID].overlay is PendingAction.AMEND
    told.orders.clear_pending(CID, "i1", why) if why else told.orders.clear_pending(CID, "i1")
    assert told.orders.rows[CID] == changed(row, since=110.0, reason=reason)
    assert told.orders.pending(CID) is None
