"""The terminal is not read for a minute while the market goes on. By hand: `pytest -m real -n 0`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.misbehaving import KEY_NAMES, write_profile
from tests.terminal.terminal import TOP, Terminal
from tests.terminal.test_bad_input import PROMPT_ARMS, enter, select
from tests.venue.shell.conftest import Venue as VenueProcess

STALL_S = 60.0
MOST_LAG_MS = 250.0
PROGRAM = """
import os, sys
import tui.workstation.early
from tui.engine.pulse import Pulse
most = 0.0
def keep(self, value):
    global most
    self.__dict__["_lag"] = value
    if value > most:
        most = value
        with open(os.environ["CROSSDESK_HOME"] + "/lag.txt", "w") as file:
            print(value, file=file)
Pulse._lag = property(lambda self: self.__dict__["_lag"], keep)
from tui.cli.main import main
main(sys.argv[1:])
"""


def journal(home: Path) -> list[dict[str, Any]]:
    """The entries of the running workstation's journal."""
    done = subprocess.run(
        [sys.executable, "-m", "tui.cli.main", "journal", "export", "--profile", "desk"],
        cwd=TOP,
        env={"CROSSDESK_HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.real
def test_i16_f81_a_terminal_that_is_not_read_for_a_minute_stops_nothing(tmp_path: Path) -> None:
    venue = VenueProcess("--seed", "7", "--set", "latency=normal", "--set", "rate_profile=off", "--control")
    home, key = tmp_path / "home", venue.ready["keys"][0]
    write_profile(
        home,
        rest=venue.ready["rest_url"],
        private=venue.ready["private_ws_url"],
        public=venue.ready["public_ws_url"],
        portfolio=key["portfolioId"],
    )
    secrets = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
    desk = Terminal("--profile", "desk", home=home, environment=secrets, program=("-c", PROGRAM))
    try:
        desk.see("Type the portfolio name 'main'")
        desk.press("main", "enter")
        desk.see("in step with the venue")
        desk.press("a")
        desk.see("Arm portfolio main")
        time.sleep(PROMPT_ARMS)
        desk.press("y")
        desk.see("ARMED")
        select(desk, "BTC perp", "BINANCE")
        desk.press("b")
        desk.see("Staged")
        enter(desk)
        desk.see("OPEN", "BINANCE BTC")
        [order] = venue.data("GET", "/api/v1/trading/orders")["list"]
        (home / "lag.txt").unlink(missing_ok=True)
        desk.stop_reading()
        began = time.time()
        time.sleep(STALL_S / 3)
        price = str(int(float(order["limitPrice"]) * 0.98))
        assert venue.process.stdin is not None
        venue.process.stdin.write(json.dumps({"move": {"BTC": price}}).encode() + b"\n")
        venue.process.stdin.flush()
        desk.press("b", "enter")  # typed into a screen that shows nothing: it must do nothing
        time.sleep(STALL_S / 3)
        found = [one for one in journal(home) if one["order_id"] == order["orderId"] and "FILLED" in one["payload"]]
        assert found and began < found[0]["wall_ms"] / 1000 < time.time(), "the fill was written down while nobody read"
        time.sleep(STALL_S / 3)
        ended = time.time()
        desk.go_on_reading()
        desk.see("2 keys came while the screen stood still: ignored", within=5)
        desk.see("FILLED 0.001/0.001", within=5)
        assert ended - began >= STALL_S
        assert venue.data("GET", "/api/v1/trading/orders")["list"] == [], "keys typed during the stall send nothing"
        connects = [one for one in journal(home) if one["kind"] == "note" and "connect" in one["payload"].lower()]
        assert all(one["wall_ms"] / 1000 < began or one["wall_ms"] / 1000 > ended for one in connects), (
            "no link was lost"
        )
        lag = float((home / "lag.txt").read_text()) if (home / "lag.txt").exists() else 0.0
        print(f"stall {ended - began:.0f} s, engine lag at most {lag:.0f} ms")
        assert lag <= MOST_LAG_MS
    finally:
        desk.close()
        venue.stop()
