"""Fees and maker rebates: two amounts that are never negative, and never both positive on one fill."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import ZERO, half_up

PLACES = 8
"""Decimals of a booked fee or rebate, rounded half away from zero."""


class Charge(NamedTuple):
    """Fee and rebate of one fill, in one coin."""

    fee: Decimal
    rebate: Decimal

    @property
    def net(self) -> Decimal:
        """Fee minus rebate; negative when the rebate is larger."""
        return self.fee - self.rebate


def split(amount: Decimal, rate: Decimal, places: int = PLACES) -> Charge:
    """Compute fee and rebate of an amount at a signed rate; a negative rate is a maker rebate."""
    return split_signed(half_up(amount * rate, places))


def split_signed(charge: Decimal) -> Charge:
    """Split a signed charge into fee (positive part) and rebate (negative part)."""
    return Charge(max(charge, ZERO), max(-charge, ZERO))


def opening_share(charge: Decimal, quantity: Decimal, opens: Decimal) -> Decimal:
    """Compute the part of a fill's fee or rebate that belongs to the position it opens, not to the one it closes.

    Args:
        charge: Fee or rebate of the fill.
        quantity: Its quantity.
        opens: How much of it opens or adds.
    """
    return charge if opens == quantity else half_up(charge * opens / quantity, PLACES)


class AddPoint(msgspec.Struct, frozen=True):
    """Markup that a broker adds to the fee rate of a sub portfolio."""

    fixed: bool
    """Whether `value` is in basis points; else it is in per cent of the rate."""
    value: Decimal


def add_markup(rate: Decimal, point: AddPoint | None) -> Decimal:
    """Compute the fee rate of a sub portfolio: the main portfolio's rate plus the markup."""
    if point is None:
        return rate
    return rate + point.value / 10_000 if point.fixed else rate * (1 + point.value / 100)
