"""Fitting a tree of panes to a size: fewer places before places that cannot be read. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from tui.workstation.layouts.pane_heights import HARD_LEAST, LEAST
from tui.workstation.layouts.presets import PAIR_CELLS, PAIR_COLUMN
from tui.workstation.layouts.tree import (
    AUTOMATIC,
    PAIR_VIEWS,
    PANES,
    REST,
    TAB_ORDER,
    TICKET,
    Node,
    Place,
    Split,
    list_names,
    walk_nodes,
    walk_places,
)
from tui.workstation.tickets.fields import FORM_LINES

HEAD = 2
"""Lines of title and column names of a pane."""
TICKET_HEAD = 1
"""Lines of the ticket's title."""
TICKET_LINES = TICKET_HEAD + 1
"""Lines of the ticket while it is closed."""
LIST_CELLS = 60
"""Least width of a list beside something else."""
VIEW_LINES = 6
"""Least row lines of a view of a pair that has a place of its own."""
WIDE_LIST_CELLS = 104
"""Width that the lists keep beside the views of a pair where there is room."""
MOST_PAIR_CELLS = 112
"""Width of the views of a pair from which on the lists get the rest."""


def count_form_lines(width: int) -> int:
    """Return the number of lines for a ticket with all fields open and its preview below them."""
    return FORM_LINES + (2 if width < 70 else 1 if width < 100 else 0)


# Completing


def complete(tree: Node, pair: Sequence[str]) -> Node:
    """Return a tree in which every pane, every open pair view and the ticket occur exactly once.

    Args:
        tree: Tree that has the open views.
        pair: Open views of a pair; those that the tree names and that are not open leave it.
    """
    kept: Node = keep_names(tree, {*PANES, *pair, TICKET, REST}) or Place((REST,))
    names = set(list_names(kept))
    kept = _fill_rest(kept, tuple(pane for pane in PANES if pane not in names))
    return kept if TICKET in names else _add_ticket(kept)


def add_views(tree: Node, pair: Sequence[str]) -> Node:
    """Return the tree with all open pair views: in a new column if it has none, else as tabs in the first area with one."""
    names = set(list_names(tree))
    missing = tuple(view for view in pair if view not in names)
    if missing and len(missing) == len(pair):
        column = keep_names(PAIR_COLUMN, set(missing))
        return Split((tree, column), beside=True) if column is not None else tree
    if missing:
        first = next(place for place in walk_places(tree) if set(place.panes) & set(pair))
        return put_at(tree, first, msgspec.structs.replace(first, panes=(*first.panes, *missing)))
    return tree


def join_small(node: Node, width: int, height: int) -> Node:
    """Return the tree with each split that has less room than its `least` joined into one area of tabs."""
    if isinstance(node, Place):
        return node
    if (width if node.beside else height) < node.least:
        return _join(node.parts, node.share)
    widths = widths_of(node, width) if node.beside else (width,) * len(node.parts)
    heights = (height,) * len(node.parts) if node.beside else divide_lines(node, width, height)
    rooms = zip(node.parts, widths, heights, strict=True)
    return msgspec.structs.replace(node, parts=tuple(join_small(part, *room) for part, *room in rooms))


def keep_names(tree: Node, names: set[str]) -> Node | None:
    """Return the tree with only the panes in `names`; None if none remains."""
    if isinstance(tree, Place):
        panes = tuple(pane for pane in tree.panes if pane in names)
        return msgspec.structs.replace(tree, panes=panes) if panes else None
    return _with_parts(tree, tuple(left for part in tree.parts if (left := keep_names(part, names)) is not None))


def drop_node(tree: Node, gone: Node) -> Node | None:
    """Return the tree without one node, found by object identity; None if nothing remains."""
    if tree is gone:
        return None
    if isinstance(tree, Place):
        return tree
    return _with_parts(tree, tuple(left for part in tree.parts if (left := drop_node(part, gone)) is not None))


def _with_parts(split: Split, parts: tuple[Node, ...]) -> Node | None:
    """Return a split with other parts; a single part replaces the split, no part gives None."""
    if len(parts) == 1:
        return msgspec.structs.replace(parts[0], share=split.share)
    return msgspec.structs.replace(split, parts=parts) if parts else None


