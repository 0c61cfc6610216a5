"""Positions of portfolios, and the simulated holders with the opposite positions."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import ZERO, plain, truncate
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import ClosedType, PositionHistoryRecord
from tui.rules import fees, pnl
from tui.venue.core.market.symbols import Pair

ONE_WAY: str = PositionSide.NONE
"""Leg of a one-way position."""
LEGS: tuple[str, ...] = (PositionSide.LONG, PositionSide.SHORT)
"""Legs of a pair in hedge mode."""

PositionKey = tuple[str, str, str]
"""Portfolio, sym, leg."""


class Position(msgspec.Struct, kw_only=True):
    """Position leg; lots are signed (negative on a SHORT leg), entry and amounts in quote, times in ms."""

    id: str
    portfolio: str
    sym: str
    leg: str
    lots: int = 0
    entry: Decimal = ZERO
    fee: Decimal = ZERO
    """Fees of its fills less their rebates; below 0 when rebates are larger."""
    funding: Decimal = ZERO
    liq_fee: Decimal = ZERO
    """Sum of the liquidation fees of its orders."""
    created: int = 0
    most: int = 0
    """Largest number of lots it ever had, without sign."""
    opened: int = 0
    """Lots that opened or added to it."""
    opened_cost: Decimal = ZERO
    """Price times lots of the opening fills."""
    closed: int = 0
    closed_cost: Decimal = ZERO

    @property
    def sign(self) -> int:
        """+1 for a long position, -1 for a short one."""
        return 1 if self.lots > 0 else -1


class Bot(msgspec.Struct, frozen=True):
    """Simulated holder of one position with its own wallet, ranked in the ADL queue."""

    id: str
    sym: str
    lots: int
    entry: Decimal
    wallet: Decimal


class FillEffect(NamedTuple):
    """Effect of a fill on a position."""

    realised: Decimal
    ended: Position | None
    """Closed position, with the lots before the fill; None while it stays open."""


def reducible_lots(held: int, *, is_buy: bool) -> int:
    """Return the lots of a position that an order on this side would close."""
    return abs(held) if held and (held > 0) != is_buy else 0


def apply_fill(position: Position, pair: Pair, lots: int, price: Decimal, fee: Decimal, *, is_buy: bool) -> FillEffect:
    """Apply a fill to a position; return the realised P&L as booked.

    A fill that turns a one-way position ends the old one; the rest is a new position that still needs an id. Each has
    its part of the fee.
    """
    before = position.lots
    closing = min(abs(before), lots) if before and (before > 0) != is_buy else 0
    after = pnl.apply_one_way_fill(
        Decimal(position.lots),
        position.entry if position.lots else None,
        Side.BUY if is_buy else Side.SELL,
        Decimal(lots),
        price,
        contract_size=pair.lot_base,
    )
    opening_fee = fees.opening_share(fee, Decimal(lots), Decimal(lots - closing))
    position.fee += fee - opening_fee
    position.closed += closing
    position.closed_cost += closing * price
    ended = None
    if closing and closing == abs(before):
        ended = msgspec.structs.replace(position)
        position.fee = position.funding = position.liq_fee = position.opened_cost = position.closed_cost = ZERO
        position.opened = position.closed = position.most = 0
    position.fee += opening_fee
    position.lots = int(after.position)
    position.entry = after.entry if after.entry is not None else ZERO
    position.opened += lots - closing
    position.opened_cost += (lots - closing) * price
    position.most = max(position.most, abs(position.lots))
    return FillEffect(pnl.truncate_booked(after.realised), ended)


def history_record(
    ended: Position,
    pair: Pair,
    *,
    now_ms: int,
    name: str,
    leverage: int,
    mode: str,
    closed_type: ClosedType,
) -> PositionHistoryRecord:
    """Build the history row of a closed or partly closed position; the lots of `ended` only tell long from short."""
    sign = ended.sign
    opened, closed = ended.opened_cost / ended.opened, ended.closed_cost / ended.closed
    result = sign * (ended.closed_cost - opened * ended.closed) * pair.lot_base
    if ended.opened == ended.closed:
        result = sign * (ended.closed_cost - ended.opened_cost) * pair.lot_base
    return PositionHistoryRecord(
        position_id=ended.id,
        portfolio_id=ended.portfolio,
        portfolio_name=name,
        sym=pair.sym,
        closed_type=closed_type,
        closed_pnl=truncate(result),
        closed_pnl_ratio=truncate(result * leverage / (opened * ended.closed * pair.lot_base)),
        closed_avg_price=truncate(closed),
        open_avg_price=truncate(opened),
        max_position_qty=pair.qty_text(ended.most),
        closed_qty=pair.qty_text(ended.closed),
        liq_fee=plain(ended.liq_fee),
        funding_fee=plain(ended.funding),
        fee=plain(ended.fee),
        leverage=leverage,
        position_history_side=LEGS[0] if sign > 0 else LEGS[1],
        position_mode=mode,
        create_at=str(ended.created),
        update_at=str(now_ms),
    )
