"""Stops and targets as they are typed: prices, offsets, multiples of the risk, and what is refused."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from tests.workstation.driver import desk
from tests.workstation.tickets.ticket_desk import open_form, type_in
from tui.engine.intents import Place, Protection
from tui.interface.families.orders import OrderType, Side
from tui.workstation.tickets.order import protection
from tui.workstation.tickets.order.protection import BadProtection, WrongSide

TICK = Decimal("0.1")


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
def test_a_stop_can_be_typed_as_a_price_or_an_offset_of_a_loss(
    text: str, side: Side, trigger: str, source: str
) -> None:
    read = protection.stop_loss(text, Decimal("64000.9"), side, TICK)
    assert read is not None
    assert read.wire() == Protection(trigger=trigger, source=source)


@pytest.mark.parametrize(("text", "side", "right"), [("+1%", Side.BUY, "-1%"), ("-20t", Side.SELL, "+20t")])
def test_a_stop_offset_with_the_sign_of_a_gain_is_refused(text: str, side: Side, right: str) -> None:
    """The sign was not read: `+1%` on a long became a stop one per cent below."""
    with pytest.raises(WrongSide, match=re.escape(f"type {right[1:]} or {right}")):
        protection.stop_loss(text, Decimal("64000.9"), side, TICK)
    assert protection.stop_loss(right, Decimal("64000.9"), side, TICK) is not None
    assert protection.take_profit(text, Decimal("64000.9"), side, TICK, None) is not None


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
        ("+100", "of what? type 0.5%, 20t or 30bp, or a price"),
        ("soon", "no trigger; type a price, or an offset such as 0.5%, 20t or 30bp"),
        ("2r", "r is a multiple of the distance to the stop itself; type a price, or 0.5%, 20t or 30bp"),
        ("63000 @62990.05", "62990.05 must be a multiple of 0.1"),
        ("63000 @", "no trigger"),
        ("1,5%", "for example 1.5"),
    ],
)
def test_an_invalid_stop_trigger_is_rejected_with_valid_ones(text: str, words: str) -> None:
    with pytest.raises(BadProtection) as caught:
        protection.stop_loss(text, Decimal(64000), Side.BUY, TICK)
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["soon", "+100"])
def test_the_refusal_of_a_target_also_names_multiples_of_risk(text: str) -> None:
    with pytest.raises(BadProtection, match=r"0\.5%, 20t, 30bp or 2r"):
        protection.take_profit(text, Decimal(64000), Side.BUY, TICK, Decimal(63000))


async def test_stop_and_target_are_sent_with_the_order() -> None:
    async with desk(160, 45) as at:
        await open_form(at)
        await type_in(at, "size", "25")
        await type_in(at, "sl", "1%")
        await type_in(at, "tp", "2r")
        assert "2 : 1" in at.text() and "either ends the other" in at.text()
        at.app.main_screen.set_focus(at.app.main_screen.panel)
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, Place) and intent.order_type is OrderType.LIMIT
        assert intent.stop_loss == Protection(trigger="63360.9", source="MARK_PRICE")
        assert intent.take_profit == Protection(trigger="65280.9", source="LAST_PRICE")


async def test_an_invalid_stop_keeps_the_order_from_being_sent() -> None:
    async with desk(160, 45) as at:
        await open_form(at)
        await type_in(at, "sl", "65000")
        at.app.main_screen.set_focus(at.app.main_screen.panel)
        await at.press("enter")
        assert at.port.intents == []
        assert "sl: 65,000 would trigger immediately" in at.text()


@pytest.mark.parametrize(
    ("columns", "target", "stop"),
    [
        (60, "0.5% 20t 2r", "0.5% 20t 30bp"),
        (80, "price, 0.5% 20t 30bp 2r from entry", "price, or 0.5% 20t 30bp from entry"),
        (160, "price, or 0.5% 20t 30bp 2r from the entry", "price, or 0.5% 20t 30bp from the entry"),
    ],
)
async def test_empty_stop_and_target_fields_show_what_they_accept(columns: int, target: str, stop: str) -> None:
    async with desk(columns, 24) as at:
        await open_form(at)
        for name, hint in (("tp", target), ("sl", stop)):
            while not at.app.main_screen.panel.fields[name].has_focus:
                await at.press("tab")
            row = next(line for line in at.text().split("\n") if line.startswith("│ tp ") or "│ tp " in line)
            assert f" {hint} " in row, (name, row)
