"""Algo commands whose answer is late, lost or contradicts what was heard: what the trader is told, and what stays open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.client.fakes import refusal, until
from tests.engine.algo_orders.algo_service import OPEN, ORDER, AlgoService
from tests.engine.algo_orders.test_algo_commands import MARK, journal, lose, placed, rows, stop
from tests.engine.command_rig import let_calls_expire, open_command
from tests.engine.conftest import DECISION, SYM, Rig
from tui.client.call_expiry import EXPIRED_S
from tui.engine.event_line import Level
from tui.engine.intents import AlgoIntent, CancelAlgo, CancelAll, CancelAllAlgos, Protection, ReplaceAlgo, Verdict
from tui.engine.modes import TradingState
from tui.engine.orders import algo_orders
from tui.engine.rows import AlgoRow, CommandState, PendingAction, Source
from tui.interface.endpoint import Endpoint
from tui.interface.families.algo import ALGO_DETAIL, CANCEL_ALGO, PLACE_ALGO, AlgoRecord

pytestmark = pytest.mark.hurried


def meanwhile(rig: Rig, method: str, act: Callable[[], web.Response | None], at: str = ORDER) -> None:
    """At a call about algo orders something else happens first; its answer, if it has one, is that of the call."""
    answer = rig.fake.refuse_rest

    def acting(path: str) -> web.Response | None:
        found = act() if path == at and rig.fake.calls[-1][0] == method else None
        return found or answer(path)

    rig.fake.refuse_rest = acting


def queries(rig: Rig) -> int:
    return sum(1 for method, path, _ in rig.fake.calls if method == "GET" and path == ORDER)


def moved(key: str, trigger: str = "58000") -> ReplaceAlgo:
    return ReplaceAlgo(decision=DECISION, key=key, stop_loss=Protection(trigger=trigger, source=MARK))


def cancel(key: str) -> CancelAlgo:
    return CancelAlgo(decision=DECISION, key=key)


async def lost(rig: Rig, service: AlgoService, intent: AlgoIntent) -> None:
    """A command whose call never arrives."""
    service.answer, service.carries_out = web.Response(status=502), False
    assert (await rig.engine.submit(intent)).verdict is Verdict.UNKNOWN
    service.answer, service.carries_out = None, True


def pushed(rig: Rig, key: str, **fields: str) -> None:
    """The service shows an order of ours by the algo stream."""
    values = {"algo_order_id": "7100", "order_state": "NEW", "sym": SYM, "side": "SELL", "order_qty": "0.5"}
    rig.session.algos.fold(AlgoRecord(client_order_id=key, update_at="5000", **{**values, **fields}), Source.PUSH)


async def test_a_lost_algo_reply_is_resolved_if_the_order_was_pushed(rig: Rig, service: AlgoService) -> None:
    def show() -> web.Response:
        pushed(rig, service.commands[-1][1]["clientOrderId"])
        return web.Response(status=502)

    meanwhile(rig, "POST", show)
    outcome = await rig.engine.submit(stop())
    assert (outcome.verdict, outcome.text) == (Verdict.ACCEPTED, "seen at the venue; the reply is missing")
    assert [(one.key, one.state, one.overlay) for one in rows(rig)] == [(outcome.key, "NEW", PendingAction.NOTHING)]
    assert not rig.screen.said("UNKNOWN")


async def test_an_algo_order_over_the_rate_limit_is_not_sent(rig: Rig, service: AlgoService) -> None:
    use_up(rig, PLACE_ALGO.key)
    outcome = await rig.engine.submit(stop())
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "RATE") and "rate limit" in outcome.text
    assert (rows(rig), service.commands, journal(rig, outcome.key)[-1]) == ([], [], "not_sent")
    assert rig.screen.said("NOT SENT: stop SELL 0.5")


def use_up(rig: Rig, key: str) -> None:
    for _ in range(1000):
        rig.engine._rate_limiter.count(key)


async def test_algo_cancel_over_the_rate_limit_changes_nothing(rig: Rig, service: AlgoService) -> None:
    key = await lose(rig, service)
    use_up(rig, CANCEL_ALGO.key)
    outcome = await rig.engine.submit(cancel(key))
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "RATE")
    assert outcome.text.startswith("NOT SENT: rate limit")
    assert [(one.state, one.overlay) for one in rows(rig)] == [("UNKNOWN", PendingAction.NOTHING)]
    assert len(service.commands) == 1


@pytest.mark.parametrize(
    ("code", "verdict", "words"),
    [(401917, Verdict.REJECTED, "REJECT"), (0, Verdict.UNKNOWN, "UNKNOWN whether it was carried out")],
)
async def test_cancel_of_an_unknown_algo_order_reports_the_reply(
    rig: Rig, service: AlgoService, code: int, verdict: Verdict, words: str
) -> None:
    key = await lose(rig, service)
    service.answer = refusal(code, "not now") if code else web.Response(status=502)
    outcome = await rig.engine.submit(cancel(key))
    assert (outcome.verdict, outcome.code, words in outcome.text) == (verdict, code, True), outcome.text
    told = [one.text for one in rig.screen.look().events if one.text.startswith("cancel of stop SELL 0.5")]
    assert len(told) == 1 and words in told[0]
    assert [one.state for one in rows(rig)] == ["UNKNOWN"]


async def test_disarming_stops_the_cancel_of_an_unknown_algo_order(
    rig: Rig, service: AlgoService, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await lose(rig, service)
    record = rig.journal.record

    async def slow(kind: str, *args: object, **kwargs: object) -> None:
        rig.engine.set_trading_state(TradingState.VIEW)
        await record(kind, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(rig.journal, "record", slow)
    outcome = await rig.engine.submit(cancel(key))
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "STATE") and outcome.text.startswith("NOT SENT")
    assert [method for method, _ in service.commands] == ["POST"]
    assert [(one.state, one.overlay) for one in rows(rig)] == [("UNKNOWN", PendingAction.NOTHING)]
    assert [one.kind for one in rig.journal.lines if one.kind == "not_sent"] == ["not_sent"]


async def test_an_unknown_algo_order_pushed_during_its_cancel_stays(rig: Rig, service: AlgoService) -> None:
    service.known_by_id = False
    key = await lose(rig, service)
    service.add(**service.commands[0][1])
    meanwhile(rig, "DELETE", lambda: pushed(rig, key, order_state="PENDING_CANCEL"))
    assert (await rig.engine.submit(cancel(key))).verdict is Verdict.ACCEPTED
    assert [(one.state, one.overlay) for one in rows(rig)] == [("PENDING_CANCEL", PendingAction.NOTHING)]
    assert rig.engine.state.commands.open == {}


@pytest.mark.parametrize("command", ["change", "cancel"])
async def test_a_lost_algo_change_or_cancel_stays_pending_for_a_time(
    rig: Rig, service: AlgoService, command: str
) -> None:
    row = await placed(rig)
    await lost(rig, service, moved(row.key) if command == "change" else cancel(row.key))
    overlay = rows(rig)[0].overlay
    asked = queries(rig)
    await until(lambda: queries(rig) >= asked + 3, 60)
    assert [(one.state, one.overlay) for one in rows(rig)] == [("NEW", overlay)]
    assert overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
    assert not rig.screen.said("was not carried out")


async def test_a_lost_change_of_a_gone_algo_order_is_settled(rig: Rig, service: AlgoService) -> None:
    row = await placed(rig)
    service.known_by_id = False
    meanwhile(rig, "GET", lambda: refusal(401000, "closed"), OPEN)
    await lost(rig, service, moved(row.key))
    asked = queries(rig)
    await until(lambda: queries(rig) >= asked + 2, 60)
    [overlay] = [one.overlay for one in rows(rig)]
    assert overlay is PendingAction.AMEND_LOST
    let_calls_expire(rig.engine)
    await until(lambda: rig.screen.said("the service does not know the order any more"), 60)
    assert rig.screen.said("change of stop SELL 0.5") and rows(rig) == [], "the row goes with its order"
    assert rig.engine.state.commands.open == {} and journal(rig, row.key)[-1] == "algo_settled"


async def test_a_query_for_an_algo_change_does_not_settle_a_cancel(
    rig: Rig, service: AlgoService, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = await placed(rig)
    await lost(rig, service, moved(row.key))
    let_calls_expire(rig.engine)
    rest = rig.session.connections.rest
    call, overtaken = rest.call, asyncio.Event()

    async def cancelled_meanwhile(endpoint: Endpoint, *args: Any, **named: Any) -> Any:
        reply = await call(endpoint, *args, **named)
        if endpoint is ALGO_DETAIL and not overtaken.is_set():
            overtaken.set()
            await lost(rig, service, cancel(row.key))
        return reply

    monkeypatch.setattr(rest, "call", cancelled_meanwhile)
    await until(overtaken.is_set, 60)
    asked = queries(rig)
    await until(lambda: queries(rig) > asked, 60)
    assert isinstance(rig.engine.state.commands.open[row.key].intent, CancelAlgo)
    told = journal(rig, row.key)
    assert "algo_settled" not in told[len(told) - told[::-1].index("intent") :]
    assert not rig.screen.said("carried out; the order stands")


async def test_an_old_session_algo_cancel_is_settled_if_order_is_gone(rig: Rig, service: AlgoService) -> None:
    state = rig.engine.state
    changes = {"since": state.clock.mono(), "proven_from": 0.0, "algo_order_id": "7777"}
    state.commands.add(open_command(cancel("7777"), "7777", CommandState.UNKNOWN, **changes))
    assert rows(rig) == [], "of its order nothing is known"
    await until(lambda: state.commands.open == {}, 60)
    assert rig.screen.said("the service does not know the order any more: cancel of algo order 7777")
    assert journal(rig, "7777") == ["algo_settled"]


async def test_a_late_not_found_reply_about_a_listed_order_is_ignored(rig: Rig, service: AlgoService) -> None:
    service.known_by_id = False
    key = await lose(rig, service)
    meanwhile(rig, "GET", lambda: pushed(rig, key))
    await until(lambda: [one.state for one in rows(rig)] == ["NEW"], 60)
    asked = queries(rig)
    await asyncio.sleep(1)
    assert rig.engine.state.commands.open == {} and queries(rig) == asked, "it is asked about no more"
    assert [(one.state, one.not_found) for one in rows(rig)] == [("NEW", 0)]


async def test_a_failed_algo_query_is_reported_once(rig: Rig, service: AlgoService) -> None:
    broken = [True]
    key = await lose(rig, service)
    meanwhile(rig, "GET", lambda: refusal(401000, "the books are closed") if broken else None)
    await until(lambda: rig.screen.said("cannot be asked about yet"), 60)
    asked = queries(rig)
    await until(lambda: queries(rig) >= asked + 3, 60)
    told = [one.text for one in rig.screen.look().events if "cannot be asked about yet" in one.text]
    assert len(told) == 1 and "the books are closed" in told[0] and "stop SELL 0.5" in told[0]
    before = row_of(rig, key).not_found
    broken.clear()
    await until(lambda: row_of(rig, key).not_found > before, 60)


def row_of(rig: Rig, key: str) -> AlgoRow:
    return rig.engine.state.algos.rows[key]


async def test_a_listed_algo_order_cannot_be_dismissed(rig: Rig, service: AlgoService) -> None:
    row = await placed(rig)
    rig.engine.dismiss(row.key)
    assert [one.state for one in rows(rig)] == ["NEW"]
    assert "dismiss" not in journal(rig, row.key) and not rig.screen.said("dismissed")


@pytest.mark.parametrize("answer", ["not found", "broken"])
async def test_an_unlisted_algo_order_is_removed_only_by_a_not_found(
    rig: Rig, service: AlgoService, answer: str
) -> None:
    algo_id = service.add(sym=SYM, side="SELL", conditionType="ENTIRE_CLOSE_POSITION", slTriggerPrice="59000")
    await rig.session.algos.audit()
    del service.orders[algo_id]
    meanwhile(rig, "GET", lambda: refusal(401000, "closed") if answer == "broken" else None)
    await rig.session.algos.audit()
    assert [one.key for one in rows(rig)] == ([algo_id] if answer == "broken" else [])


async def test_algo_orders_of_another_portfolio_raise_an_alert(rig: Rig, service: AlgoService) -> None:
    algo_id = service.add(sym=SYM, side="SELL", conditionType="ENTIRE_CLOSE_POSITION", slTriggerPrice="59000")
    service.change(algo_id, portfolioId="9999999999999999")
    await rig.session.algos.audit()
    pushed(rig, "", portfolio_id="9999999999999999")
    assert rows(rig) == [] and rig.screen.said("an algo order of another portfolio (9999999999999999)")


async def test_an_algo_size_change_keeps_the_trigger_price(rig: Rig, service: AlgoService) -> None:
    """The size alone is changed; the trigger stays as it was."""
    row = await placed(rig)
    cut = ReplaceAlgo(decision=DECISION, key=row.key, qty="0.3")
    assert (await rig.engine.submit(cut)).verdict is Verdict.ACCEPTED
    await until(lambda: [one.record.order_qty for one in rows(rig)] == ["0.3"], 60)
    assert rows(rig)[0].record.sl_trigger_price == row.record.sl_trigger_price
    assert msgspec.structs.replace(rows(rig)[0].record, order_qty="0.5", update_at=row.record.update_at) == row.record


@pytest.mark.parametrize(
    ("carried_out", "expired", "told"),
    [
        (True, False, [("2 algo orders ended, 0 still open", Level.INFO)]),
        (False, False, []),
        (False, True, [("0 algo orders ended, 2 still open", Level.ALERT)]),
    ],
)
@pytest.mark.parametrize("kind", [CancelAll, CancelAllAlgos])
async def test_a_lost_algo_cancel_all_is_settled_by_a_later_list(
    rig: Rig, service: AlgoService, kind: type[CancelAll | CancelAllAlgos], carried_out: bool, expired: bool,
    told: list[tuple[str, Level]], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """At once where all have ended; while one is open, once the lost call can no longer arrive."""
    monkeypatch.setattr(algo_orders, "EXPIRED_S", 0.0 if expired else EXPIRED_S)
    for _ in range(2):
        service.add(sym=SYM, side="SELL", algoOrderType="TPSL", conditionType="CONDITIONAL", slTriggerPrice="59000")
    await rig.session.algos.audit()
    service.answer = web.Response(status=502)
    outcome = await rig.engine.submit(kind(decision=DECISION, exchange="BINANCE", sym=SYM))
    assert outcome.verdict is Verdict.UNKNOWN
    for name in list(service.orders) if carried_out else ():
        service.change(name, orderState="CANCELLED")
    said = [event for event in rig.screen.look().events if outcome.text.removeprefix("cancel-all: ") in event.text]
    assert [event.cause for event in said] == ["cancel-all"]
    service.answer = None

    async def listen() -> list[tuple[str, Level]]:
        await rig.session.algos.audit()
        events = [event for event in rig.screen.look().events if event.text.startswith("cancel-all without an answer")]
        assert {event.cause for event in events} <= {"cancel-all"}
        return [(event.text.rpartition("UTC: ")[2], event.level) for event in events]

    assert await listen() == await listen() == told


async def test_a_kill_that_keeps_stops_does_not_call_them_unconfirmed(
    rig: Rig, service: AlgoService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said `1 known may stay live` of the stop that it kept, and dated the warning of an earlier kill anew."""
    monkeypatch.setattr(algo_orders, "EXPIRED_S", 0.0)
    service.add(sym=SYM, side="SELL", conditionType="ENTIRE_CLOSE_POSITION", slTriggerPrice="59000")
    await rig.session.algos.audit()
    symbols = rig.engine.state.symbols
    symbols["OKX_PERP_BTC_USDT"] = symbols[SYM]  # a venue without any, whose call goes out all the same
    service.answer = web.Response(status=502)

    def warnings() -> list[str]:
        return [event.text for event in rig.screen.look().events if "redo it" in event.text]

    entries = CancelAll(decision=DECISION, kill=True, spare_closing=True)
    outcome = await rig.engine.submit(entries)
    assert outcome.verdict is Verdict.UNKNOWN and "may stay live" not in outcome.text, outcome.text
    await rig.session.algos.audit()
    lines = [event.text for event in rig.screen.look().events]
    assert not warnings() and not any("without an answer at" in text for text in lines), lines
    outcome = await rig.engine.submit(CancelAll(decision=DECISION, kill=True))
    assert "1 known may stay live" in outcome.text, outcome.text
    await until(warnings)
    [told] = warnings()
    assert "kill is not confirmed, redo it: 1 algo; " in told
    await rig.engine.submit(entries)
    await rig.session.algos.audit()
    assert warnings() == [told]


