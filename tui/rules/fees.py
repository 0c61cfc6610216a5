"""Fees and maker rebates: two figures that are never negative, and never both above zero on one fill."""

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
        """Amount that leaves the account; negative for a rebate."""
        return self.fee - self.rebate


def split(amount: Decimal, rate: Decimal, places: int = PLACES) -> Charge:
    """Compute fee and rebate on an amount at a signed rate; a negative rate is a maker rebate."""
    return split_signed(half_up(amount * rate, places))


def split_signed(charge: Decimal) -> Charge:
    """Split a signed figure into fee (positive) and rebate (negative)."""
    return Charge(max(charge, ZERO), max(-charge, ZERO))


class AddPoint(msgspec.Struct, frozen=True):
    """Markup that a broker adds to a fee rate."""

    fixed: bool
    """Whether `value` is in basis points; else it is in per cent of the rate."""
    value: Decimal


def add_markup(rate: Decimal, point: AddPoint | None) -> Decimal:
    """Compute the rate of a sub portfolio from the rate of the main portfolio."""
    if point is None:
        return rate
    return rate + point.value / 10_000 if point.fixed else rate * (1 + point.value / 100)
