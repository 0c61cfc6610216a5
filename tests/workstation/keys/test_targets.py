"""What a key on rows is about: marks, the cursor that is never lost, and rows that can be traded."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import desk
from tui.engine.intents import Cancel, Replace
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope

BTC = "BINANCE_PERP_BTC_USDT"


async def test_key_c_after_its_order_is_gone_first_names_the_next_row() -> None:
    async with desk() as at:
        tables = at.app.main_screen.tables
        await at.press("2", "j", "j")
        at.port.order("o9", "OKX_PERP_BTC_USDT", "BUY", "63000.0", "1", state="UNKNOWN")
        await at.settle()
        assert [tables["orders"].selected] == ["o3"]
        at.port.put(Table.ORDERS, "o3", None)
        await at.settle()
        assert tables["orders"].selected == "o4"
        await at.press("c")
        assert at.port.intents == []
        assert any("press c again for BUY 25ct OKX BTC perp @ 63,880.0" in text for text in at.events())
        at.clock.pass_by(0.4)
        await at.press("c")
        [intent] = at.port.intents
        assert isinstance(intent, Cancel) and intent.key == "o4"


async def test_keys_on_an_empty_list_say_that_no_row_is_selected() -> None:
    async with desk() as at:
        await at.press("2")
        for key in ("o1", "o2", "o3", "o4"):
            at.port.put(Table.ORDERS, key, None)
        await at.settle()
        await at.press("c", "+", "e")
        assert [text for text in at.events() if "no row selected: the list is empty" in text]
        at.port.order("o9", BTC, "BUY", "63000.0", "1")
        await at.settle()
        assert at.app.main_screen.tables["orders"].selected == "o9"


async def test_the_position_mode_key_says_that_the_list_is_empty() -> None:
    async with desk() as at:
        await at.press("3")
        for key in list(at.app.mirror.positions):
            at.port.put(Table.POSITIONS, key, None)
        await at.settle()
        await at.press("L")
        assert at.events()[-1] == "no row selected: the list is empty"


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_quote_search_without_a_match_says_so_and_stays_open(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        table = at.app.main_screen.tables["quotes"]
        await at.press("1", "g", "j")
        await at.press("/", *"zzzz", "enter")
        await at.settle()
        assert "no pair matches zzzz: change it, or Esc" in at.text() and at.scope() is Scope.FILTER
        await at.press("escape")
        assert table.selected is not None and at.scope() is Scope.QUOTES
        await at.press("/", *"zzzz", "enter", *["backspace"] * 4, *"sol", "enter")
        assert "SOL" in table.pane.sym(table.selected or "") and at.scope() is Scope.QUOTES


async def test_key_c_cancels_the_marked_order_and_not_the_cursor_row() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "space", "k", "k", "k", "c")
        [intent] = at.port.intents
        assert isinstance(intent, Cancel) and intent.key == "o3"
        assert not at.app.main_screen.tables["orders"].marked


async def test_marked_orders_are_cancelled_after_one_prompt() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "space", "space", "g", "g", "c")
        assert at.port.intents == [] and "cancel 2 orders marked" in at.text()
        assert "[ Back: change nothing ]" in at.text()
        at.clock.pass_by(1)
        await at.press("enter")
        assert at.port.intents == []
        await at.press("c")
        at.clock.pass_by(1)
        await at.press("y")
        assert [intent.key for intent in at.port.intents if isinstance(intent, Cancel)] == ["o3", "o4"]


async def test_cancel_prompt_offers_marked_orders_and_non_empty_scopes() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "space", "C")
        assert "▸ marked: cancel 1 order" in at.text()
        at.clock.pass_by(1)
        await at.press("y")
        assert [intent.key for intent in at.port.intents if isinstance(intent, Cancel)] == ["o3"]
        await at.press("1", "/", *"sol", "enter", "C")
        assert "BINANCE SOL perp: cancel 0 orders" in at.text()
        assert "▸ venue BINANCE: cancel" in at.text()


async def test_enter_in_the_cancel_all_question_says_that_y_cancels() -> None:
    async with desk() as at:
        await at.press("2", "C")
        at.clock.pass_by(1)
        await at.press("enter")
        assert at.port.intents == [] and at.scope() is Scope.ORDERS
        assert at.events()[-1] == "nothing was cancelled: y cancels, Enter goes back"


async def test_key_x_on_an_order_names_the_key_that_cancels() -> None:
    async with desk() as at:
        await at.press("2", "x")
        assert at.port.intents == []
        assert at.events()[-1] == "x has no function here: c cancels the order"
        await at.press("1", "x")
        assert "x (" in at.events()[-1], "elsewhere it is what another list has on this key"


@pytest.mark.parametrize("key", ["e", "+"])
async def test_keys_for_one_order_are_refused_with_two_marked_rows(key: str) -> None:
    async with desk() as at:
        await at.press("2", "g", "g", "j", "j", "space", "space", key)
        assert not at.app.main_screen.panel.open
        said = "2 rows are marked, and a replace needs one: q clears the marks"
        assert any(said in text for text in at.events())
        await at.press("q", "k", key)
        assert at.app.main_screen.panel.open, "what was said works"


@pytest.mark.parametrize(
    ("key", "sym"), [("b", BTC), ("s", "OKX_PERP_BTC_USDT"), ("B", "OKX_PERP_BTC_USDT"), ("S", BTC)]
)
async def test_a_ticket_from_a_best_price_row_goes_to_the_best_venue(key: str, sym: str) -> None:
    async with desk() as at:
        await at.press("g", "g", key)
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.sym == sym
        assert any("staged on" in text and "the best" in text for text in at.events())


async def test_a_quote_search_selects_a_venue_not_the_best_price_row() -> None:
    async with desk() as at:
        await at.press("/", *"btc perp", "enter")
        assert at.app.main_screen.tables["quotes"].selected == BTC


async def test_tab_to_the_orders_moves_the_cursor_off_an_ended_order() -> None:
    async with desk() as at:
        orders = at.app.main_screen.tables["orders"]
        await at.press("2")
        orders.select("o4")
        await at.press("1")
        ended, row = "o4", at.app.mirror.orders["o4"]
        at.port.put(
            Table.ORDERS, ended, msgspec.structs.replace(row, state="CANCELLED", final=True, since=at.clock.at - 30)
        )
        await at.settle()
        sent = at.port.order("o99", "BINANCE_PERP_BTC_USDT", "BUY", "63000.0", "0.010", create_at=row.create_at + 10**6)
        await at.settle()
        await at.press("tab")
        assert at.scope() is Scope.ORDERS
        assert orders.selected == sent.key
        await at.press("e")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is None or (ticket.order is not None and ticket.order.key == sent.key)


async def test_the_cursor_stays_on_an_order_that_is_replaced() -> None:
    async with desk() as at:
        orders = at.app.main_screen.tables["orders"]
        await at.press("2")
        orders.select("o3")
        at.clock.pass_by(1)
        await at.press("e", *["backspace"] * 8, *"63990.0", "tab", "tab", "tab", "enter")
        [intent] = at.port.intents
        assert isinstance(intent, Replace)
        await at.settle()
        assert orders.selected == intent.key and at.scope() is Scope.ORDERS


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.parametrize("key", ["p", "l"])
async def test_keys_on_a_best_price_row_say_to_select_one_venue(key: str, size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("home", key)
        assert "select the row of one venue: this one is the best of several" in at.text()


async def test_key_c_first_names_an_order_the_cursor_jumped_to() -> None:
    """The cursor stood on an order; it moves to the newest one, and `c` half a second later would end that."""
    async with desk(120, 36) as at:
        await at.press("2", "j")
        chosen = at.app.main_screen.tables["orders"].selected
        await at.press("1", "2")
        at.clock.pass_by(0.5)
        await at.press("c")
        assert at.port.intents == [] and "press c again for BUY 1.0000 BINANCE ETH spot" in at.text()
        await at.press("c")
        [cancel] = at.port.intents
        assert isinstance(cancel, Cancel) and cancel.key != chosen


async def test_key_c_cancels_at_once_the_order_the_list_opened_on() -> None:
    async with desk(120, 36) as at:
        await at.press("2", "1")
        at.port.order("new", BTC, "BUY", "63000.0", "0.1", create_at=int(at.clock.wall() * 1000) + 5)
        await at.settle()
        await at.press("2")
        newest = at.app.main_screen.tables["orders"].selected
        at.clock.pass_by(0.5)
        await at.press("c")
        assert [intent.key for intent in at.port.intents if isinstance(intent, Cancel)] == [newest]


async def test_key_c_cancels_the_newest_order_if_the_chosen_ended() -> None:
    """The chosen order has ended meanwhile: `2` goes to the newest, which `c` ends as at any other time."""
    async with desk(120, 36) as at:
        orders = at.app.main_screen.tables["orders"]
        await at.press("2", "j", "j")
        chosen = orders.selected
        assert chosen is not None
        await at.press("1")
        at.port.put(Table.ORDERS, chosen, None)
        await at.settle()
        assert orders.holds("o4") and orders.selected == "o4"
        at.port.order("new", BTC, "BUY", "63000.0", "0.1", create_at=int(at.clock.wall() * 1000) + 5)
        await at.settle()
        await at.press("2")
        at.clock.pass_by(0.5)
        await at.press("c")
        assert [intent.key for intent in at.port.intents if isinstance(intent, Cancel)] == ["new"]
