"""Pre-trade checks of an order against the market: price band, age of the quote, spread, own orders on the other side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import TypeAlias

from tui.engine.intents import Place
from tui.engine.limits import Limits
from tui.engine.orders.pre_trade_checks import (
    OrderContext,
    Refusal,
    Touch,
    check_listed,
    intent_closes,
    plain_grouped,
    size_checks,
)
from tui.engine.rows import OrderRow, QuoteRow
from tui.interface import decimals
from tui.interface.decimals import ZERO, plain, positive
from tui.interface.families.orders import Side
from tui.interface.symbols import pair_name, unit_of
from tui.rules import bands, rounding

SELF_CROSS = "SELF_CROSS"
Crossed: TypeAlias = tuple[OrderRow, Decimal]
"""Own order on the other side, and its price that the order would meet."""


def price_checks(
    order: OrderContext, now: float, silent: float, working: Iterable[OrderRow]
) -> Iterator[Refusal | None]:
    """Check price band, age of the quote, spread, and own orders on the opposite side.

    Args:
        order: The order.
        now: Monotonic time, s.
        silent: Seconds without any quote or public frame, the longer of the two.
        working: Own orders it could match.
    """
    intent, price, touch, limits = order.intent, order.figures.price, order.touch, order.limits
    yield check_band(order)
    takes = is_marketable(intent, price, touch)
    yield check_quote_age(order.quote, now, silent, limits, takes=takes)
    if takes:
        yield check_spread(intent.sym, touch, limits)
    yield check_self_cross(order, working)


def expect_denial(order: OrderContext) -> Refusal | None:
    """Return the denial that follows from order, quote and limits alone, for the preview before the order is sent."""
    intent, touch, limits = order.intent, order.touch, order.limits
    takes = is_marketable(intent, order.figures.price, touch)
    checks = (
        check_listed(intent.sym, limits),
        *size_checks(order),
        check_band(order),
        check_spread(intent.sym, touch, limits) if takes else None,
    )
    return next((refusal for refusal in checks if refusal is not None and not refusal.ask), None)


def check_band(order: OrderContext) -> Refusal | None:
    """Check that a limit price is neither too far beyond the best opposite price nor too far from the own side's."""
    intent, figures, touch, limits = order.intent, order.figures, order.touch, order.limits
    tick = order.terms.tick or ZERO
    if touch.reference(intent.side) is None:
        return Refusal("STALE", f"no price of {pair_name(intent.sym)} yet; wait for a quote")
    if figures.price is None:
        return _market_band(intent, touch, limits, tick)
    far_from = (
        (touch.ask or touch.bid or touch.mark) if intent.side is Side.BUY else (touch.bid or touch.ask or touch.mark)
    )
    near_from = (
        (touch.bid or touch.ask or touch.mark) if intent.side is Side.BUY else (touch.ask or touch.bid or touch.mark)
    )
    assert far_from is not None and near_from is not None
    far = bands.compute_width(far_from, limits.far_bp, limits.far_ticks, tick)
    near = bands.compute_width(near_from, limits.near_bp, limits.near_ticks, tick)
    sign = intent.side.sign
    price = plain_grouped(figures.price)
    if (figures.price - far_from) * sign > far:
        edge = _inward(far_from + far * sign, tick, sign)
        word = "up to" if sign > 0 else "down to"
        return Refusal(
            "BAND",
            f"price {price} is too far through the touch {plain_grouped(far_from)}; accepted {word} {plain_grouped(edge)}",
        )
    if not intent_closes(intent) and (near_from - figures.price) * sign > near:
        edge = _inward(near_from - near * sign, tick, -sign)
        word = "from" if sign > 0 else "down from"
        return Refusal(
            "BAND",
            f"price {price} is too far behind the touch {plain_grouped(near_from)}; accepted {word} {plain_grouped(edge)}",
        )
    return None


def _market_band(intent: Place, touch: Touch, limits: Limits, tick: Decimal) -> Refusal | None:
    """Check that the best price is not too far from the mark price, because a market order fills at it or worse."""
    far_from = touch.ask if intent.side is Side.BUY else touch.bid
    if far_from is None:
        return Refusal("BAND", f"nobody on the other side of {pair_name(intent.sym)}; a market order has no price")
    if touch.mark is None:
        return None
    width = max(bands.compute_width(touch.mark, limits.far_bp, limits.far_ticks, tick), touch.mark * bands.SWEEP_MARGIN)
    if (far_from - touch.mark) * intent.side.sign > width:
        return Refusal(
            "BAND",
            f"touch {plain_grouped(far_from)} is too far from mark {plain_grouped(touch.mark)} for a market order",
        )
    return None


def _inward(edge: Decimal, tick: Decimal, sign: int) -> Decimal:
    if not tick or edge <= 0:
        return max(edge, ZERO)
    return rounding.ceil_to(edge, tick) if sign < 0 else rounding.floor_to(edge, tick)


