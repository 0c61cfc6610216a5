"""Descriptions of orders in one line of text: side, size, pair and price."""

from __future__ import annotations

from tui.engine.rows import OrderRow
from tui.interface.decimals import format_grouped, optional
from tui.workstation.model.instruments import full_name
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


def describe_row(order: OrderRow) -> str:
    """Describe an order by side, size, pair and price."""
    price = optional(order.price)
    shown = f"@ {format_grouped(price)}" if price is not None else "at market"
    return f"{order.side} {order.qty} {full_name(order.sym)} {shown}"
