"""What the forms of the funds share: choices of places and networks, figures, and why a network cannot be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tui.interface.families.accounts import NetworkRecord
from tui.workstation.model import number_format
from tui.workstation.model.mirror import Mirror
from tui.workstation.widgets.forms.view import Choice
from tui.workstation.widgets.lists import fund_accounts
from tui.workstation.widgets.lists.fund_accounts import FundAccountRef


def place_choices(found: Sequence[FundAccountRef]) -> tuple[Choice, ...]:
    """Places to choose from."""
    return tuple(Choice(one.key, one.name) for one in found)


def place_key(place: FundAccountRef) -> str:
    """What tells a place from others in a choice."""
    return place.key


def network_choices(networks: Sequence[NetworkRecord]) -> tuple[Choice, ...]:
    """Networks to choose from."""
    return tuple(Choice(one.network, one.network) for one in networks)


def network_name(network: NetworkRecord) -> str:
    """What tells a network from others in a choice."""
    return network.network


def no_networks(mirror: Mirror, coin: str) -> str:
    """Why there is no network to choose."""
    words = fund_accounts.describe_missing_answer(mirror, fund_accounts.currency_query(coin))
    return f"the list of networks {words or 'names none for it'}"


def format_amount(value: Decimal | None) -> str:
    """An amount in a sentence."""
    return number_format.decimal_figure(value)
