"""Matching: trades of a taker through the book, booking of fills, and the end of an order."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO, plain
from tui.interface.families.history import NO_ALGO, TradeRecord
from tui.interface.families.orders import AmendType, CancelType, OrderState, Origin, TimeInForce
from tui.interface.families.positions import ClosedType
from tui.rules import bands, fees
from tui.venue.core.accounts import account_figures, fee_schedules, lending, statements
from tui.venue.core.events import OrderFilled, PublicTrade
from tui.venue.core.market.book import HOUSE, Book, Resting
from tui.venue.core.market.symbols import SETTLEMENT, Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.ledger import FEE_ACCOUNT, HOUSE_ACCOUNT, PostingLeg
from tui.venue.core.state.orders import Order
from tui.venue.core.state.positions import apply_fill
from tui.venue.core.trading import fill_or_kill, protection

EXPIRED = "Unfilled remainder expired"
REDUCES_NOTHING = "Reduce only order cancelled"
SELF_TRADE = "self trade"
WOULD_TAKE = "post-only order would take"


_CLOSED_BY: dict[str, ClosedType] = {
    Origin.DELIST: ClosedType.SYSTEM_COMPLETE_CLOSED,
    Origin.SYSTEM_LIQ: ClosedType.LIQUIDATION,
    Origin.SYSTEM_REDUCE: ClosedType.LIQUIDATION,
}


def start_order(state: State, order: Order) -> None:
    """Start a checked order: assign ids, push it, match it."""
    order.id = order.id or state.next_id("order")
    order.client_id = order.client_id or order.id
    order.created = state.now
    state.add_order(order)
    state.publish_order(order)
    protection.attach(state, order)
    match_order(state, order)


def match_order(state: State, order: Order) -> None:
    """Match a new or amended order, then put the rest into the book or end it."""
    pair, book = state.pairs[order.sym], state.books[order.sym]
    limit = _limit(state, pair, order)
    if order.tif == TimeInForce.GTX and book.crosses(limit, is_buy=order.is_buy):
        _refuse_post_only(state, order)
        return
    if order.tif == TimeInForce.FOK and not fill_or_kill.can_fill_whole(state, book, order, limit):
        end_order(state, order, OrderState.CANCELLED, CancelType.EXPIRE, EXPIRED)
        return
    fits = _walk_book(state, pair, book, order, limit)
    if order.is_final:
        return
    if order.by_quote and order.executed and not fits:
        end_order(state, order, OrderState.FILLED, "", "")
    elif order.is_market or order.tif in (TimeInForce.IOC, TimeInForce.FOK):
        end_order(state, order, OrderState.CANCELLED, CancelType.EXPIRE, EXPIRED)
    else:
        _rest(state, book, order)


def _limit(state: State, pair: Pair, order: Order) -> int:
    """Return the worst price of an order in ticks; a market order may trade within a band around the mark price."""
    if not order.is_market:
        return order.ticks
    band = bands.band_around(state.valuation(pair), bands.MARKET_SHARE)
    if order.is_buy:
        return int(band.high // pair.tick)
    return int((band.low / pair.tick).to_integral_value(ROUND_CEILING))


def _refuse_post_only(state: State, order: Order) -> None:
    if state.switches["gtx_outcome"] == "reject":
        end_order(state, order, state.switches["reject_state"], CancelType.SYSTEM, WOULD_TAKE)
    else:
        end_order(state, order, OrderState.CANCELLED, CancelType.EXPIRE, WOULD_TAKE)


def _walk_book(state: State, pair: Pair, book: Book, order: Order, limit: int) -> bool:
    """Match against the opposite side of the book; return False when the remaining quote amount buys less than one lot."""
    while not order.is_final:
        if not order.by_quote and not order.left:
            return True
        if order.reduce_only and not state.reducible(order):
            end_order(state, order, OrderState.CANCELLED, CancelType.REDUCE_ONLY, REDUCES_NOTHING)
            return True
        maker = book.front(is_buy=not order.is_buy)
        if maker is None or maker.is_beyond(limit):
            return True
        if maker.owner == order.portfolio and state.switches["self_trade"] != "allow":
            if not _self_trade(state, book, order, maker):
                return True
            continue
        lots = min(_compute_lots(pair, order, maker.ticks), maker.lots)
        if not lots:
            return False
        if order.reduce_only:
            lots = min(lots, state.reducible(order))
        _trade(state, pair, book, order, maker, lots)
    return True


def _compute_lots(pair: Pair, order: Order, ticks: int) -> int:
    if order.by_quote:
        return int((order.quote_qty - order.amount) // (pair.price(ticks) * pair.lot_base))
    return order.left


def _self_trade(state: State, book: Book, order: Order, maker: Resting) -> bool:
    """Handle a self-trade by the switch `self_trade`; return True when the taker continues."""
    mode = state.switches["self_trade"]
    other = state.orders[maker.order_id]
    if mode == "decrement" and not order.by_quote:
        lots = min(order.left, maker.lots)
        order.lots -= lots
        other.lots -= lots
        if other.left:
            book.reduce(maker, lots)
            state.set_hold(other, hold_of(state, other))
            state.publish_order(other)
        else:
            end_order(state, other, OrderState.CANCELLED, CancelType.SYSTEM, SELF_TRADE)
        if order.left:
            return True
        if order.executed:
            end_order(state, order, OrderState.FILLED, "", "")
        else:
            end_order(state, order, OrderState.CANCELLED, CancelType.SYSTEM, SELF_TRADE)
        return False
    if mode in ("maker", "both", "decrement"):
        end_order(state, other, OrderState.CANCELLED, CancelType.SYSTEM, SELF_TRADE)
        if mode != "both":
            return True
    end_order(state, order, OrderState.CANCELLED, CancelType.SYSTEM, SELF_TRADE)
    return False


def _trade(state: State, pair: Pair, book: Book, order: Order, maker: Resting, lots: int) -> None:
    other = state.orders[maker.order_id] if maker.owner != HOUSE else None
    if other is not None and other.reduce_only:
        lots = min(lots, state.reducible(other))
    ticks = maker.ticks
    book.reduce(maker, lots)
    state.changes.moved[pair.sym] = None
    print_trade(state, pair, ticks, lots, taker_buys=order.is_buy)
    if other is None:
        state.changes.taken[pair.sym] = None
        _book_house_side(state, pair, lots, house_buys=not order.is_buy)
    fill(state, pair, order, lots, ticks, "TAKER")
    if other is not None:
        fill(state, pair, other, lots, ticks, "MAKER")


def start_outside(state: State, order: Order) -> None:
    """Start a venue-placed order that is filled outside the book and without a public trade."""
    order.id = order.client_id = state.next_id("order")
    order.created = state.now
    state.add_order(order)
    state.publish_order(order)


def fill_with_house(state: State, order: Order, lots: int, ticks: int) -> None:
    """Fill lots of a venue-placed order at a price against the house account."""
    pair = state.pairs[order.sym]
    _book_house_side(state, pair, lots, house_buys=not order.is_buy)
    fill(state, pair, order, lots, ticks, "TAKER")


def take_for_house(state: State, pair: Pair, limit: int, lots: int, *, is_buy: bool) -> int:
    """Take up to `lots` at `limit` or better for a simulated taker; return the lots traded."""
    book, taken = state.books[pair.sym], 0
    while taken < lots and pair.sym not in state.halted:
        maker = book.front(is_buy=not is_buy)
        if maker is None or maker.is_beyond(limit):
            break
        take = min(lots - taken, maker.lots)
        if maker.owner == HOUSE:
            book.reduce(maker, take)
            print_trade(state, pair, maker.ticks, take, taker_buys=is_buy)
        else:
            take = fill_by_house(state, pair, maker, take)
        taken += take
    if taken:
        state.changes.moved[pair.sym] = None
    return taken


def fill_by_house(state: State, pair: Pair, maker: Resting, lots: int, *, prints: bool = True) -> int:
    """Fill a portfolio's resting order against a simulated taker; return the lots."""
    order = state.orders[maker.order_id]
    if order.reduce_only:
        lots = min(lots, state.reducible(order))
    ticks = maker.ticks
    state.books[pair.sym].reduce(maker, lots)
    state.changes.moved[pair.sym] = None
    if prints:
        print_trade(state, pair, ticks, lots, taker_buys=not order.is_buy)
    _book_house_side(state, pair, lots, house_buys=not order.is_buy)
    fill(state, pair, order, lots, ticks, "MAKER")
    return lots


