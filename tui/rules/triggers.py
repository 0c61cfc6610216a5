"""Conditions of stop and take-profit triggers."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from tui.interface.families.orders import Side

MAX_DISTANCE = Decimal("0.15")
"""A trigger farther than this share from mark is refused."""


class TriggerKind(StrEnum):
    STOP = "STOP"
    TAKE_PROFIT = "TAKE_PROFIT"


def fires(kind: TriggerKind, side: Side, trigger: Decimal, price: Decimal) -> bool:
    """Whether a price of the chosen source (last or mark) reaches the trigger; `side` is that of the order it sends."""
    falling = (side is Side.SELL) == (kind is TriggerKind.STOP)
    return price <= trigger if falling else price >= trigger


def rises(*, stop: bool, buys: bool) -> bool:
    """Whether a trigger fires on a rise; `buys`: the side of the order that it sends."""
    return buys == stop
