"""What the first hour at the desk found: words, averages and balances that were missing or misleading."""

from __future__ import annotations

import msgspec
import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual.events import Paste

from tests.workstation.driver import Desk, desk
from tui.engine.intents import Place
from tui.engine.rows import AlgoRow, Fact, ReadFailure, Table
from tui.interface.families.algo import AlgoRecord, Condition
from tui.interface.families.assets import AssetRecord
from tui.workstation.app.run import fit_colours
from tui.workstation.render.escape_writer import codes_of
from tui.workstation.settings import WorkstationSettings
from tui.workstation.terminal.output import disable_colours

BTC = "BINANCE_PERP_BTC_USDT"
SPOT = "BINANCE_SPOT_BTC_USDT"


async def _stage_on(at: Desk, sym: str, key: str = "b") -> None:
    table = at.app.main_screen.tables["quotes"]
    at.app.main_screen.set_focus(table)
    while table.selected is None or table.pane.sym(table.selected) != sym:
        before = table.selected
        await at.press("j")
        assert table.selected != before, f"{sym} is not in the list"
    await at.press(key)


@pytest.mark.parametrize("width", [80, 160])
async def test_a_filled_market_order_shows_its_average_price(width: int) -> None:
    async with desk(width, 45) as at:
        order = msgspec.structs.replace(
            at.app.mirror.orders["o3"],
            order_type="MARKET", price="", average="64001.2", executed="0.25", qty="0.25", state="FILLED", final=True,
        )  # fmt: skip
        at.port.put(Table.ORDERS, "o3", order)
        await at.settle()
        assert "64,001.2" in at.line_of("orders", "FILLED")
        at.port.put(Table.ORDERS, "o3", msgspec.structs.replace(order, average="", state="SENT", final=False))
        await at.settle()
        assert "mkt" in at.line_of("orders", "SENT")


@pytest.mark.parametrize("width", [80, 120])
async def test_a_filled_limit_order_shows_its_average_price(width: int) -> None:
    """The row said 60,553.2, its limit, and the event `FILLED avg 60,562.7`."""
    async with desk(width, 36) as at:
        order = msgspec.structs.replace(
            at.app.mirror.orders["o3"],
            order_type="LIMIT", price="63999.0", average="64001.2", executed="0.25", qty="0.25", state="FILLED", final=True,
        )  # fmt: skip
        at.port.put(Table.ORDERS, "o3", order)
        await at.settle()
        assert "64,001.2" in at.line_of("orders", "FILLED") and "63,999.0" not in at.line_of("orders", "FILLED")


async def test_spot_ticket_preview_starts_from_the_current_balance() -> None:
    async with desk(200, 60) as at:
        record = AssetRecord(coin="BTC", exchange_type="BINANCE", balance="1", available="1")
        at.port.put(Table.ASSETS, "BINANCE/BTC", Fact(record, at.port.stamp()))
        await at.settle()
        await _stage_on(at, SPOT)
        await at.press("ctrl+u", "0", ".", "0", "0", "1")
        assert "balance 1 → 1.001 BTC" in at.text()


async def test_the_preview_of_a_buy_that_repays_debt_starts_below_zero() -> None:
    async with desk(200, 60) as at:
        record = AssetRecord(coin="BTC", exchange_type="BINANCE", balance="0", available="0", debt="0.5")
        at.port.put(Table.ASSETS, "BINANCE/BTC", Fact(record, at.port.stamp()))
        await at.settle()
        await _stage_on(at, SPOT)
        await at.press("ctrl+u", "0", ".", "6")
        assert "balance less debt -0.5 → 0.1 BTC" in at.text()


async def test_reduce_only_ticket_without_a_position_says_so() -> None:
    async with desk(200, 60) as at:
        account = at.app.mirror.accounts["BINANCE"]
        flat = msgspec.structs.replace(account.record, position_mode="NET")
        at.port.put(Table.ACCOUNTS, "BINANCE", Fact(flat, account.stamp))
        for key in list(at.app.mirror.positions):
            at.port.put(Table.POSITIONS, key, None)
        await at.settle()
        await _stage_on(at, BTC)
        while at.app.main_screen.panel.ticket is not None and at.app.main_screen.panel.ticket.hedge:
            await at.press("L")
        await at.press("r")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.reduce_only
        assert "! reduce-only BUY: BINANCE BTC perp has no short position to reduce" in at.text()
        assert " sends" not in at.text().splitlines()[-2] and "would be refused" in at.text()
        await at.press("enter", "y", "enter")
        assert at.port.intents == [] and "question" not in at.text()
        assert "needs a size" not in at.text() and "position 0 → 0 " in at.text()
        # The fill of an order may be ahead of the position that it opens.
        at.port.order("ahead", BTC, "SELL", "64000", "1", executed="1", state="FILLED", final=True)
        await at.settle()
        await at.press("ctrl+u", "1", "enter", "y")
        [intent] = at.port.intents
        assert isinstance(intent, Place) and intent.reduce_only


