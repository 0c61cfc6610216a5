"""Limits of concurrent connections: more for clients with a known API key, fewer for anonymous ones."""

from __future__ import annotations

from aiohttp import web

MAX_KNOWN = 64
MAX_ANONYMOUS = 48
"""Limit of unsigned requests and of streams that are not logged in."""


class Slot:
    """Connection slot in use; it counts as anonymous unless the request contains a known API key."""

    def __init__(self, slots: Slots, *, known: bool) -> None:
        self._slots = slots
        self.known = known

    def count_as_logged_in(self) -> None:
        """Count the slot as one of a known client after its login."""
        if not self.known:
            self._slots.anonymous -= 1
            self._slots.known += 1
            self.known = True

    def release(self) -> None:
        if self.known:
            self._slots.known -= 1
        else:
            self._slots.anonymous -= 1


SLOT = web.RequestKey("slot", Slot)


class Slots:
    """Connection slots in use on a server."""

    def __init__(self) -> None:
        self.known = 0
        self.anonymous = 0

    def take(self, *, known: bool) -> Slot | None:
        """Take a connection slot; None when none of its kind is free."""
        if (self.known >= MAX_KNOWN) if known else (self.anonymous >= MAX_ANONYMOUS):
            return None
        if known:
            self.known += 1
        else:
            self.anonymous += 1
        return Slot(self, known=known)
