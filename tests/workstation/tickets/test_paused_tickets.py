"""Tickets that are left for a pane, a drawing or a filter: they wait, and `Tab` leads back from everywhere."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.ladder.ladder import open_ladder, stand

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