async def test_the_improve_key_joins_and_says_so_if_the_spread_is_1t() -> None:
    async with desk(200, 60) as at:
        await _stage_on(at, BTC)
        quote = at.app.mirror.quotes[BTC]
        at.port.put(Table.QUOTES, BTC, msgspec.structs.replace(quote, bid="64000.0", ask="64000.1"))
        await at.settle()
        await at.press("I")
        assert "spread is one tick: joins the best price instead" in at.text()
        at.port.put(Table.QUOTES, BTC, msgspec.structs.replace(quote, bid="64000.0", ask="64000.5"))
        await at.settle()
        assert "spread is one tick: joins the best price instead" not in at.text()


async def test_size_field_refuses_letters_that_no_unit_has() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "2", "w")
        field = at.app.main_screen.panel.size_field
        assert field.value == "2"
        assert any("size in BTC, USDT, $ or %, not 'w'" in text for text in at.events())
        await at.press("backspace", "b", "t", "c")
        assert field.value == "2btc"
        await at.press("h")
        assert field.value == "2btc"


async def test_the_price_field_refuses_typed_letters_but_takes_a_paste() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "e", "tab")
        panel = at.app.main_screen.panel
        assert panel.price_field.has_focus
        before = panel.price_field.value
        await at.press("e")
        assert panel.price_field.value == before
        await at.press("backspace")
        panel.price_field.post_message(Paste("64,0x"))
        await at.settle()
        assert "64,0x" in panel.price_field.value


async def test_adl_rank_of_a_new_position_is_shown_as_not_yet_read() -> None:
    async with desk(160, 45) as at:
        for key in list(at.app.mirror.adl):
            at.port.put(Table.ADL, key, None)
        fact = at.app.mirror.positions[f"{BTC}/LONG"]
        pane = at.app.main_screen.tables["adl"].pane
        old = str(int((at.app.view.server_wall - 60) * 1000))
        for key, one in list(at.app.mirror.positions.items()):
            at.port.put(Table.POSITIONS, key, Fact(msgspec.structs.replace(one.record, create_at=old), one.stamp))
        await at.settle()
        assert pane.empty() == "rank not available"
        new = str(int(at.app.view.server_wall * 1000))
        at.port.put(
            Table.POSITIONS, f"{BTC}/LONG", Fact(msgspec.structs.replace(fact.record, create_at=new), fact.stamp)
        )
        await at.settle()
        assert pane.empty() == "rank … comes with the next read"


async def test_footer_hides_the_send_key_while_a_reply_is_pending() -> None:
    async with desk(160, 45) as at:
        await at.press("b")
        assert "Enter send" in at.text().split("\n")[-1]
        at.app.main_screen.panel.sending = 1.0
        at.app.main_screen.key_bar.refresh()
        await at.settle()
        footer = at.text().split("\n")[-1]
        assert "Enter send" not in footer and "Esc drop" in footer


async def test_a_terminal_without_color_support_gets_no_colors() -> None:
    async with desk(80, 24) as at:
        disable_colours(at.app)
        at.app.main_screen.refresh(repaint=True, layout=True)
        await at.settle()
        styles = [
            segment.style
            for y in range(24)
            for segment in at.app.main_screen.status.render_lines(at.app.main_screen.status.region)[0]
            if y == 0 and segment.style is not None
        ]
        assert styles
        assert all(style.color is None or style.color.is_default for style in styles)


@pytest.mark.parametrize(
    ("term", "colors", "reverses"),
    [
        ("dumb", None, True),
        ("xterm", ColorSystem.STANDARD, True),
        ("xterm-256color", ColorSystem.EIGHT_BIT, False),
        ("xterm", ColorSystem.TRUECOLOR, False),
    ],
)
async def test_a_terminal_of_few_colors_gets_a_reversed_cursor(
    monkeypatch: pytest.MonkeyPatch, term: str, colors: ColorSystem | None, reverses: bool
) -> None:
    async with desk(80, 24) as at:
        monkeypatch.setenv("TERM", term)
        at.app.console._color_system = colors
        fit_colours(at.app)
        assert bool(at.app.palette.style("sell", "cursor").reverse) is reverses
        assert not at.app.palette.style("sell").reverse


