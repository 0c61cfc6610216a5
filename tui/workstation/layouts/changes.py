"""Changes of a layout: a pane larger or smaller, in another place, with a place of its own or without. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tui.workstation.layouts.fitting import HEAD, drop_node, is_ticket, least_width, put_at
from tui.workstation.layouts.pane_heights import LEAST
from tui.workstation.layouts.plan import Box, Plan
from tui.workstation.layouts.tree import (
    PAIR_VIEWS,
    PANES,
    REST,
    TICKET,
    Layout,
    Node,
    Place,
    Split,
    Step,
    find_place,
    find_tree_fault,
    list_names,
    walk_places,
)

LEAST_PLACE = HEAD + LEAST
"""Least lines of a place."""


def replace_tree(layout: Layout, step: Step, tree: Node) -> Layout:
    """Return a copy of the layout in which one step has another tree."""
    steps = tuple(msgspec.structs.replace(old, tree=tree) if old is step else old for old in layout.steps)
    return msgspec.structs.replace(layout, steps=steps)


# Size


def resize(tree: Node, pane: str, cells: int, shown: Plan, *, beside: bool, after: bool = False) -> Node | None:
    """Return the tree with a pane's area larger or smaller by `cells`, at its neighbour's cost; None if impossible.

    Args:
        tree: Tree of the step in use.
        pane: Pane of the place.
        cells: Cells that it gains; negative: that it gives away.
        shown: Plan with the present sizes.
        beside: Whether its width changes, else its height.
        after: Whether only the edge on its right or lower side may move, as when a divider is dragged.

    Returns:
        The new tree; None when no edge can move.
    """
    place = find_place(tree, pane)
    split = _find_split(tree, place, beside=beside, after=after) if place is not None else None
    if place is None or split is None:
        return None
    parts = _parts(split)
    at = next(at for at, part in enumerate(parts) if _holds(part, place))
    other = at + 1 if at + 1 < len(parts) else at - 1
    sizes = [_measure(tree, part, shown, beside=beside) for part in parts]
    if not sizes[at] or not sizes[other]:
        return None
    leasts = [least_width(part) if beside else LEAST_PLACE for part in parts]
    moved = max(leasts[at] - sizes[at], min(cells, sizes[other] - leasts[other]))
    if not moved or (moved > 0) is not (cells > 0):
        return None
    sizes[at] += moved
    sizes[other] -= moved
    return put_at(tree, split, _with_sizes(split, sizes))


def _find_split(tree: Node, place: Place, *, beside: bool, after: bool) -> Split | None:
    """Return the innermost split of a direction (`beside`: side by side) where the part with the place has a neighbour."""
    if isinstance(tree, Place):
        return None
    inner = next((part for part in tree.parts if _holds(part, place)), None)
    if inner is None:
        return None
    deeper = _find_split(inner, place, beside=beside, after=after)
    if deeper is not None or tree.beside is not beside:
        return deeper
    parts = _parts(tree)
    return tree if len(parts) > 1 and (not after or parts[-1] is not inner) else None


def _holds(node: Node, place: Place) -> bool:
    return any(own is place for own in walk_places(node))


def _measure(tree: Node, node: Node, shown: Plan, *, beside: bool) -> int:
    """Return the width (`beside`) or height that a part of the tree takes on the screen, in cells; 0 if not shown."""
    panes = [pane for place in walk_places(node) for pane in _panes_of(tree, place)]
    boxes = [area.box for area in shown.areas if set(area.panes) & set(panes)]
    if not boxes:
        return 0
    if beside:
        return max(box.x + box.width for box in boxes) - min(box.x for box in boxes)
    return max(box.y + box.height for box in boxes) - min(box.y for box in boxes)


def _panes_of(tree: Node, place: Place) -> tuple[str, ...]:
    """Return the panes of a place; a place with `REST` includes all panes that no place names."""
    names = list_names(tree)
    rest = tuple(pane for pane in PANES if pane not in names) if REST in place.panes else ()
    return (*(pane for pane in place.panes if pane != REST), *rest)


def _with_sizes(split: Split, sizes: Sequence[int]) -> Split:
    """Return a split whose shares are the present sizes of its parts; a part not shown keeps its relative share."""
    shown = [part.share for part, size in zip(_parts(split), sizes, strict=True) if size]
    left = iter(sizes)
    parts: list[Node] = []
    for part in split.parts:
        size = 0 if is_ticket(part) else next(left)
        share = size or part.share * sum(sizes) // max(1, sum(shown))
        parts.append(part if is_ticket(part) else msgspec.structs.replace(part, share=share))
    return msgspec.structs.replace(split, parts=tuple(parts), fitted=False)


def _parts(split: Split) -> list[Node]:
    return [part for part in split.parts if not is_ticket(part)]


# Place


def find_neighbour(shown: Plan, pane: str, right: int, down: int) -> str:
    """Return the first pane of the area with the longest common edge in a direction; empty if there is none.

    Args:
        shown: Present plan.
        pane: Pane.
        right: 1 to the right, -1 to the left, else 0.
        down: 1 below, -1 above, else 0.
    """
    here = shown.area_of(pane)
    if here is None:
        return ""
    most, nearest = 0, ""
    for area in shown.areas:
        common = _common_edge(here.box, area.box, right, down, shown.ticket)
        if common > most:
            most, nearest = common, area.panes[0]
    return nearest


def _common_edge(here: Box, other: Box, right: int, down: int, ticket: Box | None) -> int:
    """Return how many cells of an edge two boxes share in a direction; a ticket between two boxes does not count."""
    if right:
        meets = other.x == here.x + here.width if right > 0 else here.x == other.x + other.width
        return max(0, min(here.y + here.height, other.y + other.height) - max(here.y, other.y)) if meets else 0
    upper, lower = (here, other) if down > 0 else (other, here)
    gap = lower.y - upper.y - upper.height
    meets = gap == 0 or (ticket is not None and gap == ticket.height and ticket.y == upper.y + upper.height)
    return max(0, min(here.x + here.width, other.x + other.width) - max(here.x, other.x)) if meets else 0


def swap(tree: Node, pane: str, other: str) -> Node | None:
    """Return the tree with the panes of two places exchanged; None if both panes are in the same place."""
    first, second = find_place(tree, pane), find_place(tree, other)
    if first is None or second is None or first is second:
        return None
    between = put_at(tree, first, msgspec.structs.replace(first, panes=second.panes))
    return put_at(between, second, msgspec.structs.replace(second, panes=first.panes))


def give_place(tree: Node, pane: str) -> Node | None:
    """Return the tree with a tab moved to an area of its own below; None if it has one or the tree becomes invalid."""
    place = find_place(tree, pane)
    if place is None or len(_panes_of(tree, place)) < 2:
        return None
    left = tuple(name for name in place.panes if name != pane)
    half = max(1, place.share // 2)
    stays = Place(left or (REST,), half)
    own = Place((pane,), half)
    column = _find_parent(tree, place)
    if column is None or column.beside:
        new = put_at(tree, place, Split((stays, own), share=place.share, fitted=True))
    else:
        at = next(at for at, part in enumerate(column.parts) if part is place)
        parts = (*column.parts[:at], stays, own, *column.parts[at + 1 :])
        new = put_at(tree, column, msgspec.structs.replace(column, parts=parts))
    return None if find_tree_fault(new) else new


def take_place(tree: Node, pane: str) -> Node | None:
    """Return the tree with a pane's own area made a tab of another area; None if it shares its area or none fits."""
    place = find_place(tree, pane)
    if place is None or len(_panes_of(tree, place)) > 1:
        return None
    others = [own for own in walk_places(tree) if TICKET not in own.panes and own is not place]
    kind = PANES if pane in PANES else PAIR_VIEWS
    host = next((own for own in others if set(_panes_of(tree, own)) & set(kind)), None)
    if host is None:
        return None
    if kind is PAIR_VIEWS:
        tree = put_at(tree, host, msgspec.structs.replace(host, panes=(*host.panes, *place.panes)))
        return drop_node(tree, place)
    return drop_node(tree, place)


def _find_parent(tree: Node, place: Place) -> Split | None:
    if isinstance(tree, Place):
        return None
    if any(part is place for part in tree.parts):
        return tree
    return next((parent for part in tree.parts if (parent := _find_parent(part, place)) is not None), None)
