"""Portfolio loans: principal, loan orders (borrows and repayments), and the loan statement."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO
from tui.venue.core.state.ledger import BalanceKey


class LoanOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Loan order: a borrow or repayment with its answer; amounts in coins, time in ms."""

    id: str
    client_id: str
    portfolio: str
    exchange: str
    type: str
    """A word of `LoanType`."""
    coin: str
    amount: Decimal
    loan_balance: Decimal
    """Loan of the coin after the order."""
    available_balance: Decimal
    at: int


class LoanBooking(msgspec.Struct, frozen=True, kw_only=True):
    """Row of the loan statement; amounts in coins, time in ms."""

    id: str
    portfolio: str
    exchange: str
    type: str
    """A word of `LoanBookingType`."""
    coin: str
    delta: Decimal
    balance: Decimal
    """Balance of the coin after the booking."""
    at: int


@dataclass(eq=False)
class LoanTable:
    """All portfolio loans."""

    owed: dict[BalanceKey, Decimal] = field(default_factory=dict)
    """Principal by portfolio, venue and coin, in coins; none of 0."""
    orders: list[LoanOrder] = field(default_factory=list)
    """Oldest first."""
    bookings: list[LoanBooking] = field(default_factory=list)
    """Oldest first."""
    by_client: dict[tuple[str, str], LoanOrder] = field(default_factory=dict)
    """Orders in memory by portfolio and client order id."""

    def of(self, portfolio: str, venue: str, coin: str) -> Decimal:
        """Return the principal of a portfolio loan, in coins."""
        return self.owed.get((portfolio, venue, coin), ZERO)

    def of_row(self, portfolio: str, venue: str) -> dict[str, Decimal]:
        """Return the portfolio loans of a venue account, by coin."""
        return {key[2]: loan for key, loan in self.owed.items() if key[:2] == (portfolio, venue)}

    def add(self, order: LoanOrder) -> None:
        """Register a loan order."""
        self.orders.append(order)
        if order.client_id:
            self.by_client[(order.portfolio, order.client_id)] = order

    def forget_orders(self, count: int) -> None:
        """Remove the oldest loan orders."""
        for order in self.orders[:count]:
            self.by_client.pop((order.portfolio, order.client_id), None)
        del self.orders[:count]
