"""Recent events of peers: how often something of each happened lately."""

from __future__ import annotations

from collections import deque


class RecentEvents:
    """Times of each peer's events within the last seconds, for rate limits."""

    def __init__(self, within_s: float) -> None:
        """Initialize the counts; `within_s` is how long an event counts, s."""
        self._within_s = within_s
        self._times: dict[str, deque[float]] = {}

    def wait_s(self, peer: str, most: int, now: float) -> float:
        """Return the seconds until a peer has fewer than `most` recent events; 0 if it has fewer now."""
        self._forget(now)
        times = self._times.get(peer, ())
        return max(0.0, times[-most] + self._within_s - now) if len(times) >= most else 0.0

    def note(self, peer: str, now: float) -> None:
        """Count an event of a peer at a monotonic time."""
        self._times.setdefault(peer, deque()).append(now)

    def _forget(self, now: float) -> None:
        """Delete events that are too old to count, and peers without events."""
        edge = now - self._within_s
        for peer, times in list(self._times.items()):
            while times and times[0] <= edge:
                times.popleft()
            if not times:
                del self._times[peer]
