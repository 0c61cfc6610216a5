"""Title of the ticket panel: which order it is and, in a form, the rules of its pair."""

from __future__ import annotations

from tui.interface.decimals import plain
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.render.pieces import DOT, Piece, pieces_width
from tui.workstation.tickets.fields import FORMS, Mode
from tui.workstation.tickets.order import sizing
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.placement import NARROW, WIDE
from tui.workstation.tickets.preview.title import title_pieces
from tui.workstation.tickets.ticket_box import TicketBox

FRAME = 8
"""Cells of the top edge around title and right end: corners, edge and the spaces between."""


def build_title(panel: TicketBox, ticket: Ticket, message: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Build the panel's title and the text at its right end; in a panel of one line a message replaces the title."""
    if message and panel.count_lines(panel.outer_size.height) == 1:
        return message, _build_end(panel, ticket)
    if panel.outer_size.width < NARROW:
        return title_pieces(ticket), []
    name = _name_ticket(ticket, panel.mode, paused=panel.paused)
    pieces: list[Piece] = [(name, "title-focus" if panel.has_focus else "title"), (" ─ ", "frame")]
    in_form = panel.mode in FORMS and panel.outer_size.width >= WIDE
    pieces += _rule_pieces(ticket) if in_form else _describe_staged(ticket, panel.view)
    return pieces, _fit_end(panel, ticket, [*pieces[:2], *title_pieces(ticket)])


def _fit_end(panel: TicketBox, ticket: Ticket, named: list[Piece]) -> list[Piece]:
    """Build the longest right end of the title that fits: size limit and examples, examples, or the environment."""
    room = panel.outer_size.width - FRAME - pieces_width(named)
    end = _build_end(panel, ticket)
    ends = ([*_build_largest(panel, ticket), *end], end, _build_environment(panel))
    return next((end for end in ends if pieces_width(end) <= room), [])


def _build_end(panel: TicketBox, ticket: Ticket) -> list[Piece]:
    """Build the right end of the title: examples of sizes while a size is typed, else environment and portfolio."""
    if _types_size(panel):
        return [(sizing.size_examples(ticket, panel.quote), "accent")]
    return _build_environment(panel)


def _types_size(panel: TicketBox) -> bool:
    return panel.size_field.has_focus and panel.mode is Mode.STAGED and panel.outer_size.width >= NARROW


def _build_largest(panel: TicketBox, ticket: Ticket) -> list[Piece]:
    """Build the largest possible size while a size is typed; empty otherwise, or if it is unknown."""
    largest = sizing.describe_largest(ticket, panel.quote, panel.view.mirror) if _types_size(panel) else ""
    return [(largest, "text"), DOT] if largest else []


def _build_environment(panel: TicketBox) -> list[Piece]:
    """Build the name of the environment and of the portfolio."""
    engine_status = panel.view.mirror.engine_status
    if engine_status is None or panel.outer_size.width < NARROW:
        return []
    role = "live" if engine_status.environment.value == "LIVE" else "dim"
    return [(f"{engine_status.environment.value} {engine_status.account_name}", role)]


def _name_ticket(ticket: Ticket, mode: Mode, *, paused: bool) -> str:
    """Return the name of the ticket's kind, such as `New order`, `Replace` or `PAUSED staged`."""
    name = {Mode.STAGED: "Staged", Mode.FORM: "New order", Mode.REPLACE: "Replace"}[mode]
    if ticket.dry:
        return "DRY, sends nothing"
    if ticket.order is not None:
        name = "Replace"
    return f"PAUSED {name.lower()}" if paused else name


def _describe_staged(ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """Describe a ticket: side and pair, for a replace the present order, for a proposal the program and its reason."""
    pieces = title_pieces(ticket)
    if (order := ticket.order) is not None:
        size = view.quantity(order.sym, order.qty)
        pieces += [DOT, (f"was {size} @ {view.price(order.sym, order.price, exact=True)}", "dim")]
    shown = ticket.proposal
    if shown is not None and shown.left:
        pieces += [DOT, (f"your own order, not proposal {shown.number}", "warn")]
    elif shown is not None and (row := view.mirror.proposals.get(shown.number)) is not None:
        pieces += [DOT, (f"{row.peer}: {row.reason}", "warn")]
    return pieces


def _rule_pieces(ticket: Ticket) -> list[Piece]:
    """Build the text with the pair, its contract size, tick and lot size."""
    pieces: list[Piece] = [(full_name(ticket.sym), "text")]
    if ticket.unit == "ct":
        pieces += [DOT, (f"1 ct = {plain(ticket.contract)} {ticket.base}", "dim")]
    if ticket.tick is not None and ticket.lot is not None:
        pieces += [DOT, (f"tick {plain(ticket.tick)} lot {plain(ticket.lot)}", "dim")]
    return pieces
