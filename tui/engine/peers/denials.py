"""Bound of the denials of peers that are recorded, because each is an event line and a journal entry."""

from __future__ import annotations

from collections import Counter

WITHIN_S = 60.0
MOST_OF_PEER = 300
"""Most denials of a peer that are recorded within `WITHIN_S`; no trader types as many lines."""
MOST_IN_ALL = 1_500
"""The same of all peers together: a peer may come back under other names."""


class DenialRecord:
    """Limiter of how many denials of peers are recorded within `WITHIN_S`, per peer and in all."""

    def __init__(self) -> None:
        self._began = 0.0
        """Monotonic time of the first denial that is counted, s."""
        self._denials: Counter[str] = Counter()
        """By peer."""
        self._suppressed: Counter[str] = Counter()

    def admit(self, peer: str, now: float) -> bool:
        """Count a denial at a monotonic time; return whether it is recorded."""
        if not self._denials:
            self._began = now
        in_all = self._denials.total() - self._suppressed.total()
        admitted = self._denials[peer] < MOST_OF_PEER and in_all < MOST_IN_ALL
        self._denials[peer] += 1
        self._suppressed[peer] += not admitted
        return admitted

    @property
    def is_first_suppressed(self) -> bool:
        """Whether exactly one denial was suppressed so far."""
        return self._suppressed.total() == 1

    def settle_suppressed(self, now: float) -> tuple[str, int]:
        """Once `WITHIN_S` is over, return the peer with most suppressed denials and their total, and reset the counts."""
        if not self._denials or now - self._began < WITHIN_S:
            return "", 0
        [(peer, _)] = self._suppressed.most_common(1) or [("", 0)]
        number = self._suppressed.total()
        self._denials.clear()
        self._suppressed.clear()
        return peer, number
