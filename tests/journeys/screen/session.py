"""A person before the desk: keys are counted, and nothing is known but what stands on the screen."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from tests.terminal.conftest import STILL
from tests.terminal.terminal import Terminal
from tui.workstation.commands.context import SETTLE_S

BTC, ETH, DOGE = "BINANCE BTC perp", "BINANCE ETH perp", "BINANCE DOGE perp"
"""Pairs as the line of the ticket names them."""


_OPEN_ROW = re.compile(r"[▸▹│]OPEN ")
CONFIG = """\
[workstation]
bell = false
confirm_arm_ms = 0

[engine.limits]
stale = 3600
red_after = 3600

[engine.audits]
adl_gap = 1.0
"""
"""A still market is no silent one: its quotes grow old on the screen without being refused. A script reads at once."""


class Person:
    """Hands and eyes at one desk; the keys between `begins` and the end of a task are counted."""

    def __init__(self, desk: Terminal) -> None:
        self.desk = desk
        self.keys = 0
        """Keys of the task; a click counts as one."""
        self.refused = 0
        """Keys that the screen refused."""
        self._counts = False

    # Hands

    def press(self, *keys: str) -> None:
        self.desk.press(*keys)
        if self._counts:
            self.keys += len(keys)

    def type(self, text: str) -> None:
        self.press(*text)

    def command(self, line: str) -> None:
        """Type a command line and carry it out."""
        self.press(":")
        self.see("Command line")
        self.type(line)
        self.see(line.split()[-1])
        self.press("enter")

    def find(self, words: str, seen: str) -> None:
        """Find something in the palette and go there."""
        self.press("ctrl+p")
        self.see("Find")
        self.type(words)
        self.see(seen)
        self.press("enter")
        self.gone("┌ Find")

    def click(self, word: str) -> None:
        self.desk.click(word)
        if self._counts:
            self.keys += 1

    # Eyes

    def see(self, *words: str) -> str:
        """Wait for a line that holds all of the words; return it."""
        return self.desk.see(*words)

    def look_at_row(self, *words: str) -> None:
        """Wait for the row under the cursor, and look at it as long as a person does before a key for it.

        For so long after the program has moved the cursor the key would be asked for again.
        """
        self.see(*words)
        time.sleep(SETTLE_S)

    def gone(self, *words: str) -> None:
        self.desk.gone(*words)

    def read(self, pattern: str) -> re.Match[str]:
        """Wait for a place on the screen that matches; return the match."""
        wanted = re.compile(pattern)
        return self.desk.until(lambda lines: wanted.search("\n".join(lines)), pattern)

    def is_left(self, count: int, pair: str = "") -> None:
        """Wait until so many orders of a pair, or of all, are open on the screen."""
        self.desk.until(
            lambda lines: sum(bool(_OPEN_ROW.search(line)) and pair in line for line in lines) == count,
            f"{count} open {pair}",
        )

    # What every task needs

    def begins(self, *arrangements: Literal["arm", "rest", "hold", "protect", "flatten"]) -> None:
        """Arrange what the task begins with, and count the keys from here on."""
        for name in arrangements:
            getattr(self, name)()
        self._counts, self.keys = True, 0

    def arrive(self) -> None:
        """Wait until the desk is in step with the venue, and the quotes are there."""
        self.see("In sync with the venue")
        self.see(BTC + " · min")

    def arm(self) -> None:
        self.press("a")
        self.see("ARMED")

    def go_to(self, letters: str, pair: str) -> None:
        """Find a pair in the quotes by a few letters."""
        self.press("1", "/")
        self.see("filter: ")
        self.type(letters)
        self.press("enter")
        self.see(pair + " · min")

    def order(self, line: str) -> None:
        """Carry out a command line that sends, and answer what the desk asks about."""
        self.press(":")
        self.see("Command line")
        self.type(line)
        self.see("Enter sends")
        self.send()

    def stage(self, *keys: str) -> None:
        """Press what stages an order, and wait until it could be sent."""
        self.press(*keys)
        self.see("Enter sends")

    def send_form(self) -> None:
        """Send the form from its last line."""
        self.see("y send")
        self.send("y")

    def send(self, key: str = "enter") -> None:
        """Send what is staged, and answer what the desk asks about; the ticket closes once it is answered."""
        self.press(key)
        if self.desk.until(self._question_or_end, "the question or the end of the ticket") == "asks":
            self.press("y")
            self.desk.until(lambda lines: self._question_or_end(lines) == "ended", "the end of the ticket")

    @staticmethod
    def _question_or_end(lines: list[str]) -> str:
        if any("│ ? " in line for line in lines):
            return "asks"
        idle = any(" ticket ─" in line or " ticket ━" in line for line in lines)
        return "ended" if idle and not any(line.startswith(":") for line in lines) else ""

    # Arrangements before a task

    def rest(self, pair: str = "btc", letters: str = "btc") -> None:
        """Have an order work far below the market."""
        del pair
        self.go_to(letters, {"btc": BTC, "eth": ETH, "doge": DOGE}[letters])
        self.stage("b")
        self.press("pagedown", "pagedown", "pagedown")
        self.see("would rest")
        self.send()

    def hold(self, size: str = ".04") -> None:
        """Have a position of BTC."""
        self.press("1")
        self.see(BTC + " · min")
        self.stage("B")
        self.type(size)
        self.see(size.lstrip("0"))
        self.send()
        self.press("3")
        self.see("▸", "BINANCE BTC", "LONG")

    def flatten(self) -> None:
        """Have nothing of the position under the cursor any more."""
        self.stage("f")
        self.send()

    def protect(self) -> None:
        """Have a stop at the position under the cursor."""
        self.press("p")
        self.see("stop")
        self.type("1%")
        self.press("enter", "enter", "y")
        self.see("PLACED: stop SELL all")

    def delay_answers(self) -> None:
        """Let answers to orders come 4 s late, and pushes of orders 2 s late."""
        self.press("f6")
        self.see("▸", "network")
        self.press("j", "space", "space")
        self.see("▸", "answers to orders", "late by 4 s")
        self.press("j", "space", "space", "space")
        self.see("▸", "order pushes", "late by 2 s")
        self.press("escape")
        self.gone("Practice: faults")

    def cut_network(self) -> None:
        """Cut the network, look at the order whose outcome is unknown, and let everything work again."""
        self.press("f6")
        self.see("▸", "network")
        self.press("space")
        self.see("▸", "network", "cut")
        self.press("escape", "2")
        self.see("UNKNOWN", "BINANCE BTC")
        self.press("f6", "r")
        self.see("▸", "network", "works")
        self.press("escape")
        self.see("OPEN", "BINANCE BTC")
        self.desk.in_step()


Script = Callable[[Person], None]


@contextmanager
def person_at(columns: int, lines: int, home: Path) -> Iterator[Person]:
    """A person at a desk of this size, on a paper venue whose market holds still."""
    config = home / "config" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(CONFIG)
    desk = Terminal(*STILL, home=home, columns=columns, lines=lines)
    try:
        person = Person(desk)
        person.arrive()
        yield person
    finally:
        desk.close()
