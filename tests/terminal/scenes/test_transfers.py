"""Transfers by keyboard against a running venue: from the desk to done, refusals, a lost answer, money fetched back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.busy import limit
from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader, at_the_desk
from tui.workstation.model.display_context import NEWS_S

CLEAR = "\x15"
"""Ctrl+U."""


@pytest.fixture
def trader(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Trader]:
    with at_the_desk(start, tmp_path, "--set", "network_delay=2", "--control") as found:
        yield found


def balance(trader: Trader, exchange: str) -> Decimal:
    """USDT of the main portfolio on a venue."""
    rows = trader.venue.data("GET", "/api/v1/trading/portfolio/assets", {"exchangeType": exchange})["list"]
    return next(Decimal(row["balance"]) for row in rows if row["coin"] == "USDT")


def listed(trader: Trader) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = trader.venue.data("GET", "/api/v1/transfer/list")["list"]
    return rows


def open_form(trader: Trader) -> None:
    """On the first coin of the assets: USDT on BINANCE."""
    trader.desk.press("4", "g", "g")
    trader.desk.press("t")
    trader.desk.see("transfer USDT from BINANCE")
    trader.desk.see("max 100,000: the whole balance")
    trader.desk.see("‹ OKX ›")
    trader.desk.see("no fee between trading accounts")


def send(trader: Trader) -> None:
    """From the amount to the last line, Enter, and yes."""
    trader.desk.press("down", "down", "down")
    trader.desk.see("y asks first, then y sends it")
    trader.desk.press("enter")
    trader.desk.see("Transfer, portfolio")
    trader.desk.press("y")


def test_a_rapid_transfer_is_sent_and_done_by_keyboard(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    before = balance(trader, "OKX")
    open_form(trader)
    desk.press("down", *"1500")
    desk.see("BINANCE free margin")
    desk.see("OKX uniMMR")
    desk.see("Instant: 800,000 available in the OKX pool")
    send(trader)
    desk.see("done: 1,500 USDT arrived, rapid: transfer 1,500 USDT")
    assert balance(trader, "OKX") == before + 1500
    desk.press("W")
    desk.see("BINANCE", "OKX", "1,500.00 USDT", "done", "rapid")
    desk.see("1,500.00 USDT arrived")
    assert len(listed(trader)) == 1


def test_a_transfer_is_corrected_beside_its_field_and_then_sent(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    open_form(trader)
    desk.press("down", *"100001", "enter")
    desk.see("100001 is above 100,000, the largest amount now")
    desk.press(CLEAR, *"0.1", "enter")
    desk.see("0.1 is too small; the minimum is 1 USDT")
    desk.press(CLEAR, *"max")
    desk.see("BINANCE free margin")
    assert listed(trader) == []
    desk.press(CLEAR, *"700", "down", "down", "right")
    desk.see("over the network")
    desk.press("down")
    desk.see("y asks first, then y sends it")
    desk.press("enter")
    desk.see("700 USDT arrive, over ARBITRUM")
    desk.press("y")
    desk.see("accepted; it runs: transfer 700 USDT BINANCE → OKX")
    desk.see("done: 700 USDT arrived")


def test_a_transfer_with_lost_reply_is_found_and_not_resent(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    before = balance(trader, "OKX")
    open_form(trader)
    trader.venue.set("rest_fault", "502:transfer:1x:after")
    desk.press("down", *"300")
    desk.see("Instant: 800,000 available in the OKX pool")
    send(trader)
    desk.see("UNKNOWN")
    # It stood behind the alert about the lost reply as long as that was news.
    desk.see("it was carried out: 300 USDT arrived, rapid", within=limit(NEWS_S / 2))
    assert balance(trader, "OKX") == before + 300
    assert [row["amount"] for row in listed(trader)] == [300]


def test_money_is_transferred_from_the_funding_account(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    before = balance(trader, "BINANCE")
    desk.press("W", ")")
    line = desk.see("Funding Account", "USDT", "50,000")
    assert "Funding" in line
    desk.press("/", *"funding usdt", "enter")
    desk.press("g", "g", "t")
    desk.see("transfer USDT from Funding Account")
    desk.see("‹ BINANCE ›")
    desk.see("fee 0.2, least 1")
    desk.press("down", *"1000", "down", "down")
    desk.see("y asks first, then y sends it")
    desk.press("enter")
    desk.see("999.8 USDT arrive")
    desk.press("y")
    desk.see("done: 999.8 USDT arrived")
    assert balance(trader, "BINANCE") == before + Decimal("999.8")
