"""Price of a ticket's order, its distance from the market, and what the order would do at once."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.engine.rows import QuoteRow
from tui.interface.decimals import ZERO, plain
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import DOT, Piece, pieces_width
from tui.workstation.tickets.order.forecast import Book, Takes, take_known
from tui.workstation.tickets.order.price_move import describe_taking_post_only
from tui.workstation.tickets.order.terms import ENDS_AT_ONCE, PriceMode
from tui.workstation.tickets.order.ticket import Ticket

QUOTE_OLD_S = 2.0
NO_ROOM = "spread is one tick: joins the best price instead"
"""Note at price mode IMPROVE when the next tick is the opposite touch."""


def describe_tif(ticket: Ticket) -> str:
    """Describe the time in force; GTX is shown as post-only."""
    return "post-only" if ticket.tif is TimeInForce.GTX else ticket.tif.value


def name_terms(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> str:
    """Describe the open ticket to explain why a key does not act on it, such as `this BUY takes at 64,001.0`."""
    this, price = f"this {ticket.side.value}", view.price(ticket.sym, ticket.limit_text(quote) or None, exact=True)
    if ticket.order is not None:
        return f"this replaces a {ticket.side.value}"
    if ticket.at_market:
        return f"{this} is a market order"
    if ticket.takes(quote) and not ticket.post_only:
        return f"{this} takes at {price}"
    closes = " and closes" if ticket.closes else ""
    return f"{this} is {describe_tif(ticket)} at {price}{closes}"


def price_pieces(
    ticket: Ticket,
    quote: QuoteRow | None,
    live: QuoteRow | None,
    view: DisplayContext,
    *,
    helper: bool = True,
    tif: bool = True,
    points: bool = True,
    distance: bool = True,
) -> list[Piece]:
    """Build the text with price, distance from the best price of the own side, and whether the order would take or rest.

    `quote` gives its price, `live` is the newest one. `helper` names how the price is chosen, `tif` the time in force;
    the distance is left out without `distance`, and told in ticks alone without `points`.
    """
    if ticket.order_type is OrderType.MARKET:
        reference = ticket.touch(quote, own=False)
        about = number_format.MISSING if reference is None else view.price(ticket.sym, format(reference, "f"))
        return [("MARKET", "warn"), (f" ~{about} would take", "text")]
    price = ticket.limit(quote)
    shown = view.price(ticket.sym, ticket.limit_text(quote) or None, exact=True)
    pieces: list[Piece] = [(shown, "strong")]
    if helper and ticket.price_mode is not PriceMode.TYPED:
        pieces.append((f" {ticket.price_mode.value}", "accent"))
    if tif:
        pieces.append((f" {describe_tif(ticket)}", "text"))
    fixed, now = fix_price_at(ticket, quote, live)
    own = fixed.touch(now)
    if distance:
        pieces += _distance_pieces(fixed, own, price, points=points)
    if ticket.price_mode is PriceMode.IMPROVE and own is not None and price == own:
        pieces += [DOT, (NO_ROOM, "warn")]
    result = immediate_outcome(fixed, now, view, takes=forecast_immediate_fill(fixed, now, view))
    if result is not None:
        pieces.append((" " + result[0], result[1]))
    return pieces


def _distance_pieces(ticket: Ticket, own: Decimal | None, price: Decimal | None, *, points: bool) -> list[Piece]:
    """Build the distance of a price from the own side's best price, in ticks and basis points; empty if unknown."""
    ticks = number_format.ticks_between(own, price, ticket.tick)
    if ticks is None or own is None or price is None:
        return []
    far = f" {number_format.points_from(own, price):+}bp" if points else ""
    return [DOT, (f"{'bid' if ticket.side is Side.BUY else 'ask'} {ticks:+d}t{far}", "dim")]


def fix_price_at(ticket: Ticket, quote: QuoteRow | None, live: QuoteRow | None) -> tuple[Ticket, QuoteRow | None]:
    """Return the ticket with its price fixed as in `quote`, and the newest quote, to tell whether it would take now."""
    price = ticket.limit(quote)
    if live is quote or live is None or price is None:
        return ticket, quote
    return msgspec.structs.replace(ticket, price_mode=PriceMode.TYPED, price=plain(price)), live


