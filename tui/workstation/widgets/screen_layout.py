"""Layout of the main screen for any size, computed from width, height and contents. Pure functions; see `pane_heights`."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from tui.workstation.input import scopes
from tui.workstation.tickets.fields import FORM_LINES, Mode
from tui.workstation.widgets.pane_heights import Demand, lend_lines, share_lines

PANES = tuple(scope.value for scope in scopes.PANES)
"""Panes in the order of their tabs. Those without their own place share the last one."""

PAIR_VIEWS = tuple(scope.value for scope in scopes.PAIR_VIEWS)
"""Views of one pair in the order of their tabs."""

COLUMN_CELLS = 120
"""Least width at which a pane shows every column of its default layout."""

PAIR_CELLS = 44
"""Least width at which the ladder shows orders, sizes and price of both sides."""
LIST_CELLS = 104
"""Width that the lists keep beside the views of a pair where there is room."""
MOST_PAIR_CELLS = 112
"""Width of the views of a pair from which on the lists get the rest."""

HEAD = 2
"""Lines of title and column names of a pane."""
TICKET_HEAD = 1
"""Lines of the ticket's title."""


class Box(msgspec.Struct, frozen=True):
    """Rectangle on the screen, and whether it is at the top or bottom of its column."""

    x: int
    y: int
    width: int
    height: int
    top: bool = False
    bottom: bool = False

    def stands_under(self, upper: Box) -> bool:
        """Return whether this box shares its top edge with the bottom edge of another box."""
        return (self.x, self.y) == (upper.x, upper.y + upper.height)


class Area(msgspec.Struct, frozen=True):
    """Area of the screen that shows one of several panes."""

    panes: tuple[str, ...]
    box: Box


class Plan(msgspec.Struct, frozen=True):
    """Layout of a whole screen."""

    status: Box
    areas: tuple[Area, ...] = ()
    ticket: Box | None = None
    event: Box | None = None
    keys: Box | None = None
    guide: Box | None = None
    """Lines of a guide, above the events."""
    tiny: bool = False
    lines: tuple[tuple[int, ...], ...] = ()
    """Row lines of each place by column, before a ticket took some of them."""

    def area_of(self, pane: str) -> Area | None:
        """Return the area in which a pane is shown, or None."""
        return next((area for area in self.areas if pane in area.panes), None)


class Needs(msgspec.Struct, frozen=True):
    """Screen contents that the heights depend on."""

    ticket: Mode = Mode.IDLE
    note: int = 1
    """Lines of the sentence in the place of the ticket while none is open."""
    zoomed: bool = False
    """Whether one pane takes the space of all; status, ticket, events and keys stay."""
    wanted: Mapping[str, int] = {}
    """Lines that hold all rows of a pane, by pane; without an entry it takes all there are."""
    front: Sequence[str] = PANES
    """Panes by priority; each place shows its first."""
    grown: Container[str] = PANES
    """Panes with new rows."""
    pair: tuple[str, ...] = ()
    """Views of the open pair in the order of their tabs; empty: none is open."""
    kept: tuple[tuple[int, ...], ...] = ()
    """Present `Plan.lines`, where the trader did nothing; empty: heights are computed anew."""
    guide: int = 0
    """Lines of a guide; the smallest screens have none."""


NO_NEEDS = Needs()


def has_guide(width: int, height: int) -> bool:
    """Return whether a screen of this size has room for a guide."""
    return width >= 60 and height >= 20


def plan(width: int, height: int, needs: Needs = NO_NEEDS) -> Plan:
    """Compute the layout for a size and its contents."""
    if width < 40 or height < 10:
        return Plan(Box(0, 0, max(0, width), max(0, min(height, 4))), tiny=True)
    if not has_guide(width, height):
        return _plan_smallest(width, height, needs)
    layout = _plan_places(width, height, needs)
    foot = next((box.y for box in (layout.event, layout.keys) if box is not None), height)
    return replace(layout, guide=Box(0, foot - needs.guide, width, needs.guide)) if needs.guide else layout


def _plan_places(width: int, height: int, needs: Needs) -> Plan:
    if needs.zoomed:
        return _plan_one_pane(width, height, needs)
    if needs.pair:
        return _plan_with_pair(width, height, needs)
    if width >= 2 * COLUMN_CELLS and height >= 38:
        return _plan_wide(width, height, needs)
    if width >= 150 and height >= 42:
        return _plan_stacked(width, height, needs)
    if width >= 76 and height >= 34:
        return _plan_three_places(width, height, needs)
    if height >= 23 and width >= 78:
        return _plan_two_places(width, height, needs)
    return _plan_one_pane(width, height, needs)


class _Place(NamedTuple):
    """Panes that share an area, and the area's weight."""

    panes: tuple[str, ...]
    share: int


def _every_pane(needs: Needs) -> tuple[_Place, ...]:
    """Return the area that all panes share on a screen which shows one pane at a time."""
    return (_Place((*needs.pair, *PANES), 1),)


def _panes_except(*own_place: str) -> tuple[str, ...]:
    """Return the panes that have no area of their own."""
    return tuple(pane for pane in PANES if pane not in own_place)


