"""Descriptions of orders, stops and targets in one line of text: side, size, pair and price."""

from __future__ import annotations

from tui.engine.intents import PlaceAlgo, ReplaceAlgo
from tui.engine.rows import AlgoRow, OrderRow
from tui.engine.state.algo_table import algo_text, apply_change, build_requested_record
from tui.engine.state.closing_orders import size_left
from tui.interface.decimals import format_grouped, optional, plain
from tui.workstation.model.algo_figures import is_clipped, mark_size
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order.terms import WHOLE
from tui.workstation.tickets.order.ticket import Ticket


def describe_ticket(ticket: Ticket) -> str:
    """Describe an order by side, size, pair and price."""
    verb = f"{ticket.side.value} {ticket.qty} {ticket.unit}" if ticket.order is None else f"replace to {ticket.qty}"
    return f"{verb} {full_name(ticket.sym)} {_price_text(ticket)}"


def describe_origin(ticket: Ticket) -> str:
    """Describe what the size of an order is a share of or risks, and its stop and target as typed; empty if neither is."""
    exits = [f"{name} {text.strip()}" for name, text in (("sl", ticket.stop), ("tp", ticket.profit)) if text.strip()]
    is_part = ticket.part is not None and ticket.part != WHOLE
    share = f"{plain(ticket.part or WHOLE)} % of the position" if is_part else ticket.share_text
    terms = ", ".join(filter(None, (share, *exits)))
    return f" ({terms})" if terms else ""


def _price_text(ticket: Ticket) -> str:
    price = optional(ticket.price)
    if price is not None:
        return f"@ {format_grouped(price, ticket.tick)}"
    return "at market" if ticket.at_market else ticket.price_mode.value


def describe_algo(command: PlaceAlgo | ReplaceAlgo, mirror: Mirror) -> str:
    """Describe a new algo order, or a changed one as it would be after the change; empty if the one to change is gone."""
    if isinstance(command, PlaceAlgo):
        record = build_requested_record(command, "", "")
    elif (row := mirror.algos.get(command.key)) is not None:
        record = apply_change(row.record, command)
    else:
        return ""
    return algo_text(record, mirror.tick_of(record.sym))


def describe_algo_row(row: AlgoRow, view: DisplayContext) -> str:
    """Describe an algo order; if it is larger than the position, add the size that it can close."""
    text = algo_text(row.record, view.mirror.tick_of(row.record.sym))
    return f"{text} (closes {mark_size(row, view)})" if is_clipped(row, view) else text


def describe_row(order: OrderRow, view: DisplayContext) -> str:
    """Describe an order by side, size, pair and price; the size is the remaining one, for an ended order the whole."""
    price, ended = optional(order.price), order.final or not size_left(order)
    size = view.quantity(order.sym, order.qty) if ended else mark_size(order, view)
    shown = f"@ {format_grouped(price, view.mirror.tick_of(order.sym))}" if price is not None else "at market"
    return f"{order.side} {size} {full_name(order.sym)} {shown}"
