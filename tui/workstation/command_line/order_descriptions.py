"""Descriptions of orders, stops and targets in one line of text: side, size, pair and price."""

from __future__ import annotations

from tui.engine.intents import PlaceAlgo, ReplaceAlgo
from tui.engine.rows import AlgoRow, OrderRow
from tui.engine.state.algo_table import algo_text, apply_change, build_requested_record
from tui.engine.state.closing_orders import size_left
from tui.interface.decimals import format_grouped, optional
from tui.workstation.model.algo_figures import is_clipped, mark_size
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order.ticket import Ticket


def describe_ticket(ticket: Ticket) -> str:
    """Describe an order by side, size, pair and price."""
    verb = f"{ticket.side.value} {ticket.qty} {ticket.unit}" if ticket.order is None else f"replace to {ticket.qty}"
    return f"{verb} {full_name(ticket.sym)} {_price_text(ticket)}"


def _price_text(ticket: Ticket) -> str:
    price = optional(ticket.price)
    if price is not None:
        return f"@ {format_grouped(price, ticket.tick)}"
    return "at market" if ticket.at_market else ticket.price_mode.value


def describe_algo(command: PlaceAlgo | ReplaceAlgo, mirror: Mirror) -> str:
    """Describe a new stop or target, or a changed one as it is after the change; empty if that is not known any more."""
    if isinstance(command, PlaceAlgo):
        record = build_requested_record(command, "", "")
    elif (row := mirror.algos.get(command.key)) is not None:
        record = apply_change(row.record, command)
    else:
        return ""
    return algo_text(record, mirror.tick_of(record.sym))


def describe_algo_row(row: AlgoRow, view: DisplayContext) -> str:
    """Describe a stop, a target or another algo order that works, and what it closes if it is larger than that."""
    text = algo_text(row.record, view.mirror.tick_of(row.record.sym))
    return f"{text} (closes {mark_size(row, view)})" if is_clipped(row, view) else text


def describe_row(order: OrderRow, view: DisplayContext) -> str:
    """Describe an order by side, size, pair and price; of one that works the size that it has left."""
    price, ended = optional(order.price), order.final or not size_left(order)
    size = view.quantity(order.sym, order.qty) if ended else mark_size(order, view)
    shown = f"@ {format_grouped(price, view.mirror.tick_of(order.sym))}" if price is not None else "at market"
    return f"{order.side} {size} {full_name(order.sym)} {shown}"
