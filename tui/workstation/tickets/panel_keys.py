"""Keys of the ticket panel: what they do now, at the right end of its last line and in the footer."""

from __future__ import annotations

from tui.workstation.input.actions import format_key
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order.limits import list_questions
from tui.workstation.tickets.placement import NARROW, ROOMY, WIDE
from tui.workstation.tickets.ticket_box import TicketBox

SENDS = " sends "
"""Words behind the key that sends a ticket."""
ALL_THE_SAME = " sends all the same "
"""The same where the venue would refuse it."""
ASKS: Piece = ("· asks first ", "warn")
"""Words behind them when the desk asks before it sends."""
ASKS_ALONE: Piece = (" asks first ", "warn")
"""The same in their place, for where both have no room."""
APART = 2
"""Least cells between a message and the keys behind it; up to twice as many a dot stands between them."""
_PROTECTIONS = {"tp": "tp/sl", "sl": "sl"}
"""Fields that Enter skips and Tab reaches: label by field name."""


def key_pieces(panel: TicketBox) -> list[Piece]:
    """Build the keys to show now, with a remark if the gate would ask a question before sending."""
    keys = _keys_of_state(panel)
    if panel.ticket is None or not keys or keys[-1][0] not in (SENDS, ALL_THE_SAME):
        return keys
    if not list_questions(panel.ticket, panel.quote, panel.view):
        return keys
    return [*keys, ASKS] if panel.outer_size.width >= WIDE else [*keys[:-1], ASKS_ALONE]


def _keys_of_state(panel: TicketBox) -> list[Piece]:
    """Build the keys to show for the ticket's present state."""
    narrow = panel.outer_size.width < NARROW
    if panel.ticket is not None and panel.ticket.dry:
        return [(" dry: not sent ", "warn")]
    if panel.end_reason:
        return [(" Esc", "key"), (" closes ", "dim")]
    if panel.paused and panel.is_covered:
        return []
    if panel.paused:
        return [
            (f" {panel.view.key_of('pane.next')}", "key"),
            (" continues  ", "dim"),
            *([] if narrow else [("Esc", "key"), (" drops ", "dim")]),
        ]
    if panel.refused_key:
        return [(f" {panel.view.key_of(panel.way_on)}", "key"), (" continues ", "dim")]
    if panel.ask is not None:
        return _keys_of_question(panel, narrow=narrow)
    if panel.sending:
        return []
    return _keys_that_send(panel) if panel.has_focus or panel.mode is Mode.STAGED else _keys_of_field(panel)


def _keys_of_question(panel: TicketBox, *, narrow: bool) -> list[Piece]:
    """Build the keys of an open question: the key that sends, and the one that renews the price if it moved."""
    sends: list[Piece] = [(" would be refused  ", "alert")] if panel.denial else [(" y", "key"), (" sends  ", "dim")]
    requotes: list[Piece] = []
    if panel.can_requote and (key := panel.view.key_of("ticket.requote")):
        requotes = [(key, "key"), (" new price  ", "dim")]
    return [*sends, *requotes, *([] if narrow else [("Esc", "key"), (" back ", "dim")])]


def _keys_that_send(panel: TicketBox) -> list[Piece]:
    """Build the key that sends the ticket, or why none does."""
    ticket = panel.ticket
    if panel.problems:
        return [(" refused ", "alert")] if panel.refused_send else [(" not yet ", "warn")]
    if panel.desk_refusal is not None:
        return [(" would be refused ", "alert")]
    if ticket is not None and not ticket.sided:
        return [(" no side yet ", "warn")]
    if panel.venue_refusal:
        return _keys_of_refused(panel)
    one_line = panel.outer_size.width < NARROW and panel.count_lines(panel.outer_size.height) == 1
    return [(f" {format_key(panel.send_key)}", "key"), (" " if one_line else SENDS, "strong")]


def _keys_of_refused(panel: TicketBox) -> list[Piece]:
    """Build the key that sends although the venue would refuse; on the command line Enter, which asks first."""
    wide, narrow = panel.outer_size.width >= ROOMY, panel.outer_size.width < NARROW
    said = " refused · " if narrow else " would be refused · "
    if panel.in_line:
        return [(said, "alert"), ("Enter", "key"), (" asks ", "dim")]
    return [(said, "alert"), ("y", "key"), (ALL_THE_SAME if wide else SENDS, "dim")]


def _keys_of_field(panel: TicketBox) -> list[Piece]:
    """Build the keys that lead on from the focused field."""
    here = panel.focused_stop
    if here is not None and here.id == "intent" and panel.ticket is not None and not panel.ticket.sided:
        return []  # the line says which keys choose a side: Enter does not go on before
    enter: list[Piece] = [(" Enter", "key"), (f" {panel.enter_hint} ", "dim")]
    if here is None:
        return enter
    follows, needed = panel.neighbour_stop(here, 1), panel.neighbour_stop(here, 1, needed=True)
    optional = _PROTECTIONS.get(follows.id or "", "") if follows is not needed else ""
    tab: list[Piece] = [(f" {panel.view.key_of('stop.next')}", "key"), (f" {optional} ", "dim")] if optional else []
    return [*tab, *enter]


def end_row(panel: TicketBox, last: list[Piece], keys: list[Piece], cells: int) -> tuple[list[Piece], list[Piece]]:
    """Return the last line and its keys, with a dot before the keys if the text would seem to run on into them."""
    room = cells - pieces_width(last)
    keys = _name_questions(panel, keys, room)
    gap = room - pieces_width(keys)
    return last, [("·", "frame"), *keys] if last and keys and APART <= gap < 2 * APART else keys


def _name_questions(panel: TicketBox, keys: list[Piece], room: int) -> list[Piece]:
    """Replace the remark that the gate asks first by its questions if there is room."""
    if panel.ticket is None or not keys or keys[-1] is not ASKS:
        return keys
    asks = list_questions(panel.ticket, panel.quote, panel.view)
    named: list[Piece] = [*keys[:-1], (f"· asks first: {', '.join(asks)} ", ASKS[1])]
    return named if pieces_width(named) <= room else keys
