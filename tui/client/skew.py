"""How far our clock is from the server's: midpoint of the round trip, from the quickest of the last twenty.

Samples are kept against the clock that never jumps, so that a machine whose clock is set right is right at once.
"""

from __future__ import annotations

from collections import deque

from tui.seams import Clock

SAMPLES = 20


class Skew:
    """Our wall clock minus the server's, in ms."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, float]] = deque(maxlen=SAMPLES)

    def add(self, sent_boot: float, round_trip: float, server_ms: int) -> None:
        """One ping: the boot clock when it left (s), how long the pong took (s), the server's time in it (ms)."""
        self._samples.append((round_trip, (sent_boot + round_trip / 2) * 1000 - server_ms))

    @property
    def ms(self) -> float | None:
        """The estimate for now, or None before the first pong."""
        if not self._samples:
            return None
        return (self._clock.wall() - self._clock.boot()) * 1000 + min(self._samples)[1]
