"""Price bands: how far from the market an order's price may be."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from tui.interface.families.orders import Side


class Band(NamedTuple):
    """Price band, both ends inclusive."""

    low: Decimal
    high: Decimal

    def contains(self, price: Decimal) -> bool:
        return self.low <= price <= self.high


LIMIT_SHARE = Decimal("0.5")
"""A limit price farther than this share from mark is rejected by the paper venue (401906)."""

MARKET_SHARE = Decimal("0.05")
"""A market order of the paper venue trades through the book up to this share from mark."""

SWEEP_MARGIN = Decimal("0.01")
"""Share added to the worse of touch and mark to value a market order; a touch farther away is ignored."""


BP = Decimal(10_000)


def band_around(price: Decimal, share: Decimal) -> Band:
    """Return the price band that is a fraction below and above a price."""
    return Band(price * (1 - share), price * (1 + share))


def market_price(side: Side, touch: Decimal | None, mark: Decimal | None) -> Decimal | None:
    """Compute the price at which limits value a market order: the higher of touch and mark, for a buy with a margin.

    A buy may go above it, so a margin is added; a sale fills there or below.
    """
    prices = [price for price in (touch, mark) if price is not None]
    margin = SWEEP_MARGIN if side is Side.BUY else 0
    return max(prices) * (1 + margin) if prices else None


def worst_market_price(side: Side, touch: Decimal, mark: Decimal | None) -> Decimal:
    """Compute the worst expected price of a market order: the worse of the touch and the mark moved by a margin."""
    far = (mark or touch) * (1 + side.sign * SWEEP_MARGIN)
    return max(touch, far) if side is Side.BUY else min(touch, far)


def compute_width(base: Decimal, bp: int, ticks: int, tick: Decimal) -> Decimal:
    """Compute a distance from a price: the larger of so many basis points and so many ticks."""
    return max(base * bp / BP, tick * ticks)


def is_far_move(before: Decimal, now: Decimal, *, tick: Decimal, far_ticks: int, far_bp: int) -> bool:
    """Report whether a price moved by more than the larger of `far_bp` and `far_ticks`, which voids a confirmation."""
    return abs(now - before) > compute_width(before, far_bp, far_ticks, tick)


def meets_min_notional(notional: Decimal, min_notional: Decimal, *, closes: bool) -> bool:
    """Report whether an order meets the minimum notional (quote); a closing order is exempt."""
    return closes or notional >= min_notional
