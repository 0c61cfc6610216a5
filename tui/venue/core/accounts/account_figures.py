"""Margin figures of a portfolio's account on a venue, and the account, asset and position records published from them."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple, TypeVar

import msgspec

from tui.interface.decimals import ZERO, plain, truncate
from tui.interface.families.assets import AssetRecord
from tui.interface.families.orders import Side
from tui.interface.families.positions import AccountRecord, AccountStatus, PositionRecord
from tui.rules import account, margin
from tui.rules.borrowing import portfolio_loans as loan_rules
from tui.venue.core.accounts import fee_schedules, lending
from tui.venue.core.accounts.loan_terms import LOANS, PORTFOLIO_LOANS
from tui.venue.core.events import AccountsChanged, AssetsChanged, MarginCalled, PositionsChanged
from tui.venue.core.market.symbols import DISCOUNTS, SETTLEMENT, Pair
from tui.venue.core.state import risk_ladder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order
from tui.venue.core.state.positions import ONE_WAY, Position

Row = TypeVar("Row", PositionRecord, AssetRecord, AccountRecord)


class LegFigures(NamedTuple):
    """Position leg with its pair, mark price and margin figures."""

    position: Position
    pair: Pair
    mark: Decimal
    figures: margin.PositionFigures


class VenueRow(NamedTuple):
    """Inputs and margin figures of a portfolio's account on a venue."""

    account: account.Account
    figures: account.AccountFigures
    legs: list[LegFigures]


def order_price(state: State, order: Order) -> Decimal:
    """Return the price at which an open order is valued: its limit price, or the mark price for a market order."""
    pair = state.pairs[order.sym]
    return state.valuation(pair) if order.is_market else pair.price(order.ticks)


def compute_figures(state: State, portfolio: str, venue: str) -> account.AccountFigures:
    """Compute the margin figures of a venue account from balances, debts, positions, open orders and current mark prices."""
    return compute_row(state, portfolio, venue).figures


def compute_row(state: State, portfolio: str, venue: str) -> VenueRow:
    """Compute the margin figures of a portfolio's account on a venue."""
    held = [
        position
        for (owner, _, _), position in state.positions.items()
        if owner == portfolio and position.lots and state.pairs[position.sym].exchange == venue
    ]
    row = account.Account(
        legs=tuple(_leg(state, position) for position in held),
        coins=_coins(state, portfolio, venue, has_position=bool(held)),
        needs=account.compute_needs(_working_orders(state, portfolio, venue)),
        settlement=SETTLEMENT,
        cumulative=state.switches["tier_margin"] == "cumulative",
    )
    figures = account.compute_figures(row)
    legs = [
        LegFigures(position, state.pairs[position.sym], leg.terms.mark, leg_figures)
        for position, leg, leg_figures in zip(held, row.legs, figures.legs, strict=True)
    ]
    return VenueRow(row, figures, legs)


def perp_terms(state: State, portfolio: str, pair: Pair) -> account.PerpTerms:
    """Return the mark price, leverage and margin tiers that apply to a portfolio on a perpetual."""
    return account.PerpTerms(
        pair.sym,
        pair.base,
        state.marks.mark[pair.sym],
        Decimal(state.leverage(portfolio, pair)),
        pair.tiers,
        pair.contract_size,
    )


def _leg(state: State, position: Position) -> account.PositionLeg:
    pair = state.pairs[position.sym]
    return account.PositionLeg(
        perp_terms(state, position.portfolio, pair), position.leg, pair.qty(position.lots), position.entry
    )


def _coins(state: State, portfolio: str, venue: str, *, has_position: bool) -> tuple[account.AccountCoin, ...]:
    """List the coins of a venue account; the settlement coin is included as soon as there is a position."""
    names = state.coins(portfolio, venue)
    if has_position and SETTLEMENT not in names:
        names = [SETTLEMENT, *names]
    return tuple(coin_of(state, portfolio, venue, coin) for coin in names)


