"""What a trader sees when an order does not simply fill: the words on the screen, and what the venue holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader, at_the_desk
from tui.interface.decimals import plain

SYM = "BINANCE_PERP_BTC_USDT"
LIMITS = '[engine.limits]\nsoft_notional = "900000"\nhard_notional = "900000"\nfirst_of_day = false\n'


@pytest.fixture
def trader(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Trader]:
    with at_the_desk(start, tmp_path, "--control", more=LIMITS) as found:
        found.come_in()
        yield found


def _touch(trader: Trader) -> tuple[Decimal, Decimal]:
    """Best ask and its size, of the still book."""
    line = next(line for line in trader.desk.display if "BINANCE" in line and "1t" in line)
    figures = [word.replace(",", "") for word in line.split() if word.replace(",", "").replace(".", "").isdigit()]
    return Decimal(figures[2]), Decimal(figures[3])


def _events(desk: Terminal) -> None:
    """Bring the event list up."""
    desk.press("4", ")", ")", ")")
    desk.see("│time ", " event ")


def _last(trader: Trader) -> dict[str, Any]:
    """The newest order at the venue."""
    rows = trader.venue.data("GET", "/api/v1/trading/history/orders")["list"]
    return max(rows, key=lambda row: (int(row["createAt"]), row["orderId"]))


def test_an_ioc_order_ends_with_its_filled_part(trader: Trader) -> None:
    desk = trader.desk
    _, shown = _touch(trader)
    trader.stage("b", str(shown + 1), "BINANCE BTC")
    desk.see("IOC")
    desk.see("would take", "the rest ends")
    trader.send()
    desk.see("CANCELLED", "BINANCE BTC")
    desk.see(f"CANCELLED {plain(shown)}/{plain(shown + 1)} (Unfilled remainder expired)")
    order = _last(trader)
    assert (order["orderState"], order["cancelType"]) == ("CANCELLED", "EXPIRE")
    assert Decimal(order["executedQty"]) == shown
    assert [Decimal(row["positionQty"]) for row in trader.venue.data("GET", "/api/v1/trading/position")] == [shown]


def test_a_crossing_post_only_order_is_warned_and_rejected(trader: Trader) -> None:
    desk = trader.desk
    trader.stage("b", "0.02", "BINANCE BTC")
    desk.press("p")
    desk.see("a post-only order would take")
    desk.press("enter")
    desk.see("would be refused", "y sends")
    assert trader.venue.data("GET", "/api/v1/trading/history/orders")["list"] == []
    trader.send("y")
    desk.see("REJECT")
    desk.see("post-only order would take")
    assert _last(trader)["orderState"] == "REJECT"
    assert trader.venue.data("GET", "/api/v1/trading/position") == []


def test_a_replace_below_the_filled_size_asks_and_ends_the_order(trader: Trader) -> None:
    desk = trader.desk
    ask, shown = _touch(trader)
    total = shown + Decimal("0.5")
    trader.stage("b", str(total), "BINANCE BTC")
    desk.press("t", "t", "t")
    desk.see("the rest stays on the book")
    trader.send()
    desk.see("PARTIAL", "BINANCE BTC")
    desk.press("2", "e")
    desk.see("Replace")
    desk.see(f"filled {plain(shown)}")
    desk.press("tab", *"0.1", "enter")
    desk.see("this cancels the order")
    desk.press("y")
    desk.see("so a new total of 0.1 cancels the order")
    desk.see("y sends")
    assert _last(trader)["orderState"] == "PARTIALLY_FILLED"
    desk.press("y")
    desk.see("amended: nothing was left of it, the order is gone")
    order = _last(trader)
    assert (order["orderState"], Decimal(order["executedQty"]), order["amendType"]) == ("CANCELLED", shown, "USER")
    assert Decimal(order["limitPrice"]) == ask


def test_a_reduce_only_order_fills_at_most_the_position(trader: Trader) -> None:
    desk = trader.desk
    trader.stage("b", "0.02", "BINANCE BTC")
    trader.send()
    desk.see("FILLED", "BINANCE BTC")
    trader.stage("s", "0.05", "BINANCE BTC")
    desk.press("t", "t", "t", "r")
    desk.see("more than the position holds (0.02 BTC); the venue reduces the order")
    trader.send()
    desk.see("CANCELLED 0.02/0.05 (Reduce only order cancelled)")
    order = _last(trader)
    assert (order["cancelType"], Decimal(order["executedQty"])) == ("REDUCE_ONLY", Decimal("0.02"))
    assert trader.venue.data("GET", "/api/v1/trading/position") == []


def test_a_stop_sent_with_an_order_triggers_at_the_venue(trader: Trader) -> None:
    desk = trader.desk
    ask, _ = _touch(trader)
    trader.stage("b", "0.02", "BINANCE BTC")
    desk.press("e")
    desk.see("New order")
    desk.see("Tab tp/sl", "Enter preview")
    desk.press("tab", "tab")
    desk.press(*"1%", "enter")
    desk.see("-12.35")
    trader.send()
    desk.see("FILLED", "BINANCE BTC")
    [armed] = trader.venue.data("GET", "/api/v1/algo/openOrders")["list"]
    trigger = Decimal(armed["slTriggerPrice"])
    assert trigger < ask * Decimal("0.991") and armed["slTriggerType"] == "MARK_PRICE"
    trader.venue.move("BTC", str(ask - 900))
    _events(desk)
    desk.see("TP/SL fired: SELL 0.02 BINANCE BTC perp market")
    desk.see("flat (checked")
    child = _last(trader)
    assert (child["side"], child["algoOrderId"], child["orderState"]) == ("SELL", armed["algoOrderId"], "FILLED")
    assert trader.venue.data("GET", "/api/v1/trading/position") == []
    assert trader.venue.data("GET", "/api/v1/algo/openOrders")["list"] == []


def test_kill_prompt_counts_and_cancels_stops_of_positions_too(trader: Trader) -> None:
    desk = trader.desk
    trader.stage("b", "0.02", "BINANCE BTC")
    desk.press("e")
    desk.see("New order")
    desk.see("Tab tp/sl", "Enter preview")
    desk.press("tab", "tab")
    desk.press(*"1%", "enter")
    desk.see("-12.35")
    trader.send()
    desk.see("FILLED", "BINANCE BTC")

    # The list of algo orders is read a moment after the position changed; a prompt names them when it opens.
    for _ in range(40):
        _open_kill(desk)
        if "keep closing orders" in desk.text():
            break
        desk.press("escape")
        desk.gone("all: cancel everything")
    desk.see("Enter: cancel entries of portfolio main", "0 orders", "keep closing orders: SL 61,159.5")
    desk.see("all: cancel everything: also SL 61,159.5")
    desk.press("enter")
    desk.see(" LIVE  main  VIEW")
    desk.gone("all: cancel everything")
    assert len(trader.venue.data("GET", "/api/v1/algo/openOrders")["list"]) == 1, "Enter keeps the stop"

    _open_kill(desk)
    desk.see("all: cancel everything: also SL 61,159.5")
    desk.press(*"all", "enter")
    desk.until(
        lambda _: not trader.venue.data("GET", "/api/v1/algo/openOrders")["list"] or None, "no algo order at the venue"
    )
    assert trader.venue.data("GET", "/api/v1/trading/orders")["list"] == []
    assert [Decimal(leg["positionQty"]) for leg in trader.legs().values()] == [Decimal("0.02")], "no position is closed"


def _open_kill(desk: Terminal) -> None:
    desk.press("X")
    desk.see("all: cancel everything")


def test_a_delisting_ends_orders_and_positions_with_a_message(trader: Trader) -> None:
    desk = trader.desk
    trader.stage("b", "0.02", "BINANCE BTC")
    trader.send()
    desk.see("FILLED", "BINANCE BTC")
    desk.press("1", "b")
    desk.see("Staged")
    desk.see("would rest")
    trader.send()
    desk.see("OPEN", "BINANCE BTC")
    _events(desk)
    trader.venue.set("delisted", SYM)
    desk.see("CANCELLED (Symbol de")
    desk.see("made by the venue (DELIST), not by you: SELL 0.02")
    desk.see("flat (checked")
    assert trader.venue.data("GET", "/api/v1/trading/orders")["list"] == []
    assert _last(trader)["orderType"] == "DELIST"
    desk.press("1", "b")
    desk.see("Staged")
    desk.press("enter")
    desk.see("join needs a bid, and there is none")


def test_one_y_sends_both_orders_of_a_reverse_over_the_limit(start: Callable[..., Terminal], tmp_path: Path) -> None:
    """The second step is as large as the first; it stopped half way, flat, and asked if it was meant."""
    limits = '[engine.limits]\nsoft_notional = "1800"\nhard_notional = "1800"\nfirst_of_day = false\n'
    with at_the_desk(start, tmp_path, "--control", more=limits) as trader:
        trader.come_in()
        desk = trader.desk
        trader.stage("b", "0.02", "BINANCE BTC")
        trader.send()
        trader.select("LONG")
        desk.press("r")
        desk.see("1. closes LONG 0.02")
        desk.see("2. opens SHORT 0.02")
        desk.press("y")
        desk.see("▸BINANCE BTC", " SHORT ")
        held = [Decimal(row["positionQty"]) for row in trader.venue.data("GET", "/api/v1/trading/position")]
        assert held == [Decimal("-0.02")] and "asks" not in desk.text()
