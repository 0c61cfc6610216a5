"""Time for which a signed call whose answer was lost can still arrive at the service."""

from __future__ import annotations

from tui.interface.signing import NONCE_WINDOW_S

LATE_S = 10.0
"""How long an accepted command may take until it is seen, s."""


def compute_expiry(window: float = NONCE_WINDOW_S) -> float:
    """Return how long a signed command may take until it shows where the service's clock was not measured, s.

    A reading that is accepted proves that clock within the window of its own nonce only.
    """
    return 2.0 * window + LATE_S


EXPIRED_S = compute_expiry()
"""The same for calls of the second generation, s."""


def expires_at(now: float, least_server_ms: float | None, nonce: int, window: float = NONCE_WINDOW_S) -> float:
    """Monotonic time from which a call cannot be seen to arrive any more, s.

    Args:
        now: Monotonic, s.
        least_server_ms: The least that the service's clock can show now; None: not measured.
        nonce: Second that the call was signed for; 0: not known.
        window: How far that second may be off the service's clock, s.
    """
    if not nonce or least_server_ms is None:
        return now + compute_expiry(window)
    left = nonce + window + LATE_S - least_server_ms / 1000
    return now + min(max(left, 0.0), compute_expiry(window))
