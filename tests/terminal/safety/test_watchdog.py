"""A workstation that dies with orders at the venue, and the second process that a trader asked to cancel them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.terminal.terminal import Terminal, alive
from tests.terminal.trader import Trader, at_the_desk
from tests.venue.shell.conftest import shown_to_others

WATCHED = "[engine.watchdog]\non = true\nsilence = 5\ngrace = 1\n[engine.limits]\nfirst_of_day = false\n"
OPEN = "/api/v1/trading/orders"


def _rest(trader: Trader) -> None:
    """One order that waits at the venue."""
    trader.come_in()
    trader.desk.press("1", "b")
    trader.desk.see("Staged", "BINANCE BTC")
    trader.desk.press(*"0.01")
    trader.desk.see("size", "▸0.01 ")
    trader.send()
    trader.desk.until(lambda _: len(trader.venue.data("GET", OPEN)["list"]) == 1 or None, "one order at the venue")


@pytest.mark.usefixtures("as_users_start_it")
@pytest.mark.parametrize("watched", [True, False])
def test_after_kill_9_only_the_watchdog_cancels_orders(
    start: Callable[..., Terminal], tmp_path: Path, watched: bool
) -> None:
    with at_the_desk(start, tmp_path, more=WATCHED if watched else "") as trader:
        _rest(trader)
        children = trader.desk.children()
        assert len(children) == watched
        for child in children:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
            surroundings = shown_to_others(child, "environ")
            secret = trader.venue.ready["keys"][0]["api_secret"].encode()
            assert secret not in command + surroundings
        trader.desk.process.kill()
        trader.desk.process.wait()
        if not watched:
            assert len(trader.venue.data("GET", OPEN)["list"]) == 1
            return
        trader.desk.until(lambda _: not trader.venue.data("GET", OPEN)["list"] or None, "no order at the venue")
        trader.desk.until(lambda _: not alive(children[0]) or None, "the end of the watchdog")
        (log,) = (tmp_path / "home").rglob("watchdog.log")
        assert log.stat().st_mode & 0o077 == 0
        assert "the workstation died" in log.read_text() and "nothing of ours is open" in log.read_text()


def test_a_watchdog_that_died_is_shown_on_the_screen(start: Callable[..., Terminal], tmp_path: Path) -> None:
    with at_the_desk(start, tmp_path, more=WATCHED) as trader:
        trader.come_in()
        assert not any("NO WATCHDOG" in line for line in trader.desk.display)
        (child,) = trader.desk.children()
        os.kill(child, signal.SIGKILL)
        trader.desk.see("NO WATCHDOG")
        trader.desk.see("the watchdog has ended", "nothing cancels your orders")


def test_quitting_with_live_orders_ends_the_watchdog(start: Callable[..., Terminal], tmp_path: Path) -> None:
    with at_the_desk(start, tmp_path, more=WATCHED) as trader:
        _rest(trader)
        (child,) = trader.desk.children()
        trader.desk.press("ctrl+q")
        trader.desk.see("stay")
        trader.desk.press("y")
        assert trader.desk.process.wait(10) == 0
        trader.desk.until(lambda _: not alive(child) or None, "the end of the watchdog")
        (log,) = (tmp_path / "home").rglob("watchdog.log")
        assert "said good-bye" in log.read_text()
        assert len(trader.venue.data("GET", OPEN)["list"]) == 1
