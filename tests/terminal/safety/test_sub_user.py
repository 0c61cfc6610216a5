"""A desk that was started with a key of a sub-user: what it says, what works, and what does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.terminal.conftest import STILL
from tests.terminal.misbehaving import KEY_NAMES, write_profile
from tests.terminal.terminal import Terminal
from tests.venue.shell.conftest import Venue

ADDRESSES = {"rest": "rest_url", "private": "private_ws_url", "public": "public_ws_url", "algo": "algo_ws_url"}


@pytest.fixture
def desk(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Terminal]:
    venue = Venue(*STILL, "--set", "rate_profile=off")
    try:
        keys = {key["name"]: key for key in venue.ready["keys"]}
        key, home = keys["subuser"], tmp_path / "home"
        write_profile(
            home, portfolio=keys["main"]["portfolioId"], **{one: venue.ready[url] for one, url in ADDRESSES.items()}
        )
        secrets = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
        yield start("--profile", "desk", home=home, environment=secrets, columns=160, lines=48)
    finally:
        venue.stop()


def test_with_a_sub_user_key_the_desk_says_it_has_no_portfolio(desk: Terminal) -> None:
    desk.see("Type the portfolio name 'main'")
    desk.press("main", "enter")
    desk.see("this API key belongs to a sub-user and has no portfolio: nothing to show here")
    desk.gone("LOADING")
    desk.see("priv○ down", "rest●")
    desk.see("BINANCE", "1t")
    desk.press("E")
    desk.see("login refused: 60009 Stream login refused")
    desk.see("this API key belongs to a sub-user and has no portfolio", "nothing can")
    desk.press("escape", "W")
    desk.see("no transfers")
    desk.press(")")
    desk.see("DMA", "BINANCE", "10,000.00")
    desk.press("escape", "V")
    desk.see("Trading", "26,180.00", "100.0%")
    for key, title in (("$", "Fees"), ("P", "Portfolios"), ("D", "Loans"), ("H", "History")):
        desk.press("escape", key)
        desk.see(title, "this API key belongs to a sub-user and has no portfolio: nothing to show here")
        desk.gone("100003")
    desk.press("escape", "a")
    desk.see("this API key belongs to a sub-user and has no portfolio: nothing can be sent")