def sweep(state: State, pair: Pair, bid: int, ask: int) -> None:
    """Move the market to a new bid and ask: simulated takers fill the resting orders in between."""
    book = state.books[pair.sym]
    for is_buy, limit in ((True, ask), (False, bid)):
        while (maker := book.front(is_buy=is_buy)) is not None and limit:
            if (maker.ticks < limit) if is_buy else (maker.ticks > limit):
                break
            if maker.owner == HOUSE:
                book.remove(maker)
                state.changes.moved[pair.sym] = None
            else:
                fill_by_house(state, pair, maker, maker.lots)


def print_trade(state: State, pair: Pair, ticks: int, lots: int, *, taker_buys: bool) -> None:
    """Publish a public trade; its quantity is in base units for every pair."""
    state.marks.last[pair.sym] = ticks
    protection.on_last_price(state, pair, ticks)
    quantity = pair.qty_text(lots) if pair.contract_size == 1 else plain(pair.base_qty(lots))
    side = "buy" if taker_buys else "sell"
    state.prints += 1
    state.changes.publish(
        PublicTrade(
            pair.sym, pair.price_text(ticks), quantity, side, str(state.prints), state.now, state.moment(pair.sym)
        )
    )


def _book_house_side(state: State, pair: Pair, lots: int, *, house_buys: bool) -> None:
    if pair.is_perp:
        state.house[pair.sym] = state.house.get(pair.sym, 0) + (lots if house_buys else -lots)
        state.changes.dirty("house", pair.sym)


