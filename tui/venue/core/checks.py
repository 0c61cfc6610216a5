"""The checks of a placement and of an amend, in their order; the first that fails answers with its code."""

from __future__ import annotations

import re
from decimal import Decimal

from tui.interface.decimals import ZERO, BadDecimal, parse_request, plain
from tui.interface.families.orders import Name, OrderType, PositionSide, Side, TimeInForce
from tui.interface.families.positions import AccountStatus, PositionMode
from tui.rules import bands, sizes
from tui.rules.rounding import neighbours
from tui.venue.core import accounts
from tui.venue.core.commands import Place
from tui.venue.core.matching import hold_of
from tui.venue.core.orders import Order
from tui.venue.core.positions import LEGS, ONE_WAY
from tui.venue.core.refusal import Refusal
from tui.venue.core.state import State
from tui.venue.core.symbols import Pair

_LENIENT = re.compile(r"[A-Za-z0-9_-]+")
_STRICT = re.compile(r"[a-z0-9]{1,32}")
MAX_CLIENT_ID = 63
_REDUCING_ONLY = (
    AccountStatus.CANCEL_OPEN,
    AccountStatus.CANCEL_ALL,
    AccountStatus.LIQUIDATING,
    AccountStatus.TAKEOVER,
)


def placement(state: State, command: Place) -> Order:
    """Checks 1 to 18; returns the order without an id, not registered.

    Raises:
        Refusal: the first failing check.
    """
    pair = _fields(state, command)
    is_buy = command.side == Side.BUY
    is_market = command.order_type == OrderType.MARKET
    by_quote = is_market and is_buy and not pair.is_perp and not command.order_qty
    price = ZERO if is_market else decimal_of(Name.LIMIT_PRICE, command.limit_price, 401006)
    quote = decimal_of(Name.QUOTE_ORDER_QTY, command.quote_order_qty, 401021) if by_quote else ZERO
    wish = ZERO if by_quote else decimal_of(Name.ORDER_QTY, command.order_qty, 401005)
    client_id(state, command.portfolio, command.client_order_id)
    order = Order(
        id="",
        client_id=command.client_order_id,
        portfolio=command.portfolio,
        sym=pair.sym,
        is_buy=is_buy,
        is_market=is_market,
        tif=TimeInForce.IOC if is_market else command.time_in_force or TimeInForce.GTC,
        lots=0,
        ticks=0 if is_market else ticks_of(pair, price),
        quote_qty=quote,
        reduce_only=command.reduce_only and pair.is_perp,
        leg=_leg(state, pair, command),
        leverage=_leverage(state, pair, command.portfolio),
        hold_coin="" if pair.is_perp else (pair.quote if is_buy else pair.base),
    )
    order.reduce_only = order.reduce_only or order.closes_leg
    if by_quote:
        _quote_amount(state, pair, quote)
    else:
        order.lots = lots_of(pair, wish, market=is_market)
        notional(state, pair, order)
    band(state, pair, order)
    _account(state, pair, order)
    _reduces(state, pair, order)
    _room_for_orders(state, pair, order)
    if command.tp_trigger_price or command.sl_trigger_price:
        raise Refusal(400000, "tpTriggerPrice, slTriggerPrice: attached orders are not offered here; leave them empty")
    money(state, order)
    return order


def _fields(state: State, command: Place) -> Pair:
    """Checks 1 to 3."""
    for name, value in (("sym", command.sym), ("side", command.side), (Name.ORDER_TYPE, command.order_type)):
        if not value:
            raise Refusal(400009, f"{name} is required")
    spot_market_buy = (
        command.order_type == OrderType.MARKET and command.side == Side.BUY and "_PERP_" not in command.sym
    )
    if not command.order_qty and not (spot_market_buy and command.quote_order_qty):
        also = f" (or {Name.QUOTE_ORDER_QTY})" if spot_market_buy else ""
        raise Refusal(400009, f"{Name.ORDER_QTY}{also} is required")
    if command.order_type == OrderType.LIMIT and not command.limit_price:
        raise Refusal(400009, f"{Name.LIMIT_PRICE} is required for LIMIT")
    pair = state.pairs.get(command.sym)
    if pair is None or command.sym not in state.offered:
        raise Refusal(401011, f"sym {command.sym[:64]!r} is not offered; see the symbol info")
    _word("side", command.side, tuple(Side), 401002)
    _word(Name.ORDER_TYPE, command.order_type, tuple(OrderType), 401003)
    if command.time_in_force and command.order_type == OrderType.LIMIT:
        _word(Name.TIME_IN_FORCE, command.time_in_force, tuple(TimeInForce), 401004)
    if command.position_side and pair.is_perp:
        leg_word(command.position_side)
    return pair