def coin_of(state: State, portfolio: str, venue: str, coin: str) -> account.AccountCoin:
    """Build the margin inputs of a coin in a venue account: balance, price, debt and portfolio loan."""
    loan = LOANS.get((venue, coin))
    entry = account.AccountCoin(
        coin=coin,
        balance=state.ledger.balance(portfolio, venue, coin),
        index_price=state.marks.coin(coin),
        discount=discount(coin),
        debt=lending.debt_of(state, portfolio, venue, coin),
        debt_leverage=Decimal(lending.leverage(state, portfolio, loan)) if loan is not None else Decimal(1),
        loan_tiers=loan.tiers if loan is not None else (),
    )
    lent = state.loans.of(portfolio, venue, coin)
    if not lent:
        return entry
    terms = PORTFOLIO_LOANS[coin]
    return entry._replace(loan=lent, loan_mmr=terms.mmr, loan_leverage=Decimal(terms.leverage))


def loans_of(row: VenueRow) -> loan_rules.LoanFigures | None:
    """Compute the figures of a venue account's portfolio loans; None without a loan."""
    return (
        loan_rules.compute_figures(row.account, row.figures) if any(coin.loan for coin in row.account.coins) else None
    )


def discount(coin: str) -> Decimal:
    """Return the share of a coin's value that counts as collateral."""
    return DISCOUNTS.get(coin, ZERO)


def _working_orders(state: State, portfolio: str, venue: str) -> list[account.WorkingOrders]:
    """List the open orders of a venue account by pair and side."""
    groups: dict[tuple[str, bool], list[Order]] = {}
    for order in state.open_on(portfolio, venue):
        groups.setdefault((order.sym, order.is_buy), []).append(order)
    return [_group_of(state, orders) for orders in groups.values()]


def _group_of(state: State, orders: list[Order]) -> account.WorkingOrders:
    first = orders[0]
    pair, mark = state.pairs[first.sym], state.valuation(state.pairs[first.sym])
    at = int(mark / pair.tick)
    adding = next((order for order in orders if not order.reduce_only), None)
    return account.WorkingOrders(
        is_perp=pair.is_perp,
        side=Side.BUY if first.is_buy else Side.SELL,
        tick=pair.tick,
        lot_base=pair.lot_base,
        mark=mark,
        leverage=Decimal(state.leverage(first.portfolio, pair)),
        taker=fee_schedules.rates(state, first.portfolio, pair).taker,
        discount=discount(pair.base),
        orders=[
            (at if order.is_market else order.ticks, order.left, order.reduce_only)
            for order in orders
            if not order.by_quote
        ],
        room=state.reducible(adding) if adding is not None else 0,
        extra=sum((order.quote_qty - order.amount for order in orders if order.by_quote), ZERO),
    )


def _use_reducible(state: State, room: dict[tuple[str, bool], int], order: Order) -> int:
    """Return the lots of an order that only reduce the position, and subtract them from the reducible lots in `room`."""
    key = (order.sym, order.is_buy)
    left = room.setdefault(key, state.reducible(order))
    taken = min(left, order.left)
    room[key] = left - taken
    return taken


def increasing_lots(state: State, order: Order) -> int:
    """Return the lots of a new order that would add risk, after older open orders have used the reducible lots."""
    if order.reduce_only:
        return 0
    room: dict[tuple[str, bool], int] = {}
    for other in state.open_on(order.portfolio, state.pairs[order.sym].exchange):
        if other.sym == order.sym and other.is_buy == order.is_buy and not other.reduce_only and other.id != order.id:
            _use_reducible(state, room, other)
    return order.left - _use_reducible(state, room, order)


