"""Locks and unlocks: movements between the custody account and exchange sub-accounts."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import plain
from tui.interface.families.accounts import CustodyAccepted, LockCustody, UnlockCustody
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Handlers
from tui.venue.core.funds import sides
from tui.venue.core.funds.locked_coins import check_locked
from tui.venue.core.funds.transfer_checks import check_currency
from tui.venue.core.funds.transfers import network_delay_ms, register
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.transfers import Transfer, TransferKind


def move(state: State, command: LockCustody | UnlockCustody) -> CustodyAccepted:
    """Accept a lock or unlock; its amount is frozen until the movement has ended.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    currency = check_currency("currency", command.currency)
    account = state.fund_accounts.get(command.account_id)
    if account is None or not account.is_dma:
        raise CheckFailed(404903, f"accountId {command.account_id[:40]!r} is not a sub-account at an exchange")
    custody = next(entry for entry in state.fund_accounts.values() if not entry.is_dma and not entry.is_funding)
    locks = isinstance(command, LockCustody)
    source, target = (custody.side, account.side) if locks else (account.side, custody.side)
    amount = Decimal(command.amount)
    if amount <= 0:
        raise CheckFailed(404906, f"amount {plain(amount)} is not accepted; it must be above 0")
    free = sides.compute_spendable(state, source, currency.name)
    if amount > free:
        raise CheckFailed(404904, f"amount {plain(amount)} {currency.name} is above the free amount, {plain(free)}")
    if not locks and state.switches["unlock_bound"] == "locked":
        check_locked(state, account, currency.name, amount)
    action = Transfer(
        id=state.next_id("transfer"),
        kind=TransferKind.LOCK if locks else TransferKind.UNLOCK,
        source=source,
        target=target,
        currency=currency.name,
        amount=amount,
        created=state.now,
        due=state.now + network_delay_ms(state),
    )
    register(state, action)
    return CustodyAccepted(action_id=int(action.id))


HANDLERS: Handlers = {LockCustody: move, UnlockCustody: move}
