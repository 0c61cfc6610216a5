"""Clock difference to the server: measured at the midpoint of the round trip, from the fastest of the last 20 pings.

Samples use the clock that never jumps, so that a correction of the machine's clock takes effect at once. Before the
first pong, the `Date` of HTTP answers bounds the difference.
"""

from __future__ import annotations

from collections import deque
from email.utils import mktime_tz, parsedate_tz

from tui.protocols import Clock

SAMPLES = 20
DATE_COUNTS = 60.0
"""Seconds for which the `Date` of an answer counts without another one."""


class Skew:
    """Clock difference: our wall clock minus the server's, ms."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, float]] = deque(maxlen=SAMPLES)
        self._quickest = (0.0, 0.0)
        """Sample with the shortest round trip, once there are any."""
        self._bounds: tuple[float, float] | None = None
        """Least and most that the boot clock is ahead of the server's, ms, by the `Date` of answers."""
        self._bounded_at = 0.0

    def add(self, sent_boot: float, round_trip: float, server_ms: int) -> None:
        """Add a ping measurement: boot clock when sent (s), round trip (s), server time in the pong (ms)."""
        self._samples.append((round_trip, (sent_boot + round_trip / 2) * 1000 - server_ms))
        self._quickest = min(self._samples)

    def add_date(self, sent_boot: float, date: str) -> None:
        """Add a measurement from an HTTP response just received: boot clock at the request (s), header `Date`.

        The header names a second, so the server's clock was somewhere in it. Ignored once there was a pong.
        """
        parts = None if self._samples else parsedate_tz(date)
        if parts is None:
            return
        try:
            second = mktime_tz(parts)
        except (ValueError, OverflowError):
            return
        now = self._clock.boot()
        least, most = (sent_boot - second - 1) * 1000, (now - second) * 1000
        before = self._bounds if now - self._bounded_at < DATE_COUNTS else None
        if before is not None and max(least, before[0]) <= min(most, before[1]):
            least, most = max(least, before[0]), min(most, before[1])
        self._bounds, self._bounded_at = (least, most), now

    @property
    def least_server_ms(self) -> float | None:
        """Earliest time that the server's clock can show now, ms; None while no measurement counts."""
        boot = self._clock.boot()
        if self._samples:
            round_trip, ahead = self._quickest
            return (boot - round_trip / 2) * 1000 - ahead
        if self._bounds is None or boot - self._bounded_at >= DATE_COUNTS:
            return None
        return boot * 1000 - self._bounds[1]

    @property
    def ms(self) -> float | None:
        """Current estimate of the clock difference, ms, by pongs, else by response dates; None while neither shows one.

        By `Date` alone it is the least possible difference, and None while there may be none.
        """
        wall, boot = self._clock.wall(), self._clock.boot()
        ahead = (wall - boot) * 1000
        if self._samples:
            return ahead + self._quickest[1]
        if self._bounds is None or boot - self._bounded_at >= DATE_COUNTS:
            return None
        least, most = ahead + self._bounds[0], ahead + self._bounds[1]
        return None if least <= 0 <= most else min(least, most, key=abs)
