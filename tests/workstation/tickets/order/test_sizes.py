"""Sizes as they are typed: units, shares, amounts of money, and what is to remain of an order."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest
from textual.events import Paste

from tests.workstation.command_line.test_order_plan import read_desk
from tests.workstation.driver import desk
from tests.workstation.tickets.preview.test_confirmed import DECISION
from tests.workstation.tickets.ticket_desk import (
    BTC,
    OKX,
    SPOT,
    open_form,
    read_panel,
    select_contracts,
    type_in,
)
from tui.engine.intents import Replace
from tui.engine.limits import Limits
from tui.engine.rows import Fact, Table
from tui.interface.families.orders import OrderType, Side
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order import sizing, ticket_factory
from tui.workstation.tickets.order.refusals import expect_refusal
from tui.workstation.tickets.order.terms import PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.figures import figures_of, journal_text

IN_UNITS = (
    ("25", "25"),
    ("25ct", "25"),
    ("0.25 btc", "25"),
    ("0.26BTC", "26"),
    ("$16000", "24"),
    ("16001q", "25"),
    ("16001 usdt", "25"),
)
"""Typed size, and contracts."""


async def test_a_size_typed_in_any_unit_is_sent_in_venue_units() -> None:
    async with desk(160, 45) as at:
        await open_form(at)
        for typed, contracts in IN_UNITS:
            await type_in(at, "size", typed)
            assert at.ticket().qty == contracts, typed
            await at.press("enter")
            assert at.app.main_screen.panel.size_field.value == contracts, typed


NO_SIZES = (
    ("25 eth", "unit 'eth' does not belong to OKX_PERP_BTC_USDT; accepted are ct, BTC, USDT or $, %"),
    ("2.7ct", "size: 2.7ct must be a multiple of 1 ct (nearest 2ct or 3ct)"),
    ("0.259btc", "size: 0.259 BTC must be a multiple of 0.01 BTC (nearest 0.25 BTC or 0.26 BTC)"),
    ("1$", "1 $ is below the smallest size (1 ct = 0.01 BTC = 640.01 USDT)"),
    ("101%", "more than there is"),
    ("1,5ct", "for example 1.5"),
)
"""Typed text, and what is said of it."""


async def test_an_invalid_size_is_rejected_with_what_is_accepted() -> None:
    async with desk(200, 60) as at:
        await open_form(at)
        for typed, words in NO_SIZES:
            await type_in(at, "size", "")
            at.app.main_screen.panel.size_field.post_message(Paste(typed))
            await at.settle()
            assert words in at.app.main_screen.panel.problems[0].text, typed
            assert "! size: " in at.text(), typed
        assert at.port.intents == []


async def test_a_percent_size_is_of_free_margin_or_the_closable_size() -> None:
    async with desk(160, 45) as at:
        account = at.app.mirror.accounts["OKX"]
        record = msgspec.structs.replace(account.record, available_margin="10000")
        at.port.put(Table.ACCOUNTS, "OKX", Fact(record, account.stamp))
        await at.settle()
        await open_form(at)
        await type_in(at, "size", "50%")
        # 10,000 of margin at 20x less fees carry 309 contracts of 640.009.
        assert at.ticket().qty == "154"
        at.app.main_screen.set_focus(at.app.main_screen.panel)
        while at.ticket().effect is not PositionEffect.CLOSE_SHORT:
            await at.press("L")
        await type_in(at, "size", "50%")
        # Of 200 contracts an order that works closes 25.
        assert at.ticket().qty == "87"


@pytest.mark.parametrize(("margin", "most"), [("10000", "156"), ("1000", "30")])  # of 100,000 as hard limit, 20x
async def test_the_ticket_title_names_the_largest_size_during_typing(margin: str, most: str) -> None:
    async with desk(160, 45) as at:
        account = at.app.mirror.accounts["OKX"]
        record = msgspec.structs.replace(account.record, available_margin=margin)
        at.port.put(Table.ACCOUNTS, "OKX", Fact(record, account.stamp))
        await select_contracts(at)
        await at.press("b")
        assert "max " not in at.text()
        await at.press("tab")
        assert "OKX BTC perp" in at.text() and f"max {most} ct · e.g. 25 ct, $16000 or 1%" in at.text()
        await at.press("escape", "escape", "3")
        await select_contracts(at)
        await at.press("o", "tab")
        # Of 200 contracts an order that works closes 25.
        assert "max 175 ct · e.g. 25 ct" in at.text()


@pytest.mark.parametrize("pair", [SPOT, SPOT.replace("SPOT", "MARGIN")])
async def test_spot_market_buy_in_quote_units_sends_a_quote_amount(pair: str) -> None:
    """A limit order, a sell, a perpetual and a size typed otherwise are sent with their quantity."""
    async with desk(160, 45) as at:
        screen = at.app.main_screen
        while screen.table is None or screen.table.selected is None or pair not in screen.table.selected:
            await at.press("j")
        await at.press("enter")
        assert screen.panel.mode is Mode.FORM
        await type_in(at, "size", "1000 usdt")
        made, quote = at.ticket(), screen.panel.quote
        assert made.spends == ("1000", made.qty) and Decimal(made.qty) * Decimal(64010) < 1000
        view = screen.view

        def sent(**changes: object) -> tuple[str, str]:
            changed = msgspec.structs.replace(made, **changes)
            text = journal_text(figures_of(changed, quote, view))
            intent = changed.place(DECISION, quote, frozenset(), text)
            assert ("the order is for 1,000 USDT, whatever size that buys" in text) == bool(intent.quote_qty)
            return intent.quote_qty, intent.qty

        assert made.sym == pair and sent(order_type=OrderType.MARKET) == ("1000", made.qty)
        assert sent() == ("", made.qty)
        assert sent(order_type=OrderType.MARKET, effect=PositionEffect.SELL)[0] == ""
        assert sent(order_type=OrderType.MARKET, qty="0.01") == ("", "0.01")
        assert sent(order_type=OrderType.MARKET, sym=BTC)[0] == ""
        await type_in(at, "size", "0.01")
        made = at.ticket()
        assert sent(order_type=OrderType.MARKET) == ("", "0.01")


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_ticket_says_that_the_lot_rounded_a_money_size(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b", *"$100")
        assert "size rounded down to 0.001 BTC (lot 0.001)" in at.text()
        await at.press(*["backspace"] * 3, *"641")
        assert at.app.main_screen.panel.ticket is not None and at.app.main_screen.panel.ticket.qty == "0.01"
        assert "rounded down" not in at.text(), "a fiftieth is not worth a remark"


@pytest.mark.parametrize(("typed", "nearest"), [(".0125btc", "0.012 BTC or 0.013 BTC"), ("0.0125 BTC", "0.012 BTC")])
async def test_a_size_in_coins_off_the_lot_is_refused_and_not_sent(typed: str, nearest: str) -> None:
    async with desk(160, 45) as at:
        await at.press("b", *typed)
        assert f"must be a multiple of 0.001 BTC (nearest {nearest}" in at.text()
        await at.press("enter", "y")
        assert at.port.intents == []


async def test_a_ticket_says_that_the_lot_rounded_a_percent_size() -> None:
    async with desk(160, 45) as at:
        fact = at.app.mirror.positions[f"{OKX}/SHORT"]
        # An order that works closes 25 of them.
        record = msgspec.structs.replace(fact.record, position_qty="28")
        at.port.put(Table.POSITIONS, f"{OKX}/SHORT", Fact(record, fact.stamp))
        await at.settle()
        await open_form(at)
        at.app.main_screen.set_focus(at.app.main_screen.panel)
        while at.ticket().effect is not PositionEffect.CLOSE_SHORT:
            await at.press("L")
        await type_in(at, "size", "50%")
        assert at.ticket().qty == "1"
        assert "size rounded down to 1 ct (lot 1)" in at.text()
        await type_in(at, "size", "100%")
        assert "rounded down" not in at.text()
        at.port.put(
            Table.POSITIONS, f"{OKX}/SHORT", Fact(msgspec.structs.replace(record, position_qty="20"), fact.stamp)
        )
        await at.settle()
        await type_in(at, "size", "10%")
        said = read_panel(at)
        assert "working orders close all of it: cancel them first: BUY 25ct OKX BTC perp @ " in said, said
        at.port.put(
            Table.POSITIONS, f"{OKX}/SHORT", Fact(msgspec.structs.replace(record, position_qty="26"), fact.stamp)
        )
        await at.settle()
        await type_in(at, "size", "10%")
        assert "working orders hold the rest: BUY 25ct OKX BTC perp @ " in read_panel(at)


async def test_the_stop_form_says_that_the_lot_rounded_a_percent_size() -> None:
    leg = f"{BTC}/LONG"
    async with desk(160, 45) as at:
        fact = at.app.mirror.positions[leg]
        at.port.put(Table.POSITIONS, leg, Fact(msgspec.structs.replace(fact.record, position_qty="0.003"), fact.stamp))
        await at.settle()
        await at.press("3", "g", "g")
        while at.app.main_screen.tables["positions"].selected != leg:
            await at.press("j")
        await at.press("p", *"1%", "down", *"50%")
        assert "size rounded down to 0.001 BTC (lot 0.001)" in at.text()


@pytest.mark.parametrize("filled", [{"executed": "0.15"}, {"executed": "0.100", "known_fills": "0.15"}])
async def test_after_fills_a_replace_keeps_the_typed_rest_and_asks(filled: dict[str, str]) -> None:
    """Also where the fills are ahead of the record of the order."""
    async with desk(160, 45) as at:
        await at.press("2", "j", "j", "e")
        assert at.app.main_screen.panel.mode is Mode.REPLACE
        await type_in(at, "rest", "0.2")
        assert at.ticket().qty == "0.3", "0.1 has filled"
        assert at.app.main_screen.panel.size_field.value == "0.3"
        order = at.app.mirror.orders["o3"]
        at.port.order("o3", order.sym, "BUY", order.price, order.qty, state=order.state, position_side="LONG", **filled)
        await at.settle()
        at.app.main_screen.set_focus(at.app.main_screen.panel)
        await at.press("enter")
        assert at.port.intents == []
        ask = at.app.main_screen.panel.ask
        assert ask is not None
        assert ask.text == "filled 0.15 now, 0.100 when this form opened; send the total 0.35?"
        assert "? filled 0.15 now, 0.100 when this form opened" in at.text()
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, Replace)
        assert (intent.key, intent.qty) == ("o3", "0.35")


async def test_the_remaining_size_of_a_replace_follows_its_total() -> None:
    async with desk(160, 45) as at:
        await at.press("2", "j", "j", "e")
        panel = at.app.main_screen.panel
        assert (panel.size_field.value, panel.rest_field.value) == ("0.250", "0.150")
        await type_in(at, "size", "0.4")
        assert panel.rest_field.value == "0.300"


def test_size_keys_on_a_replace_drop_its_typed_remaining_size() -> None:
    """The rest that was typed stayed beside it: the next row of the order made another total of it."""
    view = read_desk()
    order = view.mirror.orders["o3"]
    ticket = ticket_factory.replacement(order, view)
    assert isinstance(ticket, Ticket)
    typed = msgspec.structs.replace(ticket, rest="0.2", qty="0.3")
    for changed in (typed.scale_size(up=True), typed.scale_size(up=False), typed.step_size(1, None)):
        assert changed.rest == "" and changed.follow_order(order).qty == changed.qty


@pytest.mark.parametrize("order_type", list(OrderType))
async def test_a_spot_buy_of_100_percent_is_the_largest_accepted_size(order_type: OrderType) -> None:
    """At market the gate counts a buy above the touch: all that is free at the touch would be refused."""
    async with desk(160, 45) as at:
        at.port.set_desk(limits=Limits(hard_notional="9000000", soft_notional="9000000"))
        while at.app.main_screen.tables["quotes"].selected != SPOT:
            await at.press("j")
        await at.press("b")
        view, quote = at.app.main_screen.panel.view, at.app.main_screen.panel.quote
        ticket = msgspec.structs.replace(at.ticket(), order_type=order_type)
        most = sizing.parse("100%", ticket, quote, at.app.mirror).quantity
        assert sizing.describe_largest(ticket, quote, at.app.mirror) == f"max {most} BTC"
        for size, refused in ((Decimal(most), False), (Decimal(most) + Decimal("0.00001"), True)):
            tried = msgspec.structs.replace(ticket, qty=str(size))
            assert bool(expect_refusal(tried, view, quote)) is refused, size


@pytest.mark.parametrize(
    ("side", "mode", "bid", "ask", "lacks"),
    [
        (Side.BUY, PriceMode.JOIN, "", "64001", "join needs a bid"),
        (Side.BUY, PriceMode.TAKE, "64000", "", "take needs an ask"),
        (Side.BUY, PriceMode.MID, "64000", "", "mid needs an ask"),
        (Side.BUY, PriceMode.MID, "", "64001", "mid needs a bid"),
        (Side.SELL, PriceMode.MID, "", "64001", "mid needs a bid"),
        (Side.SELL, PriceMode.MID, "64000", "", "mid needs an ask"),
    ],
)
def test_a_price_helper_names_the_side_of_the_book_it_lacks(
    side: Side, mode: PriceMode, bid: str, ask: str, lacks: str
) -> None:
    view = read_desk()
    quote = msgspec.structs.replace(view.mirror.quotes[BTC], bid=bid, ask=ask)
    effect = PositionEffect.OPEN_LONG if side is Side.BUY else PositionEffect.OPEN_SHORT
    ticket = Ticket(sym=BTC, info=view.info(BTC), hedge=True, effect=effect, price_mode=mode, qty="1")
    [problem] = [problem.text for problem in ticket.problems(quote) if problem.field == "price"]
    assert problem == f"price: {lacks}, and there is none; type a price"
