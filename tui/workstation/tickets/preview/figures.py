"""Figures of a ticket's preview by subject, the most important first, and their line in the journal."""

from __future__ import annotations

from typing import NamedTuple

from tui.engine.rows import QuoteRow
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import Piece
from tui.workstation.tickets.order.forecast import forecast
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.account import fee_pieces, margin_pieces, risk_pieces, shortfall_pieces
from tui.workstation.tickets.preview.limits import limit_pieces
from tui.workstation.tickets.preview.position import describe_left, describe_opening_left, effect_pieces
from tui.workstation.tickets.preview.price import judge_now, price_pieces
from tui.workstation.tickets.preview.protection import stop_pieces, target_pieces
from tui.workstation.tickets.preview.size import unit_pieces
from tui.workstation.tickets.preview.title import title_pieces


class Figures(NamedTuple):
    """Preview texts of a ticket by subject, computed once for all lines and for the journal."""

    ticket: Ticket
    quote: QuoteRow | None
    live: QuoteRow | None
    """Quote of now; that of an open question is older."""
    size: list[Piece]
    price: list[Piece]
    effect: list[Piece]
    left: list[Piece]
    opening: list[Piece]
    """Warning that orders stay which would open the opposite position."""
    risk: list[Piece]
    cost: list[Piece]
    limits: list[Piece]
    free: list[Piece]
    shortfall: list[Piece]
    """Warning that the free margin does not suffice."""
    needs: str
    """Name of a missing input; empty if none is missing."""
    stop: list[Piece]
    target: list[Piece]


def figures_of(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Figures:
    """Compute the preview texts of a ticket from the current rows."""
    judged, now = judge_now(ticket, quote, view)
    result = forecast(judged, now, view.mirror)
    return Figures(
        ticket,
        quote,
        view.mirror.quotes.get(ticket.sym),
        size=unit_pieces(ticket, quote, view),
        price=price_pieces(ticket, quote, view),
        effect=effect_pieces(ticket, view),
        left=describe_left(ticket, view),
        opening=[(f"! {opening}", "warn")] if (opening := describe_opening_left(ticket, view)) else [],
        risk=[] if isinstance(result, Missing) else risk_pieces(result, ticket, view),
        cost=[] if isinstance(result, Missing) else fee_pieces(result, ticket, view, judged.takes(now) is False),
        limits=limit_pieces(ticket, quote, view),
        free=[] if isinstance(result, Missing) else margin_pieces(result, view),
        shortfall=[] if isinstance(result, Missing) else shortfall_pieces(result, view),
        needs=result.text if isinstance(result, Missing) else "",
        stop=stop_pieces(ticket, quote, view),
        target=target_pieces(ticket, quote, view),
    )


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
        figures.free,
    ]
    return " · ".join("".join(text for text, _ in group) for group in groups if group)
