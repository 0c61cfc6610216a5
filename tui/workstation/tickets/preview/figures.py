"""Figures of a ticket's preview by subject, the most important first, and their line in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from tui.engine.rows import QuoteRow
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.render.pieces import Piece
from tui.workstation.tickets.order.checks import is_size_refused
from tui.workstation.tickets.order.forecast import Forecast, forecast
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.account import (
    borrow_pieces,
    fee_pieces,
    margin_pieces,
    risk_pieces,
    shortfall_pieces,
)
from tui.workstation.tickets.preview.limits import limit_pieces
from tui.workstation.tickets.preview.position import describe_orphaned_orders, describe_reversing_orders, effect_pieces
from tui.workstation.tickets.preview.price import find_filling, fix_price_at, price_pieces
from tui.workstation.tickets.preview.protection import stop_pieces, target_pieces
from tui.workstation.tickets.preview.size import unit_pieces
from tui.workstation.tickets.preview.title import title_pieces
from tui.workstation.tickets.preview.warning_texts import warning_pieces


class Figures(NamedTuple):
    """Preview texts of a ticket by subject, computed once for all lines and for the journal."""

    ticket: Ticket
    quote: QuoteRow | None
    live: QuoteRow | None
    """Quote of now, or of the moment in which it was sent; that of an open question is older."""
    size: list[Piece]
    price: list[Piece]
    effect: list[Piece]
    left: list[Piece]
    opening: list[Piece]
    """Warning that orders stay which would open the opposite position."""
    risk: list[Piece]
    cost: list[Piece]
    borrow: list[Piece]
    limits: list[Piece]
    free: list[Piece]
    shortfall: list[Piece]
    """Warning that the free margin does not suffice."""
    warnings: list[Piece]
    """Further warnings to read before sending."""
    needs: str
    """Name of a missing input; empty if none is missing."""
    stop: list[Piece]
    target: list[Piece]


def figures_of(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext, behind: Sequence[Ticket] = ()) -> Figures:
    """Compute the preview texts of a ticket from the current rows.

    Args:
        ticket: Order.
        quote: Market of its pair.
        view: Rows.
        behind: Orders of its line that are filled before it, each with the size that is foreseen to fill.
    """
    live = view.mirror.quotes.get(ticket.sym)
    judged, now = fix_price_at(ticket, quote, live)
    # A size that is refused has no figures but itself, as in forms.
    refused = is_size_refused(ticket, quote)
    before = _choose_venue(behind, ticket)
    result = Missing("a size") if refused else forecast(judged, now, view.mirror, before)
    part = None if refused else find_filling(judged, now, view)
    fills, costs, loan = _forecast_fills(judged, part, result, now, view, before)
    effect = [] if part is None else effect_pieces(msgspec.structs.replace(ticket, qty=part.qty), view, behind)
    opening = "" if refused else describe_reversing_orders(ticket, view)
    return Figures(
        ticket,
        quote,
        live,
        size=unit_pieces(ticket, quote, view)[: 1 if refused else None],
        price=price_pieces(ticket, quote, live, view),
        effect=effect,
        left=[] if refused else describe_orphaned_orders(ticket, view),
        opening=[(f"! {opening}", "warn")] if opening else [],
        risk=risk_pieces(fills, ticket, view) if fills is not None else [],
        cost=fee_pieces(costs, ticket, view, rests=judged.takes(now) is False) if costs is not None else [],
        borrow=borrow_pieces(loan, ticket, view) if loan is not None else [],
        limits=[] if refused else limit_pieces(ticket, quote, view),
        free=margin_pieces(fills, view) if fills is not None else [],
        shortfall=[] if isinstance(result, Missing) else shortfall_pieces(result, view),
        warnings=warning_pieces(ticket, quote, view),
        needs=result.text if isinstance(result, Missing) and not refused else "",
        stop=[] if refused else stop_pieces(ticket, quote, view),
        target=[] if refused else target_pieces(ticket, quote, view),
    )


def _forecast_fills(
    ticket: Ticket,
    part: Ticket | None,
    whole: Forecast | Missing,
    quote: QuoteRow | None,
    view: DisplayContext,
    before: Sequence[Ticket],
) -> tuple[Forecast | None, ...]:
    """Forecast the part of an order that fills: for its risk and margin, for its costs, and for what it borrows.

    The margin that the venue checks is that of the whole order.
    """
    if isinstance(whole, Missing):
        return None, None, None
    filled = whole if part == ticket else forecast(part, quote, view.mirror, before) if part is not None else None
    fills = filled if isinstance(filled, Forecast) else None
    if ticket.is_refused_for_taking(quote):
        return fills, None, None
    # The price may come back until it is sent: an order that fills nothing now may borrow then.
    return fills, fills, fills or whole


def _choose_venue(tickets: Sequence[Ticket], ticket: Ticket) -> list[Ticket]:
    """Return those of the orders that are on the venue of a ticket; others do not change its account."""
    return [other for other in tickets if venue_of(other.sym) == venue_of(ticket.sym)]


def journal_text(figures: Figures) -> str:
    """Format the preview as one line for the journal."""
    groups = [
        title_pieces(figures.ticket),
        figures.size,
        figures.price,
        figures.stop,
        figures.target,
        figures.effect,
        figures.left,
        figures.opening,
        figures.risk,
        figures.cost,
        figures.borrow,
        figures.free,
    ]
    return " · ".join("".join(text for text, _ in group) for group in groups if group)
