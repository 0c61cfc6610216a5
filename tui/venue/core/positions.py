"""Positions of portfolios, and the synthetic holders that stand on the other side."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import ZERO
from tui.interface.families.orders import Side
from tui.rules import pnl
from tui.venue.core.symbols import Pair

ONE_WAY = "NONE"
"""The leg of a one-way position."""

PositionKey = tuple[str, str, str]
"""Portfolio, sym, leg."""


class Position(msgspec.Struct, kw_only=True):
    """One leg; lots signed, entry and amounts in quote, times in ms."""

    id: str
    portfolio: str
    sym: str
    leg: str
    lots: int = 0
    entry: Decimal = ZERO
    fee: Decimal = ZERO
    """Sum of the fees of its fills, rebates not deducted."""
    funding: Decimal = ZERO
    created: int = 0


class Bot(msgspec.Struct, frozen=True):
    """A synthetic holder with one position and a wallet of its own; it fills the deleveraging queue."""

    id: str
    sym: str
    lots: int
    entry: Decimal
    wallet: Decimal


class Booked(NamedTuple):
    """What a fill did to a position."""

    realised: Decimal
    is_flat: bool


def apply_fill(position: Position, pair: Pair, is_buy: bool, lots: int, ticks: int, fee: Decimal) -> Booked:
    """Move a position by one fill; the realised result comes back as it is booked."""
    after = pnl.one_way_fill(
        Decimal(position.lots),
        position.entry if position.lots else None,
        Side.BUY if is_buy else Side.SELL,
        Decimal(lots),
        pair.price(ticks),
        contract_size=pair.lot_base,
    )
    position.lots = int(after.position)
    position.entry = after.entry if after.entry is not None else ZERO
    position.fee += fee
    return Booked(pnl.booked(after.realised), not position.lots)
