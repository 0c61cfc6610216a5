"""Text that explains the state of an order."""

from __future__ import annotations

from tui.engine.rows import LocalOrderState, OrderRow
from tui.workstation.model.algo_figures import describe_clipped
from tui.workstation.model.display_context import DisplayContext

OWN_ORIGINS = frozenset(["DMA", ""])
"""Origins of the trader's own orders; others come from the service."""

ASKED = "the service is asked to confirm that it has ended"
"""End of the texts about an order that its fills complete while no record says that it has ended."""


def reason_text(order: OrderRow, view: DisplayContext) -> str:
    """Return why an order is in its state, such as a conflict, an unknown outcome or a rejection; empty if not known."""
    if order.conflict:
        return order.conflict
    if order.state == LocalOrderState.UNKNOWN:
        text = f"filled in full; {ASKED}; " if order.is_filled else ""
        text += f"{order.reason}; asked {order.asked}x" if order.reason else f"asked {order.asked}x"
        if order.not_found:
            text += f", not found {order.not_found}x, last {view.moment(order.not_found_at)}"
        return text
    if order.origin not in OWN_ORIGINS:
        return " ".join(part for part in (order.origin, order.reason) if part)
    return order.reason or describe_clipped(order, view)
