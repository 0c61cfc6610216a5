"""A hand on the keyboard that trades without a plan, and opens no two things at once."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable

from tests.chaos.stage import START_S
from tests.terminal.terminal import Terminal

PATIENCE_S = 0.8
"""How long the hand looks for what a key should bring, s; then it goes back."""
ESCAPE_S = 0.12
"""A terminal program takes Escape and a key within this time for one key with Alt."""
SENT_S = 0.5
"""How long the ticket may stay after Enter, s."""
ROWS = 9
"""Quote rows among which the hand chooses."""


class Hands:
    """Presses the keys of one action after the other on whatever workstation runs now."""

    def __init__(self, source: random.Random) -> None:
        self._random = source
        self._desk: Terminal | None = None
        self.done: Counter[str] = Counter()
        """Actions by name, whether or not the workstation let them leave."""

    def take(self, desk: Terminal) -> None:
        """Sit down at a workstation that has just started."""
        self._desk = desk

    @property
    def desk(self) -> Terminal:
        assert self._desk is not None
        return self._desk

    def arm(self, within: float) -> None:
        """Wait until the workstation is in step, then arm it; a key that comes too early is pressed again."""
        deadline = time.monotonic() + within
        self.desk.see("BINANCE", "1t", within=within)
        while True:
            if self._shows(r"\bARMED\b", 0.2):
                return
            if not self._shows(r"y confirm|Arm portfolio|\[ Arm", 0.2):
                self.desk.press("a")
            if self._shows(r"Arm portfolio", 1.0):
                self.desk.press("y")
                if self._shows(r"\bARMED\b", 1.0):
                    return
            assert time.monotonic() < deadline, "never armed\n" + self.desk.text()

    # -- one action --------------------------------------------------------------------------------------------------

    def act(self) -> str:
        """One action; its name is the answer."""
        self.go_back()
        acts = OPENING if self._shows(r"2 Orders .* 0 working", 0.0) else ACTS
        name = self._random.choices(tuple(acts), weights=tuple(acts.values()))[0]
        getattr(self, "_" + name)()
        self.done[name] += 1
        return name

    def press_enter_only(self) -> None:
        """Stage an order and press Enter without waiting for anything: the moment before a kill."""
        self.go_back()
        self._to_a_quote()
        self.desk.press(self._random.choice("bsBS"))
        if self._shows("Enter sends", PATIENCE_S):
            self.desk.press("enter")

    def _shows(self, pattern: str, within: float) -> bool:
        """Whether a line shows a pattern within a time, s."""
        found = re.compile(pattern)
        return self._until(lambda display: any(map(found.search, display)), within)

    def _until(self, true: Callable[[list[str]], bool], within: float) -> bool:
        """Whether the screen becomes so within a time, s."""
        try:
            self.desk.until(lambda display: true(display) or None, "what a key should bring", within=within)
        except AssertionError:
            return False
        return True

    def go_back(self) -> None:
        """Close whatever is open: the line of keys names Esc then."""
        for _ in range(4):
            if "Esc " not in self.desk.display[-1]:
                return
            self.desk.press("escape")
            self._until(lambda display: "Esc " not in display[-1], ESCAPE_S)

    def _send(self) -> None:
        if not self._shows("Enter sends", PATIENCE_S):
            return
        self.desk.press("enter")
        if self._asks():
            self.desk.press("y")

    def _asks(self) -> bool:
        """Whether the order that Enter should send is asked about first; what is neither sent nor asked is refused."""

        def answered(display: list[str]) -> bool:
            text = "\n".join(display)
            return "y sends" in text or "Enter sends" not in text

        return self._until(answered, SENT_S) and "y sends" in self.desk.text()

    def _answer(self, pattern: str) -> None:
        if self._shows(pattern, PATIENCE_S):
            self.desk.press("y")

    def _to_a_quote(self) -> None:
        self.desk.press("1", "home", *"j" * self._random.randrange(ROWS))

    def _to_an_order(self) -> None:
        counted = re.search(r"2 Orders\D+(\d+) working", self.desk.text())
        rows = int(counted.group(1)) if counted else 1
        self.desk.press("2", "home", *"j" * self._random.randrange(min(max(rows, 1), 9)))

    def _rest(self) -> None:
        self._to_a_quote()
        side = self._random.choice("bs")
        self.desk.press(side)
        if self._shows("Enter sends", PATIENCE_S):
            self.desk.press(*("[" if side == "b" else "]") * self._random.randrange(5))
        self._send()

    def _take(self) -> None:
        self._to_a_quote()
        self.desk.press(self._random.choice("BS"))
        self._send()

    def _again(self) -> None:
        self.desk.press("1")
        self.desk.press(".")
        self._send()

    def _cancel(self) -> None:
        self._to_an_order()
        self.desk.press("c")

    def _cancel_last(self) -> None:
        self.desk.press("2", "u")

    def _replace(self) -> None:
        self._to_an_order()
        self.desk.press(*self._random.choice("+-") * (1 + self._random.randrange(5)))
        self._send()

    def _resize(self) -> None:
        self._to_an_order()
        self.desk.press(*">" * (1 + self._random.randrange(3)))
        self._send()

    def _cancel_scope(self) -> None:
        self._to_an_order()
        self.desk.press("C")
        self._answer(r"y confirm|y cancel|\by\b.*[Cc]ancel|\[ Cancel")

    def _flatten(self) -> None:
        self.desk.press("3", *"j" * self._random.randrange(3), "f")
        self._send()

    def _flatten_part(self) -> None:
        self.desk.press("3", *"j" * self._random.randrange(3), "%", self._random.choice("1234"))
        self._send()

    def _kill(self) -> None:
        self.desk.press("X")
        if self._shows(r"[Cc]ancel everything", PATIENCE_S):
            self.desk.press("enter")
            self._until_halt(True)
        self.go_back()
        self.resume()

    def _until_halt(self, halted: bool) -> bool:
        """Wait until the status line says HALT, or no longer does; whether it came to that."""
        return self._until(lambda display: ("HALT" in display[0]) is halted, PATIENCE_S)

    def resume(self) -> None:
        """Back from HALT to NORMAL by the typed word, and armed again."""
        deadline = time.monotonic() + START_S
        while "HALT" in self.desk.display[0]:
            assert time.monotonic() < deadline, "never resumed\n" + self.desk.text()
            self.go_back()
            self.desk.press("ctrl+t")
            if self._shows("Resume trading", PATIENCE_S):
                self.desk.press(*"resume", "enter")
                self._until_halt(False)
        self.go_back()
        self.arm(START_S)

    def _dismiss(self) -> None:
        self.desk.press("2", "home")
        if self._shows("UNKNOWN", 0.1):
            self.desk.press("delete")
            self._answer(r"[Dd]ismiss|\by\b")


ACTS = {
    "rest": 30,
    "take": 16,
    "again": 8,
    "cancel": 24,
    "cancel_last": 4,
    "replace": 10,
    "resize": 3,
    "cancel_scope": 3,
    "flatten": 4,
    "flatten_part": 3,
    "kill": 1,
    "dismiss": 2,
}
"""Actions and their weights."""
OPENING = {name: ACTS[name] for name in ("rest", "take", "again", "flatten", "kill", "dismiss")}
"""What there is to do without a working order."""
