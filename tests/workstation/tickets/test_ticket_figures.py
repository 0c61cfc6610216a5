"""What a ticket says of itself: typed units, shares, protections, what is to remain, and the figures of the drawings."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

import msgspec
import pytest
from textual.events import Paste

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.test_confirmed import DECISION
from tui.engine.intents import Outcome, Place, Protection, Replace, Verdict
from tui.engine.rows import Fact, QuoteRow, Table
from tui.interface.families.loans import CoinDiscountRow
from tui.interface.families.orders import OrderType, Side
from tui.workstation.input.scopes import Scope
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order import protection
from tui.workstation.tickets.order.forecast import Forecast, forecast
from tui.workstation.tickets.order.limits import exceeds_hard_limit
from tui.workstation.tickets.order.protection import BadProtection
from tui.workstation.tickets.order.terms import PositionEffect
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.figures import Figures, figures_of, journal_text
from tui.workstation.tickets.preview.limits import limit_pieces

BTC = "BINANCE_PERP_BTC_USDT"
OKX = "OKX_PERP_BTC_USDT"
SPOT = "BINANCE_SPOT_BTC_USDT"
TICK = Decimal("0.1")


def ticket(at: Desk) -> Ticket:
    found = at.app.main_screen.panel.ticket
    assert found is not None
    return found


async def _form(at: Desk) -> None:
    """The form of the second row of the quotes: a perpetual in contracts."""
    while (
        at.app.main_screen.table is None
        or at.app.main_screen.table.selected is None
        or OKX not in at.app.main_screen.table.pane.sym(at.app.main_screen.table.selected)
    ):
        await at.press("j")
    await at.press("enter")
    assert at.app.main_screen.panel.mode is Mode.FORM
    await at.press("right")


async def _type(at: Desk, field: str, text: str) -> None:
    at.app.main_screen.set_focus(at.app.main_screen.panel.fields[field])
    await at.press("ctrl+u", *("space" if one == " " else one for one in text))


@pytest.mark.parametrize(
    ("typed", "contracts"),
    [
        ("25", "25"),
        ("25ct", "25"),
        ("0.25 btc", "25"),
        ("0.259BTC", "25"),
        ("$16000", "24"),
        ("16001q", "25"),
        ("16001 usdt", "25"),
    ],
)
async def test_a_size_typed_in_any_unit_is_sent_in_venue_units(typed: str, contracts: str) -> None:
    async with desk(160, 45) as at:
        await _form(at)
        await _type(at, "size", typed)
        assert ticket(at).qty == contracts
        await at.press("enter")
        assert at.app.main_screen.panel.size_field.value == contracts


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("25 eth", "unit 'eth' does not belong to OKX_PERP_BTC_USDT; accepted are ct, BTC, USDT or $, %"),
        ("1$", "1 $ is below the smallest size (1 ct = 0.01 BTC = 640.01 USDT)"),
        ("101%", "more than there is"),
        ("1,5ct", "for example 1.5"),
    ],
)
async def test_an_invalid_size_is_rejected_with_what_is_accepted(typed: str, words: str) -> None:
    async with desk(200, 60) as at:
        await _form(at)
        await _type(at, "size", "")
        at.app.main_screen.panel.size_field.post_message(Paste(typed))
        await at.settle()
        assert words in at.app.main_screen.panel.problems[0].text
        assert "! size: " in at.text()
        assert at.port.intents == []


async def test_percent_sizes_use_free_margin_or_the_position() -> None:
    async with desk(160, 45) as at:
        account = at.app.mirror.accounts["OKX"]
        record = msgspec.structs.replace(account.record, available_margin="10000")
        at.port.put(Table.ACCOUNTS, "OKX", Fact(record, account.stamp))
        await at.settle()
        await _form(at)
        await _type(at, "size", "50%")
        # 10,000 of margin at 20x less fees carry 309 contracts of 640.009.
        assert ticket(at).qty == "154"
        at.app.main_screen.set_focus(at.app.main_screen.panel)
        while ticket(at).effect is not PositionEffect.CLOSE_SHORT:
            await at.press("L")
        await _type(at, "size", "50%")
        assert ticket(at).qty == "100"


async def test_ticket_preview_figures_match_the_documented_example() -> None:
    """25 contracts long beside 200 short on OKX, as the drawing of the screen has it."""
    async with desk(160, 45) as at:
        at.port.put(Table.ORDERS, "o4", None)
        await at.settle()
        view = at.app.main_screen.panel.view
        opens = Ticket(sym=OKX, info=view.info(OKX), hedge=True, effect=PositionEffect.OPEN_LONG, qty="25")
        found = forecast(opens, at.app.mirror.quotes[OKX], at.app.mirror)
        assert isinstance(found, Forecast)
        assert found.fee == 0
        assert round(found.rebate, 2) == Decimal("0.80")
        assert found.liq_before is not None and round(found.liq_before, 1) == Decimal("73840.8")
        assert found.liq_after is not None and round(found.liq_after, 1) == Decimal("75185.1")
        assert found.before.uni_mmr is not None and round(found.before.uni_mmr, 2) == Decimal("31.90")
        assert found.after.uni_mmr is not None and round(found.after.uni_mmr, 2) == Decimal("28.36")
        await _form(at)
        await _type(at, "size", "25")
        text = at.text()
        assert "liq 73,840.8 → 75,185.1" in text
        assert "uniMMR 31.90 → 28.36" in text
        assert "rebate ~0.80" in text
        assert "64 % of the soft limit" in text


async def test_fills_before_the_answer_are_not_added_to_the_preview() -> None:
    async with desk(160, 45) as at:
        at.port.hold = True
        await at.press("b", "enter")
        panel = at.app.main_screen.panel
        assert panel.ticket is not None
        before = panel.figures(panel.ticket)
        key, fact = next((key, fact) for key, fact in at.app.mirror.positions.items() if key.startswith(BTC))
        filled = msgspec.structs.replace(fact.record, position_qty="7.5")
        at.port.put(Table.POSITIONS, key, msgspec.structs.replace(fact, record=filled))
        await at.settle()
        assert panel.sending and panel.figures(panel.ticket) == before, "the fill counts in the position alone"
        at.port.answer(Outcome(verdict=Verdict.DENIED, guard="BAND", text="late"))
        await at.settle()
        assert not panel.sending and panel.figures(panel.ticket) != before


async def test_market_ticket_counts_against_limits_as_the_engine_does() -> None:
    """Worth 24,900 at the touch it is over the soft limit of 25,000, because 1 % is added; the ticket says so before."""
    async with desk() as at:
        view = at.app.main_screen.panel.view
        whole = Ticket(sym=OKX, info=view.info(OKX), hedge=True, effect=PositionEffect.OPEN_LONG)
        market = msgspec.structs.replace(whole, order_type=OrderType.MARKET)
        quote = QuoteRow(sym=OKX, bid="59990", ask="60000", mark="59000", ts=1, received=1.0)
        for qty, said, refused in (
            ("41", "99 % of the soft limit", False),
            ("41.5", "1.0× soft limit: will ask", False),
            ("165", "4.0× soft limit: will ask", False),
            ("166", "4.0× soft limit, 1.0× hard: will be refused", True),
        ):
            sized = msgspec.structs.replace(market, qty=qty)
            ((words, _),) = limit_pieces(sized, quote, view)
            assert (words, exceeds_hard_limit(sized, quote, view)) == (said, refused)
        for gone, value in (({"ask": ""}, "60589.9"), ({"mark": "61000"}, "61610"), ({"bid": "", "ask": ""}, "59590")):
            quoted = msgspec.structs.replace(quote, **gone)
            assert msgspec.structs.replace(market, qty="100").limit_value(quoted) == Decimal(value)
        sale = msgspec.structs.replace(market, qty="100", effect=PositionEffect.OPEN_SHORT)
        assert sale.limit_value(quote) == Decimal("59990")


async def test_closing_ticket_does_not_count_against_limits() -> None:
    async with desk() as at:
        view = at.app.main_screen.panel.view
        close = Ticket(sym=OKX, info=view.info(OKX), hedge=True, effect=PositionEffect.CLOSE_LONG, qty="1000")
        market = msgspec.structs.replace(close, order_type=OrderType.MARKET)
        quote = QuoteRow(sym=OKX, bid="59990", ask="60000", mark="59000", ts=1, received=1.0)
        assert limit_pieces(market, quote, view) == [] and not exceeds_hard_limit(market, quote, view)


@pytest.mark.parametrize(
    ("text", "side", "trigger", "source"),
    [
        ("63360", Side.BUY, "63360", "MARK_PRICE"),
        ("1%", Side.BUY, "63360.9", "MARK_PRICE"),
        ("-1%", Side.BUY, "63360.9", "MARK_PRICE"),
        ("20t by last", Side.BUY, "63998.9", "LAST_PRICE"),
        ("30bp", Side.SELL, "64192.9", "MARK_PRICE"),
    ],
)
def test_a_stop_is_a_price_or_an_offset_on_the_loss_side(text: str, side: Side, trigger: str, source: str) -> None:
    read = protection.stop_loss(text, Decimal("64000.9"), side, TICK)
    assert read is not None
    assert read.wire() == Protection(trigger=trigger, source=source)


@pytest.mark.parametrize("text", ["63000 @62990", "63000 mark @ 62990", "63000 by mark @62990"])
def test_a_stop_can_have_a_limit_price_after_its_trigger(text: str) -> None:
    read = protection.stop_loss(text, Decimal("64000.9"), Side.BUY, TICK)
    assert read is not None
    assert read.wire() == Protection(trigger="63000", source="MARK_PRICE", price="62990")


def test_a_target_in_r_is_a_multiple_of_the_stop_distance() -> None:
    entry = Decimal("64000")
    stop = protection.stop_loss("100t", entry, Side.BUY, TICK)
    profit = protection.take_profit("2r", entry, Side.BUY, TICK, stop.trigger if stop is not None else None)
    assert profit is not None
    assert (profit.trigger, profit.source) == (Decimal("64020"), "LAST_PRICE")
    found = protection.protection_result(entry, Decimal("0.5"), Side.BUY, stop, profit)
    assert [found.loss, found.gain, found.ratio] == [-5, 10, 2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("64001", "would trigger immediately; it must be below 64,000"),
        ("63999.95", "must be a multiple of 0.1 (nearest 63999.9 or 64000)"),
        ("+100", "of what"),
        ("soon", "no trigger"),
        ("2r", "r needs a stop"),
        ("63000 @62990.05", "62990.05 must be a multiple of 0.1"),
        ("63000 @", "no trigger"),
        ("1,5%", "for example 1.5"),
    ],
)
def test_an_invalid_trigger_is_rejected_with_what_is_accepted(text: str, words: str) -> None:
    with pytest.raises(BadProtection) as caught:
        protection.stop_loss(text, Decimal(64000), Side.BUY, TICK)
    assert words in str(caught.value)


async def test_spot_market_buy_in_quote_units_sends_a_quote_amount() -> None:
    """A limit order, a sell, a perpetual and a size typed otherwise are sent with their quantity."""
    async with desk(160, 45) as at:
        screen = at.app.main_screen
        while screen.table is None or screen.table.selected is None or SPOT not in screen.table.selected:
            await at.press("j")
        await at.press("enter")
        assert screen.panel.mode is Mode.FORM
        await _type(at, "size", "1000 usdt")
        made, quote = ticket(at), screen.panel.quote
        assert made.spends == ("1000", made.qty) and Decimal(made.qty) * Decimal(64010) < 1000
        view = screen.view

        def sent(**changes: object) -> tuple[str, str]:
            changed = msgspec.structs.replace(made, **changes)
            text = journal_text(figures_of(changed, quote, view))
            intent = changed.place(DECISION, quote, frozenset(), text)
            assert (f"spends {intent.quote_qty} USDT" in text) == bool(intent.quote_qty)
            return intent.quote_qty, intent.qty

        assert sent(order_type=OrderType.MARKET) == ("1000", made.qty)
        assert sent() == ("", made.qty)
        assert sent(order_type=OrderType.MARKET, effect=PositionEffect.SELL)[0] == ""
        assert sent(order_type=OrderType.MARKET, qty="0.01") == ("", "0.01")
        assert sent(order_type=OrderType.MARKET, sym=BTC)[0] == ""
        await _type(at, "size", "0.01")
        made = ticket(at)
        assert sent(order_type=OrderType.MARKET) == ("", "0.01")


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_money_that_the_lot_leaves_out_is_told(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b", *"$100")
        assert "size rounded down to 0.001 BTC (lot 0.001)" in at.text()
        await at.press(*["backspace"] * 3, *"641")
        assert at.app.main_screen.panel.ticket is not None and at.app.main_screen.panel.ticket.qty == "0.01"
        assert "rounded down" not in at.text(), "a fiftieth is not worth a remark"


async def test_stop_and_target_are_sent_with_the_order() -> None:
    async with desk(160, 45) as at:
        await _form(at)
        await _type(at, "size", "25")
        await _type(at, "sl", "1%")
        await _type(at, "tp", "2r")
        assert "2 : 1" in at.text() and "either ends the other" in at.text()
        at.app.main_screen.set_focus(at.app.main_screen.panel)
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, Place) and intent.order_type is OrderType.LIMIT
        assert intent.stop_loss == Protection(trigger="63360.9", source="MARK_PRICE")
        assert intent.take_profit == Protection(trigger="65280.9", source="LAST_PRICE")


async def test_an_invalid_stop_keeps_the_order_from_being_sent() -> None:
    async with desk(160, 45) as at:
        await _form(at)
        await _type(at, "sl", "65000")
        at.app.main_screen.set_focus(at.app.main_screen.panel)
        await at.press("enter")
        assert at.port.intents == []
        assert "sl: 65,000 would trigger immediately" in at.text()


@pytest.mark.parametrize("filled", [{"executed": "0.15"}, {"executed": "0.100", "known_fills": "0.15"}])
async def test_a_typed_remaining_size_stays_after_more_fills(filled: dict[str, str]) -> None:
    """Also where the fills are ahead of the record of the order."""
    async with desk(160, 45) as at:
        await at.press("2", "j", "j", "e")
        assert at.app.main_screen.panel.mode is Mode.REPLACE
        await _type(at, "rest", "0.2")
        assert ticket(at).qty == "0.3", "0.1 has filled"
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


async def test_total_and_remaining_size_fields_follow_each_other() -> None:
    async with desk(160, 45) as at:
        await at.press("2", "j", "j", "e")
        panel = at.app.main_screen.panel
        assert (panel.size_field.value, panel.rest_field.value) == ("0.250", "0.150")
        await _type(at, "size", "0.4")
        assert panel.rest_field.value == "0.300"


def a_quote(at: Desk) -> None:
    at.port.quote(BTC, "64002.0", "64002.2", mark="64002.0")


def a_position(at: Desk) -> None:
    fact = at.app.mirror.positions[f"{BTC}/LONG"]
    record = msgspec.structs.replace(fact.record, position_qty="7.5")
    at.port.put(Table.POSITIONS, f"{BTC}/LONG", Fact(record, fact.stamp))


def an_order(at: Desk) -> None:
    at.port.order("o9", "BINANCE_PERP_ETH_USDT", "BUY", "3400.00", "25")


def nothing(at: Desk) -> None:
    del at


@pytest.mark.parametrize("change", [a_quote, a_position, an_order, nothing])
async def test_an_order_carries_the_preview_figures_to_the_journal(
    change: Callable[[Desk], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk() as at:
        at.port.hold = True
        await at.press("b")
        before, reckon, reckoned = at.text(), figures_of, list[Ticket]()
        change(at)
        await at.settle()
        drawn, view, panel = at.text(), at.app.main_screen.view, at.app.main_screen.panel
        assert (drawn != before) == (change is not nothing)

        def counted(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Figures:
            reckoned.append(ticket)
            return reckon(ticket, quote, view)

        monkeypatch.setattr("tui.workstation.tickets.preview.figures.figures_of", counted)
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place) and not reckoned, "nothing is reckoned between Enter and the engine"
        now = reckon(ticket(at), panel.quote, view)
        assert intent.preview == journal_text(now)
        assert all(text in drawn for text, _ in (*now.size[-1:], *now.effect, *now.risk))


async def test_a_reopened_ticket_recalculates_its_preview() -> None:
    """What changed while no ticket was open asked for no line to be drawn."""
    async with desk() as at:
        at.port.hold = True
        await at.press("b", "escape")
        at.port.put(Table.DISCOUNTS, "USDT", CoinDiscountRow(coin="USDT", discount="0.5"))
        await at.settle()
        await at.press("b", "enter")
        [intent] = at.port.intents
        view, panel = at.app.main_screen.view, at.app.main_screen.panel
        assert isinstance(intent, Place)
        assert intent.preview == journal_text(figures_of(ticket(at), panel.quote, view))


SIZES = ((40, 12), (50, 16), (60, 20), (78, 30), (80, 24), (100, 40), (120, 36), (160, 45), (200, 60))


def said_by_ticket(at: Desk) -> str:
    region = at.app.main_screen.panel.region
    return "\n".join(at.text().split("\n")[region.y : region.bottom])


def put_other_leg(at: Desk) -> None:
    record = msgspec.structs.replace(
        at.app.mirror.positions[f"{BTC}/LONG"].record,
        position_id="77", position_side="SHORT", position_qty="1.2", avg_price="64500",
    )  # fmt: skip
    at.port.put(Table.POSITIONS, f"{BTC}/SHORT", Fact(record, at.port.stamp()))


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("keys", [("b",), ("s",), ("b", "e", *["tab"] * 8)])
async def test_ticket_shows_fee_and_break_even_at_every_screen_size(
    width: int, height: int, keys: tuple[str, ...]
) -> None:
    """Staged and in the form, also where both legs stand."""
    async with desk(width, height) as at:
        put_other_leg(at)
        await at.press(*keys)
        await at.settle()
        said = said_by_ticket(at)
        assert ("fee ~" in said or "rebate ~" in said) and "break-even " in said, said
        if width >= 60:
            assert "liq " in said and "uniMMR " in said and "post-only" in said, said
        elif keys in (("b",), ("s",)):
            assert "post-only" in said, said
        assert all(len(line) == width for line in said.split("\n"))


async def test_a_partial_close_ticket_shows_no_break_even() -> None:
    """The figure counted the fee of what it closes and not its gain."""
    async with desk(160, 45) as at:
        await at.press("3", "%", "2")
        await at.settle()
        said = said_by_ticket(at)
        assert "fee ~" in said and "break-even" not in said, said


async def test_narrow_form_shows_trigger_prices_of_percent_offsets() -> None:
    async with desk(80, 24) as at:
        await at.press("b", "e")
        panel = at.app.main_screen.panel
        at.app.main_screen.set_focus(panel.profit_field)
        await at.press(*"1%", "tab", *"1%")
        await at.settle()
        assert "sl 63,361.0 · tp 64,641.0 · 1 : 1" in said_by_ticket(at)


async def test_a_ticket_in_contracts_parts_its_units_by_a_space() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "/", *"okx btc", "enter", "b", "5")
        await at.settle()
        assert "· = 0.05 BTC = 3,200.05 USDT" in said_by_ticket(at), said_by_ticket(at)


@pytest.mark.parametrize("width", [60, 76, 84])
async def test_a_ticket_with_its_price_below_has_no_stray_dot(width: int) -> None:
    async with desk(width, 24) as at:
        await at.press("1", "g", "j", "b", *"0.02", "tab", "+", "+", "+", "+")
        await at.settle()
        assert re.search(r"size\S*\s+[\d.]+\s+BTC\s+·", said_by_ticket(at)) is None, said_by_ticket(at)


async def test_quote_age_in_a_question_is_that_of_the_newest_quote() -> None:
    async with desk(200, 50) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press("3", "f", "enter")
        at.clock.pass_by(5.0)
        at.port.quote(BTC, "64001.0", "64001.3")
        await at.settle()
        assert at.scope() is Scope.ASK and "quote 0.0s" in said_by_ticket(at), said_by_ticket(at)


async def test_full_close_ticket_at_80_columns_has_no_empty_item() -> None:
    async with desk(80, 24) as at:
        await at.press("3", "f")
        await at.settle()
        said = said_by_ticket(at)
        assert "the whole position, at market · " in said and "·  ·" not in said, said


@pytest.mark.parametrize(("width", "height"), [size for size in SIZES if size[0] >= 60])
async def test_a_denial_on_a_ticket_does_not_hide_fee_and_break_even(width: int, height: int) -> None:
    """At 160 columns a question stood over the line with fee and break-even."""
    async with desk(width, height) as at:
        put_other_leg(at)
        await at.press("b")
        panel = at.app.main_screen.panel
        panel.refusal = "the first BTC perp order of today"
        panel.refresh()
        await at.settle()
        said = said_by_ticket(at)
        assert "! the first BTC perp order of today" in said and "rebate ~" in said and "break-even " in said, said


async def test_market_close_within_the_best_size_shows_no_warning() -> None:
    """Its ticket keeps the post-only of the form, which a market order does not send."""
    async with desk(160, 45) as at:
        await at.press("3", "g", "g")
        await at.press("f")
        held = ticket(at)
        at.port.quote(held.sym, "64001.0", "64001.2", "999", "999", "64001.0")
        await at.settle()
        assert held.order_type is OrderType.MARKET
        assert "beyond the best price" not in at.text()


async def test_a_small_form_names_tick_and_lot_of_the_pair() -> None:
    async with desk(80, 24) as at:
        for _ in range(9):
            await at.press("j")
        await at.press("enter")
        await at.settle()
        assert "OKX ETH perp · 1 ct = 0.1 ETH · tick 0.01 lot 1 " in at.text()


async def test_no_break_even_while_the_depth_of_the_book_is_unknown() -> None:
    """It priced what the best ask does not hold 1 % worse, so that the figure jumped with the size there."""
    async with desk() as at:
        view = at.app.main_screen.panel.view
        whole = Ticket(sym=OKX, info=view.info(OKX), hedge=True, effect=PositionEffect.OPEN_LONG)
        market = msgspec.structs.replace(whole, order_type=OrderType.MARKET)
        for size, evens, unknown in (("52", 1, 0), ("53", 0, 1)):
            figures = figures_of(msgspec.structs.replace(market, qty=size), view.mirror.quotes[OKX], view)
            said = "".join(text for text, _ in figures.cost)
            assert said.count("break-even ") == evens, said
            assert said.count("depth unknown: margin assumes the worst price") == unknown, said
