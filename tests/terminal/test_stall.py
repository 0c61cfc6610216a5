"""The terminal is not read for a minute while the market goes on. By hand: `pytest -m real -n 0`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.figures import measured
from tests.terminal.journal import exported_journal
from tests.terminal.terminal import Terminal
from tests.terminal.trader import at_the_desk

STALL_S = 60.0
FILL_S = 15.0
"""Longest time until the journal has a fill, s."""
MOVES = 160
"""What is drawn for them is more than the kernel takes for a terminal which is not read."""
ORDERS = "/api/v1/trading/orders"
MOST_LAG_MS = 250.0
PROGRAM = """
import os, sys
import tui.workstation.terminal.environment
from tui.engine.sync.monitors import LagProbe
most = 0.0
def keep(self, value):
    global most
    self.__dict__["_lag"] = value
    if value > most:
        most = value
        with open(os.environ["CROSSDESK_HOME"] + "/lag.txt", "w") as file:
            print(value, file=file)
LagProbe.lag_ms = property(lambda self: self.__dict__["_lag"], keep)
from tui.cli.main import main
main(sys.argv[1:])
"""


def read_fill_time(desk: Terminal, order_id: str) -> float:
    """Wait until the journal has the fill of an order; return the wall time of the record, s."""
    deadline = time.monotonic() + FILL_S
    while time.monotonic() < deadline:
        journal = exported_journal(desk.home, "--profile", "desk")
        for line in journal:
            if line["order_id"] == order_id and "FILLED" in line["payload"]:
                return float(line["wall_ms"]) / 1000
    raise AssertionError("the journal has no fill")


@pytest.mark.real
@pytest.mark.nightly
@pytest.mark.parametrize("moves", [MOVES, 1], ids=["full", "quiet"])
def test_i16_f81_an_unread_terminal_does_not_block_the_program(
    start: Callable[..., Terminal], tmp_path: Path, moves: int
) -> None:
    with at_the_desk(start, tmp_path, "--control", program=("-c", PROGRAM)) as trader:
        venue, desk = trader.venue, trader.desk
        trader.come_in()
        trader.rest_one()
        [order] = venue.data("GET", ORDERS)["list"]
        lag_file = desk.home / "lag.txt"
        lag_file.unlink(missing_ok=True)
        desk.stop_reading()
        began = time.time()
        for step in range(moves):  # of pairs that are seen: the screen has to wait with something
            venue.move("ETH", str(2_600 + 17 * (step % 7)))
            time.sleep(STALL_S / 3 / moves)
        venue.move("BTC", str(int(float(order["limitPrice"]) * 0.98)))
        filled_at = read_fill_time(desk, order["orderId"])
        assert began < filled_at < time.time(), "the fill was written down while nobody read"
        desk.press("b", "enter")  # typed into a screen that shows nothing: it must do nothing
        time.sleep(max(0.0, began + STALL_S - time.time()))
        ended = time.time()
        desk.go_on_reading()
        desk.see("FILLED", within=5)
        desk.see("Orders ─ 0 working", within=5)
        # The line of events has forgotten it by now; the list has it.
        desk.press("4", ")", ")", ")")
        desk.see("ignored", within=5)
        assert ended - began >= STALL_S
        assert venue.data("GET", ORDERS)["list"] == [], "keys typed during the stall send nothing"
        journal = exported_journal(desk.home, "--profile", "desk")
        connects = [one for one in journal if one["kind"] == "note" and "connect" in one["payload"].lower()]
        assert all(not began < one["wall_ms"] / 1000 < ended for one in connects), "no link was lost"
        lag = float(lag_file.read_text()) if lag_file.exists() else 0.0
        print(f"stall {ended - began:.0f} s, engine lag at most {lag:.0f} ms")
        if moves == MOVES:
            measured.keep("ui", "nightly", stall_s=int(ended - began), stall_lag_ms=round(lag, 1))
        assert lag <= MOST_LAG_MS
