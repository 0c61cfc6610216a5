"""Sorting, filtering, searching and choosing columns: always by id, never hiding a risk without saying so."""

from __future__ import annotations

import re

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import info
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.plan import PANES
from tui.workstation.model.screen_preferences import ColumnChoice, ScreenPreferences, StoredPreferences
from tui.workstation.settings import WorkstationSettings
from tui.workstation.table.row_filter import BadFilter, FilterFacts, parse

BTC, OKX = "BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT"


def title(at: Desk, name: str) -> str:
    return next(line for line in at.text().split("\n") if name in line)


def keys(at: Desk, pane: str) -> list[str]:
    return list(at.app.main_screen.tables[pane]._keys)


# The language


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("", True), ("sym:btc", True), ("SYM:BTC", True), ("sym:eth", False), ("!sym:eth", True), ("side:buy", True),
        ("side:sell", False), ("state:open", True), ("state:unknown", False), ("venue:okx", True), ("age<5m", True),
        ("age<4m", False), ("age>=299s", True), ("qty>1", True), ("qty<=1", False), ("qty=25", True), ("word", True),
        ("WORD", True), ("absent", False), ("!absent", True), ("sym:btc !side:sell qty>1 word", True),
        ("sym:btc side:sell", False), ("btc", True),
    ],
)  # fmt: skip
def test_a_list_filter_shows_rows_that_match_all_its_terms(text: str, passes: bool) -> None:
    from decimal import Decimal

    facts = FilterFacts(
        text="some Word", sym=OKX, side="BUY", state="PARTIALLY_FILLED", venue="OKX", age=Decimal(299), qty=Decimal(25)
    )
    assert parse(text).passes(facts) is passes


@pytest.mark.parametrize("text", ["age<5m", "qty>0", "qty<9"])
def test_a_list_filter_comparison_rejects_a_missing_value(text: str) -> None:
    assert not parse(text).passes(FilterFacts(text=""))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("age<x", "age<5m"), ("age<5", "age<5m"), ("qty>5m", "qty>1.5"), ("qty>1,5", "qty>1.5"), ("foo:b", "foo is no"),
        ("sym:", "sym:btc"), ("!", "inverts"), ("price>3", "price cannot be compared"), ("x" * 300, "at most 200"),
    ],
)  # fmt: skip
def test_an_invalid_list_filter_is_rejected_with_valid_options(text: str, names: str) -> None:
    with pytest.raises(BadFilter, match=names):
        parse(text)


# Sorting


@pytest.mark.drawn
async def test_column_sort_is_numeric_with_missing_values_last() -> None:
    async with desk(120, 36) as at:
        at.port.order("a9", BTC, "BUY", "9.0", "0.002")
        at.port.order("a10", BTC, "BUY", "10.0", "0.010")
        at.port.order("mkt", BTC, "BUY", "", "0.001", order_type="MARKET")
        await at.settle()
        await at.press("2", ",", ",", ",", ",")
        table = at.app.main_screen.tables["orders"]
        assert table.pane.sorting is not None and table.pane.sorting.column == "price"
        down = keys(at, "orders")
        assert down[-1] == "mkt" and down.index("a10") < down.index("a9"), "10 is more than 9"
        assert "price ↓" in title(at, "2 Orders")
        await at.press(";")
        up = keys(at, "orders")
        assert up[-1] == "mkt" and up.index("a9") < up.index("a10")
        assert up[:-1] == down[:-1][::-1]


async def test_the_cursor_stays_on_its_row_when_the_sort_order_changes() -> None:
    async with desk(120, 36) as at:
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        for _ in range(14):
            await at.press(",")
            assert at.app.main_screen.tables["orders"].selected == "o3"
            await at.press(";")
            assert at.app.main_screen.tables["orders"].selected == "o3"


async def test_sort_key_after_the_last_column_restores_default_order() -> None:
    async with desk(120, 36) as at:
        await at.press("2")
        own = keys(at, "orders")
        shown = len(at.app.main_screen.tables["orders"].column_ids())
        await at.press(*[","] * shown)
        assert "· TIF" in title(at, "2 Orders")
        await at.press(",")
        assert "· TIF" not in title(at, "2 Orders") and keys(at, "orders") == own


@pytest.mark.drawn
async def test_sorting_a_pane_by_any_column_loses_no_row() -> None:
    async with desk(160, 45) as at:
        for name, table in at.app.main_screen.tables.items():
            table.settle()
            before = set(table._keys)
            for field in table.pane.fields:
                table.pane.choose(ColumnChoice((field,)))
                table.rearrange()
                assert name in ("fills", "events") or set(table._keys) == before
            rounds = 0
            table.pane.sort_next(table.columns)
            while table.pane.sorting is not None:
                assert table.pane.sort_back()
                table.rearrange()
                assert name in ("fills", "events") or set(table._keys) == before
                rounds += 1
                table.pane.sort_next(table.columns)
            assert rounds >= len(table.column_ids()) - 1


