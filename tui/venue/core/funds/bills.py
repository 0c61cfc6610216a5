"""Bills: one row for each portfolio that money came into or left."""

from __future__ import annotations

from tui.interface.families.accounts import BillKind, BillStatus
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.transfers import KEPT_MS, Bill, Transfer


def bill_transfer(state: State, transfer: Transfer) -> None:
    """Write the bills of a transfer that is done."""
    for portfolio in dict.fromkeys(side.owner for side in (transfer.source, transfer.target)):
        if portfolio in state.portfolios:
            add(
                state,
                Bill(
                    id=state.next_id("bill"),
                    portfolio=portfolio,
                    kind=BillKind.TRANSFER,
                    reference=transfer.id,
                    currency=transfer.currency,
                    client_id=transfer.client_id,
                    amount=transfer.amount,
                    received=transfer.received,
                    fee=transfer.fee,
                    network=transfer.network,
                    tx_id=transfer.tx_id,
                    source=transfer.source.owner,
                    target=transfer.target.owner,
                    source_type=transfer.source_type,
                    target_type=transfer.target_type,
                    status=BillStatus.DONE,
                    created=state.now,
                ),
            )


def add(state: State, bill: Bill) -> None:
    """Keep a bill, and forget those that are too old."""
    for old in [one.id for one in state.bills.values() if one.created < state.now - KEPT_MS]:
        del state.bills[old]
        state.changes.dirty("bill", old)
    state.bills[bill.id] = bill
    state.changes.dirty("bill", bill.id)
