"""Odd desks: one-way legs, quiet and unproven markets, small screens, odd rows, long days."""

from __future__ import annotations

import re

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import info
from tui.engine.event_line import Level
from tui.engine.intents import Outcome, Place, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import Fact, PendingAction, Table
from tui.engine.status_rows import LinkRow, LinkState
from tui.interface.families.positions import AdlRank, PositionRecord
from tui.workstation.features.quotes.pane import MOST_UNASKED
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.plan import PANES
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order.terms import PriceMode
from tui.workstation.widgets.slices import SLICE_LINES

BTC = "BINANCE_PERP_BTC_USDT"
SOL = "BINANCE_PERP_SOL_USDT"


def one_way(at: Desk, qty: str, rank_side: str, *, with_id: bool) -> None:
    record = PositionRecord(
        position_id="77" if with_id else "", sym=SOL, position_side="NONE", position_qty=qty, avg_price="150.00",
        mark_price="151.24", position_value="1512.4", unrealized_pnl="12.40", unrealized_pnl_rate="0.01", liq_price=None,
    )  # fmt: skip
    at.port.put(Table.POSITIONS, f"{SOL}/NONE", Fact(record, at.port.stamp()))
    rank = AdlRank(sym=SOL, adl_rank="3", position_id="77" if with_id else "", position_side=rank_side)
    at.port.put(Table.ADL, f"{SOL}/{rank_side}", Fact(rank, at.port.stamp()))


@pytest.mark.parametrize("with_id", [True, False])
@pytest.mark.parametrize(("qty", "side", "after"), [("10", "LONG", "+10 → 0"), ("-10", "SHORT", "-10 → 0")])
async def test_one_way_position_shows_its_adl_rank(qty: str, side: str, after: str, with_id: bool) -> None:
    async with desk(200, 60) as at:
        one_way(at, qty, side, with_id=with_id)
        await at.settle()
        assert "10 SOL +12" in at.line_with(f"BINANCE SOL {side[0]} ")
        assert f"none: {after}" in at.line_with(f"BINANCE SOL {side[0]} ")
        assert "●●●○○" in at.line_with("BINANCE SOL", side, "10.0")


async def test_the_adl_rank_of_a_short_is_not_shown_on_a_long_position() -> None:
    async with desk(160, 45) as at:
        one_way(at, "10", "SHORT", with_id=False)
        await at.settle()
        assert "●" not in at.line_with("BINANCE SOL", "LONG", "10.0")


async def test_best_price_row_keeps_old_quotes_while_the_link_is_alive() -> None:
    async with desk(160, 45) as at:
        at.clock.pass_by(90)
        for name in ("public", "private"):
            at.port.put(Table.LINKS, name, LinkRow(name=name, state=LinkState.UP, last_frame=at.clock.at))
        at.port.quote("BINANCE_PERP_SOL_USDT", "151.24", "151.25")
        await at.settle()
        at.app.main_screen.tick()
        await at.settle()
        line = at.line_with("BTC perp best")
        assert "64,001.0" in line and "64,001.1" in line and "/3" not in line and "90s" in line


@pytest.mark.parametrize("state", [LinkState.UP, LinkState.DOWN])
async def test_best_price_row_is_empty_without_a_live_link(state: LinkState) -> None:
    async with desk(160, 45) as at:
        at.clock.pass_by(9)
        last = at.clock.at - 8
        at.port.put(Table.LINKS, "public", LinkRow(name="public", state=state, last_frame=last))
        await at.settle()
        at.app.main_screen.tick()
        await at.settle()
        assert "64,001" not in at.line_with("BTC perp 0/3 ")
        assert "~9.0s" in at.line_with("  EDX ", "64,000.5")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 36), (160, 45), (200, 60), (60, 20)])
async def test_best_price_row_label_is_never_cut(width: int, height: int) -> None:
    async with desk(width, height) as at:
        row = at.app.mirror.quotes["EDX_PERP_BTC_USDT"]
        at.port.put(Table.QUOTES, row.sym, msgspec.structs.replace(row, subscribed=False))
        await at.settle()
        assert "BTC perp 2/3 " in at.text()


