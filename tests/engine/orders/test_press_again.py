"""Facts of the key press that sent an intent: the gate checks again what the window measured."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.engine.conftest import DECISION, buy
from tests.engine.orders.gated import Gated, denied
from tui.engine.intents import Cancel, Intent, Press, Replace
from tui.engine.modes import LEAST_BEHIND_MOVE_MS, LEAST_REARM_MS, LEAST_SHOWN_MS, TradingState


def pressed(intent: Intent, **facts: int | None) -> Any:
    press = Press(key="enter", at=0.0, **facts)
    return msgspec.structs.replace(intent, decision=msgspec.structs.replace(intent.decision, press=press))


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"again_ms": LEAST_REARM_MS - 1}, "enter came 699 ms after the same key; accepted are 700 ms, or another key"),
        ({"stood_ms": LEAST_SHOWN_MS - 1}, "what enter sends stood on the screen for 149 ms; accepted are 150 ms"),
        ({"moved_ms": LEAST_BEHIND_MOVE_MS - 1}, "enter came 399 ms behind a key that moved the focus or was refused;"),
        ({"again_ms": 10_000, "stood_ms": 0}, "stood on the screen for 0 ms"),
    ],
)
def test_the_engine_checks_key_press_times_of_orders_not_cancels(
    gated: Gated, facts: dict[str, int], text: str
) -> None:
    gated.row()
    change = Replace(decision=DECISION, key="k", price="59999", qty="0.02")
    for intent, check in ((buy(), gated.gate.check_place), (change, gated.gate.check_replace)):
        assert check(pressed(intent, again_ms=LEAST_REARM_MS, stood_ms=LEAST_SHOWN_MS)) is None
        assert check(pressed(intent, moved_ms=LEAST_BEHIND_MOVE_MS)) is None
        assert check(pressed(intent)) is None
        denied(check(pressed(intent, **facts)), "PRESS", text)
    assert gated.gate.check_cancel(pressed(Cancel(decision=DECISION, key="k"), **facts)) is None


def test_in_hot_mode_the_engine_accepts_a_sooner_repeated_press(gated: Gated) -> None:
    own = gated.state.trading.own
    own.state, own.hot_until = TradingState.HOT, gated.state.clock.mono() + 60
    assert gated.gate.check_place(pressed(buy(), again_ms=300, stood_ms=LEAST_SHOWN_MS)) is None
    denied(gated.gate.check_place(pressed(buy(), again_ms=300, stood_ms=10)), "PRESS", "stood on the screen for 10 ms")
