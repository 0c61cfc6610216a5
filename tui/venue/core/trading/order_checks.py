"""Validation of order placements and amends, in the documented order; the first failed check gives the error code."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO, plain
from tui.interface.families.algo import STOP_LOSS, TAKE_PROFIT
from tui.interface.families.orders import AmendType, Name, OrderType, PlaceOrder, Side, TimeInForce
from tui.interface.families.positions import PositionMode
from tui.interface.text import how_many
from tui.rules import account, bands, preview, sizes
from tui.venue.core.accounts import account_figures, account_settings, fee_schedules, lending
from tui.venue.core.accounts.loan_terms import LOANS
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state import lookup, risk_ladder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order
from tui.venue.core.state.positions import LEGS, ONE_WAY
from tui.venue.core.trading import field_checks, matching, trigger_checks


def check_placement(state: State, command: PlaceOrder) -> Order:
    """Run checks 1 to 18 in the documented order; return the order, not registered and without an id.

    Raises:
        CheckFailed: The first check that fails.
    """
    pair = _check_fields(state, command)
    amounts = _read_amounts(pair, command)
    check_client_id(state, command.portfolio, command.client_order_id)
    order = _make_order(state, pair, command, amounts)
    if order.by_quote:
        _check_quote_amount(state, pair, order.quote_qty)
    else:
        order.lots = field_checks.lots_of(pair, amounts.quantity)
        field_checks.check_size(pair, order.lots, market=order.is_market)
        check_notional(state, pair, order)
    for check in _SITUATION_CHECKS:
        check(state, pair, order)
    order.tp, order.sl = trigger_checks.check_attached(
        state, pair, _read_triggers(command), is_buy=order.is_buy, limit=amounts.price
    )
    check_money(state, order)
    return order


class _Amounts(NamedTuple):
    """Decimal fields of a placement; 0 where this kind of order has none."""

    quantity: Decimal
    price: Decimal
    quote: Decimal


def _read_amounts(pair: Pair, command: PlaceOrder) -> _Amounts:
    """Parse the decimal fields (check 4)."""
    is_market = command.order_type == OrderType.MARKET
    by_quote = is_market and command.side == Side.BUY and not pair.is_perp and not command.order_qty
    return _Amounts(
        quantity=ZERO if by_quote else field_checks.decimal_of(Name.ORDER_QTY, command.order_qty, 401005),
        price=ZERO if is_market else field_checks.decimal_of(Name.LIMIT_PRICE, command.limit_price, 401006),
        quote=field_checks.decimal_of(Name.QUOTE_ORDER_QTY, command.quote_order_qty, 401021) if by_quote else ZERO,
    )


def _make_order(state: State, pair: Pair, command: PlaceOrder, amounts: _Amounts) -> Order:
    """Build the order of a placement with its price in ticks (check 6); its lots are set later."""
    is_buy = command.side == Side.BUY
    is_market = command.order_type == OrderType.MARKET
    order = Order(
        id="",
        client_id=command.client_order_id,
        portfolio=command.portfolio,
        sym=pair.sym,
        is_buy=is_buy,
        is_market=is_market,
        tif=TimeInForce.IOC if is_market else command.time_in_force or TimeInForce.GTC,
        lots=0,
        ticks=0 if is_market else field_checks.ticks_of(pair, amounts.price),
        quote_qty=amounts.quote,
        reduce_only=bool(command.reduce_only) and pair.is_perp,
        leg=leg_of(state, pair, command.portfolio, command.position_side),
        leverage=leverage_of(state, pair, command.portfolio),
        hold_coin="" if pair.is_perp else (pair.quote if is_buy else pair.base),
    )
    order.reduce_only = order.reduce_only or order.closes_leg
    return order


def _read_triggers(command: PlaceOrder) -> tuple[trigger_checks.TriggerRequest, trigger_checks.TriggerRequest]:
    """Return take-profit and stop of a placement as sent (check 17)."""
    return (
        trigger_checks.TriggerRequest(TAKE_PROFIT, command.tp_trigger_price, command.tp_trigger_type, command.tp_price),
        trigger_checks.TriggerRequest(STOP_LOSS, command.sl_trigger_price, command.sl_trigger_type, command.sl_price),
    )


def _check_fields(state: State, command: PlaceOrder) -> Pair:
    """Run checks 1 to 3; return the pair."""
    for name, value in (("sym", command.sym), ("side", command.side), (Name.ORDER_TYPE, command.order_type)):
        if not value:
            raise CheckFailed(400009, f"{name} is required")
    spot_market_buy = (
        command.order_type == OrderType.MARKET and command.side == Side.BUY and "_PERP_" not in command.sym
    )
    if not command.order_qty and not (spot_market_buy and command.quote_order_qty):
        also = f" (or {Name.QUOTE_ORDER_QTY})" if spot_market_buy else ""
        raise CheckFailed(400009, f"{Name.ORDER_QTY}{also} is required")
    if command.order_type == OrderType.LIMIT and not command.limit_price:
        raise CheckFailed(400009, f"{Name.LIMIT_PRICE} is required for LIMIT")
    pair = find_trading_pair(state, command.sym)
    field_checks.check_word("side", command.side, tuple(Side), 401002)
    field_checks.check_word(Name.ORDER_TYPE, command.order_type, tuple(OrderType), 401003)
    if command.time_in_force and command.order_type == OrderType.LIMIT:
        field_checks.check_word(Name.TIME_IN_FORCE, command.time_in_force, tuple(TimeInForce), 401004)
    if command.position_side and pair.is_perp:
        field_checks.check_leg_word(command.position_side)
    return pair


def find_trading_pair(state: State, sym: str) -> Pair:
    """Find an offered pair that is trading now (check 2).

    Raises:
        CheckFailed: 401011, 401912.
    """
    pair = state.pairs.get(sym)
    if pair is None or sym not in state.offered:
        raise CheckFailed(401011, f"sym {sym[:64]!r} is not offered; see the symbol info")
    check_trades(state, sym)
    return pair


def check_trades(state: State, sym: str) -> None:
    """Check that a pair is trading now (second half of check 2).

    Raises:
        CheckFailed: 401912.
    """
    if sym in state.halted:
        raise CheckFailed(401912, f"sym {sym} is {state.halted[sym]}; it is not trading now")


def check_child(state: State, pair: Pair, order: Order) -> None:
    """Check that the child order of a fired trigger can be placed: pair trading, account state, limits and funds.

    Raises:
        CheckFailed: The first check that fails.
    """
    check_trades(state, pair.sym)
    for check in _SITUATION_CHECKS:
        check(state, pair, order)
    check_money(state, order)


def check_client_id(state: State, portfolio: str, text: str) -> None:
    """Check length, characters and uniqueness of a clientOrderId (check 5)."""
    if not text:
        return
    field_checks.check_client_id(text, strict=state.switches["client_ids"] == "strict")
    mode = state.switches["duplicate_client_id"]
    known = lookup.order_id_of(state, portfolio, text) if mode != "accept" else ""
    if known and (mode == "reject" or known in state.open.get(portfolio, {})):
        raise CheckFailed(
            401009, f"{Name.CLIENT_ORDER_ID} {text!r} is a duplicate of order {known}; use an id only once"
        )


def _check_quote_amount(state: State, pair: Pair, quote: Decimal) -> None:
    """Run checks 7 and 9 for an order by quote amount."""
    if -int(quote.normalize().as_tuple().exponent) > 8:
        raise CheckFailed(401021, f"{Name.QUOTE_ORDER_QTY} {plain(quote)} has more than 8 decimals")
    most = pair.base_qty(pair.max_market_lots) * state.valuation(pair)
    if quote > most:
        raise CheckFailed(
            401026, f"{Name.QUOTE_ORDER_QTY} {plain(quote)} is above {plain(most)}, the largest market order"
        )
    if quote < pair.min_notional:
        raise CheckFailed(
            401028, f"{Name.QUOTE_ORDER_QTY} {plain(quote)} is below {Name.MIN_NOTIONAL} {plain(pair.min_notional)}"
        )


def check_notional(state: State, pair: Pair, order: Order) -> None:
    """Check the minimum notional (check 10); reduce-only orders are exempt."""
    value = pair.base_qty(order.lots) * account_figures.order_price(state, order)
    if not bands.meets_min_notional(value, pair.min_notional, closes=order.reduce_only):
        raise CheckFailed(
            401017, f"the order is worth {plain(value)}, below {Name.MIN_NOTIONAL} {plain(pair.min_notional)}"
        )


def check_band(state: State, pair: Pair, order: Order) -> None:
    """Check that a limit price is within the price band (check 11)."""
    if order.is_market:
        return
    allowed = bands.band_around(state.valuation(pair), bands.LIMIT_SHARE)
    if not allowed.contains(pair.price(order.ticks)):
        raise CheckFailed(
            401906,
            f"{Name.LIMIT_PRICE} {pair.price_text(order.ticks)} is too far from the market; "
            f"accepted are {plain(allowed.low)} to {plain(allowed.high)}",
        )


def check_risk(state: State, pair: Pair, order: Order) -> None:
    """Check the account status (check 13): from CANCEL_OPEN on only reducing orders, during liquidation none."""
    account_settings.check_not_liquidated(state, order.portfolio, pair.exchange)
    shown = state.published.accounts.get((order.portfolio, pair.exchange))
    if shown is None or shown.account_status not in risk_ladder.CANCELLING:
        return
    if not pair.is_perp or account_figures.increasing_lots(state, order):
        raise CheckFailed(
            401910, f"the {pair.exchange} account is in {shown.account_status}; only reducing orders are accepted"
        )


def leg_of(state: State, pair: Pair, portfolio: str, position_side: str) -> str:
    """Return the position leg of a positionSide; always NONE in one-way mode and on spot pairs."""
    hedged = pair.is_perp and state.mode(portfolio, pair.exchange) == PositionMode.BOTH
    return position_side if hedged and position_side in LEGS else ONE_WAY


def check_leg_given(state: State, pair: Pair, portfolio: str, leg: str) -> None:
    """Check that positionSide is given in hedge mode (check 14)."""
    hedged = pair.is_perp and state.mode(portfolio, pair.exchange) == PositionMode.BOTH
    if hedged and leg == ONE_WAY:
        raise CheckFailed(
            401905,
            f"{Name.POSITION_SIDE} is required in hedge mode on {pair.exchange}; it takes {', '.join(LEGS)}",
        )


def _check_reduces(state: State, pair: Pair, order: Order) -> None:
    """Check that a reduce-only order would reduce the position (check 15)."""
    room = state.reducible(order)
    if not order.reduce_only or room:
        if order.reduce_only and order.lots > room:
            _apply_excess(state, pair, order, room)
        return
    side = Side.BUY if order.is_buy else Side.SELL
    if order.closes_leg:
        raise CheckFailed(401903, f"{side} with {Name.POSITION_SIDE} {order.leg}: the {order.leg} leg is already empty")
    held = pair.qty_text(state.position_lots(order.portfolio, pair.sym, order.leg))
    raise CheckFailed(401903, f"{Name.REDUCE_ONLY} {side} would not reduce the position of {held} on {pair.sym}")


def _apply_excess(state: State, pair: Pair, order: Order, room: int) -> None:
    """Handle a reduce-only quantity above the position by the switch `reduce_only_excess`; default: trimmed at the fill."""
    match state.switches["reduce_only_excess"]:
        case "cut":
            order.lots, order.amend_type = room, AmendType.REDUCE_ONLY
        case "reject":
            raise CheckFailed(
                401903,
                f"{Name.ORDER_QTY} {pair.qty_text(order.lots)} is above the position of {pair.qty_text(room)} "
                f"that {Name.REDUCE_ONLY} may reduce on {pair.sym}",
            )


def _check_order_count(state: State, pair: Pair, order: Order) -> None:
    """Check the limit of open orders (check 16)."""
    count = sum(1 for other in state.open.get(order.portfolio, {}).values() if other.sym == pair.sym)
    if count >= pair.max_orders:
        raise CheckFailed(
            401907,
            f"{how_many(count, 'order is', 'orders are')} open on {pair.sym}; {Name.MAX_NUM_ORDERS} is {pair.max_orders}",
        )


def _check_has_account(state: State, pair: Pair, order: Order) -> None:
    """Check that the portfolio has an account on the venue (check 12)."""
    account_settings.check_has_account(state, order.portfolio, pair.exchange)


def _check_leg(state: State, pair: Pair, order: Order) -> None:
    """Check that positionSide is given in hedge mode (check 14)."""
    check_leg_given(state, pair, order.portfolio, order.leg)


_SITUATION_CHECKS: tuple[Callable[[State, Pair, Order], None], ...] = (
    check_band,
    _check_has_account,
    check_risk,
    _check_leg,
    _check_reduces,
    _check_order_count,
)
"""Checks 11 to 16 in their order; they depend on market and account, so a child order passes them again."""


def check_money(state: State, order: Order) -> None:
    """Check the funds (check 18): the balance for a spot order, the margin for everything that adds risk.

    A resting order counts without itself.
    """
    pair = state.pairs[order.sym]
    price = account_figures.order_price(state, order)
    row = account_figures.compute_row(state, order.portfolio, pair.exchange)
    if pair.is_perp:
        _check_perpetual_margin(state, pair, order, price, row.figures.available)
        return
    need = matching.full_hold(pair, order)
    if order.is_market and order.is_buy and not order.by_quote:
        need = pair.base_qty(order.left) * price * (1 + bands.MARKET_SHARE)
    free = max(state.available(order.portfolio, pair.exchange, order.hold_coin), ZERO)
    if need > free and not pair.borrows:
        raise CheckFailed(401901, f"needs {plain(need)} {order.hold_coin}; available: {plain(free)}")
    if need > free:
        _check_loan(state, pair, order, need - free)
    if (order.is_buy and row.figures.frozen) or need > free:
        available = _available_after(state, pair, order, price, row)
        if available < 0:
            raise CheckFailed(401902, f"would leave {plain(available)} of available margin on {pair.exchange}")


def _check_perpetual_margin(state: State, pair: Pair, order: Order, price: Decimal, available: Decimal) -> None:
    lots = account_figures.increasing_lots(state, order)
    if not lots:
        return
    side = Side.BUY if order.is_buy else Side.SELL
    mark, leverage = state.marks.mark[pair.sym], Decimal(state.leverage(order.portfolio, pair))
    taker = fee_schedules.rates(state, order.portfolio, pair).taker
    need = lots * sizes.margin_per_unit(side, price, mark, leverage, taker, pair.lot_base)
    if need > available:
        raise CheckFailed(401902, f"needs {plain(need)} {pair.quote} of margin; available: {plain(available)}")


def _check_loan(state: State, pair: Pair, order: Order, missing: Decimal) -> None:
    """Check that the lending pool and the user's limit allow the coins a margin order would borrow."""
    loan = LOANS.get((pair.exchange, order.hold_coin))
    room = lending.borrowable(state, order.portfolio, loan) if loan is not None else ZERO
    if missing > room:
        raise CheckFailed(
            401902, f"would borrow {plain(missing)} {order.hold_coin}; {plain(room)} can be borrowed on {pair.exchange}"
        )


