"""Validation of a transfer request, in the documented order of checks."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import plain
from tui.interface.families.transfers import MAX_CLIENT_ID, ApplyTransfer, TransferName
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.funds import sides
from tui.venue.core.funds.networks import CURRENCIES, Currency, Network
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import Side


class Route(NamedTuple):
    """Source, target and amount of a transfer that passed all checks."""

    source: Side
    target: Side
    network: Network | None
    """None when it stays on one venue."""
    amount: Decimal
    funded: bool
    """Whether one side is the Funding Account."""


def check_transfer(state: State, command: ApplyTransfer) -> Route:
    """Check a transfer request and return its route.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    currency = check_currency(TransferName.CURRENCY, command.currency)
    check_client_id(command.client_order_id)
    source, target = _sides(state, command)
    network = currency.network(command.network)
    amount = Decimal(command.amount)
    least = currency.least if network is None else network.min_transfer
    check_amount(f"{TransferName.MIN_TRANSFER} {plain(least)}", currency, network, amount, least)
    free = sides.compute_spendable(state, source, currency.name)
    if amount > free:
        raise CheckFailed(
            404904,
            f"{TransferName.AMOUNT} {plain(amount)} {currency.name} is above the available {plain(free)}",
        )
    if source.venue == target.venue:
        network = None
    elif network is None:
        names = ", ".join(entry.name for entry in currency.networks)
        raise CheckFailed(
            404905,
            f"{TransferName.NETWORK} {command.network[:40]!r} is not accepted for {currency.name}; it takes {names}",
        )
    if command.client_order_id in state.transfers.by_client:
        raise CheckFailed(
            404907, f"{TransferName.CLIENT_ORDER_ID} {command.client_order_id!r} was used by another transfer"
        )
    accounts = [state.fund_accounts.get(side.owner) for side in (source, target)]
    return Route(
        source, target, network, amount, any(account is not None and account.is_funding for account in accounts)
    )


def _sides(state: State, command: ApplyTransfer) -> tuple[Side, Side]:
    """Check and return source and target: existing, accessible to the API key, of a valid type, and different."""
    sent, to = command.from_trade_account_id, command.to_trade_account_id
    sides.check_known(state, TransferName.FROM_ACCOUNT, sent)
    sides.check_known(state, TransferName.TO_ACCOUNT, to)
    sides.check_reach(state, command.portfolio, sent, to)
    source = sides.side_of(state, TransferName.FROM_TYPE, sent, command.from_account_type)
    target = sides.side_of(state, TransferName.TO_TYPE, to, command.to_account_type)
    if source == target:
        raise CheckFailed(404903, f"{TransferName.TO_ACCOUNT} {to} is the account that the money comes from")
    return source, target


def check_currency(field: str, name: str) -> Currency:
    """Find a currency of the venue by its name.

    Raises:
        CheckFailed: 400000.
    """
    currency = CURRENCIES.get(name)
    if currency is None:
        raise CheckFailed(400000, f"{field} {name[:40]!r} is not accepted; it takes {', '.join(CURRENCIES)}")
    return currency


def check_client_id(text: str) -> None:
    """Check the length of the optional clientOrderId of a transfer or withdrawal.

    Raises:
        CheckFailed: 400000.
    """
    if len(text) > MAX_CLIENT_ID:
        raise CheckFailed(
            400000,
            f"{TransferName.CLIENT_ORDER_ID} has {len(text)} characters; at most {MAX_CLIENT_ID} are accepted",
        )


def check_amount(bound: str, currency: Currency, network: Network | None, amount: Decimal, least: Decimal) -> None:
    """Check that an amount is above 0, at least the minimum, and not too precise; errors call the minimum `bound`.

    Raises:
        CheckFailed: 404906.
    """
    if amount <= 0 or amount < least:
        raise CheckFailed(404906, f"{TransferName.AMOUNT} {plain(amount)} is below {bound} {currency.name}")
    places = currency.precision if network is None else network.precision
    if amount != amount.quantize(Decimal(1).scaleb(-places)):
        raise CheckFailed(404906, f"{TransferName.AMOUNT} {plain(amount)} has more than {places} decimals")
