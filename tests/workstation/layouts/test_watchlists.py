"""Watchlists: made of marked pairs, chosen by key and palette, renamed, deleted, and kept."""

from __future__ import annotations

import msgspec

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import SYMBOLS
from tui.workstation.input.scopes import Scope
from tui.workstation.model.screen_preferences import StoredPreferences
from tui.workstation.settings import WorkstationSettings

PAIRS = [row.sym for row in SYMBOLS]
TWO = StoredPreferences(watchlists={"majors": PAIRS[:2], "other": PAIRS[3:4]}, watchlist="majors")


def quoted(at: Desk) -> set[str]:
    return set(at.app.panes.quotes.list_shown_syms())


async def test_marked_pairs_make_a_watchlist_that_esc_and_q_leave() -> None:
    async with desk(160, 45) as at:
        usual = quoted(at)
        await at.press("1", "g", "j", "space", "space")
        await at.press("f5", "n", *"two", "enter")
        assert at.scope() is Scope.WATCHLISTS and len(quoted(at)) == 2 < len(usual)
        assert "● two" in at.text() and at.kept_preferences().watchlist == "two"
        await at.press("escape")
        assert quoted(at) == usual, "Esc goes back to the list before"
        await at.press("Q")
        assert len(quoted(at)) == 2 and "two · 2" in at.lines_of("quotes")[0]
        await at.press("Q")
        assert quoted(at) == usual and at.kept_preferences().quotes == []


async def test_the_watchlist_under_the_cursor_is_quoted_at_once() -> None:
    async with desk(160, 45, preferences=msgspec.json.encode(TWO)) as at:
        assert quoted(at) == set(PAIRS[:2]) and "majors · 2" in at.lines_of("quotes")[0]
        await at.press("f5", "j")
        assert quoted(at) == set(PAIRS[3:4]) and at.kept_preferences().watchlist == "other"
        await at.press("enter")
        assert at.scope() is Scope.QUOTES and quoted(at) == set(PAIRS[3:4])


async def test_a_watchlist_is_renamed_and_deleted() -> None:
    async with desk(160, 45, preferences=msgspec.json.encode(TWO)) as at:
        await at.press("f5", "r", "ctrl+u", *"other", "enter")
        assert "this name is in use: choose another" in at.text()
        await at.press("ctrl+u", *"best", "enter")
        assert set(at.kept_preferences().watchlists) == {"best", "other"} and at.kept_preferences().watchlist == "best"
        await at.press("delete")
        assert set(at.kept_preferences().watchlists) == {"other"} and at.kept_preferences().watchlist == ""
        await at.press("delete")
        assert "the usual list cannot be renamed or deleted" in at.text()


async def test_pairs_are_added_and_removed_in_the_watchlist_in_use() -> None:
    settings = WorkstationSettings(bell=False, quotes=PAIRS[5:8])
    async with desk(160, 45, settings=settings, preferences=msgspec.json.encode(TWO)) as at:
        await at.press("1", "/", *"sol", "enter")
        assert len(quoted(at)) == 3 and len(at.kept_preferences().watchlists["majors"]) == 3
        await at.press("delete")
        assert quoted(at) == set(PAIRS[:2]) == set(at.kept_preferences().watchlists["majors"])
        await at.press("Q", "Q")
        assert quoted(at) == set(PAIRS[5:8]), "the setting stays the usual list"


async def test_layouts_and_watchlists_are_reached_by_the_palette() -> None:
    async with desk(160, 45, preferences=msgspec.json.encode(TWO)) as at:
        await at.press("ctrl+p", *"watchlist other", "enter")
        assert quoted(at) == set(PAIRS[3:4])
        await at.press("ctrl+p", *"layout risk", "enter")
        assert at.app.main_screen.layout_in_use.name == "risk" == at.kept_preferences().layout


async def test_an_empty_watchlist_leaves_the_usual_quotes() -> None:
    stored = msgspec.json.encode(StoredPreferences(watchlists={"empty": []}, watchlist="empty"))
    async with desk(160, 45, preferences=stored) as at:
        assert len(quoted(at)) > 2 and at.app.preferences.watchlist == ""
