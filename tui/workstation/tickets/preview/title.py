"""Title of a ticket: side, leg, purpose and pair."""

from __future__ import annotations

from tui.interface.families.orders import Side
from tui.workstation.model.instruments import full_name
from tui.workstation.render.pieces import Piece
from tui.workstation.tickets.order.ticket import Ticket


def side_piece(ticket: Ticket) -> Piece:
    """Build the text with side and position side."""
    leg = ticket.position_side.value
    word = ticket.side.value + ("" if leg == "NONE" else f"+{leg}")
    return word, "buy-strong" if ticket.side is Side.BUY else "sell-strong"


def title_pieces(ticket: Ticket) -> list[Piece]:
    """Build the title text with side, position side, purpose and symbol."""
    if not ticket.sided:
        return [("no side yet ", "warn"), (full_name(ticket.sym), "strong")]
    pieces: list[Piece] = [side_piece(ticket), (" ", "text")]
    if ticket.position_side.value != "NONE":
        pieces.append((f"{ticket.effect.value} ", "text"))
    pieces.append((full_name(ticket.sym), "strong"))
    if ticket.reduce_only:
        pieces.append((" reduce-only", "accent"))
    return pieces
