"""Fees by keyboard against a running venue: what the screen says is what it charges; an add-point and its refusals."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import PROMPT_ARMS, REARM_S, Trader, at_the_desk


@pytest.fixture
def trader(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Trader]:
    with at_the_desk(start, tmp_path) as found:
        yield found


def test_rates_by_group_and_an_add_point_for_sub_portfolios(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    desk.press("$")
    desk.see("BINANCE", "perp", "altcoins", "6bp", "DOGE")
    desk.see("OKX", "spot", "10bp", "all others")
    desk.press(")")
    desk.see("SubPortfolio", "BINANCE", "5bp", "0.0000")
    desk.press("%")
    desk.see("fees of sub portfolios")
    desk.see("‹ all sub portfolios ›")
    desk.press("down", "down", "down", "down", *"1.005", "enter")
    desk.see("(406005)")
    desk.press("backspace", "backspace", "backspace", "5")
    desk.see("taker", "5bp", "6.5bp")
    desk.press("enter", "enter", "enter", "enter")
    desk.see("Enter asks, then sends it")
    time.sleep(REARM_S)
    desk.press("enter")
    desk.see("Change what sub portfolios pay")
    time.sleep(max(PROMPT_ARMS, REARM_S))
    desk.press("y")
    desk.see("fees of all sub portfolios on BINANCE PERP: taker +1.5bp: done")
    desk.press(")", ")", ")", ")")
    desk.see("fees of all sub portfolios on BINANCE PERP", "DONE")
