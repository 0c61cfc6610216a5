"""Order quantities: the largest that fit, and what a book gives."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from tui.interface.decimals import ZERO
from tui.interface.families.orders import Side
from tui.rules.rounding import floor_to

PriceLevel = tuple[Decimal, Decimal]
"""Price and size of one level of a book."""


NEAR_PRICE = Decimal("0.05")
"""A size within this share of the price is probably a price typed into the wrong field."""


def is_near_price(size: Decimal, price: Decimal) -> bool:
    """Report whether a size is so close to the price that the two may have been mixed up."""
    return abs(size - price) <= price * NEAR_PRICE


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
    """Compute the largest quantity of a spot buy; the fee is paid in the base coin and so leaves the quote balance whole."""
    return floor_to(available / price, lot)


def list_takes(
    quantity: Decimal,
    levels: Iterable[PriceLevel],
    side: Side,
    *,
    limit: Decimal | None = None,
    ahead: Decimal = ZERO,
) -> list[PriceLevel]:
    """List the quantity that an order takes from each price level of the opposite side of a book, best first.

    Args:
        quantity: Size of the order.
        levels: Prices with the sizes there.
        side: Side of the order.
        limit: Worst price that it takes; None: any.
        ahead: Quantity that orders sent before take from these levels.
    """
    takes = list[PriceLevel]()
    for price, size in levels:
        gone = min(ahead, size)
        ahead -= gone
        part = min(quantity, size - gone)
        if part > 0 and (limit is None or (limit - price) * side.sign >= 0):
            takes.append((price, part))
            quantity -= part
    return takes


def size_by_risk(
    risk: Decimal, entry: Decimal, stop: Decimal, rates: tuple[Decimal, Decimal], contract_size: Decimal, lot: Decimal
) -> Decimal:
    """Compute the largest quantity that loses at most a risk (quote) from entry to stop.

    `rates` are the fee rates of entry and stop; a negative one is a rebate.
    """
    per_unit = contract_size * loss_per_unit(entry, stop, rates)
    return floor_to(risk / per_unit, lot) if per_unit > 0 else ZERO


def loss_per_unit(entry: Decimal, stop: Decimal, rates: tuple[Decimal, Decimal]) -> Decimal:
    """Compute what one base unit loses from entry to stop, with the fees of both."""
    of_entry, of_stop = rates
    return abs(entry - stop) + entry * of_entry + stop * of_stop


def spread_prices(first: Decimal, last: Decimal, count: int, *, geometric: bool = False) -> list[Decimal]:
    """List `count` prices from the first to the last, with even differences or even ratios."""
    if count == 1:
        return [first]
    if not geometric:
        return [first + (last - first) * at / (count - 1) for at in range(count)]
    ratio = (last / first) ** (Decimal(1) / (count - 1))
    return [*(first * ratio**at for at in range(count - 1)), last]


GEO_RATIO = Decimal("1.5")
"""Ratio of the size of an order to that of the one before it, where none is given."""


def list_weights(count: int, kind: str, ratio: Decimal | None = None) -> list[Decimal]:
    """List size weights of several orders: `even`, `lin` (1, 2, 3, ...) or `geo` (1, ratio, ratio^2, ...)."""
    if kind == "even":
        return [Decimal(1)] * count
    if kind == "lin":
        return [Decimal(at + 1) for at in range(count)]
    return [(ratio or GEO_RATIO) ** at for at in range(count)]


def split_quantity(whole: Decimal, weights: list[Decimal], lot: Decimal) -> list[Decimal]:
    """Split a quantity by weights into multiples of the lot; the remainder goes to the largest weight.

    Lots that rounding leaves go to the heaviest part, of several equal ones to the last.
    """
    total = sum(weights, ZERO)
    parts = [floor_to(whole * weight / total, lot) for weight in weights]
    left = floor_to(whole, lot) - sum(parts, ZERO)
    parts[max(range(len(weights)), key=lambda at: (weights[at], at))] += left
    return parts
