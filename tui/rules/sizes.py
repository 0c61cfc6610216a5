"""Largest order quantities, and the cost of a market order."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO
from tui.interface.families.orders import Side
from tui.rules.rounding import floor_to

PriceLevel = tuple[Decimal, Decimal]
"""Price and size of one level of a book."""


class SweepResult(NamedTuple):
    """Result of a market order against the known levels of an order book."""

    average: Decimal | None
    cost_bp: Decimal | None
    """Basis points over (buy) or under (sell) the mid price."""
    unfilled: Decimal


def margin_per_unit(
    side: Side, price: Decimal, mark: Decimal, leverage: Decimal, taker: Decimal, contract_size: Decimal
) -> Decimal:
    """Compute the margin (quote) that one unit of an opening order uses: initial margin, fee, loss if priced beyond mark."""
    through = max(ZERO, side.sign * (price - mark))
    return contract_size * (price / leverage + price * taker + through)


def max_open(
    available: Decimal,
    side: Side,
    price: Decimal,
    mark: Decimal,
    *,
    leverage: Decimal,
    taker: Decimal,
    contract_size: Decimal,
    lot: Decimal,
) -> Decimal:
    """Compute the largest opening quantity on a perpetual; `available` is the available margin (quote)."""
    if available <= 0:
        return ZERO
    return floor_to(available / margin_per_unit(side, price, mark, leverage, taker, contract_size), lot)


def max_spot_buy(available: Decimal, price: Decimal, lot: Decimal) -> Decimal:
    """Compute the largest quantity of a spot buy; its fee is paid in the base coin, so it needs no quote."""
    return floor_to(available / price, lot)


def sweep(quantity: Decimal, levels: Iterable[PriceLevel], mid: Decimal, side: Side = Side.BUY) -> SweepResult:
    """Compute the average price and cost of taking a quantity from the order book levels, best first."""
    left, cost = quantity, ZERO
    for price, size in levels:
        take = min(size, left)
        cost += take * price
        left -= take
        if not left:
            break
    taken = quantity - left
    if not taken:
        return SweepResult(None, None, left)
    average = cost / taken
    return SweepResult(average, side.sign * (average - mid) / mid * 10000, left)
