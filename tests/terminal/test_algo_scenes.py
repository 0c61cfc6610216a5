"""Stops, targets and conditional orders by keyboard against a running venue: what the list says is what the venue holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import REARM_S, Trader, at_the_desk

SYM = "BINANCE_PERP_BTC_USDT"
OPEN = "/api/v1/algo/openOrders"
LIMITS = '[engine.limits]\nsoft_notional = "900000"\nhard_notional = "900000"\nfirst_of_day = false\n'


@pytest.fixture
def trader(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Trader]:
    with at_the_desk(start, tmp_path, "--control", more=LIMITS) as found:
        found.come_in()
        yield found


def algos(trader: Trader) -> list[dict[str, Any]]:
    """Open algo orders at the venue."""
    rows: list[dict[str, Any]] = trader.venue.data("GET", OPEN)["list"]
    return rows


def mark(trader: Trader) -> Decimal:
    return Decimal(trader.venue.data("GET", "/api/v1/market/markPrice", {"sym": SYM})[0]["markPrice"])


def a_position(trader: Trader) -> None:
    """A long position without protection."""
    trader.stage("b", "0.02", "BINANCE BTC")
    trader.send()
    trader.desk.see("FILLED", "BINANCE BTC")


def protect(trader: Trader, typed: str) -> None:
    """A stop of the whole position, from its row."""
    desk = trader.desk
    desk.press("3", "g", "g", "p")
    desk.see("new algo order", "BINANCE BTC perp")
    desk.press(*typed)
    desk.see(f"{typed}_")
    desk.press("enter", "enter")
    desk.see("Enter sends it")
    time.sleep(REARM_S)
    desk.press("enter")
    desk.gone("Enter sends it")


def test_a_stop_is_placed_shown_changed_and_cancelled(trader: Trader) -> None:
    desk = trader.desk
    a_position(trader)
    protect(trader, "1%")
    desk.see("accepted")
    [armed] = desk.until(lambda _: algos(trader), "an algo order at the venue")
    assert (armed["side"], armed["conditionType"], armed["slTriggerType"]) == (
        "SELL", "ENTIRE_CLOSE_POSITION", "MARK_PRICE",
    )  # fmt: skip
    assert Decimal("0.98") * mark(trader) < Decimal(armed["slTriggerPrice"]) < mark(trader)

    desk.press("A")
    desk.see("Algo orders")
    desk.see("armed", "SL ", "mark")
    time.sleep(REARM_S)
    desk.press("g", "g", "e")
    desk.see("change stop")
    desk.press(*"3%")
    desk.see("3%_")
    desk.press("down", "down")
    desk.see("Enter sends it")
    time.sleep(REARM_S)
    desk.press("enter")
    desk.until(lambda _: algos(trader)[0]["slTriggerPrice"] != armed["slTriggerPrice"] or None, "the new trigger")
    desk.gone("change stop")

    time.sleep(REARM_S)
    desk.press("c")
    desk.until(lambda _: not algos(trader) or None, "no algo order at the venue")
    desk.see("no algo orders")
    desk.press("escape")
    desk.see("none!")


def test_a_stop_fires_at_the_venue_and_its_way_is_told(trader: Trader) -> None:
    desk = trader.desk
    a_position(trader)
    protect(trader, "1%")
    [armed] = desk.until(lambda _: algos(trader), "an algo order at the venue")
    desk.press("A")
    desk.see("armed")
    trader.venue.move("BTC", str(Decimal(armed["slTriggerPrice"]) - 200))
    desk.see("no algo orders")
    desk.press("E")
    desk.see("triggered; its order works")
    desk.see("completed")
    desk.press("escape")
    desk.until(lambda _: trader.venue.data("GET", "/api/v1/trading/position") == [] or None, "no position")


def test_refusals_stand_beside_the_fields(trader: Trader) -> None:
    desk = trader.desk
    desk.press("1", "p")
    desk.see("‹ conditional ›")
    desk.press("down", *"1%", "enter")
    desk.see("an offset needs its sign")
    desk.press("backspace", "backspace", *"+1%", "enter", "enter")
    desk.see("a size")
    desk.press(*"0.01", "enter")
    desk.see("Enter sends it")
    time.sleep(REARM_S)
    desk.press("enter")
    desk.see("accepted")
    [armed] = desk.until(lambda _: algos(trader), "an algo order at the venue")
    assert (armed["conditionType"], armed["conditionalTriggerType"]) == ("CONDITIONAL", "LAST_PRICE")
    desk.press("ctrl+q")
    desk.see("1 algo order stays live at the venue")
    desk.press("escape")
