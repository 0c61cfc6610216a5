"""Money under way: when its next step is due, the step, and its end where an account is liquidated."""

from __future__ import annotations

from tui.interface.families.deposits import WithdrawalStatus
from tui.venue.core.commands import Handlers
from tui.venue.core.funds import custody, deposits, transfers, withdrawals
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import Side

HANDLERS: Handlers = {**transfers.HANDLERS, **withdrawals.HANDLERS, **custody.HANDLERS, **deposits.HANDLERS}
"""Commands about money beside trading."""


def next_due(state: State) -> int | None:
    """When the next step is due, ms."""
    dues = [table.next_due() for table in (state.transfers, state.withdrawals, state.deposits)]
    return min((one for one in dues if one is not None), default=None)


def run_due(state: State) -> None:
    """Take the steps that are due."""
    for transfer in state.transfers.due(state.now):
        transfers.process(state, transfer)
    for withdrawal in state.withdrawals.due(state.now):
        withdrawals.step(state, withdrawal)
    for deposit in state.deposits.due(state.now):
        deposits.step(state, deposit)


def fail_leaving(state: State, side: Side, reason: str) -> None:
    """End everything under way that would leave a side."""
    for transfer in [one for one in state.transfers.running.values() if one.source == side]:
        transfers.fail(state, transfer, reason)
    for withdrawal in [one for one in state.withdrawals.running.values() if one.source == side]:
        withdrawals.give_back(state, withdrawal, WithdrawalStatus.FAILED, reason)
