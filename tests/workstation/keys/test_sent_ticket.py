"""Keys in a ticket that is on its way: each says that it does nothing, and why."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import BTC, shown_ticket
from tui.engine.intents import Outcome, Verdict

SAID = "does nothing: the order was sent and its answer has not come yet; Esc closes the ticket"


async def send_unanswered(at: Desk, *keys: str) -> None:
    at.port.hold = True
    await at.press(*keys, "enter")
    assert at.app.main_screen.panel.sending and len(at.port.intents) == 1


@pytest.mark.parametrize(
    "key", ["2", ".", "right", "up", "*", "J", "p", "r", "t", "=", "e", "y", "enter", "s", "backspace", "+"]
)
async def test_a_key_in_a_sent_ticket_says_that_it_does_nothing(key: str) -> None:
    async with desk() as at:
        await send_unanswered(at, "b")
        before = shown_ticket(at)
        await at.press(key)
        assert at.events()[-1].lower() == f"{key} {SAID}".lower()
        assert at.app.main_screen.panel.sending and shown_ticket(at) == before and len(at.port.intents) == 1


@pytest.mark.parametrize("key", ["7", "backspace", "ctrl+u", "up"])
async def test_a_field_of_a_sent_ticket_keeps_what_was_sent(key: str) -> None:
    async with desk() as at:
        await send_unanswered(at, "b", *"0.002")
        field = at.app.main_screen.panel.size_field
        assert field.has_focus
        await at.press(key)
        assert SAID in at.events()[-1] and field.value == "0.002" == shown_ticket(at).qty


async def test_a_pasted_text_in_a_sent_ticket_is_refused() -> None:
    async with desk() as at:
        await send_unanswered(at, "b", *"0.002")
        at.paste("7")
        await at.settle()
        assert at.events()[-1] == f"The pasted text {SAID}"
        assert at.app.main_screen.panel.size_field.value == "0.002"


async def test_escape_in_a_field_of_a_sent_ticket_closes_it() -> None:
    async with desk() as at:
        await send_unanswered(at, "b", *"0.002")
        await at.press("escape")
        assert not at.app.main_screen.panel.open
        assert "its order was sent, the reply will be shown here" in at.events()[-1]


async def test_a_key_in_a_sent_replace_says_what_was_sent() -> None:
    async with desk() as at:
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("+")
        await send_unanswered(at)
        await at.press("up")
        assert "does nothing: the replace was sent" in at.events()[-1]


async def test_a_denied_ticket_takes_keys_again() -> None:
    async with desk() as at:
        await send_unanswered(at, "b")
        await at.press("2")
        at.port.answer(Outcome(verdict=Verdict.DENIED, guard="BAND", text="too far"))
        await at.settle()
        await at.press(*"0.003")
        assert shown_ticket(at).qty == "0.003" and shown_ticket(at).sym == BTC


@pytest.mark.parametrize(("size", "before"), [((80, 24), ""), ((120, 36), "63,998.0")])
async def test_orders_tell_a_staged_replace_from_a_sent_one(size: tuple[int, int], before: str) -> None:
    async with desk(*size) as at:
        at.port.hold = True
        await at.press("2", "j", "j", "+")
        assert f"{before}?63,998.1" in at.text()
        await at.press("enter")
        assert f"{before}→63,998.1" in at.text() and "?63,998.1" not in at.text()
        at.port.answer(Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit"))
        await at.settle()
        assert f"{before}?63,998.1" in at.text(), "what is asked about was not sent"
        await at.press("escape", "escape")
        assert "63,998.1" not in at.text()
