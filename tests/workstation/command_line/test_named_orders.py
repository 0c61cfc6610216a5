"""Question about several orders: it names every one, in shorter lines where there is less room, or counts the others."""

from __future__ import annotations

import pytest

from tests.workstation.command_line.test_asked_market import ACCEPTED, renew, shown
from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import BTC, answer, enter, placed
from tui.engine.intents import Cancel
from tui.workstation.input.scopes import Scope
from tui.workstation.widgets.prompts import PromptBody

SIZES = [(80, 24), (120, 36), (160, 45)]


async def ask_scale(at: Desk, orders: int, of: str = "from 63900 to 63000") -> None:
    """Ask about an order in several parts, and let the market move."""
    at.port.outcomes = [ACCEPTED] * orders
    at.port.rest()
    await enter(at, f"scale long 1 BTC {orders} {of}", "enter")
    await renew(at, "64002.0", "64002.2")


@pytest.mark.parametrize("size", SIZES)
async def test_the_question_of_a_long_scale_names_each_order(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await ask_scale(at, 10)
        text = shown(at)
        assert all(f" {number}. BUY 0.1 BTC" in text for number in range(1, 11)), text
        assert text.count("BINANCE BTC perp @ 63,") == 10 and "more" not in text


async def test_a_market_order_question_says_it_fills_beyond_the_bid() -> None:
    async with desk(160, 45) as at:
        at.port.quote(BTC, "64001.0", "64001.2", "0.5", "0.5")
        await at.settle()
        at.port.outcomes = [ACCEPTED] * 2
        await enter(at, "short 1 BTC mkt ; long 0.1 BTC at 63900", "enter")
        assert "would take the 0.500 at the bid, and the rest behind it" in shown(at), shown(at)


@pytest.mark.parametrize(("size", "orders"), [((80, 24), 8), ((80, 24), 40), ((160, 45), 3)])
async def test_a_scale_question_says_the_move_of_the_market_once(size: tuple[int, int], orders: int) -> None:
    async with desk(*size) as at:
        await ask_scale(at, orders)
        assert shown(at).count("asked at bid") == 1, shown(at)
        assert "BINANCE BTC perp: asked at bid 64,001.0, now 64,002.0 (+1)" in shown(at)


async def test_a_shortened_scale_question_still_says_which_order_takes() -> None:
    async with desk(80, 24) as at:
        await ask_scale(at, 10, "from 64005 to 63000")
        text = shown(at)
        assert "1. BUY 0.1 BTC BINANCE BTC perp @ 64,005.0 · would take" in text, text
        assert all(f" {number}. BUY 0.1 BTC" in text for number in range(1, 11)), text


async def test_a_question_too_long_for_the_window_scrolls_its_orders() -> None:
    async with desk(80, 24) as at:
        await ask_scale(at, 40, "from 63900 to 64005")
        first = shown(at)
        assert " 40. BUY" in first and "· would take" in first and " 1. BUY" in first and " 30. BUY" not in first
        assert "more, Down scrolls" in first
        seen = first
        for key in ["down"] * 2 + ["pagedown"] * 4:
            await at.press(key)
            await at.settle()
            assert " 40. BUY" in shown(at), "an order that would take stays in sight"
            seen += shown(at)
        assert all(f" {number}. BUY" in seen for number in range(1, 41)) and "above, Up scrolls" in shown(at)
        await at.press(*["pageup"] * 5)
        await at.settle()
        assert " 1. BUY" in shown(at) and "more, Down scrolls" in shown(at)
        await at.press("up")
        assert at.scope() is Scope.PROMPT and placed(at) == []
        await answer(at, "y")
        assert len(placed(at)) == 40


async def test_a_line_question_names_all_steps_that_would_now_take() -> None:
    async with desk(80, 24) as at:
        at.port.outcomes = [ACCEPTED] * 3
        await enter(at, "scale long 0.3 BTC 3 from 63999 to 63990", "enter")
        await renew(at, "63985.0", "63985.2")
        assert "steps 1, 2, 3 would take now: the ask is 63,985.2" in shown(at)


@pytest.mark.parametrize("size", SIZES)
async def test_the_question_of_a_cancel_of_all_bids_names_each_bid(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        for number in range(10):
            at.port.order(f"n{number}", BTC, "BUY", f"6300{number}.0", "0.1")
        await at.settle()
        await enter(at, "c bids", "enter")
        text = shown(at)
        assert all(f"BUY 0.100 BINANCE BTC perp @ 63,00{number}.0" in text for number in range(10)), text
        assert "marked" not in text and "cancel 11 orders of BINANCE BTC perp" in text
        await answer(at, "y")
        assert len([intent for intent in at.port.intents if isinstance(intent, Cancel)]) >= 10


async def test_a_cancel_question_names_the_unfilled_size_and_its_unit() -> None:
    """A cancel named `BUY 9 OKX DOGE perp` of an order of 9 contracts with 4 filled: 9 read as coins."""
    async with desk(80, 24) as at:
        at.port.order("n1", "OKX_PERP_BTC_USDT", "BUY", "63000", "9", executed="4")
        await at.settle()
        while at.app.main_screen.panel.watched != "OKX_PERP_BTC_USDT":
            await at.press("j")
        await at.press(":")
        await enter(at, "c bids", "enter")
        assert "BUY 5ct OKX BTC perp @ 63,000.0" in shown(at), shown(at)


async def test_the_question_of_a_cancel_of_a_single_bid_says_1_order() -> None:
    async with desk(80, 24) as at:
        await enter(at, "c bids")
        assert "would ask, then cancel 1 order" in at.text() and "1 orders" not in at.text()
        await at.press("enter")
        await at.settle()
        assert "Cancel 1 order of" in at.text() and "cancel 1 order " in at.text()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("c asks", "no ask of BINANCE BTC perp works; 4 other orders do"),
        ("c all sym BINANCE SOL", "no order of BINANCE SOL perp works; 4 other orders do"),
        ("c all coin SOL", "no order of SOL works; 4 other orders do"),
        ("c all coin DOG", "DOG is no coin here; "),
        ("c marks", "no marked order works; 4 other orders do"),
    ],
)
async def test_a_cancel_line_that_matches_no_order_names_its_scope(line: str, why: str) -> None:
    """A bid on screen was of another pair, and `no order is working in that scope` named neither."""
    async with desk(80, 24) as at:
        await enter(at, line, "enter")
        assert why in at.text() and at.port.intents == []


async def test_a_question_box_grows_with_its_text() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [ACCEPTED] * 3
        await enter(at, "scale long 1 BTC 3 from 63900 to 63000", "enter")
        before = at.app.screen.query_one(PromptBody).region
        await renew(at, "64002.0", "64002.2")
        assert at.app.screen.query_one(PromptBody).region.width > before.width
