"""Signs and colours of event levels, and how long an event stays on the newest-events line."""

from __future__ import annotations

from enum import StrEnum, auto
from typing import TYPE_CHECKING

from tui.engine.rows import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.engine.rows import EventLine

SIGNS = {Level.INFO: "·", Level.GOOD: "+", Level.WARN: "!", Level.ALERT: "!!"}
ROLES = {Level.INFO: "text", Level.GOOD: "good", Level.WARN: "warn", Level.ALERT: "alert"}
PAST_ROLES = {Level.INFO: "dim", Level.GOOD: "dim", Level.WARN: "warn", Level.ALERT: "alert"}
"""Roles of events that are no longer new; warnings keep their colour."""


class Stay(StrEnum):
    """Duration of an event on the newest-events line; the events pane keeps all events."""

    PUSHED_OUT = auto()
    """Until newer events replace it: account events and alerts."""
    NEWS = auto()
    """While it is new: notices of the screen itself."""
    NEXT_KEY = auto()
    """While it is new and no later key was accepted: why a key did nothing."""
    ANSWERED = auto()
    """Until a later key is accepted, however long that takes: why a command was not sent."""


BY_KEY = frozenset([Stay.NEXT_KEY, Stay.ANSWERED])
"""Stays that end with the next accepted key."""


def put_asking_first(warnings: Sequence[EventLine], most: int) -> list[EventLine]:
    """Put the warnings that ask for something before the newest of those that only wait to be cleared."""
    return [line for line in warnings if line.asks] + [line for line in warnings if not line.asks][-most:]
