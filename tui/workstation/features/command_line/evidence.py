"""Evidence that a request of a line has taken effect, before the next one is sent."""

from __future__ import annotations

from tui.engine.rows import OrderRow, PendingAction
from tui.interface.decimals import optional
from tui.workstation.command_line.requests import Request

EVIDENCE_S = 10.0
"""Longest wait for the evidence of a request, s."""


def awaits_evidence(request: Request) -> bool:
    """Return whether the answer to a request is not enough: a cancel, a change, or a close before an opening."""
    return bool(request.cancels or request.fills or (request.ticket is not None and request.ticket.order is not None))


def judge_evidence(request: Request, order: OrderRow) -> str | None:
    """Return an empty text if order data shows that a request took effect, a reason if it cannot any more, else None."""
    if request.cancels:
        late = optional(order.filled) != optional(request.executed)
        return (f"{order.filled} of it was filled before the cancel" if late else "") if order.final else None
    if request.fills:
        if not order.final:
            return None
        return "" if order.state == "FILLED" else f"it ended as {order.state_word} before it was filled"
    ticket = request.ticket
    if ticket is None or ticket.order is None:
        return ""
    if order.final:
        return f"the order has ended: {order.state_word}"
    return "" if order.overlay is PendingAction.NOTHING else None
