"""Held keys send nothing, wherever they begin: random holds on virtual time through the whole screen."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.intents import Cancel, CancelAlgo, CancelAll, Outcome, Verdict
from tui.engine.modes import TradingState
from tui.interface import decimals
from tui.workstation.input.input_order import key_time
from tui.workstation.input.scopes import Scope

BTC = "BINANCE_PERP_BTC_USDT"
STARTS: dict[str, tuple[str, ...]] = {
    "quotes": (),
    "form": ("enter",),
    "form with a side": ("enter", "b"),
    "staged": ("b",),
    "size": ("s", "2"),
    "fields": ("b", "e"),
    "orders": ("2",),
    "replace": ("2", "j", "j", "e"),
    "ghost": ("2", "j", "j", "+"),
    "flatten": ("3", "f"),
    "algo form": ("3", "p"),
    "transfer": ("4", "t"),
    "leverage": ("l", "5"),
    "cancel question": ("2", "C"),
    "paused": ("b", "2"),
}
KEYS = ("enter", "enter", "enter", "y", "b", "s", "tab", "escape", "5", ".", "down", "right", "p", "f", "e", "j", "+")


def is_meant(at: Desk, key: str) -> bool:
    """Whether the first press of a hold is the fresh press that sends here: a hand that presses it means it."""
    scope, panel = at.scope(), at.app.main_screen.panel
    if scope in (Scope.PREVIEW, Scope.FIELD) and panel.open:
        return key == panel.send_key
    asked = scope in (Scope.ASK, Scope.PROMPT, Scope.FORM_END, Scope.WORD)
    return asked and key in ("y", "enter")


async def hold(at: Desk, key: str, first: float, every: float, repeats: int) -> None:
    """One press and its repeats, each at its time on the clock of the keys."""
    due = key_time()
    for count in range(repeats + 1):
        due += 0.0 if not count else first if count == 1 else every
        await asyncio.sleep(max(0.0, due - key_time()))
        at.send_now(key)
        await at.settle()


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 8))])
async def test_randomly_held_keys_never_send_an_order(start: str, seed: int) -> None:
    decimals.setup()  # a held digit makes figures of forty digits
    hand = random.Random(f"{start} {seed}")
    async with desk(120, 36) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")] * 50
        await at.press(*STARTS[start])
        held: list[str] = []
        for _ in range(5):
            await asyncio.sleep(hand.uniform(0.1, 1.5))
            key = hand.choice(KEYS)
            if is_meant(at, key):
                continue
            held.append(key)
            await hold(at, key, hand.uniform(0.25, 0.66), 0.03, hand.randint(1, 40))
        sent = [one for one in at.port.intents if not isinstance(one, Cancel | CancelAll | CancelAlgo)]
        assert sent == [], held


@pytest.mark.parametrize(("first", "every"), [(0.25, 0.05), (0.5, 0.03), (0.66, 0.015)])
async def test_enter_held_down_on_a_quote_row_sends_no_order(first: float, every: float) -> None:
    async with desk() as at:
        await hold(at, "enter", first, every, 60)
        assert at.port.intents == []
        assert "no side yet" in at.text()


async def test_enter_pressed_every_second_on_a_quote_sends_nothing() -> None:
    for pause in (0.5, 1.0):
        async with desk() as at:
            for _ in range(12):
                at.send_now("enter")
                await at.settle()
                await asyncio.sleep(pause)
            assert at.port.intents == []


# Cancel keys in a burst


@pytest.mark.parametrize("key", ["c", "u"])
@pytest.mark.parametrize("count", [2, 5, 20])
async def test_a_cancel_key_many_times_in_one_burst_cancels_nothing(key: str, count: int) -> None:
    """As held over a slow connection, which brings its presses in batches."""
    async with desk() as at:
        at.port.order("o77", BTC, "BUY", "64000.0", "0.01")
        at.port.order("o78", BTC, "BUY", "64000.1", "0.01")
        await at.press("2", "j", "j")
        for _ in range(3):
            await at.burst(*[key] * count)
            at.clock.pass_by(2.0)
            assert at.events()[-1].startswith(f"{key} came many times, like a held key: ignored; press it again")
        assert at.port.intents == []
        await at.press(key)
        assert len(at.port.intents) == 1


@pytest.mark.parametrize("parts", [["cancel"], ["cc", "ancel"], ["xcc"], ["ccccccccccccx"]])
async def test_bursts_of_text_that_contain_the_letter_c_cancel_nothing(parts: list[str]) -> None:
    async with desk() as at:
        await at.press("2", "j", "j")
        for part in parts:
            await at.burst(*part)
        assert at.port.intents == []
        assert not parts[0].startswith("x") or "c came in one burst with other keys: ignored" in at.events()[-1]


async def test_a_held_arming_key_changes_the_trading_state_only_once() -> None:
    """Six presses 30 ms apart ended armed or disarmed by chance."""
    async with desk(armed=False) as at:
        await at.hold("a", 1.5)
        assert at.port.states == [TradingState.ARMED]
        assert (
            "a came without a pause of 0.7 s after this key armed or disarmed: ignored; press it again"
            in at.events()[-1]
        )
        at.send("a", after=2.0)
        await at.settle()
        assert at.port.states == [TradingState.ARMED, TradingState.VIEW], "a fresh press disarms at once"
