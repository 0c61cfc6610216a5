"""Tickets built from the selected pair, order or position."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tui.engine.intents import LEAST_STOOD_MS, PaintedPrice
from tui.engine.orders.pre_trade_checks import compare_painted
from tui.engine.rows import OrderRow, QuoteRow
from tui.interface.decimals import ZERO, plain
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import leg_of, size_of
from tui.rules import rounding
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.position_metrics import closable, explain_nothing_left, name_holders
from tui.workstation.tickets.order import position_mode
from tui.workstation.tickets.order.checks import smallest_size
from tui.workstation.tickets.order.sizing import CLOSABLE, describe_share, find_closable, parse
from tui.workstation.tickets.order.terms import WHOLE, PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo


class DrawnAt(NamedTuple):
    """Price range that the cursor's line showed, since when, and the time of the key that acts on it, s."""

    frame: int
    """Number of the drawing."""
    low: Decimal | None
    high: Decimal | None
    """Lowest and highest price that the line showed; None if it was not drawn yet."""
    since: float
    """Time from which the line has shown them; infinity if it was not drawn yet."""
    now: float
    sym: str = ""
    """Pair in whose column the cursor was drawn; empty: the view shows one pair."""

    @property
    def stood_ms(self) -> int:
        """Time for which the line had shown its price when the key was pressed, ms."""
        return max(0, int((self.now - self.since) * 1000)) if self.since <= self.now else 0

    @property
    def too_new(self) -> str:
        """Reason why no order may be staged at the price yet; empty if the price has been shown long enough."""
        if self.stood_ms >= LEAST_STOOD_MS:
            return ""
        return f"not staged: this price stands under the cursor for {self.stood_ms} ms only"


LOWERED = Decimal("0.99")
"""Share of the price for which the first size of a ticket is to be enough too."""
MOST_ROOM = Decimal("1.05")
"""Most that it may be above the smallest size for this."""
NOT_DRAWN = DrawnAt(0, None, None, float("inf"), 0.0)
"""A cursor that was not drawn yet."""


def new_order(sym: str, side: Side, view: DisplayContext, leg: str = "") -> Ticket:
    """Build a new order of the smallest size that joins the best price of its own side.

    Args:
        sym: Symbol of the pair.
        side: Side of the key; in hedge mode it opens a leg.
        view: Rows.
        leg: Selected leg; the opposite side closes it.
    """
    hedge = position_mode.is_hedged(sym, view.mirror) is True
    effect = PositionEffect.BUY if side is Side.BUY else PositionEffect.SELL
    if hedge:
        effect = PositionEffect.OPEN_LONG if side is Side.BUY else PositionEffect.OPEN_SHORT
        if leg == "LONG" and side is Side.SELL:
            effect = PositionEffect.CLOSE_LONG
        elif leg == "SHORT" and side is Side.BUY:
            effect = PositionEffect.CLOSE_SHORT
    info = view.info(sym)
    ticket = Ticket(sym=sym, info=info, hedge=hedge, effect=effect)
    size = _first_size(sym, info, ticket.reference(view.mirror.quotes.get(sym)))
    return msgspec.structs.replace(ticket, qty=size, preset=size)


def _first_size(sym: str, info: SymbolInfo | None, price: Decimal | None) -> str:
    """Return the smallest size; with fine lots slightly more, so that it stays valid if the price is lowered."""
    least = smallest_size(sym, info, price)
    roomy = smallest_size(sym, info, price * LOWERED) if price is not None else ""
    return roomy if least and roomy and Decimal(roomy) <= Decimal(least) * MOST_ROOM else least


def order_at_price(sym: str, price: Decimal, drawn: DrawnAt, side: Side, view: DisplayContext) -> Ticket | str:
    """Build an order at a price of the ladder or the chart, post-only where it would rest, or return why not.

    Args:
        sym: Symbol of the pair.
        price: Price on the tick.
        drawn: Drawing of the cursor's line, with which the price is compared.
        side: Side of the key.
        view: Rows.
    """
    painted = _paint_price(sym, drawn, side, view)
    text = number_format.field_text(price, view.mirror.tick_of(sym))
    if (reason := drawn.too_new) or (reason := _explain_unlike(painted, sym, text, side)):
        return reason
    ticket = msgspec.structs.replace(
        new_order(sym, side, view), price_mode=PriceMode.TYPED, price=text, painted=painted, tif_chosen=True
    )
    quote = view.mirror.quotes.get(sym)
    return msgspec.structs.replace(ticket, tif=TimeInForce.GTC) if ticket.takes(quote) else ticket


