"""Withdrawals: amount frozen, then approved and sent out, or returned to the account."""

from __future__ import annotations

import hashlib
from decimal import Decimal

from tui.interface.decimals import plain
from tui.interface.families.accounts import BillKind
from tui.interface.families.deposits import (
    AddressRecord,
    ApplyWithdrawal,
    WithdrawalAccepted,
    WithdrawalName,
    WithdrawalStatus,
)
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Handlers
from tui.venue.core.funds import bills, sides
from tui.venue.core.funds.addresses import address_book
from tui.venue.core.funds.networks import Currency, Network
from tui.venue.core.funds.transfer_checks import check_amount, check_client_id, check_currency
from tui.venue.core.funds.transfers import network_delay_ms
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.deposits import Withdrawal
from tui.venue.core.state.funds.fund_accounts import Side
from tui.venue.core.state.ledger import NETWORK_ACCOUNT, PostingLeg

APPROVED_AFTER_MS = 5000
"""Time from the request to the approval, ms."""
REJECTED = "rejected by the account manager"


def apply_withdrawal(state: State, command: ApplyWithdrawal) -> WithdrawalAccepted:
    """Accept a withdrawal; its amount is frozen until the withdrawal has ended.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    source, network, entry, amount = _check(state, command)
    for old in state.withdrawals.forget_old(state.now):
        state.changes.dirty("withdrawal", old)
    withdrawal = Withdrawal(
        id=state.next_id("withdrawal"),
        source=source,
        source_type=command.from_account_type,
        currency=command.currency,
        amount=amount,
        fee=network.fee,
        network=network.name,
        address=entry.address,
        label=entry.address_tag,
        memo=command.memo,
        client_id=command.client_order_id,
        created=state.now,
        due=state.now + APPROVED_AFTER_MS,
    )
    state.withdrawals.add(withdrawal)
    state.freeze(source, withdrawal.currency, amount)
    state.changes.dirty("withdrawal", withdrawal.id)
    return WithdrawalAccepted(id=int(withdrawal.id))


def _check(state: State, command: ApplyWithdrawal) -> tuple[Side, Network, AddressRecord, Decimal]:
    """Check account, access of the API key, account type, amount, network, address and id, in this order."""
    currency = check_currency(WithdrawalName.CURRENCY, command.currency)
    check_client_id(command.client_order_id)
    sides.check_known(state, WithdrawalName.ACCOUNT, command.account_id)
    sides.check_reach(state, command.portfolio, command.account_id)
    source = sides.side_of(state, WithdrawalName.FROM_TYPE, command.account_id, command.from_account_type)
    network = currency.network(command.network)
    amount = Decimal(command.amount)
    least = network.min_withdraw if network is not None else min(known.min_withdraw for known in currency.networks)
    check_amount(f"{WithdrawalName.MIN_WITHDRAW} {plain(least)}", currency, network, amount, least)
    free = sides.compute_spendable(state, source, currency.name)
    if amount > free:
        text = f"{WithdrawalName.AMOUNT} {plain(amount)} {currency.name} is above the available {plain(free)}"
        raise CheckFailed(404904, text)
    if network is None:
        raise _no_network(currency, command.network)
    entry = _check_address(command, network)
    if command.client_order_id and command.client_order_id in state.withdrawals.by_client:
        text = f"{WithdrawalName.CLIENT_ORDER_ID} {command.client_order_id!r} was used by another withdrawal"
        raise CheckFailed(404907, text)
    return source, network, entry, amount


def _no_network(currency: Currency, name: str) -> CheckFailed:
    names = ", ".join(network.name for network in currency.networks)
    return CheckFailed(
        404905, f"{WithdrawalName.NETWORK} {name[:40]!r} is not accepted for {currency.name}; it takes {names}"
    )


def _check_address(command: ApplyWithdrawal, network: Network) -> AddressRecord:
    """Find the address of a withdrawal request in the address book, and check the memo where the network needs one.

    Raises:
        CheckFailed: 404908.
    """
    entry = next(
        (
            row
            for row in address_book(0)
            if (row.currency, row.network, row.address) == (command.currency, network.name, command.address)
        ),
        None,
    )
    if entry is None:
        raise CheckFailed(404908, f"{WithdrawalName.ADDRESS} {command.address[:80]!r} is not in the address book")
    if network.needs_memo and command.memo != entry.memo:
        text = f"{WithdrawalName.MEMO} {command.memo[:40]!r} is not the memo of the address; {network.name} requires it"
        raise CheckFailed(404908, text)
    return entry


def step(state: State, withdrawal: Withdrawal) -> None:
    """Run the next step of a withdrawal: approve or reject it; then send it, or fail it when the balance is too low."""
    if withdrawal.status is WithdrawalStatus.WAITING:
        if state.switches["withdrawals"] == "rejected":
            release(state, withdrawal, WithdrawalStatus.REJECTED, REJECTED)
            return
        withdrawal.status = WithdrawalStatus.APPROVED
        withdrawal.due = max(withdrawal.created + network_delay_ms(state), state.now)
        withdrawal.tx_id = _tx_id(withdrawal, "custodian")
        state.changes.dirty("withdrawal", withdrawal.id)
        return
    free = sides.compute_spendable(state, withdrawal.source, withdrawal.currency, held=withdrawal.amount)
    if withdrawal.amount > free:
        what = f"{plain(withdrawal.amount)} {withdrawal.currency}"
        release(state, withdrawal, WithdrawalStatus.FAILED, f"{what} can no longer be taken from the account")
        return
    _send(state, withdrawal)


def _send(state: State, withdrawal: Withdrawal) -> None:
    source, currency = withdrawal.source, withdrawal.currency
    state.freeze(source, currency, -withdrawal.amount)
    legs = [
        PostingLeg(*source, currency, -withdrawal.amount),
        PostingLeg(NETWORK_ACCOUNT, source.venue, currency, withdrawal.amount),
    ]
    state.post("withdrawal", withdrawal.id, legs)
    withdrawal.tx_id2 = _tx_id(withdrawal, "outside")
    _end(state, withdrawal, WithdrawalStatus.EXECUTED)
    if source.owner in state.portfolios:
        bills.bill_crossing(state, withdrawal, BillKind.WITHDRAWAL)


def release(state: State, withdrawal: Withdrawal, status: WithdrawalStatus, info: str) -> None:
    """End a pending withdrawal and release its frozen amount."""
    state.freeze(withdrawal.source, withdrawal.currency, -withdrawal.amount)
    withdrawal.info = info
    _end(state, withdrawal, status)


def _end(state: State, withdrawal: Withdrawal, status: WithdrawalStatus) -> None:
    withdrawal.status = status
    state.withdrawals.running.pop(withdrawal.id, None)
    state.changes.dirty("withdrawal", withdrawal.id)


def _tx_id(withdrawal: Withdrawal, way: str) -> str:
    return hashlib.sha256(f"{withdrawal.id} {way}".encode()).hexdigest()


HANDLERS: Handlers = {ApplyWithdrawal: apply_withdrawal}
