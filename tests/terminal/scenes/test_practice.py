"""A trader practises a failing network on the own paper venue: an order in flight meanwhile, and what is left after."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.terminal.conftest import STILL
from tests.terminal.terminal import Terminal
from tests.terminal.test_trading_day import Trader

Start = Callable[..., Terminal]

ROW = "0.010    0.000    0.010"


def _turn(desk: Terminal, down: int, *times: str) -> None:
    """Open the list, go to a line, turn it, close."""
    desk.press("f6")
    desk.see("Practice: faults of the paper venue")
    desk.press(*"j" * down, *times, "escape")
    desk.gone("Practice: faults of the paper venue")


def _send(desk: Terminal) -> None:
    """Enter on the preview line, and do not wait for an answer: none will come."""
    desk.see("Enter sends")
    desk.press("enter")
    words = ("y sends", ROW)
    asked = desk.until(
        lambda display: next((word for word in words if any(word in line for line in display)), ""),
        "the question or the order",
    )
    if asked == "y sends":
        desk.press("y")
        desk.see(ROW)


def _unknown(display: list[str]) -> bool:
    """An UNKNOWN order with an age of a second or more."""
    return any(re.search(r"▹UNKNOWN .* [1-9]\d*s ", line) for line in display)


def test_an_order_in_flight_as_the_network_is_cut_is_placed_once(start: Start) -> None:
    desk = start(*STILL, columns=160, lines=48)
    trader = Trader(desk)
    trader.arm()
    _turn(desk, 1, " ")
    desk.see("practice: answers to orders: lost")
    _turn(desk, 2, " ", " ", " ")
    _turn(desk, 3, " ")
    trader.stage("b", "0.01")
    _send(desk)
    _turn(desk, 0, " ")
    desk.until(_unknown, "UNKNOWN with its age")
    desk.press("f6")
    desk.see("▸●", "cut: every connection ends")
    desk.press("r", "escape")
    desk.in_step()
    desk.until(
        lambda display: (
            any("OPEN" in line and ROW in line for line in display) and not any("UNK" in one for one in display)
        ),
        "the order is known again",
    )
    orders = trader.venue.open_orders()
    assert len(orders) == 1 and orders[0]["orderState"] == "OPEN"


def test_a_practice_fault_makes_an_order_unknown_until_reset(start: Start) -> None:
    desk = start(*STILL, columns=160, lines=48)
    trader = Trader(desk)
    trader.arm()
    _turn(desk, 1, "backspace")
    desk.see("practice: answers to orders: lost, and nothing tells of it")
    trader.stage("b", "0.01")
    _send(desk)
    desk.until(_unknown, "UNKNOWN with its age")
    desk.press("f6", "r", "escape")
    desk.until(
        lambda display: (
            any("OPEN" in line and ROW in line for line in display) and not any("UNK" in one for one in display)
        ),
        "the order is known again",
    )
    assert [order["orderState"] for order in trader.venue.open_orders()] == ["OPEN"]
