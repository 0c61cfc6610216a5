"""Orders of a line as they are foreseen to be carried out one behind the other, on one account and at one market."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO, optional, plain
from tui.interface.families.orders import Side, TimeInForce
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.tickets.order.forecast import Book, Takes, find_remaining, read_book, take_known
from tui.workstation.tickets.order.position import (
    find_closable,
    find_position_size,
    find_size_after,
    name_position,
)
from tui.workstation.tickets.order.terms import ENDS_AT_ONCE
from tui.workstation.tickets.order.ticket import Ticket


class ForeseenOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Order of a command line, with the forecast what it fills after the orders before it."""

    ticket: Ticket
    """The order with the size that is foreseen to fill, at once or later; of a replace the total."""
    asked: Ticket
    """The order as it is sent."""
    fills: Decimal = ZERO
    """What of it is foreseen to fill, at once or later."""
    at_once: Decimal = ZERO
    takes: Takes = Takes(ZERO, is_all=True)
    """What it takes of the known book."""
    price: Decimal | None = None
    """Limit price of the order; None: it is at market."""
    ahead: Decimal = ZERO
    """What the orders before it take from the side of the book that it meets."""
    before: Decimal | None = None
    """Size of its position before it begins to fill, signed in one-way mode; None: not known.

    Of an order that takes it is what the orders before it leave at once; what rests fills behind all that take.
    """
    room: Decimal | None = None
    """What it can close of the position that the orders before it leave at once; None: it may open too."""
    left: Decimal | None = None
    """What it can close of the position once those that fill before it have, where it rests; None: it may open too."""
    ends: bool = False
    """Whether it ends at once with less filled than it asks for: what waits for its evidence is not sent."""
    is_sent: bool = True

    @property
    def reduced_size(self) -> Decimal | None:
        """Size to which the venue reduces a close-only order that is larger than its position; None for others."""
        room = self.room if self.left is None else self.at_once + self.left
        most = None if room is None else max(room, self.fills)
        return most if most and most < (find_remaining(self.asked) or ZERO) else None

    @property
    def rests_with_nothing_to_close(self) -> bool:
        """Whether the order would rest, but nearer exits leave nothing of the position for it to close."""
        return self.left == ZERO and not self.fills

    @property
    def has_no_position(self) -> bool:
        """Whether the order is close-only and the orders before it leave no position."""
        return self.room == ZERO and not self.fills


def foresee_orders(
    tickets: Sequence[Ticket],
    view: DisplayContext,
    books: Mapping[str, Book] | None = None,
    beside: Sequence[bool] = (),
    refused: Mapping[int, bool] = {},
) -> list[ForeseenOrder]:
    """Foresee what of each order is filled behind those before it, and which of them are sent.

    What is filled at once comes before what rests: an order that takes closes a position before one that waits. Of the
    exits of a position that rest the one at the nearer price comes first.

    Args:
        tickets: Orders in their order.
        view: Rows.
        books: Market at which they are judged, by pair; None: that of now.
        beside: Whether each is sent without the evidence of what is before it; empty: none is.
        refused: Places of those that are refused, and whether they are sent: the venue is what refuses them then.
    """
    left = read_books(tickets, view) if books is None else dict(books)
    held: dict[str, Decimal | None] = {}
    orders, has_ended, is_cut = list[ForeseenOrder](), False, False
    for number, ticket in enumerate(tickets):
        name, book = name_position(ticket), left[ticket.sym]
        before = held.setdefault(name, find_position_size(ticket, view)[0])
        is_cut = is_cut or (has_ended and not (beside and beside[number]))
        if is_cut or refused.get(number) is False:
            orders.append(ForeseenOrder(ticket=fill_part(ticket, ZERO), asked=ticket, is_sent=False))
            continue
        order = _judge_at_once(ticket, book, before, is_rejected=number in refused)
        has_ended = has_ended or order.ends
        orders.append(order)
        left[ticket.sym] = book.without(ticket.side, order.at_once)
        held[name] = _find_held(ticket, order.at_once, before)
    for place in _sort_resting(orders):
        orders[place] = _add_resting(orders[place], held)
    return orders


