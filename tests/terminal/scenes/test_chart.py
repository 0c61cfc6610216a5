"""The chart and the curves of the results in a real terminal, on the market of the paper venue."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.terminal.terminal import Terminal

Start = Callable[..., Terminal]
MARKET = ("--seed", "7", "--set", "latency=test")
NUMBER = r"[\d,]+\.\d"


def _label(display: list[str]) -> str | None:
    """Last price at the right edge of the chart, once it lies inside the best bid and offer of the list."""
    chart = "\n".join(display)
    last = re.search(rf"◂({NUMBER})│", chart)
    quote = re.search(rf"BINANCE +[\d.]+ +({NUMBER}) +({NUMBER}) +[\d.]+ ", chart)
    if last is None or quote is None:
        return None
    price, bid, ask = (float(text.replace(",", "")) for text in (last[1], *quote.groups()))
    return last[1] if bid <= price <= ask else None


def test_the_last_price_in_the_chart_stays_between_bid_and_ask(start: Start) -> None:
    desk = start(*MARKET, columns=160, lines=45)
    desk.see("BTC perp best", "61,")
    desk.press("d")
    desk.see("Chart", "1m")
    first = desk.until(_label, "the last price inside the quote")
    desk.until(lambda display: (now := _label(display)) is not None and now != first, "another last price")


def test_the_chart_marks_trades_of_the_size_in_the_trade_filter(start: Start) -> None:
    desk = start(*MARKET, columns=80, lines=24)
    desk.see("BTC perp best", "61,")
    desk.press("d")
    desk.see("Ladder")
    desk.press("right")
    desk.see("Chart", "1m")
    desk.press(")")
    desk.see("Trades", "bought")
    desk.press("/", *"qty>=0.5", "enter")
    desk.see("/qty>=0.5")
    desk.press("(")
    desk.see("Chart", "1m")
    desk.until(lambda display: any(sign in line for line in display for sign in "▵▿"), "a marked print")


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (120, 36), (160, 45)])
def test_key_e_switches_the_curve_of_equity_and_realised_result(start: Start, columns: int, lines: int) -> None:
    desk = start(*MARKET, columns=columns, lines=lines)
    desk.see("BTC perp best", "61,")
    desk.press("4", ")", ")", ")", ")", "0")
    desk.see("account equity, change")
    desk.see("◂", ".", "│")
    desk.press("e")
    desk.see("realised today (UTC), net 0.00")
    desk.see("◂0.00")
    desk.press("e")
    desk.see("account equity, change")