async def test_a_best_price_row_has_the_age_of_its_older_best_price() -> None:
    async with desk(160, 45) as at:
        at.clock.pass_by(3)
        at.port.quote(BTC, "64001.0", "64001.2")
        await at.settle()
        assert " 3.0s" in at.line_with("BTC perp best"), "the ask is the one of OKX"


async def test_empty_list_shows_the_time_of_the_last_reply() -> None:
    async with desk(80, 24, armed=False, filled=False) as at:
        at.port.set_desk(synced=True)
        await at.settle()
        at.clock.pass_by(60)
        at.port.set_desk(skew_ms=2.0)
        await at.settle()
        assert "no open orders (checked 22:30:00)" in at.text(), "another fact is no check"
        at.port.set_desk(orders_checked_ms=1_700_001_100_000, positions_checked_ms=1_700_001_105_000)
        await at.settle()
        assert "no open orders (checked 22:31:40)" in at.text()
        await at.press("3")
        assert "flat (checked 22:31:45)" in at.text()


async def test_quit_without_working_orders_needs_no_prompt() -> None:
    async with desk(80, 24, filled=False) as at:
        at.port.order("o1", BTC, "BUY", "1.0", "1", state="FILLED", final=True)
        await at.settle()
        await at.press("ctrl+q")
        await at.settle()
        assert at.app._exit and at.port.intents == []


@pytest.mark.parametrize(("width", "height"), [(80, 24), (60, 20), (40, 10)])
async def test_header_never_cuts_trading_state_and_unknown_count(width: int, height: int) -> None:
    async with desk(width, height) as at:
        at.port.set_desk(portfolio_name="a-portfolio-with-a-long-name", in_flight=1)
        await at.settle()
        first = at.text().split("\n")[0]
        assert " PAPER " in first and " ARMED " in first and "UNK 1" in first and "md●" in first and "priv●" in first


@pytest.mark.parametrize("width", [100, 112, 120, 130, 150, 160])
async def test_header_leaves_out_a_figure_rather_than_cutting_it(width: int) -> None:
    async with desk(width, 40) as at:
        at.port.set_desk(in_flight=3, engine_error="slow")
        await at.settle()
        assert "…" not in at.text().split("\n")[0].replace("sent 3…", "")


@pytest.mark.parametrize(("width", "height"), [(40, 10), (60, 20)])
async def test_kill_prompt_text_is_complete_on_small_screens(width: int, height: int) -> None:
    async with desk(width, height) as at:
        await at.press("X")
        lines = at.text().split("\n")
        words = " ".join(" ".join(line.strip("│ ▸") for line in lines).split())
        assert "Enter: cancel entries of portfolio main (PAPER): 3 orders (1 UNKNOWN)" in words
        assert "Enter does it" in words and "Esc back" in words


async def test_a_question_that_expired_under_the_kill_prompt_is_gone() -> None:
    async with desk(80, 24) as at:
        await at.press("2", "C")
        below = at.app.screen
        await at.press("ctrl+g")
        below._expire()  # type: ignore[attr-defined]
        await at.settle()
        assert at.scope() is Scope.KILL
        await at.press("escape")
        await at.settle()
        assert at.scope() is Scope.ORDERS


async def test_after_resizes_the_focus_is_never_on_a_hidden_field() -> None:
    async with desk(80, 24) as at:
        await at.press("b", "e", "tab")
        assert at.scope() is Scope.FIELD
        await at.pilot.resize_terminal(40, 10)
        await at.settle()
        stops = at.app.main_screen.panel.stops()
        assert {stop.id for stop in stops} == {"size", "price", "ticket"}
        assert at.app.main_screen.focused in stops
        await at.press("escape", "escape")
        await at.pilot.resize_terminal(20, 5)
        await at.settle()
        assert at.scope() is Scope.NOWHERE
        await at.pilot.resize_terminal(80, 24)
        await at.settle()
        assert at.scope() is Scope.QUOTES
        await at.pilot.click("#ticket", offset=(5, 2))
        await at.settle()
        assert at.scope() is Scope.QUOTES, "without a ticket its place takes no keys"


