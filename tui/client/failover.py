"""Failover between the two sets of service addresses (tiers): which one is used, when to switch and to switch back.

A tier is left after two failed attempts, or after five seconds without a successful one. The other tier is kept for a
while, and left for the first again only while no request is unanswered.
"""

from __future__ import annotations

import msgspec

from tui.client.settings import Service, Timings
from tui.protocols import Clock

PRIMARY = "AZ4"
FAILOVER = "HA"


class Tier(msgspec.Struct, frozen=True):
    """Tier of a service: one complete set of addresses."""

    name: str
    rest_url: str
    private_ws_url: str
    algo_ws_url: str = ""
    """Empty: the tier has no algo stream."""


def tiers_of(service: Service) -> tuple[Tier, ...]:
    """List the tiers of a service, preferred one first."""
    first = Tier(PRIMARY, service.rest_url, service.private_ws_url, service.algo_ws_url)
    if not service.ha_rest_url or not service.ha_private_ws_url:
        return (first,)
    second = Tier(FAILOVER, service.ha_rest_url, service.ha_private_ws_url)
    return (second, first) if service.tier_order == "HA,AZ4" else (first, second)


class FailoverSelector:
    """Selection of the tier in use, shared by REST and the private stream."""

    def __init__(self, service: Service, timings: Timings, clock: Clock) -> None:
        self.all = tiers_of(service)
        self.switches = 0
        """Number of switches."""
        self._timings = timings
        self._clock = clock
        self._at = 0
        self._since = clock.mono()
        self._up = False
        self._failures = 0
        self._failing_since: float | None = None

    @property
    def current(self) -> Tier:
        return self.all[self._at]

    @property
    def is_preferred(self) -> bool:
        """Whether the preferred tier is in use."""
        return self._at == 0

    async def address(self) -> str:
        """Return the private stream's address on the current tier."""
        return self.current.private_ws_url

    def record_login(self) -> None:
        """Record a successful login of the private stream, which resets the failure count."""
        self._up, self._failures, self._failing_since = True, 0, None

    def record_failure(self) -> bool:
        """Record a failed attempt or a lost connection; return whether the next attempt uses the other tier."""
        now = self._clock.mono()
        if self._failing_since is None:
            self._failing_since = now
        lost, self._up = self._up, False
        self._failures += 0 if lost else 1
        tried = self._failures >= self._timings.tier_attempts
        late = now - self._failing_since >= self._timings.tier_patience
        if len(self.all) == 1 or not (tried or late):
            return False
        self._use((self._at + 1) % len(self.all))
        return True

    def may_return(self, in_flight: int) -> bool:
        """Report whether a return to the preferred tier may be tried: minimum stay over, no request in flight."""
        stayed = self._clock.mono() - self._since >= self._timings.tier_min_stay
        return not self.is_preferred and stayed and not in_flight

    def return_to_preferred(self) -> None:
        """Switch back to the preferred tier, the first set of service addresses."""
        self._use(0)

    def postpone_return(self) -> None:
        """Wait another minimum stay before the next return attempt, because the preferred tier does not answer."""
        self._since = self._clock.mono()

    def _use(self, number: int) -> None:
        self._at, self._since = number, self._clock.mono()
        self._up, self._failures, self._failing_since = False, 0, None
        self.switches += 1
