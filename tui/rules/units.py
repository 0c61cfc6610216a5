"""Conversion of order quantities between contracts, base and quote units."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from tui.rules.rounding import floor_to


class ContractQuantity(NamedTuple):
    """The whole lots of contracts within a quantity in base units."""

    contracts: Decimal
    base: Decimal
    not_placeable: Decimal
    """Base units that make no whole lot; shown to the trader, never rounded up."""


class ImpliedFill(NamedTuple):
    """Fee rate and closed entry derived from a reported fill."""

    cost: Decimal
    fee_rate: Decimal
    implied_entry: Decimal


def base(quantity: Decimal, contract_size: Decimal) -> Decimal:
    """Base units of a linear quantity as the venue counts it (contracts or base, `contract_size` 1)."""
    return quantity * contract_size


def notional(quantity: Decimal, contract_size: Decimal, price: Decimal) -> Decimal:
    """Quote units of a linear quantity at a price."""
    return quantity * contract_size * price


def inverse_notional(contracts: Decimal, quote_per_contract: Decimal) -> Decimal:
    """Quote units of inverse contracts; the price does not matter."""
    return contracts * quote_per_contract


def inverse_base(contracts: Decimal, quote_per_contract: Decimal, price: Decimal) -> Decimal:
    """Coins that inverse contracts are worth at a price."""
    return contracts * quote_per_contract / price


def contracts_for_base(quantity: Decimal, contract_size: Decimal, lot: Decimal) -> ContractQuantity:
    """The largest quantity in contracts within a quantity in base units."""
    contracts = floor_to(quantity / contract_size, lot)
    covered = contracts * contract_size
    return ContractQuantity(contracts, covered, quantity - covered)


def imply_fill(
    *, contracts: Decimal, price: Decimal, contract_size: Decimal, fee: Decimal, fill_pnl: Decimal, closes_long: bool
) -> ImpliedFill:
    """Cost (quote), fee rate and average entry that a reported fill implies; `fill_pnl` is gross, in quote."""
    cost = notional(contracts, contract_size, price)
    sign = 1 if closes_long else -1
    return ImpliedFill(cost, fee / cost, price - sign * fill_pnl / (contracts * contract_size))
