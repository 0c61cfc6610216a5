"""Pace of frames: how many come in one frame of the screen, and from which number on they are read together."""

from __future__ import annotations

GATHER_S = 1 / 60
"""Interval at which fast frames are read together, one frame of the screen: each read has a fixed cost, only the newest
quote of each pair is decoded, and the screen is woken once for all of them."""
FAST_FRAMES = 40
"""Frames within `GATHER_S` from which on they count as fast."""
FLOOD_FRAMES = 400
"""Frames of a connection within `GATHER_S` from which on they are read at once, because a quote would otherwise wait too
long."""


class Pace:
    """Measure of the frame rate of one connection, or of all together."""

    def __init__(self) -> None:
        self.frames = 0.0
        """Frames within `GATHER_S`, in the last full interval or on average since the one before it."""
        self._began = 0.0
        self._count = 0

    def count(self, now: float, frames: int) -> None:
        """Count frames read at `now` (monotonic, s)."""
        self._count += frames
        since = now - self._began
        if since >= GATHER_S:
            self.frames = self._count / (since // GATHER_S)
            self._began, self._count = now, 0

    @property
    def is_fast(self) -> bool:
        return self.frames >= FAST_FRAMES

    @property
    def floods(self) -> bool:
        return self.frames >= FLOOD_FRAMES
