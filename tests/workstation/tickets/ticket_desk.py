"""Ticket on a scripted desk: the form of a pair in contracts, and its fields."""

from __future__ import annotations

from tests.workstation.driver import Desk
from tui.workstation.tickets.fields import Mode

BTC = "BINANCE_PERP_BTC_USDT"
OKX = "OKX_PERP_BTC_USDT"
SPOT = "BINANCE_SPOT_BTC_USDT"


def read_panel(at: Desk) -> str:
    """Return what stands in the panel below its title, without the frame, as one line."""
    region = at.app.main_screen.panel.region
    lines = at.text().split("\n")[region.y + 1 : region.bottom]
    return " ".join(" ".join(line.strip("│┃ ") for line in lines).split())


async def select_contracts(at: Desk) -> None:
    """Move to the row of the perpetual in contracts, in the list that has the focus."""
    while (
        at.app.main_screen.table is None
        or at.app.main_screen.table.selected is None
        or OKX not in at.app.main_screen.table.pane.sym(at.app.main_screen.table.selected)
    ):
        await at.press("j")


async def open_form(at: Desk) -> None:
    """Open the form of the second row of the quotes: a perpetual in contracts."""
    await select_contracts(at)
    await at.press("enter")
    assert at.app.main_screen.panel.mode is Mode.FORM
    await at.press("right")


async def type_in(at: Desk, field: str, text: str) -> None:
    at.app.main_screen.set_focus(at.app.main_screen.panel.fields[field])
    await at.press("ctrl+u", *("space" if one == " " else one for one in text))
