"""Amount typed in a form: its limits and decimals, and why it is refused."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal

import msgspec

from tui.interface.decimals import BadDecimal, parse_typed, plain
from tui.workstation.model import number_format
from tui.workstation.widgets.forms.view import FieldSpec

MAX_WORD = "max"
"""Word that stands for the largest amount."""
MOST_PLACES = 8
"""Decimals of an amount if no network gives them."""


def places_of(precision: str) -> int:
    """Return the number of decimals that a network allows."""
    return int(precision) if precision.isdecimal() and len(precision) < 3 else MOST_PLACES


class TypedAmount(msgspec.Struct, frozen=True, kw_only=True):
    """Typed amount of a transfer or withdrawal with its smallest and largest amount and decimals."""

    typed: str
    coin: str
    most: Decimal | None
    """Amount that may leave; None: not known."""
    least: Decimal
    places: int = MOST_PLACES

    @property
    def largest(self) -> Decimal | None:
        """Largest amount that can be sent, rounded down to the allowed decimals."""
        if self.most is None:
            return None
        return self.most.quantize(Decimal(1).scaleb(-self.places), rounding=ROUND_DOWN)

    @property
    def value(self) -> Decimal | None:
        """Parsed amount; None while it is invalid."""
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
        """Return why the amount is refused, or an empty text."""
        amount = self.value
        if amount is None:
            return self._why_unread()
        if amount <= 0 or amount < self.least:
            return f"{plain(amount)} is too small; the minimum is {plain(self.least)} {self.coin}"
        if amount != amount.quantize(Decimal(1).scaleb(-self.places)):
            return f"at most {self.places} decimals"
        if self.largest is not None and amount > self.largest:
            return f"{plain(amount)} is above {number_format.decimal_figure(self.largest)}, the largest amount now"
        return ""

    def _why_unread(self) -> str:
        """Return why no amount can be read from what was typed."""
        if self._is_max:
            return "the largest amount is not known yet"
        typed = self.typed.strip()
        try:
            parse_typed(typed)
        except BadDecimal as problem:
            return str(problem) if typed else f"type an amount of {self.coin}, or {MAX_WORD}"
        return ""

    def field(self, reason: str) -> FieldSpec:
        """Build the form field of the amount; `reason` tells why no more can leave the account."""
        return FieldSpec(name="amount", note=self.note(reason), refused=bool(self.problem()))

    def note(self, reason: str) -> str:
        """Return the note beside the field: why the amount is refused, and the largest amount with the reason for that."""
        most = "" if self.largest is None else f"{MAX_WORD} {number_format.decimal_figure(self.largest)}: {reason}"
        problem = self.problem()
        if problem and self.typed:
            return f"{problem} ({most})" if most else problem
        return most or reason
