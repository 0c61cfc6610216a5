"""Connections that are served at once: as many for known keys as a client needs, and fewer for everybody else."""

from __future__ import annotations

from aiohttp import web

FOR_KNOWN = 64
FOR_STRANGERS = 48
"""Unsigned requests, and streams that are not logged in."""


class Slot:
    """One place that is taken; it begins among the strangers unless the request names a key."""

    def __init__(self, slots: Slots, *, known: bool) -> None:
        self._slots = slots
        self.known = known

    def count_as_logged_in(self) -> None:
        """Its holder has shown a key: strangers get the place back."""
        if not self.known:
            self._slots.strangers -= 1
            self._slots.known += 1
            self.known = True

    def release(self) -> None:
        if self.known:
            self._slots.known -= 1
        else:
            self._slots.strangers -= 1


SLOT = web.RequestKey("slot", Slot)


class Slots:
    """How many places are taken."""

    def __init__(self) -> None:
        self.known = 0
        self.strangers = 0

    def take(self, *, known: bool) -> Slot | None:
        """A place, or None when all of its kind are taken."""
        if (self.known >= FOR_KNOWN) if known else (self.strangers >= FOR_STRANGERS):
            return None
        if known:
            self.known += 1
        else:
            self.strangers += 1
        return Slot(self, known=known)