def leg_word(position_side: str) -> None:
    """Check 3 of a positionSide that was sent."""
    if position_side:
        _word(Name.POSITION_SIDE, position_side, tuple(PositionSide), 401905)


def _word(name: str, value: str, words: tuple[str, ...], code: int) -> None:
    if value not in words:
        raise Refusal(code, f"{name} {value[:40]!r} is not accepted; it takes {', '.join(words)}")


def decimal_of(name: str, text: str, code: int) -> Decimal:
    """Check 4: a positive plain decimal."""
    try:
        value = parse_request(text)
    except BadDecimal:
        value = ZERO
    if value <= 0:
        raise Refusal(code, f"{name} {text[:40]!r} is not accepted; it takes a decimal above 0, for example 1.5")
    return value


def client_id(state: State, portfolio: str, text: str) -> None:
    """Check 5: length, characters, not used before."""
    if not text:
        return
    if len(text) > MAX_CLIENT_ID:
        raise Refusal(
            401001, f"{Name.CLIENT_ORDER_ID} has {len(text)} characters; at most {MAX_CLIENT_ID} are accepted"
        )
    strict = state.switches["client_ids"] == "strict"
    if (_STRICT if strict else _LENIENT).fullmatch(text) is None:
        accepted = "1 to 32 of a-z and 0-9" if strict else "letters, digits, - and _"
        raise Refusal(400000, f"{Name.CLIENT_ORDER_ID} {text!r} is not accepted; it takes {accepted}")
    mode = state.switches["duplicate_client_id"]
    known = state.clients.get((portfolio, text))
    if known is None or mode == "accept":
        return
    if mode == "reject" or not state.orders[known].is_final:
        raise Refusal(401009, f"{Name.CLIENT_ORDER_ID} {text!r} is a duplicate of order {known}; use an id only once")


def ticks_of(pair: Pair, price: Decimal) -> int:
    """Check 6."""
    ticks = pair.ticks(price)
    if ticks is None:
        below, above = neighbours(price, pair.tick)
        raise Refusal(
            401015,
            f"{Name.LIMIT_PRICE} {plain(price)} is not a multiple of {Name.TICK_SIZE} {plain(pair.tick)}; "
            f"next are {plain(below)} and {plain(above)}",
        )
    return ticks


def lots_of(pair: Pair, wish: Decimal, *, market: bool) -> int:
    """Checks 7 and 8."""
    lots = pair.lots(wish)
    if lots is None:
        raise Refusal(401013, f"{Name.ORDER_QTY} {plain(wish)} is not a multiple of {Name.LOT_SIZE} {plain(pair.lot)}")
    if lots < pair.min_lots:
        raise Refusal(401014, f"{Name.ORDER_QTY} {plain(wish)} is below {Name.MIN_SIZE} {pair.qty_text(pair.min_lots)}")
    most, name = (pair.max_market_lots, Name.MAX_MARKET_SIZE) if market else (pair.max_limit_lots, Name.MAX_LIMIT_SIZE)
    if lots > most:
        raise Refusal(401025, f"{Name.ORDER_QTY} {plain(wish)} is above {name} {pair.qty_text(most)}")
    return lots


def _quote_amount(state: State, pair: Pair, quote: Decimal) -> None:
    """Checks 7 and 9 for an order by quote amount."""
    if -int(quote.normalize().as_tuple().exponent) > 8:
        raise Refusal(401021, f"{Name.QUOTE_ORDER_QTY} {plain(quote)} has more than 8 decimals")
    most = pair.base_qty(pair.max_market_lots) * state.valuation(pair)
    if quote > most:
        raise Refusal(401026, f"{Name.QUOTE_ORDER_QTY} {plain(quote)} is above {plain(most)}, the largest market order")
    if quote < pair.min_notional:
        raise Refusal(
            401028, f"{Name.QUOTE_ORDER_QTY} {plain(quote)} is below {Name.MIN_NOTIONAL} {plain(pair.min_notional)}"
        )


def notional(state: State, pair: Pair, order: Order) -> None:
    """Check 10; reduce-only orders are exempt."""
    value = pair.base_qty(order.lots) * accounts.order_price(state, order)
    if not order.reduce_only and value < pair.min_notional:
        raise Refusal(
            401017, f"the order is worth {plain(value)}, below {Name.MIN_NOTIONAL} {plain(pair.min_notional)}"
        )


