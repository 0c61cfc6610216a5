"""Accepted distances of a price from the market."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple


class Band(NamedTuple):
    """A price range, both ends inclusive."""

    low: Decimal
    high: Decimal

    def contains(self, price: Decimal) -> bool:
        return self.low <= price <= self.high


LIMIT_SHARE = Decimal("0.5")
"""A limit price farther than this share from mark is rejected by the paper venue (401906)."""

MARKET_SHARE = Decimal("0.05")
"""A market order of the paper venue walks the book up to this share from mark."""

SWEEP_MARGIN = Decimal("0.01")
"""A market order is valued at the worse of touch and mark plus this share; a farther touch is ignored."""


def band_around(price: Decimal, share: Decimal) -> Band:
    """The band of a share around a price."""
    return Band(price * (1 - share), price * (1 + share))


def market_price(touch: Decimal | None, mark: Decimal | None) -> Decimal | None:
    """Price at which the limits count a market order: the worse of touch and mark with the margin; None without either."""
    prices = [one for one in (touch, mark) if one is not None]
    return max(prices) * (1 + SWEEP_MARGIN) if prices else None


def meets_min_notional(notional: Decimal, min_notional: Decimal, *, closes: bool) -> bool:
    """Whether an order meets the minimum notional (quote); a close is exempt from it."""
    return closes or notional >= min_notional
