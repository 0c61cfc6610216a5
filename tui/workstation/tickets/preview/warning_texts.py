"""Warnings to read before a ticket is sent."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.orders.algo_checks import check_distance
from tui.engine.orders.pre_trade_checks import OrderContext
from tui.engine.orders.price_checks import describe_crossed, find_crossed
from tui.engine.rows import QuoteRow
from tui.interface.decimals import ZERO, plain, positive
from tui.interface.families.algo import STOP_LOSS, TAKE_PROFIT
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import Piece
from tui.workstation.tickets.order import position_mode
from tui.workstation.tickets.order.checks import guess_typed_price
from tui.workstation.tickets.order.limits import build_context, list_crossable, list_unknown
from tui.workstation.tickets.order.position import find_reduced_size
from tui.workstation.tickets.order.protection import BadProtection
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.size import list_rounding


def list_far_triggers(ticket: Ticket, quote: QuoteRow | None) -> list[str]:
    """Return the questions that the engine would ask about stops and targets far from the mark price."""
    try:
        stop, profit = ticket.protections(quote)
    except BadProtection:
        return []
    mark = positive(quote.mark) if quote is not None else None
    asked = [
        check_distance(name, trigger.trigger, mark)
        for name, trigger in ((STOP_LOSS, stop), (TAKE_PROFIT, profit))
        if trigger is not None
    ]
    return [refusal.text for refusal in asked if refusal is not None]


def _doubt_size(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[str]:
    """Return the remark that the size looks like a price, if the order's value is above the soft limit."""
    value, status, meant = ticket.limit_value(quote), view.mirror.engine_status, guess_typed_price(ticket, quote)
    if not meant or value is None or status is None:
        return []
    return [meant] if value > Decimal(status.limits_of(ticket.sym).soft_notional) else []


def _list_unknown(ticket: Ticket, view: DisplayContext) -> list[str]:
    """Return a warning that names the pair's orders in state UNKNOWN, as they may fill too."""
    own = ticket.order.key if ticket.order is not None else ""
    open_sizes = [
        (order.side, (number_format.value(order.qty) or ZERO) - view.mirror.sum_fills(order))
        for order in list_unknown(ticket.sym, view)
        if order.key != own
    ]
    return [
        f"{side} {plain(size)} {ticket.unit} is UNKNOWN and may fill as well" for side, size in open_sizes if size > 0
    ]


def _list_crossed(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[str]:
    """Return a warning that names own orders on the other side that the ticket would trade against."""
    order = build_context(ticket, quote, view)
    crossed = find_crossed(order, list_crossable(ticket, view)) if isinstance(order, OrderContext) else []
    return [describe_crossed(crossed, ticket.tick)] if crossed else []


def warning_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the warnings about the order."""
    texts = [*_list_unknown(ticket, view), *list_far_triggers(ticket, quote), *_doubt_size(ticket, quote, view)]
    texts += list_rounding(ticket)
    changed = position_mode.change_reason(ticket, view.mirror)
    if changed is not None:
        texts.append(view.name_keys(changed.text))
    done = number_format.value(ticket.order.filled) if ticket.order is not None else None
    left = None if (size := ticket.size()) is None else size - (done or ZERO)
    if (closes := find_reduced_size(ticket, view)) is not None:
        texts.append(f"more than the position holds ({plain(closes)} {ticket.unit}); the venue reduces the order")
    texts += _list_crossed(ticket, quote, view)
    row = view.mirror.orders.get(ticket.order.key) if ticket.order is not None else None
    if row is not None and not row.final and left is not None and left <= 0:
        texts.append("total ≤ filled: this cancels the order")
    return [("! " + "; ".join(texts), "warn")] if texts else []
