"""The process is stopped, as by a shell, a debugger or a laptop's lid. Five minutes of it by hand: `pytest -m real -n 0`."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import at_the_desk

STOPPED_S = 300.0
ORDERS = "/api/v1/trading/orders"
FILLS = "/api/v1/trading/executions"


def is_stopped(process: int) -> bool:
    """Whether a process is stopped; one that stops itself does so only a moment after it has left the terminal.

    Its shell is told when the last of its threads has stopped.
    """
    threads = ["-L"] if sys.platform == "linux" else []
    command = ["ps", *threads, "-o", "state=", "-p", str(process)]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return all(state.startswith("T") for state in told.stdout.split())


@pytest.mark.skipif(shutil.which("ps") is None, reason="ps tells whether a process is stopped; it is not installed")
@pytest.mark.parametrize("stopped_by", [signal.SIGSTOP, signal.SIGTSTP])
def test_a_stopped_process_redraws_and_reads_keys_once_continued(
    start: Callable[..., Terminal], stopped_by: signal.Signals
) -> None:
    desk = start("--seed", "7", "--set", "latency=test", columns=100, lines=30)
    desk.see("In sync with the venue")
    for _ in range(2):
        desk.process.send_signal(stopped_by)
        desk.until(lambda _: is_stopped(desk.process.pid) or None, "the stopped process")
        desk.clear()
        desk.process.send_signal(signal.SIGCONT)
        for words in (("PAPER", "main"), ("BTC perp best",), ("Orders 0", "Positions"), ("Quotes", "Enter form")):
            desk.see(*words)
        # A second reader would take some of the keys away.
        for _ in range(3):
            desk.press("?")
            desk.see("Keys", "finds one")
            desk.press("escape")
            desk.gone("Keys", "finds one")
    desk.press("ctrl+q")
    assert desk.wait() == 0
    assert desk.is_restored()


@pytest.mark.real
@pytest.mark.nightly
@pytest.mark.timeout(2 * STOPPED_S)
def test_f103_a_desk_stopped_for_five_minutes_gets_in_step_again(
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
