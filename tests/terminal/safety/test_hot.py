"""The state HOT in the real program, at 80x24: one press is one order, and a paste ends it."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.terminal.conftest import STILL, Venue
from tests.terminal.safety.test_nothing_unmeant import SIZE, hold
from tests.terminal.terminal import Terminal

BRACKETED = "\x1b[200~b25B\x1b[201~"


def test_in_hot_mode_a_held_b_sends_once_and_a_paste_ends_hot(start: Callable[..., Terminal]) -> None:
    desk = start(*STILL, **SIZE)
    desk.see("In sync with the venue")
    desk.see("BINANCE", "1t")
    venue = Venue(desk.home)
    desk.press("a")
    desk.see("ARMED")
    desk.press(":", *"hot 60s")
    desk.see("HOT for 60 s")
    desk.press("enter")
    desk.see("HOT", "B/S join")
    time.sleep(0.5)
    hold(desk, "B", 2.0)
    desk.see("OPEN", "BINANCE BTC", "0.001")
    [order] = venue.open_orders()
    assert (order["side"], order["timeInForce"]) == ("BUY", "GTX")
    desk.burst(BRACKETED)
    desk.see("ARMED")
    desk.press("B")
    desk.see("Staged")
    assert len(venue.open_orders()) == 1
