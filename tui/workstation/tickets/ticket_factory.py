"""Tickets made from what is selected: a pair, an order, a leg."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tui.engine.rows import OrderRow
from tui.interface.decimals import plain
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.interface.families.positions import PositionRecord
from tui.rules import rounding
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.position_metrics import closable, leg_of, size_of
from tui.workstation.tickets import position_mode
from tui.workstation.tickets.ticket import PositionEffect, PriceMode, Ticket, smallest_size


def new_order(sym: str, side: Side, view: DisplayContext, leg: str = "") -> Ticket:
    """The smallest order of a pair at its touch.

    Args:
        sym: The pair.
        side: What the key says; in hedge mode it opens a leg.
        view: Rows.
        leg: The selected leg: the side against it closes it.
    """
    hedge = position_mode.hedged(sym, view.mirror) is True
    effect = PositionEffect.BUY if side is Side.BUY else PositionEffect.SELL
    if hedge:
        effect = PositionEffect.OPEN_LONG if side is Side.BUY else PositionEffect.OPEN_SHORT
        if leg == "LONG" and side is Side.SELL:
            effect = PositionEffect.CLOSE_LONG
        elif leg == "SHORT" and side is Side.BUY:
            effect = PositionEffect.CLOSE_SHORT
    info = view.info(sym)
    ticket = Ticket(sym=sym, info=info, hedge=hedge, effect=effect)
    size = smallest_size(sym, info, ticket.reference(view.mirror.quotes.get(sym)))
    return msgspec.structs.replace(ticket, qty=size, preset=size)


def replacement(order: OrderRow, view: DisplayContext) -> Ticket:
    """A resting order, to be changed."""
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


Maker = Callable[[PositionRecord, DisplayContext], "Ticket | str"]
"""Makes a ticket of a position, or says why not."""


def flatten(record: PositionRecord, view: DisplayContext) -> Ticket | str:
    """The whole leg at market, or why not."""
    leg = leg_of(record)
    if not size_of(record):
        return "leg is already empty"
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
        closes_exactly=True,
    )


def exit_at_touch(record: PositionRecord, view: DisplayContext) -> Ticket | str:
    """The whole leg, post-only at the own touch, or why not."""
    ticket = flatten(record, view)
    if isinstance(ticket, str):
        return ticket
    return msgspec.structs.replace(
        ticket, order_type=OrderType.LIMIT, tif=TimeInForce.GTX, price_mode=PriceMode.JOIN, closes_exactly=False
    )


def part(record: PositionRecord, view: DisplayContext, percent: int) -> Ticket | str:
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
