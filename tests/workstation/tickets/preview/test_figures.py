"""Figures that a ticket says of itself at every size of the screen, and in the journal."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.preview.test_together import describe
from tests.workstation.tickets.ticket_desk import BTC, OKX, open_form, type_in
from tui.engine.intents import Outcome, Place, Verdict
from tui.engine.rows import Fact, QuoteRow, Table
from tui.interface.families.loans import CoinDiscountRow
from tui.interface.families.orders import OrderType
from tui.workstation.input.scopes import Scope
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.plain.preview_lines import describe_order
from tui.workstation.tickets.order.forecast import Forecast, forecast
from tui.workstation.tickets.order.terms import PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.figures import Figures, figures_of, journal_text
from tui.workstation.tickets.preview.position import effect_pieces


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
        await open_form(at)
        await type_in(at, "size", "25")
        text = at.text()
        assert "liq 73,840.8 → 75,185.1" in text
        assert "uniMMR 31.90 → 28.36" in text
        assert "rebate ~0.80" in text
        assert "64 % of the soft limit" in text


@pytest.mark.parametrize(
    ("size", "shown", "warns"),
    [("0.3", "position turns 0.1 → -0.2 BTC", True), ("0.1", "position 0.1 → 0 BTC", False)],
)
async def test_the_preview_of_an_order_says_if_it_turns_the_position(size: str, shown: str, warns: bool) -> None:
    async with desk(160, 45) as at:
        long = at.app.mirror.positions[f"{BTC}/LONG"]
        at.port.put(Table.POSITIONS, f"{BTC}/LONG", None)
        net = msgspec.structs.replace(long.record, position_side="NONE", position_qty="0.1")
        at.port.put(Table.POSITIONS, f"{BTC}/NONE", Fact(net, long.stamp))
        await at.settle()
        view = at.app.main_screen.panel.view
        sells = Ticket(sym=BTC, info=view.info(BTC), hedge=False, effect=PositionEffect.SELL, qty=size)
        pieces = effect_pieces(sells, view)
        assert "".join(text for text, _ in pieces) == shown
        assert any(role == "warn" for _, role in pieces) is warns


async def test_a_sent_ticket_keeps_its_figures_until_its_answer() -> None:
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
        now = reckon(at.ticket(), panel.quote, view)
        assert intent.preview == journal_text(now)
        assert all(text in drawn for text, _ in (*now.size[-1:], *now.effect, *now.risk))


async def test_a_reopened_ticket_computes_its_preview_anew() -> None:
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
        assert intent.preview == journal_text(figures_of(at.ticket(), panel.quote, view))


SIZES = ((40, 12), (50, 16), (60, 20), (78, 30), (80, 24), (100, 40), (120, 36), (160, 45), (200, 60))


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
        said = at.panel_text()
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
        said = at.panel_text()
        assert "fee ~" in said and "break-even" not in said, said


async def test_narrow_form_shows_trigger_prices_of_percent_offsets() -> None:
    async with desk(80, 24) as at:
        await at.press("b", "e")
        panel = at.app.main_screen.panel
        at.app.main_screen.set_focus(panel.profit_field)
        await at.press(*"1%", "tab", *"1%")
        await at.settle()
        assert "sl 63,361.0 · tp 64,641.0 · 1 : 1" in at.panel_text()


async def test_a_ticket_in_contracts_shows_its_coins_and_value() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "/", *"okx btc", "enter", "b", "5")
        await at.settle()
        assert "· = 0.05 BTC = 3,200.05 USDT" in at.panel_text(), at.panel_text()


@pytest.mark.parametrize("width", [60, 76, 84])
async def test_a_narrow_ticket_has_no_separator_dot_after_its_size(width: int) -> None:
    async with desk(width, 24) as at:
        await at.press("1", "g", "j", "b", *"0.02", "tab", "+", "+", "+", "+")
        await at.settle()
        assert re.search(r"size\S*\s+[\d.]+\s+BTC\s+·", at.panel_text()) is None, at.panel_text()


async def test_quote_age_in_a_question_is_that_of_the_newest_quote() -> None:
    async with desk(200, 50) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        at.port.put(Table.ORDERS, "o3", None)
        await at.press("3", "f", "enter")
        at.clock.pass_by(5.0)
        at.port.quote(BTC, "64001.0", "64001.3")
        await at.settle()
        assert at.scope() is Scope.ASK and "quote 0.0s" in at.panel_text(), at.panel_text()


async def test_a_full_close_ticket_at_80_columns_has_no_empty_item() -> None:
    async with desk(80, 24) as at:
        await at.press("3", "f")
        await at.settle()
        said = at.panel_text()
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
        said = at.panel_text()
        assert "! the first BTC perp order of today" in said and "rebate ~" in said and "break-even " in said, said


async def test_market_close_within_the_best_size_shows_no_warning() -> None:
    """Its ticket keeps the post-only of the form, which a market order does not send."""
    async with desk(160, 45) as at:
        await at.press("3", "g", "g")
        await at.press("f")
        held = at.ticket()
        at.port.quote(held.sym, "64001.0", "64001.2", "999", "999", "64001.0")
        await at.settle()
        assert held.order_type is OrderType.MARKET
        assert "beyond the best price" not in at.text()


async def test_at_80_columns_the_order_form_names_tick_and_lot() -> None:
    async with desk(80, 24) as at:
        for _ in range(9):
            await at.press("j")
        await at.press("enter")
        await at.settle()
        assert "OKX ETH perp · 1 ct = 0.1 ETH · tick 0.01 lot 1 " in at.text()


async def test_a_market_order_beyond_known_depth_shows_no_break_even() -> None:
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


REASONS = "first BINANCE BTC perp order today; 1,280 over the soft limit 1,000"
WIDER = ((100, 30), (120, 36), (160, 45))
MORE = f"{REASONS}; your own SELL 0.010 BTC at 64,001.2 is on the other side; cancel it first, or send anyway"


@pytest.mark.parametrize(
    "size", [(60, 20), (80, 24), *(pytest.param(size, marks=pytest.mark.nightly) for size in WIDER)]
)
@pytest.mark.parametrize("reasons", [REASONS, MORE])
@pytest.mark.parametrize(
    ("line", "price"),
    [("buy 0.02 BTC at 63990 sl 63000 tp 66000 po", "63,990.0"), ("buy 0.02 BTC mkt", "MARKET"),
     ("long 0.02 BTC take", "64,001.2")],
)  # fmt: skip
async def test_a_ticket_question_shows_size_and_price_at_every_size(
    size: tuple[int, int], reasons: str, line: str, price: str
) -> None:
    async with desk(*size) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text=reasons)]
        await at.press("1", "g", "j", ":", *line, "enter")
        assert at.scope() is Scope.ASK
        for sym in (BTC, "OKX_PERP_BTC_USDT"):
            at.port.quote(sym, "63989.0", "63989.2", mark="63989.1")
        await at.settle()
        said = " ".join(at.panel_text().split())
        assert f" {price} " in said, said
        assert at.app.main_screen.panel.size_field.display and at.app.main_screen.panel.size_field.region.width
        assert " ·  " not in at.panel_text()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_question_of_two_reasons_shows_the_amount_borrowed(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text=REASONS)]
        await at.press("1", "g", "j", ":", *"buy 0.5 BTC BINANCE_MARGIN at 64000", "enter")
        assert at.scope() is Scope.ASK
        assert "64,000.00" in at.panel_text() and "borrows 5,412.10" in at.panel_text(), at.panel_text()
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None
        lines = describe_order(ticket, at.app.main_screen.view)
        assert any(line.startswith("borrows 5,412.10 ") for line in lines), "the lines of the plain desk say it too"


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 36), (160, 45)])
@pytest.mark.parametrize("line", ["sell 1.2 BTC BINANCE_MARGIN mkt", "sell 1.2 BTC BINANCE_MARGIN at bid ioc"])
async def test_a_ticket_question_shows_the_loan_while_its_price_moves(size: tuple[int, int], line: str) -> None:
    """The drift of the price took its place."""
    async with desk(*size) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text=REASONS)]
        await at.press("1", "g", "j", ":", *line, "enter")
        for step in range(3):
            at.port.quote("BINANCE_MARGIN_BTC_USDT", f"6400{step}.00", f"6400{step}.22", "5", "5")
            await at.settle()
            said = " ".join(at.panel_text().split())
            assert at.scope() is Scope.ASK and "? borrows 1.2 BTC at " in said, said


@pytest.mark.parametrize(
    ("size", "reasons"),
    [((80, 24), REASONS), *((size, text) for size in ((100, 30), (120, 36), (160, 45)) for text in (REASONS, MORE))],
)
async def test_a_ticket_question_keeps_the_margin_warning(size: tuple[int, int], reasons: str) -> None:
    """Below a message the borrowing line came first, and the warning found no room behind it."""
    async with desk(*size) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text=reasons)]
        await at.press("1", "g", "j", ":", *"sell 1.5 BTC BINANCE_MARGIN mkt", "enter")
        assert at.scope() is Scope.ASK
        assert "! not enough margin" in at.panel_text(), at.panel_text()


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30), (120, 36), (160, 45)])
@pytest.mark.parametrize("line", ["0.02 BTC BINANCE_MARGIN at bid-3t ioc", "1.5 BTC BINANCE_MARGIN mkt sl 65000"])
async def test_an_order_preview_shows_the_amount_borrowed_at_any_size(size: tuple[int, int], line: str) -> None:
    async with desk(*size) as at:
        at.port.quote("BINANCE_MARGIN_BTC_USDT", "64010.12", "64010.22", "0.005", "1.20411")
        await at.settle()
        await at.press("1", "g", "j", ":", *f"sell {line}")
        await at.settle()
        said = at.panel_text()
        assert f"borrows {line.split()[0]} BTC" in said and f" {line.split()[0]} " in said, said
        if line.startswith("1.5"):
            assert "! not enough margin" in said, said


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
async def test_a_post_only_order_that_would_take_is_shown_without_fee(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b")
        assert "rebate ~" in at.panel_text()
        at.port.quote(BTC, "63990.0", "64001.0", mark="64001.0")
        at.app.main_screen.panel.put(msgspec.structs.replace(at.ticket(), price_mode=PriceMode.TYPED, price="64001"))
        await at.settle()
        said = at.panel_text()
        assert "would be refused" in said
        assert "rebate" not in said and "fee" not in said and "break-even" not in said, said


async def test_the_sum_of_orders_has_no_fee_of_a_refused_order() -> None:
    async with desk(120, 36) as at:
        view = at.app.main_screen.panel.view
        ticket = Ticket(
            sym=BTC, info=view.info(BTC), hedge=True, effect=PositionEffect.OPEN_LONG, qty="0.02",
            price_mode=PriceMode.TYPED, price="64001.2",
        )  # fmt: skip
        resting = msgspec.structs.replace(ticket, price="63990")
        assert "rebate" in describe(at, [resting])[0]
        said = describe(at, [ticket])[0]
        assert "rebate" not in said and "fee" not in said


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36), (160, 45)])
@pytest.mark.parametrize("form", [False, True])
async def test_a_ticket_shows_no_figures_of_a_size_it_refuses(size: tuple[int, int], form: bool) -> None:
    async with desk(*size) as at:
        await at.press("b", *(["e"] if form else []), *"0.0055")
        said = at.panel_text()
        assert "must be a multiple of" in said
        shown = ("USDT", "fee", "rebate", "liq ", "→", "soft limit", "free")
        assert [word for word in shown if word in said.replace(" USDT  would", "")] == ([] if not form else ["USDT"])
        await at.press("backspace")
        assert "= 320.01 USDT" in at.panel_text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_an_ioc_preview_counts_only_the_part_that_would_fill(size: tuple[int, int]) -> None:
    """It would take 0.870 of 9; the fee and the position were of all nine."""
    async with desk(*size) as at:
        await at.press("b", "T", "9", "tab")
        text = at.flat_text()
        assert "would take 0.870, the rest ends" in text and "2.5 → 3.37" in text, text
        [fee] = re.findall(r"fee ~([\d.]+)", text)
        assert 20 < Decimal(fee) < 40, text
        ticket, view, quote = at.app.main_screen.panel.ticket, at.app.main_screen.view, at.app.mirror.quotes[BTC]
        assert ticket is not None
        filled = forecast(msgspec.structs.replace(ticket, qty="0.870"), quote, at.app.mirror)
        assert isinstance(filled, Forecast) and figures_of(ticket, quote, view).free[1][0].endswith(
            f" {filled.free:,.2f}"
        )


@pytest.mark.parametrize("line", ["buy 0.3 BTC at bid-5t ioc", "buy 30 BTC at ask fok"])
async def test_an_order_that_ends_unfilled_shows_no_fee(line: str) -> None:
    """It showed what a fill would cost beside `would end unfilled`."""
    async with desk(160, 45) as at:
        await at.press("1", "g", "j", ":", *line)
        assert "would end unfilled" in at.panel_text(), at.panel_text()
        assert not re.search(r"fee ~|position |free [\d,.]+ →|uniMMR", at.panel_text()), at.panel_text()
