"""Fees and maker rebates: two numbers that are never negative and never both above zero on one fill."""

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
    """Fee and rebate on an amount at a signed rate; a negative rate is a maker rebate."""
    return charge_from_signed(half_up(amount * rate, places))


def charge_from_signed(charge: Decimal) -> Charge:
    """Fee and rebate from one signed figure: positive is a fee."""
    return Charge(max(charge, ZERO), max(-charge, ZERO))


class AddPoint(msgspec.Struct, frozen=True):
    """What a broker adds to a rate."""

    fixed: bool
    """In basis points; False: in per cent of the rate."""
    value: Decimal


def add_markup(rate: Decimal, point: AddPoint | None) -> Decimal:
    """The rate of a sub portfolio from that of the main one."""
    if point is None:
        return rate
    return rate + point.value / 10_000 if point.fixed else rate * (1 + point.value / 100)
