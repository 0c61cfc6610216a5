"""Screens beside the desk: how one is entered and left, what it keeps, and what stays in view on it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.commands.all_kinds import KINDS
from tui.engine.event_line import EventLine, Level
from tui.engine.rows import AccountCommandRow, CommandState
from tui.workstation.app.screen_registry import FULL_SCREENS
from tui.workstation.features.fees import tabs as fee_tabs
from tui.workstation.features.funds import pane as funds_pane
from tui.workstation.features.loans import tabs as loan_tabs
from tui.workstation.features.overview.pane import OverviewPane
from tui.workstation.features.portfolios import tabs as portfolio_tabs
from tui.workstation.input.actions import ACTIONS
from tui.workstation.input.scopes import Scope
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.screen_preferences import StoredPreferences
from tui.workstation.widgets.full_screen import FullScreen

SIZES = ((80, 24), (120, 36), (160, 45), (200, 60), (60, 20), (40, 10))


def tell(at: Desk, text: str, level: Level = Level.INFO, key: str = "") -> None:
    """The engine tells of something."""
    at.port.updates.put_event(EventLine(wall_ms=int(at.clock.wall() * 1000), level=level, text=text, key=key))


def shown(at: Desk) -> FullScreen:
    """The screen that stands in the place of the desk."""
    assert isinstance(at.app.screen, FullScreen)
    return at.app.screen


def rows(at: Desk) -> list[str]:
    """Texts of the events in the list, as the filter and the view leave them."""
    table = shown(at).live_table
    return [table.pane.row(key).event.text for key in table._keys]  # type: ignore[union-attr]


@pytest.mark.parametrize("endpoint", sorted(name for name, kind in KINDS.items() if kind.moves_money))
def test_each_command_that_moves_money_is_listed_on_one_screen(endpoint: str) -> None:
    """Where it is not listed, one with an unknown outcome could not be dismissed."""
    row = AccountCommandRow(id="1", endpoint=endpoint, title="", state=CommandState.UNKNOWN, sent_ms=1, changed_ms=1)
    view = cast(DisplayContext, SimpleNamespace(mirror=SimpleNamespace(commands={"1": row})))
    tabs = (funds_pane.SENT, loan_tabs.SENT, portfolio_tabs.SENT_TAB, fee_tabs.SENT)
    assert [tab.name for tab in tabs if list(tab.rows(view)) == [row]] == ["sent"]


async def test_the_help_of_a_full_screen_names_no_key_of_another() -> None:
    """`Del` for UNKNOWN rows stood in the help of screens that never list one."""
    async with desk(160, 45) as at:
        for screen in FULL_SCREENS:
            at.app.controllers.screens.enter_or_leave(screen)
            await at.settle()
            dispatch, table = at.app.dispatch, at.app.context.table
            assert table is not None
            blocks = at.app.controllers.blocks()
            reasons = [block for table_blocks in blocks for block in table_blocks.items()]
            own = {action.id: action for action in dispatch.hints.list_actions(at.scope())}
            refused = {name: block(table) for name, block in reasons if name in own}
            foreign = [
                name for name, why in refused.items() if why.startswith("only ") and own[name].only_on != table.pane.id
            ]
            assert foreign == [], screen
            await at.press("?")
            page = at.text().split(" Orders stay live")[0]
            assert ("dismiss an UNKNOWN" in page) is ("order.dismiss" in own), screen
            await at.press("escape")


def test_every_full_screen_has_a_key() -> None:
    opening = {action.id: action for action in ACTIONS if action.id in FULL_SCREENS}
    assert opening.keys() == FULL_SCREENS.keys()
    assert all(action.keys and action.group == "screen" and action.title for action in opening.values())


WAYS_IN, WAYS_OUT = ((), ("2",), ("b",), ("3", "0")), ("escape", "q", "same")
WALKS = [
    pytest.param(action_id, keys, back, marks=() if (at + way) % len(WAYS_OUT) == turn else pytest.mark.nightly)
    for at, action_id in enumerate(FULL_SCREENS)
    for way, keys in enumerate(WAYS_IN)
    for turn, back in enumerate(WAYS_OUT)
]
"""Every screen by every way in and out; by default each way in once for a screen, and every way out."""


@pytest.mark.parametrize(("action_id", "keys", "back"), WALKS)
async def test_a_full_screen_opens_by_key_and_restores_the_focus(
    action_id: str, keys: tuple[str, ...], back: str
) -> None:
    async with desk(120, 36) as at:
        await at.press(*keys)
        before, focused = at.scope(), at.app.focused
        if keys == ("b",) and action_id == "screen.fees":
            return  # $ begins a size there
        key = at.app.keymaps.keymap.of(action_id)[0]
        await at.press(key)
        assert at.scope() is Scope.SCREEN
        if keys == ("b",) and back == "escape":
            await at.press(back)
            assert at.scope() is Scope.SCREEN and not at.app.main_screen.panel.open, "Esc drops the paused ticket first"
            return
        await at.press(key if back == "same" else back)
        assert at.app.screen is at.app.main_screen and at.port.intents == []
        if keys == ("b",):
            assert at.scope() is Scope.QUOTES and at.app.main_screen.panel.paused, "Tab goes on with the ticket"
            return
        assert (at.scope(), at.app.focused) == (before, focused)


async def test_columns_can_be_chosen_on_every_full_screen() -> None:
    kept: list[bytes] = []
    async with desk(120, 36, save_preferences=kept.append) as at:
        for action_id in FULL_SCREENS:
            kept.clear()
            await at.press(at.app.keymaps.keymap.of(action_id)[0])
            table = shown(at).live_table
            before = table.column_ids()
            await at.press("|")
            assert at.scope() is Scope.COLUMNS
            await at.press("space")
            assert (table.column_ids() == before) is (len(before) == 1), action_id
            await at.press("escape")
            assert at.scope() is Scope.SCREEN and at.app.screen is shown(at)
            found = msgspec.json.decode(kept[-1], type=StoredPreferences).columns if kept else {}
            assert len(before) == 1 or list(found)[-1] == table.pane.columns_id, action_id
            assert at.app.preferences.check_columns(table.pane.column_names()) == []
            await at.press("escape")


async def test_a_full_screen_opened_by_palette_keeps_the_open_ticket() -> None:
    async with desk(120, 36) as at:
        await at.press("b", "2")
        await at.press("ctrl+p", *"own", "enter")
        assert at.scope() is Scope.SCREEN and at.app.main_screen.panel.paused
        await at.press("q")
        assert at.scope() is Scope.QUOTES and at.app.main_screen.panel.paused
        await at.press("tab")
        assert at.scope() is Scope.PREVIEW and at.app.main_screen.panel.size_field.value == "2"
        assert not at.app.main_screen.panel.end_reason and not at.app.main_screen.panel.paused


@pytest.mark.drawn
async def test_a_full_screen_keeps_cursor_filter_view_and_sort() -> None:
    async with desk(120, 36) as at:
        for count in range(9):
            tell(at, f"order event {count}", key="o3")
            tell(at, f"link event {count}", Level.WARN)
        await at.settle()
        await at.press("E", ")", "/", *"event", "enter", "k", "k", ",")
        table = shown(at).live_table
        kept = (table.selected, table.pane.filter.text, table.pane.view_at, table.pane.sorting)
        assert kept[1:3] == ("event", 1) and kept[3] is not None
        await at.press("3")
        tell(at, "order event 9", key="o3")
        await at.settle()
        assert table.is_running, "it is kept, not taken apart"
        await at.press("E")
        assert (table.selected, table.pane.filter.text, table.pane.view_at, table.pane.sorting) == kept
        assert "order event 9" in rows(at)


async def test_a_filter_being_typed_is_dropped_on_leaving_its_screen() -> None:
    async with desk(120, 36) as at:
        await at.press("E", "/", *"sent", "ctrl+p", *"orders", "enter")
        assert at.scope() is Scope.ORDERS
        await at.press("/", *"buy", "escape", "E")
        assert at.scope() is Scope.SCREEN and shown(at).filtered is None


async def test_rows_and_events_keep_updating_behind_a_full_screen() -> None:
    async with desk(120, 36) as at:
        await at.press("E")
        at.clock.pass_by(1.0)
        tell(at, "told while it is shown")
        at.port.quote("BINANCE_PERP_BTC_USDT", "64005.0", "64005.3", "2.105", "0.870", "64001.0")
        at.port.set_desk(unknown=7)
        await at.settle()
        before = EventLine(wall_ms=int(at.clock.wall() * 1000) - 20, level=Level.INFO, text="a fill before it")
        at.port.updates.put_event(before)  # those of the engine come a moment later than those of the screen
        await at.settle()
        assert rows(at)[-2:] == ["a fill before it", "told while it is shown"] and "UNK 7" in at.text()
        assert at.text().count("told while it is shown") == 2, "in the list and in the line of the newest events"
        await at.press("escape")
        await at.settle()
        assert "64,005.0" in at.line_of("quotes", "BINANCE", "64,005.3")


@pytest.mark.parametrize(("width", "height"), SIZES)
async def test_header_and_kill_key_stay_visible_on_a_full_screen(width: int, height: int) -> None:
    async with desk(width, height) as at:
        tell(at, "newest")
        await at.press("E")
        await at.settle()
        lines = at.text().split("\n")
        assert "PAPER" in lines[0] and "newest" in lines[-2] and "X kill" in lines[-1]
        assert "Own events" in lines[shown(at).plan.status.height] and all(len(line) == width for line in lines)
        await at.press("X")
        assert at.scope() is Scope.KILL
        await at.press("escape", "a")
        assert at.port.states and at.scope() is Scope.SCREEN


async def test_panes_follow_a_resize_made_while_a_full_screen_is_open() -> None:
    async with desk(120, 36) as at:
        await at.press("E")
        await at.pilot.resize_terminal(80, 24)
        await at.settle()
        assert len(at.text().split("\n")[0]) == 80
        await at.press("escape")
        await at.settle()
        assert at.app.main_screen.plan.status.height == 2 and at.app.main_screen.tables["quotes"].region.right == 80
        await at.press("E")
        await at.pilot.resize_terminal(30, 8)
        await at.settle()
        assert "too small" in at.text()
        await at.pilot.resize_terminal(120, 36)
        await at.settle()
        assert at.scope() is Scope.SCREEN
        await at.press("escape")
        assert at.scope() is Scope.QUOTES


async def test_a_reopened_full_screen_follows_a_resize() -> None:
    """It stays as it was made and is told of no size while it is not shown."""
    async with desk(120, 36) as at:
        await at.press("E", "escape")
        await at.pilot.resize_terminal(80, 24)
        await at.settle()
        await at.press("E")
        await at.settle()
        lines = at.text().split("\n")
        assert {len(line) for line in lines} == {80} and lines[2].endswith("┑") and "X kill" in lines[-1]
        await at.press("escape")
        await at.pilot.resize_terminal(160, 45)
        await at.settle()
        await at.press("E")
        await at.settle()
        assert at.text().split("\n")[1].endswith("┑")


@pytest.mark.parametrize(("key", "scope"), [("1", Scope.QUOTES), ("2", Scope.ORDERS), ("5", Scope.ADL)])
async def test_a_digit_on_a_full_screen_goes_to_the_pane_it_numbers(key: str, scope: Scope) -> None:
    async with desk(120, 36) as at:
        await at.press("E", key)
        assert at.scope() is scope


async def test_a_trading_key_on_a_full_screen_says_where_it_works() -> None:
    async with desk(120, 36) as at:
        await at.press("E", "B")
        assert at.scope() is Scope.SCREEN and at.events()[-1].startswith(
            "B (buy at best ask) works in Quotes or Positions"
        )


async def test_enter_on_an_event_opens_the_card_of_its_order() -> None:
    async with desk(160, 45) as at:
        tell(at, "accepted", Level.GOOD, "o4")
        tell(at, "amended", key="9o3")
        tell(at, "the link is down", Level.ALERT)
        await at.settle()
        await at.press("E", "G")
        await at.press("enter")
        assert at.scope() is Scope.HELP and "the link is down" in at.text() and "alert" in at.text()
        await at.press("escape", "k", "enter")
        assert at.scope() is Scope.HELP and "client id" in at.text() and "o3" in at.text()
        at.port.order(
            "o3", "BINANCE_PERP_BTC_USDT", "BUY", "63998.0", "0.250", executed="0.200", state="PARTIALLY_FILLED"
        )
        await at.settle()
        assert "filled 0.200" in at.text(), "the card follows its order"
        await at.press("escape")
        assert at.scope() is Scope.SCREEN


async def test_events_filter_matches_event_text_and_order_fields() -> None:
    async with desk(120, 36) as at:
        at.app.mirror.event_log.events.clear()
        tell(at, "accepted", Level.GOOD, "o4")
        tell(at, "amended", key="o3")
        tell(at, "slow", Level.WARN)
        await at.settle()
        await at.press("E")
        for typed, left in (
            ("amended", ["amended"]),
            ("state:warn", ["slow"]),
            ("sym:okx", ["accepted"]),
            ("side:buy", ["accepted", "amended"]),
            ("venue:binance", ["amended"]),
            ("age>1h", []),
            ("!sym:okx state:info", ["amended"]),
        ):
            await at.press("/", "ctrl+u", *typed, "enter")
            assert rows(at) == left, typed


async def test_the_views_of_events_are_tabs_for_keys_and_mouse() -> None:
    async with desk(120, 36) as at:
        at.app.mirror.event_log.events.clear()
        tell(at, "of an order", key="o3")
        tell(at, "of a link", Level.ALERT)
        await at.settle()
        await at.press("E", ")")
        assert rows(at) == ["of an order"] and "│ orders 1 │" in at.text()
        await at.press(")")
        assert rows(at) == ["of a link"]
        await at.press("(", "(")
        assert len(rows(at)) == 2
        line = at.text().split("\n")[1]
        await at.click(line.index("warnings") + 1, 1)
        assert rows(at) == ["of a link"]
        await at.press("y")
        assert at.app.clipboard.endswith("of a link")


async def test_keys_named_on_a_full_screen_are_only_its_own() -> None:
    """`e edit` and `c cancel` are of the algo orders, `o ask` of the history; each does nothing elsewhere."""
    own = {"E": (), "H": ("o ask", "x executed"), "A": ("e edit", "c cancel"), "R": ()}
    async with desk(160, 45) as at:
        for key, wanted in own.items():
            await at.press(key)
            line = at.text().split("\n")[-1]
            others = [words for screen, words in own.items() if screen != key]
            assert all(word in line for word in wanted), key
            assert not [word for words in others for word in words if word in line], key
            await at.press("escape")


@pytest.mark.parametrize("width", [80, 120, 160])
async def test_no_tab_name_of_a_full_screen_is_cut(width: int) -> None:
    """A remark behind the tabs of the fees cut their names to `por`, `col`, `cle`, `as`."""
    async with desk(width, 45) as at:
        for key in "$HWDVPA":
            await at.press(key)
            await at.settle()
            heading = shown(at).pane.title
            title = next(line for line in at.text().split("\n") if f" {heading} │" in line)
            names = [part.strip("‹› ─┍┑") for part in title.partition(" · ")[0].split("│")[1:]]
            known = set(shown(at).pane.views)
            assert len(names) > 1 and all(name in known or name.rpartition(" ")[0] in known for name in names), title
            await at.press("escape")


@pytest.mark.parametrize(("width", "presses"), [(80, 0), (120, 0), (120, 4), (160, 3), (200, 8)])
async def test_tabs_without_room_are_left_out_from_the_farthest_on(width: int, presses: int) -> None:
    """Cut to three letters, `accounts` and `account` were both `acc`, and two more were `in`."""
    async with desk(width, 45) as at:
        await at.press("V", *[")"] * presses)
        await at.settle()
        title = next(line for line in at.text().split("\n") if "All accounts" in line)
        names = [part.strip("‹› ─┍┑") for part in title.partition(" · ")[0].split("│")[1:]]
        known = [tab.name for tab in OverviewPane.tabs]
        shown = known[presses]
        kept = [name.removesuffix(" 0").strip() for name in names]
        assert any(name.startswith(shown) for name in kept)
        assert all(any(name == whole or name.startswith(f"{whole} ") for whole in known) for name in kept), title
        assert ("‹" in title) == (not kept[0].startswith(known[0]) and len(kept) > 1), title
        assert ("›" in title) == (not kept[-1].startswith(known[-1]) and len(kept) > 1), title


async def test_tab_shows_the_next_list_of_a_full_screen() -> None:
    """It did nothing and said nothing there, and at 80 columns no other key of the lists is in sight."""
    async with desk(80, 24) as at:
        await at.press("H")
        pane = shown(at).live_table.pane
        visited = [pane.view_at]
        for key in ("tab", "tab", "shift+tab"):
            await at.press(key)
            visited.append(pane.view_at)
        assert visited == [0, 1, 2, 1]
