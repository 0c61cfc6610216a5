"""How often the whole screen is written: at the start three times at most, and afterwards only when all of it is another."""

from __future__ import annotations

import pytest
from textual.geometry import Size
from textual.screen import Screen

from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal, differences, painted, terminal_of
from tui.engine.modes import TradingState
from tui.workstation.settings import WorkstationSettings

SETTINGS = WorkstationSettings(bell=False, cancel_all_on_quit="never")
TITLES = ("Quotes", "Orders", "Positions")
"""Words of lists from the top to the bottom."""


def whole_pictures(at: Desk) -> int:
    """Writes that hold every part of the screen, since somebody emptied them."""
    written = terminal_of(at).written
    return sum(all(title in text for title in TITLES) for text in written)


async def test_startup_draws_the_full_screen_at_most_three_times() -> None:
    """The first frame, the one that textual asks for itself whenever a screen has come to the front, and one with the
    heights of the first rows.
    """
    async with desk(160, 45, settings=SETTINGS, terminal=EmulatedTerminal) as at:
        await painted(at)
        assert at.app.main_screen.filter_field.is_mounted, "what is mounted after the first frame is there"
        assert whole_pictures(at) <= 3
        assert not differences(at)


async def test_a_change_of_state_or_focus_redraws_no_full_screen() -> None:
    async with desk(160, 45, settings=SETTINGS, terminal=EmulatedTerminal) as at:
        await painted(at)
        written = terminal_of(at).written
        written.clear()
        at.port.set_trading_state(TradingState.VIEW)
        await painted(at)
        assert at.app.title.endswith("VIEW crossdesk")
        assert written and whole_pictures(at) == 0
        await at.press("3")
        await painted(at)
        assert whole_pictures(at) == 0
        assert not differences(at)


async def test_opening_the_filter_field_redraws_the_full_screen_once() -> None:
    """Its layout gives every widget behind it another place in the order, and textual draws those anew."""
    async with desk(160, 45, settings=SETTINGS, terminal=EmulatedTerminal) as at:
        await painted(at)
        terminal_of(at).written.clear()
        await at.press("/", "s", "o", "l")
        await painted(at)
        assert at.app.main_screen.filter_field.display and at.app.main_screen.filter_field.value == "sol"
        assert whole_pictures(at) == 1
        assert not differences(at)


async def test_opening_a_ticket_redraws_no_full_screen() -> None:
    async with desk(160, 45, settings=SETTINGS, terminal=EmulatedTerminal) as at:
        await painted(at)
        for key in ("b", "escape", "b", "e", "escape", "escape"):
            terminal_of(at).written.clear()
            await at.press(key)
            await painted(at)
            assert whole_pictures(at) == 0, key
            assert not differences(at), key


async def test_a_maximized_pane_draws_the_ticket_correctly() -> None:
    async with desk(100, 30, settings=SETTINGS, terminal=EmulatedTerminal) as at:
        await painted(at)
        for key in ("0", "0", "2", "0", "1"):
            await at.press(key)
            await painted(at)
            assert not differences(at), key


async def test_the_line_of_keys_is_right_after_a_key_closed_a_card() -> None:
    async with desk(107, 45, settings=SETTINGS, terminal=EmulatedTerminal, armed=False) as at:
        await at.press("3", "j", "enter", "o")
        await painted(at)
        assert not differences(at)
        assert at.text().split("\n")[-1].startswith(" Positions  X kill  a arm")


async def test_ctrl_l_redraws_the_full_screen() -> None:
    """A terminal that lost its picture shows it again, whatever the program believes to stand there."""
    async with desk(120, 36, settings=SETTINGS, terminal=EmulatedTerminal) as at:
        await painted(at)
        terminal = terminal_of(at)
        terminal.screen.reset()
        terminal.written.clear()
        await at.press("ctrl+l")
        await painted(at)
        assert whole_pictures(at) >= 1
        assert not differences(at)


async def test_a_list_line_redrawn_in_part_is_not_cached() -> None:
    """The compositor draws the middle of a line that says something else now; the rest of it still shows the old one."""
    async with desk(120, 36, settings=SETTINGS, terminal=EmulatedTerminal) as at:
        await painted(at)
        quotes = at.app.main_screen.tables["quotes"]
        known = quotes.recall_line(2)
        assert known is not None and quotes.line_at(2) == known
        quotes._kept.pop(2)
        quotes.render_lines(quotes.region.reset_offset.shrink((0, 10, 0, 10)))
        assert quotes.recall_line(2) is None
        quotes.render_lines(quotes.region.reset_offset)
        assert quotes.recall_line(2) == known


async def test_opening_a_ticket_and_its_form_takes_one_layout_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A field that is shown for the first time needs no second layout, as it never scrolls."""
    laid_out: list[str] = []
    lay_out = Screen._refresh_layout

    def note(screen: Screen[None], size: Size | None = None, scroll: bool = False) -> None:
        laid_out.append(key)
        lay_out(screen, size, scroll)

    async with desk(160, 45, settings=SETTINGS, terminal=EmulatedTerminal) as at:
        await painted(at)
        monkeypatch.setattr(Screen, "_refresh_layout", note)
        for key in ("b", "e"):
            await at.press(key)
            await painted(at)
            assert not differences(at), key
    assert laid_out == ["b", "e"]
