"""The screen tells the engine whose quotes it reads; those of other pairs may come later."""

from __future__ import annotations

import msgspec

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import info
from tui.engine.rows import Table
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.grammar.syntax import Alert
from tui.workstation.features.quotes import cells as quote_cells
from tui.workstation.features.quotes.pane import MOST_UNASKED
from tui.workstation.model.quote_attention import KEEP_S, Attention, QuoteTable
from tui.workstation.widgets.watched_pairs import MOST_UNSEEN

BTC = "BINANCE_PERP_BTC_USDT"
FAR = [f"BINANCE_SPOT_Z{number:03d}_USDT" for number in range(40)]


async def frames(at: Desk, seconds: float) -> None:
    """Let frames come for some time: each moves the quote of the first pair."""
    for number in range(int(4 * seconds)):
        at.clock.pass_by(0.25)
        at.port.quote(BTC, f"64001.{number % 9}", "64002")
        await at.settle()
        at.app._tick()
        await at.settle()


async def with_far_pairs(at: Desk) -> None:
    for sym in FAR:
        at.port.put(Table.SYMBOLS, sym, info(sym, "0.1", "1"))
        at.port.quote(sym, "1.0", "1.1")
    await at.settle()
    await frames(at, 3 * KEEP_S)


async def test_quotes_off_the_screen_are_not_read_at_the_fast_rate() -> None:
    async with desk(160, 45) as at:
        await with_far_pairs(at)
        table = at.app.main_screen.tables["quotes"]
        shown = set(at.app.panes.quotes.syms_of(table.visible_keys()))
        assert len(shown) > 5
        assert shown <= at.port.attended, "also those that stand still"
        assert FAR[-1] not in at.port.attended


async def test_a_quote_scrolled_into_view_is_read_at_the_fast_rate() -> None:
    async with desk(160, 45) as at:
        await with_far_pairs(at)
        await at.press("1", "G")
        await frames(at, 0.5)
        assert FAR[-1] in at.port.attended


async def test_the_quote_of_an_own_order_is_read_at_the_fast_rate() -> None:
    async with desk(160, 45) as at:
        await with_far_pairs(at)
        at.port.order("far", FAR[-1], "BUY", "1.0", "5")
        await frames(at, 3 * KEEP_S)
        assert FAR[-1] in at.port.attended


async def test_with_many_own_pairs_only_visible_ones_get_fast_quotes() -> None:
    async with desk(160, 45) as at:
        many = [f"BINANCE_SPOT_Y{number:03d}_USDT" for number in range(MOST_UNSEEN + 10)]
        for sym in many:
            at.port.put(Table.SYMBOLS, sym, info(sym, "0.1", "1"))
            at.port.quote(sym, "1.0", "1.1")
            at.port.order(f"on {sym}", sym, "BUY", "1.0", "5")
        at.app.main_screen.show_pane("orders")
        await frames(at, 3 * KEEP_S)
        table = at.app.main_screen.tables["orders"]
        seen = {table.pane.sym(key) for key in table.visible_keys()}
        assert seen <= at.port.attended
        shown = set(at.app.panes.quotes.syms_of(at.app.main_screen.tables["quotes"].visible_keys()))
        unseen = set(many) - seen - shown
        assert unseen and not unseen & at.port.attended


async def test_an_order_scrolled_into_view_shows_the_newest_distance() -> None:
    async with desk(160, 45) as at:
        made = [f"o{number:02d}" for number in range(60)]
        for number, key in enumerate(made):
            at.port.order(key, BTC, "BUY", f"{60000 + number}", "0.1")
        at.app.main_screen.show_pane("orders")
        await at.settle()
        table = at.app.main_screen.tables["orders"]
        await at.press("G")
        last = next(key for key in reversed(table.visible_keys()) if key in made)
        price = f"{60000 + int(last[1:]):,}.0"
        assert "-39420t" in at.line_of("orders", price)
        await at.press("g")
        assert last not in table.visible_keys()
        at.port.quote(BTC, "70000.0", "70000.2")
        await at.settle()
        await at.press("G")
        assert "-99410t" in at.line_of("orders", price)


async def test_the_quote_of_an_alert_is_read_at_the_fast_rate() -> None:
    async with desk(160, 45) as at:
        await with_far_pairs(at)
        [step] = parse(f"alert when {FAR[-1]} bid > 5", Scene(at.app.mirror.symbols)).steps
        assert isinstance(step.command, Alert)
        at.app.controllers.alerts.add(step.command)
        await frames(at, 3 * KEEP_S)
        assert FAR[-1] in at.port.attended


async def test_pairs_listed_or_in_a_ticket_are_subscribed_first() -> None:
    async with desk(160, 45) as at:
        many = [f"BINANCE_SPOT_A{number:03d}_USDT" for number in range(2 * MOST_UNASKED)]
        far = "OKX_SPOT_Z_USDT"
        for sym in (*many, far):
            at.port.put(Table.SYMBOLS, sym, info(sym, "0.1", "1"))
            at.port.quote(sym, "1.0", "1.1")
        await at.settle()
        listed = at.app.panes.quotes.list_shown_syms()
        assert BTC in listed and far not in listed and many[-1] not in listed
        assert set(at.port.watched[: len(listed)]) == listed, "before others whose names come first"
        assert set(at.port.watched) == at.app.mirror.symbols.keys()
        await at.press("/", *"okx_spot_z", "enter", "b")
        at.app.panes.quotes.list_only((BTC,))
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.sym == far
        at.app._tick()
        assert at.port.watched[:2] == (BTC, far) and set(at.port.watched) == at.app.mirror.symbols.keys()


async def test_a_pair_without_quote_subscription_shows_off_and_no_room() -> None:
    async with desk(240, 60) as at:
        row = at.app.mirror.quotes[BTC]
        at.port.put(Table.QUOTES, BTC, msgspec.structs.replace(row, watched=False))
        await at.press("1", "0")
        line = at.line_of("quotes", "› ", "BINANCE")
        assert " off " in line and " no room " in line
        quote = at.app.panes.quotes.row(BTC)
        assert quote is not None
        assert quote_cells.age(quote, at.app.view)[1] == quote_cells.link_state(quote, at.app.view)[1] == "alert"
        at.port.put(Table.QUOTES, BTC, row)
        await at.settle()
        assert "off" not in at.text() and "no room" not in at.text()


def test_pairs_read_fast_become_slow_once_no_longer_on_screen() -> None:
    quotes, told = QuoteTable(), list[frozenset[str]]()
    attention = Attention(quotes, told.append)
    quotes.get("A")
    attention.follow(10.0)
    quotes.get("B")
    attention.follow(10.1)
    assert told[-1] == {"A", "B"}
    now, count = 10.1, len(told)
    while now < 10.1 + 3 * KEEP_S:
        now += 0.1
        quotes.get("B")
        attention.follow(now)
    assert told[count:] == [frozenset({"B"})]