class OrderFill(NamedTuple):
    """Fill of a portfolio's order, with its amounts and fee."""

    trade_id: str
    lots: int
    ticks: int
    base: Decimal
    """Base units traded."""
    cost: Decimal
    """Quote units paid for them."""
    coin: str
    """Coin of the charge."""
    charge: fees.Charge
    role: str
    """MAKER or TAKER."""


def fill(state: State, pair: Pair, order: Order, lots: int, ticks: int, role: str) -> None:
    """Book a fill of a portfolio's order and everything that follows: algo orders, account figures, reduce-only orders."""
    new = book_fill(state, pair, order, lots, ticks, role)
    protection.on_fill(state, order, lots, new.cost)
    account_figures.publish_rows(state, order.portfolio, pair.exchange)
    if pair.is_perp:
        cancel_ineffective_reduce_only(state, order.portfolio, pair.sym)
        protection.expire_without_position(state, order.portfolio, pair.sym)


def book_fill(state: State, pair: Pair, order: Order, lots: int, ticks: int, role: str) -> OrderFill:
    """Book a fill in ledger, position, debt, order hold, statement, order and fill list."""
    new = _make_fill(state, pair, order, lots, ticks, role)
    done = _count_fill(order, new)
    before = statements.holdings_before_fill(state, pair, order)
    if pair.borrows:
        lending.borrow_for_fill(
            state, order, pair.quote if order.is_buy else pair.base, new.cost if order.is_buy else new.base
        )
    realised = _move_position(state, pair, order, new) if pair.is_perp else ZERO
    legs = _legs(pair, order, new, realised)
    state.post("trade", new.trade_id, legs)
    for leg in legs:
        if leg.owner == order.portfolio:
            lending.repay_from_incoming(state, leg.owner, leg.venue, leg.coin, leg.amount, new.trade_id)
    state.set_hold(order, ZERO if done else hold_of(state, order))
    statements.add_fill_rows(state, pair, order, new.trade_id, before)
    _settle_markup(state, pair, order, new)
    if done:
        _remove_from_book(state, order)
    _publish_fill(state, pair, order, new, realised)
    return new


