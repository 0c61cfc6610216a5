"""Transfers between a user's accounts, and bills of completed movements."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

import msgspec

from tui.interface.decimals import ZERO, plain
from tui.interface.families.accounts import BillKind, BillRecord, BillStatus, CustodyKind, CustodyRecord
from tui.interface.families.transfers import Pool, TransferRecord, TransferStatus
from tui.venue.core.state.funds.fund_accounts import Side
from tui.venue.core.state.funds.movements import MovementTable


class TransferKind(StrEnum):
    """Kind of a transfer between accounts."""

    TRANSFER = "transfer"
    LOCK = "lock"
    """From the custody account to a sub-account at an exchange."""
    UNLOCK = "unlock"


class Transfer(msgspec.Struct, kw_only=True):
    """Transfer, lock or unlock; amounts in the currency, times in ms."""

    id: str
    kind: TransferKind = TransferKind.TRANSFER
    source: Side
    target: Side
    source_type: str = ""
    """Account type as named in the request."""
    target_type: str = ""
    currency: str
    amount: Decimal
    network: str = ""
    fee: Decimal = ZERO
    """Deducted from the amount that arrives."""
    pool: str = ""
    """Pool that a rapid transfer drew on."""
    refills: int = 0
    """When the pool gets the amount back."""
    client_id: str = ""
    created: int
    due: int
    """When it is processed."""
    status: TransferStatus = TransferStatus.RUNNING
    reason: str = ""
    tx_id: str = ""

    @property
    def running(self) -> bool:
        return self.status is TransferStatus.RUNNING

    @property
    def received(self) -> Decimal:
        """Amount that has arrived at the target."""
        return self.amount - self.fee if self.status is TransferStatus.DONE else ZERO

    def record(self) -> TransferRecord:
        """Build the row that transfer lists and queries return."""
        return TransferRecord(
            transfer_id=int(self.id),
            currency=self.currency,
            amount=self.amount,
            network=self.network,
            tx_id=self.tx_id,
            amount_received=self.received,
            network_fee=self.fee if self.status is TransferStatus.DONE else ZERO,
            from_trade_account_id=int(self.source.owner),
            to_trade_account_id=int(self.target.owner),
            from_account_type=self.source_type,
            to_account_type=self.target_type,
            status=self.status.value,
            reason=self.reason,
            created_at=self.created,
            client_order_id=self.client_id,
            rapid_transfer=bool(self.pool),
        )


def custody_record(action: Transfer) -> CustodyRecord:
    """Build the row that the list of locks and unlocks returns."""
    locks = action.kind is TransferKind.LOCK
    return CustodyRecord(
        action_id=int(action.id),
        type=(CustodyKind.LOCK if locks else CustodyKind.UNLOCK).value,
        currency=action.currency,
        amount=plain(action.amount),
        account_id=int((action.target if locks else action.source).owner),
        status=action.status.value,
        reason=action.reason,
        created_at=action.created,
    )


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """Bill: completed movement into or out of a portfolio."""

    id: str
    portfolio: str
    kind: BillKind
    reference: str
    """Id of the transfer, deposit or withdrawal."""
    currency: str
    client_id: str = ""
    amount: Decimal
    received: Decimal
    fee: Decimal
    network: str
    tx_id: str
    source: str
    """Account or portfolio; 0 when it is outside."""
    target: str
    source_type: str
    target_type: str
    status: BillStatus
    created: int

    def record(self) -> BillRecord:
        """Build the row that the bill list returns."""
        return BillRecord(
            id=int(self.id),
            currency=self.currency,
            client_order_id=self.client_id,
            amount=self.amount,
            amount_received=self.received,
            network_fee=self.fee,
            network=self.network,
            tx_id=self.tx_id,
            from_trade_account_id=int(self.source),
            to_trade_account_id=int(self.target),
            from_account_type=self.source_type,
            to_account_type=self.target_type,
            status=self.status.value,
            type=self.kind.value,
            created_at=self.created,
        )


class TransferTable(MovementTable[Transfer]):
    """Transfers, and the locks and unlocks of the custody account."""

    def end(self, transfer: Transfer, status: TransferStatus, reason: str = "") -> None:
        """End a pending transfer with a status."""
        transfer.status, transfer.reason = status, reason
        self.running.pop(transfer.id, None)

    def sum_drawn(self, pool: Pool, now_ms: int) -> Decimal:
        """Sum the amounts that rapid transfers took from a pool and that are not paid back yet."""
        return sum(
            (
                transfer.amount
                for transfer in self.by_id.values()
                if transfer.pool == pool and transfer.refills > now_ms
            ),
            ZERO,
        )
