"""The list of layouts: shown at once, kept or left, saved under a name, and read again at the next start."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import SYMBOLS
from tui.engine.rows import DepthRow, Table
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.presets import PRESETS
from tui.workstation.model.screen_preferences import StoredPreferences
from tui.workstation.settings import WorkstationSettings
from tui.workstation.widgets.list_modal import ListBody

SIZES = [(160, 45), (80, 24), (40, 10)]


def layout_of(at: Desk) -> str:
    return at.app.main_screen.layout_in_use.name


@pytest.mark.parametrize("size", SIZES)
async def test_the_layout_under_the_cursor_of_the_choice_shows_at_once(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("f3")
        assert at.scope() is Scope.LAYOUTS and layout_of(at) == "trade"
        for preset in PRESETS[1:]:
            await at.press("j")
            assert layout_of(at) == preset.name
        assert at.kept_preferences().layout == ""
        await at.press("enter")
        assert layout_of(at) == at.kept_preferences().layout == "ladder" and at.scope() is not Scope.LAYOUTS


@pytest.mark.parametrize("pair", [False, True])
async def test_escape_in_the_layout_choice_restores_the_former_layout(pair: bool) -> None:
    async with desk(160, 45) as at:
        await at.press("j", *(("d",) if pair else ()), "1")
        before = at.app.main_screen.plan
        await at.press("f3", "j", "j", "j")
        assert at.app.main_screen.pair.sym
        await at.press("escape")
        assert (at.app.main_screen.plan, layout_of(at), at.kept_preferences().layout) == (before, "trade", "")
        assert bool(at.app.main_screen.pair.sym) is pair and at.scope() is Scope.QUOTES


async def test_a_layout_opens_the_pair_under_the_cursor() -> None:
    async with desk(160, 45) as at:
        await at.press("2")
        box = at.app.main_screen.boxes["orders"]
        sym = box.pane.sym(box.selected or "")
        await at.press("f3", "j", "j", "j", "enter")
        assert at.app.main_screen.pair.sym == sym


@pytest.mark.parametrize("by", ["list", "palette"])
async def test_a_pair_opened_by_a_layout_closes_with_that_layout(by: str) -> None:
    """After ladder and back one pane was shown, with everything as tabs."""
    async with desk(80, 24) as at:
        before = at.app.main_screen.plan.areas
        for name, keys in (("ladder", ("j", "j", "j")), ("trade", ("k", "k", "k"))):
            if by == "list":
                await at.press("f3", *keys, "enter")
            else:
                await at.press("ctrl+p", *"layout", "space", *name, "enter")
            assert layout_of(at) == name
            assert bool(at.app.main_screen.pair.sym) is (name == "ladder")
        assert at.app.main_screen.plan.areas == before


async def test_a_pair_opened_by_hand_stays_open_after_a_layout_change() -> None:
    async with desk(160, 45) as at:
        await at.press("1", "j", "d")
        await at.press("f3", "j", "j", "j", "enter")
        await at.press("f3", "k", "k", "k", "enter")
        assert at.app.main_screen.pair.sym and layout_of(at) == "trade"


async def test_a_layout_is_saved_under_a_new_name_and_deleted() -> None:
    async with desk(160, 45) as at:
        await at.press("f3", "j", "n")
        assert at.scope() is Scope.NAME
        await at.press(*"watch", "enter")
        assert at.scope() is Scope.NAME and "this name is in use: choose another" in at.text()
        await at.press(*"er", "enter")
        assert at.scope() is Scope.LAYOUTS and layout_of(at) == at.kept_preferences().layout == "watcher"
        assert "● watcher" in at.text() and set(at.kept_preferences().layouts) == {"watcher"}
        await at.press("delete")
        assert layout_of(at) == "trade" and at.kept_preferences().layouts == {} and "● watcher" not in at.text()
        await at.press("delete")
        assert "an unchanged shipped layout cannot be deleted" in at.text()


async def test_leaving_the_layout_name_field_saves_no_layout() -> None:
    async with desk(160, 45) as at:
        await at.press("f3", "n", "a", "q", "escape")
        assert at.scope() is Scope.LAYOUTS and at.kept_preferences().layouts == {}
        await at.press("n", "enter")
        assert "type a name" in at.text() and at.scope() is Scope.NAME


@pytest.mark.parametrize("layout", ["watch", "risk", "ladder", "mine"])
async def test_the_layout_in_use_is_restored_at_the_next_start(layout: str) -> None:
    own = msgspec.Raw(msgspec.json.encode(PRESETS[2]))
    stored = msgspec.json.encode(StoredPreferences(layout=layout, layouts={"mine": own}))
    async with desk(160, 45, preferences=stored) as at:
        assert layout_of(at) == layout and at.app.context.main_screen.visible_panes()
        assert bool(at.app.main_screen.pair.sym) is (layout in ("watch", "ladder"))


async def test_the_ladder_waits_for_the_first_quote_of_a_start() -> None:
    stored, sym = msgspec.json.encode(StoredPreferences(layout="ladder")), SYMBOLS[0].sym
    async with desk(160, 45, preferences=stored, filled=False) as at:
        at.port.put(Table.SYMBOLS, sym, SYMBOLS[0])
        await at.settle()
        assert at.port.looked_at is not None and at.port.looked_at.sym == sym
        assert "no prices of" in at.text() and "no book" in at.text()
        bids, asks = (("64001.0", "2"),), (("64001.2", "3"),)
        at.port.put(Table.DEPTH, sym, DepthRow(sym=sym, bids=bids, asks=asks, whole=True, ts=1))
        await at.settle()
        at.port.quote(sym, "64001.0", "64001.2", "2", "3", "64001.0")
        await at.settle()
        lines = at.lines_of("ladder")
        assert any("64,001.0" in line for line in lines) and "no prices of" not in at.text()
        assert "no book" not in at.text()


BAD = {
    "unknown pane": b'{"name":"a","steps":[{"tree":{"type":"place","panes":["weather"]}}]}',
    "no places": b'{"name":"a","steps":[]}',
    "empty": b'{"name":"a","steps":[{"tree":{"type":"split","parts":[]}}]}',
    "twice": b'{"name":"a","steps":[{"tree":{"type":"place","panes":["orders","orders"]}}]}',
    "another file": b'{"name":"a","columns":3}',
    "a number": b"7",
    "deep": b'{"name":"a","steps":[{"tree":' + b'{"type":"split","parts":[' * 90 + b"]}" * 90 + b"}]}",
}


@pytest.mark.parametrize("case", BAD)
async def test_a_saved_layout_that_is_unreadable_is_reported_and_kept(case: str) -> None:
    stored = msgspec.json.encode(StoredPreferences(layout="a", layouts={"a": msgspec.Raw(BAD[case])}))
    async with desk(120, 36, preferences=stored, settings=WorkstationSettings(bell=False)) as at:
        assert layout_of(at) == "trade"
        events = "\n".join(at.events())
        assert "layout 'a' is not usable" in events and "there is no layout 'a': trade is used" in events
        assert at.kept_preferences().layouts == {"a": BAD[case]}, "a newer version may read it"


async def test_preferences_of_a_version_without_layouts_are_read() -> None:
    async with desk(120, 36, preferences=b'{"version":1,"columns":{},"quotes":[]}') as at:
        assert layout_of(at) == "trade" and not at.app.preferences.unreadable


@pytest.mark.parametrize(("key", "scope"), [("f3", Scope.LAYOUTS), ("f8", Scope.THEMES), ("|", Scope.COLUMNS)])
async def test_a_click_in_a_choice_list_moves_its_cursor(key: str, scope: Scope) -> None:
    async with desk(160, 45) as at:
        await at.press(key)
        body = at.app.screen.focused
        assert isinstance(body, ListBody)
        await at.click(body.region.x + 4, body.region.y + 3)
        assert (body.at, at.scope(), at.port.intents) == (2, scope, [])
        await at.click(body.region.x + 4, body.region.bottom - 1)
        assert body.at == 2, "the edge is no line"


async def test_a_click_in_the_palette_moves_its_cursor() -> None:
    async with desk(160, 45) as at:
        await at.press("ctrl+p")
        body = at.app.screen.focused
        assert isinstance(body, ListBody)
        await at.click(body.region.x + 4, body.region.y + 4)
        assert (body.at, at.scope()) == (2, Scope.PALETTE)
