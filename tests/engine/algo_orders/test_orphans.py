"""Algo orders whose position is gone, and those that fire: what they would open or open is said."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO, until
from tests.engine.algo_orders.algo_service import AlgoService
from tests.engine.algo_orders.test_algo_commands import rows
from tests.engine.conftest import DECISION, SYM, Rig
from tui.engine.event_line import Level
from tui.engine.intents import CancelAlgo, Verdict
from tui.engine.journal import session_replay
from tui.engine.rows import Source
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import PositionRecord

pytestmark = pytest.mark.hurried


async def test_an_orphan_algo_order_is_reported_and_can_be_cancelled(rig: Rig, service: AlgoService) -> None:
    algo_id = service.add(sym=SYM, side="SELL", conditionType="ENTIRE_CLOSE_POSITION", slTriggerPrice="59000")
    await rig.session.algos.audit()
    assert not rig.screen.said("ORPHAN")
    rig.fake.positions = []
    await rig.session.synchronization.reconciler.read_positions()
    await rig.session.algos.audit()
    await rig.session.algos.audit()
    told = [one.text for one in rig.screen.look().events if "ORPHAN" in one.text]
    assert len(told) == 1 and "its position is gone and the order is still open" in told[0]
    assert (await rig.engine.submit(CancelAlgo(decision=DECISION, key=algo_id))).verdict is Verdict.ACCEPTED
    await until(lambda: not rows(rig))


async def test_each_orphan_algo_order_is_reported_once_per_position(rig: Rig, service: AlgoService) -> None:
    whole = {"sym": SYM, "side": "SELL", "conditionType": "ENTIRE_CLOSE_POSITION"}
    ids = [service.add(**whole, slTriggerPrice=trigger) for trigger in ("59000", "58000", "57000")]

    async def look(positions: list[dict[str, str]]) -> list[str]:
        rig.fake.positions = positions
        await rig.session.synchronization.reconciler.read_positions()
        await rig.session.algos.audit()
        return [one.text for one in rig.screen.look().events if "ORPHAN" in one.text]

    held = list(rig.fake.positions)
    told = await look([])
    assert len(told) == 3 and all(
        any(f"at {trigger}" in text for text in told) for trigger in ("59,000", "58,000", "57,000")
    )
    service.change(ids[0], orderState="CANCELLED")
    assert await look([]) == told
    assert await look([{**held[0], "updateAt": "2"}]) == told
    assert len(await look([])) == 5, "the two that are left have lost another position"


async def test_a_conditional_order_without_its_position_is_reported(rig: Rig, service: AlgoService) -> None:
    """It was meant to close, is not reduce-only, and stayed: it fires later and opens the opposite position."""
    plain = {"sym": SYM, "conditionType": "CONDITIONAL", "reduceOnly": "false", "orderQty": "0.1"}
    closing = service.add(**plain, side="SELL", conditionalTriggerPrice="59000")
    service.add(**plain, side="BUY", conditionalTriggerPrice="61000")
    await rig.session.algos.audit()
    assert {row.key for row in rows(rig) if row.had_position} == {closing}
    assert not rig.screen.said("ORPHAN")
    rig.fake.positions = []
    await rig.session.synchronization.reconciler.read_positions()
    await rig.session.algos.audit()
    [told] = [one.text for one in rig.screen.look().events if "ORPHAN" in one.text]
    assert "conditional SELL 0.1 BINANCE BTC perp at 59,000" in told, told
    assert "its position is gone and the order is still open: it would open another" in told


async def test_a_pushed_position_is_remembered_for_its_algo_order(rig: Rig, service: AlgoService) -> None:
    """The position may open and close between two reads of the list."""
    [held] = rig.fake.positions
    rig.fake.positions = []
    await rig.session.synchronization.reconciler.read_positions()
    plain = {"sym": SYM, "conditionType": "CONDITIONAL", "reduceOnly": "false", "orderQty": "0.1"}
    algo_id = service.add(**plain, side="SELL", conditionalTriggerPrice="59000")
    await rig.session.algos.audit()
    assert [row.had_position for row in rows(rig)] == [False]
    await rig.fake.push("Positions", [{**held, "updateAt": str(2**40)}])
    await until(lambda: [row.had_position for row in rows(rig)] == [True])
    told = rig.journal.lines
    kept = session_replay.replay_entries(told, portfolio=PORTFOLIO, now=0.0, wall=rig.clock.wall())
    assert kept.had_position == {algo_id}


FIRED = {
    "plain": ({"conditionType": "CONDITIONAL", "reduceOnly": "false"}, "conditional fired:"),
    "oco": ({"conditionType": "OCO", "reduceOnly": "false"}, "OCO fired:"),
    "stop": ({"conditionType": "PARTIAL_CLOSE_POSITION", "reduceOnly": "true"}, "TP/SL fired:"),
}
NONE_OPENED = (Level.WARN, "")


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize(
    ("kind", "held", "position_ms", "order", "told"),
    [
        ("stop", "0.1", 1, {"reduceOnly": True}, NONE_OPENED),
        ("plain", "0.1", 1, {}, NONE_OPENED),
        ("plain", "0.04", 1, {}, (Level.ALERT, "; opens SHORT 0.06 BTC")),
        ("oco", "-0.1", 1, {}, (Level.ALERT, "; opens SHORT 0.1 BTC")),
        ("plain", "0", 3, {}, (Level.ALERT, "; opens SHORT 0.1 BTC")),
        # The position is pushed before the order that has closed it: its fill is in the position already.
        ("plain", "0", 7, {"executedQty": "0.1", "orderState": "FILLED"}, NONE_OPENED),
        ("plain", "0", 3, {"executedQty": "0.1", "orderState": "FILLED"}, (Level.ALERT, "; opens SHORT 0.1 BTC")),
        ("plain", "0.06", 7, {"executedQty": "0.04"}, NONE_OPENED),
    ],
)
async def test_a_fired_algo_order_event_names_its_kind_and_what_opens(
    rig: Rig, service: AlgoService, kind: str, held: str, position_ms: int, order: dict[str, Any],
    told: tuple[Level, str], ended: bool,
) -> None:  # fmt: skip
    fields, word = FIRED[kind]
    algo_id = service.add(sym=SYM, side="SELL", orderQty="0.1", conditionalTriggerPrice="59000", **fields)
    await rig.session.algos.audit()
    if ended:
        service.change(algo_id, orderState="COMPLETED")
        await rig.session.algos.audit()
        assert rows(rig) == []
    state = rig.engine.state
    position = {"portfolioId": PORTFOLIO, "sym": SYM, "positionSide": "NONE", "positionQty": held, "updateAt": "1000"}
    before = msgspec.convert({**position, "positionQty": "1"}, PositionRecord)
    state.facts.positions.push(f"{SYM}/NONE", before, state.stamp(Source.PUSH, 2**40))
    at = 2**40 + position_ms
    record = msgspec.convert(position, PositionRecord)
    state.facts.positions.push(f"{SYM}/NONE", record, state.stamp(Source.PUSH, at), gone=held == "0")
    child = {"sym": SYM, "side": "SELL", "orderId": "9", "orderState": "OPEN", "orderQty": "0.1", "executedQty": "0"}
    child |= {"algoOrderId": algo_id, "portfolioId": PORTFOLIO, "updateAt": str(2**40 + 5), **order}
    state.fold_order(msgspec.convert(child, OrderRecord), Source.PUSH)
    [(level, text)] = [(one.level, one.text) for one in rig.screen.look().events if " fired:" in one.text]
    done = child["orderState"]
    assert (level, text) == (told[0], f"{word} SELL 0.1 BINANCE BTC perp market: {done}{told[1]}")
