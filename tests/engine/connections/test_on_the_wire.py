"""The engine against a scripted service on real sockets: faults of replies, pushes and links."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from tests.client.fakes import Reply, order, until
from tests.engine.conftest import DECISION, SYM, Rig, buy
from tests.engine.full_disk import raise_full_disk
from tui.client.private_stream import NotWritten
from tui.engine.intents import Cancel, CancelAll, Replace, Verdict
from tui.engine.journal.memory_journal import MemoryJournal
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import LocalOrderState, PendingAction, Table
from tui.engine.status_rows import LinkState

pytestmark = pytest.mark.hurried


def silent(frame: dict[str, Any]) -> Reply:
    return None


async def test_an_order_goes_from_submit_to_fill(rig: Rig) -> None:
    await rig.ready()
    outcome = await rig.engine.submit(buy())
    assert (outcome.verdict, outcome.text) == (Verdict.ACCEPTED, "")
    assert rig.screen.order(outcome.key).state == "NEW"
    record = rig.fake.orders[outcome.key]
    await rig.fake.push("Orders", {**record, "updateAt": "1700000000005"})
    await rig.shows(outcome.key, "OPEN")
    await rig.fake.push(
        "orders", {**record, "orderState": "FILLED", "executedQty": "0.01", "updateAt": "1700000000009"}
    )
    row = await rig.shows(outcome.key, "FILLED")
    assert (row.executed, row.final, row.external) == ("0.01", True, False)


def hold_journal(rig: Rig, patch: pytest.MonkeyPatch) -> asyncio.Event:
    """Let no entry become durable before the event."""
    written, record = asyncio.Event(), rig.journal.record

    async def wait_and_record(*words: str, **ids: Any) -> int:
        await written.wait()
        return await record(*words, **ids)

    patch.setattr(rig.journal, "record", wait_and_record)
    return written


async def test_i2_order_intent_is_on_disk_before_the_order_is_sent(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.ready()
    written = hold_journal(rig, monkeypatch)
    work = asyncio.create_task(rig.engine.submit(buy()))
    await until(lambda: list(rig.engine.state.orders.visible_rows()))
    row = next(iter(rig.engine.state.orders.visible_rows()))
    assert row.state == LocalOrderState.SENDING
    assert not rig.fake.placed
    written.set()
    await work
    assert len(rig.fake.placed) == 1
    assert [entry.kind for entry in rig.journal.lines if entry.client_order_id][:3] == ["intent", "sent", "reply"]


def take_unlisted(rig: Rig, frame: dict[str, Any]) -> None:
    """Accept an order that no list holds, so that none read meanwhile answers before the reply is given up."""
    rig.fake.accept(frame)
    rig.fake.open.pop()


async def test_f18_f05_an_order_with_lost_reply_is_resolved_by_query(rig: Rig) -> None:
    await rig.ready()

    def swallow(frame: dict[str, Any]) -> Reply:
        take_unlisted(rig, frame)
        return None

    rig.fake.on_action = swallow
    outcome = await rig.engine.submit(buy())
    assert outcome.verdict is Verdict.UNKNOWN
    await rig.shows(outcome.key, "OPEN")
    assert len(rig.fake.placed) == 1
    assert rig.screen.said("UNKNOWN: BUY 0.01")
    assert rig.screen.said("resolved: BUY 0.01")


async def test_f04_a_not_found_reply_never_ends_an_unknown_order(rig: Rig) -> None:
    await rig.ready()
    rig.fake.on_action = silent
    outcome = await rig.engine.submit(buy())
    key = outcome.key
    await until(lambda: rig.engine.state.orders.rows[key].not_found >= 2)
    row = rig.screen.order(key)
    assert (row.state, row.final) == (LocalOrderState.UNKNOWN, False)
    assert row.not_found_at > 0
    await rig.fake.push("Orders", rig.fake.rest(rig.fake.placed[0]["args"]))
    assert (await rig.shows(key, "OPEN")).order_id


async def test_f19_a_late_reply_resolves_an_unknown_order_in_its_row(rig: Rig) -> None:
    await rig.ready()

    async def late(frame: dict[str, Any]) -> Reply:
        await asyncio.sleep(0.6)
        return {"code": 401013, "msg": "step", "data": None}

    rig.fake.on_action = late
    outcome = await rig.engine.submit(buy())
    assert outcome.verdict is Verdict.UNKNOWN
    row = await rig.shows(outcome.key, "REJECT")
    assert "401013" in row.reason
    assert len(list(rig.engine.state.orders.visible_rows())) == 1


@pytest.mark.parametrize(
    ("answer", "verdict", "state"),
    [
        ({"code": 401013, "msg": "bad step", "data": None}, Verdict.REJECTED, "REJECT"),
        ({"code": "401013", "msg": "bad step"}, Verdict.REJECTED, "REJECT"),
        ({"code": 200000, "msg": "Success", "data": None}, Verdict.UNKNOWN, LocalOrderState.UNKNOWN),
        ({"code": 400013, "msg": "timeout", "data": None}, Verdict.UNKNOWN, LocalOrderState.UNKNOWN),
        ({"code": 401009, "msg": "duplicate", "data": None}, Verdict.UNKNOWN, LocalOrderState.UNKNOWN),
    ],
    ids=["refused", "code as text", "F38 no data", "F64 time-out inside", "duplicate id"],
)
async def test_place_order_replies_lead_to_the_right_verdict(
    rig: Rig, answer: dict[str, Any], verdict: Verdict, state: str
) -> None:
    await rig.ready()
    rig.fake.on_action = lambda frame: answer
    outcome = await rig.engine.submit(buy())
    assert outcome.verdict is verdict
    assert rig.screen.order(outcome.key).state == state


async def test_f20_f21_replies_with_unknown_or_no_id_are_counted(rig: Rig) -> None:
    await rig.ready()
    rig.fake.on_action = silent
    work = asyncio.create_task(rig.engine.submit(buy()))
    await until(lambda: rig.fake.placed)
    for one in ('"id":"nobody",', ""):
        await rig.fake.say(f'{{{one}"event":"place_order","code":200000,"data":{{"orderId":"1"}}}}')
    stream = rig.private
    await until(lambda: stream.status.stray_replies == 2)
    assert (await work).verdict is Verdict.UNKNOWN


async def test_f05_a_disconnect_makes_pending_orders_unknown(rig: Rig) -> None:
    await rig.ready()

    def cut(frame: dict[str, Any]) -> Reply:
        rig.fake.accept(frame)
        rig.fake.cut()
        return None

    rig.fake.on_action = cut
    outcome = await rig.engine.submit(buy())
    assert outcome.verdict is Verdict.UNKNOWN
    rig.fake.on_action = rig.fake.accept
    await rig.shows(outcome.key, "OPEN")
    await until(lambda: rig.engine.state.synced)
    assert len(rig.fake.placed) == 1
    assert rig.fake.logins == 2


async def test_f06_fills_during_a_disconnect_are_reported_once(rig: Rig) -> None:
    await rig.ready()
    await until(lambda: rig.engine.state.fills.day_is_whole)
    now = int(rig.clock.wall() * 1000)
    rig.fake.trades.append(_trade("1", str(now)))
    outcome = await rig.engine.submit(buy())
    await rig.fake.push("Trades", _trade("1", str(now)))
    await until(lambda: rig.engine.state.fills.newest_ms)
    record = rig.fake.orders[outcome.key]
    state, before = rig.engine.state, rig.engine.state.epoch
    rig.fake.cut()
    record.update(orderState="FILLED", executedQty="0.01", updateAt="1700000000900")
    rig.fake.open.clear()
    rig.fake.trades.extend([_trade("2", str(now + 5)), _trade("3", str(now + 6))])
    await rig.shows(outcome.key, "FILLED")
    # The order may be asked about before the loss of the link is noticed.
    await until(lambda: state.epoch > before and state.synced and state.fills.caught_up)
    fills = [event.text for event in rig.screen.look().events if "FILL " in event.text]
    assert len(fills) == 3
    assert sum("while away" in text for text in fills) == 2
    assert len(rig.screen.tables[Table.FILLS]) == 3


async def test_f01_orders_are_denied_and_not_queued_while_disconnected(rig: Rig) -> None:
    await rig.ready()
    rig.fake.login_code = 60009
    rig.fake.cut()
    await until(lambda: not rig.engine.state.logged_in)
    outcome = await rig.engine.submit(buy())
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK")
    assert not [entry for entry in rig.journal.lines if entry.kind == "intent"]
    assert not rig.fake.placed


async def test_f02_a_link_loss_while_journaling_sends_no_order(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.ready()
    written = hold_journal(rig, monkeypatch)
    work = asyncio.create_task(rig.engine.submit(buy()))
    await until(lambda: list(rig.engine.state.orders.visible_rows()))
    rig.fake.login_code = 60009
    rig.fake.cut()
    await until(lambda: not rig.engine.state.logged_in)
    written.set()
    outcome = await work
    assert outcome.verdict is Verdict.DENIED
    row = rig.screen.order(outcome.key)
    assert (row.state, row.final) == (LocalOrderState.NOT_SENT, True)
    assert not rig.fake.placed


async def test_f93_with_a_full_disk_orders_are_denied_and_cancels_sent(rig: Rig) -> None:
    await rig.ready()
    resting = await rig.engine.submit(buy())
    rig.journal.failure = "no space left on device"
    denied = await rig.engine.submit(buy(price="59990"))
    assert (denied.verdict, denied.guard) == (Verdict.DENIED, "JOURNAL")
    assert "cannot record" in denied.text
    assert len(rig.fake.placed) == 1
    cancelled = await rig.engine.submit(Cancel(decision=DECISION, key=resting.key))
    assert cancelled.verdict is Verdict.ACCEPTED


async def test_f34_an_order_missing_from_a_snapshot_is_queried(rig: Rig) -> None:
    await rig.ready()
    outcome = await rig.engine.submit(buy())
    await rig.fake.push("Orders", rig.fake.orders[outcome.key])
    await rig.shows(outcome.key, "OPEN")
    rig.fake.open.clear()
    rig.fake.orders[outcome.key].update(orderState="CANCELLED", cancelType="USER", updateAt="1700000000100")
    assert (await rig.shows(outcome.key, "CANCELLED")).final


async def test_f34_an_order_the_venue_does_not_know_becomes_unknown(rig: Rig) -> None:
    await rig.ready()
    outcome = await rig.engine.submit(buy())
    await rig.fake.push("Orders", rig.fake.orders[outcome.key])
    await rig.shows(outcome.key, "OPEN")
    rig.fake.open.clear()
    rig.fake.orders.clear()
    assert not (await rig.shows(outcome.key, LocalOrderState.UNKNOWN)).final


async def test_f37_a_failed_snapshot_keeps_old_rows_and_reports_it(rig: Rig) -> None:
    await rig.ready()
    outcome = await rig.engine.submit(buy())
    rig.fake.refuse_rest = lambda path: web.Response(status=404) if path == "/api/v1/trading/orders" else None
    rig.fake.cut()
    await until(lambda: rig.screen.said("SNAPSHOT FAILED"))
    assert rig.screen.order(outcome.key).state == "NEW"
    assert not rig.engine.state.synced
    row = rig.screen.look().tables[Table.LINKS]["private"]
    assert row.state is LinkState.RESYNC  # type: ignore[attr-defined]
    assert (await rig.engine.submit(buy(price="59990"))).guard == "LINK"
    cancel = await rig.engine.submit(Cancel(decision=DECISION, key=outcome.key))
    assert cancel.verdict is Verdict.ACCEPTED
    rig.fake.refuse_rest = lambda path: None
    await until(lambda: rig.engine.state.synced)


async def test_f35_newer_pushes_win_over_the_snapshot(rig: Rig) -> None:
    await rig.ready()
    outcome = await rig.engine.submit(buy())
    record = rig.fake.orders[outcome.key]
    await rig.fake.push(
        "Orders", {**record, "updateAt": "1700000000500", "orderState": "PARTIALLY_FILLED", "executedQty": "0.004"}
    )
    await rig.shows(outcome.key, "PARTIALLY_FILLED")
    rig.fake.cut()
    await until(lambda: rig.fake.logins == 2 and rig.engine.state.synced)
    assert rig.screen.order(outcome.key).executed == "0.004"


async def test_f50_f52_ten_bad_frames_make_the_client_reconnect(rig: Rig) -> None:
    await rig.ready()
    for number in range(10):
        await rig.fake.say(f"{{broken {number}")
    await until(lambda: rig.fake.logins == 2 and rig.engine.state.synced)
    stream = rig.private
    assert stream.status.bad_frames == 10


async def test_f66_a_rejected_login_is_reported_and_retried_slowly(rig: Rig) -> None:
    rig.fake.login_code = "60009"
    await rig.start()
    await until(lambda: rig.fake.logins == 3)
    await asyncio.sleep(0.3)
    assert rig.fake.logins == 3
    row = rig.screen.look().tables[Table.LINKS]["private"]
    assert "60009" in row.error  # type: ignore[attr-defined]
    assert (await rig.engine.submit(buy())).verdict is Verdict.DENIED


async def test_s24_f73_data_of_another_portfolio_raises_an_alert(rig: Rig) -> None:
    await rig.ready()
    await rig.fake.push("Orders", order(portfolioId="9999999999999999"))
    await until(lambda: rig.screen.said("another portfolio"))
    assert not list(rig.engine.state.orders.visible_rows())


async def test_f25_a_fill_of_an_unknown_order_queries_the_order(rig: Rig) -> None:
    await rig.ready()
    rig.fake.orders["theirs"] = order(clientOrderId="theirs", orderId="2000000000000077")
    await rig.fake.push("Trades", _trade("9", "1700000000500", orderId="2000000000000077"))
    await until(lambda: "2000000000000077" in rig.engine.state.orders.rows)
    assert rig.screen.order("2000000000000077").external


async def test_f28_one_replace_and_one_cancel_of_an_order_at_a_time(rig: Rig) -> None:
    await rig.ready()
    outcome = await rig.engine.submit(buy())
    await rig.fake.push("Orders", rig.fake.orders[outcome.key])
    await rig.shows(outcome.key, "OPEN")
    first = await rig.engine.submit(Replace(decision=DECISION, key=outcome.key, price="59999", qty="0.02"))
    assert first.verdict is Verdict.ACCEPTED
    row = rig.screen.order(outcome.key)
    assert (row.overlay, row.requested_price, row.price) == (PendingAction.AMEND, "59999", "60000")
    second = await rig.engine.submit(Replace(decision=DECISION, key=outcome.key, price="59998", qty="0.02"))
    assert (second.verdict, second.guard) == (Verdict.DENIED, "IN_FLIGHT")
    assert (await rig.engine.submit(Cancel(decision=DECISION, key=outcome.key))).verdict is Verdict.ACCEPTED
    again = await rig.engine.submit(Cancel(decision=DECISION, key=outcome.key))
    assert (again.verdict, again.guard) == (Verdict.DENIED, "IN_FLIGHT")


async def test_f12_a_lost_cancel_all_leaves_each_cancel_unknown(rig: Rig) -> None:
    await rig.ready()
    keys = [(await rig.engine.submit(buy(price=f"{60000 - step}"))).key for step in range(3)]
    rig.fake.on_action = silent
    outcome = await rig.engine.submit(CancelAll(decision=DECISION))
    assert outcome.verdict is Verdict.UNKNOWN
    assert "3 unknown" in outcome.text
    assert all(rig.screen.order(key).overlay is PendingAction.CANCEL_LOST for key in keys)
    assert all(not rig.screen.order(key).final for key in keys)


async def test_a_cancel_all_with_unclear_reply_keeps_its_code(rig: Rig) -> None:
    await rig.ready()
    key = (await rig.engine.submit(buy())).key
    rig.fake.on_action = lambda frame: {"code": 400013, "msg": "system busy", "data": None}
    outcome = await rig.engine.submit(CancelAll(decision=DECISION))
    assert (outcome.verdict, outcome.code) == (Verdict.UNKNOWN, 400013)
    assert rig.screen.order(key).overlay is PendingAction.CANCEL_LOST


async def test_a_cancel_all_that_never_left_is_journaled_as_not_sent(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.ready()
    key = (await rig.engine.submit(buy())).key

    async def unconnected(*_: object) -> None:
        raise NotWritten("the private stream is not connected")

    monkeypatch.setattr(rig.private, "send_action", unconnected)
    outcome = await rig.engine.submit(CancelAll(decision=DECISION))
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK")
    [sent] = [entry.intent_id for entry in rig.journal.lines if '"kind":"CancelAll","intent"' in entry.payload
              and "endpoint" not in entry.payload]  # fmt: skip
    assert [entry.kind for entry in rig.journal.lines if entry.intent_id == sent] == ["intent", "not_sent"]
    assert rig.screen.order(key).overlay is PendingAction.NOTHING


async def test_the_kill_switch_works_in_view_mode_and_disarms(rig: Rig) -> None:
    await rig.ready()
    await rig.engine.submit(buy())
    outcome = await rig.engine.submit(CancelAll(decision=DECISION, kill=True))
    assert outcome.verdict is Verdict.ACCEPTED
    assert rig.engine.state.trading.own.state is TradingState.VIEW
    assert rig.fake.actions[-1]["args"] == {"exchangeType": "BINANCE"}
    assert (await rig.engine.submit(CancelAll(decision=DECISION))).guard == "STATE"
    assert (await rig.engine.submit(CancelAll(decision=DECISION, kill=True))).verdict is Verdict.ACCEPTED


async def test_cancel_all_without_orders_says_so(rig: Rig) -> None:
    await rig.ready()
    outcome = await rig.engine.submit(CancelAll(decision=DECISION))
    assert outcome.verdict is Verdict.ACCEPTED
    assert outcome.text.startswith("cancel-all: no order was working")
    spared = await rig.engine.submit(CancelAll(decision=DECISION, spare_closing=True))
    assert spared.text.startswith("cancel-all: no order that can open a position was working")


async def test_f85_orders_without_a_reply_are_unknown_after_a_restart(rig: Rig) -> None:
    await rig.ready()
    rig.fake.on_action = silent
    work = asyncio.create_task(rig.engine.submit(buy()))
    await until(lambda: rig.fake.placed)
    left = MemoryJournal(rig.clock, kept=rig.journal.lines)
    await work
    later = Rig(rig.fake, rig.service, left)
    try:
        await later.start()
        key = rig.fake.placed[0]["args"]["clientOrderId"]
        await until(lambda: key in later.engine.state.orders.rows)
        assert later.engine.state.orders.rows[key].state == LocalOrderState.UNKNOWN
        rig.fake.rest(rig.fake.placed[0]["args"])
        await until(lambda: later.engine.state.orders.rows[key].state == "OPEN")
        assert len(rig.fake.placed) == 1
    finally:
        await later.stop()


@pytest.mark.parametrize("reason", ["kill switch", "terminal lost"])
async def test_halt_lasts_over_a_restart_until_the_trader_resumes(rig: Rig, reason: str) -> None:
    await rig.ready()
    kill = CancelAll(decision=DECISION, kill=True, reason=reason)
    assert (await rig.engine.submit(kill)).verdict is Verdict.ACCEPTED
    await rig.stop()
    later = Rig(rig.fake, rig.service, MemoryJournal(rig.clock, kept=rig.journal.lines))
    try:
        rig.fake.publics.clear()
        await later.ready()
        whose = f"{reason} by the former desk, "
        assert later.screen.said(f"still HALT from the session before: {whose}")
        denied = await later.engine.submit(buy())
        assert denied.guard == "MODE" and f"risk mode is HALT ({whose}" in denied.text
        later.engine.set_risk_mode(RiskMode.NORMAL)
        assert (await later.engine.submit(buy())).verdict is Verdict.ACCEPTED
    finally:
        await later.stop()
    last = Rig(rig.fake, rig.service, MemoryJournal(rig.clock, kept=later.journal.lines))
    try:
        rig.fake.publics.clear()
        await last.ready()
        assert last.engine.state.trading.risk_mode is RiskMode.NORMAL
    finally:
        await last.stop()


async def test_i10_f100_a_second_instance_is_read_only(rig: Rig) -> None:
    rig.lock.free = False
    await rig.ready()
    assert rig.engine.state.trading.own.state is TradingState.VIEW
    outcome = await rig.engine.submit(buy())
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "READ_ONLY")
    assert "another instance" in outcome.text
    assert not rig.fake.actions


async def test_f40_f47_a_silent_connection_is_replaced(rig: Rig) -> None:
    rig.settings = rig.settings.__class__(
        timings=rig.settings.timings.__class__(
            reply_timeout=0.25, ping_idle=0.1, ping_timeout=0.15, reconnect_first=0.02, login_gap=0.02
        )
    )
    rig.engine = rig._engine()
    await rig.ready()
    rig.fake.pongs = False
    await until(lambda: rig.fake.logins >= 2)
    rig.fake.pongs = True
    await until(lambda: rig.engine.state.synced)


async def test_f45_a_rejected_subscription_is_shown_in_its_quote_row(rig: Rig) -> None:
    rig.fake.refused_syms = frozenset([SYM])
    await rig.start()
    await until(lambda: not rig.engine.state.quotes.rows[SYM].subscribed)


async def test_f43_an_older_quote_never_replaces_a_newer_one(rig: Rig) -> None:
    await rig.ready()
    quotes = rig.engine.state.quotes
    await rig.fake.quote(bid="60010", ts=50)
    await until(lambda: quotes.rows[SYM].bid == "60010")
    await rig.fake.quote(bid="59000", ts=40)
    await until(lambda: quotes.dropped == 1)
    assert quotes.rows[SYM].bid == "60010"
    await rig.fake.quote(bid="60020", ts=60)
    await until(lambda: quotes.rows[SYM].bid == "60020")


async def test_f61_a_rate_limited_query_is_retried_after_its_wait(rig: Rig) -> None:
    rig.fake.refuse_rest = lambda path: (
        web.json_response({"code": 100429, "message": "slow", "data": {}}, status=429, headers={"Retry-After": "1"})
        if path.endswith("/position") and len([one for one in rig.fake.calls if one[1] == path]) == 1
        else None
    )
    await rig.start()
    await until(lambda: rig.engine.state.synced, 6)
    assert len([one for one in rig.fake.calls if one[1].endswith("/position")]) == 2


def _trade(number: str, at: str, **changes: str) -> dict[str, str]:
    return {
        "transactionId": number,
        "orderId": "2000000000000001",
        "sym": SYM,
        "side": "BUY",
        "quantity": "0.001",
        "price": "60000",
        "createAt": at,
        **changes,
    }


async def test_f93_a_cancel_is_sent_even_if_no_id_can_be_stored(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.ready()
    placed = await rig.engine.submit(buy())

    monkeypatch.setattr(rig.ids, "client_order_id", raise_full_disk)
    refused = await rig.engine.submit(buy(price="59999"))
    assert (refused.verdict, refused.guard) == (Verdict.DENIED, "JOURNAL")
    assert "No space left on device" in refused.text
    cancelled = await rig.engine.submit(Cancel(decision=DECISION, key=placed.key))
    assert cancelled.verdict is Verdict.ACCEPTED


async def test_a_reject_reply_after_a_push_does_not_end_the_order(rig: Rig) -> None:
    await rig.ready()

    async def seen_then_refused(frame: dict[str, Any]) -> Reply:
        await rig.fake.push("Orders", {**rig.fake.rest(frame["args"]), "updateAt": "1700000000005"})
        return {"code": 401013, "msg": "quantity has too many decimals", "data": None}

    rig.fake.on_action = seen_then_refused
    outcome = await rig.engine.submit(buy())
    assert outcome.verdict is Verdict.UNKNOWN
    assert "seen as OPEN" in outcome.text
    row = rig.screen.order(outcome.key)
    assert (row.state, row.final) == ("OPEN", False)


async def test_f52_a_reply_that_is_not_utf8_makes_the_order_unknown(rig: Rig) -> None:
    await rig.ready()

    async def garbled(frame: dict[str, Any]) -> Reply:
        take_unlisted(rig, frame)
        for socket in rig.fake.privates:
            head = json.dumps({"id": frame["id"], "event": frame["action"], "code": 200000}).encode()
            await socket.send_bytes(head[:-1] + b',"data":{"orderId":"1","orderState":"\xff"}}')
        return None

    rig.fake.on_action = garbled
    outcome = await rig.engine.submit(buy())
    assert outcome.verdict is Verdict.UNKNOWN
    await rig.shows(outcome.key, "OPEN")
    assert rig.private.status.bad_frames == 1


async def test_an_interrupted_cancel_is_unknown_and_can_be_repeated(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.ready()
    placed = await rig.engine.submit(buy())

    async def broken(*_: object) -> None:
        raise RuntimeError("a defect of ours")

    with monkeypatch.context() as patch:
        patch.setattr(rig.private, "send_action", broken)
        await rig.engine.submit(Cancel(decision=DECISION, key=placed.key))
    assert rig.screen.order(placed.key).overlay is PendingAction.CANCEL_LOST
    again = await rig.engine.submit(Cancel(decision=DECISION, key=placed.key))
    assert again.verdict is Verdict.ACCEPTED
    rig.engine.tasks.failures = 0


async def test_a_not_found_reply_older_than_a_push_is_ignored(rig: Rig) -> None:
    await rig.ready()
    rig.fake.on_action = silent
    outcome = await rig.engine.submit(buy())
    row = rig.engine.state.orders.rows[outcome.key]
    await rig.fake.push("Orders", order(clientOrderId=outcome.key, updateAt="1700000000005"))
    await rig.shows(outcome.key, "OPEN")
    rig.session.synchronization.resolver._record_not_found(row)
    assert rig.screen.order(outcome.key).state == "OPEN"


async def test_kill_without_an_algo_endpoint_says_algo_orders_stay(rig: Rig) -> None:
    await rig.ready()
    outcome = await rig.engine.submit(CancelAll(decision=DECISION, kill=True))
    assert "algo orders, if there are any, stay: this service has no call for them" in outcome.text
