"""Draft of a transfer: destination, amount limits, network with its fee, and rapid payment from a pool."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO, optional, plain
from tui.interface.families.accounts import CurrencyRecord, NetworkRecord
from tui.interface.families.transfers import RAPID_CURRENCY, ApplyTransfer, PoolQuota
from tui.workstation.features.funds.typed_amount import TypedAmount, places_of
from tui.workstation.model import number_format
from tui.workstation.widgets.lists.fund_accounts import FundAccountKind, FundAccountRef


class TransferDraft(msgspec.Struct, frozen=True, kw_only=True):
    """Values entered for a transfer, and the limits, network and pool quota that are known for it."""

    source: FundAccountRef
    target: FundAccountRef
    coin: str
    most: Decimal | None
    """Largest amount that may leave the source; None: not known."""
    typed: str = ""
    """Typed amount."""
    network: NetworkRecord | None = None
    wants_rapid: bool = False
    moves_loan: bool = False
    """Whether it is marked as a transfer of loaned coins; the paper venue accepts and ignores the mark."""
    quota: PoolQuota | None = None
    """Quota of the target's pool; None: not read yet."""

    @property
    def crosses(self) -> bool:
        """Whether the money leaves its venue and therefore needs a network."""
        return self.source.venue != self.target.venue

    @property
    def may_be_rapid(self) -> bool:
        """Whether a pool could pay the transfer at once."""
        trading = self.source.trades and self.target.trades
        return self.crosses and trading and self.coin == RAPID_CURRENCY and bool(self.target.pool)

    @property
    def is_rapid(self) -> bool:
        """Whether the pool would pay this amount at once, judged by its known quota."""
        left = None if self.quota is None else optional(self.quota.available)
        amount = self.amount
        return self.may_be_rapid and self.wants_rapid and left is not None and amount is not None and amount <= left

    @property
    def entered(self) -> TypedAmount:
        """Typed amount with the smallest and largest amount and the decimals that the transfer allows."""
        network = self.network if self.crosses else None
        return TypedAmount(
            typed=self.typed, coin=self.coin, most=self.most,
            least=(optional(network.min_transfer) or ZERO) if network is not None else ZERO,
            places=places_of(network.precision if network is not None else ""),
        )  # fmt: skip

    @property
    def amount(self) -> Decimal | None:
        """Parsed amount; None while it is invalid."""
        return self.entered.value

    @property
    def fee(self) -> Decimal | None:
        """Network fee; 0 for transfers that do not go over a network to or from the Funding Account; None if unknown."""
        funding = FundAccountKind.FUNDING in (self.source.kind, self.target.kind)
        if not (self.crosses and funding):
            return ZERO
        return optional(self.network.est_network_fee) if self.network is not None else None

    @property
    def received(self) -> Decimal | None:
        """Amount that arrives; None if unknown."""
        amount, fee = self.amount, self.fee
        return None if amount is None or fee is None else amount - fee

    @property
    def title(self) -> str:
        """Description of the transfer for prompts and lists."""
        amount = self.amount
        what = self.typed if amount is None else number_format.decimal_figure(amount)
        return f"transfer {what} {self.coin} {self.source.name} → {self.target.name}"

    def request(self) -> ApplyTransfer:
        """Build the request to send."""
        amount = self.amount
        return ApplyTransfer(
            from_trade_account_id=self.source.owner,
            from_account_type=self.source.account_type,
            to_trade_account_id=self.target.owner,
            to_account_type=self.target.account_type,
            currency=self.coin,
            network=self.network.network if self.network is not None and self.crosses else "",
            amount="" if amount is None else plain(amount),
            rapid_transfer="true" if self.may_be_rapid and self.wants_rapid else "",
            loan_trans="true" if self.moves_loan else "",
        )


def list_networks(currency: CurrencyRecord | None) -> Sequence[NetworkRecord]:
    """List the networks on which a currency can be transferred, the cheapest first."""
    if currency is None:
        return ()
    networks = [network for network in currency.networks if network.transfer_enable]
    return sorted(networks, key=lambda network: (optional(network.est_network_fee) or ZERO, network.network))
