"""Journal entry about what a kill, a cancel-all or a flatten did not reach, so that a later session warns of it too."""

from __future__ import annotations

import msgspec

UNREACHED = "unreached"
"""Kind of the journal entries."""
KILL, CANCEL_ALL, CANCEL, FLATTEN = "kill", "cancel-all", "cancel", "flatten"
"""What did not reach all it was for."""


def cause_of(kind: str) -> str:
    """Return the `cause` text that all warnings of a kind, such as `kill`, share."""
    return f"{kind} that did not arrive"


KEEPABLE = frozenset(map(cause_of, (KILL, CANCEL_ALL, CANCEL, FLATTEN)))
"""Causes of the warnings whose orders and positions a trader may keep."""


class UnreachedEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Journal payload: live orders and positions that attempts of one kind missed; the newest of a kind is valid."""

    kind: str
    """`kill`, `cancel-all`, `cancel` or `flatten`."""
    at_ms: int = 0
    """Service time of the newest attempt, ms."""
    unsure: bool = False
    """Whether it may have arrived: its answer was lost."""
    orders: tuple[str, ...] = ()
    """Row keys, as in the next ones."""
    algos: tuple[str, ...] = ()
    legs: tuple[str, ...] = ()
    by: str = ""
    """Who made the newest attempt: the name of a window or program; empty: not known."""
    kept: dict[str, str] = {}
    """Those of the row keys that the trader keeps on purpose; with the size of a position, negative when short."""

    @property
    def is_empty(self) -> bool:
        """Whether no missed order or position is left."""
        return not (self.orders or self.algos or self.legs)