async def test_a_number_typed_on_a_list_does_not_sort_it() -> None:
    async with desk(120, 36) as at:
        await at.press("1")
        table = at.app.main_screen.tables["quotes"]
        usual = list(table._keys)
        await at.press("2")
        await at.type("1,000")
        await at.settle()
        assert "symbol ↑" not in at.text()
        at.clock.pass_by(2)
        await at.press("1", "j")
        at.clock.pass_by(2)
        await at.press(",", ",", ";")
        assert " ↑" in at.text() or " ↓" in at.text()
        await at.press("backspace")
        assert table.pane.sorting is None and list(table._keys) == usual


async def test_rows_with_equal_sort_values_are_ordered_by_symbol() -> None:
    async with desk(120, 36) as at:
        for sym in ("BINANCE_PERP_SOL_USDT", BTC, "BINANCE_PERP_ETH_USDT"):
            at.port.order(f"x{sym}", sym, "BUY", "77.0", "1")
        await at.settle()
        await at.press("2", ",", ",", ",", ",")
        found = [key for key in keys(at, "orders") if key.startswith("x")]
        assert found == sorted(found)


@pytest.mark.drawn
async def test_sorted_quotes_show_the_venue_on_every_row() -> None:
    async with desk(160, 45) as at:
        await at.press("1", ",", ",", ",")
        lines = at.lines_of("quotes")
        assert any("BTC perp EDX" in line for line in lines) and not any("  EDX " in line for line in lines)


# Filter


async def test_a_list_filter_counts_hidden_rows_and_keeps_full_totals() -> None:
    async with desk(160, 45) as at:
        await at.press("2", "/", *"venue:okx")
        assert at.scope() is Scope.FILTER
        await at.press("enter")
        assert keys(at, "orders") == ["o4"]
        line = title(at, "2 Orders")
        assert "/venue:okx" in line and "3 hidden" in line and "3 working" in line
        await at.press("3", "/", *"sym:eth", "enter")
        line = title(at, "3 Positions")
        assert "2 hidden" in line and "+2,129.50" in line, "the total is of all legs"
        await at.press("escape")
        assert len(keys(at, "positions")) == 3


async def test_digits_and_commas_are_text_in_a_list_filter() -> None:
    async with desk(120, 36) as at:
        await at.press("2", "/", *"qty>=25,;0X")
        assert at.scope() is Scope.FILTER
        assert at.app.main_screen.filter_field.value == "qty>=25,;0X"
        assert "qty>1.5" in at.text(), "what is wrong stands in the title while it is typed"
        assert at.port.intents == [] and len(keys(at, "orders")) >= 1
        await at.press("escape")
        assert at.scope() is Scope.ORDERS and len(keys(at, "orders")) == 4


async def test_ctrl_g_opens_the_kill_prompt_while_a_filter_is_typed() -> None:
    async with desk(120, 36) as at:
        await at.press("2", "/", "b", "ctrl+g")
        assert at.scope() is Scope.KILL
        await at.press("escape")
        await at.settle()
        assert at.scope() is Scope.FILTER


async def test_esc_in_the_filter_field_restores_the_previous_filter() -> None:
    async with desk(120, 36) as at:
        await at.press("2", "/", *"okx", "enter", "/", *"zzz")
        assert keys(at, "orders") == []
        assert "the filter" in at.text() and "hides all" in at.text()
        await at.press("escape")
        assert keys(at, "orders") == ["o4"]


async def test_a_list_filter_applies_to_later_orders_too() -> None:
    async with desk(120, 36) as at:
        await at.press("2", "/", *"side:sell", "enter")
        assert keys(at, "orders") == ["o2"]
        at.port.order("new", BTC, "SELL", "65000.0", "1")
        at.port.order("buy", BTC, "BUY", "63000.0", "1")
        await at.settle()
        assert set(keys(at, "orders")) == {"o2", "new"}
        await at.press("escape", "/", *"age<2m", "enter")
        assert "buy" in keys(at, "orders")
        at.clock.pass_by(180)
        at.app.main_screen.tick()
        await at.settle()
        assert "buy" not in keys(at, "orders"), "time alone moves a row out"


