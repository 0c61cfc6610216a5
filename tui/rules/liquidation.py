"""Liquidation price: mark price at which a venue account would be liquidated, all other prices unchanged.

`sign` is +1 for a long and -1 for a short, quantities are base units, prices and margins quote units. None means that
no price liquidates; 0 is never returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO
from tui.rules.margin import MarginTier, tier_number

ROUNDS = 5
"""Largest number of times the tiers are determined again at the computed price."""


class LiquidationLeg(NamedTuple):
    """Position leg of the pair whose liquidation price is computed."""

    sign: int
    quantity: Decimal
    mark: Decimal
    """Price at which `margin` values the leg: mark (service form) or entry (wallet form)."""


class Collateral(NamedTuple):
    """Base coin of the pair held as collateral: amount in coins, fraction that counts, mark price of its valuation."""

    amount: Decimal
    share: Decimal
    mark: Decimal


NO_COLLATERAL = Collateral(ZERO, ZERO, ZERO)


def price(
    margin: Decimal,
    mm_other: Decimal,
    legs: Sequence[LiquidationLeg],
    rates: Sequence[tuple[Decimal, Decimal]],
    collateral: Collateral = NO_COLLATERAL,
) -> Decimal | None:
    """Compute the liquidation price at given maintenance rates; None when no positive price liquidates.

    Args:
        margin: validMargin now with legs valued at mark, or wallet plus other unrealised results with legs at entry
        (and without the collateral, whose mark is then 0).
        mm_other: Maintenance margin of everything but these legs.
        rates: Maintenance margin rate and maintenance amount (mmr, cum) of each leg.
    """
    growth = margin_growth(legs, rates, collateral)
    if not growth:
        return None
    numerator = margin - mm_other - collateral.amount * collateral.share * collateral.mark
    for leg, (_, cum) in zip(legs, rates, strict=True):
        numerator += cum - leg.sign * leg.quantity * leg.mark
    solution = numerator / -growth
    return solution if solution > 0 else None


def margin_growth(
    legs: Sequence[LiquidationLeg], rates: Sequence[tuple[Decimal, Decimal]], collateral: Collateral = NO_COLLATERAL
) -> Decimal:
    """Compute how much free margin over maintenance rises per unit of price; above 0, falling prices liquidate.

    Args:
        rates: As in `price`.
    """
    own = sum((leg.sign * leg.quantity - leg.quantity * mmr for leg, (mmr, _) in zip(legs, rates, strict=True)), ZERO)
    return collateral.amount * collateral.share + own


def price_with_tiers(
    margin: Decimal,
    mm_other: Decimal,
    legs: Sequence[LiquidationLeg],
    tiers: Sequence[MarginTier],
    *,
    marks: Sequence[Decimal] | None = None,
    collateral: Collateral = NO_COLLATERAL,
    cumulative: bool = False,
) -> Decimal | None:
    """Compute the liquidation price with the margin tiers valid at that price; between two tiers, their border price.

    Args:
        margin: As in `price`.
        mm_other: As in `price`.
        tiers: Margin tiers of the pair.
        marks: Marks that give the first tiers, when the legs are valued at entry.
        cumulative: Whether tiers deduct their maintenance amount.
    """
    starts = marks or [leg.mark for leg in legs]
    at = [tier_number(tiers, leg.quantity * mark) for leg, mark in zip(legs, starts, strict=True)]
    seen = [at]
    solution: Decimal | None = None
    for _ in range(ROUNDS):
        rates = [(tiers[n].mmr, tiers[n].cum if cumulative else ZERO) for n in at]
        solution = price(margin, mm_other, legs, rates, collateral)
        if solution is None:
            return None
        then = [tier_number(tiers, leg.quantity * solution) for leg in legs]
        if then == at:
            return solution
        if then in seen:
            return _border(legs, tiers, at, then)
        seen.append(then)
        at = then
    return solution


def _border(
    legs: Sequence[LiquidationLeg], tiers: Sequence[MarginTier], tiers_now: list[int], tiers_then: list[int]
) -> Decimal:
    """Return the price at which the first leg whose tier differs moves from one tier to the other."""
    leg, left, right = next(row for row in zip(legs, tiers_now, tiers_then, strict=True) if row[1] != row[2])
    return tiers[max(left, right)].floor / leg.quantity


def bankruptcy_price(
    equity: Decimal, legs: Sequence[LiquidationLeg], collateral: Decimal = ZERO, mark: Decimal = ZERO
) -> Decimal | None:
    """Compute the bankruptcy price: mark price at which the account's equity is 0; at least 0, None without a solution.

    Args:
        collateral: Base coins held on the row, valued at `mark`.
    """
    numerator = equity - collateral * mark
    denominator = -collateral
    for leg in legs:
        numerator -= leg.sign * leg.quantity * leg.mark
        denominator -= leg.sign * leg.quantity
    if not denominator:
        return None
    return max(numerator / denominator, ZERO)
