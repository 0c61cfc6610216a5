"""Double-entry ledger: every balance change is a posting whose legs sum to zero in every coin."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.interface.decimals import ZERO
from tui.interface.families.accounts import AccountVenue
from tui.venue.core.market.symbols import SETTLEMENT, VENUES

ISSUE_ACCOUNT = "issue"
"""Source of all money; negative by the amount issued."""
HOUSE_ACCOUNT = "house"
"""Counterparty of every trade: synthetic participants, and the clearing of trades between portfolios."""
FEE_ACCOUNT = "fees"
"""Receives fees, pays rebates."""
INSURANCE_ACCOUNT = "insurance"
"""Receives liquidation fees, pays losses of bankrupt accounts; one fund per venue, in the settlement coin."""
LENDER_ACCOUNT = "lender"
"""Lends coins to margin orders and receives them back with interest."""

NETWORK_ACCOUNT = "network"
"""Receives network fees and withdrawals, pays deposits."""

BalanceKey = tuple[str, str, str]
"""Owner (id of a portfolio or account, or one of the accounts above), venue, coin."""

_PLACES = (*VENUES, *(venue.value for venue in AccountVenue))
"""Venues and accounts of balances, in display order."""


class PostingLeg(msgspec.Struct, frozen=True):
    owner: str
    venue: str
    coin: str
    amount: Decimal


class Posting(msgspec.Struct, frozen=True, kw_only=True):
    """Posting of the ledger: two or more legs that sum to zero in every coin."""

    id: int
    ms: int
    reason: str
    reference: str
    """Transaction id of a fill, empty for the first issue."""
    legs: tuple[PostingLeg, ...]


class Unbalanced(CrossdeskError, AssertionError):
    """Error for a posting whose legs do not sum to zero."""

    title = "Ledger out of balance"


class Ledger:
    """Balances by owner, venue and coin."""

    def __init__(self) -> None:
        self.balances: dict[BalanceKey, Decimal] = {}
        self.count = 0
        self._coins: dict[str, dict[str, list[str]]] = {}
        self._sorted = 0
        """Number of balances in `_coins`."""

    def post(self, ms: int, reason: str, reference: str, legs: Iterable[PostingLeg]) -> Posting:
        """Book the legs of a posting; a leg of 0 only creates a balance of 0.

        Raises:
            Unbalanced: A coin does not sum to zero.
        """
        kept = tuple(legs)
        sums: dict[str, Decimal] = {}
        for leg in kept:
            sums[leg.coin] = sums.get(leg.coin, ZERO) + leg.amount
        if any(sums.values()):
            raise Unbalanced(f"{reason} {reference}: {sums}")
        for leg in kept:
            key = (leg.owner, leg.venue, leg.coin)
            self.balances[key] = self.balances.get(key, ZERO) + leg.amount
        self.count += 1
        return Posting(id=self.count, ms=ms, reason=reason, reference=reference, legs=kept)

    def balance(self, owner: str, venue: str, coin: str) -> Decimal:
        return self.balances.get((owner, venue, coin), ZERO)

    def coins(self) -> dict[str, dict[str, list[str]]]:
        """Return the coins with a balance, by owner and venue, in display order; balances are never removed."""
        if self._sorted != len(self.balances):
            self._sorted, self._coins = len(self.balances), {}
            for owner, venue, coin in sorted(self.balances, key=_rank):
                self._coins.setdefault(owner, {}).setdefault(venue, []).append(coin)
        return self._coins

    def check(self) -> None:
        """Check V1: all balances of a coin sum to zero, the issue account included."""
        sums: dict[str, Decimal] = {}
        for (_, _, coin), amount in self.balances.items():
            sums[coin] = sums.get(coin, ZERO) + amount
        assert not any(sums.values()), f"money was made or lost: {sums}"


def _rank(key: BalanceKey) -> tuple[int, bool, str]:
    """Return the display rank of a balance: exchanges in fixed order, then other accounts; the settlement coin first."""
    _, venue, coin = key
    return _PLACES.index(venue), coin != SETTLEMENT, coin
