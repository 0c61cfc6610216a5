"""Documented rate limits as sliding windows, per API key and endpoint or action."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from tui.interface.endpoint import RateLimit

SHORT_PROFILE_DIVISOR = 5
"""Divisor of the limits in the short profile."""


class SlidingWindows:
    """Sliding windows of accepted calls; a rejected call does not count."""

    def __init__(self, mono: Callable[[], float], profile: Callable[[], str]) -> None:
        self._mono = mono
        self._profile = profile
        self._seen: dict[tuple[str, str], deque[float]] = {}

    def acquire(self, key: str, subject: str, limit: RateLimit) -> float:
        """Count a call and return 0, or return the seconds until the next call would be accepted."""
        if self._profile() == "off":
            return 0.0
        count = self._compute_allowance(limit)
        now = self._mono()
        seen = self._seen.setdefault((key, subject), deque())
        while seen and seen[0] <= now - limit.seconds:
            seen.popleft()
        if len(seen) >= count:
            return seen[0] + limit.seconds - now
        seen.append(now)
        return 0.0

    def _compute_allowance(self, limit: RateLimit) -> int:
        short = self._profile() == "short"
        return max(1, limit.count // SHORT_PROFILE_DIVISOR) if short else limit.count

    def refusal(self, subject: str, limit: RateLimit) -> str:
        """Build the rate-limit error of an endpoint or action, with the limit and the switch that set it."""
        shown = RateLimit(self._compute_allowance(limit), limit.seconds)
        return f"Too many requests: {subject} takes {shown} for each key (rate_profile={self._profile()})"


SUB_PORTFOLIO_LIMITS: dict[str, RateLimit] = {
    "PUT /api/v1/trading/order": RateLimit(20, 10),
    "replace_order": RateLimit(20, 10),
}
"""Lower limits of sub portfolio keys, by endpoint and by action."""


def limit_for(subject: str, limit: RateLimit, level: str, profile: str) -> RateLimit:
    """Return the rate limit of an endpoint or action for a main or sub key; `profile` is the switch `sub_limits`."""
    return SUB_PORTFOLIO_LIMITS.get(subject, limit) if level == "sub" and profile == "lower" else limit


def retry_after(seconds: float) -> str:
    """Format the value of the Retry-After header: whole seconds, at least 1."""
    return str(max(1, math.ceil(seconds)))
