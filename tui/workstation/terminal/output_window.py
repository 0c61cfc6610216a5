"""Limit of the output under way to a slow terminal, such as one at the other end of a mobile link.

An ssh connection takes far more than it has sent, so a full kernel buffer shows too late that the terminal is behind.
How late the terminal answers a query shows it: what is written before the query has been read when the answer comes.
"""

from __future__ import annotations

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


class OutputWindow:
    """Bytes that may be under way to the terminal; fewer when its answers come late, more again when they do not."""

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

    @property
    def wants_query(self) -> bool:
        """Whether the terminal should be queried now: answers have come late, or much was written since the last query."""
        return self._limit < UNLIMITED or self._written() - self._before_query > UNASKED

    def is_full(self, waited: float) -> bool:
        """Return whether no more may be written before the answer to a query that has waited so long, s."""
        overdue = self._shortest is not None and waited > self._shortest + OVERDUE_S
        return (overdue or self._written() - self._read > self._limit) and waited < LOST_S

    def note_query(self) -> None:
        """Note that a query is written now."""
        self._before_query = self._written()

    def note_answer(self, after: float) -> None:
        """Adapt the limit to the time that the answer to the pending query took, s."""
        under_way = self._before_query - self._read
        self._read = self._before_query
        if self._shortest is None or after < self._shortest:
            self._shortest = after
        late = after - self._shortest
        if late <= LATE_S:
            self._limit = min(UNLIMITED, self._limit + self._limit // 4)
        elif self._limit > LEAST:
            self._limit = max(LEAST, int(under_way * LATE_S / late))
        else:
            # So little does not wait for itself: the way has become longer.
            self._shortest = after
