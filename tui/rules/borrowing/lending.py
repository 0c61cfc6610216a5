"""Borrowing of coins: margin tier of a debt, hourly interest, and order of repayment."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_DOWN, Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import ZERO

INTEREST_PLACES = 18
"""Decimals of the interest of one hour, truncated."""


class LoanTier(msgspec.Struct, frozen=True):
    """Margin tier of a debt in a coin; the lower bound is inclusive, the upper exclusive (coins)."""

    least: Decimal
    most: Decimal
    mmr: Decimal
    max_leverage: Decimal


class Repayment(NamedTuple):
    """Split of a repayment into interest and principal; interest is paid first."""

    interest: Decimal
    principal: Decimal

    @property
    def total(self) -> Decimal:
        return self.interest + self.principal


def tier_of(tiers: Sequence[LoanTier], debt: Decimal) -> LoanTier:
    """Find the margin tier of a debt; above the table, the last one."""
    for tier in tiers:
        if debt < tier.most:
            return tier
    return tiers[-1]


def interest(principal: Decimal, hourly_rate: Decimal) -> Decimal:
    """Compute the interest on a debt for one full hour, in coins, rounded down."""
    return (principal * hourly_rate).quantize(Decimal(1).scaleb(-INTEREST_PLACES), ROUND_DOWN)


def split_repayment(principal: Decimal, accrued: Decimal, incoming: Decimal) -> Repayment:
    """Split `incoming` coins into the interest and the principal they repay."""
    first = min(accrued, max(incoming, ZERO))
    return Repayment(first, min(principal, max(incoming, ZERO) - first))
