"""Journal entry about what a kill, a cancel-all or a flatten did not reach, so that a later session warns of it too."""

from __future__ import annotations

import msgspec

UNREACHED = "unreached"
"""Kind of the journal entries."""


class UnreachedEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Live orders and positions that attempts of one kind did not reach; the newest entry of a kind replaces the others."""

    kind: str
    """`kill`, `cancel-all` or `flatten`."""
    at_ms: int = 0
    """Service time of the newest attempt, ms."""
    unsure: bool = False
    """Whether it may have arrived: its answer was lost."""
    orders: tuple[str, ...] = ()
    """Row keys, as in the next ones."""
    algos: tuple[str, ...] = ()
    legs: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether all of it has ended."""
        return not (self.orders or self.algos or self.legs)
