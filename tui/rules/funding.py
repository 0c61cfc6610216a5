"""Funding of perpetuals: paid at a fixed time, on the position held at that time."""

from __future__ import annotations

from decimal import Decimal

DAY_MS = Decimal(86_400_000)


def linear(sign: int, base: Decimal, mark: Decimal, rate: Decimal) -> Decimal:
    """Compute a funding payment in quote, positive when received; longs pay a positive rate. `sign` is +1 long, -1 short."""
    return -sign * base * mark * rate


def annualise(rate: Decimal, interval_ms: int | Decimal) -> Decimal:
    """Convert a funding rate per interval to a yearly rate, without compounding."""
    return annualise_simply(rate, DAY_MS / interval_ms)


def annualise_simply(rate: Decimal, payments_per_day: Decimal) -> Decimal:
    """Convert a funding rate to a yearly rate from the payments per day, without compounding."""
    return rate * payments_per_day * 365
