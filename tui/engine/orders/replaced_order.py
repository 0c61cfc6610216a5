"""Order as it would be after a replace, and how its figures differ from the present ones."""

from __future__ import annotations

from typing import NamedTuple

from tui.engine.intents import Place, Replace
from tui.engine.rows import OrderRow
from tui.interface import decimals
from tui.interface.families.orders import OrderType, PositionSide, Side


class FigureChange(NamedTuple):
    smaller: bool
    """Whether the quantity is lowered."""
    same_price: bool


def compare_figures(intent: Replace, row: OrderRow) -> FigureChange:
    """Compare the numbers of a replace with the current order."""
    before, after = decimals.optional(row.qty), decimals.optional(intent.qty)
    smaller = before is not None and after is not None and after < before
    return FigureChange(smaller, decimals.optional(intent.price) == decimals.optional(row.price))


def build_replaced_order(intent: Replace, row: OrderRow) -> Place | None:
    """Build the order as it would be after the replace; None when its side is unknown to this program."""
    try:
        side, position_side = Side(row.side), PositionSide(row.position_side)
    except ValueError:
        return None
    return Place(
        decision=intent.decision,
        sym=row.sym,
        side=side,
        order_type=OrderType.LIMIT,
        qty=intent.qty,
        price=intent.price,
        position_side=position_side,
        reduce_only=row.reduce_only,
    )
