"""Limit of the output under way to a slow terminal, such as one at the other end of a mobile link.

An ssh connection takes far more than it has sent, so a full kernel buffer shows too late that the terminal is behind.
How late the terminal answers a query shows it: what is written before the query has been read when the answer comes.
Frames of quotes leave more than half of a slow link free, so that a key or an own order seldom finds it in use.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

UNLIMITED = 1 << 20
"""Bytes under way at which there is no limit in practice."""
LEAST = 512
"""Smallest limit, bytes: about one frame."""
LATE_S = 0.1
"""Time that output may wait on the way to the terminal, s."""
OVERDUE_S = 0.25
"""Time behind the usual one after which an answer is waited for before anything more is written, s."""
LOST_S = 5.0
"""Time after which an answer counts as lost, s."""
UNASKED = 4096
"""Bytes after which the terminal is queried."""
UNHURRIED_S = 0.004
"""Lateness of an answer from which the speed of the link is measured, s."""
MEASURED = 256
"""Least bytes of a write whose answer tells the speed: with fewer, other delays weigh more."""
MOST_UNMEASURED = 3
"""Answers that may tell nothing about the speed, on a link that was late, before it is left empty to measure it."""
FEWEST = 4
"""Fewest measured speeds from which one is known."""
SLOW = 200_000
"""Speed below which frames leave a part of the link free, bytes/s."""
SHARE = 0.45
"""Share of a slow link that frames take."""
MOST_PAUSE_S = 0.5
"""Longest pause between frames on a slow link, such as after a full repaint, s."""


class OutputWindow:
    """Limit of the bytes on the way to the terminal; lowered when its answers come late, raised again when in time."""

    def __init__(self, written: Callable[[], int]) -> None:
        """Initialize without a limit.

        Args:
            written: Number of bytes written so far.
        """
        self._written = written
        self._read = 0
        """Bytes that the terminal is known to have read."""
        self._before_query = 0
        """Bytes written before the pending query."""
        self._limit = UNLIMITED
        self._shortest: float | None = None
        """Time from a query to its answer when nothing waits on the way, s."""
        self._followed = 0
        """Bytes written up to the newest write that was followed."""
        self._alone: int | None = None
        """Bytes of the newest write if nothing else was under way before it."""
        self._asked_alone: int | None = None
        """The same for the write before the pending query."""
        self._speeds: deque[float] = deque(maxlen=8)
        """Newest measured speeds, bytes/s; the highest counts, as other delays make a link look slower than it is."""
        self._late = False
        """Whether the newest answer was late."""
        self._unmeasured = 0
        """Number of answers since the newest that told the speed."""
        self._drains = False
        """Whether everything under way has to be read before the next write, so that its answer tells the speed."""
        self._free_at = 0.0
        """Time from which the next frame may be written, s."""

    @property
    def wants_query(self) -> bool:
        """Whether to query the terminal now: answers have come late, the limit is lowered, or much was written since."""
        return self._late or self._limit < UNLIMITED or self._written() - self._before_query > UNASKED

    @property
    def speed(self) -> float:
        """Speed of the link, bytes/s; infinite while it is not known to be slow."""
        speed = max(self._speeds, default=SLOW) if len(self._speeds) >= FEWEST else SLOW
        return speed if speed < SLOW else float("inf")

    def frame_pause_s(self, now: float) -> float:
        """Return how long the next frame must wait, in s; 0 if not at all."""
        return max(0.0, self._free_at - now)

    def note_write(self, now: float) -> None:
        """Note that something has been written."""
        written = self._written()
        self._alone = written - self._followed if self._read >= self._followed else None
        frame_pause_s = (written - self._followed) / (SHARE * self.speed)
        self._free_at = min(max(self._free_at, now) + frame_pause_s, now + MOST_PAUSE_S)
        self._followed = written

    def is_full(self, waited: float) -> bool:
        """Return whether output must wait for the answer to a query that has been pending for `waited` s."""
        overdue = self._shortest is not None and waited > self._shortest + OVERDUE_S
        return (overdue or self._drains or self._written() - self._read > self._limit) and waited < LOST_S

    def note_query(self) -> None:
        """Note that a query is written now."""
        self._before_query = self._written()
        self._asked_alone, self._alone = self._alone, None

    def note_answer(self, after: float) -> None:
        """Adapt limit and speed to the time that the answer to the pending query took, s."""
        under_way = self._before_query - self._read
        self._read = self._before_query
        alone = self._asked_alone
        first = self._shortest is None
        if self._shortest is None or after < self._shortest:
            self._shortest = after
        late = after - self._shortest
        if alone is not None and alone >= MEASURED and not first:
            self._speeds.append(alone / max(late, 1e-6))
        if late <= LATE_S:
            self._limit = min(UNLIMITED, self._limit + self._limit // 4)
        elif self._limit > LEAST:
            self._limit = max(LEAST, int(under_way * LATE_S / late))
        else:
            # So little does not wait for itself: the way has become longer.
            self._shortest = after
        is_slow = self.speed < SLOW
        self._late = late > UNHURRIED_S or is_slow
        self._unmeasured = 0 if alone is not None else self._unmeasured + 1
        self._drains = self._unmeasured >= MOST_UNMEASURED and self._limit < UNLIMITED and not is_slow
