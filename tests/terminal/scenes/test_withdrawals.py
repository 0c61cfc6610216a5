"""Deposits, withdrawals and custody by keyboard against a running venue: what the screen says is what the venue did."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader, at_the_desk


@pytest.fixture
def trader(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Trader]:
    more = "[engine]\nwithdrawals = true\n"
    with at_the_desk(start, tmp_path, "--set", "network_delay=2", "--control", more=more) as found:
        yield found


@pytest.fixture
def careful(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Trader]:
    """A live profile as it comes: withdrawals are off."""
    with at_the_desk(start, tmp_path, "--set", "network_delay=2", "--control") as found:
        yield found


def listed(trader: Trader) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = trader.venue.data("GET", "/api/v1/userWithdrawRecord/list")["list"]
    return rows


def fill_in(trader: Trader) -> None:
    """A withdrawal of 500 USDT out of BINANCE, up to the question."""
    desk = trader.desk
    desk.press("4", "g", "g", "O")
    desk.see("withdraw USDT from BINANCE")
    desk.see("USDT wallet on ARBITRUM")
    desk.see("fee 0.2, least 5")
    desk.press("down", "down", *"500", "down", *"50", "down")
    desk.see("not yet: again is refused")
    desk.press("enter")
    desk.see("differs from the amount above")
    desk.press("0", "down")
    desk.see("499.8 USDT arrive over ARBITRUM")


def test_a_withdrawal_is_sent_by_keyboard(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    fill_in(trader)
    desk.see("y asks first, then the typed word sends it")
    desk.press("enter")
    desk.see("a withdrawal cannot be reversed")
    assert listed(trader) == []
    desk.press(*"withdraw", "enter")
    desk.see("withdraw 500 USDT BINANCE", "done: sent")
    [row] = listed(trader)
    assert (row["amount"], row["status"], row["network"]) == (500, 3, "ARBITRUM")
    desk.press("W", ")", ")", ")")
    desk.see("USDT wallet on ARBITRUM", "500.00 USDT", "sent")
    desk.press(")")
    desk.see("withdrawal", "outside", "500.00 USDT")


def test_s8_withdrawals_are_off_in_a_live_profile(careful: Trader) -> None:
    careful.come_in()
    fill_in(careful)
    careful.desk.see("would be refused now: withdrawals are off in a live")
    careful.desk.press("enter")
    careful.desk.see("Enter refused: the form says why")
    assert listed(careful) == []


def test_a_deposit_address_is_shown_and_a_deposit_arrives(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    desk.press("4", "g", "g", "I")
    desk.see("deposit USDT")
    address = trader.venue.data(
        "GET", "/api/v1/deposit/address", {"currency": "USDT", "network": "TRC20", "accountType": "PORTFOLIO"}
    )["address"]
    desk.see(address)
    desk.see("at least 1 USDT; less is not credited")
    desk.press("escape")
    desk.gone("at least 1 USDT")
    assert trader.venue.process.stdin is not None
    trader.venue.process.stdin.write(json.dumps({"deposit": {"USDT": "777 TRC20 main"}}).encode() + b"\n")
    trader.venue.process.stdin.flush()
    desk.see("USDT", "BINANCE", "100,777.00")
    desk.press("W", ")", ")")
    desk.see("BINANCE", "777.00 USDT", "done")


def test_custody_coins_are_locked_to_a_sub_account_by_keyboard(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    desk.press("W", ")")
    desk.see("custody account", "USDT", "20,000")
    desk.press("/", *"custody usdt", "enter")
    desk.press("g", "g", "L")
    desk.see("lock USDT")
    desk.see("DMA BINANCE")
    desk.press("down", *"250.5", "down")
    desk.see("y asks first, then y sends it")
    desk.press("enter")
    desk.see("lock 250.5 USDT custody")
    desk.press("y")
    desk.see("done: 250.5 USDT moved")
    [row] = trader.venue.data("GET", "/api/v1/custodytradingaccount/list")["list"]
    assert (row["amount"], row["status"]) == ("250.5", 1)
