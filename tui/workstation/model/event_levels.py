"""Sign and colour role of an event by its level, and how long it stays in the line of the newest events."""

from __future__ import annotations

from enum import StrEnum, auto

from tui.engine.rows import Level

SIGNS = {Level.INFO: "·", Level.GOOD: "+", Level.WARN: "!", Level.ALERT: "!!"}
ROLES = {Level.INFO: "text", Level.GOOD: "good", Level.WARN: "warn", Level.ALERT: "alert"}
PAST_ROLES = {Level.INFO: "dim", Level.GOOD: "dim", Level.WARN: "warn", Level.ALERT: "alert"}
"""Roles of what is no news any more; a warning keeps its colour."""


class Stay(StrEnum):
    """How long an event stays in the line of the newest ones; the list of events keeps every one."""

    PUSHED_OUT = auto()
    """Until newer ones take its place: what happened to the account, and alerts."""
    NEWS = auto()
    """While it is news: what the screen itself says."""
    NEXT_KEY = auto()
    """While it is news and no later key was accepted: why a key did nothing."""
    ANSWERED = auto()
    """Until a later key is accepted, however long that takes: why what was asked for was not sent."""


BY_KEY = frozenset([Stay.NEXT_KEY, Stay.ANSWERED])
"""What goes with the next key that is accepted."""
