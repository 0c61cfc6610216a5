"""An amount as it is typed: the largest, the least, the decimals, and why it is refused."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal

import msgspec

from tui.interface.decimals import BadDecimal, parse_typed, plain
from tui.workstation.model import number_format
from tui.workstation.widgets.forms.view import FieldSpec

MAX_WORD = "max"
"""Typed for the largest amount."""
MOST_PLACES = 8
"""Decimals of an amount where no network says how many."""


def places_of(precision: str) -> int:
    """The decimals that a network says."""
    return int(precision) if precision.isdecimal() and len(precision) < 3 else MOST_PLACES


class TypedAmount(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed, and what it is judged by."""

    typed: str
    coin: str
    most: Decimal | None
    """What may leave; None: it is not known."""
    least: Decimal
    places: int = MOST_PLACES

    @property
    def largest(self) -> Decimal | None:
        """The largest amount that can be sent."""
        if self.most is None:
            return None
        return self.most.quantize(Decimal(1).scaleb(-self.places), rounding=ROUND_DOWN)

    @property
    def value(self) -> Decimal | None:
        """The amount; None while it is not readable."""
        if self._is_max:
            return self.largest
        try:
            return parse_typed(self.typed.strip())
        except BadDecimal:
            return None

    @property
    def _is_max(self) -> bool:
        return self.typed.strip().lower() == MAX_WORD

    def problem(self) -> str:
        """Why it is refused, or empty."""
        amount = self.value
        if amount is None:
            return (
                "the largest amount is not known yet"
                if self._is_max
                else f"type an amount of {self.coin}, or {MAX_WORD}"
            )
        if amount <= 0 or amount < self.least:
            return f"{plain(amount)} is too small; the least is {plain(self.least)} {self.coin}"
        if amount != amount.quantize(Decimal(1).scaleb(-self.places)):
            return f"at most {self.places} decimals"
        if self.largest is not None and amount > self.largest:
            return f"{plain(amount)} is above {number_format.decimal_figure(self.largest)}, the largest amount now"
        return ""

    def field(self, reason: str) -> FieldSpec:
        """The field it is typed into; `reason`: why no more may leave."""
        return FieldSpec(name="amount", note=self.note(reason), refused=bool(self.problem()))

    def note(self, reason: str) -> str:
        """What stands below the field: what is wrong, and the largest amount with its reason."""
        most = "" if self.largest is None else f"{MAX_WORD} {number_format.decimal_figure(self.largest)}: {reason}"
        problem = self.problem()
        if problem and self.typed:
            return f"{problem} ({most})" if most else problem
        return most or reason
