"""Lines of the event list, as the engine passes them to the screen and the journal."""

from __future__ import annotations

from enum import StrEnum
from typing import TypedDict

import msgspec


class Level(StrEnum):
    """Severity of an event."""

    INFO = "info"
    GOOD = "good"
    WARN = "warn"
    ALERT = "alert"


NOTE = "note"
"""Kind of the journal's entry about an event line."""


class EventLine(msgspec.Struct, frozen=True, kw_only=True):
    """Line of the event list, with level and display flags; lines are added and, unlike rows, never replaced."""

    wall_ms: int
    level: Level
    text: str
    key: str = ""
    """Row key of the order concerned, or empty."""
    away: bool = False
    """Whether it happened while the engine was out of step and was found afterwards."""
    sticky: bool = False
    """Whether it stays visible until cleared and is not displaced by informational lines."""
    asks: bool = False
    """Whether a program asks the trader for something: it goes before what only waits to be cleared."""
    cause: str = ""
    """Subject of a warning; a later line with the same cause takes it off the line of events."""
    keepable: bool = False
    """Whether the trader may keep what it warns of: cleared, it is not told again (`EnginePort.dismiss` by its cause)."""
    unsure: bool = False
    """Whether it reports an unknown outcome; the screen marks it as settled later."""
    stays: bool = False
    """Whether it stays among the newest until the next key: why a key sent nothing, or what a cancel-all has cancelled."""
    passes: bool = False
    """Whether it only follows from the event before it, which stands among the newest again once this one is no news."""
    peer: str = ""
    """Peer whose key it answers: at other desks it does not stay; empty: the desk that holds the account."""
    others: tuple[str, ...] = ()
    """Row keys of further orders concerned."""
    by_alert: bool = False
    """Whether an alert that the trader has set says it: what came after that is read first."""
    answers: bool = False
    """Whether it says what became of a command that has no row: arming, a transfer, a setting."""
    elsewhere: str = ""
    """Text for other readers than the window that holds the account: with the name of who did it; empty: the same text."""
    seq: int = 0
    """Number of the line since the engine's start; 0: not numbered."""


class EventFlags(TypedDict, total=False):
    """Optional keyword arguments for the fields of an `EventLine` that few lines set."""

    sticky: bool
    asks: bool
    cause: str
    keepable: bool
    unsure: bool
    stays: bool
    passes: bool
    peer: str
    others: tuple[str, ...]
    answers: bool
    elsewhere: str
