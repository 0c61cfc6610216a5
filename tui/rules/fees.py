"""Fees and maker rebates: two numbers that are never negative and never both above zero on one fill."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

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