def _make_fill(state: State, pair: Pair, order: Order, lots: int, ticks: int, role: str) -> OrderFill:
    """Build a fill with its amounts and fee; the fee is in base on a spot buy, else in quote."""
    base = pair.base_qty(lots)
    cost = pair.price(ticks) * base
    coin = pair.base if not pair.is_perp and order.is_buy else pair.quote
    charge = fees.split(base if coin == pair.base else cost, _rate(state, pair, order, role))
    return OrderFill(
        trade_id=state.next_id("trade"),
        lots=lots,
        ticks=ticks,
        base=base,
        cost=cost,
        coin=coin,
        charge=charge,
        role=role,
    )


def _rate(state: State, pair: Pair, order: Order, role: str) -> Decimal:
    if order.without_fee:
        return ZERO
    rates = fee_schedules.rates(state, order.portfolio, pair)
    return rates.taker if role == "TAKER" else rates.maker


def _settle_markup(state: State, pair: Pair, order: Order, new: OrderFill) -> None:
    """Settle the fee markup that a sub portfolio paid on top of the main portfolio's rate."""
    if order.without_fee or state.portfolios[order.portfolio].is_main:
        return
    base = fees.split(
        new.base if new.coin == pair.base else new.cost, pair.taker if new.role == "TAKER" else pair.maker
    )
    fee_schedules.settle(
        state, order.portfolio, pair, trade_id=new.trade_id, coin=new.coin, markup=new.charge.net - base.net,
        price=pair.price_text(new.ticks),
    )  # fmt: skip


def _count_fill(order: Order, new: OrderFill) -> bool:
    """Add a fill to the order's executed figures; return True when the order is fully filled."""
    order.executed += new.lots
    order.amount += new.cost
    order.last_lots, order.last_ticks = new.lots, new.ticks
    if new.charge.fee:
        order.fee, order.fee_coin = order.fee + new.charge.fee, new.coin
    if new.charge.rebate:
        order.rebate, order.rebate_coin = order.rebate + new.charge.rebate, new.coin
    done = not order.by_quote and not order.left
    order.state = OrderState.FILLED if done else OrderState.PARTIALLY_FILLED
    return done


def _move_position(state: State, pair: Pair, order: Order, new: OrderFill) -> Decimal:
    """Apply a fill to the position on a perpetual; return the realised P&L."""
    position = state.position(order.portfolio, pair.sym, order.leg)
    realised, ended = apply_fill(position, pair, new.lots, pair.price(new.ticks), new.charge.net, is_buy=order.is_buy)
    if ended is not None:
        ended.liq_fee += liquidation_fee(pair, order)
        state.record_closed(pair, ended, _CLOSED_BY.get(order.origin, ClosedType.COMPLETE_CLOSED))
        if position.lots:
            position.id, position.created = state.next_id("position"), state.now
    state.changes.dirty("position", f"{order.portfolio}|{pair.sym}|{order.leg}")
    if not position.lots:
        del state.positions[(order.portfolio, pair.sym, order.leg)]
    return realised


def liquidation_fee(pair: Pair, order: Order) -> Decimal:
    """Compute the liquidation fee on the amount closed, in quote, paid to the insurance fund; 0 for other orders."""
    if order.without_fee or order.origin not in (Origin.SYSTEM_LIQ, Origin.SYSTEM_REDUCE):
        return ZERO
    return fees.split(order.amount, pair.liquidation_fee).fee


def _legs(pair: Pair, order: Order, new: OrderFill, realised: Decimal) -> list[PostingLeg]:
    """Build the ledger legs of a fill; both parties post against the house account, never against each other."""
    portfolio, venue, net = order.portfolio, pair.exchange, new.charge.net
    if pair.is_perp:
        return [
            PostingLeg(portfolio, venue, SETTLEMENT, realised - net),
            PostingLeg(HOUSE_ACCOUNT, venue, SETTLEMENT, -realised),
            PostingLeg(FEE_ACCOUNT, venue, SETTLEMENT, net),
        ]
    sign = 1 if order.is_buy else -1
    return [
        PostingLeg(portfolio, venue, pair.base, sign * new.base - (net if order.is_buy else ZERO)),
        PostingLeg(HOUSE_ACCOUNT, venue, pair.base, -sign * new.base),
        PostingLeg(portfolio, venue, pair.quote, -sign * new.cost - (ZERO if order.is_buy else net)),
        PostingLeg(HOUSE_ACCOUNT, venue, pair.quote, sign * new.cost),
        PostingLeg(FEE_ACCOUNT, venue, new.coin, net),
    ]


