"""Flap detection: too many connection losses within a time window; it ends after a window without a loss."""

from __future__ import annotations

from collections import deque

from tui.client.connection_status import Phase


class FlapDetector:
    """Flap detector of one connection; times are monotonic, in s."""

    def __init__(self, losses: int, window: float) -> None:
        """Initialize without losses; `losses` of them within `window` seconds count as flapping."""
        self._window = window
        self._lost: deque[float] = deque(maxlen=losses)
        self._was = Phase.DOWN
        self._on = False

    def observe(self, phase: Phase, now: float) -> bool:
        """Record the connection's phase; return whether the connection is flapping."""
        if self._was is Phase.READY and phase is not Phase.READY:
            self._lost.append(now)
            self._on = self._on or (len(self._lost) == self._lost.maxlen and now - self._lost[0] <= self._window)
        self._was = phase
        self._on = self._on and now - self._lost[-1] < self._window
        return self._on
