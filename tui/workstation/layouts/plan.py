"""Rectangles of the main screen for any size, computed from a layout and what it has to show. Pure functions."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

import msgspec

from tui.workstation.layouts.fitting import (
    HEAD,
    TICKET_LINES,
    add_views,
    complete,
    count_form_lines,
    divide,
    is_narrowed,
    is_ticket,
    join_small,
    least_height,
    narrow,
    widths_of,
)
from tui.workstation.layouts.pane_heights import LEAST, Demand, lend_lines, share_lines
from tui.workstation.layouts.presets import TRADE
from tui.workstation.layouts.tree import PAIR_VIEWS, PANES, TICKET, Layout, Node, Place, Split, walk_places
from tui.workstation.tickets.fields import Mode

__all__ = ["PAIR_VIEWS", "PANES", "Area", "Box", "Needs", "Plan", "full_plan", "plan"]

_BY_NUMBER = {pane: at for at, pane in enumerate((*PANES, *PAIR_VIEWS))}

LEAST_WIDTH, LEAST_HEIGHT = 40, 10
"""Size below which no ticket can be read, so that one pane is shown and nothing can be sent."""


class Box(msgspec.Struct, frozen=True):
    """Rectangle on the screen, and whether it is at the top or bottom of its column."""

    x: int
    y: int
    width: int
    height: int
    top: bool = False
    bottom: bool = False

    def holds(self, x: int, y: int) -> bool:
        """Return whether a cell of the screen is inside."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

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
    """Whether the window is too small for a ticket."""
    lines: tuple[tuple[int, ...], ...] = ()
    """Row lines of each place by fitted column, before a ticket took some of them."""
    reduced: bool = False
    """Whether the window is too small for all places of the layout."""
    tree: Node | None = None
    """Tree of the layout for this size, with the views of an open pair; None: one pane is shown alone."""

    def area_of(self, pane: str) -> Area | None:
        """Return the area in which a pane is shown, or None."""
        return next((area for area in self.areas if pane in area.panes), None)

    def area_at(self, x: int, y: int) -> Area | None:
        """Return the area at a cell of the screen, or None."""
        return next((area for area in self.areas if area.box.holds(x, y)), None)


class Needs(msgspec.Struct, frozen=True):
    """Contents of the main screen that its layout depends on: ticket, zoom, rows wanted, panes in front, open pair."""

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
    layout: Layout = TRADE
    guide: int = 0
    """Lines of a guide; the smallest screens have none."""


NO_NEEDS = Needs()


def has_guide(width: int, height: int) -> bool:
    """Return whether a screen of this size has room for a guide."""
    return width >= 60 and height >= 20


def plan(width: int, height: int, needs: Needs = NO_NEEDS) -> Plan:
    """Compute the layout of the main screen for a size in cells and the contents to show."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return _plan_tiny(width, height, (*needs.pair, *PANES))
    small = not has_guide(width, height)
    status = 1 if small or width >= 112 else 2
    event, keys, bottom = _tail(width, height, event=not small and height >= 22, keys=not small or height >= 12)
    guide = Box(0, bottom - needs.guide, width, needs.guide) if needs.guide and not small else None
    bottom = guide.y if guide is not None else bottom
    room = Box(0, status, width, bottom - status, top=True, bottom=True)
    reduced = small
    tree: Node = Split((Place((*needs.pair, *PANES)), Place((TICKET,))), fitted=True)
    own: Node | None = None
    if not small and not needs.zoomed:
        step = needs.layout.step(width, height, pair=bool(needs.pair))
        own = join_small(add_views(step.tree, needs.pair), room.width, room.height)
        whole = complete(own, needs.pair)
        tree = narrow(whole, room.width, room.height)
        reduced = is_narrowed(whole, tree)
    drawing = _Drawing(needs)
    drawing.place(tree, room)
    return Plan(
        Box(0, 0, width, status), drawing.order_areas(), drawing.ticket, event, keys, guide,
        lines=tuple(drawing.lines), reduced=reduced, tree=own,
    )  # fmt: skip


def _plan_tiny(width: int, height: int, panes: tuple[str, ...]) -> Plan:
    """Lay out a window too small for a ticket: status lines, one pane, and the key line if a row is left."""
    if width < 20 or height < 5:
        return Plan(Box(0, 0, max(0, width), max(0, min(height, 4))), tiny=True)
    _, keys, bottom = _tail(width, height, event=False, keys=height >= 6)
    status = 2 if height < 8 else 3
    box = Box(0, status, width, bottom - status, top=True, bottom=bottom - status >= 5)
    return Plan(Box(0, 0, width, status), (Area(panes, box),), keys=keys, tiny=True)


def full_plan(width: int, height: int, pane: str) -> Plan:
    """Lay out a full screen: one pane between status and events, without a ticket."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return _plan_tiny(width, height, (pane,))
    event, keys, bottom = _tail(width, height, event=True, keys=True)
    status = 1 if width < 60 or height < 20 or width >= 112 else 2
    area = Area((pane,), Box(0, status, width, bottom - status, top=True, bottom=True))
    return Plan(Box(0, 0, width, status), (area,), None, event, keys)


