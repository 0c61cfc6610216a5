"""The strip without a ticket names the pair that a new order would be for, in every list."""

from __future__ import annotations

import pytest

from tests.workstation.driver import desk
from tui.engine.rows import Table
from tui.interface.symbols import try_parse
from tui.workstation.model.instruments import full_name

SIZES = [(80, 24), (160, 45)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pane", ["1", "3"])
async def test_the_idle_ticket_names_the_pair_that_key_b_stages(size: tuple[int, int], pane: str) -> None:
    """At the row of the best venue it named the pair of the row before."""
    async with desk(*size) as at:
        main = at.app.main_screen
        best = 0
        for rows in range(6):
            await at.press(pane, "g", *["j"] * rows)
            await at.settle()
            shown = at.panel_text()
            best += main.box is not None and main.box.pane.touch_sym(main.box.selected or "", bid=True) is not None
            await at.press("b")
            assert main.panel.ticket is not None
            assert full_name(main.panel.ticket.sym) in shown, (shown, main.panel.ticket.sym)
            await at.press("escape", "escape")
        assert best > 0 or pane == "3"


async def test_the_idle_ticket_follows_the_best_venue_and_a_marked_row() -> None:
    async with desk(80, 24) as at:
        await at.press("1", "g")
        assert "BINANCE BTC perp" in at.panel_text()
        at.port.quote("OKX_PERP_BTC_USDT", "64001.1", "64001.2", "131", "52", "64001.0")
        await at.settle()
        assert "OKX BTC perp" in at.panel_text()
        quotes = at.app.main_screen.tables["quotes"]
        other = next(
            key for key in list(quotes.pane.keys()) if (pair := try_parse(key)) is not None and pair.base == "ETH"
        )
        quotes.marked.add(other)
        await at.press("j")
        assert full_name(other) in at.panel_text(), "a marked row is the one that b is for"


@pytest.mark.parametrize("size", SIZES)
async def test_on_an_empty_list_the_idle_ticket_names_no_pair(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        for key in list(at.app.mirror.positions):
            at.port.put(Table.POSITIONS, key, None)
        await at.settle()
        await at.press("3")
        assert "pick a quote" in at.panel_text()
        await at.press("b")
        assert at.events()[-1] == "no row selected: the list is empty"
        await at.press("1")
        assert "perp" in at.panel_text() or "spot" in at.panel_text()
