"""What nobody should have to work out: whole names and figures, where a text begins, whose keys are shown."""

from __future__ import annotations

import pytest

from tests.workstation.algo_rows import put_algo
from tests.workstation.driver import desk
from tui.engine.rows import Table
from tui.engine.status_rows import LinkRow, LinkState
from tui.workstation.render.text import hang

BTC = "BINANCE_PERP_BTC_USDT"


@pytest.mark.parametrize("size", [(120, 36), (160, 45)])
@pytest.mark.parametrize(("bid", "ask", "shown"), [("61731.6", "61747.1", "2.5bp"), ("61747.1", "61731.6", "-2.5bp")])
async def test_a_wide_or_crossed_spread_is_shown_as_a_number(
    size: tuple[int, int], bid: str, ask: str, shown: str
) -> None:
    async with desk(*size) as at:
        at.port.quote(BTC, bid, ask)
        await at.settle()
        row = at.line_with("BINANCE", f"{float(bid):,.1f}", f"{float(ask):,.1f}")
        assert "#" not in row and f" {shown} " in row


async def test_all_tab_names_stay_readable_beside_a_stale_mark() -> None:
    async with desk(80, 24) as at:
        at.app.main_screen.show_pane("positions")
        at.clock.pass_by(14.0)
        at.port.put(Table.LINKS, "private", LinkRow(name="private", state=LinkState.DOWN, last_frame=at.clock.at - 14))
        await at.settle()
        at.app.main_screen.tick()
        await at.settle()
        title = at.line_with("3 Positions", "STALE")
        for name in ("2 Orders", "4 Assets", "5 ADL", "Fills", "Events", "P&L", "Risk"):
            assert name in title
        put_algo(at, "7001")
        await at.settle()
        title = at.line_with("3 Positions", "STALE")
        assert "2 Orders 3+1 1(A)│" in title and "Events" in title, title


async def test_footer_names_the_open_prompt_or_form() -> None:
    async with desk(120, 36) as at:
        await at.press("3", "X")
        assert at.text().split("\n")[-1].startswith(" Kill  ")
        await at.press("escape")
        assert at.text().split("\n")[-1].startswith(" Positions  ")
        await at.press("1", "p")
        assert at.text().split("\n")[-1].startswith(" Form  ")


async def test_footer_shows_the_help_key_on_a_small_terminal() -> None:
    async with desk(80, 24) as at:
        for pane in ("1", "2", "3"):
            await at.press(pane)
            assert "? help" in at.text().split("\n")[-1]


async def test_the_text_of_an_empty_list_starts_at_the_first_column() -> None:
    async with desk(120, 36) as at:
        await at.press("2", "/", *"nothing", "enter")
        header, said = at.line_with("state", "intent"), at.line_with("the filter nothing hides all")
        assert header.index("state") == said.index("the filter")


def test_wrapped_prompt_choices_have_a_hanging_indent() -> None:
    assert hang("cancel entries; keep closing orders", 20, 2) == ["cancel entries; keep", "  closing orders"]
    assert hang("one", 20, 2) == ["one"] and hang("", 20, 2) == [""]
