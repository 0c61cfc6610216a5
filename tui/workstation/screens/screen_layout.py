"""Where everything stands on a screen of any size. Counted, pure, and the only place that knows heights."""

from __future__ import annotations

import msgspec

from tui.workstation.input import scopes
from tui.workstation.tickets.fields import FORM_LINES

PANES = tuple(scope.value for scope in scopes.PANES)
"""Panes in the order of their tabs. Those without a place of their own share the last one."""

COLUMN_CELLS = 120
"""Width from which on a pane shows every column of its usual layout."""

HEAD = 2
"""Title and column names of a pane."""


class Box(msgspec.Struct, frozen=True):
    """A rectangle, and whether it is the top or the bottom of its column."""

    x: int
    y: int
    width: int
    height: int
    top: bool = False
    bottom: bool = False

    def stands_under(self, upper: Box) -> bool:
        """Whether its upper edge is the lower edge of another box."""
        return (self.x, self.y) == (upper.x, upper.y + upper.height)


class Area(msgspec.Struct, frozen=True):
    """A place that shows one of several panes."""

    panes: tuple[str, ...]
    box: Box


class Plan(msgspec.Struct, frozen=True):
    """A whole screen."""

    status: Box
    areas: tuple[Area, ...] = ()
    ticket: Box | None = None
    event: Box | None = None
    keys: Box | None = None
    tiny: bool = False

    def area_of(self, pane: str) -> Area | None:
        """The place where a pane is shown."""
        return next((area for area in self.areas if pane in area.panes), None)


def plan(width: int, height: int, form: bool = False, zoomed: bool = False) -> Plan:
    """The screen for a size.

    Args:
        width: Cells.
        height: Lines.
        form: Whether all fields of a ticket are open; its lines come from the quotes.
        zoomed: Whether one pane takes the room of all; status, ticket, events and keys stay.
    """
    if width < 40 or height < 10:
        return Plan(Box(0, 0, max(0, width), max(0, min(height, 4))), tiny=True)
    if width < 60 or height < 20:
        return _smallest(width, height, form)
    if zoomed:
        return _one(width, height, form)
    if width >= 2 * COLUMN_CELLS and height >= 38:
        return _wide(width, height, form)
    if width >= 150 and height >= 42:
        return _stacked(width, height, form)
    if width >= 76 and height >= 34:
        return _three(width, height, form)
    if height >= 23 and width >= 78:
        return _two(width, height, form)
    return _one(width, height, form)


def _without(*own_place: str) -> tuple[str, ...]:
    """The panes that share a place, where some have one of their own."""
    return tuple(pane for pane in PANES if pane not in own_place)


def _tail(width: int, height: int, event: bool, keys: bool) -> tuple[Box | None, Box | None, int]:
    """Event and key lines at the bottom, and how many lines are left above them."""
    left = height
    key_box = event_box = None
    if keys:
        left -= 1
        key_box = Box(0, left, width, 1)
    if event:
        left -= 1
        event_box = Box(0, left, width, 1)
    return event_box, key_box, left


def _smallest(width: int, height: int, form: bool) -> Plan:
    """One status line, one pane, one ticket line."""
    event, keys, bottom = _tail(width, height, False, height >= 12)
    lines = min(FORM_LINES, bottom - 7) if form else 1
    ticket = 1 + lines + 1
    area = Area(PANES, Box(0, 1, width, bottom - 1 - ticket, top=True))
    return Plan(Box(0, 0, width, 1), (area,), Box(0, bottom - ticket, width, ticket, bottom=True), event, keys)


def _one(width: int, height: int, form: bool) -> Plan:
    """Status lines, one pane at a time, three ticket lines."""
    event, keys, bottom = _tail(width, height, height >= 22, True)
    status = _status_height(width)
    ticket = 1 + (FORM_LINES if form else 3) + 1
    area = Area(PANES, Box(0, status, width, bottom - status - ticket, top=True))
    return Plan(Box(0, 0, width, status), (area,), Box(0, bottom - ticket, width, ticket, bottom=True), event, keys)


def _status_height(width: int) -> int:
    return 1 if width >= 112 else 2


