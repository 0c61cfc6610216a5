"""Liquidation orders on perpetuals: quantity, worst price, execution and archiving."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from tui.interface.decimals import ZERO, plain
from tui.interface.families.history import LIQUIDATION_FEE
from tui.interface.families.liquidation import LiquidationPositionRecord
from tui.interface.families.orders import Origin, TimeInForce
from tui.interface.families.positions import ClosedType
from tui.rules import bands, liquidation
from tui.venue.core.accounts import account_figures, statements
from tui.venue.core.accounts.account_figures import LegFigures, VenueRow
from tui.venue.core.events import PositionLiquidated, SubPositionLiquidated
from tui.venue.core.market.symbols import SETTLEMENT, Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.ledger import INSURANCE_ACCOUNT, PostingLeg
from tui.venue.core.state.liquidations import LiquidationEvent
from tui.venue.core.state.orders import Order
from tui.venue.core.trading import matching


def bankrupt_price(row: VenueRow, leg: LegFigures) -> Decimal | None:
    """Compute the mark price at which the account's equity is 0; None when there is no such price."""
    sign, base = leg.position.sign, abs(leg.pair.base_qty(leg.position.lots))
    collateral = row.figures.equities.get(leg.pair.base, ZERO)
    return liquidation.bankruptcy_price(
        row.figures.equity, [liquidation.LiquidationLeg(sign, base, leg.mark)], collateral, leg.mark
    )


def worst_price(row: VenueRow, leg: LegFigures) -> int:
    """Compute the limit price of an order that closes a leg, in ticks: the bankruptcy price, within the price band.

    Without a bankruptcy price, or with one on the other side of mark (the account's own coins outweigh the position),
    it is
    the worst price of a market order.
    """
    sign, bankrupt = leg.position.sign, bankrupt_price(row, leg)
    if bankrupt is None or sign * (leg.mark - bankrupt) < 0:
        market = bands.band_around(leg.mark, bands.MARKET_SHARE)
        bankrupt = market.low if sign > 0 else market.high
    allowed = bands.band_around(leg.mark, bands.LIMIT_SHARE)
    return round_in_favour(leg, min(max(bankrupt, allowed.low), allowed.high))


def round_in_favour(leg: LegFigures, price: Decimal) -> int:
    """Round a closing price to ticks in favour of the position's owner; at least 1."""
    rounding = ROUND_CEILING if leg.position.lots > 0 else ROUND_FLOOR
    return max(int((price / leg.pair.tick).to_integral_value(rounding)), 1)


def build_closing_order(state: State, leg: LegFigures, lots: int, ticks: int, origin: Origin) -> Order:
    """Build the IOC limit order with which the venue closes lots of a leg."""
    position = leg.position
    return Order(
        id="",
        client_id="",
        portfolio=position.portfolio,
        sym=position.sym,
        is_buy=position.lots < 0,
        is_market=False,
        tif=TimeInForce.IOC,
        lots=lots,
        ticks=ticks,
        reduce_only=True,
        leg=position.leg,
        leverage=state.leverage(position.portfolio, leg.pair),
        origin=origin,
    )


def can_trade(state: State, order: Order) -> bool:
    """Report whether the pair is trading and its book has an order at the limit price or better."""
    return order.sym not in state.halted and state.books[order.sym].crosses(order.ticks, is_buy=order.is_buy)


def execute(state: State, event: LiquidationEvent, order: Order, fill: Callable[[State, Order], None]) -> None:
    """Execute a liquidation order, charge its fee, record a partly closed position and push the results."""
    position = state.positions[(order.portfolio, order.sym, order.leg)]
    position_id, pair = position.id, state.pairs[order.sym]
    state.liquidations.working.add(event.key)
    fill(state, order)
    fee = matching.liquidation_fee(pair, order)
    _charge(state, pair, order, fee)
    left = state.positions.get((order.portfolio, order.sym, order.leg))
    if left is not None:
        left.liq_fee += fee
        state.changes.dirty("position", f"{left.portfolio}|{left.sym}|{left.leg}")
        state.record_closed(pair, left, ClosedType.PARTIAL_CLOSED)
    state.liquidations.working.remove(event.key)
    account_figures.publish_rows(state, order.portfolio, pair.exchange)
    _push(state, event, pair, order, position_id, fee)


def _charge(state: State, pair: Pair, order: Order, fee: Decimal) -> None:
    if not fee:
        return
    portfolio, venue = order.portfolio, pair.exchange
    before = statements.holding_of(state, portfolio, venue, SETTLEMENT)
    legs = [PostingLeg(portfolio, venue, SETTLEMENT, -fee), PostingLeg(INSURANCE_ACCOUNT, venue, SETTLEMENT, fee)]
    state.post("liquidation fee", order.id, legs)
    statements.add_row(
        state, LIQUIDATION_FEE, portfolio, venue, SETTLEMENT, before,
        business_type=pair.business_type, sym=pair.sym, request_id=order.id,
    )  # fmt: skip


def _push(state: State, event: LiquidationEvent, pair: Pair, order: Order, position_id: str, fee: Decimal) -> None:
    """Push the record of a liquidation order to its portfolio; for a sub portfolio, also to the main portfolio."""
    record = LiquidationPositionRecord(
        portfolio_id=order.portfolio,
        exchange_type=pair.exchange,
        order_id=order.id,
        liquidation_event_id=event.id,
        position_id=position_id,
        sym=pair.sym,
        position_side=order.leg,
        reduce_qty=pair.qty_text(order.executed),
        closed_pnl=plain(_result_of(state, order)),
        liq_fee=plain(fee),
        total_trading_fee=None if order.without_fee else plain(order.fee),
        create_at=order.created,
        update_at=order.updated,
    )
    # The nodes that follow are no older than the order.
    event.updated = max(event.updated, order.updated)
    state.changes.dirty("liquidation", event.id)
    state.changes.publish(PositionLiquidated(order.portfolio, record))
    if not state.portfolios[order.portfolio].is_main:
        state.changes.publish(SubPositionLiquidated(state.main_portfolio.id, record))


def _result_of(state: State, order: Order) -> Decimal:
    """Sum the realised P&L of the fills of the portfolio's newest order."""
    total = ZERO
    for row in reversed(state.fills.get(order.portfolio, [])):
        if row.order_id != order.id:
            break
        total += Decimal(row.rpnl)
    return total
