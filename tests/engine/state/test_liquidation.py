"""What the service does to an account at risk: each step is told once, in words, also when it was not pushed to us."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.client.fakes import PORTFOLIO, until
from tests.engine.conftest import SYM, StateRig
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import Venue
from tui.engine.event_line import Level
from tui.engine.state.liquidation_log import KEPT
from tui.engine.sync.push_handler import PushHandler
from tui.interface.streams import PrivateChannel

EVENT = "2176000000000001"


def nothing(*_: object) -> None: ...


def node(word: str, **more: Any) -> dict[str, Any]:
    return {
        "liquidationEventId": EVENT, "portfolioId": PORTFOLIO, "exchangeType": "BINANCE", "eventType": "REDUCE",
        "nodeType": word, "createAt": "1723161254000", **more,
    }  # fmt: skip


def reduced(**more: Any) -> dict[str, Any]:
    return {
        "liquidationEventId": EVENT, "portfolioId": PORTFOLIO, "exchangeType": "OKX", "orderId": "2" * 16,
        "positionId": "3" * 17, "sym": "OKX_PERP_BTC_USDT", "positionSide": "LONG", "reduceQty": "5",
        "closedPnl": "-19856.262499999999999984", "liqFee": "1.5", "totalTradingFee": None,
        "createAt": 1723161254000, "updateAt": 1723161254001, **more,
    }  # fmt: skip


def told(bare: StateRig, channel: PrivateChannel, *records: dict[str, Any]) -> list[tuple[str, bool]]:
    """The lines that pushes make, and whether each stays in sight."""
    before = len(bare.screen.look().events)
    handler = PushHandler(bare.state, query_now=nothing, look_up=nothing, position_changed=nothing)
    handler.push(bare.state.epoch, channel, list(records), 1.0)
    lines = bare.screen.look().events[before:]
    assert all(line.level is Level.ALERT for line in lines)
    return [(line.text, line.sticky) for line in lines]


def test_each_liquidation_step_is_reported_once(bare: StateRig) -> None:
    words = ("TRIGGERED", "CANCEL_OPEN", "CANCEL_OPEN", "REDUCE_START", "TAKEOVER")
    lines = told(bare, PrivateChannel.LIQUIDATION_EVENT, *(node(word) for word in words))
    assert lines == [
        ("LIQUIDATION: BINANCE: uniMMR is below the first threshold", False),
        (
            "LIQUIDATION: BINANCE: orders that add risk are cancelled (none); only reducing ones are taken",
            False,
        ),
        ("LIQUIDATION: BINANCE: the service reduces positions; no orders are taken", True),
        ("LIQUIDATION: BINANCE: nothing is left; the service takes the positions over", True),
    ]
    assert list(bare.state.facts.liquidations.steps) == [f"{EVENT}/{word}" for word in dict.fromkeys(words)]
    channels = {json.loads(entry.payload)["channel"] for entry in bare.journal.lines if entry.kind == "push"}
    assert channels == {"liquidationevent"}, "in the journal it stays as it always was"


def test_an_unknown_liquidation_step_is_shown_as_received(bare: StateRig) -> None:
    assert told(bare, PrivateChannel.LIQUIDATION_EVENT, node("NEW_NODE")) == [("LIQUIDATION: BINANCE: NEW_NODE", False)]


def test_a_liquidation_order_shows_size_pnl_and_fee(bare: StateRig) -> None:
    text = "5ct OKX BTC perp LONG closed by the service, result -19,856.26, liquidation fee 1.50"
    assert told(bare, PrivateChannel.LIQUIDATION_POSITION, reduced()) == [(f"LIQUIDATION: OKX: {text}", True)]
    other = reduced(portfolioId="9" * 16, orderId="4" * 16, liqFee="0", positionSide="NONE", sym=SYM)
    (line,) = told(bare, PrivateChannel.LIQUIDATION_BY_USER, other)
    assert (
        line[0]
        == f"LIQUIDATION: OKX sub portfolio {'9' * 16}: 5 BINANCE BTC perp closed by the service, result -19,856.26"
    )


@pytest.mark.parametrize("channel", [PrivateChannel.LIQUIDATION_EVENT, PrivateChannel.LIQUIDATION_POSITION])
def test_liquidation_of_another_portfolio_is_dropped(bare: StateRig, channel: PrivateChannel) -> None:
    other = {"portfolioId": "9" * 16}
    record = node("TRIGGERED", **other) if channel is PrivateChannel.LIQUIDATION_EVENT else reduced(**other)
    (line,) = told(bare, channel, record)
    assert "of another portfolio" in line[0]
    assert not bare.state.facts.liquidations.steps


@pytest.mark.parametrize("channel", [PrivateChannel.LIQUIDATION_EVENT, PrivateChannel.LIQUIDATION_POSITION])
def test_a_liquidation_push_makes_the_day_result_partial(bare: StateRig, channel: PrivateChannel) -> None:
    bare.state.facts.bookings.note_read(bare.clock.mono())
    assert bare.state.facts.bookings.are_read
    told(bare, channel, node("TRIGGERED") if channel is PrivateChannel.LIQUIDATION_EVENT else reduced())
    assert not bare.state.facts.bookings.are_read


@pytest.mark.parametrize(
    "record",
    [{"nodeType": "TRIGGERED", "eventType": "X"}, node("TRIGGERED", accounts=5), node("TRIGGERED", openOrders=[{}])],
)
def test_a_malformed_liquidation_message_is_still_shown(bare: StateRig, record: dict[str, Any]) -> None:
    (line,) = told(bare, PrivateChannel.LIQUIDATION_EVENT, record)
    assert line[0].startswith("LIQUIDATION: ") and "TRIGGERED" in line[0] and line[1]


def test_kept_liquidation_steps_are_bounded(bare: StateRig) -> None:
    told(bare, PrivateChannel.LIQUIDATION_POSITION, *(reduced(orderId=f"{n:016}") for n in range(KEPT + 3)))
    assert len(bare.state.facts.liquidations.steps) == KEPT
    assert f"{EVENT}/{0:016}" not in bare.state.facts.liquidations.steps


async def test_a_takeover_is_reported_from_margin_call_to_last_order(
    start: Callable[..., Venue],
    tmp_path: Path,
) -> None:
    venue = start()
    await asyncio.to_thread(venue.data, "POST", "/api/v1/trading/position/leverage", {"sym": SYM, "leverage": "50"})
    sent = {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "55"}
    await asyncio.to_thread(venue.data, "POST", "/api/v1/trading/order", sent)
    life = Life(venue, tmp_path)
    try:
        await life.in_step()
        venue.move("BTC", "57000")
        steps = life.engine.state.facts.liquidations.steps
        await until(lambda: any(step.order is not None for step in steps.values()), 30)
        words = [step.node.node_type for step in steps.values() if step.node is not None]
        assert words == ["TRIGGERED", "MARGIN_CALL", "CANCEL_OPEN", "CANCEL_ALL", "TAKEOVER"]
        (order,) = [step.order for step in steps.values() if step.order is not None]
        assert (order.reduce_qty, order.total_trading_fee) == ("55", None)
        await until(lambda: not life.engine.state.facts.positions.rows, 30)
    finally:
        await life.end()


async def test_missed_liquidation_steps_are_read_after_login(
    start: Callable[..., Venue],
    tmp_path: Path,
) -> None:
    venue = start("--set", "risk_ladder=999 3 2 1")
    sent = {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "1"}
    await asyncio.to_thread(venue.data, "POST", "/api/v1/trading/order", sent)
    life = Life(venue, tmp_path)
    try:
        await life.in_step()
        steps = life.engine.state.facts.liquidations.steps
        await until(lambda: len(steps) == 2, 30)
        assert [key.partition("/")[2] for key in steps] == ["TRIGGERED", "MARGIN_CALL"]
    finally:
        await life.end()
