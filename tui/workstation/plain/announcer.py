"""Announcements of what happens: each event of the engine once, as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum

from tui.engine.event_line import EventLine, Level

KEEPS = "; type clear to be told no more; with the link back, it leaves those orders and positions as they are"
"""End of a warning about what a kill, a cancel or a flatten did not reach."""


class Loudness(StrEnum):
    """Choice of the events that plain mode prints as they come: all, trades and alerts, or none."""

    ALL = "all"
    TRADES = "trades"
    """Events of orders, and alerts: a lost connection, an unknown outcome."""
    NOTHING = "nothing"
    """Only answers to typed lines; `events` lists what happened."""


class Announcer:
    """Printer of new events as they come, for a desk without a screen."""

    def __init__(self, out: Callable[[str], None]) -> None:
        self._out = out
        self.loudness = Loudness.ALL
        self._last = ""

    def announce(self, events: Iterable[EventLine]) -> None:
        """Print new events of the engine that the chosen loudness includes, but not the same text twice in a row."""
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
