"""Hedge mode at the keys: four intents, two legs, and a mode that changes under an open ticket."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_expired_questions import hold_net
from tui.engine.intents import Place
from tui.engine.rows import Fact, Table
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import AccountRecord
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order.forecast import Forecast, forecast
from tui.workstation.tickets.order.terms import PositionEffect
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.position import effect_pieces

BTC = "BINANCE_PERP_BTC_USDT"


async def mode(at: Desk, word: str) -> None:
    """The venue pushes another mode."""
    account = at.app.mirror.accounts["BINANCE"]
    assert isinstance(account.record, AccountRecord)
    record = msgspec.structs.replace(account.record, position_mode=word)
    at.port.put(Table.ACCOUNTS, "BINANCE", Fact(record, at.port.stamp()))
    await at.settle()


async def short_leg(at: Desk, size: str = "0.4") -> None:
    """A short leg beside the long one."""
    long = at.app.mirror.positions[f"{BTC}/LONG"].record
    record = msgspec.structs.replace(
        long, position_side="SHORT", position_qty=size, avg_price="64100.0", position_value="25600", position_mm="128"
    )
    at.port.put(Table.POSITIONS, f"{BTC}/SHORT", Fact(record, at.port.stamp()))
    await at.settle()


async def test_in_hedge_mode_key_l_turns_open_to_close_on_one_side() -> None:
    """Its first press made a SELL of a BUY, although another leg keeps the side."""
    async with desk() as at:
        await at.press("s")
        assert (at.ticket().effect, at.ticket().reduce_only) == (PositionEffect.OPEN_SHORT, False)
        for words in ("SELL+SHORT open short", "SELL+LONG close long", "SELL+SHORT open short"):
            assert at.line_with(words)
            await at.press("L")
        await at.press("escape", "b")
        for words in ("BUY+LONG open long", "BUY+SHORT close short", "BUY+LONG open long"):
            assert at.line_with(words)
            await at.press("L")


async def test_in_one_way_mode_key_l_only_changes_reduce_only() -> None:
    async with desk() as at:
        await mode(at, "NET")
        await at.press("b")
        for reduces in (False, True, False):
            assert (at.ticket().side, at.ticket().reduce_only) == (Side.BUY, reduces)
            await at.press("L")
        assert at.port.intents == []


async def test_key_l_says_why_a_spot_order_or_a_replace_keeps_its_leg() -> None:
    async with desk() as at:
        await at.press("1", "g")
        while at.app.main_screen.tables["quotes"].selected != "BINANCE_SPOT_BTC_USDT":
            await at.press("j")
        await at.press("b", "L")
        assert at.ticket().effect is PositionEffect.BUY and not at.ticket().reduce_only
        assert "has no position to close" in at.events()[-1]
        await at.press("escape", "2", "j", "j", "+", "L")
        assert at.ticket().order is not None and "a replace changes only price and size" in at.events()[-1]


@pytest.mark.parametrize("close", [("f",), ("%", "2")])
@pytest.mark.parametrize(("one_way", "key"), [(False, "L"), (True, "L"), (True, "r")])
async def test_a_ticket_that_closes_a_position_keeps_closing(close: tuple[str, ...], one_way: bool, key: str) -> None:
    """It became an order of the same side and size that opens."""
    async with desk() as at:
        if one_way:
            await hold_net(at, "0.5")
        at.app.main_screen.tables["positions"].select(f"{BTC}/{'NONE' if one_way else 'LONG'}")
        await at.press("3", *close, key)
        assert at.ticket().closes and at.ticket().side is Side.SELL, at.text()
        assert "this ticket closes a position: Esc, then b or s opens one" in at.flat_text(), at.text()


@pytest.mark.parametrize(("one_way", "key"), [(False, "L"), (True, "L"), (True, "r")])
@pytest.mark.parametrize("field", [True, False])
async def test_a_typed_percentage_is_of_what_the_turned_order_closes(one_way: bool, key: str, field: bool) -> None:
    """50 % of the buying power stayed the size of the order that closes, which closed the whole position."""
    async with desk(160, 45) as at:
        if one_way:
            await hold_net(at, "-0.5")
        account = at.app.mirror.accounts["BINANCE"]
        free = msgspec.structs.replace(account.record, available_margin="200000")
        at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=free))
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", *"50%")
        assert "50 % of buying power" in at.flat_text()
        before = at.ticket()
        await at.press(*([] if field and key == "L" else ["tab"]), key)
        if one_way:
            assert (
                at.ticket() == before and "a percentage needs a position to close, and there is none" in at.flat_text()
            ), at.text()
            return
        assert at.ticket().closes and at.ticket().qty == "1.25", at.text()
        assert "50 % of the closable position" in at.flat_text(), at.text()
        at.clock.pass_by(2.0)
        await at.press("enter")
        assert at.sent_sizes() == ["1.25"], at.text()


@pytest.mark.parametrize(("typed", "qty"), [("5", "5"), ("0.5", "0.5"), ("5BTC", "5BTC"), ("", "0.001")])
async def test_key_l_chooses_the_leg_from_the_size_field(typed: str, qty: str) -> None:
    """It was taken for a letter of the size, and locked the ticket until Backspace."""
    async with desk() as at:
        await at.press("b")
        if typed:
            await at.press(*typed, "L")
        else:
            await at.press("tab", "ctrl+u", "L")
        field = at.app.main_screen.panel.size_field
        if typed.endswith("BTC"):
            assert at.ticket().effect is PositionEffect.OPEN_LONG and field.refused, "behind letters it is text"
            return
        assert at.ticket().effect is PositionEffect.CLOSE_SHORT and not at.app.main_screen.panel.blocked
        if not typed:
            assert (field.value, field.has_focus) == ("", True)
            return
        assert at.ticket().qty == qty and at.line_with("BUY+SHORT close short")
        await at.press("L", "enter")
        assert at.sent_sizes() == [qty] and at.sent_orders()[0].position_side is PositionSide.LONG


async def test_order_form_in_hedge_mode_shows_side_and_leg() -> None:
    async with desk(160, 45) as at:
        await at.press("s", "e")
        assert at.app.main_screen.panel.mode is Mode.FORM
        assert "SELL+SHORT" in at.line_with("intent", "open short")


async def test_closing_an_empty_leg_is_denied_and_the_ticket_stays() -> None:
    async with desk() as at:
        await at.press("b", "L", "5", "enter", "enter")
        assert at.ticket().effect is PositionEffect.CLOSE_SHORT
        assert at.port.intents == []
        assert any("SHORT position is already flat" in text for text in at.events())
        assert at.ticket().qty == "5"
        assert "position is already flat" in at.text()
        await short_leg(at, "7")
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place)
        assert (intent.side, intent.position_side, intent.reduce_only) == (Side.BUY, PositionSide.SHORT, False)


async def test_both_hedge_legs_are_listed_and_f_closes_the_chosen_leg() -> None:
    async with desk() as at:
        await short_leg(at)
        await at.press("3")
        table = at.app.main_screen.tables["positions"]
        shown = list(table.pane.keys())
        assert [key for key in shown if key.startswith(BTC)] == [f"{BTC}/LONG", f"{BTC}/SHORT"]
        assert "2.5" in at.line_with("BINANCE BTC", "LONG") and "0.4" in at.line_with("BINANCE BTC", "SHORT")
        while table.selected != f"{BTC}/SHORT":
            await at.press("j")
        await at.press("f")
        assert "BUY+SHORT close short" in at.text()
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place)
        assert (intent.side, intent.position_side, intent.qty) == (Side.BUY, PositionSide.SHORT, "0.4")
        assert not intent.reduce_only


async def test_hedge_mode_preview_shows_both_legs_before_and_after() -> None:
    async with desk(160, 45) as at:
        await short_leg(at)
        view = at.app.main_screen.panel.view

        def effect(effect: PositionEffect) -> str:
            made = Ticket(sym=BTC, info=view.info(BTC), hedge=True, effect=effect, qty="0.3")
            return "".join(text for text, _ in effect_pieces(made, view))

        assert effect(PositionEffect.OPEN_LONG).startswith("long 2.5 → 2.8") and effect(
            PositionEffect.OPEN_LONG
        ).endswith("short stays 0.4")
        assert effect(PositionEffect.CLOSE_LONG).startswith("long 2.5 → 2.2")
        assert effect(PositionEffect.OPEN_SHORT).startswith("short 0.4 → 0.7") and effect(
            PositionEffect.OPEN_SHORT
        ).endswith("long stays 2.5")
        assert effect(PositionEffect.CLOSE_SHORT).startswith("short 0.4 → 0.1")
        await at.press("b")
        assert "short stays 0.4" in at.text()


async def test_liquidation_estimate_counts_both_hedge_legs() -> None:
    async with desk() as at:
        view = at.app.main_screen.panel.view
        quote = at.app.mirror.quotes[BTC]
        close = Ticket(sym=BTC, info=view.info(BTC), hedge=True, effect=PositionEffect.CLOSE_LONG, qty="0.1")
        alone = forecast(close, quote, view.mirror)
        await short_leg(at, "2.4")
        beside = forecast(close, quote, view.mirror)
        assert isinstance(alone, Forecast) and isinstance(beside, Forecast)
        assert alone.liq_after is not None
        assert alone.liq_after < 64000
        assert beside.liq_after is not None and beside.liq_after > 640_000, "the legs outweigh each other"
        opens = msgspec.structs.replace(close, sym="OKX_PERP_BTC_USDT", effect=PositionEffect.OPEN_LONG, qty="1")
        first = forecast(opens, at.app.mirror.quotes[opens.sym], view.mirror)
        assert isinstance(first, Forecast)
        assert first.liq_after is not None and first.liq_after > Decimal(64000)


@pytest.mark.parametrize(
    ("key", "flag", "readings", "first"),
    [
        ("b", "", "open long or close short", PositionEffect.OPEN_LONG),
        ("s", "", "open short or close long", PositionEffect.OPEN_SHORT),
        ("s", "r", "open short or close long", PositionEffect.CLOSE_LONG),
    ],
)
async def test_a_ticket_must_choose_a_leg_after_switch_to_hedge_mode(
    key: str, flag: str, readings: str, first: PositionEffect
) -> None:
    async with desk() as at:
        await mode(at, "NET")
        await at.press(key, "2", "tab", *flag)
        await mode(at, "BOTH")
        assert "BINANCE is in hedge mode now" in at.text(), "said before Enter too"
        assert "Enter sends" not in at.panel_text(), at.panel_text()
        await at.press("enter")
        assert at.port.intents == []
        assert any(readings in text and "L chooses" in text for text in at.events())
        assert (at.ticket().qty, at.app.main_screen.panel.mode) == ("2", Mode.STAGED)
        await at.press("L")
        assert (at.ticket().effect, at.ticket().qty, at.ticket().reduce_only) == (first, "2", False)
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place)
        assert (intent.qty, intent.position_side is PositionSide.NONE) == ("2", False)


@pytest.mark.parametrize(
    ("key", "turns", "side", "reduces"),
    [("b", 0, Side.BUY, False), ("s", 1, Side.SELL, True), ("s", 0, Side.SELL, False)],
)
async def test_open_hedge_ticket_is_refused_after_switch_to_one_way(
    key: str, turns: int, side: Side, reduces: bool
) -> None:
    async with desk() as at:
        await at.press(key, *["L"] * turns)
        await mode(at, "NET")
        await at.press("enter")
        assert at.port.intents == []
        assert any("BINANCE is in one-way mode now" in text for text in at.events())
        await at.press("L", "enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place)
        assert (intent.side, intent.position_side, intent.reduce_only) == (side, PositionSide.NONE, reduces)


async def test_an_unknown_position_mode_does_not_block_orders() -> None:
    async with desk() as at:
        await at.press("b")
        await mode(at, "SOMETHING")
        await at.press("enter")
        assert len(at.port.intents) == 1


async def test_orders_list_shows_open_or_close_and_the_leg() -> None:
    async with desk() as at:
        for count, (side, leg) in enumerate((("BUY", "LONG"), ("SELL", "LONG"), ("SELL", "SHORT"), ("BUY", "SHORT"))):
            at.port.order(f"h{count}", BTC, side, f"6300{count}.0", "0.1", position_side=leg)
        await at.settle()
        await at.press("2")
        for count, words in enumerate(("open long", "close long", "open short", "close short")):
            assert at.line_with(f"63,00{count}.0", words)
