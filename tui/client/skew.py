"""How far our clock is from the server's: midpoint of the round trip, from the quickest of the last twenty."""

from __future__ import annotations

from collections import deque

SAMPLES = 20


class Skew:
    """Our clock minus the server's, in ms."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque(maxlen=SAMPLES)

    def add(self, sent_wall: float, round_trip: float, server_ms: int) -> None:
        """One ping: our wall time when it left (s), how long the pong took (s), the server's time in it (ms)."""
        ours = (sent_wall + round_trip / 2) * 1000
        self._samples.append((round_trip, ours - server_ms))

    @property
    def ms(self) -> float | None:
        """The estimate, or None before the first pong."""
        return min(self._samples)[1] if self._samples else None
