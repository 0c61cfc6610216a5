"""A trader practises the risk ladder on the own paper venue, from the margin call to the position that is closed."""

from __future__ import annotations

from collections.abc import Callable

from tests.terminal.conftest import STILL
from tests.terminal.terminal import Terminal
from tests.terminal.test_trading_day import Trader
from tui.cli.fault_practice import FAULTS

Start = Callable[..., Terminal]


def _turn(desk: Terminal) -> None:
    """The next state of the fault of the risk ladder; the list is closed again."""
    line = next(at for at, fault in enumerate(FAULTS) if fault.name == "risk ladder")
    desk.press("f6")
    desk.see("Practice: faults of the paper venue")
    desk.press(*"j" * line, " ", "escape")
    desk.gone("Practice: faults of the paper venue")


def _enter(desk: Terminal) -> None:
    """Be on the screen of liquidations: it opens by itself, but not over the list of faults."""
    if "Liquidation" not in desk.text():
        desk.press("R")


def test_liquidation_is_reported_until_the_position_is_closed(start: Start) -> None:
    desk = start(*STILL, columns=160, lines=48)
    trader = Trader(desk)
    trader.arm()
    trader.stage("b", "0.5", "T")
    trader.send()
    trader.until_venue(trader.venue.positions, "the position")
    _turn(desk)
    desk.see("!! MARGIN_CALL BINANCE")
    _enter(desk)
    desk.see("MARGIN_CALL", "margin call; orders are still taken")
    desk.see("Liquidation", "running: BINANCE MARGIN_CALL")
    desk.press("escape")
    desk.gone("Esc: desk")
    for word in ("CANCEL_OPEN", "CANCEL_ALL"):
        _turn(desk)
        desk.see(f"!! {word} BINANCE")
    _turn(desk)
    trader.until_venue(lambda: not trader.venue.positions(), "no position")
    _enter(desk)
    desk.see("ORDER", "0.500 BINANCE BTC perp closed")
    desk.see("LIQUIDATE_START", "the service closes positions")
    desk.see("Liquidation", "ended")
    desk.see("BINANCE ", "LIQUIDATE_END")
    rows = [line.split() for line in desk.display if "BINANCE " in line and ":" in line.split()[0]]
    steps = [row[row.index("BINANCE") + 1] for row in rows]
    assert steps[-3:] == ["LIQUIDATE_START", "ORDER", "LIQUIDATE_END"]
    desk.press("g", "g", "enter")
    desk.see("TRIGGERED")
    event = trader.venue.get("/api/v1/trading/liquidationEvent")
    assert [node["nodeType"] for node in event["nodes"]] == [
        "TRIGGERED", "MARGIN_CALL", "CANCEL_OPEN", "CANCEL_ALL", "LIQUIDATE_START", "LIQUIDATE_END",
    ]  # fmt: skip
