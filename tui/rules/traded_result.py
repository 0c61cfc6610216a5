"""Result of a set of fills of a pair: what was paid and received, and what is held at the price of closing it."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface import decimals
from tui.interface.decimals import ZERO
from tui.interface.families.history import TradeRecord
from tui.rules import pnl, units


class TradedResult(msgspec.Struct, frozen=True):
    """Sums of the fills of a pair; figures in quote."""

    base: Decimal = ZERO
    """Base units bought less sold."""
    cash: Decimal = ZERO
    """Received less paid, after fees and rebates."""
    last: Decimal = ZERO
    """Price of the newest fill."""

    def plus(self, fill: TradeRecord, contract: Decimal) -> TradedResult:
        """Return the sums with one more fill; a fill whose figures cannot be read changes nothing."""
        quantity, price = decimals.positive(fill.quantity), decimals.positive(fill.price)
        if quantity is None or price is None:
            return self
        sign = 1 if fill.side == "BUY" else -1
        costs = pnl.fill_result(fill)
        cash = pnl.net_result(-sign * units.notional(quantity, contract, price), fee=costs.fee, rebate=costs.rebate)
        return TradedResult(self.base + sign * units.base(quantity, contract), self.cash + cash, price)

    def at(self, bid: Decimal | None, ask: Decimal | None) -> Decimal:
        """Compute the result if what is held were closed at the touch, or without one at the newest fill's price."""
        touch = bid if self.base > 0 else ask
        return self.cash + self.base * (touch or self.last)
