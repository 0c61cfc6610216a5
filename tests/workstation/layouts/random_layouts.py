"""Random layouts and sizes for the tests of this folder."""

from __future__ import annotations

import random

from tui.workstation.layouts.tree import PAIR_VIEWS, PANES, REST, TICKET, Layout, Node, Place, Split, Step


def random_layout(draw: random.Random) -> Layout:
    """A layout of one step: any panes, divided in any way, with or without a ticket and a place for the rest."""
    names = draw.sample([*PANES, *PAIR_VIEWS, REST], draw.randint(1, 8))
    places: list[Node] = []
    while names:
        count = min(len(names), draw.choice((1, 1, 1, 2, 3)))
        places.append(Place(tuple(names[:count]), draw.randint(1, 12)))
        del names[:count]
    if draw.random() < 0.7:
        places.insert(draw.randint(0, len(places)), Place((TICKET,)))
    return Layout("random", (Step(_group(draw, places)),))


def _group(draw: random.Random, nodes: list[Node]) -> Node:
    if len(nodes) == 1:
        return nodes[0]
    parts: list[Node] = []
    left = list(nodes)
    while left:
        count = draw.randint(1, max(1, len(nodes) - 1))
        parts.append(_group(draw, left[:count]))
        del left[:count]
    fitted = all(isinstance(part, Place) for part in parts) and draw.random() < 0.5
    beside = not fitted and draw.random() < 0.5
    # The ticket lends lines from the column it stands in, so it stands in no row.
    if beside and any(isinstance(part, Place) and part.panes == (TICKET,) for part in parts):
        beside = False
    return Split(tuple(parts), beside=beside, share=draw.randint(1, 12), fitted=fitted)
