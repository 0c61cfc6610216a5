"""The queue position of an order at its price level."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO

Weight = Callable[[Decimal], Decimal]


class QueuePosition(NamedTuple):
    """The queue ahead after a drop in size without a trade."""

    share_behind: Decimal
    front: Decimal


def power(exponent: int) -> Weight:
    """Cancels are split between back and front by their sizes to a power."""
    return lambda size: size**exponent


def position_after_drop(front: Decimal, back: Decimal, drop: Decimal, weight: Weight) -> QueuePosition:
    """Quantity ahead of an order after the level lost `drop` without a trade."""
    behind, ahead = weight(back), weight(front)
    share = behind / (behind + ahead) if behind + ahead else ZERO
    total = max(front + back - drop, ZERO)
    return QueuePosition(share, min(max(front - (1 - share) * drop, ZERO), total))


def fills_from_trades(ahead: Decimal, own: Decimal, trades: Iterable[Decimal]) -> list[Decimal]:
    """Each trade at the price first consumes the queue ahead, then fills the order; one fill per trade, 0 for none."""
    fills = []
    for trade in trades:
        passed = min(ahead, trade)
        ahead -= passed
        fill = min(own, trade - passed)
        own -= fill
        fills.append(fill)
    return fills