@pytest.mark.parametrize(("width", "height"), [(40, 10), (60, 20), (80, 24), (160, 45)])
async def test_a_ticket_shows_side_and_price_at_every_screen_size(width: int, height: int) -> None:
    async with desk(width, height) as at:
        for keys in (("b",), ("e",)):
            await at.press(*keys)
            text = at.text()
            assert "BUY+LONG" in text or "open long" in text
            assert "64,001.0 rests" in text or "would rest" in text
            assert "64001.0" in text or "64,001.0" in text
            ticket = text[text.index("BUY+LONG") if "BUY+LONG" in text else text.index("New order") :]
            assert not re.search(r"\d…", ticket), "no figure is cut"


async def test_a_long_denial_is_wrapped_and_readable_in_full() -> None:
    reason = "price 64,001.0 is 512 bp above the ask of 60,724.9; far band 25 bp, so at most 60,876.7 is accepted here"
    async with desk(80, 24) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard="BAND", text=reason)]
        await at.press("b", "enter")
        await at.settle()
        words = " ".join(" ".join(line.strip("│ ") for line in at.text().split("\n")[-7:]).split())
        assert reason in words.replace("Enter sends ", "").replace(" Enter sends", "")


async def test_a_field_error_in_the_order_form_is_readable_in_full() -> None:
    async with desk(80, 24) as at:
        await at.press("b", "e", "ctrl+u", *"0.0000001", "enter")
        assert at.scope() is Scope.FIELD
        said = [problem.text for problem in at.app.main_screen.panel.problems]
        assert said
        words = " ".join(" ".join(line.strip("│ ") for line in at.text().split("\n")).split())
        assert said[0] in words.replace("Enter next ", "")


@pytest.mark.parametrize("frozen", [True, False])
async def test_the_price_shown_in_an_order_form_is_the_price_sent(frozen: bool) -> None:
    async with desk(80, 24) as at:
        await at.press(*(["z"] if frozen else []), "b", "e")
        at.port.quote(BTC, "64009.0", "64009.2")
        await at.settle()
        assert at.app.main_screen.panel.price_field.value == "64009.0"
        await at.press("tab", "enter")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.price_mode is PriceMode.JOIN, "walking through a field is no typing"
        at.port.quote(BTC, "64011.0", "64011.2")
        await at.settle()
        assert "64011.0" in at.line_with(" price ", "would rest")
        await at.press("y")
        if frozen:
            assert at.port.intents == [], "a frozen screen thaws first"
            await at.press("j", "backspace", "y")
        [intent] = at.port.intents
        assert isinstance(intent, Place) and intent.price == "64011.0"


async def test_a_typed_price_does_not_follow_the_best_price() -> None:
    async with desk(80, 24) as at:
        await at.press("b", "e", "tab", *"63990.0")
        at.port.quote(BTC, "64009.0", "64009.2")
        await at.settle()
        assert at.app.main_screen.panel.price_field.value == "63990.0"


async def test_order_form_shows_reduce_only() -> None:
    async with desk(80, 24) as at:
        account = at.app.mirror.accounts["BINANCE"]
        record = msgspec.structs.replace(account.record, position_mode="NET")
        at.port.put(Table.ACCOUNTS, "BINANCE", Fact(record, at.port.stamp()))
        await at.settle()
        await at.press("b", "r", "t", "e")
        assert at.app.main_screen.panel.mode is Mode.FORM
        assert "reduce-only" in at.text() and "‹ GTC ›" in at.text()


async def test_narrow_screens_show_the_title_of_the_visible_pane() -> None:
    async with desk(40, 10) as at:
        for pane in PANES:
            at.app.main_screen.show_pane(pane)
            await at.settle()
            assert at.app.main_screen.tables[pane].pane.title in at.text().split("\n")[1]


