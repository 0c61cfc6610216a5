"""Evidence that a request of a line has taken effect, before the next one is sent."""

from __future__ import annotations

from tui.engine.rows import LocalOrderState, OrderRow, PendingAction
from tui.interface.decimals import optional, positive
from tui.interface.families.orders import OrderState, TimeInForce
from tui.workstation.command_line.requests import Request

EVIDENCE_S = 10.0
"""Longest wait for the evidence of a request, s."""


_TAKES_OR_ENDS = (TimeInForce.IOC, TimeInForce.FOK)


def awaits_evidence(request: Request) -> bool:
    """Return whether a request's effect must be seen in its order's row: for orders, not for algo orders."""
    return request.algo is None and not request.cancels_algo


def judge_evidence(request: Request, order: OrderRow) -> str | None:
    """Return an empty text if the order's row shows that a request took effect, why it failed, or None if still open."""
    if request.cancels:
        late = optional(order.filled) != optional(request.executed)
        return (f"{order.filled} of it was filled before the cancel" if late else "") if order.final else None
    ticket = request.ticket
    if ticket is not None and ticket.order is not None:
        if order.final:
            return f"the order has ended: {order.state_word}"
        return "" if order.overlay is PendingAction.NOTHING else None
    if order.final:
        return "" if order.state == OrderState.FILLED else explain_less_filled(order)
    at_once = ticket is not None and (ticket.at_market or order.time_in_force in _TAKES_OR_ENDS)
    # A NEW order is not judged by the venue yet: it may still refuse a post-only order that would take.
    waits = at_once or order.state in (*LocalOrderState, OrderState.NEW)
    return None if waits else ""


def explain_less_filled(order: OrderRow) -> str:
    """Say how much of an order was filled that was not filled completely, and in which state it ended."""
    how = f"{order.state_word} ({order.reason})" if order.reason else order.state_word
    is_filled = positive(order.filled) is not None
    return f"{f'filled {order.filled} of {order.qty}' if is_filled else 'filled nothing'}, then {how}"
