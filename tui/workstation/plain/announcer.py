"""Announcements of what happens: each event of the engine once, as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum

from tui.engine.event_line import EventLine, Level

KEEPS = "; type clear to be told no more: once the link is back, that keeps it on purpose"
"""End of a warning about what a kill, a cancel or a flatten did not reach."""


class Loudness(StrEnum):
    """Choice of the events that are said as they come."""

    ALL = "all"
    TRADES = "trades"
    """Events of orders, and alerts: a lost connection, an unknown outcome."""
    NOTHING = "nothing"
    """Only answers to typed lines; `events` lists what happened."""


class Announcer:
    """Speaker of new events."""

    def __init__(self, out: Callable[[str], None]) -> None:
        self._out = out
        self.loudness = Loudness.ALL
        self._last = ""

    def announce(self, events: Iterable[EventLine]) -> None:
        """Say new events of the engine; the same warning again is not repeated."""
        for event in events:
            if event.text != self._last and self._wants(event):
                text = f"{event.text}{KEEPS}" if event.keepable else event.text
                self._out(f"alert: {text}" if event.level is Level.ALERT else text)
            self._last = event.text

    def _wants(self, event: EventLine) -> bool:
        if self.loudness is Loudness.ALL:
            return True
        is_trade = bool(event.key) or event.level is Level.ALERT or event.sticky
        return self.loudness is Loudness.TRADES and is_trade
