"""Why an order is in the state it is in, in words."""

from __future__ import annotations

from tui.engine.rows import LocalOrderState, OrderRow
from tui.workstation.model.display_context import DisplayContext

OWN_ORIGINS = frozenset(["DMA", ""])
"""Origins of orders that the trader placed; the service placed the others."""


def reason_text(order: OrderRow, view: DisplayContext) -> str:
    """Why an order is in the state it is in."""
    if order.conflict:
        return order.conflict
    if order.state == LocalOrderState.UNKNOWN:
        text = f"{order.reason}; asked {order.asked}x" if order.reason else f"asked {order.asked}x"
        if order.not_found:
            text += f", not found {order.not_found}x, last {view.moment(order.not_found_at)}"
        return text
    if order.origin not in OWN_ORIGINS:
        return " ".join(part for part in (order.origin, order.reason) if part)
    return order.reason
