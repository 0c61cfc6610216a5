"""Portfolios and keys by keyboard against a running venue: made, used, frozen, deleted, refused; another one is traded."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.terminal.conftest import STILL
from tests.terminal.safety.test_windows import arm, leave, rest_one
from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader

ACCOUNT = "/api/v1/trading/account"
KEYS = "/api/v1/apiKey/portfolio"
FILE_LIMIT = 50_000_000


def answer_yes(desk: Terminal) -> None:
    desk.press("y")


def make_portfolio(desk: Terminal, name: str) -> None:
    desk.press("+")
    desk.see("new portfolio")
    desk.press(name)
    desk.see(f"{name}_")
    desk.press("enter")
    desk.see("y sends it")
    desk.press("y")
    desk.see(f"done: create portfolio {name}")
    desk.see(name, "sub")


def shown_secret(desk: Terminal) -> tuple[str, str]:
    """Access key and secret in the open box."""
    desk.see("secret, shown only now")

    def both(display: list[str]) -> list[str] | None:
        found = [shown[1] for line in display if (shown := re.search(r"│ ([0-9a-f]{48}) +│", line)) is not None]
        return found if len(found) == 2 else None

    access, secret = desk.until(both, "access key and secret")
    return access, secret


def test_an_api_key_is_created_used_frozen_and_deleted(trader: Trader, tmp_path: Path) -> None:
    desk, venue = trader.desk, trader.venue
    trader.come_in()
    desk.press("P")
    desk.see("MainPortfolio", "this desk")
    desk.press("+")
    desk.press("Main")
    desk.see("Main_")
    desk.press("enter")
    desk.see("it takes 6 to 20 letters or digits")
    desk.press("\x15", *"MainPortfolio")
    desk.see("MainPortfolio_")
    desk.press("enter")
    desk.see("another portfolio has this name")
    desk.press("escape")
    desk.gone("another portfolio has this name")
    make_portfolio(desk, "NightDesk")

    desk.press(")")
    desk.see("no API keys of portfolios")
    desk.press("+")
    desk.see("new API key")
    desk.see("‹ NightDesk ›")
    desk.press("down", "maker", "down", "down", "down", "right", "down", "127.0.0.1")
    desk.see("127.0.0.1_")
    desk.press("enter")
    desk.see("y sends it")
    desk.press("y")
    signed = shown_secret(desk)
    assert len(venue.data("GET", ACCOUNT, key=signed)) == 3
    desk.press("escape")
    desk.gone("secret, shown only now")
    desk.see("maker", "NightDesk", "read trade", "127.0.0.1", "normal")
    assert not any(signed[1] in line for line in desk.display)

    desk.press("f")
    desk.see("freeze API key maker of NightDesk")
    answer_yes(desk)
    desk.see("maker", "FROZEN")
    assert venue.call("GET", ACCOUNT, key=signed)[1]["code"] == 100041
    desk.press("-")
    desk.see("delete API key maker of NightDesk")
    desk.press(*"delete", "enter")
    desk.see("no API keys of portfolios")
    assert venue.call("GET", ACCOUNT, key=signed)[1]["code"] == 405001
    desk.press(")")
    desk.see("Funding Account", "FUNDING")
    desk.see("DMA", "OKX")
    desk.press(")")
    desk.see("delete API key maker of NightDesk", "DONE")
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file() and path.stat().st_size < FILE_LIMIT:
            assert signed[1].encode() not in path.read_bytes(), path


def test_the_traded_portfolio_is_switched_by_list_and_by_option(
    start: Callable[..., Terminal],
) -> None:
    desk = start(*STILL)
    desk.see("In sync with the venue")
    arm(desk)
    rest_one(desk, desk.home)
    desk.press("P")
    desk.see("MainPortfolio", "this desk")
    make_portfolio(desk, "NightDesk")
    desk.press("home")
    desk.see("▸NightDesk")
    desk.press("T")
    desk.see("trade portfolio NightDesk from now on")
    desk.see("1 order of portfolio main (PAPER) stay live at the venue")
    answer_yes(desk)
    desk.see("PAPER", "NightDesk", "VIEW", "eq 0.00", within=60)
    desk.see("this desk trades portfolio NightDesk from now on")
    desk.press("1")
    desk.see("no open orders")
    arm(desk)
    desk.press("b")
    desk.see("Staged", "BUY BINANCE BTC perp")
    leave(desk)

    again = start(*STILL, "--portfolio", "NightDesk", home=desk.home)
    again.see("PAPER", "NightDesk", "eq 0.00")
    leave(again)
    main = start(*STILL, home=desk.home)
    main.see("PAPER", "main")
    main.see("OPEN", "BINANCE BTC")
    leave(main)
    nobody = start(*STILL, "--portfolio", "Nobody77", home=desk.home)
    nobody.see("the paper venue has MainPortfolio, SubPortfolio, NightDesk")
