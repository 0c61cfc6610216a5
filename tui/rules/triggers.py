"""Conditions of stop and take-profit triggers."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from tui.interface.families.orders import Side


class TriggerKind(StrEnum):
    STOP = "STOP"
    TAKE_PROFIT = "TAKE_PROFIT"


def fires(kind: TriggerKind, side: Side, trigger: Decimal, price: Decimal) -> bool:
    """Whether a price of the chosen source (last or mark) reaches the trigger; `side` is that of the order it sends."""
    falling = (side is Side.SELL) == (kind is TriggerKind.STOP)
    return price <= trigger if falling else price >= trigger
