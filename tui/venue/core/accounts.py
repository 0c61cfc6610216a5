"""The figures of one venue row of a portfolio, and the rows that are shown of it."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple, TypeVar

import msgspec

from tui.interface.decimals import ZERO, plain, truncated
from tui.interface.families.assets import AssetRecord
from tui.interface.families.positions import AccountRecord, AccountStatus, PositionRecord
from tui.rules import liquidation, margin
from tui.venue.core.events import AccountsChanged, AssetsChanged, PositionsChanged
from tui.venue.core.orders import Order
from tui.venue.core.positions import ONE_WAY, Position
from tui.venue.core.state import State
from tui.venue.core.symbols import DISCOUNTS, SETTLEMENT, Pair

Row = TypeVar("Row", PositionRecord, AssetRecord, AccountRecord)

_LADDER = (
    AccountStatus.NORMAL,
    AccountStatus.MARGIN_CALL,
    AccountStatus.CANCEL_OPEN,
    AccountStatus.CANCEL_ALL,
    AccountStatus.LIQUIDATING,
    AccountStatus.TAKEOVER,
)
_THRESHOLDS = (Decimal("2.0"), Decimal("1.5"), Decimal("1.2"), Decimal("1.0"))
_HYSTERESIS = Decimal("0.05")
_RECOVERED = Decimal("1.2")


class LegFigures(NamedTuple):
    """One position with its figures."""

    position: Position
    pair: Pair
    mark: Decimal
    figures: margin.PositionFigures


class Figures(NamedTuple):
    """A venue row in quote units."""

    legs: list[LegFigures]
    coins: dict[str, Decimal]
    """Equity per coin, in coins."""
    equity: Decimal
    margin_value: Decimal
    open_loss: Decimal
    perp_margin: Decimal
    maintenance: Decimal
    upnl: Decimal

    @property
    def valid(self) -> Decimal:
        return self.margin_value - self.open_loss

    @property
    def available(self) -> Decimal:
        return self.valid - self.perp_margin


def order_price(state: State, order: Order) -> Decimal:
    """Price at which an open order is reckoned: its limit, or mark."""
    pair = state.pairs[order.sym]
    return state.valuation(pair) if order.is_market else pair.price(order.ticks)


def figures(state: State, portfolio: str, venue: str) -> Figures:
    """Compute the row from balances, positions, open orders and the marks of now."""
    cumulative = state.switches["tier_margin"] == "cumulative"
    legs: list[LegFigures] = []
    for (owner, _, _), position in state.positions.items():
        pair = state.pairs[position.sym]
        if owner == portfolio and pair.exchange == venue and position.lots:
            mark = state.marks.mark[pair.sym]
            found = margin.position_figures(
                pair.qty(position.lots),
                position.entry,
                mark,
                Decimal(state.leverage(portfolio, pair)),
                pair.tiers,
                contract_size=pair.contract_size,
                cumulative=cumulative,
            )
            legs.append(LegFigures(position, pair, mark, found))
    upnl = sum((leg.figures.unrealised for leg in legs), ZERO)
    coins = {coin: state.ledger.balance(portfolio, venue, coin) for coin in state.coins(portfolio, venue)}
    if legs:
        coins[SETTLEMENT] = coins.get(SETTLEMENT, ZERO) + upnl
    collateral = [margin.Coin(held, state.marks.coin(coin), discount(coin)) for coin, held in coins.items()]
    initial, open_loss = _order_needs(state, portfolio, venue)
    return Figures(
        legs=legs,
        coins=coins,
        equity=sum((one.equity * one.index_price for one in collateral), ZERO),
        margin_value=margin.margin_value(collateral),
        open_loss=open_loss,
        perp_margin=initial + sum((leg.figures.margin for leg in legs), ZERO),
        maintenance=sum((leg.figures.maintenance for leg in legs), ZERO),
        upnl=upnl,
    )


def discount(coin: str) -> Decimal:
    """Share of a coin that counts as collateral."""
    return DISCOUNTS.get(coin, ZERO)


def _order_needs(state: State, portfolio: str, venue: str) -> tuple[Decimal, Decimal]:
    """Initial margin of the risk-increasing part of open orders, and the reserve for fees, haircuts and losses.

    Summed in ticks times lots per pair and side, because a book full of own orders is reckoned on every change.
    """
    sums: dict[tuple[str, bool], _Sums] = {}
    room: dict[tuple[str, bool], int] = {}
    for order in state.open_on(portfolio, venue):
        key = (order.sym, order.is_buy)
        found = sums.get(key)
        if found is None:
            found = sums[key] = _Sums(state, order)
        found.add(order, 0 if order.reduce_only else order.left - _take_room(state, room, order))
    return (
        sum((found.initial() for found in sums.values()), ZERO),
        sum((found.open_loss() for found in sums.values()), ZERO),
    )


class _Sums:
    """Open orders of one pair and side."""

    __slots__ = ("extra", "increasing", "leverage", "mark", "pair", "sign", "through", "value")

    def __init__(self, state: State, order: Order) -> None:
        pair = self.pair = state.pairs[order.sym]
        self.leverage = state.leverage(order.portfolio, pair)
        self.sign = 1 if order.is_buy else -1
        self.mark = state.valuation(pair)
        """Quote units."""
        self.value = 0
        self.increasing = 0
        self.through = ZERO
        """Loss of orders priced through mark, in ticks times lots."""
        self.extra = ZERO
        """Quote left on orders by amount, which have no quantity."""

    def add(self, order: Order, increasing: int) -> None:
        pair, left = self.pair, order.left
        if order.by_quote:
            self.extra += order.quote_qty - order.amount
            return
        if order.is_market:
            self.extra += pair.base_qty(left) * self.mark
            self.increasing += increasing * int(self.mark / pair.tick)
            return
        self.value += order.ticks * left
        self.increasing += order.ticks * increasing
        if pair.is_perp:
            gap = self.sign * (order.ticks - self.mark / pair.tick)
            if gap > 0:
                self.through += gap * left

    def initial(self) -> Decimal:
        if not self.pair.is_perp:
            return ZERO
        return self.increasing * self.pair.tick * self.pair.lot_base / self.leverage

    def open_loss(self) -> Decimal:
        unit = self.pair.tick * self.pair.lot_base
        value = self.value * unit + self.extra
        reserve = value * self.pair.taker + self.through * unit
        if not self.pair.is_perp and self.sign > 0:
            reserve += (1 - discount(self.pair.base)) * value
        return reserve


def _take_room(state: State, room: dict[tuple[str, bool], int], order: Order) -> int:
    """Lots of the order that only reduce; older orders come first."""
    key = (order.sym, order.is_buy)
    left = room.setdefault(key, state.reducible(order))
    taken = min(left, order.left)
    room[key] = left - taken
    return taken


def increasing_lots(state: State, order: Order) -> int:
    """Lots of a new order that would add risk, after older open orders took their part of the position."""
    if order.reduce_only:
        return 0
    room: dict[tuple[str, bool], int] = {}
    for other in state.open_on(order.portfolio, state.pairs[order.sym].exchange):
        if other.sym == order.sym and other.is_buy == order.is_buy and not other.reduce_only and other.id != order.id:
            _take_room(state, room, other)
    return order.left - _take_room(state, room, order)


def liq_price(state: State, row: Figures, leg: LegFigures) -> Decimal | None:
    """Liquidation price of the pair at the level of the venue row, over both legs; None when no price liquidates."""
    legs = [one for one in row.legs if one.pair.sym == leg.pair.sym]
    return liquidation.price_with_tiers(
        row.valid,
        row.maintenance - sum((one.figures.maintenance for one in legs), ZERO),
        [_as_leg(one) for one in legs],
        leg.pair.tiers,
        collateral=liquidation.Collateral(row.coins.get(leg.pair.base, ZERO), discount(leg.pair.base), leg.mark),
        cumulative=state.switches["tier_margin"] == "cumulative",
    )


def _as_leg(one: LegFigures) -> liquidation.Leg:
    lots = one.position.lots
    return liquidation.Leg(1 if lots > 0 else -1, abs(one.pair.base_qty(lots)), one.mark)


def status(row: Figures, before: str) -> AccountStatus:
    """The rung of the risk ladder; it gets better only with some distance to the threshold."""
    uni = margin.uni_mmr(row.valid, row.maintenance)
    if uni is None:
        return AccountStatus.NORMAL
    if row.equity <= 0:
        return AccountStatus.TAKEOVER
    now = sum(1 for n, limit in enumerate(_THRESHOLDS) if (uni <= limit if n == 3 else uni < limit))
    was = min(_LADDER.index(AccountStatus(before)), 4) if before else 0
    while was > now:
        if was == 4 and uni <= _RECOVERED:
            break
        if was < 4 and uni < _THRESHOLDS[was - 1] + _HYSTERESIS:
            break
        was -= 1
    return _LADDER[max(was, now)]


def show(state: State, portfolio: str, venue: str, *, quiet: bool = False) -> None:
    """Bring the shown rows up to date and push those that changed; `quiet` only fills them in."""
    state.stale.pop((portfolio, venue), None)
    row = figures(state, portfolio, venue)
    positions = _positions(state, portfolio, venue, row)
    assets = _assets(state, portfolio, venue, row)
    account = _account(state, portfolio, venue, row)
    if quiet:
        return
    if positions:
        state.tell(PositionsChanged(portfolio, tuple(positions)))
    if assets:
        state.tell(AssetsChanged(portfolio, tuple(assets)))
    if account:
        state.tell(AccountsChanged(portfolio, (account,)))


def _stamped(state: State, before: Row | None, after: Row) -> Row | None:
    """The new row with a time stamp of its own, or None when nothing but time passed."""
    if before is not None:
        if msgspec.structs.replace(after, update_at=before.update_at) == before:
            return None
        return msgspec.structs.replace(after, update_at=str(max(state.now, int(before.update_at) + 1)))
    return msgspec.structs.replace(after, update_at=str(state.now))


def _positions(state: State, portfolio: str, venue: str, row: Figures) -> list[PositionRecord]:
    changed = []
    alive = set()
    for leg in row.legs:
        key = (portfolio, leg.pair.sym, leg.position.leg)
        alive.add(key)
        record = _stamped(state, state.shown_positions.get(key), _position_record(state, row, leg))
        if record is not None:
            state.shown_positions[key] = record
            changed.append(record)
    for key, before in list(state.shown_positions.items()):
        if key[0] == portfolio and key not in alive and state.pairs[key[1]].exchange == venue:
            del state.shown_positions[key]
            closed = _stamped(state, before, _closed(state, before))
            if closed is not None:
                changed.append(closed)
    return changed


def _position_record(state: State, row: Figures, leg: LegFigures) -> PositionRecord:
    position, pair, found = leg.position, leg.pair, leg.figures
    price = liq_price(state, row, leg)
    number = margin.tier_number(pair.tiers, found.value)
    return PositionRecord(
        position_id=position.id,
        portfolio_id=position.portfolio,
        exchange_type=pair.exchange,
        sym=pair.sym,
        position_side=position.leg,
        position_qty=pair.qty_text(position.lots if position.leg == ONE_WAY else abs(position.lots)),
        avg_price=truncated(position.entry),
        mark_price=plain(leg.mark),
        position_value=truncated(found.value),
        position_margin=truncated(found.margin),
        position_mm=truncated(found.maintenance),
        unrealized_pnl=truncated(found.unrealised),
        unrealized_pnl_rate=truncated(found.rate),
        leverage=str(state.leverage(position.portfolio, pair)),
        max_leverage=str(pair.tiers[number].max_leverage),
        risk_level=str(number + 1),
        fee=plain(position.fee),
        funding_fee=plain(position.funding),
        liq_price=None if price is None else truncated(price),
        create_at=str(position.created),
    )


def _closed(state: State, before: PositionRecord) -> PositionRecord:
    """The last row of a position, flat."""
    mark = state.marks.mark[before.sym]
    return msgspec.structs.replace(
        before,
        position_qty="0",
        mark_price=plain(mark),
        position_value="0",
        position_margin="0",
        position_mm="0",
        unrealized_pnl="0",
        unrealized_pnl_rate="0",
        liq_price=None,
    )


def _assets(state: State, portfolio: str, venue: str, row: Figures) -> list[AssetRecord]:
    changed = []
    for coin, equity in row.coins.items():
        key = (portfolio, venue, coin)
        before = state.shown_assets.get(key)
        balance = state.ledger.balance(portfolio, venue, coin)
        frozen = state.frozen.get(key, ZERO)
        available = max(balance - frozen, ZERO)
        index = state.marks.coin(coin)
        counts = index * discount(coin)
        free = min(available, max(row.available, ZERO) / counts) if counts else available
        settles = coin == SETTLEMENT
        record = AssetRecord(
            portfolio_id=portfolio,
            coin=coin,
            exchange_type=venue,
            balance=truncated(balance),
            available=truncated(available),
            frozen=truncated(frozen),
            overdraw=truncated(max(-balance, ZERO)),
            equity=truncated(equity),
            equity_value=truncated(equity * index),
            index_price=truncated(index),
            margin_value=truncated(equity * counts),
            virtual_borrow=truncated(max(-equity, ZERO)) if settles else "0",
            upnl=truncated(row.upnl) if settles else "0",
            perp_margin=truncated(row.perp_margin) if settles else "0",
            max_transferable=truncated(free),
            create_at=before.create_at if before is not None else str(state.now),
        )
        stamped = _stamped(state, before, record)
        if stamped is not None:
            state.shown_assets[key] = stamped
            changed.append(stamped)
    return changed


def _account(state: State, portfolio: str, venue: str, row: Figures) -> AccountRecord | None:
    before = state.shown_accounts.get((portfolio, venue))
    uni = margin.uni_mmr(row.valid, row.maintenance)
    value = sum((leg.figures.value for leg in row.legs), ZERO)
    record = AccountRecord(
        portfolio_id=portfolio,
        exchange_type=venue,
        equity=truncated(row.equity),
        margin_value=truncated(row.margin_value),
        open_loss_margin=truncated(row.open_loss),
        valid_margin=truncated(row.valid),
        perp_margin=truncated(row.perp_margin),
        debt_margin="0",
        frozen_margin=truncated(row.perp_margin),
        available_margin=truncated(row.available),
        maintain_margin=truncated(row.maintenance),
        position_value=truncated(value),
        upnl=truncated(row.upnl),
        uni_mmr=state.switches["no_risk_mmr"] if uni is None else truncated(uni, 10),
        risk_ratio=plain(margin.risk_ratio(uni)),
        account_status=status(row, before.account_status if before is not None else ""),
        position_mode=state.mode(portfolio, venue),
        perp_available_margin=truncated(row.available),
    )
    stamped = _stamped(state, before, record)
    if stamped is not None:
        state.shown_accounts[(portfolio, venue)] = stamped
    return stamped
