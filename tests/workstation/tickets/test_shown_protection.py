"""Take-profit and stop-loss of an order from the command line stand in its ticket and in its question."""

from __future__ import annotations

import pytest

from tests.workstation.driver import desk
from tui.engine.intents import Outcome, Verdict
from tui.workstation.input.scopes import Scope

SIZES = [(60, 20), (72, 24), (80, 24), (100, 30), (112, 36), (120, 36), (160, 45), (200, 60)]


@pytest.mark.parametrize("size", SIZES)
async def test_ticket_and_question_show_target_and_stop_prices(size: tuple[int, int]) -> None:
    """The ticket and the question named the stop; the target left unseen."""
    async with desk(*size) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press("1", "g", "j", ":", *"long 30ct okx btc perp take tp entry+3% sl entry-1%")
        await at.settle()
        ticket = at.text()
        assert "tp 65,9" in ticket and "sl 63,3" in ticket, ticket
        await at.press("enter")
        assert at.scope() is Scope.ASK
        question = at.text()
        assert "tp 65,9" in question and "sl 63,3" in question, question


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
async def test_the_order_form_shows_the_result_of_target_and_stop(size: tuple[int, int]) -> None:
    """At 80 columns both prices stood beside the fields, and what each would realise nowhere."""
    async with desk(*size) as at:
        await at.press("1", "g", "j", "enter", "b", "tab", "tab", "tab", *"0.01", "tab", "tab", *"2%", "tab", *"1%")
        await at.settle()
        form = at.text()
        assert "-6.40" in form and "+12.80" in form and "2 : 1" in form, form
