"""Loans by keyboard against a running venue: borrowing, repaying, their refusals, the screen, and a lost answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader, at_the_desk

FAMILY = "/api/v1/trading/portfolioLoan/loan/"


def orders(trader: Trader) -> list[tuple[str, str]]:
    """What the venue lent and got back, oldest first."""
    rows: list[dict[str, Any]] = trader.venue.data("GET", FAMILY + "orders")["list"]
    return [(row["type"], row["amount"]) for row in reversed(rows)]


def at_usdt(trader: Trader) -> None:
    """The cursor on the first row of the assets, the USDT of BINANCE."""
    trader.desk.press("4", "g", "g")
    trader.desk.until(
        lambda display: any("▸" in line and "USDT" in line and "BINANCE" in line for line in display) or None, "USDT"
    )


def test_borrow_and_repay_work_by_keyboard(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    at_usdt(trader)
    desk.press("r")
    desk.see("no loan of USDT on BINANCE")
    desk.press("b")
    desk.see("borrow USDT on BINANCE")
    desk.see("up to 500,000.00", "quota left")
    desk.see("6.00% a year")
    desk.press(*"500000.01", "enter")
    desk.see("more than can be borrowed")
    desk.press("\x15", *"1.005", "enter")
    desk.see("at most 2 decimals")
    desk.press("\x15", *"2500.50", "enter")
    desk.see("loan USDT", "0.00", "2,500.50")
    desk.see("LTV")
    desk.press("enter")
    desk.see("Borrow for")
    assert orders(trader) == []
    trader.desk.press("y")
    desk.see("done: borrow 2,500.50 USDT on BINANCE")
    assert orders(trader) == [("borrow", "2500.50")]
    desk.gone("borrow USDT on BINANCE ─")

    desk.press("D")
    desk.see("margin debts", "statement")
    desk.until(lambda display: any("USDT" in line and "2,500.50" in line for line in display) or None, "the loan")
    desk.press(")", ")")
    desk.see("borrow", "2,500.50 USDT", "filled")
    desk.press("escape")
    desk.gone("margin debts")
    at_usdt(trader)
    desk.press("r")
    desk.see("owed 2,500.50")
    desk.press(*"2500.51", "enter")
    desk.see("Backspace continues")
    desk.see("more than owed")
    desk.press("\x15", *"2500.50", "enter")
    desk.see("y sends it")
    desk.press("y")
    desk.see("done: repay 2,500.50 USDT on BINANCE")
    assert orders(trader) == [("borrow", "2500.50"), ("repay", "2500.50")]


@pytest.fixture
def unlucky(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Trader]:
    """The answer to the first loan is lost after it was carried out."""
    with at_the_desk(start, tmp_path, "--set", "rest_fault=502:portfolio_loan_borrow:1x:after") as found:
        yield found


def test_a_borrow_with_lost_reply_is_found_and_not_repeated(unlucky: Trader) -> None:
    trader, desk = unlucky, unlucky.desk
    trader.come_in()
    at_usdt(trader)
    desk.press("b")
    desk.see("up to 500,000.00")
    desk.press(*"100", "enter")
    desk.press("enter")
    desk.see("Borrow for")
    trader.desk.press("y")
    desk.see("it was carried out", "borrow 100.00 USDT on BINANCE")
    assert orders(trader) == [("borrow", "100.00")]


def test_a_new_paper_venue_comes_with_a_history_of_loans(start: Callable[..., Terminal]) -> None:
    desk = start("--seed", "7", "--set", "latency=test", "--set", "agents=still", columns=160, lines=48)
    desk.see("BINANCE", "1t")
    desk.press("D")
    desk.see("margin debts", "statement")
    desk.press(")", ")")
    desk.see("repay", "USDT", "filled")
    desk.see("borrow", "ETH", "filled")
    desk.press(")")
    desk.see("interest", "USDT", "BINANCE")
    desk.until(
        lambda display: (
            any(re.search(r"repay +-[0-9,.]+ USDT +[0-9,]+\.[0-9]{2,4} USDT ", line) for line in display) or None
        ),
        "the balance after a repayment",
    )
