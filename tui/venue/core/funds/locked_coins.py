"""Coins moved by locks from custody to exchange sub-accounts; unlocks move at most this amount."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO, plain
from tui.interface.families.transfers import TransferStatus
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import FundAccount
from tui.venue.core.state.funds.transfers import Transfer, TransferKind


def check_locked(state: State, account: FundAccount, coin: str, amount: Decimal) -> None:
    """Check that an unlock moves no more coins than are locked, pending unlocks subtracted.

    Raises:
        CheckFailed: 404904.
    """
    leaving = [action.amount for action in state.transfers.running.values() if _is_unlock(action, account, coin)]
    left = _sum_locked(state, account).get(coin, ZERO) - sum(leaving, ZERO)
    if amount > left:
        raise CheckFailed(404904, f"amount {plain(amount)} {coin} is above the locked amount, {plain(left)}")


def _is_unlock(action: Transfer, account: FundAccount, coin: str) -> bool:
    return action.kind is TransferKind.UNLOCK and (action.source, action.currency) == (account.side, coin)


def _sum_locked(state: State, account: FundAccount) -> dict[str, Decimal]:
    """Return a sub-account's locked coins by currency; for a state of an older version, sum its locks and unlocks."""
    if account.locked is not None:
        return dict(account.locked)
    counted: dict[str, Decimal] = {}
    for action in state.transfers.by_id.values():
        if action.status is TransferStatus.DONE:
            counted[action.currency] = counted.get(action.currency, ZERO) + _change(action, account)
    return counted


def _change(action: Transfer, account: FundAccount) -> Decimal:
    """Return the change of a sub-account's locked coins by one lock or unlock."""
    if action.kind is TransferKind.LOCK and action.target == account.side:
        return action.amount
    return -action.amount if action.kind is TransferKind.UNLOCK and action.source == account.side else ZERO


def count(state: State, action: Transfer) -> None:
    """Update the locked coins for a lock or unlock that is about to complete; other transfers are ignored."""
    owner = {TransferKind.LOCK: action.target.owner, TransferKind.UNLOCK: action.source.owner}.get(action.kind)
    if owner is None:
        return
    account = state.fund_accounts[owner]
    counted = _sum_locked(state, account)
    counted[action.currency] = max(ZERO, counted.get(action.currency, ZERO) + _change(action, account))
    state.fund_accounts[owner] = msgspec.structs.replace(account, locked=counted)
    state.changes.dirty("fund_account", owner)
