"""Random numbers for the tests: the same seed gives the same draws in every process."""

from __future__ import annotations

import hashlib
import random


class Seeded:
    """A `RandomSource` whose streams do not disturb each other."""

    def __init__(self, seed: str = "1") -> None:
        self._seed = seed
        self._source = random.Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big"))

    def random(self) -> float:
        return self._source.random()

    def uniform(self, a: float, b: float) -> float:
        return self._source.uniform(a, b)

    def randrange(self, stop: int) -> int:
        return self._source.randrange(stop)

    def stream(self, name: str) -> Seeded:
        return Seeded(f"{self._seed}/{name}")