def publish_rows(state: State, portfolio: str, venue: str, *, quiet: bool = False) -> None:
    """Update the published account, asset and position records, and push the changed ones unless `quiet` is set."""
    state.changes.stale.pop((portfolio, venue), None)
    row = compute_row(state, portfolio, venue)
    positions = _update_positions(state, portfolio, venue, row)
    before = state.published.accounts.get((portfolio, venue))
    was = _last_status(state, (portfolio, venue))
    loans = loans_of(row)
    changed = _update_account(state, portfolio, venue, row.figures, loans)
    assets = _update_assets(state, portfolio, venue, row, loans)
    now = state.published.accounts[(portfolio, venue)].account_status
    worse = risk_ladder.is_worse(now, was)
    if now != AccountStatus.NORMAL or (portfolio, venue) in state.liquidations.open:
        state.changes.risky[(portfolio, venue)] = worse or state.changes.risky.get((portfolio, venue), False)
    if loans is not None and loans.ltv >= loan_rules.LIQUIDATION_LTV:
        state.changes.overlent[(portfolio, venue)] = None
    if quiet:
        return
    if positions:
        state.changes.publish(PositionsChanged(portfolio, tuple(positions)))
    if assets:
        state.changes.publish(AssetsChanged(portfolio, tuple(assets)))
    if changed:
        state.changes.publish(AccountsChanged(portfolio, (changed,)))
        if before is not None and worse:
            state.changes.publish(MarginCalled(portfolio, (changed,)))


def _last_status(state: State, key: tuple[str, str]) -> str:
    """Return the account status as last pushed; after a restart, that of the open liquidation event, else NORMAL."""
    before = state.published.accounts.get(key)
    return state.liquidations.status(key) if before is None else before.account_status


def _stamp(state: State, before: Row | None, after: Row) -> Row | None:
    """Return the new record with a new update time, or None when nothing but the time differs from the old one."""
    if before is not None:
        if msgspec.structs.replace(after, update_at=before.update_at) == before:
            return None
        return msgspec.structs.replace(after, update_at=str(max(state.now, int(before.update_at) + 1)))
    return msgspec.structs.replace(after, update_at=str(state.now))


def _update_positions(state: State, portfolio: str, venue: str, row: VenueRow) -> list[PositionRecord]:
    changed = []
    alive = set()
    for leg in row.legs:
        key = (portfolio, leg.pair.sym, leg.position.leg)
        alive.add(key)
        before = state.published.positions.get(key) or state.published.closed.pop(key, None)
        record = _stamp(state, before, _position_record(state, row, leg))
        if record is not None:
            state.published.positions[key] = record
            changed.append(record)
    for key, last in list(state.published.positions.items()):
        if key[0] == portfolio and key not in alive and state.pairs[key[1]].exchange == venue:
            del state.published.positions[key]
            closed = _stamp(state, last, _flat_record(state, last))
            if closed is not None:
                state.published.closed[key] = closed
                changed.append(closed)
    return changed


def _position_record(state: State, row: VenueRow, leg: LegFigures) -> PositionRecord:
    position, pair, figures = leg.position, leg.pair, leg.figures
    price = account.liq_price(row.account, row.figures, pair.sym)
    number = margin.tier_number(pair.tiers, figures.value)
    return PositionRecord(
        position_id=position.id,
        portfolio_id=position.portfolio,
        exchange_type=pair.exchange,
        sym=pair.sym,
        position_side=position.leg,
        position_qty=pair.qty_text(position.lots if position.leg == ONE_WAY else abs(position.lots)),
        avg_price=truncate(position.entry),
        mark_price=plain(leg.mark),
        position_value=truncate(figures.value),
        position_margin=truncate(figures.margin),
        position_mm=truncate(figures.maintenance),
        unrealized_pnl=truncate(figures.unrealised),
        unrealized_pnl_rate=truncate(figures.rate),
        leverage=str(state.leverage(position.portfolio, pair)),
        max_leverage=str(pair.tiers[number].max_leverage),
        risk_level=str(number + 1),
        fee=plain(position.fee),
        funding_fee=plain(position.funding),
        liq_price=None if price is None else truncate(price),
        tpsl_order=list(state.protections(position.portfolio, position.sym, position.leg)),
        create_at=str(position.created),
    )


