"""Answers that come when nobody waits any more, and refusals of a cancel-all: each ends what it was about, once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.client.fakes import Reply, until
from tests.engine.conftest import DECISION, QUICK, Rig, buy
from tui.engine.event_line import Level
from tui.engine.intents import Cancel, CancelAll, Replace, Verdict
from tui.engine.orders.execution.order_sender import RequestToken
from tui.engine.rows import LocalOrderState, PendingAction
from tui.interface.envelope import StreamReply

pytestmark = pytest.mark.hurried

REFUSED, AMBIGUOUS = 401000, 50001


def late(code: int, data: dict[str, str] | None = None) -> Callable[[dict[str, Any]], Any]:
    """Answers every action after the time in which an answer is waited for."""

    async def answer(frame: dict[str, Any]) -> Reply:
        await asyncio.sleep(QUICK.reply_timeout * 2)
        return {"code": code, "msg": "why", "data": data or {}}

    return answer


def refusing(code: int) -> Callable[[dict[str, Any]], Reply]:
    return lambda frame: {"code": code, "msg": "why", "data": {}}


async def working(rig: Rig, orders: int) -> list[str]:
    await rig.ready()
    return [(await rig.engine.submit(buy(price=f"{60000 - step}"))).key for step in range(orders)]


def replies(rig: Rig) -> int:
    return sum(line.kind == "reply" for line in rig.journal.lines)


async def test_a_rejected_cancel_all_leaves_every_order_unchanged(rig: Rig) -> None:
    keys = await working(rig, 3)
    rig.fake.on_action = refusing(REFUSED)
    outcome = await rig.engine.submit(CancelAll(decision=DECISION))
    assert (outcome.verdict, outcome.code) == (Verdict.REJECTED, REFUSED)
    assert "orders stay live" in outcome.text
    for key in keys:
        assert rig.engine.state.orders.pending(key) is None
        assert not rig.screen.order(key).final
    rig.fake.on_action = rig.fake.accept
    assert (await rig.engine.submit(Cancel(decision=DECISION, key=keys[0]))).verdict is Verdict.ACCEPTED


async def test_cancel_all_with_an_ambiguous_reply_is_unknown(rig: Rig) -> None:
    keys = await working(rig, 2)
    rig.fake.on_action = refusing(AMBIGUOUS)
    outcome = await rig.engine.submit(CancelAll(decision=DECISION))
    assert outcome.verdict is Verdict.UNKNOWN
    assert all(rig.screen.order(key).overlay is PendingAction.CANCEL_LOST for key in keys)


async def test_a_late_cancel_all_rejection_leaves_every_order_working(rig: Rig) -> None:
    keys = await working(rig, 2)
    before = replies(rig)
    rig.fake.on_action = late(REFUSED)
    assert (await rig.engine.submit(CancelAll(decision=DECISION))).verdict is Verdict.UNKNOWN
    await until(lambda: replies(rig) > before)
    await until(lambda: all(rig.engine.state.orders.pending(key) is None for key in keys))
    assert not any(rig.screen.order(key).final for key in keys)


async def end(rig: Rig, keys: list[str], state: str = "CANCELLED") -> None:
    for key in keys:
        rig.fake.orders[key] |= {"orderState": state, "updateAt": "1700000000009"}
        rig.fake.open = [record for record in rig.fake.open if record["clientOrderId"] != key]
        await rig.fake.push("Orders", rig.fake.orders[key])


@pytest.mark.parametrize(
    ("ended", "verdict", "level", "words"),
    [
        (2, Verdict.ACCEPTED, Level.WARN, "cancel-all: 2 ended meanwhile; no answer within "),
        (1, Verdict.UNKNOWN, Level.ALERT, "kill: 1 ended meanwhile, 1 unknown; no answer within "),
        (0, Verdict.UNKNOWN, Level.ALERT, "kill: 0 accepted, 2 unknown; no answer within "),
    ],
)
async def test_an_unanswered_cancel_all_counts_ended_and_open_orders(
    rig: Rig, ended: int, verdict: Verdict, level: Level, words: str
) -> None:
    keys = await working(rig, 2)
    answer = late(200000)

    async def cancel(frame: dict[str, Any]) -> Any:
        await end(rig, keys[:ended])
        return await answer(frame)

    rig.fake.on_action = cancel
    outcome = await rig.engine.submit(CancelAll(decision=DECISION, kill=True))
    assert outcome.verdict is verdict and outcome.text.startswith(words), outcome
    [line] = [event for event in rig.screen.look().events if event.text.startswith(words[:4])]
    assert line.text.startswith(words) and line.level is level
    unknown = keys[ended:]
    assert (line.unsure, [line.key, *line.others]) == (bool(unknown), unknown or [""])
    assert ("being queried" in line.text) is bool(unknown)
    await end(rig, unknown)
    await until(lambda: all(rig.screen.order(key).final for key in keys))
    assert not any(rig.screen.order(key).unsure for key in keys), "the screen settles the line by this"


async def test_an_unanswered_cancel_all_without_orders_is_not_unknown(rig: Rig) -> None:
    await rig.ready()
    rig.fake.on_action = late(200000)
    outcome = await rig.engine.submit(CancelAll(decision=DECISION, kill=True))
    assert outcome.verdict is Verdict.ACCEPTED
    assert outcome.text.startswith("cancel-all: no order was working; no answer within ")


async def test_a_kill_with_ambiguous_reply_names_an_unknown_order(rig: Rig) -> None:
    await rig.ready()
    rig.fake.on_action = refusing(AMBIGUOUS)
    key = (await rig.engine.submit(buy())).key
    assert rig.screen.order(key).state == LocalOrderState.UNKNOWN
    outcome = await rig.engine.submit(CancelAll(decision=DECISION, kill=True))
    assert outcome.verdict is Verdict.UNKNOWN, "the cancel may not have reached it"
    [line] = [event for event in rig.screen.look().events if event.text.startswith("kill: ")]
    assert line.unsure and line.key == key


@pytest.mark.parametrize("code", [REFUSED, 200000])
async def test_a_late_place_reply_resolves_an_unknown_order(rig: Rig, code: int) -> None:
    await rig.ready()
    before = replies(rig)
    rig.fake.on_action = late(code, {"orderId": "2000000000000077"} if code == 200000 else None)
    outcome = await rig.engine.submit(buy())
    assert outcome.verdict is Verdict.UNKNOWN
    await until(lambda: replies(rig) > before)
    await until(lambda: rig.screen.order(outcome.key).state != LocalOrderState.UNKNOWN)
    row = rig.screen.order(outcome.key)
    assert row.final is (code == REFUSED)
    assert row.order_id == ("" if code == REFUSED else "2000000000000077")
    assert len(rig.fake.placed) == 1, "nothing is sent again"


@pytest.mark.parametrize("change", ["cancel", "replace"])
async def test_a_late_rejection_of_a_replace_or_cancel_keeps_the_order(rig: Rig, change: str) -> None:
    (key,) = await working(rig, 1)
    before = replies(rig)
    rig.fake.on_action = late(REFUSED)
    intent = (
        Cancel(decision=DECISION, key=key)
        if change == "cancel"
        else Replace(decision=DECISION, key=key, price="59999", qty="0.01")
    )
    assert (await rig.engine.submit(intent)).verdict is Verdict.UNKNOWN
    await until(lambda: replies(rig) > before)
    await until(lambda: rig.engine.state.orders.pending(key) is None)
    assert (rig.screen.order(key).price, rig.screen.order(key).final) == ("60000", False)
    assert sum(frame["action"] != "place_order" for frame in rig.fake.actions) == 1


async def test_a_late_reply_to_an_unknown_request_changes_nothing(rig: Rig) -> None:
    (key,) = await working(rig, 1)
    before, row = len(rig.journal.lines), rig.screen.order(key)
    executor = rig.session.executor
    executor.handle_late_reply(object(), StreamReply(code=REFUSED))
    assert (len(rig.journal.lines), rig.screen.order(key)) == (before, row)
    executor.handle_late_reply(RequestToken("cancel_order", (key,), "another"), StreamReply(code=REFUSED))
    assert not rig.screen.order(key).final
