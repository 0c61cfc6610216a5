"""Deposits and withdrawals: money that enters or leaves the venue."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface.families.deposits import DepositRecord, DepositStatus, WithdrawalRecord, WithdrawalStatus
from tui.venue.core.state.funds.fund_accounts import Side


class Withdrawal(msgspec.Struct, kw_only=True):
    """Withdrawal of a currency; amounts in the currency, times in ms."""

    id: str
    source: Side
    source_type: str = ""
    currency: str
    amount: Decimal
    fee: Decimal
    """Network fee, taken from the amount."""
    network: str
    address: str
    label: str = ""
    memo: str = ""
    client_id: str = ""
    created: int
    due: int
    status: WithdrawalStatus = WithdrawalStatus.WAITING
    info: str = ""
    tx_id: str = ""
    tx_id2: str = ""

    @property
    def running(self) -> bool:
        return self.status in (WithdrawalStatus.WAITING, WithdrawalStatus.APPROVED)

    def record(self) -> WithdrawalRecord:
        """Build the row that withdrawal lists return."""
        return WithdrawalRecord(
            id=int(self.id),
            account_id=int(self.source.owner),
            from_account_type=self.source_type,
            currency=self.currency,
            network=self.network,
            memo=self.memo,
            address=self.address,
            address_tag=self.label,
            amount=self.amount,
            status=self.status.value,
            tx_id=self.tx_id,
            tx_id2=self.tx_id2,
            info=self.info,
            apply_time=str(self.created),
            client_order_id=self.client_id,
        )


class Deposit(msgspec.Struct, kw_only=True):
    """Deposit of a currency; amounts in the currency, times in ms."""

    id: str
    target: Side
    currency: str
    amount: Decimal
    network: str
    address: str
    created: int
    due: int
    client_id: str = ""
    """Always empty; movements have this field in common."""
    status: DepositStatus = DepositStatus.RUNNING
    info: str = ""
    tx_id: str = ""

    @property
    def running(self) -> bool:
        return self.status is DepositStatus.RUNNING

    def record(self) -> DepositRecord:
        """Build the row that deposit lists return."""
        return DepositRecord(
            id=int(self.id),
            account_id=int(self.target.owner),
            account_type=self.target.venue,
            currency=self.currency,
            network=self.network,
            address=self.address,
            amount=self.amount,
            status=self.status.value,
            tx_id=self.tx_id,
            info=self.info,
            apply_time=str(self.created),
        )
