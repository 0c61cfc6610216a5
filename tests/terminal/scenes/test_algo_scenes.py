"""Stops, targets and conditional orders by keyboard against a running venue: what the list says is what the venue holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader, at_the_desk

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
    desk.see("y sends it")
    desk.press("y")
    desk.gone("y sends it")


def test_a_stop_is_placed_changed_and_cancelled_by_keyboard(trader: Trader) -> None:
    desk = trader.desk
    a_position(trader)
    protect(trader, "1%")
    desk.see("PLACED: ")
    [armed] = desk.until(lambda _: algos(trader), "an algo order at the venue")
    assert (armed["side"], armed["conditionType"], armed["slTriggerType"]) == (
        "SELL", "ENTIRE_CLOSE_POSITION", "MARK_PRICE",
    )  # fmt: skip
    assert Decimal("0.98") * mark(trader) < Decimal(armed["slTriggerPrice"]) < mark(trader)

    desk.press("A")
    desk.see("Algo orders")
    desk.see("armed", "SL ", "mark")
    desk.press("g", "g", "e")
    desk.see("change stop")
    desk.press(*"3%")
    desk.see("3%_")
    desk.press("down", "down")
    desk.see("y sends it")
    desk.press("y")
    desk.until(lambda _: algos(trader)[0]["slTriggerPrice"] != armed["slTriggerPrice"] or None, "the new trigger")
    desk.gone("change stop")

    desk.press("c")
    desk.until(lambda _: not algos(trader) or None, "no algo order at the venue")
    desk.see("no algo orders")
    desk.press("escape")
    desk.see("none!")


def test_a_triggered_stop_is_reported_step_by_step(trader: Trader) -> None:
    desk = trader.desk
    a_position(trader)
    protect(trader, "1%")
    [armed] = desk.until(lambda _: algos(trader), "an algo order at the venue")
    desk.press("A")
    desk.see("armed")
    trader.venue.move("BTC", str(Decimal(armed["slTriggerPrice"]) - 200))
    desk.see("no algo orders")
    desk.press("E")
    desk.see("TP/SL fired: SELL")
    desk.see("FIRED", "before fees")
    desk.press("escape")
    desk.until(lambda _: trader.venue.data("GET", "/api/v1/trading/position") == [] or None, "no position")


def test_a_conditional_order_is_corrected_sent_and_named_on_quit(trader: Trader) -> None:
    desk = trader.desk
    desk.press("1", "p")
    desk.see("‹ conditional ›")
    desk.press("down", *"1%", "enter")
    desk.see("an offset needs its sign")
    desk.press("\x15", *"+1%", "enter", "enter")
    desk.see("a size")
    desk.press(*"0.01", "enter")
    desk.see("y sends it")
    desk.press("y")
    desk.see("PLACED: ")
    [armed] = desk.until(lambda _: algos(trader), "an algo order at the venue")
    assert (armed["conditionType"], armed["conditionalTriggerType"]) == ("CONDITIONAL", "LAST_PRICE")
    desk.press("ctrl+q")
    desk.see("1 algo order stays live at the venue")
    desk.press("escape")


def test_a_conditional_order_that_outlives_a_close_is_named(trader: Trader) -> None:
    """It was meant to close; after a close by `f` it stayed without a word, fired, and opened the opposite position."""
    desk = trader.desk
    a_position(trader)
    desk.press("3", "g", "g", "p")
    desk.see("new algo order")
    desk.press("up", "right", "right", "right", "right")
    desk.see("‹ conditional ›")
    desk.press("down", "down", *"-1% mark", "enter", *"0.02", "enter")
    desk.see("reduce only", "‹ yes ›")
    desk.press("right", "enter")
    desk.see("y sends it")
    desk.press("y")
    desk.gone("y sends it")
    [armed] = desk.until(lambda _: algos(trader), "an algo order at the venue")
    assert armed["reduceOnly"] == "false"
    desk.press("3", "g", "g", "f")
    desk.see("would open SHORT 0.020: conditional SELL 0.020")
    trader.send()
    desk.press("A")
    desk.see("OPENS", "conditional")
    desk.see("1 without a position, 1 would open one")
    desk.press("escape")
    trader.venue.move("BTC", str(Decimal(armed["conditionalTriggerPrice"]) - 200))
    desk.press("E")
    desk.see("conditional fired: SELL 0.02 BINANCE BTC perp market", "opens SHORT 0.02 BTC")


def test_cancel_all_in_the_algo_list_leaves_the_working_orders(trader: Trader) -> None:
    desk = trader.desk
    trader.rest_one()
    a_position(trader)
    protect(trader, f"{mark(trader) * Decimal('0.97'):.1f}")
    desk.press("A")
    desk.see("armed", "stop")
    desk.press("g", "g", "C")
    desk.see("stops and targets of whole positions of BINANCE BTC perp: cancel 1 algo order, orders stay")
    assert desk.text().count(", orders stay") == 1, "wider filters would cancel the same"
    desk.press("y")
    desk.see("1 algo order cancelled")
    desk.see("no algo orders")
    assert algos(trader) == []
    [order] = trader.venue.data("GET", "/api/v1/trading/orders")["list"]
    assert order["orderState"] == "OPEN"


def test_an_algo_order_that_never_arrived_stays_unknown(start: Callable[..., Terminal], tmp_path: Path) -> None:
    switches = ("--control", "--set", "rest_fault=502:place_algo:1x")
    with at_the_desk(start, tmp_path, *switches, more=LIMITS) as lost:
        lost.come_in()
        a_position(lost)
        desk = lost.desk
        desk.press("3", "g", "g", "p")
        desk.see("new algo order", "BINANCE BTC perp")
        desk.press(*f"{mark(lost) * Decimal('0.97'):.1f}", "enter", "enter")
        desk.see("y sends it")
        desk.press("y")
        desk.see("UNKNOWN whether it was carried out")
        desk.press("escape", "A")
        desk.see("UNKNOWN", "stop")
        desk.press("g", "g")
        desk.until(lambda display: any("▸UNKNOWN" in line for line in display) or None, "the cursor on the lost order")
        desk.press("c")
        desk.see("the venue does not know it now; it may still arrive, so it stays UNKNOWN")
        desk.see("▸UNKNOWN")
        assert algos(lost) == []


def test_a_target_in_r_multiples_is_placed_and_moved_by_keyboard(trader: Trader) -> None:
    desk = trader.desk
    a_position(trader)
    protect(trader, "1%")
    [stop] = desk.until(lambda _: algos(trader), "the stop at the venue")
    desk.press("3", "g", "g", "p")
    desk.see("add a target or another stop beside it")
    desk.press("y")
    desk.see("new algo order", "BINANCE BTC perp")
    desk.see("‹ target ›")
    desk.press(*"2r")
    desk.see("2r_")
    desk.press("enter", "enter")
    desk.see("y sends it")
    desk.press("y")
    both = desk.until(lambda _: found if len(found := algos(trader)) == 2 else None, "the target at the venue")
    entry = Decimal(trader.legs()["NONE"]["avgPrice"])
    target = next(Decimal(one["tpTriggerPrice"]) for one in both if one["tpTriggerPrice"])
    assert abs(target - entry - 2 * (entry - Decimal(stop["slTriggerPrice"]))) < Decimal("0.1")
    desk.see("SL ", " TP ")
    desk.press("3", "g", "g", "p")
    desk.see("has a stop and a target")
    desk.see(f"move TP {target:,.1f} (form)")
    desk.press("escape")
    desk.press("A")
    desk.see("armed", "SL ")
    desk.press("g", "g")
    desk.see("▸", "SL ")
    desk.press("e")
    desk.see("change stop")
    desk.press("down", *"3%")
    desk.see("3%_")
    desk.press("down")
    desk.see("y asks first: the position has a target at")
    desk.press("y")
    desk.see("Send anyway")
    desk.press("escape")
