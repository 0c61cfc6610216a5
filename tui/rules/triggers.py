"""Trigger conditions of stop and take-profit orders."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from tui.interface.families.orders import Side

MAX_DISTANCE = Decimal("0.15")
"""A trigger farther than this share from mark is refused."""


class TriggerKind(StrEnum):
    """Kind of a trigger: stop or take-profit."""

    STOP = "STOP"
    TAKE_PROFIT = "TAKE_PROFIT"


def fires(kind: TriggerKind, side: Side, trigger: Decimal, price: Decimal) -> bool:
    """Report whether a price (last or mark) fires the trigger; `side` is the side of the order it sends."""
    falling = (side is Side.SELL) == (kind is TriggerKind.STOP)
    return price <= trigger if falling else price >= trigger


def fires_on_rise(*, stop: bool, buys: bool) -> bool:
    """Report whether a trigger fires on rising prices; `buys` tells whether the order it sends is a buy."""
    return buys == stop
