"""Exposure of a pair, for the limits that add up several orders."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from tui.engine.orders.pre_trade_checks import Touch
from tui.engine.rows import OrderRow
from tui.engine.state.facts import FactTable
from tui.interface import decimals
from tui.interface.decimals import ZERO
from tui.interface.families.orders import PositionSide, Side
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


class PairValue(NamedTuple):
    """Value that a pair, or its leg in hedge mode, could come to on one side, in quote, negative when short."""

    before: Decimal
    """Without the order."""
    after: Decimal

    @property
    def is_lowered(self) -> bool:
        """Whether the order only makes it smaller, and does not turn it round."""
        return abs(self.after) < abs(self.before) and self.after * self.before >= 0


_OTHER_LEG = {PositionSide.LONG: PositionSide.SHORT, PositionSide.SHORT: PositionSide.LONG}


def compute_pair_value(
    sym: str,
    side: Side,
    leg: PositionSide,
    added: Decimal,
    *,
    positions: FactTable[PositionRecord],
    orders: Iterable[OrderRow],
    contract: Decimal,
    touch: Touch,
) -> PairValue | None:
    """Compute a pair's potential exposure on one side: position and working orders, and then `added` units more.

    In hedge mode that of the leg alone: the other one makes it smaller only until it is closed, which no limit keeps.
    None when a required figure cannot be read.
    """
    price = touch.mark or touch.reference(side) or ZERO
    other = _OTHER_LEG.get(leg)
    records = [fact.record for fact in positions.rows.values() if fact.record.sym == sym]
    held = [compute_signed_base(record, contract) for record in records if record.position_side != other]
    if None in held:
        return None
    waiting = ZERO
    for row in orders:
        if row.sym == sym and row.side == side and not row.reduce_only and row.position_side != other:
            # By its record: a fill that is ahead of it may be ahead of the position too, and must not be missing in both.
            waiting += max((decimals.optional(row.qty) or ZERO) - (decimals.optional(row.executed) or ZERO), ZERO)
    total = sum((size for size in held if size is not None), ZERO) + units.base(side.sign * waiting, contract)
    return PairValue(total * price, (total + units.base(side.sign * added, contract)) * price)
