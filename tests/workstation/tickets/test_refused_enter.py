"""A refused Enter in a ticket: which key sends instead stands in one line, at every size."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import BTC, read_panel
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
