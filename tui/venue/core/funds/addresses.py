"""Deposit addresses and the address book of withdrawals; all invented, so that nobody can send real money to them."""

from __future__ import annotations

import hashlib

from tui.interface.families.deposits import AddressRecord
from tui.venue.core.funds.networks import CURRENCIES, Network

_MEMO_DIGITS = 8


def deposit_address(owner: str, currency: str, network: str) -> str:
    """Return the deposit address of a currency of an account or portfolio."""
    return _address("deposit", owner, currency, network)


def memo_of(owner: str, network: Network) -> str:
    """Return the memo that a deposit on this network requires; empty when none is required."""
    digest = hashlib.sha256(f"{owner} {network.name}".encode()).hexdigest()
    return str(int(digest, 16))[:_MEMO_DIGITS] if network.needs_memo else ""


def address_book(created: int) -> list[AddressRecord]:
    """List the address book: one withdrawal address of each currency and network."""
    return [
        AddressRecord(
            currency=currency.name,
            network=network.name,
            address=_address("withdraw", "", currency.name, network.name),
            address_tag=f"{currency.name} wallet on {network.name}",
            memo=memo_of("withdraw", network),
            created_at=created,
        )
        for currency in CURRENCIES.values()
        for network in currency.networks
    ]


def _address(kind: str, owner: str, currency: str, network: str) -> str:
    digest = hashlib.sha256(f"{kind} {owner} {currency} {network}".encode()).hexdigest()
    return f"paper-{network.lower()}-{digest[:24]}"
