"""Accounts of the user that are no portfolios: the Funding Account, DMA sub-accounts, the custody account."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.families.accounts import AccountLabel, AccountVenue, WalletType


class Side(NamedTuple):
    """Where money is: an account or portfolio, and the venue of its balance."""

    owner: str
    venue: str


class FundAccount(msgspec.Struct, frozen=True, kw_only=True):
    """One account; its balances are in the ledger under its id and `venue`."""

    id: str
    venue: str
    """An exchange, FUNDING or CUSTODY."""
    label: AccountLabel
    note: str = ""
    opened: int = 0
    """When it was opened, ms."""
    locked: dict[str, Decimal] | None = None
    """Of a sub-account at an exchange: what came by locks and has not gone back, by coin; None until it is counted."""

    @property
    def side(self) -> Side:
        return Side(self.id, self.venue)

    @property
    def is_funding(self) -> bool:
        return self.venue == AccountVenue.FUNDING

    @property
    def is_dma(self) -> bool:
        """Whether it is a sub-account at an exchange."""
        return self.label == AccountLabel.DMA

    @property
    def wallet(self) -> WalletType:
        return {AccountVenue.FUNDING.value: WalletType.FUNDING, AccountVenue.CUSTODY.value: WalletType.CUSTODY}.get(
            self.venue, WalletType.SPOT
        )
