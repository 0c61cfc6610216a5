"""Funding of perpetuals: paid at one instant, on the position at that instant."""

from __future__ import annotations

from decimal import Decimal

DAY_MS = Decimal(86_400_000)


def linear(sign: int, base: Decimal, mark: Decimal, rate: Decimal) -> Decimal:
    """Payment in quote, + received; with a positive rate longs pay. `sign` +1 long, -1 short."""
    return -sign * base * mark * rate


def inverse(sign: int, quote: Decimal, mark: Decimal, rate: Decimal) -> Decimal:
    """Payment in coin on an inverse position of `quote` units."""
    return -sign * quote / mark * rate


def annualise(rate: Decimal, interval_ms: int | Decimal) -> Decimal:
    """Compute the yearly share, without compounding, of a rate that is paid once in each interval."""
    return simple_annualised(rate, DAY_MS / interval_ms)


def simple_annualised(rate: Decimal, payments_per_day: Decimal) -> Decimal:
    """Yearly share without compounding; only with a known interval."""
    return rate * payments_per_day * 365