async def test_a_long_price_is_shortened_to_fit_its_column() -> None:
    async with desk(80, 24) as at:
        orders = at.app.main_screen.tables["orders"]
        before = orders.column_ids(), orders.column_widths()
        at.port.order("o5", BTC, "BUY", "103450.0", "0.250", requested_price="103460.0", overlay=PendingAction.AMEND)
        await at.settle()
        assert "  →103,460.0 " in at.text()
        assert (orders.column_ids(), orders.column_widths()) == before


async def test_distance_to_liquidation_is_not_cut_at_60_columns() -> None:
    async with desk(60, 20) as at:
        fact = at.app.mirror.positions[f"{BTC}/LONG"]
        record = msgspec.structs.replace(fact.record, liq_price="62721.0")
        at.port.put(Table.POSITIONS, f"{BTC}/LONG", Fact(record, at.port.stamp()))
        await at.press("3")
        assert "!!!2.0%" in at.line_with("BINANCE BTC")


async def test_drawn_lines_of_removed_rows_are_not_kept_in_memory() -> None:
    async with desk(120, 36) as at:
        at.app.main_screen.show_pane("events")
        for count in range(1990):
            at.port.event(f"event {count}")
        await at.settle()
        for count in range(20):
            at.port.event(f"later {count}")
            await at.pause()
        await at.settle()
        table = at.app.main_screen.tables["events"]
        assert len(table._keys) == 2000
        assert table.rows.keys <= set(table._keys)
        orders = at.app.main_screen.tables["orders"]
        for count in range(10):
            at.port.put(Table.ORDERS, f"x{count - 1}", None)
            at.port.order(f"x{count}", BTC, "BUY", "1.0", "1")
            await at.settle()
        assert orders.rows.keys <= set(orders._keys)


async def test_a_large_update_is_drawn_in_parts_with_the_orders_first() -> None:
    async with desk(250, 70) as at:
        syms = [f"{venue}_PERP_C{count}_USDT" for count in range(25) for venue in ("BINANCE", "OKX")]
        for sym in syms:
            at.port.put(Table.SYMBOLS, sym, info(sym, "0.1", "0.001"))
            at.port.quote(sym, "100.0", "100.1")
        for count in range(200):
            at.port.order(f"k{count:04}", syms[count % 50], "BUY", "100.0", "1", create_at=count + 1)
        await at.settle()
        tables = at.app.main_screen.tables
        for sym in syms:
            at.port.quote(sym, "101.0", "101.1")
        for count in range(200):
            at.port.order(f"k{count:04}", syms[count % 50], "BUY", "101.0", "1", create_at=count + 1)
        drawn: list[tuple[str, int]] = []
        for name, table in tables.items():

            def flush(most: int = 1000, name: str = name, inner: object = table.flush) -> int:
                lines: int = inner(most)  # type: ignore[operator]
                drawn.append((name, lines))
                return lines

            table.flush = flush  # type: ignore[method-assign]
        at.app.frames.paint()
        assert sum(lines for _, lines in drawn) == SLICE_LINES
        assert next(name for name, table in tables.items() if table.waiting) == "quotes"
        assert next(name for name, lines in drawn if lines) == "orders"
        await at.settle()
        assert [name for name, table in tables.items() if table.waiting] == []
        assert at.text().count("101.1") >= 20


async def test_a_frozen_screen_still_updates_header_and_event_line() -> None:
    async with desk(80, 24) as at:
        await at.press("z")
        at.port.set_trading_state(TradingState.VIEW)
        at.port.event("filled while frozen", Level.GOOD)
        await at.settle()
        lines = at.text().split("\n")
        assert " VIEW " in lines[0] and "FROZEN" in lines[0] and "filled while frozen" in lines[-2]


