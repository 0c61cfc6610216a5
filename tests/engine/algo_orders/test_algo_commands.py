"""Algo commands on a scripted service: journaled before they leave, sent once, and a lost answer is asked about."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.client.fakes import PORTFOLIO, refusal, until
from tests.engine.algo_orders.algo_service import CANCEL_ALL, OPEN, ORDER, AlgoService
from tests.engine.command_rig import let_calls_expire
from tests.engine.conftest import DECISION, SYM, Rig
from tui.engine.commands import sender
from tui.engine.intents import (
    AlgoIntent,
    CancelAlgo,
    CancelAll,
    CancelAllAlgos,
    PlaceAlgo,
    Protection,
    ReplaceAlgo,
    Verdict,
)
from tui.engine.journal import session_replay
from tui.engine.modes import RiskMode
from tui.engine.orders.dismissal import ALGO_SOURCES
from tui.engine.rows import AlgoRow, PendingAction, Source, Table
from tui.interface.families.algo import OPEN_ALGOS, Condition
from tui.interface.families.orders import Side

pytestmark = pytest.mark.hurried

MARK, LAST = "MARK_PRICE", "LAST_PRICE"


def stop(trigger: str = "59000", **changes: object) -> PlaceAlgo:
    values: dict[str, object] = {
        "decision": DECISION,
        "sym": SYM,
        "side": Side.SELL,
        "condition": Condition.PARTIAL_CLOSE_POSITION,
        "qty": "0.5",
        "reduce_only": True,
        "stop_loss": Protection(trigger=trigger, source=MARK),
        **changes,
    }
    return PlaceAlgo(**values)  # type: ignore[arg-type]


def rows(rig: Rig) -> list[AlgoRow]:
    found = rig.screen.look().tables.get(Table.ALGOS, {}).values()
    return [one for one in found if isinstance(one, AlgoRow)]


def journal(rig: Rig, key: str) -> list[str]:
    """Kinds of entries about one order, in their order."""
    return [one.kind for one in rig.journal.lines if one.intent_id == key and one.kind != "note"]


async def placed(rig: Rig) -> AlgoRow:
    """A stop that the service has shown."""
    await rig.engine.submit(stop())
    await until(lambda: all(one.seen for one in rows(rig)) and len(rows(rig)) == 1)
    return rows(rig)[0]


async def test_an_algo_order_is_journaled_before_it_is_sent_once(rig: Rig, service: AlgoService) -> None:
    outcome = await rig.engine.submit(stop())
    assert outcome.verdict is Verdict.ACCEPTED
    method, sent = service.commands[0]
    assert (method, len(service.commands)) == ("POST", 1)
    assert sent == {
        "algoOrderType": "TPSL", "clientOrderId": outcome.key, "sym": SYM, "side": "SELL", "orderQty": "0.5",
        "conditionType": "PARTIAL_CLOSE_POSITION", "reduceOnly": "true", "slTriggerPrice": "59000",
        "slTriggerType": MARK, "slPrice": "0",
    }  # fmt: skip
    await until(lambda: [one.state for one in rows(rig)] == ["NEW"])
    assert rows(rig)[0].key == outcome.key
    assert journal(rig, outcome.key)[:3] == ["intent", "sent", "reply"]
    meant = next(one for one in rig.journal.lines if one.kind == "intent")
    assert json.loads(meant.payload)["kind"] == "PlaceAlgo" and meant.client_order_id == ""
    [told] = [event for event in rig.screen.look().events if event.text.startswith("PLACED: stop ")]
    assert told.answers, "it is read before older events"


@pytest.mark.parametrize(
    ("intent", "guard", "words"),
    [
        (stop("61000"), "TRIGGER", "stop 61,000 would trigger immediately; it must be below mark"),
        (stop("59000.05"), "NUMBER", "must be a multiple of 0.1"),
        (stop(qty="0.00001"), "NUMBER", "Size"),
        (stop(side=Side.BUY, trigger="61000"), "NO_POSITION", "BUY would not reduce"),
        (stop(sym="BINANCE_PERP_NO_USDT"), "SYMBOL", "not known"),
        (stop(condition=Condition.OCO), "TRIGGER", "target is missing"),
        (stop(condition=Condition.ENTIRE_CLOSE_POSITION), "NUMBER", "takes no quantity"),
        (stop(stop_loss=None), "TRIGGER", "is missing"),
        (stop(stop_loss=Protection(trigger="59000", source="INDEX")), "TRIGGER", "INDEX"),
        (stop(stop_loss=Protection(trigger="59000", source=MARK, price="40000")), "BAND", "beyond its trigger"),
    ],
)
async def test_an_invalid_algo_order_is_denied_and_not_sent(
    rig: Rig, service: AlgoService, intent: PlaceAlgo, guard: str, words: str
) -> None:
    outcome = await rig.engine.submit(intent)
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, guard), outcome.text
    assert words in outcome.text
    assert service.commands == [] and rows(rig) == []


async def test_an_algo_order_with_far_trigger_is_sent_once_confirmed(rig: Rig, service: AlgoService) -> None:
    outcome = await rig.engine.submit(stop("40000"))
    assert (outcome.verdict, outcome.guard) == (Verdict.ASK, "FAR_TRIGGER")
    assert (await rig.engine.submit(stop("40000", confirmed=frozenset(["FAR_TRIGGER"])))).verdict is Verdict.ACCEPTED
    again = await rig.engine.submit(stop("40000", confirmed=frozenset(["FAR_TRIGGER"])))
    assert (again.verdict, again.guard) == (Verdict.ASK, "DUPLICATE")
    assert len(service.commands) == 1


async def test_halt_mode_allows_stops_and_cancels_but_no_opening(rig: Rig, service: AlgoService) -> None:
    opening = stop(
        condition=Condition.CONDITIONAL, reduce_only=False, side=Side.BUY, qty="0.01", stop_loss=None,
        conditional=Protection(trigger="61000", source=MARK),
    )  # fmt: skip
    rig.engine.set_risk_mode(RiskMode.HALT)
    assert (await rig.engine.submit(opening)).guard == "MODE"
    row = await placed(rig)
    assert (await rig.engine.submit(CancelAlgo(decision=DECISION, key=row.key))).verdict is Verdict.ACCEPTED
    await until(lambda: not rows(rig))
    assert [method for method, _ in service.commands] == ["POST", "DELETE"]


async def test_an_opening_algo_order_is_checked_by_the_order_limits(rig: Rig, service: AlgoService) -> None:
    large = stop(
        condition=Condition.CONDITIONAL, reduce_only=False, side=Side.BUY, qty="50", stop_loss=None,
        conditional=Protection(trigger="61000", source=MARK),
    )  # fmt: skip
    outcome = await rig.engine.submit(large)
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "NOTIONAL")
    assert service.commands == []


async def test_an_algo_order_with_lost_reply_is_found_by_client_id(rig: Rig, service: AlgoService) -> None:
    service.answer, service.carries_out = web.Response(status=502), False
    outcome = await rig.engine.submit(stop())
    assert outcome.verdict is Verdict.UNKNOWN
    assert [(one.key, one.state) for one in rows(rig)] == [(outcome.key, "UNKNOWN")]
    again = await rig.engine.submit(stop())
    assert (again.verdict, again.guard) == (Verdict.DENIED, "UNKNOWN_PENDING")
    await until(lambda: any(path == ORDER for method, path, _ in rig.fake.calls if method == "GET"))
    assert [one.state for one in rows(rig)] == ["UNKNOWN"]
    service.add(**service.commands[0][1])
    await until(lambda: [one.state for one in rows(rig)] == ["NEW"])
    await until(lambda: rig.screen.said("was carried out"))
    assert len(service.commands) == 1
    assert journal(rig, outcome.key) == ["intent", "sent", "reply", "algo", "algo_settled"]


async def lose(rig: Rig, service: AlgoService, trigger: str = "59000") -> str:
    """A stop whose call never arrives; returns its key."""
    service.answer, service.carries_out = web.Response(status=502), False
    outcome = await rig.engine.submit(stop(trigger))
    assert outcome.verdict is Verdict.UNKNOWN
    service.answer, service.carries_out = None, True
    return outcome.key


async def searched(rig: Rig, key: str) -> AlgoRow:
    """The row once it was not found often enough and every list was read."""
    table = rig.engine.state.algos
    await until(lambda: table.rows[key].not_found >= 3, 60)
    await rig.session.algos.audit()
    await until(lambda: table.rows[key].answered == frozenset(ALGO_SOURCES), 60)
    return table.rows[key]


async def test_an_algo_order_with_lost_reply_ends_only_by_dismissal(rig: Rig, service: AlgoService) -> None:
    key = await lose(rig, service)
    rig.engine.dismiss(key)
    assert rig.screen.said("not dismissed: stop SELL 0.5")
    let_calls_expire(rig.engine)
    row = await searched(rig, key)
    assert [one.state for one in rows(rig)] == ["UNKNOWN"]
    rig.engine.dismiss(key)
    assert [one.state for one in rows(rig)] == ["UNKNOWN"], "three rounds in less than 10 s"
    early = await rig.engine.submit(stop())
    assert (early.verdict, early.guard) == (Verdict.DENIED, "UNKNOWN_PENDING")
    table = rig.engine.state.algos
    table.rows[key] = msgspec.structs.replace(row, not_found_first=row.not_found_last - 11.0)
    late = await rig.engine.submit(stop(confirmed=frozenset(["DUPLICATE"])))
    assert (late.verdict, late.guard) == (Verdict.ASK, "UNKNOWN_PENDING")
    rig.engine.dismiss(key)
    await until(lambda: not rows(rig))
    assert rig.screen.said("dismissed: stop SELL 0.5") and rig.screen.said("it may still arrive")
    assert journal(rig, key) == ["intent", "sent", "reply", "dismiss"]
    assert len(service.commands) == 1
    service.add(**service.commands[0][1])
    await rig.session.algos.audit()
    assert [(one.key, one.state) for one in rows(rig)] == [(key, "NEW")]
    assert rig.screen.said("dismissed algo order is back: stop SELL 0.5")


async def test_an_ended_algo_order_with_lost_reply_is_found_in_history(rig: Rig, service: AlgoService) -> None:
    key = await lose(rig, service)
    algo_id = service.add(**service.commands[0][1])
    service.change(algo_id, orderState="COMPLETED")
    service.known_by_id = False
    await until(lambda: not rows(rig), 60)
    assert rig.screen.said("FIRED") and "algo" in journal(rig, key)


async def test_an_accepted_algo_order_that_is_not_listed_is_unknown(
    rig: Rig, service: AlgoService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.carries_out = False
    monkeypatch.setattr(sender, "LATE_S", 0.0)
    outcome = await rig.engine.submit(stop())
    assert outcome.verdict is Verdict.ACCEPTED
    await until(lambda: [one.state for one in rows(rig)] == ["UNKNOWN"], 60)
    assert rig.screen.said("accepted, and not found at the venue: UNKNOWN")


async def test_two_algo_orders_with_lost_replies_are_queried_in_turn(rig: Rig, service: AlgoService) -> None:
    keys = [await lose(rig, service, trigger) for trigger in ("59000", "58000")]
    found = rig.engine.state.algos.rows
    await until(lambda: all(found[key].not_found >= 2 for key in keys), 60)


async def test_an_algo_order_change_is_pending_until_listed(rig: Rig, service: AlgoService) -> None:
    row = await placed(rig)
    wanted = ReplaceAlgo(decision=DECISION, key=row.key, stop_loss=Protection(trigger="58000", source=MARK))
    assert (await rig.engine.submit(wanted)).verdict is Verdict.ACCEPTED
    assert service.commands[-1] == (
        "PUT",
        {"algoOrderId": row.record.algo_order_id, "slTriggerPrice": "58000", "slTriggerType": MARK, "slPrice": "0"},
    )
    await until(lambda: rows(rig)[0].record.sl_trigger_price == "58000")
    await until(lambda: rows(rig)[0].overlay is PendingAction.NOTHING)
    told = [event.text for event in rig.screen.look().events if "change of stop" in event.text]
    assert told and all("58,000" in text or "58000" in text for text in told), told
    same = await rig.engine.submit(wanted)
    assert (same.verdict, same.guard) == (Verdict.DENIED, "NUMBER")


@pytest.mark.parametrize("command", ["change", "cancel"])
async def test_an_algo_change_with_lost_reply_is_settled_by_a_query(
    rig: Rig, service: AlgoService, command: str
) -> None:
    row = await placed(rig)
    service.answer, service.carries_out = web.Response(status=502), False
    moved = Protection(trigger="58000", source=MARK)
    intent: AlgoIntent = ReplaceAlgo(decision=DECISION, key=row.key, stop_loss=moved)
    if command == "cancel":
        intent = CancelAlgo(decision=DECISION, key=row.key)
    assert (await rig.engine.submit(intent)).verdict is Verdict.UNKNOWN
    lost = PendingAction.CANCEL_LOST if command == "cancel" else PendingAction.AMEND_LOST
    assert [one.overlay for one in rows(rig)] == [lost]
    assert (await rig.engine.submit(intent)).guard == "IN_FLIGHT"
    let_calls_expire(rig.engine)
    await until(lambda: [one.overlay for one in rows(rig)] == [PendingAction.NOTHING], 20)
    assert rig.screen.said("was not carried out; the order stands as it was")
    assert len(service.commands) == 2


async def test_an_algo_order_missing_from_the_list_is_queried(rig: Rig, service: AlgoService) -> None:
    algo_id = service.add(sym=SYM, side="SELL", conditionType="ENTIRE_CLOSE_POSITION", slTriggerPrice="59000")
    await rig.session.algos.audit()
    assert [one.key for one in rows(rig)] == [algo_id]
    service.change(algo_id, orderState="EXPIRED", reason="The position is closed")
    await rig.session.algos.audit()
    assert rows(rig) == []
    await until(lambda: rig.screen.said("EXPIRED: stop SELL all"))
    assert rig.screen.said(": The position is closed")


async def test_no_stop_is_sent_if_its_position_closes_before_sending(
    rig: Rig, service: AlgoService, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = rig.journal.record

    async def slow(kind: str, *args: Any, **kwargs: Any) -> None:
        if kind == "intent":
            rig.engine.state.facts.positions.rows.clear()
        await record(kind, *args, **kwargs)

    monkeypatch.setattr(rig.journal, "record", slow)
    outcome = await rig.engine.submit(stop())
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "NO_POSITION")
    assert service.commands == [] and rows(rig) == []


async def test_a_copy_of_an_unlisted_algo_order_needs_confirmation(rig: Rig, service: AlgoService) -> None:
    service.carries_out = False
    assert (await rig.engine.submit(stop())).verdict is Verdict.ACCEPTED
    again = await rig.engine.submit(stop())
    assert (again.verdict, again.guard) == (Verdict.ASK, "DUPLICATE") and "on its way" in again.text


async def test_cancel_of_an_already_ended_algo_order_names_the_order(rig: Rig, service: AlgoService) -> None:
    row = await placed(rig)
    record = msgspec.structs.replace(row.record, order_state="CANCELLED", update_at="9999")
    answer = rig.fake.refuse_rest
    assert answer is not None

    def pushed_first(path: str) -> web.Response | None:
        if rig.fake.calls[-1][0] == "DELETE":
            rig.session.algos.fold(record, Source.PUSH)
        return answer(path)

    rig.fake.refuse_rest = pushed_first
    assert (await rig.engine.submit(CancelAlgo(decision=DECISION, key=row.key))).verdict is Verdict.ACCEPTED
    assert rig.screen.said("ACCEPTED: cancel of stop SELL 0.5 BINANCE BTC perp at 59,000")


async def test_an_unknown_algo_order_is_cancelled_by_client_id(rig: Rig, service: AlgoService) -> None:
    """The answer to the placement was lost; the cancel does not wait for a reading that shows the order."""
    service.known_by_id = False
    key = await lose(rig, service)
    algo_id = service.add(**service.commands[0][1])
    outcome = await rig.engine.submit(CancelAlgo(decision=DECISION, key=key))
    assert outcome.verdict is Verdict.ACCEPTED
    assert service.commands[1:] == [("DELETE", {"clientOrderId": key})]
    assert service.orders[algo_id]["orderState"] == "CANCELLED"
    assert [one.state for one in rows(rig)] == ["UNKNOWN"], "until the service shows it"
    service.known_by_id = True
    await until(lambda: not rows(rig), 20)
    assert rig.screen.said("CANCELLED: stop ") and journal(rig, key)[-1] == "algo_settled"


async def test_an_unlisted_unknown_algo_order_stays_after_a_cancel(rig: Rig, service: AlgoService) -> None:
    key = await lose(rig, service)
    outcome = await rig.engine.submit(CancelAlgo(decision=DECISION, key=key))
    assert outcome.verdict is Verdict.REJECTED
    assert "may still arrive" in outcome.text and "cancel again or dismiss" in outcome.text
    service.answer = web.Response(status=502)
    assert (await rig.engine.submit(CancelAlgo(decision=DECISION, key=key))).verdict is Verdict.UNKNOWN
    assert [(one.state, one.overlay) for one in rows(rig)] == [("UNKNOWN", PendingAction.NOTHING)]
    replayed = session_replay.replay_entries(await rig.journal.entries(), portfolio=PORTFOLIO, now=0.0, wall=0.0)
    assert [type(one.intent) for one in replayed.commands] == [PlaceAlgo], (
        "a restart goes on asking about the placement"
    )


async def test_algo_cancel_all_reports_how_many_were_cancelled(rig: Rig, service: AlgoService) -> None:
    for _ in range(2):
        service.add(sym=SYM, side="SELL", algoOrderType="TPSL", conditionType="CONDITIONAL", slTriggerPrice="59000")
    await rig.session.algos.audit()
    outcome = await rig.engine.submit(CancelAll(decision=DECISION, exchange="BINANCE", sym=SYM))
    assert outcome.text == "cancel-all: 2 algo orders cancelled"
    told = [(event.text, event.stays) for event in rig.screen.look().events if "cancel-all" in event.text]
    assert told == [("cancel-all: 2 algo orders cancelled", True)], "it stays until the next key"
    [meant] = [json.loads(one.payload) for one in rig.journal.lines if "cancel_all_algos" in one.payload]
    assert (meant["kind"], meant["endpoint"], meant["args"]["sym"]) == ("CancelAll", "cancel_all_algos", SYM)


async def test_cancel_alls_do_not_wait_for_the_rate_limit_of_the_list(rig: Rig, service: AlgoService) -> None:
    """The list has three reads in 10 s; a window that waits 15 s would not know what became of its third cancel."""
    service.add(sym=SYM, side="SELL", algoOrderType="TPSL", conditionType="CONDITIONAL", slTriggerPrice="59000")
    for _ in range(6):
        outcome = await rig.engine.submit(CancelAll(decision=DECISION, exchange="BINANCE", sym=SYM))
        assert (outcome.verdict, outcome.text) == (Verdict.ACCEPTED, "cancel-all: 1 algo order cancelled")
    calls = [(method, path) for method, path, _ in rig.fake.calls]
    assert calls.count(("DELETE", CANCEL_ALL)) == 6 and calls.count(("GET", OPEN)) <= OPEN_ALGOS.limit.count


async def test_algo_cancel_all_outcome_follows_the_code_not_the_text(rig: Rig, service: AlgoService) -> None:
    await rig.session.algos.audit()
    service.answer = refusal(401023, "no answer from the exchange")
    outcome = await rig.engine.submit(CancelAllAlgos(decision=DECISION, exchange="BINANCE"))
    assert outcome.verdict is Verdict.REJECTED and "no answer from the exchange" in outcome.text


async def test_algo_cancel_all_by_filter_spares_other_orders(rig: Rig, service: AlgoService) -> None:
    for sym, kind in ((SYM, "OCO"), (SYM, "CONDITIONAL"), ("BINANCE_SPOT_BTC_USDT", "CONDITIONAL")):
        service.add(sym=sym, side="SELL", algoOrderType="TPSL", conditionType=kind, slTriggerPrice="59000")
    await rig.session.algos.audit()
    wanted = CancelAllAlgos(decision=DECISION, exchange="BINANCE", business="PERP", condition="CONDITIONAL")
    outcome = await rig.engine.submit(wanted)
    assert (outcome.verdict, outcome.text) == (Verdict.ACCEPTED, "1 algo order cancelled")
    assert [params for _, path, params in rig.fake.calls if path == CANCEL_ALL] == [
        {"exchangeType": "BINANCE", "businessType": "PERP", "algoOrderType": "TPSL", "conditionType": "CONDITIONAL"}
    ], "the condition goes with its type"
    assert len(rows(rig)) == 2
    outcome = await rig.engine.submit(CancelAllAlgos(decision=DECISION, exchange="BINANCE", sym=SYM, algo_type="VWAP"))
    assert (outcome.verdict, outcome.text) == (Verdict.ACCEPTED, "no algo order matched")
    service.answer = web.Response(status=502)
    outcome = await rig.engine.submit(CancelAllAlgos(decision=DECISION, exchange="BINANCE", sym=SYM))
    assert outcome.verdict is Verdict.UNKNOWN and "1 known may stay live" in outcome.text, "of those that it was for"
    assert outcome.text.startswith("algo orders: ") and outcome.text.count("answer") == 1, outcome.text
    assert [one.kind for one in rig.journal.lines if one.payload.startswith('{"kind":"CancelAllAlgos"')] == [
        "intent"
    ] * 3
