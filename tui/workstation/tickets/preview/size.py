"""Size of a ticket's order in each unit, and what the lot left out of it."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.rows import QuoteRow
from tui.interface.decimals import plain
from tui.rules import units
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import CLIPPED
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import DOT, Piece
from tui.workstation.tickets.order import sizing
from tui.workstation.tickets.order.ticket import Ticket


def unit_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the text with the quantity in contracts, base units and quote units."""
    size = ticket.size()
    if size is None:
        return [("size –", "warn")]
    base, notional = units.base(size, ticket.contract), ticket.notional(quote)
    pieces: list[Piece] = [(f"{view.amount(size, None)} {ticket.unit}", "strong")]
    if ticket.unit == "ct":
        pieces.append((f" = {plain(base)} {ticket.base}", "text"))
    worth = view.amount(notional)
    pieces.append((f" = {worth} {ticket.quote_coin}", "text"))
    if share := ticket.share_text:
        pieces.append((f" = {share}", "text"))
    if ticket.quote_amount():
        amount = number_format.figure(ticket.quote_amount(), separators=view.settings.separators)
        pieces += [DOT, (f"the order is for {amount} {ticket.quote_coin}, whatever size that buys", "strong")]
    return pieces


def list_rounding(ticket: Ticket) -> list[str]:
    """Return the remark that a size typed as money or a percentage was rounded down to the lot, if it matters."""
    unrounded, size = ticket.find_unrounded(), ticket.size()
    if unrounded is None or size is None:
        return []
    text = sizing.describe_rounding(unrounded, size, ticket.unit, ticket.lot)
    return [text] if text else []


def describe_reduction(ticket: Ticket, reduced: Decimal | None, view: DisplayContext) -> str:
    """Return a suffix for a reduce-only order, with the size to which the venue reduces it: ` · ro ≤0.028`."""
    size = "" if reduced is None else CLIPPED + view.quantity(ticket.sym, plain(reduced))
    words = [*(["ro"] if ticket.reduce_only else []), *([size] if size else [])]
    return f" · {' '.join(words)}" if words else ""