def band(state: State, pair: Pair, order: Order) -> None:
    """Check 11; not for market orders."""
    if order.is_market:
        return
    allowed = bands.around(state.valuation(pair), bands.LIMIT_SHARE)
    if not allowed.holds(pair.price(order.ticks)):
        raise Refusal(
            401906,
            f"{Name.LIMIT_PRICE} {pair.price_text(order.ticks)} is too far from the market; "
            f"accepted are {plain(allowed.low)} to {plain(allowed.high)}",
        )


def _account(state: State, pair: Pair, order: Order) -> None:
    """Checks 12 and 13."""
    if pair.exchange not in state.venues(order.portfolio):
        raise Refusal(401911, f"the portfolio has no account on {pair.exchange}")
    risk(state, pair, order)


def risk(state: State, pair: Pair, order: Order) -> None:
    """Check 13: from CANCEL_OPEN on only reducing orders are taken."""
    shown = state.shown_accounts.get((order.portfolio, pair.exchange))
    if shown is None or shown.account_status not in _REDUCING_ONLY:
        return
    if not pair.is_perp or accounts.increasing_lots(state, order):
        raise Refusal(
            401910, f"the {pair.exchange} account is in {shown.account_status}; only reducing orders are taken"
        )


def leg_of(state: State, pair: Pair, portfolio: str, position_side: str) -> str:
    """The leg that a positionSide names; NONE in one-way mode, whatever was sent, and on spot pairs."""
    hedged = pair.is_perp and state.mode(portfolio, pair.exchange) == PositionMode.BOTH
    return position_side if hedged and position_side in LEGS else ONE_WAY


def _leg(state: State, pair: Pair, command: Place) -> str:
    return leg_of(state, pair, command.portfolio, command.position_side)


def _reduces(state: State, pair: Pair, order: Order) -> None:
    """Checks 14 and 15."""
    hedged = pair.is_perp and state.mode(order.portfolio, pair.exchange) == PositionMode.BOTH
    if hedged and order.leg == ONE_WAY:
        raise Refusal(
            401905, f"{Name.POSITION_SIDE} is required in hedge mode on {pair.exchange}; it takes {', '.join(LEGS)}"
        )
    if not order.reduce_only or state.reducible(order):
        return
    side = Side.BUY if order.is_buy else Side.SELL
    if order.closes_leg:
        raise Refusal(401903, f"{side} with {Name.POSITION_SIDE} {order.leg}: the {order.leg} leg is already empty")
    held = pair.qty_text(state.held(order.portfolio, pair.sym, order.leg))
    raise Refusal(401903, f"{Name.REDUCE_ONLY} {side} would not reduce the position of {held} on {pair.sym}")


def _room_for_orders(state: State, pair: Pair, order: Order) -> None:
    """Check 16."""
    mine = sum(1 for other in state.open.get(order.portfolio, {}).values() if other.sym == pair.sym)
    if mine >= pair.max_orders:
        raise Refusal(401907, f"{mine} orders are open on {pair.sym}; {Name.MAX_NUM_ORDERS} is {pair.max_orders}")


def money(state: State, order: Order) -> None:
    """Check 18: balance of a spot order, margin of everything that adds risk. An order that rests counts without itself."""
    pair = state.pairs[order.sym]
    price = accounts.order_price(state, order)
    row = accounts.figures(state, order.portfolio, pair.exchange)
    if pair.is_perp:
        lots = accounts.increasing_lots(state, order)
        if not lots:
            return
        side = Side.BUY if order.is_buy else Side.SELL
        mark, leverage = state.marks.mark[pair.sym], Decimal(state.leverage(order.portfolio, pair))
        need = lots * sizes.margin_per_unit(side, price, mark, leverage, pair.taker, pair.lot_base)
        if need > row.available:
            raise Refusal(401902, f"needs {plain(need)} {pair.quote} of margin; available are {plain(row.available)}")
        return
    need = hold_of(state, order)
    if order.is_market and order.is_buy and not order.by_quote:
        need = pair.base_qty(order.left) * price * (1 + bands.MARKET_SHARE)
    free = state.available(order.portfolio, pair.exchange, order.hold_coin)
    if need > free:
        raise Refusal(401901, f"needs {plain(need)} {order.hold_coin}; available are {plain(max(free, ZERO))}")
    if order.is_buy and row.perp_margin:
        value = order.quote_qty if order.by_quote else pair.base_qty(order.left) * price
        cost = value * (1 - accounts.discount(pair.base) + pair.taker)
        if cost > row.available:
            raise Refusal(401902, f"would take {plain(cost)} of margin; available are {plain(row.available)}")


def _leverage(state: State, pair: Pair, portfolio: str) -> int | None:
    if pair.is_perp:
        return state.leverage(portfolio, pair)
    return 1 if state.switches["spot_leverage"] == "1" else None