def _available_after(state: State, pair: Pair, order: Order, price: Decimal, row: account_figures.VenueRow) -> Decimal:
    """Compute the available margin with a spot or margin order, resting or completely filled, whichever is less."""
    coins = row.account.coins
    for coin in (pair.base, pair.quote):
        if row.account.coin(coin) is None:
            coins = (*coins, account_figures.coin_of(state, order.portfolio, pair.exchange, coin))
    quantity = order.quote_qty / price if order.by_quote else pair.base_qty(order.left)
    side = Side.BUY if order.is_buy else Side.SELL
    free = max(state.available(order.portfolio, pair.exchange, order.hold_coin), ZERO)
    taker = fee_schedules.rates(state, order.portfolio, pair).taker
    part = preview.FillPart(quantity, price, taker)
    filled = preview.fill_coins(
        row.account._replace(coins=coins), pair.base, pair.quote, side, [part], borrows=pair.borrows, free=free
    )
    traded = account.compute_figures(filled.account).available
    if not order.is_buy:
        return traded
    value = order.quote_qty if order.by_quote else quantity * price
    resting = row.figures.available - value * (1 - account_figures.discount(pair.base) + taker)
    return min(traded, resting)


def leverage_of(state: State, pair: Pair, portfolio: str) -> int | None:
    """Return the leverage shown in an order's record; on a spot pair 1 or None, by the switch `spot_leverage`."""
    if pair.is_perp:
        return state.leverage(portfolio, pair)
    return 1 if state.switches["spot_leverage"] == "1" else None
