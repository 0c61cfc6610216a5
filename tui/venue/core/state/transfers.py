"""Transfers between sides of a user's money, and the bills of what came and went."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO
from tui.interface.families.accounts import BillKind, BillRecord, BillStatus
from tui.interface.families.transfers import Pool, TransferRecord, TransferStatus
from tui.venue.core.state.fund_accounts import Side

KEPT_MS = 91 * 86_400_000
"""How long a transfer and a bill can be asked for."""


class Transfer(msgspec.Struct, kw_only=True):
    """One transfer; amounts in the currency, times in ms."""

    id: str
    source: Side
    target: Side
    source_type: str = ""
    """As it was named in the request."""
    target_type: str = ""
    currency: str
    amount: Decimal
    network: str = ""
    fee: Decimal = ZERO
    """Deducted from what arrives."""
    pool: str = ""
    """The pool that a rapid transfer drew on."""
    refills: int = 0
    """When the pool has the amount again."""
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
        """What has arrived."""
        return self.amount - self.fee if self.status is TransferStatus.DONE else ZERO

    def record(self) -> TransferRecord:
        """The row of lists and queries."""
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


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """What came into a portfolio or left it, once that had ended."""

    id: str
    portfolio: str
    kind: BillKind
    reference: str
    """The transfer, deposit or withdrawal."""
    currency: str
    client_id: str = ""
    amount: Decimal
    received: Decimal
    fee: Decimal
    network: str
    tx_id: str
    source: str
    """Account or portfolio; 0 where it is no one's."""
    target: str
    source_type: str
    target_type: str
    status: BillStatus
    created: int

    def record(self) -> BillRecord:
        """The row of the list."""
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


class TransferTable:
    """Every transfer of the last 91 days, oldest first."""

    def __init__(self) -> None:
        self.by_id: dict[str, Transfer] = {}
        self.by_client: dict[str, Transfer] = {}
        self.running: dict[str, Transfer] = {}

    def add(self, transfer: Transfer) -> None:
        """Register a transfer."""
        self.by_id[transfer.id] = transfer
        if transfer.client_id:
            self.by_client[transfer.client_id] = transfer
        if transfer.running:
            self.running[transfer.id] = transfer

    def end(self, transfer: Transfer, status: TransferStatus, reason: str = "") -> None:
        """Give a running transfer its end."""
        transfer.status, transfer.reason = status, reason
        self.running.pop(transfer.id, None)

    def next_due(self) -> int | None:
        """When the next one is processed, ms."""
        return min((one.due for one in self.running.values()), default=None)

    def drawn(self, pool: Pool, now_ms: int) -> Decimal:
        """What rapid transfers drew on a pool and it has not got back yet."""
        return sum((one.amount for one in self.by_id.values() if one.pool == pool and one.refills > now_ms), ZERO)

    def forget_old(self, now_ms: int) -> list[str]:
        """Forget what ended too long ago; returns the ids."""
        old = [one for one in self.by_id.values() if not one.running and one.created < now_ms - KEPT_MS]
        for one in old:
            del self.by_id[one.id]
            if self.by_client.get(one.client_id) is one:
                del self.by_client[one.client_id]
        return [one.id for one in old]
