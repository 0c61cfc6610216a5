"""Longest time after which a signed request without a reply can still reach the service."""

from __future__ import annotations

from tui.interface.signing import NONCE_WINDOW_S

LATE_S = 10.0
"""Longest time until an accepted command takes effect, s."""


def compute_expiry(window: float = NONCE_WINDOW_S) -> float:
    """Return how long, in s, a service whose clock was not measured may still accept a signed request.

    An accepted read proves that clock only within the window of its own nonce.
    """
    return 2.0 * window + LATE_S


EXPIRED_S = compute_expiry()
"""Expiry of calls signed as in version 2, s."""


def expires_at(now: float, least_server_ms: float | None, nonce: int, window: float = NONCE_WINDOW_S) -> float:
    """Return the monotonic time, in s, from which a signed request can no longer be accepted.

    Args:
        now: Monotonic time, s.
        least_server_ms: Least time the service's clock can show now; None: not measured.
        nonce: Second for which the call was signed; 0: not known.
        window: Accepted difference of that second from the service's clock, s.
    """
    if not nonce or least_server_ms is None:
        return now + compute_expiry(window)
    left = nonce + window + LATE_S - least_server_ms / 1000
    return now + min(max(left, 0.0), compute_expiry(window))
