"""What the gate would ask about stands in the ticket before a key sends it, by the checks of the gate."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import BTC, read_panel
from tui.engine.limits import Limits
from tui.engine.orders.dismissal import SOURCES
from tui.engine.rows import Table
from tui.workstation.tickets.order.limits import list_questions

OWN = ["own order on the other side"]


def list_asked(at: Desk) -> list[str]:
    """Name what the open ticket says that the desk asks first; the panel names it where it has room."""
    panel = at.app.main_screen.panel
    asks = list_questions(at.ticket(), panel.quote, panel.view)
    assert ("asks first" in read_panel(at)) is bool(asks)
    return asks


async def calm_desk(at: Desk) -> None:
    """Leave no other question: the pair was traded today."""
    at.port.set_desk(ordered_today=(BTC,))
    await at.settle()


@pytest.mark.parametrize(("price", "asked"), [("64001.1", True), ("64001.2", False)])
async def test_a_ticket_names_the_own_order_that_its_price_would_match(price: str, asked: bool) -> None:
    async with desk(220, 50) as at:
        await calm_desk(at)
        at.port.order("s1", BTC, "SELL", price, "0.010")
        await at.settle()
        await at.press("b", "e", "tab", *["backspace"] * 8, *"64001.1", "enter")
        assert list_asked(at) == (OWN if asked else [])
        assert ("your own SELL 0.010 BTC at 64,001.1 is on the other side" in read_panel(at)) is asked


async def test_a_taker_ticket_names_own_orders_at_the_price_it_takes() -> None:
    async with desk(220, 50) as at:
        await calm_desk(at)
        for number in range(3):
            at.port.order(f"s{number}", BTC, "SELL", "64001.2", "0.010")
        await at.settle()
        await at.press("b")
        assert list_asked(at) == []
        await at.press("escape", "B")
        assert list_asked(at) == OWN
        assert "your own SELL 0.010 BTC at 64,001.2 and 2 more are on the other side" in read_panel(at)


async def test_a_narrow_ticket_names_the_own_order_it_would_match() -> None:
    async with desk(80, 24) as at:
        await calm_desk(at)
        at.port.order("s1", BTC, "SELL", "64001.2", "0.010")
        await at.settle()
        await at.press("B")
        assert "Enter sends · asks first" in at.text()
        assert "your own SELL 0.010 BTC at 64,001.2 is on the other side" in read_panel(at)


@pytest.mark.parametrize(("side", "price", "asked"), [("BUY", "60000", ["UNKNOWN order"]), ("SELL", "65000", [])])
async def test_a_ticket_says_it_asks_beside_an_unknown_order(side: str, price: str, asked: list[str]) -> None:
    async with desk(220, 50) as at:
        await calm_desk(at)
        at.port.order("u1", BTC, side, price, "0.010", state="UNKNOWN", position_side="LONG", order_id="")
        await at.settle()
        await at.press("b")
        assert list_asked(at) == asked


async def test_a_ticket_equal_to_an_unknown_order_is_refused_then_asks() -> None:
    async with desk(220, 50) as at:
        await calm_desk(at)
        await at.press("b")
        ticket = at.ticket()
        at.port.order(
            "u1", BTC, "BUY", str(ticket.limit(at.app.main_screen.panel.quote)), ticket.qty,
            state="UNKNOWN", position_side="LONG", order_id="",
        )  # fmt: skip
        await at.settle()
        at.app.main_screen.panel.follow()
        assert "the same order is UNKNOWN for 0 s" in read_panel(at) and "Enter sends" not in read_panel(at)
        row = msgspec.structs.replace(
            at.app.mirror.orders["u1"],
            not_found=3, not_found_first=1.0, not_found_last=11.0, answered=frozenset(SOURCES),
        )  # fmt: skip
        at.port.put(Table.ORDERS, "u1", row)
        await at.settle()
        at.app.main_screen.panel.follow()
        assert list_asked(at) == ["same order UNKNOWN"]


@pytest.mark.parametrize(
    ("keys", "subject"),
    [
        (["tab", *"40000", "tab"], "stop or target far from mark"),
        (["tab", *"63000@63100", "tab"], "limit that may rest unfilled"),
    ],
)
async def test_a_ticket_says_it_asks_about_a_far_stop_or_close_limit(keys: list[str], subject: str) -> None:
    async with desk(220, 50) as at:
        await calm_desk(at)
        await at.press("b", "e")
        while not at.app.main_screen.panel.profit_field.has_focus:
            await at.press("tab")
        await at.press(*keys)
        assert list_asked(at) == [subject]


async def test_a_taker_ticket_says_that_it_asks_at_an_old_quote() -> None:
    async with desk(220, 50) as at:
        await calm_desk(at)
        await at.press("B")
        assert list_asked(at) == []
        at.clock.pass_by(Limits().stale + 0.5)
        at.port.quote("BINANCE_PERP_ETH_USDT", "3412.09", "3412.10")
        await at.settle()
        at.app.main_screen.panel.follow()
        assert list_asked(at) == ["old quote"]


async def test_a_replace_ticket_warns_that_its_total_ends_the_order() -> None:
    async with desk(220, 50) as at:
        await calm_desk(at)
        at.app.main_screen.show_pane("orders")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("2", "e", "tab", *["backspace"] * 8, *"0.05", "tab", "tab")
        assert list_asked(at) == ["total not above what has filled"]


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ({}, True), ({"qty": "1.5"}, False), ({"side": "BUY"}, False), ({"price": "64000"}, False),
        ({"external": True}, False), ({"order_type": "LIMIT", "state": "CANCELLED", "final": True}, True),
    ],
)  # fmt: skip
async def test_a_close_ticket_like_one_just_sent_says_that_it_asks(changes: dict[str, object], asked: bool) -> None:
    """Its question came behind Enter, unannounced."""
    async with desk(220, 50) as at:
        await calm_desk(at)
        await at.press("3", "g", "f")
        ticket = at.ticket()
        assert "same order just sent" not in list_asked(at)
        sent = {
            "order_type": "MARKET",
            "state": "FILLED",
            "final": True,
            "executed": ticket.qty,
            "position_side": "LONG",
        }
        row = msgspec.structs.replace(at.port.order("f1", BTC, "SELL", "", ticket.qty), **{**sent, **changes})
        at.port.put(Table.ORDERS, "f1", row)
        await at.settle()
        assert ("same order just sent" in list_asked(at)) is asked
        at.clock.pass_by(2.5)
        asks = list_questions(ticket, at.app.main_screen.panel.quote, at.app.view)
        assert row.create_at and "same order just sent" not in asks