def _flat_record(state: State, before: PositionRecord) -> PositionRecord:
    """Build the last record of a closed position: quantity 0 and no margin."""
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
        tpsl_order=[],
    )


def compute_transferable(state: State, portfolio: str, venue: str, coin: str, held: Decimal = ZERO) -> Decimal:
    """Compute the coins that can be transferred out of a venue account now; 0 while the account is being liquidated.

    `held` are frozen coins that count as free.
    """
    row = state.published.accounts.get((portfolio, venue))
    if row is None or row.account_status in risk_ladder.LIQUIDATED:
        return ZERO
    figures = compute_figures(state, portfolio, venue)
    free = max(state.available(portfolio, venue, coin) + held, ZERO)
    return account.largest_transfer(free, figures.available, state.marks.coin(coin), discount(coin))


class _AssetInputs(NamedTuple):
    """Inputs of a coin's asset record; equal inputs give an equal record, so it need not be rebuilt."""

    coin: account.AccountCoin
    equity: Decimal
    available: Decimal
    frozen: Decimal
    free: Decimal
    """Part of `available` that may leave the account."""
    principal: Decimal
    """Borrowed coins, without interest."""
    settlement: account.AccountFigures | None
    """Figures of the venue row, for the settlement coin only."""
    closed: bool
    """Whether the account is being liquidated; then nothing may leave it."""


def _update_assets(
    state: State, portfolio: str, venue: str, row: VenueRow, loans: loan_rules.LoanFigures | None
) -> list[AssetRecord]:
    """Update the published asset records of a venue account; return those that changed."""
    changed = []
    closed = state.published.accounts[(portfolio, venue)].account_status in risk_ladder.LIQUIDATED
    margin_free = max(row.figures.available, ZERO)
    if loans is not None:
        margin_free = min(margin_free, loan_rules.collateral_beyond_warning(loans.value, row.figures.margin_value))
    for coin in row.account.coins:
        key = (portfolio, venue, coin.coin)
        inputs = _asset_inputs(state, key, row.figures, coin, margin_free, closed=closed)
        if state.published.asset_figures.get(key) == inputs:
            continue
        state.published.asset_figures[key] = inputs
        before = state.published.assets.get(key)
        created = before.create_at if before is not None else str(state.now)
        stamped = _stamp(state, before, _asset_record(key, inputs, row.figures, created))
        if stamped is not None:
            state.published.assets[key] = stamped
            changed.append(stamped)
    return changed


def _asset_inputs(
    state: State,
    key: tuple[str, str, str],
    figures: account.AccountFigures,
    coin: account.AccountCoin,
    margin_free: Decimal,
    *,
    closed: bool,
) -> _AssetInputs:
    frozen = state.frozen.get(key, ZERO)
    available = max(coin.balance - frozen, ZERO)
    owed = state.debts.get(key)
    return _AssetInputs(
        coin=coin,
        equity=figures.equities[coin.coin],
        available=available,
        frozen=frozen,
        free=account.largest_transfer(available, margin_free, coin.index_price, coin.discount),
        principal=owed.principal if owed is not None else ZERO,
        settlement=figures if coin.coin == SETTLEMENT else None,
        closed=closed,
    )