def _fill_rest(tree: Node, rest: tuple[str, ...]) -> Node:
    """Add the panes that no place names to the place that contains `REST`, else to the last place of lists."""
    places = list(walk_places(tree))
    lists = [place for place in places if not set(place.panes) & {*PAIR_VIEWS, TICKET}]
    home = next((place for place in places if REST in place.panes), lists[-1] if lists else None)
    if home is None:
        return Split((tree, Place(rest)))
    panes = [pane for pane in home.panes if pane != REST]
    at = home.panes.index(REST) if REST in home.panes else len(panes)
    filled = (*panes[:at], *rest, *panes[at:])
    if filled:
        return put_at(tree, home, msgspec.structs.replace(home, panes=filled))
    return keep_names(tree, set(list_names(tree)) - {REST}) or Place(PANES)


def _add_ticket(tree: Node) -> Node:
    """Return the tree with the place of the ticket below its first column."""
    if isinstance(tree, Split) and tree.beside:
        first, *others = tree.parts
        return msgspec.structs.replace(tree, parts=(_add_ticket(first), *others))
    parts = tree.parts if isinstance(tree, Split) else (tree,)
    fitted = tree.fitted if isinstance(tree, Split) else True
    return Split((*parts, Place((TICKET,))), share=tree.share, fitted=fitted)


def put_at(tree: Node, old: Node, new: Node) -> Node:
    """Return the tree with one node, found by object identity, replaced by another."""
    if tree is old:
        return new
    if isinstance(tree, Place):
        return tree
    return msgspec.structs.replace(tree, parts=tuple(put_at(part, old, new) for part in tree.parts))


# Least sizes


def least_width(node: Node) -> int:
    """Return the width, in cells, that a part needs at least to be readable."""
    if isinstance(node, Place):
        if node.panes == (TICKET,):
            return 0
        return PAIR_CELLS if set(node.panes) <= set(PAIR_VIEWS) else LIST_CELLS
    widths = [least_width(part) for part in node.parts]
    return sum(widths) if node.beside and not node.least else max(widths)


def least_height(node: Node, width: int) -> int:
    """Return the height in lines, without lower edge, that a part needs to be readable and to open its ticket."""
    if isinstance(node, Place):
        if node.panes == (TICKET,):
            return TICKET_LINES
        return HEAD + (VIEW_LINES if set(node.panes) <= set(PAIR_VIEWS) else LEAST)
    heights = [least_height(part, width) for part in node.parts]
    if node.beside or node.least:
        return max(heights) + 1
    closed = sum(heights)
    if not any(is_ticket(part) for part in node.parts):
        return closed
    beside_form = [
        HEAD + HARD_LEAST if isinstance(part, Place) else height
        for part, height in zip(node.parts, heights, strict=True)
        if not is_ticket(part)
    ]
    return max(closed, sum(beside_form) + TICKET_HEAD + count_form_lines(width))


def is_ticket(node: Node) -> bool:
    """Return whether a part is the place of the ticket."""
    return isinstance(node, Place) and node.panes == (TICKET,)


