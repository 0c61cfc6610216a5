"""Key accidents: bursts and held keys never send anything."""

from __future__ import annotations

from collections import deque

BURST_KEYS = 8
BURST_S = 0.03


class KeyGuard:
    """Sees every key with its time before anything acts on it."""

    def __init__(self, rearm_s: float) -> None:
        self._rearm = rearm_s
        self._printable: deque[float] = deque(maxlen=BURST_KEYS)
        self._blocked = ""
        self._blocked_seen = 0.0
        self._key = ""
        self._at = 0.0
        self._burst_until = float("-inf")
        self._same_burst = False

    def seen(self, key: str, printable: bool, at: float, waiting: int = 0) -> None:
        """A key arrived.

        Args:
            key: Its name.
            printable: Whether it would type a character.
            at: When it was read from the terminal.
            waiting: Messages that wait behind it; many of them are a burst that has only begun.
        """
        previous = self._at
        self._key, self._at = key, at
        self._same_burst = abs(at - previous) < BURST_S
        if self._blocked:
            if key != self._blocked or at - self._blocked_seen >= self._rearm:
                self._blocked = ""
            else:
                self._blocked_seen = at
        if printable:
            if len(self._printable) == BURST_KEYS and at - self._printable[0] < BURST_S:
                self._burst_until = at + BURST_S
            self._printable.append(at)
            if waiting >= BURST_KEYS:
                self._burst_until = at + BURST_S

    @property
    def held(self) -> bool:
        """Whether the present key has sent something and was not let go since."""
        return bool(self._blocked) and self._key == self._blocked

    @property
    def burst(self) -> bool:
        """Whether the present key belongs to a burst no hand types."""
        return self._at <= self._burst_until

    @property
    def joined(self) -> bool:
        """Whether the present key came right behind another one, as in a paste without brackets."""
        return self._same_burst

    def sent(self) -> None:
        """The present key has sent something."""
        self._blocked, self._blocked_seen = self._key, self._at