def replacement_at_price(order: OrderRow, price: Decimal, drawn: DrawnAt, view: DisplayContext) -> Ticket | str:
    """Build the replace of a working order at a price of the ladder, or return why not."""
    side = Side.BUY if order.side == Side.BUY else Side.SELL
    painted = _paint_price(order.sym, drawn, side, view)
    text = number_format.field_text(price, view.mirror.tick_of(order.sym))
    if (reason := drawn.too_new) or (reason := _explain_unlike(painted, order.sym, text, side)):
        return reason
    return msgspec.structs.replace(replacement(order, view), price=text, painted=painted)


def _paint_price(sym: str, drawn: DrawnAt, side: Side, view: DisplayContext) -> PaintedPrice:
    """Describe the price that the cursor's line showed: for a buy the lowest of its prices, for a sell the highest."""
    quote, price = view.mirror.quotes.get(sym), drawn.low if side is Side.BUY else drawn.high
    return PaintedPrice(
        frame=drawn.frame,
        sym=drawn.sym or sym,
        price=number_format.field_text(price, view.mirror.tick_of(sym)) if price is not None else "",
        side=side,
        bid=quote.bid if quote is not None else "",
        ask=quote.ask if quote is not None else "",
        age_ms=int(max(0.0, view.now - quote.received) * 1000) if quote is not None else 0,
        stood_ms=drawn.stood_ms,
    )


def _explain_unlike(painted: PaintedPrice, sym: str, price: str, side: Side) -> str:
    """Return why no order is staged: the screen showed another price or pair at the cursor; else empty."""
    refusal = compare_painted(painted, sym, price, side)
    return f"not staged: {refusal.text}" if refusal is not None else ""


def replacement(order: OrderRow, view: DisplayContext) -> Ticket:
    """Build the replace ticket of a working order."""
    effect = PositionEffect.BUY if order.side == "BUY" else PositionEffect.SELL
    if order.position_side == "LONG":
        effect = PositionEffect.OPEN_LONG if order.side == "BUY" else PositionEffect.CLOSE_LONG
    elif order.position_side == "SHORT":
        effect = PositionEffect.CLOSE_SHORT if order.side == "BUY" else PositionEffect.OPEN_SHORT
    tifs = {tif.value: tif for tif in TimeInForce}
    return Ticket(
        sym=order.sym,
        info=view.info(order.sym),
        hedge=order.position_side != "NONE",
        effect=effect,
        tif=tifs.get(order.time_in_force, TimeInForce.GTC),
        reduce_only=order.reduce_only,
        price_mode=PriceMode.TYPED,
        price=order.requested_price or order.price,
        qty=order.requested_qty or order.qty,
        order=order,
    )


BuildTicket = Callable[[PositionRecord, DisplayContext], "Ticket | str"]
"""Build a ticket from a position, or return why not."""


def flatten(record: PositionRecord, view: DisplayContext) -> Ticket | str:
    """Build a market order that closes the whole position, or return why that is impossible."""
    leg = leg_of(record)
    if not size_of(record):
        return "position is already flat"
    if leg not in ("LONG", "SHORT"):
        return f"position side {leg!r} is not known here; LONG, SHORT and NONE can be flattened"
    hedge = record.position_side == leg
    if hedge:
        effect = PositionEffect.CLOSE_LONG if leg == "LONG" else PositionEffect.CLOSE_SHORT
    else:
        effect = PositionEffect.SELL if leg == "LONG" else PositionEffect.BUY
    return Ticket(
        sym=record.sym,
        info=view.info(record.sym),
        hedge=hedge,
        effect=effect,
        order_type=OrderType.MARKET,
        reduce_only=not hedge,
        qty=record.position_qty.lstrip("-"),
        part=WHOLE,
    )


def exit_at_touch(record: PositionRecord, view: DisplayContext) -> Ticket | str:
    """Build a post-only order at the own side's best price that closes the whole position, or return why not."""
    ticket = flatten(record, view)
    if isinstance(ticket, str):
        return ticket
    return msgspec.structs.replace(ticket, order_type=OrderType.LIMIT, tif=TimeInForce.GTX, price_mode=PriceMode.JOIN)


SHARES = {"1": 25, "2": 50, "3": 75, "4": 100}
"""Shares of a position that `%` offers, by the key behind it, in percent."""


def close_part(record: PositionRecord, view: DisplayContext, percent: int) -> Ticket | str:
    """Build a market order that closes a percentage of a position, rounded down to the lot, or return why it cannot."""
    ticket = flatten(record, view)
    return ticket if isinstance(ticket, str) or percent == 100 else _size_share(ticket, record, Decimal(percent), view)


