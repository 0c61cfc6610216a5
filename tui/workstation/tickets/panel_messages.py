"""Message of the ticket panel: its question, why it refuses, or that it is on its way."""

from __future__ import annotations

from tui.engine.rows import LocalOrderState
from tui.interface.decimals import positive
from tui.workstation.input.fresh_press import leave_out_way_on
from tui.workstation.render.pieces import Piece
from tui.workstation.render.text import wrap_beside
from tui.workstation.tickets.order.position import explain_changed_close
from tui.workstation.tickets.order.price_move import describe_drift
from tui.workstation.tickets.ticket_box import Rows, TicketBox

SENDING = "sending…"


def build_message_rows(panel: TicketBox, most: int, cells: int, last_cells: int) -> Rows:
    """Build the lines of the message, the last beside the keys; none if there is none.

    Args:
        panel: The panel.
        most: Most lines.
        cells: Width of a line.
        last_cells: Width of the last line.
    """
    message = message_pieces(panel)
    if not message:
        return []
    text, role = "".join(text for text, _ in message), message[0][1]
    return [([(" " + line, role)], []) for line in wrap_beside(text, cells, last_cells, most)]


def is_about_position(panel: TicketBox) -> bool:
    """Return whether the ticket has something to say about its position, which the preview then does not leave out."""
    ticket = panel.ticket
    return ticket is not None and bool(panel.resized_from or explain_changed_close(ticket, panel.view))


def message_pieces(panel: TicketBox) -> list[Piece]:
    """Build the message that matters most now; empty if there is none."""
    if why := panel.end_reason:
        return [("! " + why, "alert")]
    if panel.refused_key:
        return [("! " + leave_out_way_on(panel.refused_key, panel.view.key_of(panel.way_on)), "alert")]
    if panel.ask is not None:
        if why := panel.denial:
            return [("! " + panel.view.name_keys(why), "alert")]
        drift = describe_drift(panel.ticket, panel.compute_move(), panel.view, panel.live_quote)
        # A loan stands first, because a long question is cut at its end.
        loan = "".join(text for text, _ in panel.figures(panel.ticket).borrow) if panel.ticket is not None else ""
        asked = panel.ask.text or panel.ask.guard
        return [(f"? {f'{loan} · ' if loan else ''}{asked}{drift}", "warn")]
    if panel.sending:
        return [(_describe_sending(panel), "pending")]
    if why := panel.refusal or (panel.problems[0].text if panel.problems else panel.expect_refusal):
        return [("! " + panel.view.name_keys(why), "alert")]
    ticket = panel.ticket
    if ticket is not None and (before := panel.resized_from):
        sizes = (f"{panel.view.quantity(ticket.sym, size, unit=False)} {ticket.unit}" for size in (before, ticket.qty))
        return [("! the size was {} and is {}: its position has changed".format(*sizes), "warn")]
    if ticket is not None and not ticket.sided:
        return [(panel.view.name_keys(ticket.problems(panel.quote)[0].text), "warn")]
    return []


def _describe_sending(panel: TicketBox) -> str:
    """Describe a ticket that is being sent; say what became of its order if that is seen before the answer has come.

    It is sure to be its own if it is the only new order of this desk that equals it.
    """
    ticket, mirror = panel.ticket, panel.view.mirror
    if ticket is None or ticket.order is not None:
        return SENDING
    sent = (ticket.sym, ticket.side.value, ticket.qty)
    new = [mirror.orders[key] for key in mirror.orders.keys() - panel.known_orders]
    own = [order for order in new if (order.sym, order.side, order.qty) == sent and mirror.is_own(order)]
    if len(own) != 1 or not own[0].order_id or own[0].state in tuple(LocalOrderState):
        return SENDING
    [order] = own
    filled = "" if positive(order.average) is None else f" at {panel.view.price(order.sym, order.average)}"
    return f"{order.state_word}{filled} at the venue; its answer has not come yet, Esc closes the ticket"
