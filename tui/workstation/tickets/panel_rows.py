"""Lines of the ticket panel: its fields with a note beside each, the preview, and the message."""

from __future__ import annotations

from tui.interface.decimals import plain
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import DOT, Piece, pieces_width
from tui.workstation.tickets.fields import FORM_LINES, Mode
from tui.workstation.tickets.order.checks import is_size_refused
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.panel_keys import APART, end_row, key_pieces
from tui.workstation.tickets.panel_messages import build_message_rows, is_about_position
from tui.workstation.tickets.placement import (
    FIELD_X,
    NARROW,
    PROTECTION_WIDTH,
    REST_X,
    ROOMY,
    SHORT_FIELD,
    WIDE,
    measure_field,
)
from tui.workstation.tickets.preview import lines as preview_lines
from tui.workstation.tickets.preview.figures import Figures
from tui.workstation.tickets.preview.price import build_short_price, describe_tif, price_note
from tui.workstation.tickets.preview.protection import protection_pieces, results_pieces
from tui.workstation.tickets.preview.title import side_piece, title_pieces
from tui.workstation.tickets.ticket_box import Rows, TicketBox

ROOMY_LINES = 3
"""Least lines of a wide ticket for a price of its own below the size."""
WHOLE_LEG: list[Piece] = [("the whole position, at market", "warn")]


def build_rows(panel: TicketBox, ticket: Ticket, inside: int) -> Rows:
    """Build the lines of the ticket, for a panel with `inside` lines."""
    cells, keys = panel.outer_size.width - 2, key_pieces(panel)
    last_cells = cells - pieces_width(keys)
    staged = panel.mode is Mode.STAGED or inside < 3
    form = [] if staged else form_rows(panel, ticket)
    form = form[1:3] if form and inside < FORM_LINES else form
    kept = 1 if staged else len(form)
    # A question about a loan leaves a line to the warnings.
    spared = 1 if panel.ask is not None and inside - kept > 2 and panel.figures(ticket).borrow else 0
    messages = build_message_rows(panel, inside - kept - spared, cells - 1, last_cells - 1 - APART)
    # Messages take lines of their own; the preview leaves out its least important figures.
    count = inside - kept - len(messages)
    below = cells if messages and not panel.refused_key else last_cells
    if staged and inside == 1:
        first = [
            *_size_line(panel, " size "),
            *build_short_price(ticket, panel.quote, panel.figures(ticket).live, panel.view),
        ]
        return [end_row(panel, first, keys, cells)]
    rooms = [cells] * count + [below]
    if staged:
        first, lines = _build_staged(panel, ticket, rooms, below_message=bool(messages))
        rows: Rows = [(first, [])]
    else:
        figures, cost_first = _select_figures(panel, ticket), bool(messages) and not is_about_position(panel)
        lines = preview_lines.build_lines(
            figures, panel.view, count, with_price=False, cells=cells, last_cells=below, cost_first=cost_first
        )
        rows = list(form)
    previewed: Rows = [(pieces, []) for pieces in lines[:count] if ticket.sided and not panel.end_reason]
    previewed += [([], [])] * (count - len(previewed))
    # The reason of a refused key is shown below the field it was meant for.
    rows += [*messages, *previewed] if panel.refused_key else [*previewed, *messages]
    rows[-1] = end_row(panel, rows[-1][0], keys, cells)
    return rows


def _select_figures(panel: TicketBox, ticket: Ticket) -> Figures:
    """Return the preview figures; in the form without what stands beside the fields, in a question without borrowing."""
    figures = panel.figures(ticket)
    if panel.mode is Mode.FORM:
        # The form shows stop and target beside their fields, and here what has no room there.
        room = _protection_room(panel)
        figures = figures._replace(stop=results_pieces(ticket, panel.quote, panel.view, room), target=[])
    return figures if panel.ask is None or panel.denial else figures._replace(borrow=[])


def _protection_room(panel: TicketBox) -> int:
    """Return the width left beside the fields of take-profit and stop-loss, in cells."""
    row = _build_protection_labels(panel)
    return panel.outer_size.width - 3 - pieces_width(row)


