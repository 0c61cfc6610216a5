"""How far a price may lie from the market."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple


class Band(NamedTuple):
    """Both ends belong to the band."""

    low: Decimal
    high: Decimal

    def contains(self, price: Decimal) -> bool:
        return self.low <= price <= self.high


LIMIT_SHARE = Decimal("0.5")
"""A limit price farther than this share from mark is refused by the paper venue (401906)."""

MARKET_SHARE = Decimal("0.05")
"""A market order of the paper venue walks the book up to this share from mark."""

SWEEP_MARGIN = Decimal("0.01")
"""A market order is valued at the worse of touch and mark moved by this share; a farther touch is none."""


def band_around(price: Decimal, share: Decimal) -> Band:
    """Prices within a share of one price."""
    return Band(price * (1 - share), price * (1 + share))


def far_touch(bid: Decimal, ask: Decimal, tick: Decimal, ticks: Decimal) -> Band:
    """Lowest sell and highest buy when an order may go through the far touch by a number of ticks."""
    return Band(bid - ticks * tick, ask + ticks * tick)


def meets_min_notional(notional: Decimal, min_notional: Decimal, *, closes: bool) -> bool:
    """Whether a quantity may be sent in view of the minimum notional (quote); a close is exempt from it."""
    return closes or notional >= min_notional
