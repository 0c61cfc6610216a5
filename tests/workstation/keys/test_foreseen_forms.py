"""Forms say on their last line what the engine would answer, so that no refusal comes only after Enter."""

from __future__ import annotations

import pytest

from tests.workstation.algo_rows import put_algo, put_target
from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_refused_form_keys import last_line
from tui.engine.intents import Outcome, PlaceAlgo, Verdict
from tui.workstation.input.scopes import Scope

OVER = Outcome(verdict=Verdict.DENIED, guard="NOTIONAL", text="order value 170,000 USDT is over the limit of 150,000")
FIRST = Outcome(verdict=Verdict.ASK, guard="FIRST", text="first order of the day on this pair")


async def to_last_line(at: Desk) -> None:
    await at.select_leg()
    await at.press("p", "1", "%", "tab", "tab")
    assert at.scope() is Scope.FORM_END


def words(at: Desk) -> str:
    """The text of the form on one line."""
    return " ".join(" ".join(text for text, _ in line) for line in at.form().build_lines())


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_form_the_gate_would_deny_says_so_and_sends_nothing(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        at.port.foreseen = [OVER]
        await to_last_line(at)
        assert f"would be refused now: {OVER.text}" in " ".join(words(at).split())
        assert not any(hint.endswith(" send") for hint in last_line(at))
        await at.press("enter", "y")
        assert at.port.intents == []


async def test_a_form_is_sent_once_the_gate_would_no_longer_deny_it() -> None:
    async with desk(160, 45) as at:
        at.port.foreseen = [OVER]
        await to_last_line(at)
        at.port.foreseen = []
        await at.press("y")
        assert [type(intent) for intent in at.port.intents] == [PlaceAlgo]


async def test_a_form_names_the_gate_question_that_y_will_ask_first() -> None:
    async with desk(160, 45) as at:
        at.port.foreseen = [FIRST]
        await to_last_line(at)
        assert f"y asks first: {FIRST.text}" in " ".join(words(at).split())


async def test_a_form_names_the_gate_denial_while_a_value_is_typed() -> None:
    async with desk(160, 45) as at:
        at.port.foreseen = [OVER]
        await at.select_leg()
        await at.press("p")
        assert "would be refused" not in at.text(), "nothing is typed yet"
        await at.press("1", "%")
        assert f"would be refused now: {OVER.text}" in " ".join(words(at).split())
        at.port.foreseen = []
        await at.press("backspace", "2", "backspace", "%")
        assert "would be refused" not in at.text() and "ready: go to this line" in at.text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_algo_form_offers_the_stop_or_target_that_is_lacking(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        put_algo(at, "7001")
        await at.settle()
        await at.select_leg()
        await at.press("p")
        at.clock.pass_by(0.5)
        await at.press("y")
        assert "‹ target ›" in at.text()
        await at.press("escape")
        put_target(at)
        await at.settle()
        await at.press("p")
        at.clock.pass_by(0.5)
        await at.press("down", "down", "y")
        assert "‹ stop ›" in at.text()


async def test_all_fields_of_the_algo_form_show_beside_a_long_denial() -> None:
    async with desk(80, 24) as at:
        at.port.foreseen = [Outcome(verdict=Verdict.DENIED, guard="BAND", text=f"{OVER.text}; " * 2 + "no more")]
        await at.select_leg()
        await at.press("p", "up", "right", "right", "down", "1", "%", "tab", "1", "%", "tab", "tab")
        assert at.scope() is Scope.FORM_END
        assert all(name in words(at) for name in ("kind", "stop", "target", "size", "no more"))
