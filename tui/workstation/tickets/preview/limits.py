"""Share of the order value limits that a ticket uses."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.rows import QuoteRow
from tui.interface.decimals import half_up, plain
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import Piece
from tui.workstation.tickets.order.ticket import Ticket


def limit_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the text that says how much of the soft and hard order value limits the order uses."""
    value, engine_status = ticket.limit_value(quote), view.mirror.engine_status
    if value is None or engine_status is None:
        return []
    rules = engine_status.limits_of(ticket.sym)
    soft, hard = (value / Decimal(limit) for limit in (rules.soft_notional, rules.hard_notional))
    if hard > 1:
        return [(f"{_times(soft)} soft limit, {_times(hard)} hard: will be refused", "alert")]
    if soft > 1:
        return [(f"{_times(soft)} soft limit: will ask", "warn")]
    return [(f"{plain(half_up(soft * 100, 0))} % of the soft limit", "dim")]


def _times(share: Decimal) -> str:
    return f"{half_up(share, 1)}×"
