"""Tiers, position figures and account figures as the service computes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import ZERO, half_up


class MarginTier(msgspec.Struct, frozen=True):
    """One step of a pair's bracket; the lower bound is exclusive, the upper inclusive (quote units)."""

    floor: Decimal
    cap: Decimal
    mmr: Decimal
    max_leverage: int = 1
    cum: Decimal = ZERO
    """Maintenance amount that makes the cumulative form continuous at the borders."""


class PositionFigures(NamedTuple):
    """Figures of one leg, in quote."""

    value: Decimal
    margin: Decimal
    maintenance: Decimal
    unrealised: Decimal
    rate: Decimal
    """Unrealised result on the entry margin."""


class CollateralCoin(NamedTuple):
    """One coin as collateral: equity in coins, index price in quote, discount 0..1."""

    equity: Decimal
    index_price: Decimal
    discount: Decimal


def with_cum(tiers: Iterable[MarginTier]) -> tuple[MarginTier, ...]:
    """The same tiers with their maintenance amounts filled in."""
    out: list[MarginTier] = []
    for tier in tiers:
        cum = out[-1].cum + tier.floor * (tier.mmr - out[-1].mmr) if out else ZERO
        out.append(msgspec.structs.replace(tier, cum=cum))
    return tuple(out)


def tier_number(tiers: Sequence[MarginTier], notional: Decimal) -> int:
    """Index of the tier that a whole notional falls in; above the table it is the last."""
    for number, tier in enumerate(tiers):
        if notional <= tier.cap:
            return number
    return len(tiers) - 1


def highest_leverage(tiers: Sequence[MarginTier], value: Decimal) -> int:
    """Largest leverage of a perpetual: that of the tier in which the value of its larger leg lies, 0 without a leg."""
    return tiers[tier_number(tiers, value)].max_leverage


def maintenance(tiers: Sequence[MarginTier], notional: Decimal, *, cumulative: bool = False) -> Decimal:
    """Maintenance margin of a notional: flat (rate of one tier for the whole) or cumulative."""
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
    """Figures of a leg with a signed quantity as the venue counts it."""
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
    """Collateral after haircuts, in quote."""
    return sum((coin.equity * coin.index_price * coin.discount for coin in coins), ZERO)


def uni_mmr(valid_margin: Decimal, maintain_margin: Decimal) -> Decimal | None:
    """validMargin / maintainMargin, larger is safer; None when nothing needs maintenance."""
    return valid_margin / maintain_margin if maintain_margin else None


def risk_ratio(uni: Decimal | None) -> Decimal:
    """1 / uniMMR with 4 decimals, half up; 0 without risk."""
    return half_up(1 / uni, 4) if uni else ZERO
