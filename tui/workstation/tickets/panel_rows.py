"""Lines of the ticket panel: its fields, with a note beside each."""

from __future__ import annotations

from typing import Protocol

from textual.geometry import Region, Size

from tui.engine.rows import QuoteRow
from tui.interface.decimals import plain
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.tickets import preview
from tui.workstation.tickets.fields import FIELD_X, NARROW, PROTECTION_WIDTH, REST_X, SHORT_FIELD, WIDE, NumberField
from tui.workstation.tickets.order.checks import Problem
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.panel_texts import order_to_replace, preset_note


class TicketBox(Protocol):
    """Parts of the ticket panel that the line builders use."""

    view: DisplayContext
    ticket: Ticket | None
    problems: list[Problem]

    @property
    def quote(self) -> QuoteRow | None: ...
    @property
    def outer_size(self) -> Size: ...
    @property
    def fields(self) -> dict[str, NumberField]: ...
    def placements(self, size: Size) -> dict[str, Region]: ...
    def field_width(self, size: Size) -> int: ...


Rows = list[tuple[list[Piece], list[Piece]]]
"""Lines between the edges: left part and right end of each."""

SENDS = " sends "
"""Words behind the key that sends a ticket."""
ASKS: Piece = ("· asks first ", "warn")
"""Words behind them when the desk asks before it sends."""
APART = 2
"""Least cells between a message and the keys behind it; up to twice as many a dot stands between them."""
WHOLE_LEG: list[Piece] = [("the whole position, at market", "warn")]


def announce_questions(panel: TicketBox, action: list[Piece]) -> list[Piece]:
    """Add to the key that sends that the desk asks first, if it does."""
    if panel.ticket is None or panel.outer_size.width < WIDE or not action or action[-1][0] != SENDS:
        return action
    return [*action, ASKS] if preview.list_questions(panel.ticket, panel.quote, panel.view) else action


def end_row(panel: TicketBox, last: list[Piece], action: list[Piece], cells: int) -> tuple[list[Piece], list[Piece]]:
    """Put the keys at the right end of the last line, with a dot where they would read on from its text."""
    room = cells - pieces_width(last)
    action = _name_questions(panel, action, room)
    gap = room - pieces_width(action)
    return last, [("·", "frame"), *action] if last and action and APART <= gap < 2 * APART else action


def _name_questions(panel: TicketBox, action: list[Piece], room: int) -> list[Piece]:
    """Name what the desk asks first if there is room for it."""
    if panel.ticket is None or not action or action[-1] is not ASKS:
        return action
    asks = preview.list_questions(panel.ticket, panel.quote, panel.view)
    named: list[Piece] = [*action[:-1], (f"· asks first: {', '.join(asks)} ", ASKS[1])]
    return named if pieces_width(named) <= room else action


def label_piece(panel: TicketBox, name: str, text: str) -> Piece:
    """Build the label before a field; a sign in its last cell shows the focus without colours."""
    return (f"{text[:-1]}▸", "accent") if panel.fields[name].has_focus else (text, "dim")


def describe_staged(panel: TicketBox, ticket: Ticket) -> list[Piece]:
    if ticket.closes_exactly:
        return WHOLE_LEG
    if ticket.at_market:
        return [("MARKET", "text")]
    text = f"{ticket.price_mode.value} {preview.describe_tif(ticket)}"
    follows = ticket.price_mode.value == "join" and panel.outer_size.width >= WIDE
    return [
        (text, "text"),
        *([] if not follows else [("  follows the market until sent", "faint")]),
    ]


def form_rows(panel: TicketBox, ticket: Ticket) -> Rows:
    gap: Piece = (" " * panel.field_width(panel.outer_size), "text")
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
    leg: list[Piece] = [preview.side_piece(ticket), (" ", "text")] if shows_leg else []
    rows: Rows = [(first, leg)]
    unit = f"{ticket.unit}{preset_note(ticket)}"
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
        beside = preview.price_note(ticket, panel.quote, panel.view, room, tif) if ticket.sided else []
        rows.append((price + note(panel, "price", beside), []))
    if ticket.order is None:
        rows.append((protection_row(panel, ticket), []))
    rows.append(([(" " + "┄" * max(0, panel.outer_size.width - 4), "frame")], []))
    return rows


def protection_row(panel: TicketBox, ticket: Ticket) -> list[Piece]:
    """Build the line with take-profit and stop-loss fields, and the loss and gain beside them."""
    row: list[Piece] = [label_piece(panel, "tp", " tp      "), (" " * PROTECTION_WIDTH, "text")]
    if panel.outer_size.width < NARROW:
        return row
    row += [label_piece(panel, "sl", "   sl  "), (" " * PROTECTION_WIDTH, "text"), (" ", "text")]
    problem = next((entry for entry in panel.problems if entry.field in ("tp", "sl")), None)
    if problem is not None:
        return [*row, ("! " + problem.text, "alert")]
    return row + preview.protection_pieces(
        ticket, panel.quote, panel.view, panel.outer_size.width - 3 - pieces_width(row)
    )


def note(panel: TicketBox, field: str, otherwise: list[Piece]) -> list[Piece]:
    problem = next((problem for problem in panel.problems if problem.field == field), None)
    return [("! " + problem.text, "alert")] if problem is not None else otherwise


def size_note(panel: TicketBox, ticket: Ticket) -> list[Piece]:
    if ticket.order is not None:
        if "rest" in panel.placements(panel.outer_size):
            before = FIELD_X - 1 + panel.field_width(panel.outer_size) + len(ticket.unit) + len("   rest")
            to_field = max(1, REST_X - 1 - before)
            label = label_piece(panel, "rest", f"rest{' ' * to_field}")
            gap: Piece = (" " * (REST_X + SHORT_FIELD + 4 - before - to_field), "text")
            return [label, gap, (ticket.unit, "dim")]
        return [(f"= rest {ticket.remaining_text() or number_format.MISSING} {ticket.unit}", "text")]
    if not ticket.sided:
        return []
    notional = ticket.notional(panel.quote)
    base = ticket.base_size()
    pieces: list[Piece] = []
    if ticket.unit == "ct":
        pieces.append((f"= {number_format.MISSING if base is None else plain(base)} {ticket.base} ", "text"))
    pieces.append((f"= {number_format.decimal_figure(notional, 2)} {ticket.quote_coin}", "text"))
    return pieces
