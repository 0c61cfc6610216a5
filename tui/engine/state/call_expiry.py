"""How long a signed call whose answer was lost can still arrive at the service."""

from __future__ import annotations

from tui.interface.signing import NONCE_WINDOW_S

LATE_S = 10.0
"""How long an accepted command may take until it is seen, s."""
EXPIRED_S = 2.0 * NONCE_WINDOW_S + LATE_S
"""How long a signed command may take until it is seen where the service's clock was not measured, s: a reading that is
accepted proves that clock within the window of its own nonce only."""


def expires_at(now: float, least_server_ms: float | None, nonce: int) -> float:
    """Monotonic time from which a call cannot be seen to arrive any more, s.

    Args:
        now: Monotonic, s.
        least_server_ms: The least that the service's clock can show now; None: not measured.
        nonce: Second that the call was signed for; 0: not known.
    """
    if not nonce or least_server_ms is None:
        return now + EXPIRED_S
    left = nonce + NONCE_WINDOW_S + LATE_S - least_server_ms / 1000
    return now + min(max(left, 0.0), EXPIRED_S)