def _tail(width: int, height: int, *, event: bool, keys: bool) -> tuple[Box | None, Box | None, int]:
    """Return the boxes of event line and key line at the bottom, and the number of lines above them."""
    left = height
    key_box = event_box = None
    if keys:
        left -= 1
        key_box = Box(0, left, width, 1)
    if event:
        left -= 1
        event_box = Box(0, left, width, 1)
    return event_box, key_box, left


def _count_staged_lines(width: int) -> int:
    """Return the number of lines for a staged order with price, fee, break-even, liquidation and uniMMR."""
    return 6 if width < 60 else 5 if width < 70 else 4 if width < 100 else 3


class _Drawing:
    """Computation of one plan's rectangles, which collects areas, ticket box and row lines."""

    def __init__(self, needs: Needs) -> None:
        self._needs = needs
        self._kept: Iterator[tuple[int, ...]] = iter(needs.kept)
        self.areas: list[Area] = []
        self.ticket: Box | None = None
        self.lines: list[tuple[int, ...]] = []

    def order_areas(self) -> tuple[Area, ...]:
        """Return the areas in the order in which Tab goes through them: by the numbers of their first panes."""
        return tuple(sorted(self.areas, key=lambda area: min(_BY_NUMBER[pane] for pane in area.panes)))

    def place(self, node: Node, room: Box) -> None:
        """Lay out a part of the tree in its room."""
        if isinstance(node, Place):
            if is_ticket(node):
                self.ticket = room
            else:
                self.areas.append(Area(node.panes, room))
        elif node.beside:
            self._place_beside(node, room)
        else:
            self._stack(node, room)

    def _place_beside(self, split: Split, room: Box) -> None:
        x = room.x
        for at, (part, width) in enumerate(zip(split.parts, widths_of(split, room.width), strict=True)):
            # Only the first part shares its edges with what stands above and below.
            self.place(part, Box(x, room.y, width, room.height, room.top or at > 0, room.bottom or at > 0))
            x += width

    def _stack(self, column: Split, room: Box) -> None:
        parts = [part for part in column.parts if not is_ticket(part)]
        above = next((at for at, part in enumerate(column.parts) if is_ticket(part)), -1)
        rows = room.height - HEAD * len(parts) - (TICKET_LINES if above >= 0 else 0) - room.bottom
        lines = self._share(column, parts, rows, room)
        taken = 0
        if above >= 0:
            lines, taken = lend_lines(lines, self._count_ticket_lines(room.width) - 1, above, _own_leasts(parts, room))
        heights = [HEAD + count for count in lines]
        if above >= 0:
            heights.insert(above, TICKET_LINES + taken)
        heights[-1] += room.bottom
        y = room.y
        for at, (part, height) in enumerate(zip(column.parts, heights, strict=True)):
            last = at == len(heights) - 1
            self.place(part, Box(room.x, y, room.width, height, room.top and not at, room.bottom and last))
            y += height

    def _count_ticket_lines(self, width: int) -> int:
        mode = self._needs.ticket
        if mode is Mode.IDLE:
            return self._needs.note
        return _count_staged_lines(width) if mode is Mode.STAGED else count_form_lines(width)

    def _share(self, column: Split, parts: Sequence[Node], rows: int, room: Box) -> tuple[int, ...]:
        """Divide row lines among the parts of a column, without an open ticket."""
        if not column.fitted:
            width, edge = room.width, room.bottom
            edges = [0] * (len(parts) - 1) + [int(edge)]
            leasts = [least_height(part, width) + own for part, own in zip(parts, edges, strict=True)]
            heights = divide(rows + HEAD * len(parts) + int(edge), [max(1, part.share) for part in parts], leasts)
            return tuple(height - HEAD - own for height, own in zip(heights, edges, strict=True))
        demands = [self._demand(part, rows) for part in parts]
        lines = share_lines(rows, demands, next(self._kept, ()))
        self.lines.append(lines)
        return lines

    def _demand(self, part: Node, rows: int) -> Demand:
        needs, wanted, grows = self._needs, 0, False
        for place in walk_places(part):
            shown = next((pane for pane in needs.front if pane in place.panes), place.panes[0])
            wanted, grows = max(wanted, needs.wanted.get(shown, rows)), grows or shown in needs.grown
        return Demand(wanted, max(1, part.share), grows)


def _own_leasts(parts: Sequence[Node], room: Box) -> list[int]:
    """Return the lines beyond a list's minimum that each part keeps when a ticket opens; 0 for undivided parts."""
    return [max(0, least_height(part, room.width) - HEAD - LEAST) if isinstance(part, Split) else 0 for part in parts]
