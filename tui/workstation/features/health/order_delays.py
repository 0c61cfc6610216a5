"""Delays of the orders of this desk by venue, collected from the order table while the desk runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tui.engine.rows import OrderRow
from tui.workstation.model.instruments import venue_of

MOST_KEPT = 1000
"""Newest delays kept of each venue."""


class DelaySummary(NamedTuple):
    """Distribution of delays, ms."""

    median: float
    most_of_99: float
    """Delay that 99 of 100 do not exceed."""
    most: float
    orders: int


def summarize(delays: Sequence[float]) -> DelaySummary | None:
    """Summarize delays in ms; None if there are none."""
    if not delays:
        return None
    ranked = sorted(delays)
    count = len(ranked)
    return DelaySummary(ranked[(count - 1) // 2], ranked[-(-99 * count // 100) - 1], ranked[-1], count)


class OrderDelays:
    """Times from a key to the reply and to the first push of its order."""

    def __init__(self) -> None:
        self._replies: dict[str, deque[float]] = {}
        self._pushes: dict[str, deque[float]] = {}
        self._counted: dict[str, tuple[bool, bool]] = {}
        """Whether reply and push of an order are counted, of those in the table."""

    def collect(self, orders: Iterable[OrderRow]) -> None:
        """Count the delays of orders that were not counted yet."""
        before, self._counted = self._counted, {}
        for order in orders:
            if order.reply_ms is None and order.push_ms is None:
                continue
            reply, push = before.get(order.key, (False, False))
            reply = _count(self._replies, order, order.reply_ms, counted=reply)
            push = _count(self._pushes, order, order.push_ms, counted=push)
            self._counted[order.key] = reply, push

    @property
    def venues(self) -> list[str]:
        """Venues with at least one measured delay."""
        return sorted(self._replies.keys() | self._pushes.keys())

    def replies(self, venue: str) -> DelaySummary | None:
        """Summarize the times to the replies of a venue's orders."""
        return summarize(self._replies.get(venue, ()))

    def pushes(self, venue: str) -> DelaySummary | None:
        """Summarize the times to the first pushes of a venue's orders."""
        return summarize(self._pushes.get(venue, ()))


def _count(delays: dict[str, deque[float]], order: OrderRow, delay: float | None, *, counted: bool) -> bool:
    """Add an order's delay to its venue unless `counted` or not measured; return whether it is counted now."""
    if delay is None or counted:
        return counted
    delays.setdefault(venue_of(order.sym), deque(maxlen=MOST_KEPT)).append(delay)
    return True
