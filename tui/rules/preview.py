"""What an order would do to a venue row, computed before it is sent.

The whole order is taken as filled at its price; rebates are not counted before they exist. One pair moves, everything
else on the row enters as sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO
from tui.interface.families.orders import Side
from tui.rules import liquidation, margin, pnl
from tui.rules.fees import split
from tui.rules.margin import Tier


class Row(NamedTuple):
    """A venue row reduced to one pair: quote units, quantity signed in base units."""

    wallet: Decimal
    position: Decimal
    entry: Decimal | None
    mark: Decimal
    leverage: Decimal
    tiers: Sequence[Tier]
    mm_other: Decimal = ZERO
    upnl_other: Decimal = ZERO
    frozen_other: Decimal = ZERO
    """Initial margin of everything else, open orders included."""


class Figures(NamedTuple):
    """The row's risk figures; None where nothing is at risk."""

    liq_price: Decimal | None
    uni_mmr: Decimal | None
    available: Decimal


class FillPreview(NamedTuple):
    fee: Decimal
    realised: Decimal
    position: Decimal
    entry: Decimal | None
    before: Figures
    after: Figures


def figures(row: Row) -> Figures:
    """Risk figures of a row as it stands."""
    if not row.position or row.entry is None:
        valid = row.wallet + row.upnl_other
        return Figures(None, margin.uni_mmr(valid, row.mm_other), valid - row.frozen_other)
    found = margin.position_figures(row.position, row.entry, row.mark, row.leverage, row.tiers)
    valid = row.wallet + row.upnl_other + found.unrealised
    leg = liquidation.Leg(1 if row.position > 0 else -1, abs(row.position), row.mark)
    return Figures(
        liquidation.price_with_tiers(valid, row.mm_other, [leg], row.tiers),
        margin.uni_mmr(valid, row.mm_other + found.maintenance),
        valid - row.frozen_other - found.margin,
    )


def fill(
    row: Row, side: Side, base: Decimal, price: Decimal, *, takes: bool, taker: Decimal, maker: Decimal
) -> FillPreview:
    """The row before and after an order of `base` units filled at `price`."""
    fee = split(base * price, max(taker if takes else maker, ZERO)).fee
    after = pnl.one_way_fill(row.position, row.entry, side, base, price)
    realised = pnl.booked(after.realised)
    then = row._replace(wallet=row.wallet + realised - fee, position=after.position, entry=after.entry)
    return FillPreview(fee, realised, after.position, after.entry, figures(row), figures(then))
