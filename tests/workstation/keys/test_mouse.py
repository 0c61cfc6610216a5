"""The mouse: tabs, footer keys and rows; it never sends."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import Table
from tui.engine.status_rows import LinkRow, LinkState
from tui.workstation.input.scopes import Scope


def place_of(at: Desk, word: str) -> tuple[int, int]:
    """The lowest place of a word on the screen."""
    for y, line in reversed(list(enumerate(at.text().split("\n")))):
        if word in line:
            return line.index(word), y
    raise AssertionError(f"{word} is not on the screen")


async def click(at: Desk, word: str) -> None:
    await at.click(*place_of(at, word))


@pytest.mark.parametrize(
    ("tab", "pane"), [("P&L", "pnl"), ("Fills", "fills"), ("4 Assets", "assets"), ("Risk", "risk")]
)
async def test_clicking_a_tab_shows_its_pane(tab: str, pane: str) -> None:
    async with desk(160, 45) as at:
        at.app.main_screen.show_pane("events")
        await at.settle()
        await click(at, tab)
        assert at.app.main_screen.tables[pane].display and at.scope() is Scope(pane)


@pytest.mark.parametrize("size", [(160, 45), (120, 36), (80, 24), (60, 20), (40, 10)])
async def test_pane_tabs_keep_their_order_whichever_is_shown(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        area = at.app.main_screen.plan.areas[-1]
        for pane in area.panes:
            at.app.main_screen.show_pane(pane)
            await at.settle()
            tabs = at.app.main_screen.tabs(at.app.main_screen.tables[pane])
            order = [area.panes.index(tab.pane) for tab in tabs]
            assert order == sorted(order) and area.panes.index(pane) in order


async def test_a_click_on_a_footer_key_does_what_the_key_does() -> None:
    async with desk(160, 45) as at:
        await at.press("1")
        await click(at, "b buy")
        assert at.app.main_screen.panel.open


async def test_clicking_the_enter_hint_never_sends_an_order() -> None:
    async with desk(160, 45) as at:
        await at.press("1", "b")
        await click(at, "Enter send")
        assert at.app.main_screen.panel.open and not at.port.intents
        assert "the mouse sends nothing: press Enter" in at.text()


@pytest.mark.drawn
async def test_bid_and_ask_have_different_colours() -> None:
    async with desk(160, 45) as at:
        table = at.app.main_screen.tables["quotes"]
        row = table.pane.row("BINANCE_PERP_BTC_USDT")
        roles = {column.id: table._placed.cell(column, row, cells)[1] for column, cells in table._placed}
        assert roles["bid"] != roles["ask"]


async def test_a_key_right_after_a_click_acts_on_the_clicked_row() -> None:
    """Both arrive in one read where a link or a machine is slow."""
    async with desk(160, 45) as at:
        await at.click(*place_of(at, "P&L"), "0")
        assert at.app.main_screen.zoomed and at.scope() is Scope.PNL
        await at.press("0", "2")
        orders = at.app.main_screen.tables["orders"]
        first = orders.selected
        region = orders.region
        await at.click(region.x + 5, region.y + 4, "e")
        assert orders.selected != first
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.order is not None and ticket.order.key == orders.selected


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_stale_is_shown_at_the_name_of_the_visible_tab_only(
    size: tuple[int, int],
) -> None:
    async with desk(*size) as at:
        at.app.main_screen.show_pane("assets")
        at.clock.pass_by(8.0)
        at.port.put(Table.LINKS, "private", LinkRow(name="private", state=LinkState.DOWN, last_frame=at.clock.at - 8))
        await at.settle()
        at.app.main_screen.tick()
        await at.settle()
        title = at.lines_of("assets")[0]
        words = title[title.index("4 Assets") :]
        assert " · STALE 8s" in words.partition("│")[0] and "STALE" not in words.partition("│")[2]
        await click(at, "Fil")
        assert at.app.main_screen.tables["fills"].display