def read_books(tickets: Sequence[Ticket], view: DisplayContext) -> dict[str, Book]:
    """Return quote and order book, as they are now, of each pair of the orders."""
    return {ticket.sym: read_book(ticket.sym, view.mirror) for ticket in tickets}


def _judge_at_once(ticket: Ticket, book: Book, before: Decimal | None, *, is_rejected: bool) -> ForeseenOrder:
    """Judge what an order fills at once, on the position that the orders before it leave."""
    size, room = find_remaining(ticket) or ZERO, None if before is None else find_closable(ticket, before)
    most = size if room is None else min(size, room)
    takes = take_known(ticket, book, most)
    filled = most if ticket.at_market or not takes.is_all else takes.quantity
    if not ticket.at_market and ticket.tif is TimeInForce.FOK and filled < size:
        filled = ZERO
    is_refused = is_rejected or (
        ticket.order is None and (ticket.is_refused_for_taking(book.quote) or (room == ZERO and size > ZERO))
    )
    ends = is_refused or _ends_short(ticket, size, filled, room)
    return ForeseenOrder(
        ticket=ticket, asked=ticket, at_once=ZERO if is_refused else filled, takes=takes,
        ahead=book.count_taken(ticket.side), before=before, room=room, price=ticket.limit(book.quote), ends=ends,
    )  # fmt: skip


def _ends_short(ticket: Ticket, size: Decimal, filled: Decimal, room: Decimal | None) -> bool:
    """Return whether an order ends at once without having filled its whole size.

    What rests goes on. One that has closed the whole position has nothing to wait for: the venue cancels the rest.
    """
    if filled >= size:
        return False
    if ticket.at_market or (ticket.order is None and ticket.tif in ENDS_AT_ONCE):
        return True
    return room is not None and filled >= room


def _sort_resting(orders: Sequence[ForeseenOrder]) -> list[int]:
    """Return the order numbers in the sequence in which resting parts fill; exits of a position by nearness of price."""
    places = list(range(len(orders)))
    exits: dict[tuple[str, Side], list[int]] = {}
    for place, order in enumerate(orders):
        if order.room is not None and order.price is not None:
            exits.setdefault((name_position(order.asked), order.asked.side), []).append(place)
    for same in exits.values():
        nearer = sorted(same, key=lambda place: -orders[place].asked.side.sign * (orders[place].price or ZERO))
        for place, exit_place in zip(same, nearer, strict=True):
            places[place] = exit_place
    return places


def _add_resting(order: ForeseenOrder, held: dict[str, Decimal | None]) -> ForeseenOrder:
    """Return the forecast of an order, with what the resting part fills later of the position that is left."""
    ticket, rest, room = order.ticket, ZERO, None
    if not order.is_sent:
        return order
    before, name = held[name_position(ticket)], name_position(ticket)
    if not order.ends and not (ticket.at_market or (ticket.order is None and ticket.tif in ENDS_AT_ONCE)):
        room = None if before is None else find_closable(ticket, before)
        rest = (find_remaining(ticket) or ZERO) - order.at_once
        rest = rest if room is None else min(rest, room)
    held[name] = _find_held(ticket, rest, before)
    fills = order.at_once + rest
    before = order.before if order.at_once else before
    return msgspec.structs.replace(order, ticket=fill_part(ticket, fills), fills=fills, left=room, before=before)


def _find_held(ticket: Ticket, part: Decimal, before: Decimal | None) -> Decimal | None:
    """Return the size of a position once a part of an order has filled; None while it is not known."""
    return None if before is None else find_size_after(fill_part(ticket, part), before)


def fill_part(ticket: Ticket, part: Decimal) -> Ticket:
    """Return the order reduced to a part that is still to fill; for a replace, to that part plus what has filled."""
    if part == find_remaining(ticket):
        return ticket
    executed = optional(ticket.order.filled) if ticket.order is not None else None
    return msgspec.structs.replace(ticket, qty=plain((executed or ZERO) + part))