def _size_share(ticket: Ticket, record: PositionRecord, percent: Decimal, view: DisplayContext) -> Ticket | str:
    """Return a closing order with the size of a part of its position, in words too, or why it has none."""
    whole, lot = closable(record, view.mirror), ticket.lot
    if whole is None or lot is None:
        return f"the rules of {record.sym} are not known yet"
    if not whole:
        return explain_nothing_left(record, view.mirror, "⟦pane.2⟧, then ⟦order.cancel⟧")
    sized = size_part(ticket, record, percent, view)
    if sized.part is None:
        text = f"{plain(percent)} % of {plain(whole)} is less than a lot of {plain(lot)}"
        return text + name_holders(record, view.mirror)
    covered = whole < (size_of(record) or whole)
    base = f"the {plain(whole)} {ticket.unit} that working orders leave" if covered else "the position"
    return sized.with_share(f"{plain(percent)} % of {base}", sized.qty)


def size_part(ticket: Ticket, record: PositionRecord, percent: Decimal, view: DisplayContext) -> Ticket:
    """Return a closing ticket sized to a percentage of the position; unchanged in size if that is below a lot."""
    if percent == WHOLE:
        return msgspec.structs.replace(ticket, qty=record.position_qty.lstrip("-"), part=WHOLE)
    whole, lot = closable(record, view.mirror), ticket.lot
    wanted = None if whole is None else whole * percent / WHOLE
    quantity = None if wanted is None or lot is None else rounding.quantity(wanted, lot)
    if not quantity:
        return msgspec.structs.replace(ticket, part=None)
    size = plain(quantity)
    return msgspec.structs.replace(ticket, qty=size, unrounded=(wanted, size), part=percent)


def follow_position(ticket: Ticket, view: DisplayContext) -> Ticket:
    """Return an order resized to its percentage of the present position; a size below a lot is no percentage any more."""
    if ticket.part is None:
        return _follow_typed_share(ticket, view)
    if not ticket.closes:
        return ticket
    sized = _size_part_now(ticket, view)
    if sized is None or isinstance(sized, str):
        # The words come back with the part: a closing order of another sender covers all of it only for a moment.
        return msgspec.structs.replace(ticket, share=msgspec.structs.replace(ticket.share, quantity=""))
    share = sized.share if ticket.share.text else ticket.share
    return msgspec.structs.replace(ticket, qty=sized.qty, unrounded=sized.unrounded, share=share)


def resize_share(ticket: Ticket, before: Ticket, quote: QuoteRow | None, mirror: Mirror) -> Ticket:
    """Return an order with its typed percentage taken of what it refers to now that it opens or closes another position.

    Args:
        ticket: Changed order.
        before: Order whose size was typed.
        quote: Best prices of the pair.
        mirror: Rows.

    Raises:
        BadSize: Nothing is left to close, or the percentage is less than a lot; with the text for the trader.
    """
    share = before.share
    if not share.percent or share.quantity != before.qty:
        return ticket
    size = parse(f"{plain(share.percent)}%", ticket, quote, mirror)
    sized = ticket.with_share(size.share, size.quantity, whole=size.whole, percent=size.percent)
    unrounded = ticket.unrounded if size.unrounded is None else (size.unrounded, size.quantity)
    return msgspec.structs.replace(sized, unrounded=unrounded)


def _follow_typed_share(ticket: Ticket, view: DisplayContext) -> Ticket:
    """Return an order resized to the typed percentage of what can be closed now; if that is no lot, as it is.

    Such a size is described as no percentage, until there is something to close again.
    """
    share, lot = ticket.share, ticket.lot
    if share.whole is None or share.quantity != ticket.qty or lot is None:
        return ticket
    whole = find_closable(ticket, view.mirror) or ZERO
    if whole == share.whole:
        return ticket
    wanted = whole * share.percent / WHOLE
    quantity = rounding.quantity(wanted, lot)
    if not quantity:
        return msgspec.structs.replace(ticket, share=msgspec.structs.replace(share, text="", whole=whole))
    text = describe_share(share.percent, CLOSABLE)
    sized = ticket.with_share(text, plain(quantity), whole=whole, percent=share.percent)
    return msgspec.structs.replace(sized, unrounded=(wanted, sized.qty))


def explain_part_without_size(ticket: Ticket, view: DisplayContext) -> str:
    """Return why the percentage of its position that an order closes comes to no size now; else empty."""
    if ticket.part is None or not ticket.closes:
        return ""
    sized = _size_part_now(ticket, view)
    return sized if isinstance(sized, str) else ""


def _size_part_now(ticket: Ticket, view: DisplayContext) -> Ticket | str | None:
    """Size a closing order to its part of the position now, or return why that has none; None: no such position."""
    fact = view.mirror.positions.get(f"{ticket.sym}/{ticket.position_side}")
    closes = "LONG" if ticket.side is Side.SELL else "SHORT"
    if ticket.part is None or fact is None or leg_of(fact.record) != closes or not size_of(fact.record):
        return None
    if ticket.part == WHOLE:
        return size_part(ticket, fact.record, WHOLE, view)
    return _size_share(ticket, fact.record, ticket.part, view)
