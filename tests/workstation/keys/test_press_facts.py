"""What leaves a window says which key press sent it, so that the gateway can check its facts again."""

from __future__ import annotations

import pytest

from tests.workstation.driver import desk
from tui.engine.intents import Cancel, Place, PlaceAlgo, Replace, SetLeverage
from tui.engine.modes import LEAST_BEHIND_MOVE_MS, LEAST_REARM_MS, LEAST_SHOWN_MS


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (("b", "enter"), Place),
        (("3", "j", "j", "f", "enter"), Place),
        (("2", "j", "j", "+", "+", "enter"), Replace),
        (("2", "j", "j", "e", "ctrl+u", *"63990.0", "enter", "enter", "enter", "y"), Replace),
    ],
)
async def test_orders_closes_and_replaces_carry_their_key_press_times(keys: tuple[str, ...], kind: type) -> None:
    async with desk() as at:
        await at.press(*keys)
        [intent] = at.port.intents
        assert isinstance(intent, kind)
        press = intent.decision.press
        assert press is not None and press.key == keys[-1] and press.stood_ms is not None
        assert press.stood_ms >= LEAST_SHOWN_MS and (press.again_ms is None or press.again_ms >= LEAST_REARM_MS)


@pytest.mark.parametrize(
    ("keys", "moved"),
    [(("b", "enter"), False), (("2", "j", "j", "e", "ctrl+u", *"63990.0", "enter", "enter", "enter", "y"), True)],
)
async def test_an_order_after_a_cursor_move_records_the_time_since(keys: tuple[str, ...], moved: bool) -> None:
    async with desk() as at:
        await at.press(*keys)
        [intent] = at.port.intents
        press = intent.decision.press
        assert press is not None and (press.moved_ms is not None) is moved
        assert press.moved_ms is None or press.moved_ms >= LEAST_BEHIND_MOVE_MS


async def test_stop_and_leverage_forms_carry_their_key_press_times() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p", *"63000", "enter", "enter", "y")
        await at.settle()
        await at.press("l", "1", "0", "enter", "y")
        stop, leverage = at.port.intents
        assert isinstance(stop, PlaceAlgo) and isinstance(leverage, SetLeverage)
        for intent in (stop, leverage):
            press = intent.decision.press
            assert press is not None and press.key == "y" and (press.stood_ms or 0) >= LEAST_SHOWN_MS


async def test_a_cancel_carries_no_key_press_times() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "c")
        [intent] = at.port.intents
        assert isinstance(intent, Cancel) and intent.decision.press is None