@pytest.mark.parametrize(("width", "height"), [(40, 10), (60, 20), (80, 24), (20, 5)])
async def test_a_list_filter_can_be_typed_on_small_screens(width: int, height: int) -> None:
    async with desk(width, height) as at:
        await at.press("2", "/", *"okx")
        if height > 5:
            assert "okx" in at.text()
        await at.press("enter", "escape", "0", "0", "|", "escape")
        await at.pilot.resize_terminal(20, 5)
        await at.settle()
        await at.press("/", "x", "enter")
        assert at.port.intents == []


# Symbols


async def test_a_symbol_found_by_search_is_added_to_quotes_and_saved() -> None:
    kept: list[bytes] = []
    settings = WorkstationSettings(bell=False, quotes=[BTC, "BINANCE_SPOT_BTC_USDT"])
    async with desk(120, 36, settings=settings, save_preferences=kept.append) as at:
        assert set(keys(at, "quotes")) == {BTC, "BINANCE_SPOT_BTC_USDT"}
        await at.press("1", "/", *"sol")
        assert keys(at, "quotes") == ["BINANCE_PERP_SOL_USDT"], "found among all symbols"
        await at.press("enter")
        assert at.app.main_screen.tables["quotes"].selected == "BINANCE_PERP_SOL_USDT"
        assert len(keys(at, "quotes")) == 3, "the search has ended, the symbol stays"
        assert "BINANCE_PERP_SOL_USDT" in msgspec.json.decode(kept[-1], type=StoredPreferences).quotes
        await at.press("delete")
        assert len(keys(at, "quotes")) == 2
        assert "BINANCE_PERP_SOL_USDT" not in msgspec.json.decode(kept[-1], type=StoredPreferences).quotes


@pytest.mark.parametrize("sym", ["OKX_PERP_BTC_USDT", "BINANCE_SPOT_ETH_USDT"])
async def test_the_search_named_when_a_pair_is_removed_restores_it(sym: str) -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g")
        quotes = at.app.main_screen.tables["quotes"]
        while quotes.selected != sym:
            await at.press("j")
        await at.press("delete")
        assert sym not in keys(at, "quotes")
        said = re.search(r"was removed from the quotes: / then (.+) then Enter brings it back", at.events()[-1])
        assert said is not None
        await at.press("/", *said[1], "enter")
        assert quotes.selected == sym and sym in keys(at, "quotes")


async def test_a_quotes_search_moves_the_cursor_to_a_listed_symbol() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "/", *"spot eth", "enter")
        assert at.app.main_screen.tables["quotes"].selected == "BINANCE_SPOT_ETH_USDT"
        assert len(keys(at, "quotes")) == 13 and at.scope() is Scope.QUOTES
        await at.press("/", *"venue:okx", "enter")
        assert set(keys(at, "quotes")) == {OKX, "OKX_SPOT_BTC_USDT", "OKX_PERP_ETH_USDT"}, "a term with a field stays"


async def test_the_quotes_list_90_pairs_at_most_and_search_finds_all() -> None:
    async with desk(120, 36) as at:
        for count in range(300):
            sym = f"BINANCE_PERP_C{count:03}_USDT"
            at.port.put(Table.SYMBOLS, sym, info(sym, "0.1", "0.001"))
        await at.settle()
        shown = at.app.panes.quotes.list_shown_syms()
        assert len(shown) <= 90 and {BTC, OKX, "BINANCE_PERP_ETH_USDT"} <= shown, "what is held is always there"
        await at.press("1", "/", *"c299", "enter")
        assert at.app.main_screen.tables["quotes"].selected == "BINANCE_PERP_C299_USDT"


# Columns


async def test_chosen_columns_show_at_once_and_are_saved() -> None:
    kept: list[bytes] = []
    async with desk(120, 36, save_preferences=kept.append) as at:
        table = at.app.main_screen.tables["quotes"]
        assert "own ~ahead" not in at.text() and "mark" in table.column_ids()
        at_mark, at_own = list(table.pane.fields).index("mark"), list(table.pane.fields).index("own")
        await at.press("1", "|", *["j"] * at_own, "space")
        assert at.scope() is Scope.COLUMNS and "own" in table.column_ids()
        await at.press(*["j"] * (at_mark - at_own), "space")
        assert "mark" not in table.column_ids()
        await at.press("escape")
        assert "own ~ahead" in at.text() and at.scope() is Scope.QUOTES
        found = msgspec.json.decode(kept[-1], type=StoredPreferences).columns["quotes"]
        assert "own" in found and "-mark" in found
        preferences = ScreenPreferences({}, [], kept[-1])
        table.pane.choose(preferences.choice("quotes"))
        assert "own" in {column.id for column in table.pane.columns(118)}
        await at.press("|", "r", "enter")
        assert at.scope() is Scope.QUOTES
        assert "mark" in table.column_ids() and "own" not in table.column_ids()


