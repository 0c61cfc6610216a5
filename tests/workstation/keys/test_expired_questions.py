"""Questions that close unanswered: they say so, and what was typed for them does not reach the desk."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.modes import RiskMode, TradingState
from tui.workstation.input.scopes import Scope


async def expire(at: Desk) -> None:
    """Let the time of the open question run out."""
    at.app.screen._expire()  # type: ignore[attr-defined]
    await at.settle()


async def test_a_word_typed_after_its_prompt_expired_does_nothing() -> None:
    async with desk(80, 24) as at:
        at.port.set_risk_mode(RiskMode.HALT)
        await at.settle()
        await at.press("1", "g", "j", "ctrl+t")
        assert at.scope() is Scope.WORD
        await expire(at)
        assert "the question 'type resume' expired: nothing was done" in at.text()
        await at.press(*"resume", "enter")
        assert at.scope() is Scope.QUOTES and not at.app.main_screen.panel.open and at.port.intents == []
        assert "expired: nothing was done" in at.events()[-1]


async def test_typing_flat_after_the_prompt_expired_does_not_disarm() -> None:
    async with desk() as at:
        await at.press("3", "g", "F")
        await expire(at)
        await at.press("f", "l", "a", "t")
        assert at.port.states == [] and not at.app.main_screen.panel.open
        status = at.app.mirror.engine_status
        assert status is not None and status.trading_state is TradingState.ARMED


async def test_letters_typed_slowly_after_a_prompt_expired_are_ignored() -> None:
    async with desk() as at:
        await at.press("3", "g", "F")
        await expire(at)
        for char in "flat":
            at.clock.pass_by(1.5)
            await at.press(char)
        assert at.port.states == []


async def test_keys_act_again_two_seconds_after_a_prompt_expired() -> None:
    async with desk() as at:
        await at.press("3", "g", "F")
        await expire(at)
        at.clock.pass_by(2.1)
        await at.press("a")
        assert at.port.states == [TradingState.VIEW]


@pytest.mark.parametrize("key", ["X", "ctrl+g"])
async def test_kill_key_works_at_once_after_a_prompt_expired(key: str) -> None:
    async with desk() as at:
        await at.press("3", "g", "F")
        await expire(at)
        await at.press(key)
        assert at.scope() is Scope.KILL


async def test_the_quit_question_says_that_it_expired() -> None:
    async with desk() as at:
        await at.press("ctrl+q")
        await expire(at)
        assert "the question 'Quit' expired: nothing was done" in at.text()
        await at.press("y")
        assert "expired: nothing was done (×2)" in at.events()[-1] and at.scope() is not Scope.LINE


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("ctrl+q", "nothing was done: y quits, Enter goes back"),
        ("C", "nothing was cancelled: y cancels, Enter goes back"),
    ],
)
async def test_a_question_says_what_y_does_and_the_next_hides_it(key: str, said: str) -> None:
    async with desk(80, 24) as at:
        await at.press("2", key)
        at.clock.pass_by(1)
        await at.press("enter")
        assert said in at.text() and at.events()[-1] == said
        await at.press("ctrl+q")
        assert at.scope() is Scope.PROMPT and "nothing was" not in at.text()


async def test_a_question_that_expired_is_not_named_below_the_next() -> None:
    async with desk(80, 24) as at:
        await at.press("ctrl+q")
        await expire(at)
        at.clock.pass_by(60)
        assert "expired: nothing was done" in at.text()
        await at.press("C")
        assert at.scope() is Scope.PROMPT and "expired" not in at.text()