def _publish_fill(state: State, pair: Pair, order: Order, new: OrderFill, realised: Decimal) -> None:
    charge = new.charge
    record = TradeRecord(
        transaction_id=new.trade_id,
        portfolio_id=order.portfolio,
        order_id=order.id,
        client_order_id=order.client_id,
        exchange_type=pair.exchange,
        business_type=pair.business_type,
        sym=pair.sym,
        side="BUY" if order.is_buy else "SELL",
        quantity=pair.qty_text(new.lots),
        price=pair.price_text(new.ticks),
        fee=plain(charge.fee),
        fee_coin=new.coin if charge.fee else "",
        rebate=plain(charge.rebate),
        rebate_coin=new.coin if charge.rebate else "",
        rpnl=plain(realised),
        algo_order_id=order.algo_id or NO_ALGO,
        exec_type=new.role,
        create_at=str(state.now),
    )
    state.fills.setdefault(order.portfolio, []).append(record)
    state.changes.dirty("fill", new.trade_id)
    state.changes.new_fills[new.trade_id] = record
    state.changes.publish(OrderFilled(order.portfolio, record))
    state.publish_order(order)


def hold_of(state: State, order: Order) -> Decimal:
    """Compute the balance an open spot or margin order holds: quote for a buy at its limit price, base for a sell.

    A margin order holds at most the available balance; perpetuals hold nothing.
    """
    pair = state.pairs[order.sym]
    if pair.is_perp:
        return ZERO
    full = full_hold(pair, order)
    if not pair.borrows:
        return full
    return min(full, max(state.available(order.portfolio, pair.exchange, order.hold_coin) + order.hold, ZERO))


def full_hold(pair: Pair, order: Order) -> Decimal:
    """Compute the balance an open spot or margin order would hold if the balance were enough."""
    if order.by_quote:
        return order.quote_qty - order.amount
    base = pair.base_qty(order.left)
    if not order.is_buy:
        return base
    if order.is_market:
        return ZERO
    return base * pair.price(order.ticks)


def _rest(state: State, book: Book, order: Order) -> None:
    resting = book.add(order.portfolio, order.id, order.ticks, order.left, is_buy=order.is_buy)
    state.resting[order.id] = resting
    state.set_hold(order, hold_of(state, order))
    state.changes.moved[order.sym] = None
    state.changes.stale[(order.portfolio, state.pairs[order.sym].exchange)] = None
    if order.state == OrderState.NEW:
        order.state = OrderState.OPEN
        state.publish_order(order)


def _remove_from_book(state: State, order: Order) -> None:
    state.open[order.portfolio].pop(order.id, None)
    resting = state.resting.pop(order.id, None)
    if resting is not None and resting.lots:
        state.books[order.sym].remove(resting)
        state.changes.moved[order.sym] = None


def end_order(state: State, order: Order, final: str, cancel_type: str, reason: str) -> None:
    """End an order without a fill: remove it from the book, release its hold, push its final record."""
    order.state = final
    order.cancel_type = cancel_type
    order.reason = reason
    state.set_hold(order, ZERO)
    _remove_from_book(state, order)
    state.changes.stale[(order.portfolio, state.pairs[order.sym].exchange)] = None
    state.publish_order(order)
    protection.on_order_end(state, order)


def cancel_ineffective_reduce_only(state: State, portfolio: str, sym: str) -> None:
    """Cancel resting reduce-only orders that can no longer reduce; by a switch, trim larger ones to the position."""
    cuts = state.switches["reduce_only_excess"] == "cut"
    for order in list(state.open.get(portfolio, {}).values()):
        if order.sym != sym or not order.reduce_only or order.id not in state.resting:
            continue
        room = state.reducible(order)
        if not room:
            end_order(state, order, OrderState.CANCELLED, CancelType.REDUCE_ONLY, REDUCES_NOTHING)
        elif cuts and order.left > room:
            state.books[sym].reduce(state.resting[order.id], order.left - room)
            state.changes.moved[sym] = None
            order.lots = order.executed + room
            order.amend_type = AmendType.REDUCE_ONLY
            state.publish_order(order)
