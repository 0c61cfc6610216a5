"""Random numbers that depend on the first start of a venue alone, so that a restart with another seed draws the same."""

from __future__ import annotations

from tui.protocols import RandomSource

_MASK = 2**64 - 1
_WEYL = 0x9E3779B97F4A7C15


class StableRandom:
    """Generator `splitmix64`; each named stream is independent of the others."""

    def __init__(self, *numbers: int) -> None:
        self._state = 0
        for number in numbers:
            self._state = self.next() ^ (number & _MASK)

    def next(self) -> int:
        """Return the next number of 64 bits."""
        self._state = (self._state + _WEYL) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def random(self) -> float:
        return (self.next() >> 11) / 2**53

    def uniform(self, a: float, b: float) -> float:
        return a + (b - a) * self.random()

    def randrange(self, stop: int) -> int:
        return self.next() % stop

    def stream(self, name: str) -> RandomSource:
        return StableRandom(self._state, *name.encode())
