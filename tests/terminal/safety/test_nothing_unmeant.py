"""Accidents at the keyboard of the real program, at 80x24: what is not meant is not sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from tests.terminal.conftest import STILL, Venue
from tests.terminal.terminal import Terminal

SIZE = {"columns": 80, "lines": 24}


@pytest.fixture
def small(start: Callable[..., Terminal]) -> Iterator[tuple[Terminal, Venue]]:
    desk = start(*STILL, **SIZE)
    desk.see("In sync with the venue")
    desk.see("BINANCE", "1t")
    desk.press("a")
    desk.see("ARMED")
    yield desk, Venue(desk.home)


def hold(desk: Terminal, key: str, seconds: float) -> None:
    """One press, and repeats after half a second."""
    began = time.monotonic()
    desk.press(key)
    time.sleep(0.5)
    while time.monotonic() - began < seconds:
        desk.burst({"enter": "\r"}.get(key, key))
        time.sleep(0.03)


def holds_nothing(venue: Venue) -> bool:
    return venue.open_orders() == [] and venue.positions() == []


def test_a_size_of_05_is_refused_and_a_dot_5_is_half_a_coin(small: tuple[Terminal, Venue]) -> None:
    desk, venue = small
    desk.press("b")
    desk.see("Enter sends")
    desk.press("0", "5", "enter", "enter", "y")
    desk.see("05", "is not accepted")
    assert holds_nothing(venue)
    desk.press("escape")
    desk.gone("Enter sends")
    desk.press("b")
    desk.see("Enter sends")
    desk.press(".", "5")
    desk.see("0.5 BTC")
    desk.press("backspace", "backspace", *".01", "k")
    desk.see("10 BTC")
    desk.press("backspace")
    desk.see("0.01 BTC")
    assert holds_nothing(venue)


def test_digits_typed_after_tab_left_the_size_do_not_change_it(small: tuple[Terminal, Venue]) -> None:
    desk, venue = small
    desk.press("b")
    desk.see("Enter sends")
    desk.press("1")
    desk.see("0 → 1 BTC")
    desk.see("Tab keeps the size")
    desk.press("tab")
    desk.see("Tab to the size")
    desk.press(*"120", "enter", "enter", "y")
    desk.see("the size is still 1 BTC:")
    assert holds_nothing(venue)
    desk.press("e")
    desk.see("New order")
    desk.press(*"61500", "enter")
    desk.see("y sends")
    assert holds_nothing(venue)


def test_after_a_refused_letter_in_a_size_later_keys_are_refused(small: tuple[Terminal, Venue]) -> None:
    desk, venue = small
    desk.press("b")
    desk.see("Enter sends")
    desk.press(*"16")
    desk.see("16 BTC")
    desk.press("x", "0", "enter", "tab", "enter", "y")
    desk.see("A letter was refused: the size reads 16")
    desk.see("Backspace")
    assert holds_nothing(venue)


def test_enter_alone_on_a_quote_sends_nothing(small: tuple[Terminal, Venue]) -> None:
    desk, venue = small
    hold(desk, "enter", 4.0)
    desk.see("no side yet")
    desk.press("enter", "enter", "y", "y")
    assert holds_nothing(venue)
    desk.press("escape")
    desk.see(" ticket ━")
    hold(desk, "b", 2.0)
    desk.see("Enter sends")
    assert holds_nothing(venue)


def test_lines_pasted_without_bracketed_paste_send_nothing(small: tuple[Terminal, Venue]) -> None:
    """One write of several keys is what a terminal without bracketed paste makes of a text."""
    desk, venue = small
    desk.press("b")
    desk.see("Enter sends")
    time.sleep(1.0)  # nothing but the burst is a reason to refuse
    desk.burst("\r\r")
    desk.press("escape")  # read behind the burst
    desk.see(" ticket ━")
    assert holds_nothing(venue)
    desk.press("b")
    desk.see("Enter sends")
    desk.press(*"0.6")
    desk.see("0.6 BTC")
    desk.press("enter")
    desk.see("│ ? ")
    time.sleep(1.0)
    desk.burst("y\r")
    desk.press("escape")
    desk.gone("│ ? ")
    desk.see("Enter sends")
    assert holds_nothing(venue)


def test_a_ticket_pauses_on_focus_loss_and_another_pair_drops_it(small: tuple[Terminal, Venue]) -> None:
    desk, venue = small
    desk.press("b")
    desk.see("free ", "→")  # the lists have given the ticket its lines
    desk.see("Enter sends")
    desk.click("OKX")
    desk.see("PAUSED", "BINANCE BTC")
    desk.press("escape")
    desk.see(" ticket ━")
    assert holds_nothing(venue)
    desk.press("k", "k", "b")
    desk.see("Staged", "BINANCE BTC")
    desk.see("free ", "→")
    desk.click("OKX")
    desk.see("PAUSED", "BINANCE BTC")
    desk.press("b")
    desk.see("dropped for another ticket")
    desk.see("Enter sends")
    assert holds_nothing(venue)