def _build_staged(
    panel: TicketBox, ticket: Ticket, rooms: list[int], *, below_message: bool
) -> tuple[list[Piece], list[list[Piece]]]:
    """Build the line with the size field of a preview ticket, and the lines of the preview below.

    Args:
        panel: The panel.
        ticket: The ticket.
        rooms: Width of each line.
        below_message: Whether a message stands in the ticket, which leaves few lines to the figures.
    """
    cost_first = below_message and not is_about_position(panel)
    figures, view, width = _select_figures(panel, ticket), panel.view, panel.outer_size.width
    first = [*_size_line(panel, " size    "), (f" {ticket.unit}{mark_smallest(ticket)}  ", "dim")]
    # Below a message of many lines the price stands beside the size.
    if width < ROOMY or (below_message and len(rooms) < ROOMY_LINES):
        whole = [*WHOLE_LEG, DOT] if ticket.closes_whole_position_at_market and width >= WIDE else []
        first, *lines = preview_lines.fill_lines([*first, *whole], figures, view, rooms, cost_first=cost_first)
        return first, lines
    lines = preview_lines.build_lines(
        figures,
        view,
        len(rooms) - 1,
        with_helper=False,
        cells=panel.outer_size.width - 2,
        last_cells=rooms[-1],
        cost_first=cost_first,
    )
    return first + describe_staged(panel, ticket), lines


def _measure_field(panel: TicketBox) -> int:
    """Return the width of the size and price fields."""
    return measure_field(panel.outer_size.width, panel.count_lines(panel.outer_size.height))


def _size_line(panel: TicketBox, label: str) -> list[Piece]:
    """Build the label of the size and a gap of the field's width, over which the field is placed."""
    return [label_piece(panel, "size", label), (" " * _measure_field(panel), "text")]


def mark_smallest(ticket: Ticket) -> str:
    """Return the note ` (smallest)` while the size is the preset smallest one, else an empty text."""
    return " (smallest)" if ticket.has_preset_size else ""


def label_piece(panel: TicketBox, name: str, text: str) -> Piece:
    """Build the label before a field; a sign in its last cell shows the focus without colours."""
    return (f"{text[:-1]}▸", "accent") if panel.fields[name].has_focus else (text, "dim")


def describe_staged(panel: TicketBox, ticket: Ticket) -> list[Piece]:
    """Build the text after the size of a preview ticket: how the price is chosen, and the time in force."""
    if ticket.closes_whole_position_at_market:
        return WHOLE_LEG
    if ticket.at_market:
        return [("MARKET", "text")]
    text = f"{ticket.price_mode.value} {describe_tif(ticket)}"
    # In a question the price stands still.
    follows = ticket.price_mode.value == "join" and panel.outer_size.width >= WIDE and panel.ask is None
    return [
        (text, "text"),
        *([] if not follows else [("  follows the market until sent", "faint")]),
    ]


def form_rows(panel: TicketBox, ticket: Ticket) -> Rows:
    """Build the lines of the form or of a replace, with gaps over which the fields are placed."""
    gap: Piece = (" " * _measure_field(panel), "text")
    narrow = panel.outer_size.width < NARROW
    if ticket.order is not None:
        first = order_to_replace(ticket, panel.view, panel.outer_size.width - 3)
        size_label = " total   "
    else:
        placed = panel.placements(panel.outer_size)
        first = [(" intent  ", "dim"), (" " * 16, "text")]
        if "type" in placed:
            first += [("type ", "dim"), (" " * 11, "text")]
        if "tif" in placed and not ticket.at_market:
            first.append(("tif ", "dim"))
        size_label = " size    "
    wide_form = ticket.order is None and panel.outer_size.width >= WIDE
    shows_leg = wide_form and ticket.sided and ticket.position_side.value != "NONE"
    leg: list[Piece] = [side_piece(ticket), (" ", "text")] if shows_leg else []
    rows: Rows = [(first, leg)]
    unit = f"{ticket.unit}{mark_smallest(ticket)}"
    size: list[Piece] = [label_piece(panel, "size", size_label), gap, (f" {unit}" if narrow else f" {unit}  ", "dim")]
    flag: list[Piece] = [("reduce-only ", "accent")] if ticket.reduce_only else []
    beside_rest = ticket.order is not None and "rest" in panel.placements(panel.outer_size)
    beside_size = [] if narrow else size_note(panel, ticket)
    # There is no room beside the field of the remaining quantity; its problem is shown below.
    rows.append((size + (beside_size if beside_rest else note(panel, "size", beside_size)), flag))
    if ticket.at_market:
        rows.append(([(" price   ", "dim"), ("market, estimated below", "warn")], []))
    else:
        coin: Piece = ("" if narrow else f" {ticket.quote_coin}  ", "dim")
        price: list[Piece] = [label_piece(panel, "price", " price   "), gap, coin]
        room, tif = panel.outer_size.width - 3 - pieces_width(price), ticket.order is not None
        live = panel.figures(ticket).live
        beside = price_note(ticket, panel.quote, live, panel.view, room, tif=tif) if ticket.sided else []
        rows.append((price + note(panel, "price", beside), []))
    if ticket.order is None:
        rows.append((protection_row(panel, ticket), []))
    rows.append(([(" " + "┄" * max(0, panel.outer_size.width - 4), "frame")], []))
    return rows