async def test_columns_in_the_settings_apply_and_bad_ones_are_named() -> None:
    settings = WorkstationSettings(bell=False, columns={"orders": ["id", "-queue"], "quotes": ["bidd"], "orderz": []})
    async with desk(120, 36, settings=settings) as at:
        ids = at.app.main_screen.tables["orders"].column_ids()
        assert "id" in ids and "queue" not in ids
        said = " ".join(at.events())
        assert "quotes has no column 'bidd'" in said and "'orderz' is not a pane" in said


def test_unreadable_saved_preferences_fall_back_to_settings() -> None:
    for kept in (b"{", b"[]", b'{"version": 1, "columns": 5}', b"\xff"):
        choices = ScreenPreferences({"orders": ["id"]}, [BTC], kept)
        assert choices.unreadable and choices.columns == {"orders": ["id"]} and choices.quotes == [BTC]


# Views, zoom, marks


async def test_views_of_the_orders_pane_filter_by_state_and_kind() -> None:
    async with desk(120, 36) as at:
        at.port.order("tp", BTC, "BUY", "1.0", "1", sl_trigger="63000", algo_id="77", since=at.clock.at)
        at.port.order("old", BTC, "BUY", "1.0", "1", state="FILLED", final=True, since=at.clock.at - 500)
        await at.settle()
        await at.press("2")
        found = []
        for _ in range(6):
            found.append(set(keys(at, "orders")))
            await at.press(")")
        assert found[0] == {"o1", "o2", "o3", "o4", "tp"}
        assert found[1] == {"o1", "o2", "o3", "o4", "tp", "old"}
        assert found[2] == found[3] == {"tp"} and found[4] == {"o1"}
        assert set(keys(at, "orders")) == found[0]
        await at.press("(", "(")
        assert "· unknown" in title(at, "2 Orders")


async def test_zoom_maximizes_one_pane_and_back() -> None:
    async with desk(160, 45) as at:
        await at.press("3", "0")
        desk_screen = at.app.main_screen
        assert desk_screen.tables["positions"].size.width == 160 and not desk_screen.tables["quotes"].display
        first = at.text().split("\n")[0]
        assert "PAPER" in first and "UNK 1" in first, "what keeps a trader safe stays"
        await at.press("2")
        assert desk_screen.tables["orders"].size.width == 160
        await at.press("escape")
        widths = {name: table.size.width for name, table in desk_screen.tables.items() if table.display}
        assert widths["quotes"] == 160 and widths["orders"] == 160


async def test_marks_of_order_rows_stay_with_the_order_and_end_with_it() -> None:
    async with desk(120, 36) as at:
        table = at.app.main_screen.tables["orders"]
        await at.press("2", "g", "g", "space", "space")
        assert table.marked == {"o1", "o2"} and "2 marked" in title(at, "2 Orders")
        at.port.put(Table.ORDERS, "o1", None)
        await at.settle()
        assert table.marked == {"o2"}
        await at.press("escape")
        assert table.marked == set()
        assert at.scope().value == "orders"
        await at.press("g", "g", "v", "G", "v")
        assert table.marked == {"o2", "o3", "o4"}
        assert at.port.intents == []


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30), (120, 36)])
async def test_the_name_of_the_visible_tab_is_never_cut_in_its_title(size: tuple[int, int]) -> None:
    """Also beside the place in a list that is longer than its box."""
    async with desk(*size) as at:
        for count in range(120):
            at.port.event(f"event number {count}")
        await at.settle()
        screen = at.app.main_screen
        for name in PANES:
            table = screen.tables[name]
            screen.show_pane(name)
            await at.settle()
            title = at.text().split("\n")[table.region.y]
            pane = table.pane
            tab = f"{pane.number} {pane.title}" if pane.number else pane.title
            area = screen.plan.area_of(name)
            assert area is not None
            assert (f"{tab} {pane.short()}" if len(area.panes) > 1 else tab) in title, title
            if name == "events":
                assert f"of {table.row_count}" in title


@pytest.mark.parametrize(("pane", "typed"), [("1", "sol"), ("1", "zzzz"), ("2", "eth"), ("2", "zzzz")])
async def test_escape_from_a_filter_leaves_the_cursor_where_it_was(pane: str, typed: str) -> None:
    """It stood on the first match then, and the next key meant another pair."""
    async with desk(120, 36) as at:
        await at.press(pane, "g", "j", "j")
        table = at.app.main_screen.table
        assert table is not None
        before = table.selected
        await at.press("/", *typed, "escape")
        await at.settle()
        assert before is not None and table.selected == before and at.app.main_screen.table is table
