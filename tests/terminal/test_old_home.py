"""A home of an older version opens complete: paper account, journal, settings."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.terminal.journal import exported_journal
from tests.terminal.terminal import Terminal

DATA = Path(__file__).parent.parent / "data"
STILL_MARKET = ("--seed", "7", "--set", "latency=test", "--set", "agents=still")


def copy_home(name: str, to: Path) -> Path:
    """Copy a committed home; git keeps no private modes, so they are set here."""
    shutil.copytree(DATA / name, to)
    for path in [to, *to.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    return to


def test_a_home_of_an_old_version_opens_with_position_and_order(start: Callable[..., Terminal], tmp_path: Path) -> None:
    """Its long of 0.07 BTC, the stop at 58,000 and the bid of 0.2 ETH are there, and nothing is UNKNOWN."""
    home = copy_home("home_761425f", tmp_path / "home")
    desk = start(*STILL_MARKET, home=home)
    desk.in_step()
    desk.see("BINANCE BTC", "LONG", "0.070", "61,814.1", "SL 58,000.0")
    desk.see("OPEN", "BINANCE ETH", "2,685.54", "0.200")
    assert not any("UNKNOWN" in line for line in desk.display)
    fills = [json.loads(row["payload"]) for row in exported_journal(home) if row["kind"] == "fill"]
    assert [(fill["side"], fill["quantity"], fill["price"]) for fill in fills] == [
        ("BUY", "0.02", "61822.2"),
        ("BUY", "0.05", "61810.8"),
    ]
