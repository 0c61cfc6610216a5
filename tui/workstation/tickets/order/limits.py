"""Limits of the order value: whether the gate would ask about a ticket or deny it."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.rows import QuoteRow
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.tickets.order.checks import Problem, guess_typed_price
from tui.workstation.tickets.order.ticket import Ticket


def list_questions(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[str]:
    """Return what the gate would ask before the ticket is sent, as far as the rows tell it."""
    value, status = ticket.limit_value(quote), view.mirror.engine_status
    if status is None or not ticket.sided:
        return []
    rules = status.limits.of(ticket.sym)
    asks = ["soft limit"] if value is not None and value > Decimal(rules.soft_notional) else []
    if ticket.order is None and rules.first_of_day and ticket.sym not in status.ordered_today:
        asks.append("first order of the day")
    return asks


def exceeds_hard_limit(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> bool:
    """Return whether the order value is above the hard limit, so that the engine would deny it."""
    value, engine_status = ticket.limit_value(quote), view.mirror.engine_status
    return (
        value is not None
        and engine_status is not None
        and value > Decimal(engine_status.limits.of(ticket.sym).hard_notional)
    )


def find_typed_price(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Problem | None:
    """Return the problem that a size above the hard limit is probably a price."""
    meant = guess_typed_price(ticket, quote)
    return Problem("size", meant) if meant and exceeds_hard_limit(ticket, quote, view) else None
