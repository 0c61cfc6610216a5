"""Client-side limiter for the documented rate limits: a sliding window per endpoint and action.

A share of each window is reserved for cancels and queries.
"""

from __future__ import annotations

from collections import deque

from tui.client.settings import Timings
from tui.interface.endpoint import RateLimit
from tui.protocols import Clock

GRACE = 0.05
"""Seconds added to every window, because two clocks never agree on its edge."""


class RateLimiter:
    """Counter of sent requests per endpoint or action; it only computes delays and never sleeps."""

    def __init__(self, timings: Timings, clock: Clock) -> None:
        self._reserve = timings.cancel_reserve
        self._clock = clock
        self._sent: dict[str, deque[float]] = {}
        self._blocked: dict[str, float] = {}

    def delay(self, name: str, limit: RateLimit, *, reserved: bool) -> float:
        """Return the seconds until the next request may be sent; `reserved` requests may use the share kept for cancels."""
        now = self._clock.mono()
        wait = max(0.0, self._blocked.get(name, now) - now)
        sent, room = self._window(name, limit, now), self.room(limit, reserved=reserved)
        if len(sent) >= room:
            wait = max(wait, sent[len(sent) - room] + limit.seconds + GRACE - now)
        return wait

    def used(self, name: str, limit: RateLimit) -> int:
        """Return how many requests of the present window were sent."""
        return len(self._window(name, limit, self._clock.mono()))

    def room(self, limit: RateLimit, *, reserved: bool) -> int:
        """Return how many requests fit in a window; `reserved` requests may use the share kept for cancels."""
        return limit.count if reserved else max(1, int(limit.count * (1.0 - self._reserve)))

    def count(self, name: str) -> None:
        """Count a sent request towards its rate limit."""
        self._sent.setdefault(name, deque()).append(self._clock.mono())

    def block(self, name: str, seconds: float) -> None:
        """Block an endpoint or action for the time that the service demanded."""
        self._blocked[name] = max(self._blocked.get(name, 0.0), self._clock.mono() + seconds)

    def _window(self, name: str, limit: RateLimit, now: float) -> deque[float]:
        sent = self._sent.setdefault(name, deque())
        edge = now - limit.seconds - GRACE
        while sent and sent[0] <= edge:
            sent.popleft()
        return sent
