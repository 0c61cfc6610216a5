"""All accounts by keyboard against the own paper venue; with the key of a sub portfolio the reason stands in the list."""

from __future__ import annotations

from collections.abc import Callable

from tests.terminal.conftest import STILL
from tests.terminal.safety.test_windows import arm, leave
from tests.terminal.terminal import Terminal


def test_account_overview_leads_to_the_details_of_one_account(start: Callable[..., Terminal]) -> None:
    desk = start(*STILL)
    desk.see("In sync with the venue")
    desk.press("V")
    for part in ("Trading", "Funding", "DeFi"):
        desk.see(part, "%")
    desk.see("all", "100.0%")
    desk.press(")")
    desk.see("MainPortfolio", "Portfolio", "BINANCE OKX EDX", "289,600.06")
    desk.see("DMA OKX")
    desk.press("home")
    desk.see("▸MainPortfolio")
    desk.press("i")
    desk.see("BINANCE", "USDT", "100,000")
    desk.see("OKX", "BTC", "0.5")
    desk.press(")")
    desk.see("SubPortfolio", "BINANCE", "USDT", "20,000")
    desk.press(")", ")")
    desk.see("BTC", "MainPortfolio", "BINANCE", "%")
    desk.press(")", ")")
    desk.see("USDT", "50,000")
    desk.press(")")
    desk.see("staking pool", "ERC20", "ETH", "1.5")
    desk.see("lending pool", "ARBITRUM", "USDT", "2,500")
    leave(desk)


def test_with_a_sub_key_lists_say_not_read_and_a_ticket_opens(start: Callable[..., Terminal]) -> None:
    desk = start(*STILL, "--portfolio", "SubPortfolio")
    desk.see("In sync with the venue")
    desk.press("V")
    desk.see("not read: 2003")
    desk.press("P")
    desk.see("not read: 100003")
    desk.press("1")
    arm(desk)
    desk.press("b")
    desk.see("Staged", "BUY BINANCE BTC perp")
    leave(desk)
