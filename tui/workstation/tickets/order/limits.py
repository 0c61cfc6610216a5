"""Questions and limits of the gate that a ticket would meet."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from tui.engine.intents import Decision
from tui.engine.orders.algo_checks import check_attached
from tui.engine.orders.dismissal import check_unknown_orders
from tui.engine.orders.pre_trade_checks import OrderContext, Refusal, order_context, size_checks
from tui.engine.orders.price_checks import SELF_CROSS, price_checks
from tui.engine.orders.recent_sends import identify_order, identify_row
from tui.engine.rows import LocalOrderState, OrderRow, QuoteRow
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.tickets.order.checks import Problem, guess_typed_price
from tui.workstation.tickets.order.ticket import Ticket

_SUBJECTS: Mapping[str, str] = {
    "SOFT_NOTIONAL": "soft limit",
    "STALE": "old quote",
    SELF_CROSS: "own order on the other side",
    "FAR_TRIGGER": "stop or target far from mark",
    "LIMIT_RESTS": "limit that may rest unfilled",
    "UNKNOWN_PENDING": "same order UNKNOWN",
    "UNKNOWN_BESIDE": "UNKNOWN order",
}
"""Subjects of the gate's questions, by guard."""


def build_context(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> OrderContext | Refusal | None:
    """Build the data that the gate's checks need from a ticket; None if it is invalid or the pair's rules are unknown."""
    status = view.mirror.engine_status
    if status is None or ticket.info is None or ticket.rule_problems(quote):
        return None
    intent = ticket.place(Decision.of(status, "preview"), quote, frozenset(), "")
    return order_context(intent, ticket.info, quote, status.limits_of(ticket.sym))


def list_crossable(ticket: Ticket, view: DisplayContext) -> list[OrderRow]:
    """List the own working orders that a ticket could trade against: all of its pair except the one it replaces."""
    replaced = ticket.order.key if ticket.order is not None else ""
    return [row for row in view.mirror.working_on(ticket.sym) if row.key != replaced]


def list_unknown(sym: str, view: DisplayContext) -> list[OrderRow]:
    """List the orders of a pair whose state is UNKNOWN."""
    return [row for row in view.mirror.working_on(sym) if row.state == LocalOrderState.UNKNOWN]


def check_beside_unknown(ticket: Ticket, order: OrderContext, view: DisplayContext) -> Refusal | None:
    """Check a new order against orders of its pair in state UNKNOWN, as the gate does."""
    if ticket.order is not None:
        return None
    return check_unknown_orders(order, list_unknown(ticket.sym, view), view.now, order.limits)


def _repeats_another(ticket: Ticket, order: OrderContext, view: DisplayContext) -> bool:
    """Return whether an equal new order was sent within the `duplicate` time by any desk, except UNKNOWN ones."""
    same = identify_order(order)
    return ticket.order is None and any(
        row.sym == ticket.sym
        and not (row.external or row.state == LocalOrderState.UNKNOWN)
        and view.server_wall - row.create_at / 1000 < order.limits.duplicate
        and same.is_same(identify_row(row))
        for row in view.mirror.orders.values()
    )


def list_questions(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[str]:
    """List the questions that the gate would ask before sending the ticket, from the gate's own checks on present rows."""
    status, order = view.mirror.engine_status, build_context(ticket, quote, view)
    if status is None or not isinstance(order, OrderContext):
        return []
    asked = (
        *size_checks(order),
        *price_checks(order, view.now, view.mirror.silent_for("public"), list_crossable(ticket, view)),
        *(check_attached(order) if ticket.order is None else ()),
        check_beside_unknown(ticket, order, view),
    )
    asks = [_SUBJECTS.get(refusal.guard, refusal.text) for refusal in asked if refusal is not None and refusal.ask]
    if ticket.order is None and order.limits.first_of_day and ticket.sym not in status.ordered_today:
        asks.append("first order of the day")
    if _repeats_another(ticket, order, view):
        asks.append("same order just sent")
    filled = number_format.value(ticket.order.filled) if ticket.order is not None else None
    if filled is not None and order.figures.qty <= filled:
        asks.append("total not above what has filled")
    return list(dict.fromkeys(asks))


def exceeds_hard_limit(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> bool:
    """Return whether the order value is above the hard limit, so that the engine would deny it."""
    value, engine_status = ticket.limit_value(quote), view.mirror.engine_status
    return (
        value is not None
        and engine_status is not None
        and value > Decimal(engine_status.limits_of(ticket.sym).hard_notional)
    )


def find_typed_price(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Problem | None:
    """Return a problem if the size looks like a price and the value is above the hard limit; else None."""
    meant = guess_typed_price(ticket, quote)
    return Problem("size", meant) if meant and exceeds_hard_limit(ticket, quote, view) else None
