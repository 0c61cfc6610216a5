"""Dividers between places: which one stands at a cell."""

from __future__ import annotations

import msgspec

from tui.workstation.layouts.plan import Box, Plan


class Divider(msgspec.Struct, frozen=True):
    """Edge between two areas, at the cell where the mouse button was pressed."""

    pane: str
    """A pane of the place on its left, or above it."""
    beside: bool
    """Whether the places stand side by side."""
    x: int
    y: int
    plan: Plan
    """Plan when the mouse button was pressed; the drag is measured from it."""


def find_divider(shown: Plan, x: int, y: int) -> Divider | None:
    """Return the divider at a cell: the title line below another area, or the border between two; None if none."""
    for area in shown.areas:
        box = area.box
        if not box.holds(x, y):
            continue
        upper = y - shown.ticket.height if _is_under_ticket(box, shown.ticket) and shown.ticket is not None else y
        for other in shown.areas:
            ends = other.box.x + other.box.width, other.box.y + other.box.height
            if y == box.y and ends[1] == upper and other.box.x <= x < ends[0]:
                return Divider(other.panes[0], beside=False, x=x, y=y, plan=shown)
            on_left = y != box.y and x == box.x and ends[0] == x
            on_right = y != box.y and x == box.x + box.width - 1 and other.box.x == x + 1
            if (on_left or on_right) and other.box.y <= y < ends[1]:
                return Divider((other if on_left else area).panes[0], beside=True, x=x, y=y, plan=shown)
    return None


def _is_under_ticket(box: Box, ticket: Box | None) -> bool:
    return ticket is not None and box.stands_under(ticket)
