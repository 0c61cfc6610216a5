"""The trader's way over the palette in a real terminal: find, read why not, do, and come back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.terminal.conftest import STILL
from tests.terminal.terminal import Terminal
from tests.terminal.test_trading_day import Trader

Start = Callable[..., Terminal]


# An Enter that has just chosen in the palette counts again only after a pause: it could still be held.


def _find(desk: Terminal, words: str, *seen: str) -> None:
    """Open the palette, type, and wait for the line under the cursor."""
    desk.press("ctrl+p")
    desk.see("Find a screen, a pane, an action or a pair")
    desk.press(*words)
    desk.see(f"> {words}_")
    desk.see(*seen)


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (200, 60)])
def test_palette_stages_and_cancels_an_order(start: Start, columns: int, lines: int) -> None:
    desk = start(*STILL, columns=columns, lines=lines)
    trader = Trader(desk)
    _find(desk, "buy at best bid", "not now: nothing is sent in state VIEW; press a to arm")
    desk.press("enter")
    desk.see("buy at best bid (join the queue): nothing is sent in state VIEW")
    desk.press("escape")
    desk.gone("Find a screen")
    _find(desk, "arm", "▸ arm or disarm")
    desk.press("enter")
    desk.see("PAPER", "ARMED")
    _find(desk, "binance eth perp", "▸ BINANCE ETH perp")
    desk.see("Ctrl+G kill")
    desk.press("enter")
    desk.see("BINANCE ETH perp", "min notional")
    _find(desk, "buy at best bid", "▸ buy at best bid")
    desk.press("enter")
    desk.see("Staged", "BUY BINANCE ETH perp")
    desk.see("y sends")
    assert trader.venue.open_orders() == []
    desk.press("y")
    desk.see("OPEN", "BINANCE ETH")
    _find(desk, "own ev", "▸ own events of this session")
    desk.press("enter")
    desk.see("Own events", "Esc: desk")
    desk.see("PAPER", "ARMED")
    desk.see("X kill")
    desk.press("enter")
    desk.see("client id")
    desk.press("escape")
    desk.gone("client id")
    _find(desk, "cancel my", "▸ cancel my last working order")
    desk.press("enter")
    desk.see("CANCELLED", "BINANCE ETH")
    desk.press("escape")
    desk.see("1 Quotes")
    assert trader.venue.open_orders() == []
    assert desk.raw_control_bytes() == [b"\x07"], "the bell of the one refusal"


def test_palette_runs_an_action_typed_in_one_burst_with_enter(start: Start) -> None:
    desk = start(*STILL, columns=80, lines=24)
    desk.see("no open orders")
    desk.burst("\x10risk\r")
    desk.see("venue", "uniMMR", "available")
    desk.burst("\x10okx sol\r")
    desk.see("OKX SOL perp", "min notional")
