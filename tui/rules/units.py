"""Conversion of order quantities between contracts, base and quote units."""

from __future__ import annotations

from decimal import Decimal


def base(quantity: Decimal, contract_size: Decimal) -> Decimal:
    """Base units of a linear quantity as the venue counts it (contracts or base, `contract_size` 1)."""
    return quantity * contract_size


def notional(quantity: Decimal, contract_size: Decimal, price: Decimal) -> Decimal:
    """Quote units of a linear quantity at a price."""
    return quantity * contract_size * price
