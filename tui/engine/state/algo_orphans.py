"""Protective algo orders that have outlived their position: told by engine and screen from one rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tui.engine.rows import AlgoRow, Fact, OrderRow
from tui.interface import decimals
from tui.interface.families.algo import WHOLE_OR_PART, AlgoRecord
from tui.interface.families.positions import PositionRecord
from tui.interface.symbols import try_parse


def closes_only(record: AlgoRecord) -> bool:
    """Whether it can only make a position smaller."""
    return record.reduce_only == "true" or record.condition_type in WHOLE_OR_PART


def protects(record: AlgoRecord, position: PositionRecord) -> bool:
    """Whether the order of an algo order would reduce a position."""
    side = "NONE" if position.position_side in ("", "NET") else position.position_side
    if (record.sym, record.position_side or "NONE") != (position.sym, side) or not closes_only(record):
        return False
    held = decimals.optional(position.position_qty)
    if not held:
        return False
    long = side == "LONG" or (side == "NONE" and held > 0)
    return (record.side == "SELL") == long


def is_orphan(row: AlgoRow, positions: Mapping[str, Fact[PositionRecord]], working: Iterable[OrderRow]) -> bool:
    """Whether nothing is left that an open algo order could close.

    Args:
        row: The algo order.
        positions: By `sym/positionSide`.
        working: Orders that have not ended: one that an algo order is attached to may still open its position.
    """
    record = row.record
    parts = try_parse(record.sym)
    if not row.seen or record.order_state == "PROCESSING" or parts is None or not parts.is_perp:
        return False
    if not closes_only(record):
        return False
    fact = positions.get(f"{record.sym}/{record.position_side or 'NONE'}")
    if fact is not None and protects(record, fact.record):
        return False
    return not any(record.attached_order_id and order.order_id == record.attached_order_id for order in working)
