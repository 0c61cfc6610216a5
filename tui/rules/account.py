"""A venue row of a portfolio: legs, coins and open orders in, the figures of the service out.

The venue prints these figures and the workstation previews them, both from here. Amounts of coins are in coins,
everything else in quote units.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO
from tui.interface.families.orders import Side
from tui.rules import liquidation, margin
from tui.rules.borrowing import lending
from tui.rules.borrowing.lending import LoanTier
from tui.rules.margin import MarginTier, PositionFigures


class PerpTerms(NamedTuple):
    """Mark, leverage and tiers of a portfolio on a perpetual."""

    sym: str
    base: str
    mark: Decimal
    leverage: Decimal
    tiers: Sequence[MarginTier]
    contract_size: Decimal = Decimal(1)


class PositionLeg(NamedTuple):
    """One position; the quantity is signed and counted as the venue counts it."""

    terms: PerpTerms
    name: str
    """NONE in one-way mode, else LONG or SHORT."""
    quantity: Decimal
    entry: Decimal

    @property
    def base_quantity(self) -> Decimal:
        """Signed, in base units."""
        return self.quantity * self.terms.contract_size


class AccountCoin(NamedTuple):
    """One coin of the row."""

    coin: str
    balance: Decimal
    index_price: Decimal
    discount: Decimal
    """Share of its value that counts as collateral."""
    debt: Decimal = ZERO
    debt_leverage: Decimal = Decimal(1)
    loan_tiers: Sequence[LoanTier] = ()
    loan: Decimal = ZERO
    """Portfolio loan, in coins; its coins are part of the balance."""
    loan_mmr: Decimal = ZERO
    loan_leverage: Decimal = Decimal(1)

    @property
    def loan_maintenance(self) -> Decimal:
        """Maintenance margin of the portfolio loan, quote units."""
        return self.loan * self.index_price * self.loan_mmr if self.loan else ZERO


class WorkingOrders(NamedTuple):
    """Open orders of one pair and side, oldest first, in ticks and lots."""

    is_perp: bool
    side: Side
    tick: Decimal
    lot_base: Decimal
    """Base units of one lot."""
    mark: Decimal
    leverage: Decimal
    taker: Decimal
    discount: Decimal
    """Of the base coin."""
    orders: Sequence[tuple[int, int, bool]]
    """Limit in ticks, lots left, whether it only reduces."""
    room: int = 0
    """Lots of the position that orders of this side reduce first."""
    extra: Decimal = ZERO
    """Quote units of orders that have no limit price."""


class OrderNeeds(NamedTuple):
    """Margin that open orders require of a row."""

    initial: Decimal
    """Initial margin of the parts that add risk."""
    open_loss: Decimal
    """Reserve for fees, haircuts of spot buys, and losses of orders priced through mark."""


NO_NEEDS = OrderNeeds(ZERO, ZERO)


class Account(NamedTuple):
    """The inputs of a venue row."""

    legs: tuple[PositionLeg, ...]
    coins: tuple[AccountCoin, ...]
    needs: OrderNeeds = NO_NEEDS
    settlement: str = "USDT"
    """The coin that profits and losses of derivatives are booked in."""
    cumulative: bool = False
    """Whether tiers deduct their maintenance amount."""

    def coin(self, name: str) -> AccountCoin | None:
        return next((one for one in self.coins if one.coin == name), None)


class AccountFigures(NamedTuple):
    """The row's figures."""

    legs: tuple[PositionFigures, ...]
    """One for each leg of the account, in its order."""
    equities: dict[str, Decimal]
    """Per coin, in coins."""
    equity: Decimal
    margin_value: Decimal
    open_loss: Decimal
    perp_margin: Decimal
    debt_margins: dict[str, Decimal]
    """Margin required for a coin's debt; only coins with a debt."""
    maintenance: Decimal
    position_value: Decimal
    upnl: Decimal

    @property
    def valid(self) -> Decimal:
        return self.margin_value - self.open_loss

    @property
    def debt_margin(self) -> Decimal:
        return sum(self.debt_margins.values(), ZERO)

    @property
    def frozen(self) -> Decimal:
        return self.perp_margin + self.debt_margin

    @property
    def available(self) -> Decimal:
        return self.valid - self.frozen

    @property
    def uni_mmr(self) -> Decimal | None:
        """Larger is safer; None when nothing needs maintenance."""
        return margin.uni_mmr(self.valid, self.maintenance)