async def test_titles_of_a_frozen_screen_stay_as_their_rows() -> None:
    async with desk(160, 45) as at:
        title = [line for line in at.text().split("\n") if "3 Positions ─ 3" in line]
        assert len(title) == 1 and "+2,129.50" in title[0]
        await at.press("z")
        key, fact = next(iter(at.app.mirror.positions.items()))
        record = msgspec.structs.replace(fact.record, unrealized_pnl="-1")
        at.port.put(Table.POSITIONS, key, Fact(record, fact.stamp))
        at.port.put(Table.FILLS, next(iter(at.app.mirror.fills)), None)
        at.clock.pass_by(2.0)
        await at.settle()
        assert at.line_of("positions", "3 Positions").count("+2,129.50") == 1 and "Fills 6" in at.text()
        await at.press("z")
        assert "+2,129.50" not in at.line_of("positions", "3 Positions") and "Fills 5" in at.text()


async def test_an_order_form_opened_in_view_mode_is_sent_after_arming() -> None:
    async with desk(80, 24, armed=False) as at:
        await at.press("enter", "b", "tab", "tab", "tab", "escape", "a")
        assert at.port.states == [TradingState.ARMED]
        assert at.app.main_screen.panel.open
        await at.press("y")
        assert len(at.port.intents) == 1


@pytest.mark.parametrize("width", [60, 80, 120])
async def test_help_page_text_is_complete_at_every_width(width: int) -> None:
    async with desk(width, 30) as at:
        await at.press("?")
        seen = at.text()
        for _ in range(8):
            await at.press("pagedown")
            seen += at.text()
        rows = "\n".join(line for line in seen.split("\n") if line.startswith(("│", "┌")) or "│" in line)
        assert "…" not in rows.replace("cancel…", "")
        assert "keeps its place in the queue" in " ".join(rows.replace("│", " ").split())


@pytest.mark.parametrize(("width", "height"), [(60, 20), (80, 24), (160, 45)])
async def test_long_order_reasons_and_events_are_readable_in_full(width: int, height: int) -> None:
    reason = "REJECTED 400123: " + " ".join(f"because{count}" for count in range(30)) + " end-of-reason"
    async with desk(width, height) as at:
        at.port.order("o7", BTC, "BUY", "64000.0", "1", reason=reason, state="OPEN", create_at=1)
        at.port.event(reason.replace("reason", "event"))
        await at.settle()
        await at.press("2", "G", "enter")
        assert at.scope() is Scope.HELP
        assert "end-of-reason" in at.text() and "because17" in at.text()
        await at.press("escape")
        assert at.scope() is Scope.ORDERS
        at.app.main_screen.show_pane("events")
        await at.press("G", "enter")
        assert "end-of-event" in at.text() and "because17" in at.text()
        assert at.port.intents == []


async def test_pane_titles_show_a_snapshot_error() -> None:
    async with desk(160, 45) as at:
        link = LinkRow(name="private", state=LinkState.UP, last_frame=at.clock.at, error="positions: answer 500")
        at.port.put(Table.LINKS, "private", link)
        await at.settle()
        assert "positions: answer 500" in at.line_with("2 Orders")
        assert "positions: answer 500" in at.line_with("3 Positions")


async def test_a_narrow_pane_title_marks_an_error_and_keeps_its_tabs() -> None:
    async with desk(80, 24) as at:
        at.app.main_screen.show_pane("orders")
        await at.settle()
        names = [word for word in at.line_with("2 Ord").split() if word.isalpha()]
        error = "order audit: HTTP 502 without a readable answer"
        at.port.put(
            Table.LINKS, "private", LinkRow(name="private", state=LinkState.UP, last_frame=at.clock.at, error=error)
        )
        await at.settle()
        title = at.line_with("2 Ord")
        assert " · !│" in title and "HTTP" not in title, title
        assert [name for name in names if name not in title] == [] and "Positions" in names, (names, title)


async def test_footer_always_shows_the_kill_key() -> None:
    for width in (60, 120):
        async with desk(width, 30) as at:
            for keys in (("1",), ("2",), ("3",), ("1", "b"), ("escape", "b", "e", "shift+tab")):
                await at.press(*keys)
                assert "X kill" in at.text().split("\n")[-1], keys