@pytest.mark.parametrize(("colors", "written"), [(ColorSystem.STANDARD, "34"), (ColorSystem.EIGHT_BIT, "38;5;")])
async def test_with_16_or_256_colors_the_light_theme_keeps_a_buy_color(
    monkeypatch: pytest.MonkeyPatch, colors: ColorSystem, written: str
) -> None:
    """Bids were grey, asks yellow."""
    async with desk(80, 24, settings=WorkstationSettings(theme="light")) as at:
        monkeypatch.setenv("TERM", "xterm")
        at.app.console._color_system = colors
        fit_colours(at.app)
        assert codes_of(at.app.palette.style("buy"), at.app.colours).foreground.startswith(written)


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_in_16_colors_a_field_hint_differs_from_typed_text(monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    """Under the reversed cursor both had the same look."""
    async with desk(80, 24, settings=WorkstationSettings(theme=theme)) as at:
        monkeypatch.setenv("TERM", "xterm")
        at.app.console._color_system = ColorSystem.STANDARD
        fit_colours(at.app)
        field = at.app.main_screen.line_field

        def shown(text: str) -> Style:
            (style,) = {one.style for one in field.render_line(0) if text in one.text and one.style is not None}
            return style

        await at.press(":")
        hint, caret = shown("a command"), shown(":")
        await at.type("buy")
        typed = shown("buy")
        assert typed.reverse and not hint.reverse and caret.reverse
        assert codes_of(hint, ColorSystem.STANDARD) != codes_of(typed, ColorSystem.STANDARD)


async def test_roe_column_header_shows_the_leverage() -> None:
    async with desk(160, 45) as at:
        assert "ROE 20x" in "\n".join(at.lines_of("positions")[:2])
        fact = at.app.mirror.positions[f"{BTC}/LONG"]
        at.port.put(
            Table.POSITIONS, f"{BTC}/LONG", Fact(msgspec.structs.replace(fact.record, leverage="5"), fact.stamp)
        )
        await at.settle()
        header = "\n".join(at.lines_of("positions")[:2])
        assert "ROE" in header and "20x" not in header


@pytest.mark.parametrize("changes", [">", "[", "T"])
async def test_a_percent_size_says_what_it_is_a_percent_of(changes: str) -> None:
    """Until the size changes, or the price at which it buys another size."""
    async with desk(200, 60) as at:
        account = at.app.mirror.accounts["BINANCE"]
        free = msgspec.structs.replace(account.record, available_margin="10000")
        at.port.put(Table.ACCOUNTS, "BINANCE", Fact(free, account.stamp))
        await at.settle()
        await _stage_on(at, BTC)
        await at.press("1", "0", "%", "tab")
        assert "= 10 % of buying power" in at.text()
        await at.press(changes)
        assert "buying power" not in at.text()


async def test_order_form_shows_the_keys_to_the_stop_and_target_fields() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "e")
        panel = at.app.main_screen.panel
        assert panel.size_field.has_focus and "Tab tp/sl" not in at.text()
        await at.press("enter")
        assert panel.price_field.has_focus and "Tab tp/sl  Enter preview" in at.text()
        assert " Enter preview " in at.text().splitlines()[-1], "the lowest line says the same"
        await at.press("tab")
        assert panel.profit_field.has_focus and "Tab sl  Enter preview" in at.text()
        await at.press("enter")
        assert panel.has_focus, "Enter went where it said"


@pytest.mark.parametrize(
    ("table", "key", "needs"),
    [
        (Table.FEES, "BINANCE/PERP", "needs the fees of BINANCE"),
        (Table.BRACKETS, BTC, f"needs the tiers of {BTC}"),
        (Table.DISCOUNTS, "USDT", "needs balance, index and discount of USDT"),
    ],
)
async def test_a_ticket_preview_names_data_that_is_missing_and_why(table: Table, key: str, needs: str) -> None:
    async with desk(160, 45) as at:
        await _stage_on(at, BTC)
        assert "needs" not in at.text()
        at.port.put(table, key, None)
        at.port.put(Table.UNREAD, table.value, ReadFailure("403"))
        await at.settle()
        await at.press("+", "-")
        assert f"{needs} (cannot be read: 403)" in at.text()


async def test_each_empty_view_of_orders_says_which_orders_are_missing() -> None:
    """The view of orders that algo orders sent said that there were no orders, though some worked."""
    async with desk(160, 45) as at:
        await at.press("2", ")", ")")
        assert "no orders that algo orders sent (checked" in at.text() and "A lists the algo orders" in at.text()
        await at.press(")")
        assert "no orders with own stop or target" in at.text()


async def test_the_key_line_of_positions_names_the_key_of_a_stop() -> None:
    async with desk(80, 24) as at:
        await at.press("3")
        assert " p stop " in at.text().split("\n")[-1]


@pytest.mark.parametrize("width", [80, 120])
async def test_a_stop_attached_to_an_order_is_listed_as_reduce_only(width: int) -> None:
    """`SELL 2,000` for a position of 750 looked as if it could turn it round."""
    async with desk(width, 36) as at:
        record = AlgoRecord(
            algo_order_id="7", sym=BTC, side="SELL", order_qty="2000", sl_trigger_price="60000", order_state="NEW",
            condition_type=Condition.PARTIAL_CLOSE_POSITION, attached_order_id="9",
        )  # fmt: skip
        at.port.put(Table.ALGOS, "7", AlgoRow(key="7", record=record, stamp=at.port.stamp()))
        await at.press("A")
        await at.settle()
        assert "SELL ro" in at.text()
