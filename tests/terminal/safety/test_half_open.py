"""Connections that a network has forgotten: they stay open on this side and carry nothing. What the desk does about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.busy import limit
from tests.terminal.conftest import STILL
from tests.terminal.misbehaving import KEY_NAMES, write_profile
from tests.terminal.relay import Relay
from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader
from tests.venue.shell.conftest import Venue

ADDRESSES = ("rest_url", "private_ws_url", "public_ws_url", "algo_ws_url")
NOTICED_S = 8.0
"""Within this time the desk has left a silent link: seconds without a sign of life, and the wait for the pong."""


@pytest.fixture
def reached(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[tuple[Trader, Relay]]:
    """An armed desk that reaches its venue over a relay."""
    relay = Relay()
    venue = Venue(*STILL, "--set", "rate_profile=off", "--set", f"hosts={relay.hosts}")
    rest, private, public, algo = relay.stand_for(venue.ready[url] for url in ADDRESSES)
    try:
        key = venue.ready["keys"][0]
        home, whose = tmp_path / "home", key["portfolioId"]
        write_profile(home, rest=rest, private=private, public=public, algo=algo, portfolio=whose)
        secrets = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
        desk = start("--profile", "desk", home=home, environment=secrets, columns=160, lines=48)
        trader = Trader(venue, desk)
        trader.come_in()
        yield trader, relay
    finally:
        relay.close()
        venue.stop()


def test_silent_links_are_replaced_and_the_program_recovers(reached: tuple[Trader, Relay]) -> None:
    trader, relay = reached
    desk = trader.desk
    before = relay.connections
    relay.fall_silent()
    began = time.monotonic()
    desk.until(lambda display: "priv●" not in display[0] or None, "a private link that is not shown as proven")
    assert time.monotonic() - began < limit(NOTICED_S)
    desk.until(lambda display: ("priv●" in display[0] and "md●" in display[0]) or None, "both links again")
    desk.until(lambda display: "RECONCILING" not in display[0] or None, "in step")
    assert relay.connections >= before + 2
    trader.rest_one()
    desk.until(lambda _: len(trader.orders()) == 1 or None, "an order over the new link")


def test_an_order_on_a_silent_link_is_unknown_and_not_resent(reached: tuple[Trader, Relay]) -> None:
    """Its bytes left this machine: that nobody finds it proves nothing, so only the trader ends it."""
    trader, relay = reached
    desk = trader.desk
    desk.press("1", "b")
    desk.see("Staged")
    desk.see("Enter sends")
    relay.fall_silent()
    desk.press("enter")
    desk.see("UNKNOWN")
    desk.until(lambda display: ("priv●" in display[0] and "md●" in display[0]) or None, "both links again")
    desk.see("UNK", "BINANCE BTC")
    desk.until(lambda display: "RECONCILING" not in display[0] or None, "in step")
    assert trader.orders() == []
    desk.see("UNK", "BINANCE BTC")