def _tail(width: int, height: int, needs: Needs, event: bool, keys: bool) -> tuple[Box | None, Box | None, int]:
    """Return the boxes of event line and key line at the bottom, and the number of lines above them and the guide."""
    left = height
    key_box = event_box = None
    if keys:
        left -= 1
        key_box = Box(0, left, width, 1)
    if event:
        left -= 1
        event_box = Box(0, left, width, 1)
    return event_box, key_box, left - needs.guide


def _column(
    room: Box, needs: Needs, kept: Sequence[int], above: Sequence[_Place], below: Sequence[_Place] = (), staged: int = 0
) -> tuple[tuple[Area, ...], Box | None, tuple[int, ...]]:
    """Stack areas with the ticket between them; return areas, ticket box, and the lines per area without an open ticket.

    Args:
        room: The column; its last line is the lower edge.
        needs: Contents of the screen.
        kept: Present row lines, or empty.
        above: Places above the ticket.
        below: Places below it.
        staged: Lines of a staged ticket; 0: no ticket in this column.
    """
    places = [*above, *below]
    rows = room.height - HEAD * len(places) - (TICKET_HEAD + 1 if staged else 0) - 1
    demands = [_demand(needs, place, rows) for place in places]
    lines = share_lines(rows, demands, kept)
    ticket_lines = {Mode.IDLE: needs.note, Mode.STAGED: staged}.get(needs.ticket, _count_form_lines(room.width))
    left, lent = lend_lines(lines, ticket_lines - 1, len(above)) if staged else (lines, 0)
    areas: list[Area] = []
    ticket = None
    y = room.y
    for at, (place, count) in enumerate(zip(places, left, strict=True)):
        last = at == len(places) - 1 and (bool(below) or not staged)
        areas.append(Area(place.panes, Box(room.x, y, room.width, HEAD + count + last, top=not at, bottom=last)))
        y += HEAD + count + last
        if staged and at == len(above) - 1:
            ticket = Box(room.x, y, room.width, TICKET_HEAD + 1 + lent + (not below), bottom=not below)
            y += ticket.height
    return tuple(areas), ticket, lines


def _demand(needs: Needs, place: _Place, rows: int) -> Demand:
    shown = next((pane for pane in needs.front if pane in place.panes), place.panes[0])
    return Demand(needs.wanted.get(shown, rows), place.share, shown in needs.grown)


def _plan_smallest(width: int, height: int, needs: Needs) -> Plan:
    """Lay out one status line, one pane and the ticket."""
    event, keys, bottom = _tail(width, height, replace(needs, guide=0), False, height >= 12)
    room = Box(0, 1, width, bottom - 1)
    return _one_column(Box(0, 0, width, 1), room, needs, _every_pane(needs), _count_staged_lines(width), event, keys)


def _plan_one_pane(width: int, height: int, needs: Needs) -> Plan:
    """Lay out status lines, a single pane and the ticket."""
    event, keys, bottom = _tail(width, height, needs, height >= 22, True)
    status = _status_height(width)
    room = Box(0, status, width, bottom - status)
    return _one_column(
        Box(0, 0, width, status), room, needs, _every_pane(needs), _count_staged_lines(width), event, keys
    )


def _one_column(
    status: Box, room: Box, needs: Needs, places: Sequence[_Place], staged: int, event: Box | None, keys: Box | None
) -> Plan:
    """Stack the areas in one column, with the ticket below them."""
    areas, ticket, lines = _column(room, needs, needs.kept[0] if needs.kept else (), places, staged=staged)
    return Plan(status, areas, ticket, event, keys, lines=(lines,))


def _status_height(width: int) -> int:
    return 1 if width >= 112 else 2


def _count_staged_lines(width: int) -> int:
    """Return the number of lines for a staged order with price, fee, break-even, liquidation and uniMMR."""
    return 6 if width < 60 else 5 if width < 70 else 4 if width < 100 else 3


def _count_form_lines(width: int) -> int:
    """Return the number of lines for a ticket with all fields open and its preview below them."""
    return FORM_LINES + (2 if width < 70 else 1 if width < 100 else 0)


def _plan_two_places(width: int, height: int, needs: Needs) -> Plan:
    """Lay out the quotes above one of the other panes."""
    event, keys, bottom = _tail(width, height, needs, True, True)
    status = _status_height(width)
    room = Box(0, status, width, bottom - status)
    places = (_Place(("quotes",), 5), _Place(PANES[1:], 6))
    return _one_column(Box(0, 0, width, status), room, needs, places, _count_staged_lines(width), event, keys)


def _plan_three_places(width: int, height: int, needs: Needs) -> Plan:
    """Lay out quotes, orders, and an area for all other panes."""
    event, keys, bottom = _tail(width, height, needs, True, True)
    status = _status_height(width)
    room = Box(0, status, width, bottom - status)
    places = (_Place(("quotes",), 9), _Place(("orders",), 7), _Place(PANES[2:], 7))
    return _one_column(Box(0, 0, width, status), room, needs, places, _count_staged_lines(width), event, keys)


