"""Funding of perpetuals: paid at one instant, on the position of that instant."""

from __future__ import annotations

from decimal import Decimal

DAY_MS = Decimal(86_400_000)


def linear(sign: int, base: Decimal, mark: Decimal, rate: Decimal) -> Decimal:
    """Compute the payment in quote, positive when received; longs pay a positive rate. `sign` is +1 long, -1 short."""
    return -sign * base * mark * rate


def inverse(sign: int, quote: Decimal, mark: Decimal, rate: Decimal) -> Decimal:
    """Compute the payment in coins on an inverse position of `quote` units."""
    return -sign * quote / mark * rate


def annualise(rate: Decimal, interval_ms: int | Decimal) -> Decimal:
    """Compute the yearly share, without compounding, of a rate that is paid once in each interval."""
    return annualise_simply(rate, DAY_MS / interval_ms)


def annualise_simply(rate: Decimal, payments_per_day: Decimal) -> Decimal:
    """Compute the yearly share of a rate, without compounding, from its payments per day."""
    return rate * payments_per_day * 365
