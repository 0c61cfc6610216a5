"""Answers of the gate foreseen: the same words as at sending, and without an effect."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.engine.conftest import SYM, buy
from tests.engine.orders.gated import Gated, asks, denied
from tui.engine.intents import Verdict
from tui.engine.modes import TradingState
from tui.engine.orders.pre_trade_checks import OrderContext, order_context
from tui.engine.orders.price_checks import expect_denial
from tui.interface.families.orders import OrderType, Side, TimeInForce


def set_limits(gated: Gated, **limits: int) -> None:
    settings = gated.state.settings
    gated.state.settings = msgspec.structs.replace(settings, limits=msgspec.structs.replace(settings.limits, **limits))


def test_the_question_previewed_for_an_order_is_the_one_asked(gated: Gated) -> None:
    set_limits(gated, first_of_day=True)
    order = buy(qty="0.5")
    with gated.gate.rehearse():
        foreseen = gated.gate.foresee(order)
    assert foreseen == gated.gate.check_place(order)
    asks(foreseen, "SOFT_NOTIONAL+FIRST_OF_DAY", "30,000 over the soft limit 25,000", "first")
    assert foreseen is not None and foreseen.outcome("k").verdict is Verdict.ASK


def test_a_preview_of_an_order_over_a_limit_keeps_the_risk_mode(gated: Gated) -> None:
    set_limits(gated, max_open_sym=1, runaway_count=0)
    with gated.gate.rehearse():
        assert gated.gate.check_runaway("") is not None
    gated.row(sym=SYM)
    with gated.gate.rehearse():
        denied(gated.gate.foresee(buy()), "LIMIT", "1 order works")
    assert gated.steps == [] and gated.disarmed == []
    denied(gated.gate.check_place(buy()), "LIMIT")
    assert len(gated.steps) == 1


def test_the_preview_shows_the_gate_answer_in_view_and_read_only(gated: Gated) -> None:
    gated.state.trading.own.state, gated.state.trading.read_only = TradingState.VIEW, "READ-ONLY: asked for"
    with gated.gate.rehearse():
        denied(gated.gate.foresee(buy(qty="100")), "NOTIONAL")
        assert gated.gate.foresee(buy(qty="0.01")) is None
    denied(gated.gate.check_place(buy(qty="0.01")), "READ_ONLY")


@pytest.mark.parametrize("price", ["1000", "56999", "57001", "60149", "60151", "65000"])
@pytest.mark.parametrize("qty", ["0.01", "10"])
def test_the_denial_foreseen_by_a_ticket_is_the_one_at_sending(gated: Gated, qty: str, price: str) -> None:
    """For its price, or for its value above the hard limit."""
    intent = msgspec.structs.replace(buy(qty=qty, price=price), confirmed=frozenset(["FIRST_OF_DAY"]))
    state = gated.state
    order = order_context(intent, state.symbols[SYM], state.quotes.rows[SYM], state.settings.limits)
    assert isinstance(order, OrderContext)
    refusal = gated.gate.check_place(intent)
    assert expect_denial(order) == (None if refusal is not None and refusal.ask else refusal)


@pytest.mark.parametrize(
    ("first", "asked"), [({"price": "59990"}, True), ({"price": "59990", "time_in_force": TimeInForce.IOC}, False)]
)
def test_a_preview_counts_own_resting_orders_of_the_same_line(
    gated: Gated, first: dict[str, Any], *, asked: bool
) -> None:
    """A buy that would rest is on the other side of the sale behind it; one that never rests is not."""
    resting = msgspec.structs.replace(buy(qty="0.01"), **first)
    sale = msgspec.structs.replace(buy(qty="0.01"), side=Side.SELL, order_type=OrderType.MARKET, price="")
    for _ in range(2):
        with gated.gate.rehearse():
            assert gated.gate.foresee(resting) is None
            foreseen = gated.gate.foresee(sale)
            if asked:
                asks(foreseen, "SELF_CROSS", "your own BUY 0.01 BTC at 59,990")
            else:
                assert foreseen is None
        with gated.gate.rehearse():
            assert gated.gate.foresee(sale) is None, "each preview begins anew"
