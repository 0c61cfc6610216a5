"""A refused Enter in a ticket: which key sends instead stands in one line, at every size."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_expired_questions import hold_net
from tests.workstation.tickets.ticket_desk import BTC, read_panel
from tui.engine.intents import Outcome, Verdict
from tui.engine.limits import Limits

SIZES = [(60, 20), (72, 24), (78, 24), (80, 24), (85, 24), (100, 30), (120, 36)]


def panel_lines(at: Desk) -> list[str]:
    region = at.app.main_screen.panel.region
    return at.text().split("\n")[region.y : region.bottom]


@pytest.mark.parametrize("size", SIZES)
async def test_the_hint_press_y_to_send_is_not_split_over_two_lines(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("1", "g", "j", "enter", "b", "enter", "enter", "enter", *"0.5", "enter", "enter")
        await at.burst("home", "enter")
        assert "Enter came in one burst with other keys: not sent; press y to send" in read_panel(at)
        assert any("press y to send" in line for line in panel_lines(at)), panel_lines(at)
        assert at.port.intents == []


@pytest.mark.parametrize("size", SIZES)
async def test_a_refused_enter_says_press_y_to_send_on_a_single_line(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("1", "g", "j", "enter", "b", "enter", "enter", "enter", *"0.5", "enter", "enter", "enter")
        assert any("press y to send" in line for line in panel_lines(at)), panel_lines(at)
        await at.press("y")
        assert at.sent_sizes() == ["0.5"]


@pytest.mark.parametrize("size", SIZES)
async def test_a_replace_that_would_take_says_press_y_in_one_line(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        at.port.set_desk(limits=Limits(soft_notional="50"))
        await at.press("2", "j", "j", "+")
        at.port.quote(BTC, "63980.0", "63980.2")
        await at.settle()
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert "this price takes at once: press y to send" in read_panel(at)
        assert any("press y to send" in line for line in panel_lines(at)), panel_lines(at)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_key_y_on_a_fresh_ticket_says_that_enter_sends(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b", "y")
        said = "Enter sends this; y sends only where Enter was refused"
        assert at.port.intents == [] and f"! {said}" in read_panel(at) and at.events()[-1] == said


async def _refuse_by_gate(at: Desk) -> None:
    at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard="OTHER", text="denied")]
    await at.press("enter")


async def _refuse_size(at: Desk) -> None:
    """The size is off by the time of Enter, which focuses its field."""
    await at.press("enter")


async def _refuse_once_gone(at: Desk) -> None:
    """The cause of the refusal is gone again."""
    await at.press("enter")
    await hold_net(at, "1")


@pytest.mark.parametrize(
    ("held", "left", "typed", "refuse", "shown"),
    [
        ("1", "1", "0.25", _refuse_by_gate, "0.25"),
        ("1", "0.1", "0.25", _refuse_size, "0.25"),
        ("1", "0", "50%", _refuse_size, "0.5"),
        ("0.5", "0.1", "0.25", _refuse_once_gone, "0.25"),
        ("0.5", "0.1", "$16000", _refuse_once_gone, "0.249"),
    ],
)
async def test_backspace_behind_a_refused_enter_erases_a_sign(
    held: str, left: str, typed: str, refuse: Callable[[Desk], Awaitable[None]], shown: str
) -> None:
    """It emptied the size, which looked as it had been typed."""
    async with desk() as at:
        await hold_net(at, held)
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", "T", *typed)
        await hold_net(at, left)
        at.clock.pass_by(2.0)
        await refuse(at)
        field = at.app.main_screen.panel.size_field
        assert field.has_focus and field.value == shown and at.port.intents[1:] == [], at.text()
        await at.press("backspace")
        assert field.value == shown[:-1], at.text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_what_would_be_refused_is_refused_by_enter(size: tuple[int, int]) -> None:
    """The same reason was `would be refused` before Enter and `not yet` behind it."""
    async with desk(*size) as at:
        await hold_net(at, "0.5")
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", "T", *"0.25")
        await hold_net(at, "0.1")
        assert "would be refused │" in at.panel_text(), at.text()
        at.clock.pass_by(2.0)
        await at.press("enter")
        assert "not yet" not in at.panel_text() and " refused │" in at.panel_text(), at.text()
        await at.press("backspace", "x")
        assert "not yet" not in at.panel_text() and "Backspace continues" in at.panel_text(), at.text()
        await at.press("backspace", "backspace", "backspace", "backspace")
        assert "not yet" in at.panel_text(), "the size that is being typed"


async def test_a_digit_behind_a_refusal_begins_another_size() -> None:
    async with desk() as at:
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", "T", *"0.25")
        await _refuse_by_gate(at)
        await at.press("7")
        assert at.app.main_screen.panel.size_field.value == "7"


async def test_backspace_on_a_preset_size_erases_all_of_it() -> None:
    async with desk() as at:
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", *"0.25", "escape", "escape", "s", "tab", "backspace")
        assert at.app.main_screen.panel.size_field.value == ""
