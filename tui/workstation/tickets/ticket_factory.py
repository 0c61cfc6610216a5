"""Tickets made from what is selected: a pair, an order, a leg."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tui.engine.rows import OrderRow
from tui.interface.decimals import plain
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.interface.families.positions import PositionRecord
from tui.rules import rounding
from tui.workstation.model.display_context import View
from tui.workstation.model.position_metrics import closable, leg_of, size_of
from tui.workstation.tickets import position_mode
from tui.workstation.tickets.ticket import Helper, Ticket, Wish, smallest_size


def new_order(sym: str, side: Side, view: View, leg: str = "") -> Ticket:
    """The smallest order of a pair at its touch.

    Args:
        sym: The pair.
        side: What the key says; in hedge mode it opens a leg.
        view: Rows.
        leg: The selected leg: the side against it closes it.
    """
    hedge = position_mode.hedged(sym, view.mirror) is True
    wish = Wish.BUY if side is Side.BUY else Wish.SELL
    if hedge:
        wish = Wish.OPEN_LONG if side is Side.BUY else Wish.OPEN_SHORT
        if leg == "LONG" and side is Side.SELL:
            wish = Wish.CLOSE_LONG
        elif leg == "SHORT" and side is Side.BUY:
            wish = Wish.CLOSE_SHORT
    info = view.info(sym)
    ticket = Ticket(sym=sym, info=info, hedge=hedge, wish=wish)
    size = smallest_size(sym, info, ticket.reference(view.mirror.quotes.get(sym)))
    return msgspec.structs.replace(ticket, qty=size)


def replacement(order: OrderRow, view: View) -> Ticket:
    """A resting order, to be changed."""
    wish = Wish.BUY if order.side == "BUY" else Wish.SELL
    if order.position_side == "LONG":
        wish = Wish.OPEN_LONG if order.side == "BUY" else Wish.CLOSE_LONG
    elif order.position_side == "SHORT":
        wish = Wish.CLOSE_SHORT if order.side == "BUY" else Wish.OPEN_SHORT
    tifs = {tif.value: tif for tif in TimeInForce}
    return Ticket(
        sym=order.sym,
        info=view.info(order.sym),
        hedge=order.position_side != "NONE",
        wish=wish,
        tif=tifs.get(order.time_in_force, TimeInForce.GTC),
        reduce_only=order.reduce_only,
        helper=Helper.TYPED,
        price=order.ghost_price or order.price,
        qty=order.ghost_qty or order.qty,
        order=order,
    )


Maker = Callable[[PositionRecord, View], "Ticket | str"]
"""Makes a ticket of a position, or says why not."""


def flatten(record: PositionRecord, view: View) -> Ticket | str:
    """The whole leg at market, or why not."""
    leg = leg_of(record)
    if not size_of(record):
        return "leg is already empty"
    if leg not in ("LONG", "SHORT"):
        return f"position side {leg!r} is not known here; LONG, SHORT and NONE can be flattened"
    hedge = record.position_side == leg
    if hedge:
        wish = Wish.CLOSE_LONG if leg == "LONG" else Wish.CLOSE_SHORT
    else:
        wish = Wish.SELL if leg == "LONG" else Wish.BUY
    return Ticket(
        sym=record.sym,
        info=view.info(record.sym),
        hedge=hedge,
        wish=wish,
        order_type=OrderType.MARKET,
        reduce_only=not hedge,
        qty=record.position_qty.lstrip("-"),
        closes_exactly=True,
    )


def exit_at_touch(record: PositionRecord, view: View) -> Ticket | str:
    """The whole leg, post-only at the own touch, or why not."""
    ticket = flatten(record, view)
    if isinstance(ticket, str):
        return ticket
    return msgspec.structs.replace(
        ticket, order_type=OrderType.LIMIT, tif=TimeInForce.GTX, helper=Helper.JOIN, closes_exactly=False
    )


def part(record: PositionRecord, view: View, percent: int) -> Ticket | str:
    """A share of what is closable, at market, down to the lot, or why not; all of it is the whole leg."""
    ticket = flatten(record, view)
    if isinstance(ticket, str) or percent == 100:
        return ticket
    whole, lot = closable(record, view), ticket.lot
    if whole is None or lot is None:
        return f"the rules of {record.sym} are not known yet"
    quantity = rounding.quantity(whole * percent / 100, lot)
    if not quantity:
        return f"{percent} % of {plain(whole)} is less than a lot of {plain(lot)}"
    return msgspec.structs.replace(ticket, qty=plain(quantity), closes_exactly=False)
