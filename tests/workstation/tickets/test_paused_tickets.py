"""Tickets that are left for a pane, a drawing or a filter: they wait, and `Tab` leads back from everywhere."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.ladder.ladder import open_ladder, stand
from tui.engine.event_line import Level
from tui.workstation.input.scopes import Scope

PANES = ("quotes", "orders", "positions", "assets", "ladder", "chart")


async def leave_for(at: Desk, pane: str) -> None:
    """Stage a buy on the ladder and give the focus to a pane."""
    await open_ladder(at)
    await at.press("j", "j")
    await stand(at)
    await at.press("b")
    at.app.main_screen.set_focus(at.app.main_screen.boxes[pane])
    await at.settle()


@pytest.mark.parametrize("pane", PANES)
async def test_a_ticket_is_paused_while_any_pane_has_the_focus(pane: str) -> None:
    async with desk(160, 45) as at:
        await leave_for(at, pane)
        assert "PAUSED" in at.panel_text() and "Tab continues" in at.panel_text()
        assert "Enter sends" not in at.text()
        await at.press("enter")
        assert at.sent_orders() == []


@pytest.mark.parametrize("pane", PANES)
async def test_tab_leads_from_any_pane_to_the_paused_ticket(pane: str) -> None:
    async with desk(160, 45) as at:
        await leave_for(at, pane)
        await at.press("tab")
        await at.settle()
        assert at.app.main_screen.focused is at.app.main_screen.panel
        assert "PAUSED" not in at.panel_text() and "Enter sends" in at.panel_text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
@pytest.mark.parametrize("keys", [("b",), ("b", *"0.01", "tab"), ("2", "G", "+")])
@pytest.mark.parametrize("screen", ["A", "H"])
async def test_a_ticket_hidden_by_a_full_screen_comes_back_paused(
    size: tuple[int, int], keys: tuple[str, ...], screen: str
) -> None:
    """Back from the algo orders it was live again: Enter, meant for the list, sent it."""
    async with desk(*size) as at:
        await at.press(*keys)
        at.clock.pass_by(0.8)
        await at.press(screen)
        assert at.scope() is Scope.SCREEN
        at.clock.pass_by(0.8)
        await at.press(screen)
        await at.settle()
        at.clock.pass_by(0.8)
        assert "PAUSED" in at.panel_text() and "Enter sends" not in at.text(), at.text()
        await at.press("y", "tab")
        await at.settle()
        assert "PAUSED" not in at.panel_text() and "Enter sends" in at.panel_text(), at.text()
        assert at.port.intents == []
        at.clock.pass_by(0.8)
        await at.press("enter")
        await at.settle()
        assert len(at.port.intents) == 1, at.text()


async def test_shift_tab_passes_a_paused_ticket_by() -> None:
    async with desk(160, 45) as at:
        await leave_for(at, "positions")
        await at.press("shift+tab")
        await at.settle()
        assert at.app.main_screen.focused is at.app.main_screen.boxes["orders"] and "PAUSED" in at.panel_text()


async def test_a_ticket_stays_paused_while_a_filter_is_typed() -> None:
    async with desk(160, 45) as at:
        await leave_for(at, "quotes")
        await at.press("/")
        await at.settle()
        assert "PAUSED" in at.panel_text() and "Enter sends" not in at.text()


async def test_a_box_over_the_filter_resumes_no_ticket() -> None:
    async with desk(160, 45) as at:
        await leave_for(at, "quotes")
        await at.press("/", "ctrl+g")
        at.clock.pass_by(0.3)
        await at.press("escape")
        await at.settle()
        assert "Enter sends" not in at.text()


@pytest.mark.parametrize("warned", [False, True])
async def test_the_command_line_says_that_it_dropped_a_paused_ticket(*, warned: bool) -> None:
    """At 80 columns the ticket was gone, and what said so was cut or stood behind a warning."""
    async with desk(80, 24) as at:
        await at.press("b", *"0.5", "ctrl+p", "escape")
        at.app.main_screen.set_focus(at.app.main_screen.boxes["orders"])
        if warned:
            at.port.event("kill missed, redo it: 1 order", Level.ALERT, sticky=True)
        await at.settle()
        assert "PAUSED" in at.panel_text()
        await at.press(":")
        await at.settle()
        said = "paused ticket BUY 0.5 BINANCE BTC perp dropped; nothing was sent"
        assert said in at.panel_text() and said in at.events()[-1], at.text()
        await at.press("c")
        assert said not in at.panel_text(), "what is typed is shown there"
        await at.press("escape", ":")
        assert said not in at.panel_text() and "buy $100 join" in at.panel_text(), at.text()


async def test_a_line_that_a_key_begins_names_the_dropped_ticket_too() -> None:
    async with desk(80, 24) as at:
        await at.press("b", *"0.5")
        at.app.main_screen.set_focus(at.app.main_screen.boxes["quotes"])
        await at.settle()
        await at.press("i")
        await at.settle()
        assert at.scope() is Scope.LINE
        assert "paused ticket BUY 0.5 BINANCE BTC perp dropped; nothing was sent" in at.panel_text(), at.text()
