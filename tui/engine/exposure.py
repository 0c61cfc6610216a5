"""How much is at risk on a pair and how the day went: what limits over several orders are measured against."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from tui.engine.facts import FactTable
from tui.engine.guards import Touch
from tui.engine.rows import OrderRow
from tui.interface import decimals
from tui.interface.decimals import ZERO
from tui.interface.families.history import TradeRecord
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import Side
from tui.interface.families.positions import PositionRecord
from tui.interface.symbols import BadSymbol, parse_symbol

DAY_MS = 86_400_000


class DayResult:
    """Net result of the fills of one UTC day, in quote: realised less fees plus rebates."""

    def __init__(self) -> None:
        self.day = 0
        self.net = ZERO

    def add(self, record: TradeRecord) -> None:
        """Count one fill; a fill of a later day begins a new one, one of an earlier day is history."""
        created = int(record.create_at) if record.create_at.isascii() and record.create_at.isdigit() else 0
        day = created // DAY_MS
        if day > self.day:
            self.day, self.net = day, ZERO
        if day == self.day:
            self.net += _net(record)


def _net(record: TradeRecord) -> Decimal:
    figures = (record.rpnl, record.fee, record.rebate, record.price)
    realised, fee, rebate, price = (decimals.optional(text) or ZERO for text in figures)
    try:
        base = parse_symbol(record.sym).base
    except BadSymbol:
        base = ""
    return (
        realised
        - fee * (price if record.fee_coin == base else 1)
        + rebate * (price if record.rebate_coin == base else 1)
    )


def signed_base(record: PositionRecord, info: SymbolInfo | None) -> Decimal:
    """A position in base units, below 0 when short; 0 when it cannot be read."""
    size = decimals.optional(record.position_qty) or ZERO
    contract = (decimals.optional(info.contract_size) if info is not None else None) or Decimal(1)
    if record.position_side == "SHORT":
        size = -abs(size)
    elif record.position_side == "LONG":
        size = abs(size)
    return size * contract


def pair_value(
    sym: str,
    side: Side,
    added: Decimal,
    *,
    positions: FactTable[PositionRecord],
    orders: Iterable[OrderRow],
    info: SymbolInfo | None,
    touch: Touch,
) -> Decimal:
    """What a pair could come to on one side, in quote: position, orders of the side, and `added` units."""
    contract = (decimals.optional(info.contract_size) if info is not None else None) or Decimal(1)
    price = touch.mark or touch.reference(side) or ZERO
    held = sum((signed_base(fact.record, info) for fact in positions.rows.values() if fact.record.sym == sym), ZERO)
    waiting = added
    for row in orders:
        if row.sym == sym and row.side == side and not row.reduce_only:
            waiting += max((decimals.optional(row.qty) or ZERO) - (decimals.optional(row.executed) or ZERO), ZERO)
    return abs(held + side.sign * waiting * contract) * price
