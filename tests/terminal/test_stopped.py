"""The process is stopped for five minutes, as by a laptop's lid or a debugger. By hand: `pytest -m real -n 0`."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import at_the_desk

STOPPED_S = 300.0
ORDERS = "/api/v1/trading/orders"
FILLS = "/api/v1/trading/executions"


@pytest.mark.real
@pytest.mark.nightly
@pytest.mark.timeout(2 * STOPPED_S)
def test_f103_a_process_stopped_for_five_minutes_reads_all_again(
    start: Callable[..., Terminal], tmp_path: Path
) -> None:
    with at_the_desk(start, tmp_path, "--control") as trader:
        venue, desk = trader.venue, trader.desk
        trader.come_in()
        trader.rest_one()
        [order] = venue.data("GET", ORDERS)["list"]
        desk.process.send_signal(signal.SIGSTOP)
        # The process cannot be asked: what was typed lies in its terminal when it goes on.
        desk.burst("b\rb\r")
        venue.move("BTC", str(int(float(order["limitPrice"]) * 0.98)))
        time.sleep(STOPPED_S)
        desk.process.send_signal(signal.SIGCONT)
        desk.see("FILLED", "61,777.1", "0.001")
        desk.see("Fills 1")
        desk.until(lambda display: ("priv●" in display[0] and "md●" in display[0]) or None, "both links proven again")
        desk.until(lambda display: "RECONCILING" not in display[0] or None, "in step")
        desk.see("Orders ─ 0 working")
        assert venue.data("GET", ORDERS)["list"] == [], "keys typed during the stop send nothing"
        assert len(venue.data("GET", FILLS)) == 1
        desk.press("escape")
        trader.rest_one()
        assert len(venue.data("GET", ORDERS)["list"]) == 1
