"""Conversion of order quantities between contracts, base and quote units."""

from __future__ import annotations

from decimal import Decimal


def base(quantity: Decimal, contract_size: Decimal) -> Decimal:
    """Convert a linear quantity in the venue's unit to base units; `contract_size` is 1 when it already is in base."""
    return quantity * contract_size


def notional(quantity: Decimal, contract_size: Decimal, price: Decimal) -> Decimal:
    """Compute the notional of a linear quantity at a price, in quote units."""
    return quantity * contract_size * price