def is_marketable(intent: Place, price: Decimal | None, touch: Touch) -> bool:
    """Return whether the order would execute at once."""
    if price is None:
        return True
    other = touch.ask if intent.side is Side.BUY else touch.bid
    return other is not None and (price - other) * intent.side.sign >= 0


def check_quote_age(
    quote: QuoteRow | None, now: float, silent: float, limits: Limits, *, takes: bool
) -> Refusal | None:
    """Deny a marketable order without a quote; ask for confirmation at a stale quote or in a silent market.

    Args:
        quote: Quote of the pair.
        now: Monotonic time, s.
        silent: Seconds without a quote of any pair, or without a frame, the longer of the two.
        limits: Limits of the pair.
        takes: Whether the order would execute at once.
    """
    if quote is None or not quote.received:
        text = "no quote of this pair has come; an order that takes is refused until one does"
        return Refusal("STALE", text) if takes else None
    age = now - quote.received
    if silent > limits.red_after:
        return Refusal("STALE", f"no quotes for {silent:.0f} s, this one was {age:.0f} s old when asked", ask=True)
    if takes and age > limits.stale:
        return Refusal("STALE", f"the quote was {age:.1f} s old when asked", ask=True)
    return None


def check_spread(sym: str, touch: Touch, limits: Limits) -> Refusal | None:
    """Check the spread before a marketable order."""
    if touch.bid is None or touch.ask is None or touch.bid >= touch.ask:
        return None
    spread = (touch.ask - touch.bid) * bands.BP * 2 / (touch.ask + touch.bid)
    if spread <= limits.wide_bp:
        return None
    shown = plain(decimals.half_up(spread, 1))
    return Refusal(
        "WIDE", f"the spread of {pair_name(sym)} is {shown} bp; marketable orders are denied above {limits.wide_bp} bp"
    )


def worst_price(order: OrderContext) -> Decimal | None:
    """Return the worst price at which an order can be expected to trade; None: any price.

    A market order of at most the best quantity may go as far through the touch as a limit price.
    """
    figures, touch, side, limits = order.figures, order.touch, order.intent.side, order.limits
    best = touch.ask if side is Side.BUY else touch.bid
    if figures.price is not None or best is None or order.quote is None:
        return figures.price
    there = positive(order.quote.ask_qty if side is Side.BUY else order.quote.bid_qty)
    if there is not None and figures.qty <= there:
        return best + side.sign * bands.compute_width(best, limits.far_bp, limits.far_ticks, order.terms.tick or ZERO)
    return bands.worst_market_price(side, best, touch.mark)


def check_self_cross(order: OrderContext, working: Iterable[OrderRow]) -> Refusal | None:
    """Ask about own working orders on the opposite side with which the order would trade."""
    crossed = find_crossed(order, working)
    if not crossed:
        return None
    intent, (row, price) = order.intent, crossed[0]
    them = "them" if len(crossed) > 1 else "it"
    text = f"{describe_crossed(crossed, order.terms.tick)}; cancel {them} first, or send anyway"
    first = _describe_crossed_order(row, price, order.terms.tick)
    to_program = f"your {first} would trade with this one: move or cancel it first"
    if row.peer != intent.decision.peer:
        to_program = f"{row.peer or 'the trader'} has {first}, which would trade with this one: send at another price"
    return Refusal(SELF_CROSS, text, ask=True, to_program=to_program)


def find_crossed(order: OrderContext, working: Iterable[OrderRow]) -> list[Crossed]:
    """List own working orders with which an order could trade: opposite side, same or better price.

    Of an order that is being replaced both prices count: until the answer it may stand at either. One whose fills are all
    known is in no book any more, also while its last answer is missing.
    """
    intent, price = order.intent, worst_price(order)
    crossed: list[Crossed] = []
    for row in working:
        # Only the few matching rows are parsed, because hundreds of orders may be working.
        if row.sym != intent.sym or row.side != intent.side.other:
            continue
        if row.is_filled:
            continue
        for shown in (row.price, row.requested_price):
            theirs = decimals.optional(shown) if shown else None
            if theirs is not None and (price is None or (price - theirs) * intent.side.sign >= 0):
                crossed.append((row, theirs))
                break
    return crossed


def describe_crossed(crossed: Sequence[Crossed], tick: Decimal | None) -> str:
    """Describe own orders on the other side: the first, and how many more."""
    more = len(crossed) - 1
    verb = f"and {more} more are" if more else "is"
    return f"your own {_describe_crossed_order(*crossed[0], tick)} {verb} on the other side"


def _describe_crossed_order(row: OrderRow, price: Decimal, tick: Decimal | None) -> str:
    return f"{row.side} {row.qty} {unit_of(row.sym)} at {decimals.format_grouped(price, tick)}"
