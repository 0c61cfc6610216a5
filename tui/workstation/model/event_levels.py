"""Signs and colours of event levels, and how long an event stays on the newest-events line."""

from __future__ import annotations

from enum import StrEnum, auto
from typing import TYPE_CHECKING, NamedTuple

from tui.engine.event_line import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tui.engine.event_line import EventLine
    from tui.engine.status_rows import EngineStatusRow

SIGNS = {Level.INFO: "·", Level.GOOD: "+", Level.WARN: "!", Level.ALERT: "!!"}
ROLES = {Level.INFO: "text", Level.GOOD: "good", Level.WARN: "warn", Level.ALERT: "alert"}
PAST_ROLES = {Level.INFO: "dim", Level.GOOD: "dim", Level.WARN: "warn", Level.ALERT: "alert"}
"""Roles of events that are no longer new; warnings keep their colour."""


class Stay(StrEnum):
    """Rule for how long an event stays on the newest-events line; the events pane keeps all events."""

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


class WarningsToClear(NamedTuple):
    """Warnings that the key for clearing warnings would remove from the line if pressed now."""

    lines: tuple[EventLine, ...]
    kept: bool
    """Whether what they name is kept on purpose then."""

    def choose_word(self, clear: str, keep: str) -> str:
        """Return `keep` if the key keeps what the warnings name, else `clear`."""
        return keep if self.kept else clear


def find_warnings_to_clear(warnings: Sequence[EventLine], status: EngineStatusRow | None) -> WarningsToClear:
    """Return the warnings that the clear key removes now: the first alone if it is kept on purpose, else all others.

    Over a cut link it keeps nothing, as nothing can be flattened again.
    """
    is_synced = status is not None and status.synced
    stays = [line for line in warnings if line.keepable and is_synced]
    if stays and stays[0] is warnings[0]:
        return WarningsToClear((warnings[0],), kept=True)
    return WarningsToClear(tuple(line for line in warnings if line not in stays), kept=False)


def sort_by_time(events: Iterable[tuple[int, EventLine]]) -> list[tuple[int, EventLine]]:
    """Sort numbered events by wall clock time, because engine events arrive a moment later than screen events."""
    return sorted(events, key=lambda numbered: numbered[1].wall_ms)


def sort_warnings(warnings: Sequence[EventLine], most: int) -> list[EventLine]:
    """Sort warnings: those that ask for an action, those that keep something, the newest others, the trader's alerts."""
    asking = [line for line in warnings if line.asks]
    keepable = [line for line in warnings if line.keepable and not line.asks]
    others = [line for line in warnings if not (line.asks or line.keepable)][-most:]
    return [*asking, *keepable, *sorted(others, key=lambda line: line.by_alert)]