@pytest.mark.parametrize("size", [(120, 36), (160, 45)])
async def test_footer_of_every_list_shows_how_to_quit(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        for key in ("1", "2", "3", "4", "5"):
            await at.press(key)
            assert "Ctrl+Q quit" in at.text().split("\n")[-1], key


async def test_arrows_change_the_orders_view_and_end_goes_to_the_end() -> None:
    async with desk(120, 36) as at:
        await at.press("2")
        table = at.app.main_screen.tables["orders"]
        await at.press("right")
        assert table.pane.views[table.pane.view_at] == "today"
        await at.press("left")
        assert table.pane.views[table.pane.view_at] == "working"
        await at.press("end")
        assert table.selected == table.visible_keys()[-1] != table.visible_keys()[0]


async def test_private_link_indicator_stays_green_between_heartbeats() -> None:
    async with desk(80, 24) as at:
        at.port.put(Table.LINKS, "private", LinkRow(name="private", state=LinkState.UP, last_frame=at.clock.at - 2.8))
        at.port.put(Table.LINKS, "public", LinkRow(name="public", state=LinkState.UP, last_frame=at.clock.at - 2.8))
        await at.settle()
        first = at.text().split("\n")[0]
        assert "priv● ~" not in first and "md● ~2.8s" in first


async def test_rows_with_malformed_numbers_break_no_pane_or_key() -> None:
    odd = ("", "1e400", "-", "9" * 60, "0.000000000000000001", "NaN", "Infinity")
    async with desk(160, 45) as at:
        for index, text in enumerate(odd):
            sym = f"NEWVENUE_PERP_ODD{index}_USDT"
            at.port.quote(sym, text, text, text, text, text)
            at.port.order(f"odd{index}", sym, text, text, text, executed=text, average=text, state=text or "NEW_WORD")
            record = PositionRecord(
                position_id=text, sym=sym, position_side=text, position_qty=text or "1", avg_price=text, mark_price=text,
                position_value=text, unrealized_pnl=text, unrealized_pnl_rate=text, leverage=text, liq_price=text,
            )  # fmt: skip
            at.port.put(Table.POSITIONS, f"{sym}/{text}", Fact(record, at.port.stamp()))
            rank = AdlRank(sym=sym, adl_rank=text, position_id=text, position_side=text)
            at.port.put(Table.ADL, f"{sym}/{text}", Fact(rank, at.port.stamp()))
        await at.settle()
        for pane in PANES:
            at.app.main_screen.show_pane(pane)
            await at.settle()
            await at.press("G", "b", "escape", "f", "escape")
        at.app.main_screen.tick()
        await at.settle()
        assert "NEW_WORD" in at.text() or at.app.mirror.orders["odd0"].state == "NEW_WORD"


async def test_a_quote_update_does_not_reorder_a_long_pair_list() -> None:
    async with desk(160, 45, filled=False) as at:
        syms = [f"BINANCE_PERP_C{count:03}_USDT" for count in range(120)]
        for sym in syms:
            at.port.put(Table.SYMBOLS, sym, info(sym, "0.1", "1"))
            at.port.quote(sym, "1.0", "1.1")
        await at.settle()
        quotes = at.app.panes.quotes
        assert len(quotes.list_shown_syms()) == MOST_UNASKED < len(syms)
        assert not any(quotes.find_changed_rows(Table.QUOTES, [sym]).may_move for sym in syms)
        table = at.app.main_screen.tables["quotes"]
        at.port.order("far", syms[-1], "BUY", "1.0", "1")
        await at.settle()
        assert table.holds(syms[-1])
        at.port.order("far", syms[-1], "BUY", "1.0", "1", state="FILLED", final=True)
        await at.settle()
        assert not table.holds(syms[-1])


async def test_an_empty_side_of_a_book_is_a_dash_and_not_zero() -> None:
    async with desk(160, 45) as at:
        at.port.quote(SOL, "0", "151.25", bid_qty="0")
        await at.settle()
        line = at.line_with("SOL perp")
        assert " 151.25 " in line and not re.search(r" 0(\.0+)? ", line), line
