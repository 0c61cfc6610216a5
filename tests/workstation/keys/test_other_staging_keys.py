"""A key that stages another order than the open ticket is never swallowed: the ticket says what it is, and stops."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import read_panel
from tui.engine.intents import Outcome, Verdict
from tui.workstation.tickets.order.terms import PriceMode

ASK = Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")
DENIED = Outcome(verdict=Verdict.DENIED, guard="HARD_NOTIONAL", text="over the limit")
SIZES = [(160, 45), (80, 24)]


async def send_nothing_more(at: Desk, sent: int) -> None:
    """Type a size and press the keys that send: the ticket has refused a key and takes none of them."""
    await at.press(*"0.05", "enter", "y")
    assert len(at.port.intents) == sent, at.port.intents


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("answer", [ASK, DENIED])
@pytest.mark.parametrize(("opener", "other"), [("B", "b"), ("S", "s")])
async def test_the_join_key_blocks_a_taker_ticket_the_gate_refused(
    size: tuple[int, int], answer: Outcome, opener: str, other: str
) -> None:
    async with desk(*size) as at:
        at.port.outcomes = [answer]
        await at.press(opener, *"0.02", "enter", "escape", other)
        assert f"this {'BUY' if other == 'b' else 'SELL'} takes at 64,001." in read_panel(at), at.text()
        await send_nothing_more(at, 1)
        await at.press("escape")
        assert not at.app.main_screen.panel.open


@pytest.mark.parametrize(
    ("keys", "other", "said"),
    [
        (("b", "T"), "b", "this BUY takes at 64,001.2"),
        (("b", "t"), "b", "this BUY is GTC at 64,001.0"),
        (("b", "down"), "b", "this BUY is post-only at 64,000.9"),
        (("s", "M"), "s", "this SELL is post-only at"),
        (("B", "J"), "B", "this BUY is post-only at 64,001.0"),
        (("B", "p"), "B", "this BUY is post-only at 64,001.2"),
        (("B", "e", "tab", "tab", "tab", "tab"), "b", "this BUY takes at 64,001.2"),
        (("3", "f"), "s", "this SELL is a market order"),
        (("3", "o"), "s", "this SELL is post-only at 64,001.2 and closes"),
        (("3", "o", "T"), "o", "this SELL takes at 64,001.0"),
    ],
)
async def test_a_buy_or_sell_key_blocks_an_open_ticket_of_other_terms(
    keys: tuple[str, ...], other: str, said: str
) -> None:
    async with desk(160, 45) as at:
        await at.press(*keys, other)
        assert said in read_panel(at), at.text()
        await send_nothing_more(at, 0)


async def test_a_replace_ticket_refuses_the_key_that_stages_an_order() -> None:
    async with desk(160, 45) as at:
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("-")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.order is not None
        await at.press(ticket.side.value[0].lower())
        assert f"this replaces a {ticket.side.value}: Esc drops it" in read_panel(at)
        await send_nothing_more(at, 0)


@pytest.mark.parametrize("key", ["b", "s", "B"])
async def test_the_same_buy_or_sell_key_twice_does_not_block_enter(key: str) -> None:
    async with desk(160, 45) as at:
        await at.press(key, key, "enter")
        assert len(at.port.intents) == 1


@pytest.mark.parametrize(
    ("opener", "other", "mode"), [("B", "b", PriceMode.JOIN), ("b", "B", PriceMode.TAKE), ("S", "s", PriceMode.JOIN)]
)
async def test_a_buy_or_sell_key_drops_a_paused_ticket_of_other_terms(opener: str, other: str, mode: PriceMode) -> None:
    async with desk(160, 45) as at:
        await at.press(opener, *"0.02", "tab")
        at.app.main_screen.set_focus(at.app.main_screen.tables["quotes"])
        await at.settle()
        await at.press(other)
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and (ticket.price_mode, ticket.qty) == (mode, ticket.preset)
        assert any("dropped for another ticket; nothing was sent" in text for text in at.events())


async def test_key_s_opens_a_new_ticket_instead_of_a_paused_close() -> None:
    async with desk(160, 45) as at:
        await at.press("3", "f")
        at.app.main_screen.set_focus(at.app.main_screen.tables["positions"])
        await at.settle()
        await at.press("s")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and not ticket.at_market and not ticket.closes_whole_position_at_market


async def test_key_b_resumes_a_paused_buy_whose_price_was_stepped() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "down", "down")
        at.app.main_screen.set_focus(at.app.main_screen.tables["quotes"])
        await at.settle()
        await at.press("b")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.price_mode is PriceMode.TYPED
        assert any("resumed; its price follows" in text for text in at.events())
