"""Questions whose options open forms: Enter takes the selected one, and sends nothing."""

from __future__ import annotations

import pytest

from tests.workstation.algo_rows import put_algo
from tests.workstation.driver import desk
from tui.workstation.input.scopes import Scope


@pytest.mark.parametrize(("keys", "form"), [((), "add"), (("down",), "63000")])
@pytest.mark.parametrize("takes", ["enter", "y"])
async def test_a_key_that_chooses_a_stop_form_does_not_also_send_it(
    keys: tuple[str, ...], form: str, takes: str
) -> None:
    async with desk(80, 24) as at:
        put_algo(at, "7001")
        await at.settle()
        await at.select_leg()
        await at.press("p")
        assert at.scope() is Scope.PROMPT and "Enter opens the form" in at.text()
        assert "Enter open the form" in at.text().splitlines()[-1] and "Esc back" in at.text().splitlines()[-1]
        await at.press(*keys, takes)
        assert at.scope() is Scope.PROMPT, "a key that comes with the question is not taken"
        at.clock.pass_by(1.0)
        await at.press(takes)
        assert at.scope() is Scope.FORM and ("63000" in at.text()) is (form == "63000")
        await at.hold(takes, 2.0)
        await at.settle()
        assert at.port.intents == [], "what opened the form does not send it"
