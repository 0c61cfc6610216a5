"""Whether a link comes and goes: several losses within a while, until it has kept still for as long."""

from __future__ import annotations

from collections import deque

from tui.client.connection_status import Phase


class FlapDetector:
    """Watches one link. Times are monotonic, s."""

    def __init__(self, losses: int, window: float) -> None:
        """So many losses of a link that was up within the window are flapping."""
        self._window = window
        self._lost: deque[float] = deque(maxlen=losses)
        self._was = Phase.DOWN
        self._on = False

    def observe(self, phase: Phase, now: float) -> bool:
        """Take in where the link stands, and return whether it flaps."""
        if self._was is Phase.READY and phase is not Phase.READY:
            self._lost.append(now)
            self._on = self._on or (len(self._lost) == self._lost.maxlen and now - self._lost[0] <= self._window)
        self._was = phase
        self._on = self._on and now - self._lost[-1] < self._window
        return self._on