def _asset_record(
    key: tuple[str, str, str], inputs: _AssetInputs, figures: account.AccountFigures, created: str
) -> AssetRecord:
    portfolio, venue, name = key
    coin, index, settlement = inputs.coin, inputs.coin.index_price, inputs.settlement
    upnl = settlement.upnl if settlement is not None else ZERO
    record = AssetRecord(
        portfolio_id=portfolio,
        coin=name,
        exchange_type=venue,
        balance=truncate(coin.balance),
        available=truncate(inputs.available),
        frozen=truncate(inputs.frozen),
        debt=truncate(coin.debt),
        borrow=truncate(inputs.principal),
        overdraw=truncate(max(-coin.balance, ZERO)),
        equity=truncate(inputs.equity),
        equity_value=truncate(inputs.equity * index),
        index_price=truncate(index),
        margin_value=truncate(inputs.equity * (index * coin.discount)),
        virtual_borrow=truncate(max(-(coin.balance + upnl), ZERO)) if upnl < 0 else "0",
        upnl=truncate(upnl),
        debt_margin=truncate(figures.debt_margins.get(name, ZERO)),
        perp_margin=truncate(settlement.perp_margin) if settlement is not None else "0",
        max_transferable="0" if inputs.closed else truncate(inputs.free),
        create_at=created,
    )
    return _add_loan(record, coin, inputs.equity) if coin.loan else record


def _add_loan(record: AssetRecord, coin: account.AccountCoin, equity: Decimal) -> AssetRecord:
    """Return the asset record with its loan fields, which are present while the coin has a portfolio loan."""
    net = loan_rules.net_coin(coin, equity)
    return msgspec.structs.replace(
        record,
        loan=truncate(coin.loan),
        loan_value=truncate(net.loan_value),
        net_equity=truncate(net.net_equity),
        net_equity_value=truncate(net.net_equity_value),
        net_margin_value=truncate(net.net_margin_value),
    )


def _update_account(
    state: State, portfolio: str, venue: str, row: account.AccountFigures, loans: loan_rules.LoanFigures | None
) -> AccountRecord | None:
    before = state.published.accounts.get((portfolio, venue))
    held = (portfolio, venue) in state.liquidations.working
    switches = (state.switches["no_risk_mmr"], state.switches["risk_ladder"])
    inputs = (row, loans, switches, state.mode(portfolio, venue), held)
    if state.published.account_figures.get((portfolio, venue)) == inputs:
        return None
    state.published.account_figures[(portfolio, venue)] = inputs
    uni = row.uni_mmr
    status = _last_status(state, (portfolio, venue))
    if not held:
        rungs = risk_ladder.parse_thresholds(state.switches["risk_ladder"])
        status = risk_ladder.determine_status(uni, row.equity, status, rungs, has_legs=bool(row.legs))
    record = _account_record(state, (portfolio, venue), row, status)
    if loans is not None:
        record = _add_loans(record, loans)
    stamped = _stamp(state, before, record)
    if stamped is not None:
        state.published.accounts[(portfolio, venue)] = stamped
    return stamped


def _account_record(state: State, key: tuple[str, str], row: account.AccountFigures, status: str) -> AccountRecord:
    uni = row.uni_mmr
    return AccountRecord(
        portfolio_id=key[0],
        exchange_type=key[1],
        equity=truncate(row.equity),
        margin_value=truncate(row.margin_value),
        open_loss_margin=truncate(row.open_loss),
        valid_margin=truncate(row.valid),
        perp_margin=truncate(row.perp_margin),
        debt_margin=truncate(row.debt_margin),
        frozen_margin=truncate(row.frozen),
        available_margin=truncate(row.available),
        maintain_margin=truncate(row.maintenance),
        position_value=truncate(row.position_value),
        upnl=truncate(row.upnl),
        uni_mmr=state.switches["no_risk_mmr"] if uni is None else truncate(uni, 10),
        risk_ratio=plain(margin.risk_ratio(uni)),
        account_status=status,
        position_mode=state.mode(*key),
        perp_available_margin=truncate(row.available),
    )


def _add_loans(record: AccountRecord, loans: loan_rules.LoanFigures) -> AccountRecord:
    """Return the account record with its loan fields, which are present while the account has a portfolio loan."""
    return msgspec.structs.replace(
        record,
        total_loan_value=truncate(loans.value),
        net_equity=truncate(loans.net_equity),
        net_margin_value=truncate(loans.net_margin_value),
        net_valid_margin=truncate(loans.net_valid),
        net_available_margin=truncate(loans.net_available),
    )
