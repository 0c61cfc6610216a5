"""Presses of the duel: how a hand moves, waits and presses, and what the screen showed at that moment."""

from __future__ import annotations

import re
from decimal import Decimal
from random import Random

import msgspec

from tests.terminal.ladder_duel.tape import BTC, TICKS

MOVES = "jjjjkkkk[]gggGGG''<>"
"""Keys that move the cursor or the window, as often as they are drawn; pages are added by `PAGES`."""
ASIDE = ("left", "right")
"""Keys that move the cursor to another venue."""
ASIDE_SHARE = 0.3
SEVERAL_SHARE = 0.5
"""Share of the sessions that show several venues."""
PAGES = ("pagedown", "pageup")
LONGEST_WAIT_S = 0.6
_PRICE = re.compile(r"\d{2},\d{3}\.\d")
_TITLE = re.compile(r"Ladder (?:─ )?(→ |.*?)(?:BINANCE|EDX|OKX) BTC perp(?: ×(\d+))?")
_VENUE = re.compile("BIN|EDX|OKX")
_SYMBOLS = {sym[:3]: sym for sym in TICKS}


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


def draw_several(seed: int, session: int) -> bool:
    """Draw whether a session shows several venues."""
    return Random(f"duel venues {seed} {session}").random() < SEVERAL_SHARE


def draw_press(seed: int, number: int, *, several: bool = False) -> Press:
    """Draw the press of a number; among several venues it goes aside now and then."""
    rng = Random(f"duel {seed} {number}")
    keys = [rng.choice(PAGES) if rng.random() < 0.06 else rng.choice(MOVES) for _ in range(rng.randrange(1, 5))]
    if several:
        keys = [rng.choice(ASIDE) if rng.random() < ASIDE_SHARE else key for key in keys]
    moves = tuple((key, rng.uniform(0.04, 0.2)) for key in keys[:-1])
    return Press(moves=(*moves, (keys[-1], 0.0)), wait=rng.uniform(0.0, LONGEST_WAIT_S), key=rng.choice("bs"))


class ShownRow(msgspec.Struct, frozen=True):
    """Line of the cursor as the terminal shows it."""

    low: Decimal
    height: Decimal
    """Distance to the row above."""
    sym: str = BTC
    """Pair in whose columns the cursor stands."""

    def price(self, side: str) -> Decimal:
        """Return the price that a key stages there: of several the less aggressive end, on the tick of the venue."""
        return self.low if side == "BUY" else self.low + self.height - TICKS[self.sym]


def read_cursor_row(text: str) -> ShownRow | None:
    """Read the line that carries the cursor of the ladder; None: the ladder has not the focus."""
    lines = text.split("\n")
    at, title = next(((y, found) for y, line in enumerate(lines) if (found := _TITLE.search(line))), (0, None))
    group = int(title.group(2) or 1) if title else 1
    several = title is not None and title.group(1) == "→ "
    for line in lines:
        before, sign, rest = line.partition("▸")
        if sign and (found := _PRICE.search(rest)):
            sym = _read_venue(lines[at + 1], len(before) + 1 + rest.index("▌")) if several else BTC
            coarsest = max(TICKS.values()) if several else TICKS[BTC]
            return ShownRow(Decimal(found.group().replace(",", "")), coarsest * group, sym)
    return None


def _read_venue(heading: str, column: int) -> str:
    """Read the name over the columns that the thick bar of the cursor's line begins."""
    found = _VENUE.search(heading, column)
    assert found is not None, heading
    return _SYMBOLS[found.group()]