def forecast_immediate_fill(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Takes | None:
    """Return what a new IOC or FOK limit order would fill from the known order book; None for all other orders."""
    size = ticket.size()
    if size is None or ticket.at_market or ticket.order is not None or ticket.tif not in ENDS_AT_ONCE:
        return None
    return take_known(ticket, Book(quote, view.mirror.depth.get(ticket.sym)), size)


def find_filling(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Ticket | None:
    """Return the order with the size that is forecast to fill; None if it is forecast to end without a fill."""
    takes = forecast_immediate_fill(ticket, quote, view)
    if takes is None or not takes.is_all or takes.quantity == ticket.size():
        return ticket
    if not takes.quantity or ticket.tif is TimeInForce.FOK:
        return None
    return msgspec.structs.replace(ticket, qty=plain(takes.quantity))


def immediate_outcome(
    ticket: Ticket, quote: QuoteRow | None, view: DisplayContext, ahead: Decimal = ZERO, takes: Takes | None = None
) -> Piece | None:
    """Say what the order would do at once, such as take or rest, by time in force and market; None if unknown.

    Args:
        ticket: Order.
        quote: Market.
        view: Rows.
        ahead: Quantity that orders sent before take from the side of the book that it meets.
        takes: What it takes of the known book behind those; None: only the best price is looked at.
    """
    is_taking = ticket.takes(quote)
    if is_taking is None:
        return None
    name = "ask" if ticket.side is Side.BUY else "bid"
    if not is_taking:
        if ticket.tif in ENDS_AT_ONCE:
            return f"does not reach the {name}: would end unfilled", "warn"
        return "would rest", "dim"
    if ticket.post_only:
        return describe_taking_post_only(ticket), "warn"
    size, there = ticket.size(), ticket.opposite_size(quote)
    through = ticket.limit(quote) != ticket.touch(quote, own=False)
    if there is not None and ahead >= there:
        is_behind = through and (takes is None or not takes.is_all or takes.quantity > 0)
        does = "take behind it" if is_behind else "end unfilled" if ticket.tif in ENDS_AT_ONCE else "rest"
        return f"earlier orders of the line take all at the {name}: would {does}", "warn"
    at_best = None if there is None else there - ahead
    if size is None or at_best is None or size <= at_best:
        return "would take", "warn"
    if ticket.at_market:
        return (
            f"would take the {view.quantity(ticket.sym, plain(at_best))} at the {name}, and the rest behind it",
            "warn",
        )
    return _tell_part(ticket, Takes(at_best, is_all=not through) if takes is None else takes, view), "warn"


def _tell_part(ticket: Ticket, takes: Takes, view: DisplayContext) -> str:
    """Say how much a limit order would take at once, and what happens to the rest."""
    if takes.quantity == ticket.size():
        return "would take"
    part, more = view.quantity(ticket.sym, plain(takes.quantity)), "" if takes.is_all else " or more"
    if ticket.tif is TimeInForce.FOK:
        return f"would end unfilled, unless the book has more than {part} up to its price"
    rest = "ends" if ticket.tif is TimeInForce.IOC else "stays on the book"
    return f"would take {part}{more}, the rest {rest}"


def price_note(
    ticket: Ticket, quote: QuoteRow | None, live: QuoteRow | None, view: DisplayContext, room: int, *, tif: bool
) -> list[Piece]:
    """Build the note beside the price field: as much as fits, but always whether the order would take."""
    pieces: list[Piece] = []
    for helper, points in ((True, True), (True, False), (False, False)):
        pieces = price_pieces(ticket, quote, live, view, helper=helper, tif=tif, points=points)[1:]
        if pieces and pieces[0] is DOT:
            pieces = pieces[1:]
        if pieces_width(pieces) <= room:
            return pieces
    return pieces[-1:]


def build_short_price(
    ticket: Ticket, quote: QuoteRow | None, live: QuoteRow | None, view: DisplayContext
) -> list[Piece]:
    """Build price and whether the order takes or rests in the shortest form, for a ticket of one line."""
    now_ticket, now = fix_price_at(ticket, quote, live)
    takes = now_ticket.takes(now)
    rests = " ends unfilled" if ticket.tif in ENDS_AT_ONCE else " rests"
    refused = ": refused" if ticket.post_only and ticket.order is None else ""
    word = "" if takes is None else f" takes{refused}" if takes else rests
    if ticket.order_type is OrderType.MARKET:
        return [(" MARKET", "warn")]
    price = view.price(ticket.sym, ticket.limit_text(quote) or None, exact=True)
    return [(f" {price}", "strong"), (word, "warn" if takes else "dim")]


def quote_pieces(quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the text with the age of the quote that the preview is based on."""
    if quote is None or not quote.received:
        return [("no quote", "warn")]
    seconds = view.now - quote.received
    if not view.mirror.proven("public"):
        return [(f"quote STALE {number_format.age(seconds)}", "stale")]
    return [(f"quote {number_format.age(seconds)}", "warn" if seconds > QUOTE_OLD_S else "dim")]
