"""Hedge mode by keyboard: two legs of one pair on a venue of its own, each equal to what the venue holds."""

from __future__ import annotations

import re
from decimal import Decimal

from tests.terminal.trader import Trader


def test_two_hedge_legs_are_opened_and_closed_by_keyboard(trader: Trader) -> None:
    desk = trader.desk
    trader.mode("BOTH")
    trader.come_in()
    trader.stage("b", "0.02", "BUY+LONG", "open long")
    desk.see("long 0 → 0.02")
    trader.send()
    trader.order("open long")
    trader.shows("LONG", trader.holds("LONG")["LONG"])

    desk.press("1", "b", "L")
    desk.see("BUY+SHORT", "close short")
    desk.see("position is already flat")
    desk.press("enter")
    desk.see("the SHORT position is already flat; nothing to close")
    assert len(trader.venue.data("GET", "/api/v1/trading/executions")) == 1
    desk.press("escape")
    desk.gone("Staged")

    trader.stage("s", "0.03", "SELL+SHORT", "open short")
    desk.see("short 0 → 0.03", "long stays 0.02")
    trader.send()
    trader.order("open short")
    rows = trader.holds("LONG", "SHORT")
    for leg, size in (("LONG", "0.02"), ("SHORT", "0.03")):
        assert Decimal(rows[leg]["positionQty"]) == Decimal(size)
        trader.shows(leg, rows[leg])

    trader.select("LONG")
    desk.press("f")
    desk.see("SELL+LONG", "close long")
    desk.see("the whole position, at market")
    trader.send()
    trader.order("close long")
    left = trader.holds("SHORT")
    assert left["SHORT"] == {**left["SHORT"], "positionId": rows["SHORT"]["positionId"], "positionQty": "0.03"}
    trader.shows("SHORT", left["SHORT"])
    desk.until(
        lambda display: not any(re.search(r"BINANCE BTC\s+LONG\s", line) for line in display) or None, "no long leg"
    )
    fills = trader.venue.data("GET", "/api/v1/trading/executions")
    assert sorted((row["side"], Decimal(row["quantity"])) for row in fills) == [
        ("BUY", Decimal("0.02")),
        ("SELL", Decimal("0.02")),
        ("SELL", Decimal("0.03")),
    ]


def test_a_ticket_keeps_its_size_over_a_position_mode_change(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    trader.stage("b", "0.02", "BUY", "BINANCE BTC")
    trader.mode("BOTH")
    desk.see("account BINANCE: hedge mode now, it was one-way mode")
    desk.see("! BINANCE is in hedge mode now")
    desk.press("enter")
    desk.see("L chooses open long or close short")
    assert trader.legs() == {}
    desk.press("L")
    desk.see("BUY+LONG", "open long")
    desk.see("long 0 → 0.02")
    trader.send()
    trader.order("open long")
    row = trader.holds("LONG")["LONG"]
    assert Decimal(row["positionQty"]) == Decimal("0.02")
    trader.shows("LONG", row)
