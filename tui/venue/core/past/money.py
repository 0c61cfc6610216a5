"""Invented transfers, deposits and withdrawals of the 90 days before the first start.

The balances of the first start are their result, so none of them is booked again; the invented statement reckons with them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from tui.interface.families.accounts import BillKind
from tui.interface.families.deposits import DepositStatus, WithdrawalStatus
from tui.interface.families.transfers import TransferStatus
from tui.venue.core.funds import bills
from tui.venue.core.funds.addresses import address_book, deposit_address
from tui.venue.core.market.symbols import SHIPPED
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.deposits import Deposit, Withdrawal
from tui.venue.core.state.funds.fund_accounts import Side
from tui.venue.core.state.funds.transfers import Transfer, TransferKind

DAY_MS = 86_400_000
MINUTE_MS = 60_000


class _Move(NamedTuple):
    """Transfer, lock or unlock; source and target are venues of the main portfolio, or accounts by venue and label."""

    days: int
    """Days before the first start."""
    kind: TransferKind
    source: str
    target: str
    currency: str
    amount: str
    network: str = ""
    fee: str = "0"


class _Crossing(NamedTuple):
    """Deposit to, or withdrawal from, an account."""

    days: int
    where: str
    currency: str
    amount: str
    network: str
    fee: str = "0"


_MOVES = (
    _Move(78, TransferKind.TRANSFER, "FUNDING", "BINANCE", "USDT", "20000", "TRC20", "1"),
    _Move(61, TransferKind.LOCK, "CUSTODY", "dma BINANCE", "USDT", "2500"),
    _Move(44, TransferKind.TRANSFER, "BINANCE", "OKX", "USDT", "7500", "TRC20"),
    _Move(23, TransferKind.UNLOCK, "dma BINANCE", "CUSTODY", "USDT", "500"),
    _Move(9, TransferKind.TRANSFER, "FUNDING", "OKX", "BTC", "0.25", "BTC", "0.0001"),
    _Move(3, TransferKind.TRANSFER, "OKX", "BINANCE", "USDT", "1200", "TRC20"),
)
_DEPOSITS = (
    _Crossing(83, "FUNDING", "USDT", "30000", "TRC20"),
    _Crossing(37, "BINANCE", "USDT", "5000", "ERC20"),
)
_WITHDRAWALS = (
    _Crossing(52, "BINANCE", "USDT", "900", "TRC20", "1"),
    _Crossing(15, "FUNDING", "BTC", "0.02", "BTC", "0.0001"),
)


class BalanceChange(NamedTuple):
    """Money that reaches the main portfolio (positive) or leaves it, at a time in ms."""

    at: int
    venue: str
    coin: str
    amount: Decimal


def plan_movements(first_ms: int) -> Iterator[BalanceChange]:
    """Yield the main portfolio's balance changes by invented transfers, deposits and withdrawals before `first_ms`."""
    venues = {pair.exchange for pair in SHIPPED.values()}
    sides = [
        *((move.days, move.source, move.currency, -Decimal(move.amount)) for move in _MOVES),
        *((move.days, move.target, move.currency, Decimal(move.amount) - Decimal(move.fee)) for move in _MOVES),
        *((crossing.days, crossing.where, crossing.currency, Decimal(crossing.amount)) for crossing in _DEPOSITS),
        *((crossing.days, crossing.where, crossing.currency, -Decimal(crossing.amount)) for crossing in _WITHDRAWALS),
    ]
    for days, where, coin, amount in sides:
        if where in venues:
            yield BalanceChange(first_ms - days * DAY_MS, where, coin, amount)


def add_movements(state: State) -> None:
    """Add the invented money movements to a new venue, each with its bill."""
    start = state.now
    steps: list[tuple[int, Callable[[], None]]] = [(move.days, partial(_add_move, state, move)) for move in _MOVES]
    steps += [(crossing.days, partial(_add_deposit, state, crossing)) for crossing in _DEPOSITS]
    steps += [(crossing.days, partial(_add_withdrawal, state, crossing)) for crossing in _WITHDRAWALS]
    for days, add in sorted(steps, key=lambda step: -step[0]):
        state.now = start - days * DAY_MS
        add()
    state.now = start


def _side(state: State, where: str) -> Side:
    for account in state.fund_accounts.values():
        if where == (f"dma {account.venue}" if account.is_dma else account.venue):
            return account.side
    return Side(state.main_portfolio.id, where)


def _tx_id(text: str) -> str:
    return hashlib.sha256(f"past {text}".encode()).hexdigest()


def _add_move(state: State, move: _Move) -> None:
    source, target = _side(state, move.source), _side(state, move.target)
    transfer = Transfer(
        id=state.next_id("transfer"),
        kind=move.kind,
        source=source,
        target=target,
        source_type=source.venue if source.owner in state.portfolios else "",
        target_type=target.venue if target.owner in state.portfolios else "",
        currency=move.currency,
        amount=Decimal(move.amount),
        network=move.network,
        fee=Decimal(move.fee),
        created=state.now,
        due=state.now + MINUTE_MS,
        status=TransferStatus.DONE,
    )
    transfer.tx_id = _tx_id(transfer.id) if move.network else ""
    state.transfers.add(transfer)
    state.changes.dirty("transfer", transfer.id)
    if move.kind is TransferKind.TRANSFER:
        bills.bill_transfer(state, transfer)


def _add_deposit(state: State, crossing: _Crossing) -> None:
    target = _side(state, crossing.where)
    deposit = Deposit(
        id=state.next_id("deposit"),
        target=target,
        currency=crossing.currency,
        amount=Decimal(crossing.amount),
        network=crossing.network,
        address=deposit_address(target.owner, crossing.currency, crossing.network),
        created=state.now,
        due=state.now + MINUTE_MS,
        status=DepositStatus.DONE,
    )
    deposit.tx_id = _tx_id(deposit.id)
    state.deposits.add(deposit)
    state.changes.dirty("deposit", deposit.id)
    if target.owner in state.portfolios:
        bills.bill_crossing(state, deposit, BillKind.DEPOSIT)


def _add_withdrawal(state: State, crossing: _Crossing) -> None:
    source = _side(state, crossing.where)
    entry = next(row for row in address_book(0) if (row.currency, row.network) == (crossing.currency, crossing.network))
    withdrawal = Withdrawal(
        id=state.next_id("withdrawal"),
        source=source,
        source_type=source.venue if source.owner in state.portfolios else "",
        currency=crossing.currency,
        amount=Decimal(crossing.amount),
        fee=Decimal(crossing.fee),
        network=crossing.network,
        address=entry.address,
        label=entry.address_tag,
        created=state.now,
        due=state.now + MINUTE_MS,
        status=WithdrawalStatus.EXECUTED,
    )
    withdrawal.tx_id, withdrawal.tx_id2 = _tx_id(withdrawal.id), _tx_id(f"out {withdrawal.id}")
    state.withdrawals.add(withdrawal)
    state.changes.dirty("withdrawal", withdrawal.id)
    if source.owner in state.portfolios:
        bills.bill_crossing(state, withdrawal, BillKind.WITHDRAWAL)