def protection_row(panel: TicketBox, ticket: Ticket) -> list[Piece]:
    """Build the line with take-profit and stop-loss fields, and the loss and gain beside them."""
    row = _build_protection_labels(panel)
    if panel.outer_size.width < NARROW:
        return row
    problem = next((entry for entry in panel.problems if entry.field in ("tp", "sl")), None)
    if problem is not None:
        return [*row, ("! " + problem.text, "alert")]
    room, at_stop = _protection_room(panel), panel.fields["sl"].has_focus
    return row + protection_pieces(ticket, panel.quote, panel.view, room, at_stop=at_stop)


def _build_protection_labels(panel: TicketBox) -> list[Piece]:
    """Build the labels of take-profit and stop-loss, with gaps over which their fields are placed."""
    row: list[Piece] = [label_piece(panel, "tp", " tp      "), (" " * PROTECTION_WIDTH, "text")]
    if panel.outer_size.width < NARROW:
        return row
    return [*row, label_piece(panel, "sl", "   sl  "), (" " * PROTECTION_WIDTH, "text"), (" ", "text")]


def note(panel: TicketBox, field: str, otherwise: list[Piece]) -> list[Piece]:
    """Return the problem of a field or, without one, the text that is usually beside the field."""
    problem = next((problem for problem in panel.problems if problem.field == field), None)
    return [("! " + problem.text, "alert")] if problem is not None else otherwise


def size_note(panel: TicketBox, ticket: Ticket) -> list[Piece]:
    """Build the text after the size: the remaining quantity of a replace, else the order's value."""
    if ticket.order is not None:
        if "rest" in panel.placements(panel.outer_size):
            before = FIELD_X - 1 + _measure_field(panel) + len(ticket.unit) + len("   rest")
            to_field = max(1, REST_X - 1 - before)
            label = label_piece(panel, "rest", f"rest{' ' * to_field}")
            gap: Piece = (" " * (REST_X + SHORT_FIELD + 4 - before - to_field), "text")
            return [label, gap, (ticket.unit, "dim")]
        return [(f"= rest {ticket.remaining_text() or number_format.MISSING} {ticket.unit}", "text")]
    if not ticket.sided or is_size_refused(ticket, panel.quote):
        return []
    notional = ticket.notional(panel.quote)
    base = ticket.base_size()
    pieces: list[Piece] = []
    if ticket.unit == "ct":
        pieces.append((f"= {number_format.MISSING if base is None else plain(base)} {ticket.base} ", "text"))
    pieces.append((f"= {number_format.decimal_figure(notional, 2)} {ticket.quote_coin}", "text"))
    return pieces


def order_to_replace(ticket: Ticket, view: DisplayContext, room: int) -> list[Piece]:
    """Build the description of the order being replaced, as much as fits."""
    order = ticket.order
    if order is None:
        return []
    done = number_format.value(order.filled)
    total = number_format.value(order.qty)
    left = None if total is None or done is None else plain(total - done)
    rest = view.quantity(ticket.sym, left, unit=False) if left is not None else number_format.MISSING
    ident = order.client_order_id or order.order_id
    id_pieces: list[Piece] = [(f"  …{ident[-6:]}", "dim")]
    amounts: list[Piece] = [(f"  total {order.qty}  filled {order.filled}  rest {rest}", "text")]
    at: list[Piece] = [(f"  at {view.price(ticket.sym, order.price, exact=True)}", "dim")]
    side = title_pieces(ticket)
    for pieces in ([*side, *id_pieces, *amounts, *at], [*side, *amounts, *at], [*side, *amounts], amounts):
        if pieces_width(pieces) <= room:
            break
    return [(" ", "text"), *pieces]
