"""Money of the model: balances as sums over all bookings, and debts."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from tests.venue.stateful.loans import LoanBook
from tests.venue.stateful.terms import EIGHT, HOUSE, ZERO


@dataclass(kw_only=True)
class Balances(LoanBook):
    """The part of the model that books; the model knows what its orders hold."""

    main: str
    sub: str
    bookings: list[tuple[str, str, str, Decimal]] = field(default_factory=list)
    """Owner, venue, coin, amount."""
    debts: dict[tuple[str, str, str], list[Decimal]] = field(default_factory=dict)
    """Principal and interest."""

    @abstractmethod
    def frozen(self, owner: str, venue: str, coin: str) -> Decimal:
        """Balance that orders and movements hold."""

    def balance(self, owner: str, venue: str, coin: str) -> Decimal:
        return sum([qty for who, at, what, qty in self.bookings if what == coin and who == owner and at == venue], ZERO)

    def balances(self) -> dict[tuple[str, str, str], Decimal]:
        """All balances, from one look through the bookings."""
        sums: dict[tuple[str, str, str], Decimal] = {}
        for owner, venue, coin, amount in self.bookings:
            sums[owner, venue, coin] = sums.get((owner, venue, coin), ZERO) + amount
        return sums

    def free(self, owner: str, venue: str, coin: str) -> Decimal:
        return self.balance(owner, venue, coin) - self.frozen(owner, venue, coin)

    def _book(self, owner: str, venue: str, coin: str, amount: Decimal) -> None:
        self.bookings.append((owner, venue, coin, amount))
        self.bookings.append((HOUSE, venue, coin, -amount))

    def _borrow(self, owner: str, venue: str, coin: str, amount: Decimal) -> None:
        self.debts.setdefault((owner, venue, coin), [ZERO, ZERO])[0] += amount
        self._book(owner, venue, coin, amount)

    def _repay(self, owner: str, venue: str, coin: str, incoming: Decimal) -> None:
        debt = self.debts.get((owner, venue, coin))
        if debt is None or incoming <= 0:
            return
        most = max(min(incoming, self.balance(owner, venue, coin)), ZERO)
        interest = min(debt[1], most)
        principal = min(debt[0], most - interest)
        debt[0], debt[1] = debt[0] - principal, debt[1] - interest
        self._book(owner, venue, coin, -interest - principal)
        if not any(debt):
            del self.debts[(owner, venue, coin)]

    def pay_dividend(self, coin: str, share: Decimal) -> None:
        """A share of every balance of the coin, to eight decimals; debts are not paid back from it."""
        keys = {
            (owner, venue) for owner, venue, held, _ in self.bookings if held == coin and owner in (self.main, self.sub)
        }
        for owner, venue in sorted(keys):
            amount = (self.balance(owner, venue, coin) * share).quantize(EIGHT, ROUND_HALF_UP)
            if amount > 0:
                self._book(owner, venue, coin, amount)
