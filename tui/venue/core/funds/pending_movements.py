"""Pending transfers, deposits and withdrawals: due times, next steps, and failing those of a liquidated account."""

from __future__ import annotations

from tui.interface.families.deposits import WithdrawalStatus
from tui.venue.core.commands import Handlers
from tui.venue.core.funds import custody, deposits, transfers, withdrawals
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import Side

HANDLERS: Handlers = {**transfers.HANDLERS, **withdrawals.HANDLERS, **custody.HANDLERS, **deposits.HANDLERS}
"""Handlers of the commands about money outside of trading."""


def next_due(state: State) -> int | None:
    """Return when the next step of a pending movement is due, ms."""
    dues = [table.next_due() for table in (state.transfers, state.withdrawals, state.deposits)]
    return min((due for due in dues if due is not None), default=None)


def run_due(state: State) -> None:
    """Run the steps of pending movements that are due."""
    for transfer in state.transfers.due(state.now):
        transfers.process(state, transfer)
    for withdrawal in state.withdrawals.due(state.now):
        withdrawals.step(state, withdrawal)
    for deposit in state.deposits.due(state.now):
        deposits.step(state, deposit)


def fail_leaving(state: State, side: Side, reason: str) -> None:
    """Fail every pending transfer and withdrawal out of an account, and release the frozen amounts."""
    for transfer in [entry for entry in state.transfers.running.values() if entry.source == side]:
        transfers.fail(state, transfer, reason)
    for withdrawal in [entry for entry in state.withdrawals.running.values() if entry.source == side]:
        withdrawals.release(state, withdrawal, WithdrawalStatus.FAILED, reason)
