"""The palette: what it finds, in which order, why something cannot be done now, and doing it as its key would."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import info
from tui.engine.intents import Cancel
from tui.engine.modes import TradingState
from tui.engine.rows import PendingAction, Table
from tui.workstation.app.keys.command_palette import MOST_TYPED, PaletteList, PaletteScreen
from tui.workstation.input.actions import ACTIONS, BY_ID
from tui.workstation.input.scopes import Scope
from tui.workstation.input.synonyms import SYNONYMS
from tui.workstation.layouts.plan import PANES
from tui.workstation.model.instruments import full_name
from tui.workstation.settings import WorkstationSettings

SIZES = ((80, 24), (120, 36), (160, 45), (200, 60), (60, 20), (40, 10))


def search(at: Desk, text: str) -> None:
    """Type a text in place of the one that stands there."""
    body(at).edit("ctrl+u")
    body(at).paste(text[:MOST_TYPED])


def body(at: Desk) -> PaletteList:
    """The open palette."""
    assert isinstance(at.app.screen, PaletteScreen)
    return at.app.screen.body


async def find(at: Desk, words: str) -> None:
    """Open the palette and type."""
    await at.press("ctrl+p", *words)


def line_of(at: Desk, title: str) -> str:
    """The line of the list with a title."""
    return next(line for line in at.text().split("\n")[3:] if title in line)


# Finding


async def test_palette_finds_every_action_by_its_title() -> None:
    async with desk(120, 36) as at:
        await at.press("ctrl+p")
        for action in ACTIONS:
            search(at, action.title)
            found = [entry for entry in body(at).matches if entry.id == action.id]
            assert len(found) == 1, action.id
            assert bool(found[0].keys) == bool(action.keys) and (found[0].reason() or found[0].about()), action.id


async def test_palette_finds_screens_panes_views_and_pairs() -> None:
    async with desk(120, 36) as at:
        await at.press("ctrl+p")
        ids = {entry.id for entry in body(at).matches}
        assert {"screen.events", "pane.fills", "pane.risk", "view.orders.2", "pair.BINANCE_MARGIN_BTC_USDT"} <= ids
        panes = [entry.title for entry in body(at).matches if entry.group == "Pane"]
        assert panes == [box.pane.title for box in at.app.main_screen.boxes.values()]
        assert len(panes) == len(PANES) + len(at.app.main_screen.pair.ids)
        await at.press(*"okxsp")
        assert "▸ OKX BTC spot" in at.text()


async def test_palette_ranks_the_last_used_match_first() -> None:
    async with desk(120, 36) as at:
        await find(at, "risk")
        assert body(at).matches[0].id == "pane.risk"
        await at.press("escape")
        await find(at, "f")
        assert [entry.title for entry in body(at).matches[:1]] == ["Fills"]
        await at.press("escape")
        await find(at, "filter")
        await at.press("enter", "escape")
        await find(at, "f")
        assert body(at).matches[0].id == "filter.open"


async def test_palette_ranks_available_actions_first() -> None:
    async with desk(120, 36) as at:
        await find(at, "cancel")
        titles = [entry.title for entry in body(at).matches]
        assert titles.index("cancel now") < titles.index("cancel entries (orders that open), set VIEW and HALT")
        await at.press("escape", "3")
        at.port.set_trading_state(TradingState.VIEW)
        await at.settle()
        await find(at, "close")
        ids = [entry.id for entry in body(at).matches]
        assert ids[0] == "position.part" and ids.index("part.1") > 0, "the one waits for a, the others for %"


LEAST = (
    ("buy at best", "stage.buy", "stage.take_buy"),
    ("buy", "stage.buy", "stage.take_buy"),
    ("buy best", "stage.buy", "stage.take_buy"),
    ("sell", "stage.sell", "stage.take_sell"),
    ("sell at", "stage.sell", "stage.take_sell"),
    ("bid", "stage.buy", "stage.take_sell"),
    ("ask", "stage.sell", "stage.take_buy"),
    ("best", "stage.sell", "stage.take_buy"),
    ("exit", "position.exit", "position.flatten"),
    ("flatten", "position.flatten", "position.flatten_all"),
    ("panic", "kill.open", "position.flatten_all"),
    ("cancel", "order.cancel", "cancel.scope"),
)
"""What is typed, the action that is shown first, and one that does more."""


@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 45)])
async def test_palette_ranks_the_least_risky_match_first(width: int, height: int) -> None:
    async with desk(width, height) as at:
        await at.press("3", "j", "ctrl+p")
        wrong = []
        for words, first, later in LEAST:
            search(at, words)
            ids = [entry.id for entry in body(at).matches]
            if ids.index(first) >= ids.index(later):
                wrong.append((words, ids[:3]))
        assert wrong == []


WORDS_OF_A_NEWCOMER = (
    ("margin", ["pane.risk"]),
    ("free margin", ["pane.risk"]),
    ("left", ["pane.risk"]),
    ("network", ["practice.open", "connection.open"]),
    ("connection", ["connection.open", "practice.open"]),
    ("cut", ["practice.open"]),
    ("lost answer", ["practice.open"]),
    ("unknown", ["view.orders.4", "practice.open", "order.dismiss"]),
    ("fee", ["screen.fees", "pane.fills"]),
    ("fees", ["screen.fees", "pane.fills"]),
    ("settings", ["themes.open"]),
    ("money", ["pane.4"]),
    ("order book", ["pair.open"]),
    ("candles", ["pair.open"]),
    ("funding", ["pane.1"]),
    ("take-profit", ["algo.new"]),
    ("alarm", ["pane.alerts"]),
    ("favourites", ["watchlists.open"]),
    ("add pair", ["filter.open"]),
)
"""What is typed, and what comes first."""


async def test_palette_finds_actions_by_the_common_words_of_a_newcomer() -> None:
    async with desk(120, 36) as at:
        await at.press("ctrl+p")
        for words, first in WORDS_OF_A_NEWCOMER:
            search(at, words)
            assert [entry.id for entry in body(at).matches[: len(first)]] == first, words


async def test_in_the_palette_a_used_taker_key_ranks_below_the_maker() -> None:
    async with desk(120, 36) as at:
        await find(at, "takes")
        assert body(at).chosen is not None and body(at).matches[0].id == "stage.take_buy"
        await at.press("enter", "escape")
        await find(at, "buy at best")
        assert body(at).matches[0].id == "stage.buy"
        await at.press("enter")
        assert "BUY" in at.text() and at.app.main_screen.panel.ticket is not None
        assert at.app.main_screen.panel.ticket.limit_text(at.app.main_screen.panel.quote) == "64001.0"


async def test_palette_search_takes_typing_backspace_and_paste() -> None:
    async with desk(120, 36) as at:
        await find(at, "xq b")
        assert "> xq b_" in at.text() and "nothing found for 'xq b'" in at.text()
        await at.press("backspace", "backspace", "backspace")
        assert body(at).typed == "x"
        await at.press("ctrl+u")
        assert body(at).typed == "" and body(at).count == len(body(at)._entries)
        body(at).type("or\nders")
        assert body(at).typed == "or ders"
        await at.press("enter")
        assert at.port.intents == []


async def test_palette_shows_the_keys_of_the_user_keymap() -> None:
    settings = WorkstationSettings(bell=False, keys={"order.edit": "n", "palette.open": "f9"})
    async with desk(120, 36, settings=settings) as at:
        await at.press("ctrl+p")
        assert at.scope() is Scope.QUOTES
        await at.press("f9", *"replace")
        assert line_of(at, "replace the order").rstrip(" │").endswith("n")


async def test_a_symbol_with_markup_is_shown_as_plain_text() -> None:
    name = "OKX_PERP_[red]X[/red]_USDT"
    async with desk(120, 36) as at:
        at.port.put(Table.SYMBOLS, name, info(name, "0.1", "1"))
        await at.settle()
        await find(at, "[red]")
        assert "OKX [red]X[/red] perp" in at.text()
        await at.press("enter")
        assert at.app.main_screen.tables["quotes"].selected == name


# Why not


NOT_NOW = (
    ("replace", "replace the order", "nothing is sent in state VIEW; press a to arm"),
    ("send the staged", "send the staged order", "no ticket is open"),
    ("answer", "answer the question with yes: the order is sent", "no ticket has an open question"),
    ("cancel entries", "cancel entries (orders that open), set VIEW and HALT", "only in the kill prompt"),
    ("close 25", "close 25 %", "only while a part of a position is chosen"),
    ("read and", "read and clear", "nothing to clear"),
    ("practice", "practice: simulate", "practice: only on the paper venue"),
    ("restore", "undo: restore the previous value", "only in a field of a ticket"),
    ("usual", "show the usual columns again", "only in the list of columns"),
)
"""What is typed, an action that it finds, and why it is not available."""


async def test_palette_shows_why_an_action_is_unavailable() -> None:
    async with desk(200, 60, armed=False) as at:
        await at.press("ctrl+p")
        for words, title, reason in NOT_NOW:
            search(at, words)
            assert f"{title}" in at.text() and reason in line_of(at, title)
            while title not in (body(at).chosen.title if body(at).chosen is not None else ""):  # type: ignore[union-attr]
                await at.press("down")
            assert f"not now: {reason}" in at.text()
            await at.press("enter")
            assert at.scope() is Scope.PALETTE and at.port.intents == []
            assert reason in at.events()[-1]


async def test_palette_acts_on_the_rows_of_a_pane_never_shown() -> None:
    """Assets that no key had shown yet were an empty list to the palette."""
    async with desk(80, 24) as at:
        assert not at.app.main_screen.tables["assets"].display
        await find(at, "withdraw")
        assert "the list is empty" not in at.text() and " – " not in line_of(at, "withdraw the coin")
        await at.press("enter")
        assert at.scope() is Scope.FORM


async def test_palette_says_why_the_selected_order_cannot_be_replaced() -> None:
    async with desk(120, 36) as at:
        row = at.app.mirror.orders["o3"]
        at.app.main_screen.tables["orders"].select("o3")
        await find(at, "replace")
        assert " – " not in line_of(at, "replace the order")
        assert "Orders: BUY 0.150 BINANCE BTC perp @ 63,998.0" in at.text()
        at.port.order("o3", row.sym, row.side, row.price, row.qty, state="UNKNOWN")
        await at.settle()
        assert "not now: the outcome of this order is not known" in at.text()
        at.port.order("o3", row.sym, row.side, row.price, row.qty, overlay=PendingAction.CANCEL)
        await at.settle()
        assert "one action on an order at a time" in at.text()


async def test_new_table_rows_do_not_move_the_palette_cursor() -> None:
    async with desk(120, 36, armed=False) as at:
        await find(at, "c")
        await at.press("down", "down")
        before = [entry.id for entry in body(at).matches]
        at.port.set_trading_state(TradingState.ARMED)
        at.port.put(Table.SYMBOLS, "CCC_PERP_CCC_USDT", info("CCC_PERP_CCC_USDT", "0.1", "1"))
        for key in ("o1", "o2", "o3", "o4"):
            at.port.put(Table.ORDERS, key, None)
        await at.settle()
        assert [entry.id for entry in body(at).matches] == before and body(at).at == 2
        assert "none of your orders is working" in line_of(at, "cancel my last")


async def test_the_line_of_keys_names_buy_only_while_armed() -> None:
    """Keys that wait for ARMED stood there dimmed, and nobody knew why they did nothing."""
    async with desk(160, 45, armed=False) as at:
        keys = at.text().splitlines()[-1]
        assert "b buy" not in keys and "a arm" in keys and "Enter form" in keys
        at.port.set_trading_state(TradingState.ARMED)
        await at.settle()
        assert "b buy" in at.text().splitlines()[-1]


# Doing it


@pytest.mark.parametrize(
    ("words", "scope"),
    [
        ("orders", Scope.ORDERS),
        ("P&L", Scope.PNL),
        ("risk", Scope.RISK),
        ("own ev", Scope.SCREEN),
        ("replace the", Scope.FIELD),
        ("buy at best", Scope.PREVIEW),
        ("kill pr", Scope.KILL),
        ("cancel by pair", Scope.PROMPT),
        ("flatten all", Scope.WORD),
        ("flatten the", Scope.PREVIEW),
        ("choose the col", Scope.COLUMNS),
        ("keys", Scope.HELP),
        ("filter the list;", Scope.FILTER),
        ("close a part", Scope.PART),
    ],
)
@pytest.mark.parametrize("start", ["fills", pytest.param("quotes", marks=pytest.mark.nightly)])
async def test_enter_in_the_palette_acts_as_the_key_and_sends_nothing(words: str, scope: Scope, start: str) -> None:
    async with desk(120, 36) as at:
        at.app.main_screen.tables["orders"].select("o3")
        at.app.main_screen.show_pane(start)
        await at.settle()
        await find(at, words)
        await at.press("enter")
        assert at.scope() is scope and at.port.intents == []


async def test_palette_opens_a_view_of_a_pane() -> None:
    async with desk(120, 36) as at:
        await find(at, "orders: algos")
        await at.press("enter")
        assert at.scope() is Scope.ORDERS and at.app.main_screen.tables["orders"].pane.view_at == 2


async def test_palette_adds_a_pair_to_the_quotes_and_selects_it() -> None:
    settings = WorkstationSettings(bell=False, quotes=["BINANCE_PERP_BTC_USDT"])
    async with desk(120, 36, settings=settings) as at:
        await at.press("/", *"btc", "enter", "2")
        await find(at, "okx eth")
        await at.press("enter")
        quotes = at.app.main_screen.tables["quotes"]
        assert at.scope() is Scope.QUOTES and quotes.selected == "OKX_PERP_ETH_USDT"
        assert at.app.preferences.quotes == ["BINANCE_PERP_BTC_USDT", "OKX_PERP_ETH_USDT"]


async def test_a_cancel_from_the_palette_sends_one_cancel() -> None:
    async with desk(120, 36) as at:
        at.app.main_screen.tables["orders"].select("o4")
        await find(at, "cancel now")
        await at.press("enter")
        (sent,) = at.port.intents
        assert isinstance(sent, Cancel) and sent.key == "o4" and sent.decision.source == "key palette"


async def test_the_palette_cannot_send_a_staged_order() -> None:
    async with desk(120, 36) as at:
        await at.press("b")
        await find(at, "send the staged")
        assert "opens the ticket, where you press Enter" in at.text()
        await at.hold("enter", 1.5)
        assert at.scope() is Scope.PREVIEW and at.port.intents == []
        assert at.events()[-1] == "Enter does it: send the staged order"
        await at.press("J", "enter")
        assert len(at.port.intents) == 1


async def test_enter_held_in_the_palette_never_sends_an_order() -> None:
    async with desk(120, 36) as at:
        await find(at, "buy at best")
        await at.hold("enter", 1.5)
        assert at.scope() is Scope.PREVIEW and at.port.intents == []


async def test_a_key_burst_through_the_palette_sends_nothing() -> None:
    async with desk(120, 36) as at:
        await at.burst("ctrl+p", *"risk", "enter")
        assert at.scope() is Scope.RISK
        at.app.main_screen.tables["orders"].select("o4")
        await at.burst("ctrl+p", *"cancel now", "enter")
        assert at.port.intents == []


async def test_digits_after_a_palette_jump_to_the_size_are_typed_there() -> None:
    async with desk(120, 36) as at:
        await at.press("b")
        await find(at, "type the size")
        await at.press("enter", "2", "5")
        assert at.scope() is Scope.FIELD and at.app.main_screen.panel.size_field.value == "25"


async def test_a_palette_action_leaves_a_full_screen_for_the_panes() -> None:
    async with desk(120, 36) as at:
        await at.press("E")
        await find(at, "sell at best")
        await at.press("enter")
        assert at.scope() is Scope.PREVIEW and at.app.screen is at.app.main_screen


async def test_palette_jump_closes_the_help_page() -> None:
    async with desk(120, 36) as at:
        await at.press("?")
        await find(at, "positions")
        await at.press("enter")
        assert at.scope() is Scope.POSITIONS and at.app.screen is at.app.main_screen


async def test_a_palette_jump_during_filter_typing_drops_that_filter() -> None:
    async with desk(120, 36) as at:
        await at.press("/", *"btc")
        await find(at, "positions")
        await at.press("enter")
        assert at.scope() is Scope.POSITIONS and at.app.main_screen.filtered is None
        assert not at.app.panes.quotes.filter.terms


# Staying out of the way


@pytest.mark.parametrize(
    "keys", [(), ("2",), ("3",), ("b",), ("b", "2"), ("/",), ("?",), ("|",), ("E",), ("E", "/"), ("3", "%")]
)
async def test_esc_closes_the_palette_and_restores_the_focus(keys: tuple[str, ...]) -> None:
    async with desk(120, 36) as at:
        await at.press(*keys)
        before, focused, screen = at.scope(), at.app.focused, at.app.screen
        await at.press("ctrl+p", *"buy")
        assert at.scope() is Scope.PALETTE
        await at.press("escape")
        assert (at.scope(), at.app.focused, at.app.screen) == (before, focused, screen)
        await at.press("ctrl+p", "ctrl+p")
        assert (at.scope(), at.app.focused, at.app.screen) == (before, focused, screen)


@pytest.mark.drawn
@pytest.mark.parametrize(("width", "height", "beside"), [(*size, number % 2 == 1) for number, size in enumerate(SIZES)])
async def test_header_and_kill_key_stay_visible_over_the_palette(width: int, height: int, beside: bool) -> None:
    async with desk(width, height) as at:
        if beside:
            await at.press("E")
        await find(at, "can")
        screen = at.app.context.list_screen
        box = body(at).region
        assert box.y >= screen.plan.status.height and box.right == width
        if screen.touch is None:
            assert box.y == screen.plan.status.height
        elif height >= 12:
            assert not box.overlaps(screen.touch), "bid and ask stay in view"
        if screen.plan.event is not None:
            assert box.bottom <= screen.plan.event.y
        if screen.plan.keys is not None:
            assert box.bottom <= screen.plan.keys.y
            assert "Ctrl+G kill" in at.text().split("\n")[-1]
        assert "cancel now" in at.text()
        assert all(len(line) == width for line in at.text().split("\n"))
        await at.press("X")
        assert at.scope() is Scope.PALETTE and body(at).typed == "canX"
        await at.press("ctrl+g")
        assert at.scope() is Scope.KILL
        await at.press("escape")
        assert at.scope() is Scope.PALETTE


@pytest.mark.drawn
async def test_quotes_keep_updating_behind_the_palette() -> None:
    async with desk(200, 60) as at:
        await find(at, "can")
        assert "64,001.2" in at.text()
        at.port.quote("BINANCE_PERP_BTC_USDT", "64005.0", "64005.3", "2.105", "0.870", "64001.0")
        at.port.event("an event behind the palette")
        await at.settle()
        assert "64,005.0" in at.text() and "an event behind the palette" in at.text()


async def test_palette_survives_terminal_resizes() -> None:
    async with desk(120, 36) as at:
        await find(at, "can")
        await at.pilot.resize_terminal(80, 24)
        await at.settle()
        assert "> can_" in at.text() and body(at).region.right == 80
        await at.pilot.resize_terminal(30, 8)
        await at.settle()
        await at.press("escape")
        await at.press("ctrl+p")
        assert at.scope() is Scope.NOWHERE and "too small" in at.events()[-1]


def test_palette_excludes_only_the_order_sending_actions() -> None:
    assert {action.id for action in ACTIONS if action.by_key} == {"ticket.send", "ticket.send_form", "ticket.confirm"}
    assert not BY_ID["order.cancel"].by_key


ELSEWHERE = (
    ("stop loss", "new stop, target, OCO or conditional order (form)"),
    ("panic", "kill prompt"),
    ("amend", "replace the order"),
    ("wallet", "funds: transfers, accounts, deposits, withdrawals, bills, custody"),
    ("shortcuts", "help: all keys"),
    ("exit", "quit (asks while orders or positions are open)"),
    ("flip", "reverse the position (asks)"),
)
"""What other programs call it, and the title here."""
NEWCOMER = (
    ("close my position", {"position.flatten", "position.exit"}),
    ("market order", {"stage.take_buy", "ticket.open"}),
    ("limit order", {"stage.buy", "ticket.open"}),
    ("day result", {"pane.pnl"}),
)
"""What a newcomer types, and what must be found."""


async def test_palette_finds_actions_by_other_words_for_them() -> None:
    """By each synonym, by words of other programs, and by those of a newcomer."""
    async with desk(120, 36) as at:
        await at.press("ctrl+p")
        missed = []
        for action, word in [(known, word) for known in SYNONYMS for word in SYNONYMS[known].split()]:
            search(at, word)
            missed += [] if action in [entry.id for entry in body(at).matches] else [(action, word)]
        assert missed == []
        for typed, title in ELSEWHERE:
            search(at, typed)
            assert title in [entry.title for entry in body(at).matches], typed
        for typed, ids in NEWCOMER:
            search(at, typed)
            assert ids <= {entry.id for entry in body(at).matches}, typed


UNKNOWN_WORDS = ("twap", "zzzz", "sell xyz", "frobnicate eth", "sell at eth zzz")
"""Words of no action, pane or pair, and actions on coins that are not listed."""


async def test_palette_says_nothing_found_for_an_unknown_word() -> None:
    async with desk(120, 36) as at:
        await at.press("ctrl+p")
        for typed in UNKNOWN_WORDS:
            search(at, typed)
            assert body(at).matches == [], typed
            assert f"nothing found for '{typed}'" in at.text()


def test_every_palette_synonym_belongs_to_an_action_or_pane() -> None:
    assert not set(SYNONYMS) - set(BY_ID) - {f"pane.{pane}" for pane in PANES}


# A coin that is typed


PAIRS = (
    ("sell eth", "BINANCE ETH perp"),
    ("short eth", "BINANCE ETH perp"),
    ("short btc", "BINANCE BTC perp"),
    ("close eth", "BINANCE ETH perp"),
    ("sell spot", "BINANCE BTC spot"),
    ("buy okx eth", "OKX ETH perp"),
)
"""What is typed, and the pair that comes first."""


async def test_typing_a_coin_in_the_palette_finds_only_its_pairs() -> None:
    async with desk(120, 36) as at:
        await at.press("ctrl+p")
        for typed, first in PAIRS:
            search(at, typed)
            assert body(at).matches[0].title == first, typed
            assert all(entry.names_pair for entry in body(at).matches), typed
        await at.press("escape")
        for typed, first in PAIRS:
            await at.press("1", "g", "g")
            await find(at, typed)
            await at.press("enter")
            quotes = at.app.main_screen.tables["quotes"]
            assert at.scope() is Scope.QUOTES and at.app.main_screen.panel.ticket is None and at.port.intents == []
            assert full_name(quotes.pane.sym(quotes.selected or "")) == first


async def test_the_word_close_in_the_palette_finds_closing_a_position() -> None:
    async with desk(120, 36) as at:
        await find(at, "close position")
        ids = [entry.id for entry in body(at).matches]
        assert ids.index("screen.history") > max(ids.index(close) for close in ("position.flatten", "position.exit"))
        search(at, "close")
        ids = [entry.id for entry in body(at).matches]
        assert ids[:2] == ["position.part", "position.exit"] and ids.index("position.flatten") < 8


@pytest.mark.parametrize(("key", "first", "own"), [("2", "Orders", "replace the order"), ("3", "Positions", "flatten")])
async def test_the_help_page_begins_with_the_keys_of_the_focused_pane(key: str, first: str, own: str) -> None:
    async with desk(80, 24) as at:
        await at.press(key, "?")
        await at.settle()
        lines = at.text().splitlines()
        title = next(y for y, line in enumerate(lines) if "Keys · / finds one" in line)
        assert first in lines[title + 1] and any(own in line for line in lines[title + 2 : title + 6]), at.text()
        await at.press("/", *"reverse")
        await at.settle()
        assert at.scope() is Scope.PALETTE and "reverse the position" in at.text()