def _plan_stacked(width: int, height: int, needs: Needs) -> Plan:
    """Stack quotes, ticket, orders, positions and the rest at full width.

    Two columns of panes need `COLUMN_CELLS` each, so this layout serves the widths below.
    """
    event, keys, bottom = _tail(width, height, needs, True, True)
    own = ("quotes", "orders", "positions", *(("adl",) if height >= 54 else ()))
    below = [_Place((pane,), 5 if pane == "adl" else 6) for pane in own[1:]]
    areas, ticket, lines = _column(
        Box(0, 1, width, bottom - 1), needs, needs.kept[0] if needs.kept else (), (_Place(("quotes",), 11),),
        [*below, _Place(_panes_except(*own), 6)], 3,
    )  # fmt: skip
    return Plan(Box(0, 0, width, 1), areas, ticket, event, keys, lines=(lines,))


def _plan_wide(width: int, height: int, needs: Needs) -> Plan:
    """Lay out two columns: quotes, ticket and ADL on the left; orders, positions and the rest on the right."""
    event, keys, bottom = _tail(width, height, needs, True, True)
    left = width // 2
    kept = needs.kept if len(needs.kept) == 2 else ((), ())
    quotes, ticket, left_lines = _column(
        Box(0, 1, left, bottom - 1), needs, kept[0], (_Place(("quotes",), 22),), (_Place(("adl",), 6),), 4
    )
    rest = _panes_except("quotes", "orders", "positions", "adl")
    others, _, right_lines = _column(
        Box(left, 1, width - left, bottom - 1), needs, kept[1], (),
        (_Place(("orders",), 12), _Place(("positions",), 11), _Place(rest, 12)),
    )  # fmt: skip
    areas = (quotes[0], *others, quotes[1])
    return Plan(Box(0, 0, width, 1), areas, ticket, event, keys, lines=(left_lines, right_lines))


def _plan_with_pair(width: int, height: int, needs: Needs) -> Plan:
    """Lay out the views of a pair beside the lists, below them, or in the same place, by width and height."""
    beside = width >= 76 + PAIR_CELLS
    if not beside and height < 34:
        return _plan_one_pane(width, height, needs)
    event, keys, bottom = _tail(width, height, needs, True, True)
    status = _status_height(width)
    left = _list_cells(width) if beside else width
    above, below, staged = _list_places(left, height)
    if not beside:
        above = (*above, _Place(needs.pair, 14))
    room = Box(0, status, left, bottom - status)
    lists, ticket, lines = _column(room, needs, needs.kept[0] if needs.kept else (), above, below, staged)
    pair = _pair_areas(Box(left, status, width - left, bottom - status), needs) if beside else ()
    return Plan(Box(0, 0, width, status), (*lists, *pair), ticket, event, keys, lines=(lines,))


def _list_cells(width: int) -> int:
    """Return the width of the lists beside the views of a pair."""
    return max(min(LIST_CELLS, width - PAIR_CELLS), width - MOST_PAIR_CELLS)


def _list_places(width: int, height: int) -> tuple[tuple[_Place, ...], tuple[_Place, ...], int]:
    """Return the places of the lists above and below the ticket, and the lines of a staged ticket."""
    staged = _count_staged_lines(width)
    if height >= 42 and width >= 100:
        own = ("quotes", "orders", "positions")
        below = (_Place(("orders",), 6), _Place(("positions",), 6), _Place(_panes_except(*own), 6))
        return (_Place(("quotes",), 11),), below, staged
    if height >= 34:
        return (_Place(("quotes",), 9), _Place(("orders",), 7), _Place(PANES[2:], 7)), (), staged
    return (_Place(("quotes",), 5), _Place(PANES[1:], 6)), (), staged


def _pair_areas(room: Box, needs: Needs) -> tuple[Area, ...]:
    """Lay out the views of a pair in a column of their own: side by side above the chart where there is room."""
    lists = tuple(view for view in needs.pair if view != "chart")
    if len(lists) == len(needs.pair) or not lists or room.height < 36:
        return (Area(needs.pair, replace(room, top=True, bottom=True)),)
    upper = room.height * 3 // 5
    chart = Area(("chart",), Box(room.x, room.y + upper, room.width, room.height - upper, bottom=True))
    if len(lists) < 2 or room.width < 2 * PAIR_CELLS:
        return Area(lists, Box(room.x, room.y, room.width, upper, top=True)), chart
    half = room.width // 2
    first = Area(lists[:1], Box(room.x, room.y, room.width - half, upper, top=True))
    second = Area(lists[1:], Box(room.x + room.width - half, room.y, half, upper, top=True, bottom=True))
    return first, second, chart


def full_plan(width: int, height: int, pane: str) -> Plan:
    """Lay out a full screen: one pane between status and events, without a ticket."""
    if width < 40 or height < 10:
        return plan(width, height)
    event, keys, bottom = _tail(width, height, NO_NEEDS, True, True)
    status = _status_height(width) if width >= 60 and height >= 20 else 1
    area = Area((pane,), Box(0, status, width, bottom - status, top=True, bottom=True))
    return Plan(Box(0, 0, width, status), (area,), None, event, keys)
