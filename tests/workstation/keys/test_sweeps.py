"""Sweeps over everything that can be open: a mouse that clicks on every cell, and every key that has no meaning there."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.painting.test_placement import OPENED
from tui.engine.intents import Outcome, Verdict
from tui.engine.modes import TradingState
from tui.workstation.input.action import Risk
from tui.workstation.input.actions import ACTIONS
from tui.workstation.input.scopes import VIEWS

TICKETS = {
    "a staged order": ("1", "j", "b"),
    "a form at its end": ("1", "j", "b", "e", "tab", "tab", "tab", "tab"),
    "a question about an order": ("1", "j", "b", "enter"),
    "a command line with an order": (":", *"buy 0.001 BTC BINANCE_PERP mkt"),
    "a ladder with a staged order": ("1", "j", "d", "b"),
    "a filter": ("2", "/"),
    "the help": ("1", "?"),
}
EVERY_STATE = {**OPENED, **TICKETS}
QUESTION = Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="first order of the day")
TRADING = sorted({key for action in ACTIONS if action.risk >= Risk.STAGE for key in action.keys})


async def reach(at: Desk, name: str) -> int:
    """Open a state; the number of intents by then: the one about which the engine asks."""
    await close_all(at)
    at.port.outcomes = [QUESTION]
    await at.press(*EVERY_STATE[name])
    at.clock.pass_by(0.5)
    return len(at.port.intents)


async def close_all(at: Desk) -> None:
    """Close whatever is open."""
    for _ in range(8):
        if at.app.screen is at.app.main_screen and at.scope() in VIEWS:
            break
        await at.press("escape")


@pytest.mark.parametrize("step", [97, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", EVERY_STATE)
async def test_no_mouse_click_on_any_cell_sends_an_order(name: str, step: int) -> None:
    """A click may arm, as on the key line; it sends nothing. The default run has one on each line, spread over states."""
    width, height, first = 100, 30, 41 * list(EVERY_STATE).index(name)
    async with desk(width, height) as at:
        sent = await reach(at, name)
        opened = at.app.screen
        for y in range(height):
            for x in range((first + 37 * y) % step, width, step):
                await at.click(x, y)
                assert len(at.port.intents) == sent, (name, x, y)
                if at.app.screen is not opened:
                    sent, opened = await reach(at, name), at.app.screen


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", EVERY_STATE)
async def test_trading_keys_without_a_function_in_a_place_send_nothing(name: str, step: int) -> None:
    """The card of a position hands keys on to its list, where one of them disarms; none arms.

    The default run presses every third key, another third in each state.
    """
    async with desk(100, 30) as at:
        sent = await reach(at, name)
        opened, tried = (at.app.screen, at.scope()), 0
        for key in TRADING[list(EVERY_STATE).index(name) % step :: step]:
            # A ticket that has refused a key takes no others: each key finds it as it was opened.
            if name in TICKETS or (at.app.screen, at.scope()) != opened:
                sent = await reach(at, name)
                opened = at.app.screen, at.scope()
            if (at.scope(), key) in at.app.keymaps.keymap.meanings:
                continue
            at.clock.pass_by(0.5)
            await at.press(key)
            tried += 1
            assert len(at.port.intents) == sent and set(at.port.states) <= {TradingState.VIEW}, (name, key)
        assert tried > (5 if step == 1 else 2)
