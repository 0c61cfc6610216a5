"""Coin prices of the invented history: a random walk that ends at the prices with which the venue started."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import half_up
from tui.protocols import RandomSource
from tui.venue.core.market.symbols import REFERENCE_PRICES, Pair

STEP_MS = 7_200_000
"""Time between two prices of the walk, ms."""
_WIDEST_PPM = 6_000
"""Largest change of a price in one step, millionths."""
_PLACES = 8


class PastPrices:
    """Index prices of each coin in a time span."""

    def __init__(self, random_source: RandomSource, first_ms: int, end_ms: int) -> None:
        self._first = first_ms
        steps = (end_ms - first_ms) // STEP_MS + 1
        self._walks = {coin: _walk_back(random_source, price, steps) for coin, price in REFERENCE_PRICES.items()}

    def index(self, coin: str, at_ms: int) -> Decimal:
        """Return the index price of a coin at a time, in quote units."""
        walk = self._walks[coin]
        return walk[min(max(at_ms - self._first, 0) // STEP_MS, len(walk) - 1)]

    def ticks(self, pair: Pair, at_ms: int, away_ppm: int = 0) -> int:
        """Return a price near the index in ticks of a pair; `away_ppm` is the offset in millionths."""
        price = self.index(pair.base, at_ms) * (1_000_000 + away_ppm) / 1_000_000
        return int(price / pair.tick)


def _walk_back(random_source: RandomSource, last: Decimal, steps: int) -> list[Decimal]:
    """Draw prices backwards from the newest, which is the opening price; return them oldest first."""
    prices = [last]
    for _ in range(steps - 1):
        change = random_source.randrange(2 * _WIDEST_PPM + 1) - _WIDEST_PPM
        prices.append(half_up(prices[-1] * 1_000_000 / (1_000_000 + change), _PLACES))
    return prices[::-1]
