"""Margin tiers, position figures and account figures, computed as the service does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import NO_RISK, ZERO, half_up, optional


class MarginTier(msgspec.Struct, frozen=True):
    """Margin tier of a perpetual; the lower bound is exclusive, the upper inclusive (quote units)."""

    floor: Decimal
    cap: Decimal
    mmr: Decimal
    max_leverage: int = 1
    cum: Decimal = ZERO
    """Maintenance amount that makes the cumulative form continuous at the borders."""


class PositionFigures(NamedTuple):
    """Margin figures and P&L of a position leg, in quote units."""

    value: Decimal
    margin: Decimal
    maintenance: Decimal
    unrealised: Decimal
    rate: Decimal
    """Unrealised result on the entry margin."""


class CollateralCoin(NamedTuple):
    """Coin as collateral: equity in coins, index price in quote, discount 0 to 1."""

    equity: Decimal
    index_price: Decimal
    discount: Decimal


def add_cum(tiers: Iterable[MarginTier]) -> tuple[MarginTier, ...]:
    """Return the tiers with their cumulative maintenance amounts computed."""
    out: list[MarginTier] = []
    for tier in tiers:
        cum = out[-1].cum + tier.floor * (tier.mmr - out[-1].mmr) if out else ZERO
        out.append(msgspec.structs.replace(tier, cum=cum))
    return tuple(out)


def tier_number(tiers: Sequence[MarginTier], notional: Decimal) -> int:
    """Find the index of the margin tier for a notional (quote); above the table, the last tier."""
    for number, tier in enumerate(tiers):
        if notional <= tier.cap:
            return number
    return len(tiers) - 1


def highest_leverage(tiers: Sequence[MarginTier], value: Decimal) -> int:
    """Return the largest leverage of a perpetual for the value of its larger leg (quote; 0 without a position)."""
    return tiers[tier_number(tiers, value)].max_leverage


def maintenance(tiers: Sequence[MarginTier], notional: Decimal, *, cumulative: bool = False) -> Decimal:
    """Compute the maintenance margin of a notional: at one flat rate, or cumulative over the tiers."""
    tier = tiers[tier_number(tiers, notional)]
    return notional * tier.mmr - (tier.cum if cumulative else ZERO)


def position_figures(
    quantity: Decimal,
    entry: Decimal,
    mark: Decimal,
    leverage: Decimal,
    tiers: Sequence[MarginTier],
    *,
    contract_size: Decimal = Decimal(1),
    cumulative: bool = False,
) -> PositionFigures:
    """Compute margin figures and P&L of a position leg; `quantity` is signed and in the venue's unit."""
    size = abs(quantity) * contract_size
    value = size * mark
    unrealised = (mark - entry) * quantity * contract_size
    cost = entry * size
    return PositionFigures(
        value,
        value / leverage,
        maintenance(tiers, value, cumulative=cumulative),
        unrealised,
        unrealised * leverage / cost if cost else ZERO,
    )


def margin_value(coins: Iterable[CollateralCoin]) -> Decimal:
    """Sum the collateral value of coins after their discounts, in quote."""
    return sum((coin.equity * coin.index_price * coin.discount for coin in coins), ZERO)


def uni_mmr(valid_margin: Decimal, maintain_margin: Decimal) -> Decimal | None:
    """Divide valid margin by maintenance margin; higher is safer, None without a maintenance margin."""
    return valid_margin / maintain_margin if maintain_margin else None


def reports_no_risk(ratio: str, maintain_margin: str) -> bool:
    """Return whether a service reports that nothing is at risk: its largest uniMMR, and no maintenance margin."""
    value = optional(ratio)
    return value is not None and value >= NO_RISK and not optional(maintain_margin)


def risk_ratio(uni: Decimal | None) -> Decimal:
    """Compute 1 / uniMMR, rounded half up to 4 decimals; 0 without risk."""
    return half_up(1 / uni, 4) if uni else ZERO
