"""Portfolio loans of the model: what is lent, repaid and charged, on the bookings of the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal

from tests.venue.stateful.terms import EIGHTEEN, FIRST_RUNG, LENT, LOAN_HOURLY, ZERO, No


@dataclass(kw_only=True)
class LoanBook(ABC):
    """The part of the model that lends; the model does the bookings."""

    loans: dict[tuple[str, str, str], Decimal] = field(default_factory=dict)
    """By owner, venue and coin; those that were repaid are 0."""
    loan_interest: Decimal = ZERO

    @abstractmethod
    def free(self, owner: str, venue: str, coin: str) -> Decimal:
        """Balance that no order holds."""

    @abstractmethod
    def _book(self, owner: str, venue: str, coin: str, amount: Decimal) -> None: ...

    @abstractmethod
    def _borrow(self, owner: str, venue: str, coin: str, amount: Decimal) -> None: ...

    @abstractmethod
    def _repay(self, owner: str, venue: str, coin: str, incoming: Decimal) -> None: ...

    def loan_story(self) -> Mapping[str, int]:
        """How often this history came through the places where loans go wrong."""
        return {
            "loans": len(self.loans),
            "loans repaid whole": sum(not loan for loan in self.loans.values()),
            "interest of loans": int(self.loan_interest > 0),
        }

    def spare_collateral(
        self, owner: str, venue: str, indexes: Mapping[str, Decimal], margin_value: Decimal
    ) -> Decimal:
        """Margin value above what keeps the loan to value of the row below its first rung."""
        lent = sum((self.loans.get((owner, venue, coin), ZERO) * index for coin, index in indexes.items()), ZERO)
        return margin_value - lent / FIRST_RUNG if lent else margin_value

    def borrow(self, owner: str, venue: str, coin: str, amount: Decimal) -> None:
        """A portfolio loan, small enough that neither quota nor margin nor pool stands against it."""
        self._judge_amount(amount)
        if coin not in LENT:
            raise No(406014)
        self.loans[(owner, venue, coin)] = self.loans.get((owner, venue, coin), ZERO) + amount
        self._book(owner, venue, coin, amount)
        self._repay(owner, venue, coin, amount)

    def repay(self, owner: str, venue: str, coin: str, amount: Decimal) -> None:
        """Principal alone, from what no order holds."""
        self._judge_amount(amount)
        owed = self.loans.get((owner, venue, coin), ZERO)
        if not owed:
            raise No(406021)
        if amount > owed or amount > self.free(owner, venue, coin):
            raise No(406022)
        self._book(owner, venue, coin, -amount)
        self.loans[(owner, venue, coin)] = owed - amount

    @staticmethod
    def _judge_amount(amount: Decimal) -> None:
        if amount <= 0 or amount * 100 != int(amount * 100):
            raise No(406023)

    def charge_loans(self) -> None:
        """From the balance; what orders hold is left to them, and the rest becomes debt."""
        for (owner, venue, coin), loan in self.loans.items():
            amount = (loan * LOAN_HOURLY[coin]).quantize(EIGHTEEN, ROUND_DOWN)
            missing = min(amount - self.free(owner, venue, coin), amount)
            if coin != "USDT" and missing > 0:
                self._borrow(owner, venue, coin, missing)
            self._book(owner, venue, coin, -amount)
            self.loan_interest += amount
