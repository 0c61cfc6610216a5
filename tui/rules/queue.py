"""Queue position of a resting order at its price level."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO

Weight = Callable[[Decimal], Decimal]


class QueuePosition(NamedTuple):
    """Estimated queue ahead of an order after cancels at its price, with the share of them that was behind the order."""

    share_behind: Decimal
    front: Decimal


def power(exponent: int) -> Weight:
    """Return the weight function size**exponent, which splits cancels between the queue ahead and behind."""
    return lambda size: size**exponent


def position_after_drop(front: Decimal, back: Decimal, drop: Decimal, weight: Weight) -> QueuePosition:
    """Estimate the quantity ahead of an order after its level shrank by `drop` without a trade."""
    behind, ahead = weight(back), weight(front)
    share = behind / (behind + ahead) if behind + ahead else ZERO
    total = max(front + back - drop, ZERO)
    return QueuePosition(share, min(max(front - (1 - share) * drop, ZERO), total))


def compute_fills(ahead: Decimal, own: Decimal, trades: Iterable[Decimal]) -> list[Decimal]:
    """Compute an order's fill from each trade at its price (0 for none); trades fill the queue ahead first."""
    fills = []
    for trade in trades:
        passed = min(ahead, trade)
        ahead -= passed
        fill = min(own, trade - passed)
        own -= fill
        fills.append(fill)
    return fills
