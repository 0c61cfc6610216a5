"""A question over a form over the desk, in a market that moves; and what the log says afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.terminal.scenes.test_algo_scenes import LIMITS, a_position, protect
from tests.terminal.terminal import Terminal
from tests.terminal.trader import at_the_desk


def test_quotes_keep_updating_behind_a_prompt_over_a_form(start: Callable[..., Terminal], tmp_path: Path) -> None:
    with at_the_desk(start, tmp_path, "--control", "--set", "agents=on", more=LIMITS) as trader:
        trader.come_in()
        desk = trader.desk
        a_position(trader)
        protect(trader, "1%")
        desk.see("PLACED")
        desk.press("3", "g", "g", "p")
        desk.see("add a target or another stop beside it")
        desk.press("y")
        desk.see("new algo order", "BINANCE BTC perp")
        desk.press("up", "left", "down", *"2%", "enter", "enter")
        desk.see("y asks first: the position has a stop")
        desk.press("y")
        desk.see("Send anyway")
        for _ in range(2):
            _goes_on(desk, lambda display: display[:2], "the status")
            _goes_on(desk, _quote, "the quote")
        desk.press("w")
        desk.see("w is not an answer here")
        desk.press("escape")
        desk.gone("Send anyway")
        desk.press("escape", "ctrl+q", "y")
        assert desk.wait(10) == 0
        # The file is made with the first line that is logged.
        logs = [path.read_text() for path in desk.home.rglob("crossdesk.log")]
        assert not any("Traceback" in log or "Error" in log for log in logs), logs


def _goes_on(desk: Terminal, read: Callable[[list[str]], object], what: str) -> None:
    """Wait until a part of the screen is another."""
    before = read(desk.display)
    desk.until(lambda display: read(display) != before or None, f"{what} goes on")


def _quote(display: list[str]) -> str:
    return next(line for line in display[2:] if "BINANCE   " in line)
