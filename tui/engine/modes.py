"""Environment, trading state and risk mode: where orders are sent, and which orders may be sent."""

from __future__ import annotations

from enum import StrEnum

import msgspec

LEAST_REARM_MS = 700
"""Shortest pause for the same key outside HOT, ms: keyboards repeat a held key after 250 to 660 ms."""
LEAST_SHOWN_MS = 150
"""Least time for which what a key press sends must have stood on the screen, ms."""

LEAST_BEHIND_MOVE_MS = 400
"""Least time between a key that moved the focus or was refused and a key press directly behind it that sends, ms."""


class TradingState(StrEnum):
    """Trading state: whether orders may be sent at all."""

    VIEW = "VIEW"
    """Nothing but the cancels and closing orders of the kill prompt."""
    ARMED = "ARMED"
    """Orders after preview and Enter; single cancels at once."""
    HOT = "HOT"
    """As ARMED, and for a limited time one key sends an order that needs no question."""


OWN_SCREEN = ""
"""Name of the sender that is the screen of this process; peers have names of their own."""
BY_YOU = "by you"
"""Words for what the trader at the screen of this process did; other desks are told the name of its desk instead."""
BY_ITS_TRADER = "by its trader"
"""Words for what the trader at another window did, in a line that begins with the name of that window."""
SENDS = frozenset([TradingState.ARMED, TradingState.HOT])
"""States in which orders can be sent."""
MOST_HOT_S = 900.0
"""Longest time that HOT can be asked for, s."""


class RiskMode(StrEnum):
    """Risk mode, from mild to strict: which orders are accepted; a limit can tighten it, only the trader relax it."""

    NORMAL = "NORMAL"
    REDUCING = "REDUCING"
    """No order that raises exposure."""
    HALT = "HALT"
    """Only cancels, size reductions, and orders that can only close."""

    def is_stricter_than(self, other: RiskMode) -> bool:
        """Return whether this mode accepts less than another."""
        modes = list(RiskMode)
        return modes.index(self) > modes.index(other)


class RiskEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """Risk mode and the reason why it was entered, as written to the journal."""

    mode: RiskMode
    why: str
    lasts: bool = False
    """Whether it lasts over a restart until the trader resumes; what a limit caused is found anew while it is breached."""
    at_ms: int = 0
    """When it was entered, ms, in an entry that was read back; 0: not known."""


RISK_MODE = "mode"
"""Kind of the journal entries that tell of a risk mode."""
NOT_RESTRICTED = RiskEntry(RiskMode.NORMAL, "")


class Environment(StrEnum):
    PAPER = "PAPER"
    LIVE = "LIVE"
