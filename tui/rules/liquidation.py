"""The mark at which a venue row of a portfolio would be liquidated, all other prices unchanged.

`sign` is +1 for a long and -1 for a short, quantities are base units, prices and margins quote units. None means that
no price liquidates; 0 is never an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO
from tui.rules.margin import MarginTier, tier_number

ROUNDS = 5
"""Iterations that redetermine the tiers at the price just found."""


class LiquidationLeg(NamedTuple):
    """One leg of the pair whose liquidation price is computed."""

    sign: int
    quantity: Decimal
    mark: Decimal
    """Price at which the leg is valued in the margin given beside it: mark (service form) or entry (wallet form)."""


class Collateral(NamedTuple):
    """The pair's own base coin held as collateral: amount in coins, share that counts, mark at which it is valued."""

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
    """Solve for given rates: `rates` holds (mmr, cum) per leg.

    Args:
        margin: validMargin now with legs valued at mark, or wallet plus other unrealised results with legs at entry
            (and without the collateral, whose mark is then 0).
        mm_other: maintenance margin of everything but these legs.
    """
    counted = collateral.amount * collateral.share
    numerator = margin - mm_other - counted * collateral.mark
    denominator = -counted
    for leg, (mmr, cum) in zip(legs, rates, strict=True):
        numerator += cum - leg.sign * leg.quantity * leg.mark
        denominator += leg.quantity * mmr - leg.sign * leg.quantity
    if not denominator:
        return None
    found = numerator / denominator
    return found if found > 0 else None


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
    """The same with the tiers at the price itself; where two tiers alternate, the price at their border.

    Args:
        marks: marks that give the tiers to start from, when the legs are valued at entry.
    """
    starts = marks or [leg.mark for leg in legs]
    at = [tier_number(tiers, leg.quantity * mark) for leg, mark in zip(legs, starts, strict=True)]
    seen = [at]
    found: Decimal | None = None
    for _ in range(ROUNDS):
        rates = [(tiers[n].mmr, tiers[n].cum if cumulative else ZERO) for n in at]
        found = price(margin, mm_other, legs, rates, collateral)
        if found is None:
            return None
        then = [tier_number(tiers, leg.quantity * found) for leg in legs]
        if then == at:
            return found
        if then in seen:
            return _border(legs, tiers, at, then)
        seen.append(then)
        at = then
    return found


def _border(legs: Sequence[LiquidationLeg], tiers: Sequence[MarginTier], one: list[int], other: list[int]) -> Decimal:
    """The price at which the first leg whose tier differs passes from one to the other."""
    leg, left, right = next(found for found in zip(legs, one, other, strict=True) if found[1] != found[2])
    return tiers[max(left, right)].floor / leg.quantity


def bankruptcy_price(
    equity: Decimal, legs: Sequence[LiquidationLeg], collateral: Decimal = ZERO, mark: Decimal = ZERO
) -> Decimal | None:
    """The mark at which the equity of the row is 0; below 0 counts as 0, None without a solution.

    Args:
        collateral: base coins held on the row, valued at `mark`.
    """
    numerator = equity - collateral * mark
    denominator = -collateral
    for leg in legs:
        numerator -= leg.sign * leg.quantity * leg.mark
        denominator -= leg.sign * leg.quantity
    if not denominator:
        return None
    return max(numerator / denominator, ZERO)
