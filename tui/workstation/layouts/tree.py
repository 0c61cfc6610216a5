"""Layouts as data: a tree of places and splits says which pane stands where and how the room is shared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from tui.workstation.input import scopes

PANES = tuple(scope.value for scope in scopes.PANES)
"""Panes in the order of their tabs."""
PAIR_VIEWS = tuple(scope.value for scope in scopes.PAIR_VIEWS)
"""Views of one pair in the order of their tabs."""
TAB_ORDER = (*PAIR_VIEWS, *PANES)
"""All panes in the order of the tabs of a place that was made of several."""

TICKET = "ticket"
"""Name of the place of the order ticket."""
REST = "rest"
"""Name that stands for every pane with no other place."""
NAMES = frozenset([*PANES, *PAIR_VIEWS, TICKET, REST])
"""Names that a place may hold."""

AUTOMATIC = 0
"""Share of a column of pair views whose width follows from what the lists beside it need."""
MOST_SHARE = 10_000
MOST_DEPTH = 8
MOST_PLACES = 32


class Place(msgspec.Struct, frozen=True, tag="place"):
    """Area that shows one of its panes; the others are tabs in its title."""

    panes: tuple[str, ...]
    share: int = 6
    """Weight among the parts of its split."""


class Split(msgspec.Struct, frozen=True, tag="split"):
    """Area divided into parts, one above another or side by side."""

    parts: tuple[Place | Split, ...]
    beside: bool = False
    """Whether the parts stand side by side."""
    share: int = 6
    """Weight among the parts of its split."""
    fitted: bool = False
    """Whether the heights of its parts follow the rows they have to show, and the shares only settle disputes."""
    least: int = 0
    """Cells along which it is divided; with fewer its parts share one place as tabs."""


Node: TypeAlias = Place | Split


class Step(msgspec.Struct, frozen=True):
    """Tree of a layout for screens of a least size, with or without open pair views."""

    tree: Node
    width: int = 0
    """Least width of the screen."""
    height: int = 0
    """Least height of the screen."""
    pair: bool | None = None
    """Whether the views of a pair must be open, or closed; None: it does not matter."""

    def is_for(self, width: int, height: int, *, pair: bool) -> bool:
        """Return whether the step is meant for a size, with or without the views of a pair."""
        return width >= self.width and height >= self.height and self.pair in (None, pair)


class Layout(msgspec.Struct, frozen=True):
    """Layout with a name and several trees; the first step that fits the screen's size is used."""

    name: str
    steps: tuple[Step, ...]
    about: str = ""
    """A few words for the list of layouts."""

    def step(self, width: int, height: int, *, pair: bool) -> Step:
        """Return the step for a size; the last one where none is meant for it."""
        return next((step for step in self.steps if step.is_for(width, height, pair=pair)), self.steps[-1])

    @property
    def shows_pair(self) -> bool:
        """Whether the first step of the layout has places for the pair views even while no pair is open."""
        first = self.steps[0]
        return first.pair is None and any(name in PAIR_VIEWS for name in list_names(first.tree))


def list_names(tree: Node) -> list[str]:
    """Return the pane names in a tree in their order, most important first."""
    return [name for place in walk_places(tree) for name in place.panes]


def walk_places(tree: Node) -> Iterator[Place]:
    """Yield the places of a tree in their order."""
    if isinstance(tree, Place):
        yield tree
        return
    for part in tree.parts:
        yield from walk_places(part)


def find_place(tree: Node, pane: str) -> Place | None:
    """Return the place that names a pane, else the one that holds all panes without a place."""
    places = list(walk_places(tree))
    return next((place for name in (pane, REST) for place in places if name in place.panes), None)


def find_fault(layout: Layout) -> str:
    """Return why a layout that was read from a file cannot be used, or an empty text."""
    if not layout.steps:
        return "it has no panes"
    for step in layout.steps:
        if fault := find_tree_fault(step.tree):
            return fault
    return ""


def find_tree_fault(tree: Node) -> str:
    """Return why a tree cannot be laid out, or an empty text."""
    if _depth(tree) > MOST_DEPTH:
        return f"it is divided more than {MOST_DEPTH} times"
    names = list_names(tree)
    if len(names) > MOST_PLACES:
        return f"it names more than {MOST_PLACES} panes"
    unknown = next((name for name in names if name not in NAMES), "")
    if unknown:
        return f"there is no pane {unknown[:20]!r}"
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        return f"pane {twice} is in it twice"
    if any(TICKET in place.panes and len(place.panes) > 1 for place in walk_places(tree)):
        return "the ticket shares its place"
    rows = [node for node in walk_nodes(tree) if isinstance(node, Split) and node.beside]
    if any(isinstance(part, Place) and TICKET in part.panes for row in rows for part in row.parts):
        return "the ticket is beside a list; it must be above or below one"
    if any(not 0 <= node.share <= MOST_SHARE for node in walk_nodes(tree)):
        return f"a share is not between 0 and {MOST_SHARE}"
    return "" if all(_is_filled(node) for node in walk_nodes(tree)) else "a place is empty"


def walk_nodes(tree: Node) -> Iterator[Node]:
    """Yield a tree and all its parts."""
    yield tree
    for part in tree.parts if isinstance(tree, Split) else ():
        yield from walk_nodes(part)


def _is_filled(node: Node) -> bool:
    return bool(node.panes if isinstance(node, Place) else node.parts)


def _depth(tree: Node) -> int:
    return 1 + max((_depth(part) for part in tree.parts), default=0) if isinstance(tree, Split) else 0
