"""Changes of rows that an open ticket takes over: the rules of its pair, and figures that the trader did not type."""

from __future__ import annotations

import msgspec

from tui.workstation.input.fresh_press import add_way_on
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.position import find_opposite_position
from tui.workstation.tickets.order.refusals import list_problems_now
from tui.workstation.tickets.order.terms import PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.pair_rules import describe_rule_changes
from tui.workstation.tickets.ticket_box import TicketBox


def follow_rows(panel: TicketBox, ticket: Ticket) -> None:
    """Update the open ticket and its fields for changed rules, position and price."""
    ticket = note_opposite_position(panel, _follow_position(panel, _follow_rules(panel, ticket)))
    following = set[str]() if ticket.price_mode is PriceMode.TYPED else {"price"}
    if ticket.follows_position or ticket.order is not None:
        following |= {"size", "rest"}
    _follow_fields(panel, ticket, following)
    if panel.refused_send or panel.refusal:
        panel.end_refusals(list_problems_now(ticket, panel.quote, panel.view))


def _follow_position(panel: TicketBox, ticket: Ticket) -> Ticket:
    """Resize a ticket that closes a part of a position to the present position; a change of size closes its question."""
    followed = ticket_factory.follow_position(ticket, panel.view)
    if followed.qty != ticket.qty:
        panel.drop_question()
        panel.note_resize(ticket.qty, followed.qty)
    if followed != ticket:
        panel.ticket = followed
    return followed


def note_opposite_position(panel: TicketBox, ticket: Ticket) -> Ticket:
    """Record how much of the position a new order closes, once the trader has chosen its side or size."""
    if ticket.order is None and ticket.opposite[0] != ticket.side_and_size:
        ticket = msgspec.structs.replace(
            ticket, opposite=(ticket.side_and_size, find_opposite_position(ticket, panel.view))
        )
        panel.ticket = ticket
    return ticket


def _follow_rules(panel: TicketBox, ticket: Ticket) -> Ticket:
    """Apply changed rules of the pair to the ticket and lock it until the trader edits or unlocks it."""
    info = panel.view.info(ticket.sym)
    if info is ticket.info:
        return ticket
    if changes := describe_rule_changes(ticket.info, info):
        said = add_way_on(f"The rules of the pair have changed: {changes}", panel.way_on)
        panel.refused_key = panel.view.name_keys(said)
        for field in panel.fields.values():
            field.locked = field.has_focus
        panel.drop_question()
    panel.ticket = (panel.ticket or ticket).with_rules(info)
    return ticket.with_rules(info)


def _follow_fields(panel: TicketBox, ticket: Ticket, names: set[str]) -> None:
    """Update the named fields to what would be sent now, unless the trader has edited them."""
    texts = ticket.field_texts(panel.quote)
    for name in names:
        field = panel.fields[name]
        if field.value == field.ticket_text and field.value != texts[name]:
            field.follow(texts[name], ticket.parts_of_field(name))
