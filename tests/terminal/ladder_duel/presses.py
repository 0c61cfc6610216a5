"""Presses of the duel: how a hand moves, waits and presses, and what the screen showed at that moment."""

from __future__ import annotations

import re
from decimal import Decimal
from random import Random

import msgspec

TICK = Decimal("0.1")
MOVES = "jjjjkkkk[]gggGGG''<>"
"""Keys that move the cursor or the window, as often as they are drawn; pages are added by `PAGES`."""
PAGES = ("pagedown", "pageup")
LONGEST_WAIT_S = 0.6
_PRICE = re.compile(r"\d{2},\d{3}\.\d")
_GROUP = re.compile(r"Ladder .*BINANCE BTC perp ×(\d+)")


class Press(msgspec.Struct, frozen=True, kw_only=True):
    """One press, with the moves before it."""

    moves: tuple[tuple[str, float], ...]
    """Keys, each with the seconds before the next; the last has none."""
    wait: float
    """Seconds between the last move and the key that stages."""
    key: str
    """`b` or `s`."""

    @property
    def side(self) -> str:
        return "BUY" if self.key == "b" else "SELL"


def draw_press(seed: int, number: int) -> Press:
    """Draw the press of a number."""
    rng = Random(f"duel {seed} {number}")
    keys = [rng.choice(PAGES) if rng.random() < 0.06 else rng.choice(MOVES) for _ in range(rng.randrange(1, 5))]
    moves = tuple((key, rng.uniform(0.04, 0.2)) for key in keys[:-1])
    return Press(moves=(*moves, (keys[-1], 0.0)), wait=rng.uniform(0.0, LONGEST_WAIT_S), key=rng.choice("bs"))


class ShownRow(msgspec.Struct, frozen=True):
    """Line of the cursor as the terminal shows it."""

    low: Decimal
    group: int

    def price(self, side: str) -> Decimal:
        """Return the price that a key stages there: of a grouped row the less aggressive end."""
        return self.low if side == "BUY" else self.low + TICK * (self.group - 1)


def read_cursor_row(text: str) -> ShownRow | None:
    """Read the line that carries the cursor of the ladder; None: the ladder has not the focus."""
    group = _GROUP.search(text)
    for line in text.split("\n"):
        _, sign, rest = line.partition("▸")
        if sign and (found := _PRICE.search(rest)):
            return ShownRow(Decimal(found.group().replace(",", "")), int(group.group(1)) if group else 1)
    return None
