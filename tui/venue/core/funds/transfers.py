"""Transfers: accepted with their amount frozen, processed when due, and moved in full or not at all."""

from __future__ import annotations

import hashlib

from tui.interface.decimals import ZERO, plain
from tui.interface.families.transfers import ApplyTransfer, TransferAccepted, TransferStatus
from tui.venue.core.accounts.lending import repay_from_incoming
from tui.venue.core.commands import Handlers
from tui.venue.core.funds import bills, locked_coins, rapid_pools, sides
from tui.venue.core.funds.transfer_checks import Route, check_transfer
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.transfers import Transfer
from tui.venue.core.state.ledger import NETWORK_ACCOUNT, PostingLeg


def network_delay_ms(state: State) -> int:
    """Return the delay of a movement over a network, ms."""
    return int(state.switches["network_delay"]) * 1000


def apply_transfer(state: State, command: ApplyTransfer) -> TransferAccepted:
    """Accept a transfer and freeze its amount; it completes at once unless it has to use a network.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    route = check_transfer(state, command)
    transfer = _start_transfer(state, command, route)
    register(state, transfer)
    if transfer.pool or not transfer.network:
        process(state, transfer)
    return TransferAccepted(transfer_id=int(transfer.id))


def register(state: State, transfer: Transfer) -> None:
    """Register a transfer and freeze its amount."""
    for old in state.transfers.forget_old(state.now):
        state.changes.dirty("transfer", old)
    state.transfers.add(transfer)
    state.freeze(transfer.source, transfer.currency, transfer.amount)
    state.changes.dirty("transfer", transfer.id)


def _start_transfer(state: State, command: ApplyTransfer, route: Route) -> Transfer:
    pool, takes = None, network_delay_ms(state)
    if command.rapid_transfer == "true" and route.network is not None:
        pool = rapid_pools.choose_pool(state, route.source, route.target, command.currency, route.amount)
    by_network = route.network is not None and pool is None
    return Transfer(
        id=state.next_id("transfer"),
        source=route.source,
        target=route.target,
        source_type=command.from_account_type,
        target_type=command.to_account_type,
        currency=command.currency,
        amount=route.amount,
        network=route.network.name if route.network is not None else "",
        fee=route.network.fee if route.network is not None and route.funded else ZERO,
        pool=pool or "",
        refills=state.now + takes if pool is not None else 0,
        client_id=command.client_order_id,
        created=state.now,
        due=state.now + takes if by_network else state.now,
    )


def process(state: State, transfer: Transfer) -> None:
    """Complete a transfer that is due if its full amount can still leave the source; otherwise fail it."""
    free = sides.compute_spendable(state, transfer.source, transfer.currency, held=transfer.amount)
    if transfer.amount > free:
        fail(state, transfer, f"{plain(transfer.amount)} {transfer.currency} can no longer be taken from the account")
        return
    state.freeze(transfer.source, transfer.currency, -transfer.amount)
    legs = [
        PostingLeg(*transfer.source, transfer.currency, -transfer.amount),
        PostingLeg(*transfer.target, transfer.currency, transfer.amount - transfer.fee),
    ]
    if transfer.fee:
        legs.append(PostingLeg(NETWORK_ACCOUNT, transfer.target.venue, transfer.currency, transfer.fee))
    state.post("transfer", transfer.id, legs)
    repay_from_incoming(state, *transfer.target, transfer.currency, transfer.amount - transfer.fee, transfer.id)
    if transfer.network and not transfer.pool:
        transfer.tx_id = hashlib.sha256(transfer.id.encode()).hexdigest()
    state.mark_stale(transfer.target)
    locked_coins.count(state, transfer)
    state.transfers.end(transfer, TransferStatus.DONE)
    state.changes.dirty("transfer", transfer.id)
    bills.bill_transfer(state, transfer)


def fail(state: State, transfer: Transfer, reason: str) -> None:
    """Fail a pending transfer and release its frozen amount."""
    state.freeze(transfer.source, transfer.currency, -transfer.amount)
    state.transfers.end(transfer, TransferStatus.FAILED, reason)
    state.changes.dirty("transfer", transfer.id)


HANDLERS: Handlers = {ApplyTransfer: apply_transfer}
