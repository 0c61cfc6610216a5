"""Margin figures of a portfolio's account on a venue, computed from positions, coins and open orders.

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
    """Mark price, leverage and margin tiers that apply to a portfolio on a perpetual."""

    sym: str
    base: str
    mark: Decimal
    leverage: Decimal
    tiers: Sequence[MarginTier]
    contract_size: Decimal = Decimal(1)


class PositionLeg(NamedTuple):
    """Position leg; the quantity is signed and in the venue's unit (contracts or base)."""

    terms: PerpTerms
    name: str
    """NONE in one-way mode, else LONG or SHORT."""
    quantity: Decimal
    entry: Decimal

    @property
    def base_quantity(self) -> Decimal:
        """Signed quantity in base units."""
        return self.quantity * self.terms.contract_size


class AccountCoin(NamedTuple):
    """Coin of a venue account: balance, price, collateral share, debt and portfolio loan."""

    coin: str
    balance: Decimal
    index_price: Decimal
    discount: Decimal
    """Share of the coin's value that counts as collateral."""
    debt: Decimal = ZERO
    debt_leverage: Decimal = Decimal(1)
    loan_tiers: Sequence[LoanTier] = ()
    loan: Decimal = ZERO
    """Portfolio loan, in coins; the borrowed coins are part of the balance."""
    loan_mmr: Decimal = ZERO
    loan_leverage: Decimal = Decimal(1)

    @property
    def loan_maintenance(self) -> Decimal:
        """Maintenance margin of what the portfolio borrowed of this coin, quote units."""
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
    """Share of the base coin's value that counts as collateral."""
    orders: Sequence[tuple[int, int, bool]]
    """Limit in ticks, lots left, whether it only reduces."""
    room: int = 0
    """Lots of the position that orders of this side reduce before they add risk."""
    extra: Decimal = ZERO
    """Quote units of orders without a limit price."""


class OrderNeeds(NamedTuple):
    """Margin that open orders require in a venue account."""

    initial: Decimal
    """Initial margin of the parts that add risk."""
    open_loss: Decimal
    """Reserve for fees, haircuts of spot buys, and losses of orders priced through mark."""


NO_NEEDS = OrderNeeds(ZERO, ZERO)


class Account(NamedTuple):
    """Inputs from which the margin figures of a venue account are computed."""

    legs: tuple[PositionLeg, ...]
    coins: tuple[AccountCoin, ...]
    needs: OrderNeeds = NO_NEEDS
    settlement: str = "USDT"
    """Coin in which profits and losses of derivatives are booked."""
    cumulative: bool = False
    """Whether tiers deduct their maintenance amount."""

    def coin(self, name: str) -> AccountCoin | None:
        return next((entry for entry in self.coins if entry.coin == name), None)


class AccountFigures(NamedTuple):
    """Margin figures of a venue account."""

    legs: tuple[PositionFigures, ...]
    """Figures of each leg, in the order of the account's legs."""
    equities: dict[str, Decimal]
    """Per coin, in coins."""
    equity: Decimal
    margin_value: Decimal
    open_loss: Decimal
    perp_margin: Decimal
    debt_margins: dict[str, Decimal]
    """Margin required for the debt in a coin; only coins with a debt."""
    maintenance: Decimal
    position_value: Decimal
    upnl: Decimal

    @property
    def valid(self) -> Decimal:
        """Margin that counts, at index prices: collateral after discounts minus open losses."""
        return self.margin_value - self.open_loss

    @property
    def debt_margin(self) -> Decimal:
        """Margin required for all debts, at index prices."""
        return sum(self.debt_margins.values(), ZERO)

    @property
    def frozen(self) -> Decimal:
        """Margin that positions, orders and debts take, at index prices."""
        return self.perp_margin + self.debt_margin

    @property
    def available(self) -> Decimal:
        return self.valid - self.frozen

    @property
    def uni_mmr(self) -> Decimal | None:
        """Valid margin divided by maintenance margin; higher is safer, None without a maintenance margin."""
        return margin.uni_mmr(self.valid, self.maintenance)


def compute_figures(account: Account) -> AccountFigures:
    """Compute the margin figures of a venue account."""
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
    equities = {coin.coin: coin.balance - coin.debt for coin in account.coins}
    if legs:
        equities[account.settlement] = equities.get(account.settlement, ZERO) + upnl
    collateral = [margin.CollateralCoin(equities[coin.coin], coin.index_price, coin.discount) for coin in account.coins]
    debts = [coin for coin in account.coins if coin.debt]
    return AccountFigures(
        legs=legs,
        equities=equities,
        equity=sum((coin.equity * coin.index_price for coin in collateral), ZERO),
        margin_value=margin.margin_value(collateral),
        open_loss=account.needs.open_loss,
        perp_margin=account.needs.initial + sum((leg.margin for leg in legs), ZERO),
        debt_margins={coin.coin: coin.debt * coin.index_price / coin.debt_leverage for coin in debts},
        maintenance=sum((leg.maintenance for leg in legs), ZERO)
        + sum((_debt_maintenance(coin) for coin in debts), ZERO)
        + sum((coin.loan_maintenance for coin in account.coins), ZERO),
        position_value=sum((leg.value for leg in legs), ZERO),
        upnl=upnl,
    )


def _debt_maintenance(coin: AccountCoin) -> Decimal:
    return coin.debt * coin.index_price * lending.tier_of(coin.loan_tiers, coin.debt).mmr if coin.loan_tiers else ZERO


def largest_transfer(available: Decimal, available_margin: Decimal, index_price: Decimal, discount: Decimal) -> Decimal:
    """Compute how much of a coin can be transferred out: the available balance, as far as free margin stays at least 0.

    Args:
        available: Balance that nothing holds, coins.
        available_margin: Free margin of the row, quote units.
        index_price: Index price of the coin.
        discount: Share of the coin's value that counts as collateral.
    """
    collateral_price = index_price * discount
    return min(available, max(available_margin, ZERO) / collateral_price) if collateral_price else available


def liq_price(account: Account, figures: AccountFigures, sym: str) -> Decimal | None:
    """Compute a pair's liquidation price (a mark price), over both legs; None when no price liquidates the account."""
    pair_legs = [(leg, result) for leg, result in zip(account.legs, figures.legs, strict=True) if leg.terms.sym == sym]
    if not pair_legs:
        return None
    terms = pair_legs[0][0].terms
    held = account.coin(terms.base)
    return liquidation.price_with_tiers(
        figures.valid,
        figures.maintenance - sum((result.maintenance for _, result in pair_legs), ZERO),
        [
            liquidation.LiquidationLeg(1 if leg.quantity > 0 else -1, abs(leg.base_quantity), leg.terms.mark)
            for leg, _ in pair_legs
        ],
        terms.tiers,
        collateral=liquidation.Collateral(
            figures.equities.get(terms.base, ZERO), held.discount if held is not None else ZERO, terms.mark
        ),
        cumulative=account.cumulative,
    )


def compute_needs(groups: Iterable[WorkingOrders]) -> OrderNeeds:
    """Compute the margin that open orders require in an account; sums are in ticks times lots, for speed."""
    initial = open_loss = ZERO
    for group in groups:
        group_needs = _group_needs(group)
        initial += group_needs.initial
        open_loss += group_needs.open_loss
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