def _two(width: int, height: int, form: bool) -> Plan:
    """Quotes, and below them one of the other panes."""
    event, keys, bottom = _tail(width, height, True, True)
    status = _status_height(width)
    lines = 3 if width < 112 else 2
    ticket = 1 + lines + 1
    body = bottom - status - ticket - 2 * HEAD
    quotes = max(3, (body * 5) // 11)
    second = body - quotes
    if form:
        extra = FORM_LINES - lines
        ticket += extra
        taken = min(extra, quotes - 2)
        quotes -= taken
        second -= extra - taken
    y = status
    first = Area(("quotes",), Box(0, y, width, HEAD + quotes, top=True))
    y += HEAD + quotes
    other = Area(PANES[1:], Box(0, y, width, HEAD + second))
    y += HEAD + second
    return Plan(Box(0, 0, width, status), (first, other), Box(0, y, width, ticket, bottom=True), event, keys)


def _three(width: int, height: int, form: bool) -> Plan:
    """Quotes, orders, and a place for the other panes."""
    event, keys, bottom = _tail(width, height, True, True)
    status = _status_height(width)
    lines = 3 if width < 112 else 2
    ticket = 1 + lines + 1
    body = bottom - status - ticket - 3 * HEAD
    quotes = (body * 9) // 23
    orders = (body - quotes) // 2
    third = body - quotes - orders
    if form:
        extra = FORM_LINES - lines
        ticket += extra
        quotes -= extra
    y = status
    areas = []
    for panes, rows, top in ((("quotes",), quotes, True), (("orders",), orders, False), (PANES[2:], third, False)):
        areas.append(Area(panes, Box(0, y, width, HEAD + rows, top=top)))
        y += HEAD + rows
    return Plan(Box(0, 0, width, status), tuple(areas), Box(0, y, width, ticket, bottom=True), event, keys)


def _stacked(width: int, height: int, form: bool) -> Plan:
    """Everything one above the other at full width: quotes, ticket, orders, positions and the rest.

    Two columns come only where both have room for every column that a pane of 120 cells shows.
    """
    event, keys, bottom = _tail(width, height, True, True)
    ticket = 1 + (FORM_LINES if form else 3)
    own_adl = height >= 54
    others = _without("quotes", "orders", "positions", *(("adl",) if own_adl else ()))
    heads = HEAD * (5 if own_adl else 4)
    rows = bottom - 1 - ticket - heads - 1
    adl = 5 if own_adl else 0
    orders = (rows - adl) * 6 // 29
    positions = (rows - adl) * 6 // 29
    rest = (rows - adl) * 6 // 29
    quotes = rows - adl - orders - positions - rest
    y = 1
    areas = [Area(("quotes",), Box(0, y, width, HEAD + quotes, top=True))]
    y += HEAD + quotes
    ticket_box = Box(0, y, width, ticket)
    y += ticket
    for panes, lines in ((("orders",), orders), (("positions",), positions), *(((("adl",), adl),) if own_adl else ())):
        areas.append(Area(panes, Box(0, y, width, HEAD + lines)))
        y += HEAD + lines
    areas.append(Area(others, Box(0, y, width, HEAD + rest + 1, bottom=True)))
    return Plan(Box(0, 0, width, 1), tuple(areas), ticket_box, event, keys)


def _wide(width: int, height: int, form: bool) -> Plan:
    """Two columns: quotes, ticket and ADL at the left; orders, positions and the rest at the right."""
    event, keys, bottom = _tail(width, height, True, True)
    left = width // 2
    right = width - left
    body = bottom - 1
    lines = FORM_LINES if form else 4
    ticket = 1 + lines
    adl = max(4, (body - 10) * 6 // 32) if height < 50 else 10
    quotes = body - ticket - (HEAD + adl + 1) - HEAD
    y = 1
    quotes_box = Box(0, y, left, HEAD + quotes, top=True)
    y += HEAD + quotes
    ticket_box = Box(0, y, left, ticket)
    adl_box = Box(0, y + ticket, left, HEAD + adl + 1, bottom=True)
    rows = body - 3 * HEAD - 1
    orders = rows * 12 // 35
    positions = rows * 11 // 35
    rest = rows - orders - positions
    y = 1
    orders_box = Box(left, y, right, HEAD + orders, top=True)
    y += HEAD + orders
    positions_box = Box(left, y, right, HEAD + positions)
    y += HEAD + positions
    rest_box = Box(left, y, right, HEAD + rest + 1, bottom=True)
    areas = (
        Area(("quotes",), quotes_box),
        Area(("orders",), orders_box),
        Area(("positions",), positions_box),
        Area(_without("quotes", "orders", "positions", "adl"), rest_box),
        Area(("adl",), adl_box),
    )
    return Plan(Box(0, 0, width, 1), areas, ticket_box, event, keys)


def full_plan(width: int, height: int, pane: str) -> Plan:
    """A screen beside the desk: one pane between status and events; there is no ticket on it."""
    if width < 40 or height < 10:
        return plan(width, height)
    event, keys, bottom = _tail(width, height, True, True)
    status = _status_height(width) if width >= 60 and height >= 20 else 1
    area = Area((pane,), Box(0, status, width, bottom - status, top=True, bottom=True))
    return Plan(Box(0, 0, width, status), (area,), None, event, keys)
