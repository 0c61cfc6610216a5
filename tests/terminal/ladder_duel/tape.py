"""The market of the duel: best prices of a recording at any rate, with generated depth; and an index cursor on it."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.tape import from_recording
from tests.benchmarks.test_tape import RECORDING
from tui.engine.rows import DepthRow

BTC = "BINANCE_PERP_BTC_USDT"
TICKS = {BTC: Decimal("0.1"), "EDX_PERP_BTC_USDT": Decimal("0.5"), "OKX_PERP_BTC_USDT": Decimal("0.1")}
"""Venues of the pair, with their ticks."""
MOST_OFFSET = 30
"""Ticks of 0.1 by which the prices of another venue lie above or below."""
LONGEST_DELAY_S = 0.3
MOVES_SHARE = 0.031
"""Share of the messages that move the best prices, where the market is generated."""
WALK_LENGTH = 60_000
EYE_S = 0.2
"""Seconds between the eye and the key."""
LEVELS = 20


class Best(NamedTuple):
    """Best prices in ticks of 0.1, and their sizes."""

    bid: int
    bid_qty: float
    ask: int
    ask_qty: float


class Tape:
    """Best prices one behind the other, played forwards and back again so that no end makes a jump."""

    def __init__(self, quotes: list[Best]) -> None:
        self._quotes = quotes

    def at(self, number: int) -> Best:
        """Return the best prices after so many messages."""
        length = len(self._quotes) - 1
        back, place = divmod(number, length)
        return self._quotes[length - place if back % 2 else place]


@cache
def read_tape(recording: Path = RECORDING) -> Tape:
    """Read the recording, or draw a walk with the same share of moves where there is none."""
    if not recording.exists():
        return draw_tape(Random(31))
    quotes = from_recording(recording).quotes
    return Tape([Best(quote.bid, quote.bid_size, quote.ask, quote.ask_size) for quote in quotes])


def draw_tape(rng: Random) -> Tape:
    """Draw a walk of the best prices."""
    bid, quotes = 618_000, []
    for _ in range(WALK_LENGTH):
        if rng.random() < MOVES_SHARE:
            bid += rng.choice((-3, -2, -1, -1, 1, 1, 2, 3))
        quotes.append(Best(bid, round(rng.uniform(0.01, 9), 3), bid + 1, round(rng.uniform(0.01, 9), 3)))
    return Tape(quotes)


def price_text(ticks: int) -> str:
    """Write a price as the venue does."""
    return f"{ticks // 10}.{ticks % 10}"


class VenueMarket(NamedTuple):
    """Market of a venue: the tape, later and at other prices."""

    sym: str
    step: int
    """Its tick, in ticks of 0.1."""
    offset: int
    delay_s: float

    @property
    def lot(self) -> float:
        """Smallest step of its sizes: of contracts one."""
        return 1.0 if self.sym.startswith("OKX") else 0.001

    def best(self, best: Best) -> Best:
        """Return its best prices, on its tick, for those of the tape."""
        bid = (best.bid + self.offset) // self.step * self.step
        ask = -(-(best.ask + self.offset) // self.step) * self.step
        return Best(bid, best.bid_qty, ask, best.ask_qty)


def draw_markets(rng: Random, *, several: bool) -> tuple[VenueMarket, ...]:
    """Draw the markets of a session; the first is the tape itself."""
    others = [
        VenueMarket(sym, int(tick * 10), rng.randint(-MOST_OFFSET, MOST_OFFSET), rng.uniform(0.0, LONGEST_DELAY_S))
        for sym, tick in TICKS.items()
        if several and sym != BTC
    ]
    return (VenueMarket(BTC, 1, 0, 0.0), *others)


def draw_depth(best: Best, rng: Random, sym: str = BTC, step: int = 1) -> DepthRow:
    """Draw a book around the best prices."""

    def side(first: int, step: int) -> tuple[tuple[str, str], ...]:
        return tuple((price_text(first + step * n), f"{rng.uniform(0.01, 9):.3f}") for n in range(LEVELS))

    return DepthRow(sym=sym, whole=True, ts=1, bids=side(best.bid, -step), asks=side(best.ask, step))


def count_index_presses(tape: Tape, rate: float, presses: int, rng: Random) -> int:
    """Count presses under which another price lay than the eye saw, with a cursor that is an index into the rows.

    Args:
        tape: The market.
        rate: Messages a second.
        presses: How many at random moments.
        rng: Source of the moments and of the rows.
    """
    wrong = 0
    for _ in range(presses):
        seen_at = rng.randrange(WALK_LENGTH * 2)
        seen, pressed = tape.at(seen_at), tape.at(seen_at + round(rate * EYE_S))
        wrong += seen.bid != pressed.bid if rng.random() < 0.5 else seen.ask != pressed.ask
    return wrong
