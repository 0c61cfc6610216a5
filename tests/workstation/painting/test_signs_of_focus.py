"""What a screen without colours shows: where the focus is, and names that are whole."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import desk
from tui.engine.event_line import Level
from tui.engine.rows import Table
from tui.engine.status_rows import LinkState

SIZES = [(80, 24), (120, 36)]


@pytest.mark.parametrize("size", SIZES)
async def test_the_focused_field_of_an_order_form_has_an_arrow(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b")
        assert "size    ▸" not in at.text() and "size   ▸" not in at.text()
        await at.press("e")
        assert " size   ▸" in at.text()
        panel = at.app.main_screen.panel
        for name, sign in (("price", " price  ▸"), ("tp", " tp     ▸"), ("sl", "   sl ▸")):
            while not panel.fields[name].has_focus:
                await at.press("tab")
            await at.settle()
            assert sign in at.text() and " size   ▸" not in at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_the_focused_field_of_a_replace_or_choice_has_an_arrow(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("e")
        assert " price  ▸" in at.text() and "Enter to the total" in at.text()
        while not at.app.main_screen.panel.rest_field.has_focus:
            await at.press("tab")
        assert "▸0.15" in at.text() and " price  ▸" not in at.text()
        await at.press("escape", "escape", "escape", "1", "enter")
        assert "▸ buy/sell? ›   type ‹" in at.text()


async def test_the_adl_column_has_its_name_at_every_width() -> None:
    for width in (80, 90, 100, 120):
        async with desk(width, 24) as at:
            await at.press("3")
            heading = at.lines_of("positions")[1]
            assert " A " not in heading and " A│" not in heading


async def test_a_lost_quote_link_says_stale_in_the_title_and_in_no_row() -> None:
    async with desk(200, 45) as at:
        table = at.app.main_screen.tables["quotes"]
        assert "link" in table.column_ids()
        link = msgspec.structs.replace(at.app.mirror.links["public"], state=LinkState.DOWN)
        at.port.put(Table.LINKS, "public", link)
        at.clock.pass_by(9.0)
        await at.settle()
        table.tick()
        await at.settle()
        lines = at.lines_of("quotes")
        assert "STALE" in lines[0] and not any("STALE" in line for line in lines[1:])


async def test_the_fills_show_fee_and_rebate_in_one_column() -> None:
    async with desk(240, 50) as at:
        assert [name for name in at.app.main_screen.tables["fills"].pane.fields if "rebate" in name] == []
        assert at.app.main_screen.tables["fills"].pane.fields["fee"].title == "net fee"


async def test_the_card_of_a_long_event_shows_its_whole_text() -> None:
    async with desk(80, 24) as at:
        at.port.event("BUY 0.001 BINANCE BTC perp @ 61,764.7: REJECTED (post-only order would take)", Level.WARN)
        await at.settle()
        at.app.main_screen.show_pane("events")
        await at.press("enter")
        card = " ".join(line.strip("│ ") for line in at.text().splitlines())
        assert "REJECTED (post-only order would take)" in " ".join(card.split())
