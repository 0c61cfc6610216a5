"""Backoff before reconnecting (full jitter over a window that doubles up to a cap), and minimum time between logins."""

from __future__ import annotations

from collections import deque

from tui.client.settings import Timings
from tui.protocols import Clock, RandomSource


class Backoff:
    """Backoff before connection attempts: a random delay, in seconds, that grows with each failure."""

    def __init__(self, timings: Timings, random_source: RandomSource) -> None:
        self._timings = timings
        self._random_source = random_source
        self.attempts = 0

    def next_delay(self) -> float:
        """Return the seconds to wait before the next attempt."""
        first, cap = self._timings.reconnect_first, self._timings.reconnect_cap
        window = min(cap, first * 2.0 ** min(self.attempts, 20))
        self.attempts += 1
        return self._random_source.uniform(0.0, window)

    def reset(self) -> None:
        """Reset the backoff to the smallest window after a login."""
        self.attempts = 0


class LoginGate:
    """Minimum time between logins with one API key, and a pause after repeated rejections."""

    def __init__(self, timings: Timings, clock: Clock) -> None:
        self._timings = timings
        self._clock = clock
        self._last = float("-inf")
        self._refused: deque[float] = deque(maxlen=max(1, timings.login_failures_per_minute))

    def remaining_s(self) -> float:
        """Return the seconds until the next login may be sent."""
        now = self._clock.mono()
        wait = self._last + self._timings.login_gap - now
        if len(self._refused) == self._refused.maxlen:
            wait = max(wait, self._refused[0] + 60.0 - now)
        return max(0.0, wait)

    def record_login(self) -> None:
        """Record that a login request was sent."""
        self._last = self._clock.mono()

    def record_refusal(self) -> None:
        """Record that the service rejected a login; three rejections within a minute cause a pause."""
        self._refused.append(self._clock.mono())