def divide(total: int, shares: Sequence[int], leasts: Sequence[int]) -> tuple[int, ...]:
    """Divide cells by shares; a part below its minimum gets cells from the part with the most above its minimum."""
    whole = sum(shares)
    edges = [total * sum(shares[:at]) // whole if whole else total * at // len(shares) for at in range(len(shares) + 1)]
    sizes = [after - before for before, after in pairwise(edges)]
    while needy := [at for at, size in enumerate(sizes) if size < leasts[at]]:
        giver = max(range(len(sizes)), key=lambda at: sizes[at] - leasts[at])
        moved = min(leasts[needy[0]] - sizes[needy[0]], sizes[giver] - leasts[giver])
        if moved <= 0:
            break
        sizes[giver] -= moved
        sizes[needy[0]] += moved
    return tuple(sizes)


def widths_of(split: Split, width: int) -> tuple[int, ...]:
    """Return the widths of parts that stand side by side."""
    parts, leasts = split.parts, [least_width(part) for part in split.parts]
    if len(parts) == 2 and parts[1].share == AUTOMATIC:
        left = max(min(WIDE_LIST_CELLS, width - PAIR_CELLS), width - MOST_PAIR_CELLS)
        left = max(leasts[0], min(left, width - leasts[1]))
        return left, width - left
    return divide(width, [max(1, part.share) for part in parts], leasts)


# Narrowing


def narrow(tree: Node, width: int, height: int) -> Node:
    """Return the tree reduced to the areas that are readable in a size; the first areas are kept longest.

    Args:
        tree: Complete tree.
        width: Width of the room.
        height: Height of the room, lower edge included.
    """
    narrowed = _narrow_widths(tree, width)
    return _narrow_heights(narrowed, width, height - (not _stands_beside(narrowed)))


def _stands_beside(node: Node) -> bool:
    return isinstance(node, Split) and node.beside


def _narrow_widths(node: Node, width: int) -> Node:
    """Stack parts that stand side by side, from the last one on, until all are wide enough."""
    if isinstance(node, Place):
        return node
    if not node.beside:
        parts = tuple(_narrow_widths(part, width) for part in node.parts)
        return _splice(msgspec.structs.replace(node, parts=parts), node.parts)
    if width < node.least:
        return _join(node.parts, node.share)
    parts = node.parts
    while len(parts) > 1 and sum(least_width(part) for part in parts) > width:
        parts = (*parts[:-2], _stack(parts[-2], parts[-1]))
    if len(parts) == 1:
        return _narrow_widths(msgspec.structs.replace(parts[0], share=node.share), width)
    beside = msgspec.structs.replace(node, parts=parts)
    return msgspec.structs.replace(
        beside,
        parts=tuple(_narrow_widths(part, cells) for part, cells in zip(parts, widths_of(beside, width), strict=True)),
    )


def _splice(column: Split, before: Sequence[Node]) -> Split:
    """Merge rows that became columns into the column around them."""
    parts: list[Node] = []
    for old, part in zip(before, column.parts, strict=True):
        turned = isinstance(old, Split) and old.beside and isinstance(part, Split) and not part.beside
        parts += part.parts if turned and isinstance(part, Split) else (part,)
    return msgspec.structs.replace(column, parts=tuple(parts))


def _stack(upper: Node, lower: Node) -> Split:
    """Build a column of one part above another; columns among them are merged into it."""
    parts: list[Node] = []
    for node in (upper, lower):
        if isinstance(node, Split) and node.least:
            parts.append(_join(node.parts, upper.share))
        else:
            parts += node.parts if isinstance(node, Split) and not node.beside else (node,)
    # Heights that follow rows would leave a view of a pair less than its least.
    lists = all(isinstance(part, Place) and not set(part.panes) & set(PAIR_VIEWS) for part in parts)
    return Split(tuple(parts), share=upper.share, fitted=lists)


def _join(parts: Sequence[Node], share: int) -> Node:
    """Build one area with the panes of some parts as tabs; a ticket among them stays below it."""
    names = {name for part in parts for name in list_names(part)}
    tabs = Place(tuple(pane for pane in TAB_ORDER if pane in names), share)
    return Split((tabs, Place((TICKET,))), share=share, fitted=True) if TICKET in names else tabs


def _narrow_heights(node: Node, width: int, height: int) -> Node:
    """Join the last areas of each column as tabs until the others are high enough."""
    if isinstance(node, Place):
        return node
    if node.beside:
        cells = widths_of(node, width)
        parts = tuple(_narrow_heights(part, own, height - 1) for part, own in zip(node.parts, cells, strict=True))
        return msgspec.structs.replace(node, parts=parts)
    if height < node.least - 1:
        return _join(node.parts, node.share)
    parts = node.parts
    while least_height(msgspec.structs.replace(node, parts=parts), width) > height:
        at = [at for at, part in enumerate(parts) if not is_ticket(part)]
        if len(at) < 2:
            break
        joined = _join((parts[at[-2]], parts[at[-1]]), parts[at[-2]].share)
        left = tuple(part for place, part in enumerate(parts) if place not in at[-2:])
        new = joined.parts if isinstance(joined, Split) else (joined,)
        parts = (*left[: at[-2]], *new, *left[at[-2] :])
    if len(parts) == 1:
        only = msgspec.structs.replace(parts[0], share=node.share)
        return _narrow_heights(only, width, height)
    column = msgspec.structs.replace(node, parts=parts, fitted=node.fitted)
    lines = divide_lines(column, width, height)
    return msgspec.structs.replace(
        column,
        parts=tuple(_narrow_heights(part, width, own) for part, own in zip(parts, lines, strict=True)),
    )


def divide_lines(column: Split, width: int, height: int) -> tuple[int, ...]:
    """Return the heights of parts that stand one above another, by their shares; the ticket is closed."""
    closed = sum(TICKET_LINES for part in column.parts if is_ticket(part))
    others = [part for part in column.parts if not is_ticket(part)]
    shares, leasts = [max(1, part.share) for part in others], [least_height(part, width) for part in others]
    lines = iter(divide(height - closed, shares, leasts))
    return tuple(TICKET_LINES if is_ticket(part) else next(lines) for part in column.parts)


def is_narrowed(before: Node, after: Node) -> bool:
    """Return whether two trees, before and after narrowing, have different numbers of nodes."""
    return sum(1 for _ in walk_nodes(before)) != sum(1 for _ in walk_nodes(after))
