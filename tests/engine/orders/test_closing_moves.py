"""Moves of orders that only close, while new risk is held up."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.engine.conftest import DECISION
from tests.engine.orders.gated import Gated, denied
from tui.engine.intents import Replace
from tui.engine.settings import EngineSettings


@pytest.mark.parametrize("guard", ["CLOCK", "DAY"])
@pytest.mark.parametrize("closing", [{"reduce_only": True}, {"position_side": "SHORT"}], ids=["one-way", "hedge"])
def test_with_clock_off_or_fills_unread_only_closes_are_replaced(
    gated: Gated, guard: str, closing: dict[str, Any]
) -> None:
    """Both guards say that closing orders work: one that waits could be cancelled and placed again, and not moved."""
    if guard == "CLOCK":
        gated.state.links.skew_ms = lambda: -25_500.0
    else:
        limits = msgspec.structs.replace(gated.state.settings.limits, max_loss="100")
        gated.state.settings = EngineSettings(limits=limits)
    move = Replace(decision=DECISION, key="k", price="59999", qty="0.02")
    gated.row()
    denied(gated.gate.check_replace(move), guard, "closing orders")
    gated.row(**closing)
    assert gated.gate.check_replace(move) is None
