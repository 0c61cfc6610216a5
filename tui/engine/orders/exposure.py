"""Exposure of a pair, for the limits that add up several orders."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from tui.engine.orders.pre_trade_checks import Touch
from tui.engine.rows import OrderRow
from tui.engine.state.facts import FactTable
from tui.interface import decimals
from tui.interface.decimals import ZERO
from tui.interface.families.orders import Side
from tui.interface.families.positions import PositionRecord
from tui.rules import units


def compute_signed_base(record: PositionRecord, contract: Decimal) -> Decimal | None:
    """Return a position's size in base units, negative when short; None when it cannot be read."""
    size = decimals.optional(record.position_qty)
    if size is None:
        return None
    if record.position_side == "SHORT":
        size = -abs(size)
    elif record.position_side == "LONG":
        size = abs(size)
    return units.base(size, contract)


def pair_value(
    sym: str,
    side: Side,
    added: Decimal,
    *,
    positions: FactTable[PositionRecord],
    orders: Iterable[OrderRow],
    contract: Decimal,
    touch: Touch,
) -> Decimal | None:
    """Compute a pair's potential exposure on one side, in quote: position, working orders and `added` units.

    None when a required figure cannot be read.
    """
    price = touch.mark or touch.reference(side) or ZERO
    held = [compute_signed_base(fact.record, contract) for fact in positions.rows.values() if fact.record.sym == sym]
    if None in held:
        return None
    waiting = added
    for row in orders:
        if row.sym == sym and row.side == side and not row.reduce_only:
            # By its record: a fill that is ahead of it may be ahead of the position too, and must not be missing in both.
            waiting += max((decimals.optional(row.qty) or ZERO) - (decimals.optional(row.executed) or ZERO), ZERO)
    total = sum((size for size in held if size is not None), ZERO) + units.base(side.sign * waiting, contract)
    return abs(total) * price
