"""Parts shared by the fund forms: choices of accounts and networks, amounts, and messages about missing networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from tui.interface.families.accounts import NetworkRecord
from tui.workstation.model import number_format
from tui.workstation.model.mirror import Mirror
from tui.workstation.widgets.forms.view import Choice, choose
from tui.workstation.widgets.lists import fund_accounts
from tui.workstation.widgets.lists.fund_accounts import FundAccountRef


def account_choices(accounts: Sequence[FundAccountRef]) -> tuple[Choice, ...]:
    """Return the accounts as choices of a form field."""
    return tuple(Choice(account.key, account.name) for account in accounts)


def account_key(account: FundAccountRef) -> str:
    """Return the value that stands for an account in a choice."""
    return account.key


def network_choices(networks: Sequence[NetworkRecord]) -> tuple[Choice, ...]:
    """Return the networks as choices of a form field."""
    return tuple(Choice(network.network, network.network) for network in networks)


def choose_network(values: Mapping[str, str], networks: Sequence[NetworkRecord]) -> NetworkRecord | None:
    """Return the network that is chosen in a form; None: there is none to choose."""
    return choose(values, "network", networks, lambda network: network.network)


def no_networks(mirror: Mirror, coin: str) -> str:
    """Describe why there is no network to choose."""
    reason = fund_accounts.describe_missing_answer(mirror, fund_accounts.currency_query(coin))
    return f"the list of networks {reason or f'has none for {coin}'}"


def format_amount(value: Decimal | None) -> str:
    """Format an amount for use in a sentence."""
    return number_format.decimal_figure(value)
