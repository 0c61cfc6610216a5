"""Limits of concurrent connections: enough for clients with a known key, fewer for everybody else."""

from __future__ import annotations

from aiohttp import web

MAX_KNOWN = 64
MAX_ANONYMOUS = 48
"""Unsigned requests, and streams that are not logged in."""


class Slot:
    """One occupied slot; it counts as anonymous unless the request names a known key."""

    def __init__(self, slots: Slots, *, known: bool) -> None:
        self._slots = slots
        self.known = known

    def count_as_logged_in(self) -> None:
        """The client has logged in: its slot no longer counts as anonymous."""
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
    """Counts the occupied slots."""

    def __init__(self) -> None:
        self.known = 0
        self.strangers = 0

    def take(self, *, known: bool) -> Slot | None:
        """A slot, or None when all of its kind are occupied."""
        if (self.known >= MAX_KNOWN) if known else (self.strangers >= MAX_ANONYMOUS):
            return None
        if known:
            self.known += 1
        else:
            self.strangers += 1
        return Slot(self, known=known)