@pytest.mark.parametrize("arrives", [True, False])
async def test_an_algo_command_with_late_reply_is_unknown_until_then(
    rig: Rig, service: AlgoService, arrives: bool
) -> None:
    """A command over REST stood as sending until its read ended, 13 s after a network had gone silent."""
    rig.fake.held["POST", ORDER] = gate = asyncio.Event()
    service.answer, service.carries_out = None if arrives else web.Response(status=502), arrives
    sending = asyncio.create_task(rig.engine.submit(stop()))
    await until(lambda: rig.screen.said("no answer in time"))
    assert not sending.done()
    gate.set()
    outcome = await sending
    assert outcome.verdict is (Verdict.ACCEPTED if arrives else Verdict.UNKNOWN)
    told = [event.text for event in rig.screen.look().events if "UNKNOWN" in event.text]
    assert len(told) == 1, told
    if arrives:
        await until(lambda: all(row.seen for row in rows(rig)) and rig.engine.state.commands.open == {})
        assert journal(rig, outcome.key).count("sent") == 1


async def test_a_list_can_settle_an_algo_command_before_its_late_reply(rig: Rig, service: AlgoService) -> None:
    rig.fake.held["POST", ORDER] = gate = asyncio.Event()
    sending = asyncio.create_task(rig.engine.submit(stop()))
    await until(lambda: rig.screen.said("no answer in time") and rig.engine.state.commands.open == {})
    gate.set()
    assert (await sending).verdict is Verdict.ACCEPTED
    assert [row.state for row in rows(rig)] == ["NEW"]


async def test_a_kill_says_if_open_algo_orders_are_not_known(rig: Rig, service: AlgoService) -> None:
    """Of algo orders that nobody could read none is known, and yet all may stay live."""
    service.answer = web.Response(status=502)
    await rig.session.algos.audit()
    outcome = await rig.engine.submit(CancelAll(decision=DECISION, kill=True))
    assert "which are open is not known" in outcome.text, outcome.text
