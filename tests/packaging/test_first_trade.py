"""The page of the first trade works as it is written, in a small terminal and from an empty home."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.documents.pages import DOCS
from tests.packaging import tutorial
from tests.terminal.terminal import Terminal

TICK = Decimal("0.1")
"""Of the BTC perpetual."""
STEPS_ABOVE = 30
"""Steps of ten ticks above the bid, which the market does not climb while the next key is on its way."""
PAGE = DOCS / "guide" / "first-trade.md"
PLAYED = {
    1: ("a", "ARMED"),
    2: ("j", "k", "/", "Enter"),
    3: ("b", "s", "B", "S"),
    4: ("0.5", ".5", "0.25 btc", "$16000", "16k$", "50%", "PgUp", "PgDn"),
    5: ("would be refused", "Enter", "y"),
    6: ("Enter", "y", "Esc"),
    7: ("2", "+", "-", "Enter", "e", "c"),
    8: ("3", "f", "o", "%", "1", "4", "Enter", "y"),
}
"""What each step of the page names, in its order, as the test presses it or sees it."""


def written() -> dict[int, tuple[str, ...]]:
    """What the steps of the page name between backticks."""
    text = PAGE.read_text().split("\n## Keys\n")[1].split("\n## ")[0]
    steps = re.findall(r"^(\d)\. (.+)$", text, re.MULTILINE)
    return {int(number): tuple(re.findall(r"`([^`]+)`", sentence)) for number, sentence in steps}


def stage_each_side(desk: Terminal) -> None:
    """Stage an order of each of the four keys, and drop it."""
    for key, words in (("b", "BUY"), ("s", "SELL"), ("B", "BUY"), ("S", "SELL")):
        desk.press(key)
        desk.see("Staged", words)
        desk.see("Enter sends")
        desk.press("escape")
        desk.gone("Enter sends")


def type_each_size(desk: Terminal) -> None:
    """Type each size that the page names into a ticket for BTC, and step the price."""
    for typed in PLAYED[4][:6]:
        desk.press("b")
        desk.see("Enter sends")
        desk.press(*typed)
        desk.see("size", typed)
        desk.see(" = ", "USDT")
        desk.press("pageup")
        above = desk.until(tutorial.stepped_price, "a price that does not follow the bid")
        desk.press("pagedown", "pagedown")
        desk.see("│ ", f" {above - 20 * TICK:,} ")
        desk.press("escape")
        desk.gone("Enter sends")


def see_a_refusal_before_it(desk: Terminal) -> None:
    """Stage a price that a post-only order cannot have; the preview says so, and Enter does not send it, but y would."""
    desk.press("b")
    desk.see("Enter sends")
    desk.press(*["pageup"] * STEPS_ABOVE)
    desk.see("would be refused")
    desk.press("enter")
    desk.see("would be refused", "y sends")
    desk.press("escape")
    desk.gone("Enter sends")


def change_and_cancel(desk: Terminal) -> None:
    """Place an order far below, step its price both ways, change it in the form, and cancel it."""
    desk.press("b")
    desk.see("Enter sends")
    desk.press(*"500")
    desk.see("500")
    tutorial.step_far_down(desk, tutorial.DOGE_TICK)
    tutorial.answer_and_send(desk)
    desk.press("2")
    desk.press("+", "+", "-")
    desk.see("Enter sends")
    desk.press("enter")
    desk.see("amended")
    desk.press("e")
    desk.see("Replace", "DOGE")
    desk.press("escape")
    desk.gone("Replace", "DOGE")
    desk.press("c")
    desk.gone("OPEN ", "DOGE")


def close_in_parts(desk: Terminal) -> None:
    """Stage an exit at the touch and drop it; close a quarter, then the rest at market."""
    desk.press("o")
    desk.see("Enter sends")
    desk.press("escape")
    desk.gone("Enter sends")
    desk.press("%", "1")
    desk.see("Enter sends")
    tutorial.send(desk, "DOGE", "FILLED", "SELL")
    desk.press("f")
    desk.see("Enter sends")
    tutorial.send(desk, "flat (checked")


def test_the_played_first_trade_steps_are_those_of_the_page() -> None:
    assert written() == PLAYED


@pytest.mark.timeout(180)
def test_every_step_of_the_first_trade_works(start: Callable[..., Terminal]) -> None:
    desk = start(columns=80, lines=24, daily_ask=True, environment={"COLORTERM": ""})
    desk.see("Welcome to crossdesk")
    desk.see("In sync with the venue")
    desk.press("enter")
    desk.gone("Welcome to crossdesk")
    desk.press("a")
    desk.see("ARMED")
    desk.press("j", "k")
    stage_each_side(desk)
    type_each_size(desk)
    see_a_refusal_before_it(desk)
    desk.press("/")
    desk.see("filter")
    desk.press(*"doge", "enter")
    desk.see("BINANCE DOGE perp · min")
    change_and_cancel(desk)
    tutorial.buy_at_the_ask(desk)
    close_in_parts(desk)
