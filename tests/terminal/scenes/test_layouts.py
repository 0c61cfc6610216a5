"""Stored layouts in a real terminal, on the market of the paper venue."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.terminal.conftest import no_daily_ask
from tests.terminal.terminal import Terminal
from tui.workstation.model.screen_preferences import StoredPreferences


def test_the_ladder_of_a_stored_layout_shows_prices(start: Callable[..., Terminal], tmp_path: Path) -> None:
    home = tmp_path / "home"
    no_daily_ask(home)
    state = home / "state" / "paper"
    for folder in (state.parent, state):
        folder.mkdir(mode=0o700)
    (state / "screen.json").write_bytes(msgspec.json.encode(StoredPreferences(layout="ladder")))
    desk = start("--seed", "7", "--set", "latency=test", home=home, columns=160, lines=45)
    desk.see("Ladder", "BINANCE BTC perp")

    def shows_prices(display: list[str]) -> bool:
        ladder = "\n".join(line[:48] for line in display)
        return "no book" not in ladder and len(re.findall(r" 61,\d{3}\.\d\+? ", ladder)) > 10

    desk.until(shows_prices, "prices in the ladder")
