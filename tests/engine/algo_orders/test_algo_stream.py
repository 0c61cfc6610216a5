"""Algo orders of a real venue on real sockets: the algo stream and the list tell the same, and what ended is said."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.conftest import StateRig, queue_of
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue
from tests.venue.walk.reading import call_without_limits
from tui.client.connection_status import ConnectionStatus, Phase
from tui.engine.intents import CancelAlgo, Decision, PlaceAlgo, Protection, ReplaceAlgo, Verdict
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.limits import Limits
from tui.engine.modes import Environment, TradingState
from tui.engine.orders.algo_orders import AlgoOrders
from tui.engine.settings import AuditIntervals, EngineSettings
from tui.engine.sync.algo_link import AlgoLinkHandler
from tui.interface import decimals
from tui.interface.families.algo import Condition
from tui.interface.families.orders import Side

SYM = "BINANCE_PERP_BTC_USDT"
SELDOM = AuditIntervals(algos=3600.0, adl_after=0.2)
"""The list is read after a login, a change of a position and a cancel-all, and not again."""


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off")
    yield found
    found.stop()


@pytest.fixture
async def life(venue: Venue, tmp_path: Path) -> AsyncIterator[Life]:
    decimals.setup()
    settings = EngineSettings(pulse=0.05, audits=SELDOM, limits=Limits(first_of_day=False))
    made = Life(venue, tmp_path, settings, algo_stream=True)
    made.engine.watch((SYM,))
    await made.in_step()
    state = made.engine.state
    await until(lambda: SYM in state.quotes.rows and state.quotes.rows[SYM].mark, 30)
    session = made.engine.session
    assert session is not None and session.connections.algo is not None
    status = session.connections.algo.status
    await until(lambda: status.phase is Phase.READY, 30)
    await until(lambda: session.algos.error == "", 30)
    made.engine.set_trading_state(TradingState.ARMED)
    yield made
    await made.end()


def mark(life: Life) -> Decimal:
    return Decimal(life.engine.state.quotes.rows[SYM].mark)


def decision(life: Life) -> Decision:
    portfolio = life.engine.state.portfolio
    return Decision(environment=Environment.PAPER, portfolio=portfolio, state=TradingState.ARMED, source="test")


def stop(life: Life, percent: int) -> Protection:
    return Protection(trigger=f"{mark(life) * percent / 100:.0f}", source="MARK_PRICE")


def open_at(venue: Venue) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = venue.data("GET", "/api/v1/algo/openOrders")["list"]
    return rows


async def test_a_stop_expires_when_its_position_is_closed(venue: Venue, life: Life) -> None:
    market = {"sym": SYM, "orderType": "MARKET", "orderQty": "0.01"}
    venue.data("POST", "/api/v1/trading/order", {**market, "side": "BUY"})
    state = life.engine.state
    await until(lambda: state.facts.positions.rows, 20)
    place = PlaceAlgo(
        decision=decision(life), sym=SYM, side=Side.SELL, condition=Condition.ENTIRE_CLOSE_POSITION,
        stop_loss=stop(life, 95),
    )  # fmt: skip
    outcome = await life.engine.submit(place)
    assert outcome.verdict is Verdict.ACCEPTED, outcome.text
    await until(lambda: state.algos.rows[outcome.key].state == "NEW", 20)
    [listed] = open_at(venue)
    shown = state.algos.rows[outcome.key].record
    assert {name: listed[name] for name in ("algoOrderId", "clientOrderId", "slTriggerPrice", "slTriggerType")} == {
        "algoOrderId": shown.algo_order_id, "clientOrderId": outcome.key,
        "slTriggerPrice": place.stop_loss.trigger if place.stop_loss else "", "slTriggerType": "MARK_PRICE",
    }  # fmt: skip
    moved = ReplaceAlgo(decision=decision(life), key=outcome.key, stop_loss=stop(life, 94))
    assert (await life.engine.submit(moved)).verdict is Verdict.ACCEPTED
    await until(
        lambda: moved.stop_loss and state.algos.rows[outcome.key].record.sl_trigger_price == moved.stop_loss.trigger
    )
    assert state.commands.open == {}
    venue.data("POST", "/api/v1/trading/order", {**market, "side": "SELL"})
    await until(lambda: not state.algos.rows, 20)
    assert open_at(venue) == []
    texts = [event.text for event in queue_of(state.updates).take().events]
    assert any(text.startswith("EXPIRED: stop ") and "The position is closed" in text for text in texts), texts


async def test_algo_orders_of_other_clients_are_shown_and_cancellable(venue: Venue, life: Life) -> None:
    state = life.engine.state
    trigger = f"{mark(life) * 105 / 100:.0f}"
    sent = {
        "algoOrderType": "TPSL", "conditionType": "CONDITIONAL", "sym": SYM, "side": "BUY", "orderQty": "0.01",
        "conditionalTriggerPrice": trigger, "clientOrderId": "someoneelse",
    }  # fmt: skip
    made = venue.data("POST", "/api/v1/algo/order", sent)
    key = made["algoOrderId"]
    await until(lambda: key in state.algos.rows and state.algos.rows[key].state == "NEW", 20)
    assert (await life.engine.submit(CancelAlgo(decision=decision(life), key=key))).verdict is Verdict.ACCEPTED
    await until(lambda: not state.algos.rows, 20)
    assert venue.data("GET", "/api/v1/algo/order", made)["orderState"] == "CANCELLED"


async def test_an_algo_order_rejected_by_the_venue_is_reported_by_code(venue: Venue, life: Life) -> None:
    far = msgspec.structs.replace(stop(life, 60), source="MARK_PRICE")
    intent = PlaceAlgo(
        decision=decision(life), sym=SYM, side=Side.SELL, condition=Condition.CONDITIONAL, qty="0.01", conditional=far,
        confirmed=frozenset(["FAR_TRIGGER", "DUPLICATE"]),
    )  # fmt: skip
    outcome = await life.engine.submit(intent)
    assert (outcome.verdict, outcome.code) == (Verdict.REJECTED, 401917), outcome.text
    assert life.engine.state.algos.rows == {} and open_at(venue) == []


async def test_algo_orders_placed_while_the_stream_was_down_are_read(
    venue: Venue, life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    call_without_limits(monkeypatch)  # of the list, which has been read often enough for ten seconds
    state, session = life.engine.state, life.engine.session
    assert session is not None and session.connections.algo is not None
    stream = session.connections.algo
    sent = {
        "algoOrderType": "TPSL", "conditionType": "CONDITIONAL", "sym": SYM, "side": "BUY", "orderQty": "0.01",
        "conditionalTriggerPrice": f"{mark(life) * 105 / 100:.0f}",
    }  # fmt: skip
    [reading] = [job for job in session.audits.jobs() if job.name == "algo orders"]
    await until(lambda: reading.due > state.clock.mono() + 60, 20)
    stream.drop("cut by the test")
    await until(lambda: stream.status.phase is not Phase.READY)
    # The call blocks the loop on which the stream would connect again.
    made = venue.data("POST", "/api/v1/algo/order", sent)
    while venue.data("GET", "/api/v1/algo/order", made)["orderState"] != "NEW":
        pass
    assert made["algoOrderId"] not in state.algos.rows
    await until(lambda: made["algoOrderId"] in state.algos.rows, 20)
    assert state.algos.rows[made["algoOrderId"]].state == "NEW"
    texts = [event.text for event in queue_of(state.updates).take().events]
    assert "algo stream lost (cut by the test); algo orders are read every 3600 s" in texts
    assert "the algo stream is up again" in texts


def test_algo_stream_recovery_is_reported_only_after_its_loss(bare: StateRig) -> None:
    def unused() -> AlgoOrders:
        raise AssertionError("no push comes")

    handler = AlgoLinkHandler(bare.state, TaskSupervisor(bare.state, lambda: None), unused, lambda: None)
    handler.private_ready(2)
    handler.private_changed(ConnectionStatus(phase=Phase.DOWN, last_error="before the desk was in step"))
    handler.private_ready(3)
    assert bare.screen.look().events == []
    bare.state.synced = True
    handler.private_changed(ConnectionStatus(phase=Phase.DOWN, last_error="cut"))
    handler.private_ready(4)
    handler.private_ready(5)
    assert [event.text for event in bare.screen.look().events] == [
        "algo stream lost (cut); algo orders are read every 30 s", "the algo stream is up again",
    ]  # fmt: skip
