"""Accounts of the user other than portfolios: the Funding Account, DMA sub-accounts, the custody account."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.families.accounts import AccountLabel, AccountVenue, WalletType


class Side(NamedTuple):
    """Account or portfolio with a venue: the source or target of a money movement."""

    owner: str
    venue: str


class FundAccount(msgspec.Struct, frozen=True, kw_only=True):
    """Fund account of the user; the ledger keeps its balances under its id and `venue`."""

    id: str
    venue: str
    """An exchange, FUNDING or CUSTODY."""
    label: AccountLabel
    note: str = ""
    opened: int = 0
    """Opening time, ms."""
    locked: dict[str, Decimal] | None = None
    """Coins that locks brought to a sub-account at an exchange and unlocks have not returned; None until counted."""

    @property
    def side(self) -> Side:
        return Side(self.id, self.venue)

    @property
    def is_funding(self) -> bool:
        return self.venue == AccountVenue.FUNDING

    @property
    def is_dma(self) -> bool:
        """Whether it is a DMA sub-account (at an exchange)."""
        return self.label == AccountLabel.DMA

    @property
    def wallet(self) -> WalletType:
        """Wallet type of its balances in the interface."""
        return {AccountVenue.FUNDING.value: WalletType.FUNDING, AccountVenue.CUSTODY.value: WalletType.CUSTODY}.get(
            self.venue, WalletType.SPOT
        )
