"""Bills: one row for each portfolio that sent or received money."""

from __future__ import annotations

from tui.interface.decimals import ZERO
from tui.interface.families.accounts import BillKind, BillStatus
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.deposits import Deposit, Withdrawal
from tui.venue.core.state.funds.movements import KEPT_MS
from tui.venue.core.state.funds.transfers import Bill, Transfer

OUTSIDE = "0"
"""Account of a side that is outside of the venue."""


def bill_transfer(state: State, transfer: Transfer) -> None:
    """Add the bills of a completed transfer, one for each portfolio involved."""
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


def bill_crossing(state: State, crossing: Withdrawal | Deposit, kind: BillKind) -> None:
    """Add the bill of a portfolio's completed deposit or withdrawal."""
    is_deposit = isinstance(crossing, Deposit)
    side = crossing.target if isinstance(crossing, Deposit) else crossing.source
    fee = ZERO if isinstance(crossing, Deposit) else crossing.fee
    add(
        state,
        Bill(
            id=state.next_id("bill"),
            portfolio=side.owner,
            kind=kind,
            reference=crossing.id,
            currency=crossing.currency,
            client_id=crossing.client_id,
            amount=crossing.amount,
            received=crossing.amount - fee,
            fee=fee,
            network=crossing.network,
            tx_id=crossing.tx_id,
            source=OUTSIDE if is_deposit else side.owner,
            target=side.owner if is_deposit else OUTSIDE,
            source_type="" if is_deposit else side.venue,
            target_type=side.venue if is_deposit else "",
            status=BillStatus.DONE,
            created=state.now,
        ),
    )


def add(state: State, bill: Bill) -> None:
    """Store a bill, and remove bills older than the retention time."""
    for old in [known.id for known in state.bills.values() if known.created < state.now - KEPT_MS]:
        del state.bills[old]
        state.changes.dirty("bill", old)
    state.bills[bill.id] = bill
    state.changes.dirty("bill", bill.id)
