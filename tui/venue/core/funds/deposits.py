"""Deposits: addresses, the venue they are credited on, and their arrival."""

from __future__ import annotations

import hashlib

from tui.interface.decimals import plain
from tui.interface.families.accounts import AccountVenue, BillKind
from tui.interface.families.deposits import PORTFOLIO_TYPE, DepositAddress, DepositStatus, DepositVenue, SetDepositVenue
from tui.venue.core.accounts.lending import repay_from_incoming
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import ArriveDeposit, Handlers
from tui.venue.core.funds import bills
from tui.venue.core.funds.accounts import is_main, opening_ms
from tui.venue.core.funds.addresses import deposit_address, memo_of
from tui.venue.core.funds.networks import Network
from tui.venue.core.funds.transfer_checks import check_currency
from tui.venue.core.funds.transfers import network_delay_ms
from tui.venue.core.market.symbols import VENUES
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.deposits import Deposit
from tui.venue.core.state.funds.fund_accounts import Side
from tui.venue.core.state.ledger import NETWORK_ACCOUNT, PostingLeg
from tui.venue.core.trading import field_checks

_VENUE_TYPES = ("BINANCE", "OKX")
"""Account types by which an older page requests the address of a venue."""
_PORTFOLIO_TYPES = {
    "both": (PORTFOLIO_TYPE, *_VENUE_TYPES),
    "portfolio": (PORTFOLIO_TYPE,),
    "venue": _VENUE_TYPES,
}
"""Account types of a portfolio's address, by value of the switch `deposit_account_type`."""


def network_of(currency: str, name: str) -> Network:
    """Find a network of a currency by its name.

    Raises:
        CheckFailed: 400000 for no such currency, 404905 for no such network.
    """
    known = check_currency("currency", currency)
    network = known.network(name)
    if network is None:
        names = ", ".join(entry.name for entry in known.networks)
        raise CheckFailed(404905, f"network {name[:40]!r} is not accepted for {currency}; it takes {names}")
    return network


def venue_of(state: State, portfolio: str, currency: str, network: str) -> str:
    """Return the venue on which a portfolio's deposits of a coin by a network are credited."""
    return state.deposit_venues.get((portfolio, currency, network), VENUES[0])


def set_venue(state: State, command: SetDepositVenue) -> DepositVenue:
    """Set the venue on which deposits of a currency and network are credited.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    network_of(command.currency, command.network)
    _store_venue(state, command.portfolio, command.currency, command.network, command.exchange_type)
    return DepositVenue(currency=command.currency, network=command.network, exchange_type=command.exchange_type)


def _store_venue(state: State, portfolio: str, currency: str, network: str, venue: str) -> None:
    state.deposit_venues[(portfolio, currency, network)] = venue
    state.changes.dirty("deposit_venue", f"{portfolio}|{currency}|{network}")


def build_address(state: State, portfolio: str, currency: str, network_name: str, account_type: str) -> DepositAddress:
    """Build a deposit address; an old-style account type that contains a venue also sets the venue of later deposits.

    Raises:
        CheckFailed: 404905 for the network, 404909 for the account type, 404902 when the key does not reach it.
    """
    network = network_of(currency, network_name)
    accepted = state.switches["deposit_account_type"]
    is_portfolio = account_type in _PORTFOLIO_TYPES[accepted]
    if account_type in ("", AccountVenue.FUNDING):
        if not is_main(state, portfolio):
            raise CheckFailed(404902, "this key has no access to the Funding Account")
        owner = next(account.id for account in state.fund_accounts.values() if account.is_funding)
    elif is_portfolio:
        if not portfolio:
            raise CheckFailed(404902, "a sub-user has no portfolio")
        owner = portfolio
    else:
        types = ", ".join((AccountVenue.FUNDING, *_PORTFOLIO_TYPES[accepted]))
        raise CheckFailed(404909, f"accountType {account_type[:40]!r} is not accepted; it takes {types}")
    if is_portfolio and account_type in _VENUE_TYPES:
        _store_venue(state, portfolio, currency, network_name, account_type)
    text = deposit_address(owner, currency, network_name)
    return DepositAddress(
        id=int(hashlib.sha256(text.encode()).hexdigest(), 16) % 10**15 + 10**15,
        currency=currency,
        network=network_name,
        address=text,
        memo=memo_of(owner, network),
        created_at=opening_ms(state),
        minimum=plain(network.min_deposit),
        account_type=account_type or AccountVenue.FUNDING,
    )


def arrive(state: State, command: ArriveDeposit) -> None:
    """Create a pending deposit, as if it came from outside; it is credited or rejected later.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    currency = check_currency("currency", command.currency)
    network = network_of(command.currency, command.network or currency.networks[0].name)
    amount = field_checks.decimal_of("amount", command.amount, 400000)
    target = _target(state, command, network)
    for old in state.deposits.forget_old(state.now):
        state.changes.dirty("deposit", old)
    deposit = Deposit(
        id=state.next_id("deposit"),
        target=target,
        currency=currency.name,
        amount=amount,
        network=network.name,
        address=deposit_address(target.owner, currency.name, network.name),
        created=state.now,
        due=state.now + network_delay_ms(state),
    )
    deposit.tx_id = hashlib.sha256(f"deposit {deposit.id}".encode()).hexdigest()
    state.deposits.add(deposit)
    state.changes.dirty("deposit", deposit.id)


def _target(state: State, command: ArriveDeposit, network: Network) -> Side:
    word = command.account or AccountVenue.FUNDING
    if word == AccountVenue.FUNDING:
        return next(account.side for account in state.fund_accounts.values() if account.is_funding)
    owner = next((row.id for row in state.portfolios.values() if word in (row.id, row.level, row.name)), "")
    if not owner:
        raise CheckFailed(400000, f"account {word[:40]!r} is not known; it takes FUNDING, main, sub or a portfolio id")
    return Side(owner, venue_of(state, owner, command.currency, network.name))


def step(state: State, deposit: Deposit) -> None:
    """Credit a pending deposit, or reject it when it is below the minimum amount."""
    state.deposits.running.pop(deposit.id, None)
    state.changes.dirty("deposit", deposit.id)
    least = network_of(deposit.currency, deposit.network).min_deposit
    if deposit.amount < least:
        deposit.status = DepositStatus.FAILED
        deposit.info = f"below the minimum deposit of {plain(least)} {deposit.currency}"
        return
    deposit.status = DepositStatus.DONE
    legs = [
        PostingLeg(NETWORK_ACCOUNT, deposit.target.venue, deposit.currency, -deposit.amount),
        PostingLeg(*deposit.target, deposit.currency, deposit.amount),
    ]
    state.post("deposit", deposit.id, legs)
    repay_from_incoming(state, *deposit.target, deposit.currency, deposit.amount, deposit.id)
    state.mark_stale(deposit.target)
    if deposit.target.owner in state.portfolios:
        bills.bill_crossing(state, deposit, BillKind.DEPOSIT)


HANDLERS: Handlers = {SetDepositVenue: set_venue, ArriveDeposit: arrive}