def figures(account: Account) -> AccountFigures:
    """The figures of a row."""
    legs = tuple(
        margin.position_figures(
            leg.quantity,
            leg.entry,
            leg.terms.mark,
            leg.terms.leverage,
            leg.terms.tiers,
            contract_size=leg.terms.contract_size,
            cumulative=account.cumulative,
        )
        for leg in account.legs
    )
    upnl = sum((leg.unrealised for leg in legs), ZERO)
    equities = {one.coin: one.balance - one.debt for one in account.coins}
    if legs:
        equities[account.settlement] = equities.get(account.settlement, ZERO) + upnl
    collateral = [margin.CollateralCoin(equities[one.coin], one.index_price, one.discount) for one in account.coins]
    debts = [one for one in account.coins if one.debt]
    return AccountFigures(
        legs=legs,
        equities=equities,
        equity=sum((one.equity * one.index_price for one in collateral), ZERO),
        margin_value=margin.margin_value(collateral),
        open_loss=account.needs.open_loss,
        perp_margin=account.needs.initial + sum((leg.margin for leg in legs), ZERO),
        debt_margins={one.coin: one.debt * one.index_price / one.debt_leverage for one in debts},
        maintenance=sum((leg.maintenance for leg in legs), ZERO)
        + sum((_maintenance_of_debt(one) for one in debts), ZERO)
        + sum((one.loan_maintenance for one in account.coins), ZERO),
        position_value=sum((leg.value for leg in legs), ZERO),
        upnl=upnl,
    )


def _maintenance_of_debt(one: AccountCoin) -> Decimal:
    return one.debt * one.index_price * lending.tier_of(one.loan_tiers, one.debt).mmr if one.loan_tiers else ZERO


def largest_transfer(available: Decimal, available_margin: Decimal, index_price: Decimal, discount: Decimal) -> Decimal:
    """Coins that may leave a row: what is available, as far as the free margin stays at least 0.

    Args:
        available: Balance that nothing holds, coins.
        available_margin: Free margin of the row, quote units.
        index_price: Of the coin.
        discount: Share of the coin's value that counts as collateral.
    """
    counts = index_price * discount
    return min(available, max(available_margin, ZERO) / counts) if counts else available


def liq_price(account: Account, found: AccountFigures, sym: str) -> Decimal | None:
    """Mark of a pair at which the row would be liquidated, over both its legs; None when no price does."""
    mine = [(leg, one) for leg, one in zip(account.legs, found.legs, strict=True) if leg.terms.sym == sym]
    if not mine:
        return None
    terms = mine[0][0].terms
    held = account.coin(terms.base)
    return liquidation.price_with_tiers(
        found.valid,
        found.maintenance - sum((one.maintenance for _, one in mine), ZERO),
        [
            liquidation.LiquidationLeg(1 if leg.quantity > 0 else -1, abs(leg.base_quantity), leg.terms.mark)
            for leg, _ in mine
        ],
        terms.tiers,
        collateral=liquidation.Collateral(
            found.equities.get(terms.base, ZERO), held.discount if held is not None else ZERO, terms.mark
        ),
        cumulative=account.cumulative,
    )


def needs(groups: Iterable[WorkingOrders]) -> OrderNeeds:
    """Margin that open orders require of a row; summed in ticks times lots, because many orders are computed often."""
    initial = open_loss = ZERO
    for group in groups:
        one = _group_needs(group)
        initial += one.initial
        open_loss += one.open_loss
    return OrderNeeds(initial, open_loss)


def _group_needs(group: WorkingOrders) -> OrderNeeds:
    unit = group.tick * group.lot_base
    value = increasing = 0
    through, room = ZERO, group.room
    sign, at = group.side.sign, group.mark / group.tick
    for ticks, lots, reduces in group.orders:
        value += ticks * lots
        if not reduces:
            taken = min(room, lots)
            room -= taken
            increasing += ticks * (lots - taken)
        gap = sign * (ticks - at)
        if group.is_perp and gap > 0:
            through += gap * lots
    worth = value * unit + group.extra
    open_loss = worth * group.taker + through * unit
    if not group.is_perp:
        return OrderNeeds(ZERO, open_loss + ((1 - group.discount) * worth if group.side is Side.BUY else ZERO))
    return OrderNeeds(increasing * unit / group.leverage, open_loss)
