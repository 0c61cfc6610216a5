"""Tickets of a line: what an order, a replace or a close would send, by the figures of the desk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import msgspec

from tui.engine.rows import OrderRow, QuoteRow
from tui.interface.decimals import ZERO, plain
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import leg_of, net_size_of, size_of
from tui.rules import rounding, sizes
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import (
    BUYS,
    Change,
    Close,
    Flags,
    Nudge,
    Order,
    Price,
    PriceWord,
    Quantity,
    Unit,
)
from tui.workstation.command_line.levels import compute_price, list_positions, shift, write_trigger
from tui.workstation.model import account_snapshot, number_format
from tui.workstation.model.account_risk import equity_less_loans
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.model.position_metrics import closable, explain_nothing_left, name_holders
from tui.workstation.tickets.order import position_mode, sizing, ticket_factory
from tui.workstation.tickets.order.checks import ProblemKind, smallest_size
from tui.workstation.tickets.order.limits import exceeds_hard_limit
from tui.workstation.tickets.order.position import describe_turn
from tui.workstation.tickets.order.protection import BadProtection, WrongSide
from tui.workstation.tickets.order.sizing import BadSize, OffLot, SizeTooSmall
from tui.workstation.tickets.order.terms import WHOLE, PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.foreseen_orders import foresee_orders

TIFS = {"po": TimeInForce.GTX, "ioc": TimeInForce.IOC, "fok": TimeInForce.FOK, "gtc": TimeInForce.GTC}
_HEDGED = {
    "long": PositionEffect.OPEN_LONG,
    "short": PositionEffect.OPEN_SHORT,
    "xlong": PositionEffect.CLOSE_LONG,
    "xshort": PositionEffect.CLOSE_SHORT,
}
_CLOSES = {"xlong": "LONG", "xshort": "SHORT"}


def build_order(order: Order, view: DisplayContext) -> Ticket:
    """Build the ticket of a new order.

    Raises:
        LineRefused: A rule of the line, of the position mode or a missing figure forbids it.
    """
    if order.flags.client_id:
        raise LineRefused(
            Code.NOT_YET, "id: every order gets an id of its own, so that none is sent twice; leave id out"
        )
    ticket = start_ticket(order.verb, order.sym, view, reduce_only=order.flags.reduce_only)
    ticket = apply_price(ticket, order.price, order.flags, view)
    ticket = apply_protection(ticket, order.flags, view)
    ticket = apply_quantity(ticket, order.quantity, view)
    _check_most(ticket, order.flags, view)
    return ticket


def start_ticket(verb: str, sym: str, view: DisplayContext, *, reduce_only: bool) -> Ticket:
    """Build a ticket with side and position effect but no size; refuse a verb that could open or close in hedge mode."""
    side = Side.BUY if verb in BUYS else Side.SELL
    ticket = ticket_factory.new_order(sym, side, view)
    if ticket.info is None:
        raise LineRefused(Code.NOT_KNOWN, f"the rules of {sym} are not known yet")
    legs = {leg_of(record) for record in list_positions(sym, view)}
    closes = _CLOSES.get(verb, "")
    if closes and closes not in legs:
        raise LineRefused(Code.LEG_EMPTY, f"there is no {closes.lower()} position in {sym} to close")
    if not position_mode.is_hedged(sym, view.mirror):
        return msgspec.structs.replace(ticket, qty="", preset="", reduce_only=bool(closes) or reduce_only)
    if verb in _HEDGED:
        effect = _HEDGED[verb]
    elif reduce_only:
        effect = PositionEffect.CLOSE_SHORT if side is Side.BUY else PositionEffect.CLOSE_LONG
    else:
        against = "SHORT" if side is Side.BUY else "LONG"
        if against in legs:
            opens, ends = ("long", "xshort") if side is Side.BUY else ("short", "xlong")
            means = f"{opens} opens a {opens}, {ends} closes the {against.lower()}"
            text = f"{verb} could mean two things in hedge mode: {means}"
            raise LineRefused(Code.TWO_READINGS, text)
        effect = PositionEffect.OPEN_LONG if side is Side.BUY else PositionEffect.OPEN_SHORT
    return msgspec.structs.replace(ticket, qty="", preset="", effect=effect)


# Price


def apply_price(ticket: Ticket, price: Price, flags: Flags, view: DisplayContext) -> Ticket:
    """Return a ticket with a price clause and a time in force.

    A price that waits is post-only, `take` immediate-or-cancel and a typed price good till cancelled, unless an option
    says otherwise.
    """
    quote = view.mirror.quotes.get(ticket.sym)
    tif = TIFS.get(flags.tif)
    if price.word is PriceWord.MARKET:
        return msgspec.structs.replace(ticket, order_type=OrderType.MARKET)
    if price.word is PriceWord.AT and price.level is not None:
        text = compute_price(price.level, ticket.sym, ticket.side, view)
        return set_price(ticket, text, tif or TimeInForce.GTC)
    waits = TimeInForce.GTX if price.word is not PriceWord.TAKE else TimeInForce.IOC
    mode = {
        PriceWord.JOIN: PriceMode.JOIN, PriceWord.IMPROVE: PriceMode.IMPROVE, PriceWord.MID: PriceMode.MID,
        PriceWord.TAKE: PriceMode.TAKE,
    }[price.word]  # fmt: skip
    steps = price.ticks if price.word is PriceWord.TAKE else price.ticks - 1
    plain_word = price.offset is None and steps <= 0
    if plain_word:
        chosen = ticket.with_price_mode(mode)
        return msgspec.structs.replace(chosen, tif=tif or waits, tif_chosen=tif is not None)
    return set_price(ticket, _shift_touch(ticket, price, quote), tif or waits)


def set_price(ticket: Ticket, text: str, tif: TimeInForce) -> Ticket:
    """Return the ticket with a fixed limit price and a chosen time in force."""
    return msgspec.structs.replace(ticket, price_mode=PriceMode.TYPED, price=text, tif=tif, tif_chosen=True)


def _shift_touch(ticket: Ticket, price: Price, quote: QuoteRow | None) -> str:
    """Compute a price from the best bid or ask for `join`, `improve` or `take`; `improve` never reaches the other side."""
    tick, own, other = ticket.tick, ticket.touch(quote), ticket.touch(quote, own=False)
    start = other if price.word is PriceWord.TAKE else own
    if start is None or tick is None:
        raise LineRefused(Code.NOT_KNOWN, f"{price.word} needs a quote of {ticket.sym}, and there is none now")
    if price.word is PriceWord.JOIN:
        moved = rounding.round_limit_price(shift(start, price.offset, tick), tick, ticket.side)
    else:
        moved = start + tick * price.ticks * ticket.side.sign
        if price.word is PriceWord.IMPROVE and other is not None and (moved - other) * ticket.side.sign >= 0:
            moved = other - tick * ticket.side.sign
    if moved <= 0:
        raise LineRefused(Code.NOT_KNOWN, f"{price.word} would be at 0 or less")
    return number_format.field_text(moved, tick)


def apply_protection(ticket: Ticket, flags: Flags, view: DisplayContext) -> Ticket:
    """Return the ticket with the stop and the target that were typed as options.

    Raises:
        LineRefused: The level of one cannot be computed now.
    """
    texts = {}
    for field, name, trigger in (("stop", "sl", flags.stop), ("profit", "tp", flags.target)):
        if trigger is not None:
            texts[field] = write_trigger(name, trigger, ticket.sym, ticket.side, view)
    return msgspec.structs.replace(ticket, **texts) if texts else ticket


# Quantity


def apply_quantity(ticket: Ticket, quantity: Quantity, view: DisplayContext) -> Ticket:
    """Return a ticket with a quantity; contracts and coins are taken as typed, others are rounded down to the lot.

    Raises:
        LineRefused: It cannot be computed now, is no multiple of the lot, or is less than the smallest size.
    """
    unit, number = quantity.unit, quantity.number
    if unit in (Unit.ALL, Unit.HALF):
        return _closing_share(ticket, WHOLE if unit is Unit.ALL else WHOLE / 2, view)
    if unit is Unit.POSITION and number is not None:
        return _closing_share(ticket, number, view)
    if unit in (Unit.RISK_PERCENT, Unit.RISK_QUOTE):
        return _by_risk(ticket, quantity, view)
    if unit is Unit.EQUITY and number is not None:
        equity = find_equity(ticket.sym, view)
        sized = _in_quote(ticket, equity * number / WHOLE, view)
        return sized.with_share(f"{plain(number)} % of {venue_of(ticket.sym)} equity {view.amount(equity)}", sized.qty)
    if unit in (Unit.PRESET, Unit.NAMED) or number is None:
        return _resolve_name(ticket, quantity, view)
    text = {
        Unit.CONTRACTS: f"{plain(number)}ct", Unit.COIN: f"{plain(number)}{quantity.name}",
        Unit.QUOTE: f"${plain(number)}", Unit.AVAILABLE: f"{plain(number)}%",
    }[unit]  # fmt: skip
    quote = view.mirror.quotes.get(ticket.sym)
    try:
        parsed = sizing.parse(text, ticket, quote, view.mirror, of_power=True)
    except BadSize as error:
        codes = {SizeTooSmall: Code.ZERO_QTY, OffLot: Code.TICKET}
        raise LineRefused(codes.get(type(error), Code.WRONG_UNIT), str(error)) from None
    spends = (parsed.quote, parsed.quantity) if parsed.quote else ("", "")
    shared = ticket.with_share(parsed.share, parsed.quantity, whole=parsed.whole, percent=parsed.percent)
    sized = msgspec.structs.replace(shared, spends=spends)
    return msgspec.structs.replace(sized, unrounded=(parsed.unrounded, parsed.quantity))


def _resolve_name(ticket: Ticket, quantity: Quantity, view: DisplayContext) -> Ticket:
    if quantity.unit is Unit.PRESET:
        if quantity.name != "v1":
            raise LineRefused(Code.NOT_YET, f"{quantity.name} is not set; v1 is the smallest size of the pair")
        size = smallest_size(ticket.sym, ticket.info, ticket.reference(view.mirror.quotes.get(ticket.sym)))
        return msgspec.structs.replace(ticket, qty=size, preset=size)
    if quantity.name not in ("$size", "$lsize", "$ssize"):
        raise LineRefused(Code.UNKNOWN_WORD, f"{quantity.name} is no size; $size, $lsize and $ssize are")
    legs = {leg_of(record): size_of(record) for record in list_positions(ticket.sym, view)}
    wanted = {"$lsize": "LONG", "$ssize": "SHORT"}.get(quantity.name, next(iter(legs), ""))
    size_now = legs.get(wanted)
    if not size_now:
        raise LineRefused(
            Code.LEG_EMPTY, f"{quantity.name} is the size of a position in {ticket.sym}, and none is open on that side"
        )
    return msgspec.structs.replace(ticket, qty=plain(abs(size_now)))


def _closing_share(ticket: Ticket, percent: Decimal, view: DisplayContext) -> Ticket:
    record = _leg_to_close(ticket, view)
    whole, lot = closable(record, view.mirror), ticket.lot
    if percent == WHOLE:
        return ticket_factory.size_part(ticket, record, percent, view)
    if whole is None or lot is None:
        raise LineRefused(Code.NOT_KNOWN, f"the rules of {ticket.sym} are not known yet")
    if not whole:
        raise LineRefused(Code.ZERO_QTY, explain_nothing_left(record, view.mirror))
    sized = ticket_factory.size_part(ticket, record, percent, view)
    if sized.part is None:
        text = f"{plain(percent)} % of {plain(whole)} is less than a lot of {plain(lot)}"
        raise LineRefused(Code.ZERO_QTY, text + name_holders(record, view.mirror))
    return sized


def _leg_to_close(ticket: Ticket, view: DisplayContext) -> PositionRecord:
    closes = "SHORT" if ticket.side is Side.BUY else "LONG"
    record = next((leg for leg in list_positions(ticket.sym, view) if leg_of(leg) == closes), None)
    if record is None:
        raise LineRefused(Code.LEG_EMPTY, f"there is no {closes.lower()} position in {ticket.sym} to take a share of")
    return record


def find_equity(sym: str, view: DisplayContext) -> Decimal:
    """Return the equity of the account at a symbol's venue, less portfolio loans, in the risk currency.

    Raises:
        LineRefused: It is not known yet.
    """
    account = view.mirror.accounts.get(venue_of(sym))
    equity = equity_less_loans(account.record, view.mirror) if account is not None else None
    if equity is None or equity <= 0:
        raise LineRefused(Code.NOT_KNOWN, f"the equity on {venue_of(sym)} is not known yet")
    return equity


def _in_quote(ticket: Ticket, amount: Decimal, view: DisplayContext) -> Ticket:
    price, lot = ticket.reference(view.mirror.quotes.get(ticket.sym)), ticket.lot
    if price is None or lot is None:
        raise LineRefused(Code.NOT_KNOWN, f"a size in money needs a price of {ticket.sym}")
    wanted = amount / (price * ticket.contract)
    size = rounding.quantity(wanted, lot)
    if not size:
        raise LineRefused(Code.ZERO_QTY, f"{plain(amount)} buys less than {ticket.in_units(lot, None)}")
    return msgspec.structs.replace(ticket, qty=plain(size), unrounded=(wanted, plain(size)))


def _by_risk(ticket: Ticket, quantity: Quantity, view: DisplayContext) -> Ticket:
    """Return the ticket with the size whose loss at the stop, with the fees of entry and stop, is at most the risk."""
    quote, rates = view.mirror.quotes.get(ticket.sym), account_snapshot.rates_of(view.mirror, ticket.sym)
    entry, lot = ticket.reference(quote), ticket.lot
    if isinstance(rates, Missing) or entry is None or lot is None:
        raise LineRefused(
            Code.NOT_KNOWN, "a size by risk needs a price and the fees of the pair; they are not known yet"
        )
    try:
        stop, _ = ticket.protections(quote)
    except BadProtection as error:
        code = Code.WRONG_SIDE_TRIGGER if isinstance(error, WrongSide) else Code.TICKET
        raise LineRefused(code, str(error)) from None
    if stop is None or quantity.number is None:
        raise LineRefused(Code.NO_SL_FOR_R, "a size by risk needs a stop")
    risk = quantity.number
    named = f"risk {view.amount(risk)}"
    if quantity.unit is Unit.RISK_PERCENT:
        equity = find_equity(ticket.sym, view)
        of = f"{venue_of(ticket.sym)} equity {view.amount(equity)}"
        named, risk = f"risk {plain(risk)} % of {of}", equity * risk / WHOLE
    both = (rates.entry_rate(post_only=ticket.post_only), max(rates.taker, ZERO))
    size = sizes.size_by_risk(risk, entry, stop.trigger, both, ticket.contract, lot)
    if not size:
        least = ticket.in_units(lot, quote)
        raise LineRefused(Code.ZERO_QTY, f"a risk of {plain(risk)} would buy less than the smallest size ({least})")
    return ticket.with_share(named, plain(size), by_risk=True)


def _check_most(ticket: Ticket, flags: Flags, view: DisplayContext) -> None:
    if flags.most is None:
        return
    worth = ticket.notional(view.mirror.quotes.get(ticket.sym))
    if worth is None or worth > flags.most:
        figure = "an unknown amount" if worth is None else number_format.decimal_figure(worth, 2)
        raise LineRefused(
            Code.OVER_MAX, f"the order is worth {figure}, more than your max {plain(flags.most)}; it is not reduced"
        )


# Orders and positions that exist


def build_replace(change: Change, order: OrderRow, view: DisplayContext) -> Ticket:
    """Build the ticket that changes a working order's price or size.

    Raises:
        LineRefused: Nothing is left to replace, or the quantity cannot be computed.
    """
    ticket = _replacement(order, view)
    if change.level is not None:
        ticket = set_price(ticket, compute_price(change.level, order.sym, ticket.side, view), ticket.tif)
    if change.quantity is None:
        return ticket
    sized = apply_quantity(ticket, change.quantity, view)
    if change.total:
        return msgspec.structs.replace(sized, rest="")
    followed = msgspec.structs.replace(sized, rest=sized.qty).follow_order(order)
    executed, (unrounded, _) = number_format.value(order.filled), sized.unrounded
    if unrounded is None or executed is None:
        return followed
    return msgspec.structs.replace(followed, unrounded=(executed + unrounded, followed.qty))


def build_nudge(nudge: Nudge, order: OrderRow, view: DisplayContext) -> Ticket:
    """Build the ticket that moves a working order's price by a signed distance.

    Raises:
        LineRefused: The order has no price, or the new one is not above 0.
    """
    ticket = _replacement(order, view)
    price, tick = number_format.value(ticket.price), ticket.tick
    if price is None or tick is None:
        raise LineRefused(Code.NO_ORDER, "the order has no price to move")
    moved = rounding.round_limit_price(shift(price, nudge.offset, tick), tick, ticket.side)
    if moved <= 0:
        raise LineRefused(Code.NOT_KNOWN, "the price would be 0 or less")
    return set_price(ticket, number_format.field_text(moved, tick), ticket.tif)


def _replacement(order: OrderRow, view: DisplayContext) -> Ticket:
    if order.final:
        raise LineRefused(Code.NO_ORDER, f"this order has ended: {order.state_word}")
    return ticket_factory.replacement(order, view)


def build_close(close: Close, record: PositionRecord, view: DisplayContext) -> Ticket:
    """Build the order that closes a part of a leg: at market, or by a price clause.

    Raises:
        LineRefused: The leg is empty, or the part is less than a lot.
    """
    ticket = _take(ticket_factory.flatten, record, view)
    if close.price is not None and close.price.word is not PriceWord.MARKET:
        limit = msgspec.structs.replace(ticket, order_type=OrderType.LIMIT)
        ticket = apply_price(limit, close.price, Flags(), view)
    return ticket if close.percent == WHOLE else _closing_share(ticket, close.percent, view)


def build_reverse(record: PositionRecord, view: DisplayContext) -> list[Ticket]:
    """Build the orders that reverse a position: one of twice its size, or a close and an opening (hedge mode, value limit).

    They are two in hedge mode, and where the one order is over the value limit that the opening alone keeps.

    Raises:
        LineRefused: The leg is empty.
    """
    close = _take(ticket_factory.flatten, record, view)
    size = close.size()
    if size is None:
        raise LineRefused(Code.LEG_EMPTY, "there is nothing to close: the position is flat")
    opens = PositionEffect.OPEN_SHORT if close.side is Side.SELL else PositionEffect.OPEN_LONG
    opening = msgspec.structs.replace(
        close, effect=opens if close.hedge else close.effect, reduce_only=False, part=None
    )
    both, quote = msgspec.structs.replace(opening, qty=plain(size * 2)), view.mirror.quotes.get(close.sym)
    held = net_size_of(record)
    first = "" if held is None else plain(held)
    both, close = (msgspec.structs.replace(ticket, held=first) for ticket in (both, close))
    in_two = exceeds_hard_limit(both, quote, view) and not exceeds_hard_limit(opening, quote, view)
    return [close, opening] if close.hedge or in_two else [both]


def describe_turns(tickets: Sequence[Ticket], view: DisplayContext) -> tuple[str, ...]:
    """Describe what each order closes and opens if it reverses a position, after what the orders before it fill."""
    orders = foresee_orders(tickets, view, beside=[True] * len(tickets))
    return tuple(describe_turn(order.asked, order.before) for order in orders)


def describe_part_of_turn(ticket: Ticket) -> str:
    """Describe the size that the order closes or opens, for the two orders that together reverse a position."""
    closes, opens = ("SHORT", "LONG") if ticket.side is Side.BUY else ("LONG", "SHORT")
    size = plain(ticket.size() or ZERO)
    return f"closes {closes} {size}" if ticket.closes else f"opens {opens} {size}"


def _take(
    build: Callable[[PositionRecord, DisplayContext], Ticket | str], record: PositionRecord, view: DisplayContext
) -> Ticket:
    ticket = build(record, view)
    if isinstance(ticket, str):
        raise LineRefused(Code.LEG_EMPTY, ticket)
    return ticket


def refuse_problems(ticket: Ticket, view: DisplayContext) -> None:
    """Refuse a ticket that has problems, such as a size below the pair's smallest.

    Raises:
        LineRefused: With the first problem.
    """
    problems = ticket.problems(view.mirror.quotes.get(ticket.sym))
    if not problems:
        return
    first = problems[0]
    raise LineRefused(_CODES.get(first.kind, Code.TICKET), first.text)


_CODES = {
    ProblemKind.TOO_SMALL: Code.BELOW_MIN,
    ProblemKind.OFF_TICK: Code.OFF_TICK,
    ProblemKind.WRONG_SIDE: Code.WRONG_SIDE_TRIGGER,
    ProblemKind.UNCHANGED: Code.NO_CHANGE,
    ProblemKind.RULES_UNKNOWN: Code.NOT_KNOWN,
}
"""Codes of the problems that have one of their own."""
