"""Words of the line of keys about the ticket: what Enter, Tab, Esc and the steps do in the field with the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.workstation.tickets.fields import Mode

if TYPE_CHECKING:
    from tui.workstation.tickets.panel import TicketPanel


def build_hints(panel: TicketPanel) -> dict[str, str]:
    """Return the texts of the key line that depend on the ticket, by action."""
    staged, field = panel.mode is Mode.STAGED, panel.size_field
    tab = "next" if not staged else "keeps the size" if field.has_focus else "to the size"
    esc = "drop" if staged and field.value != field.initial_text else "back"
    stepped = name_stepped(panel)
    return {
        "field.next": panel.enter_hint, "stop.next": tab, "field.restore": esc, "field.up": stepped, "step.up": stepped
    }  # fmt: skip


def name_stepped(panel: TicketPanel) -> str:
    """Name what Up and Down step: price or size; empty if nothing.

    Where they step nothing it is empty: a wrong size must be corrected before they step the price.
    """
    here = panel.focused_stop
    if here in (panel.price_field, panel) or (panel.mode is Mode.STAGED and not panel.is_size_refused):
        is_wrong = here is panel.size_field and any(problem.field == "size" for problem in panel.problems)
        return "" if is_wrong or panel.ticket is None or panel.ticket.at_market else "price"
    return "size" if here in (panel.size_field, panel.rest_field) else ""
