"""How many lines each pane of a column gets: heights follow what there is to show. Counted, pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

LEAST = 3
"""Lines for rows that a pane keeps while there is room, also when it has none."""
HARD_LEAST = 2
"""Lines that are left of a pane beside an open form on the smallest screens."""


class Demand(msgspec.Struct, frozen=True):
    """What one place of a column would fill."""

    wanted: int
    """Lines that hold all its rows; more are blank."""
    share: int
    """Its part of the room that all want, and of the room that nobody wants."""
    grows: bool = True
    """Whether rows came to it; a list that goes on as it was takes no lines that rows left elsewhere."""

    @property
    def least_lines(self) -> int:
        """Return the lines that other panes may not take."""
        return max(LEAST, self.wanted)


def share_lines(room: int, demands: Sequence[Demand], kept: Sequence[int] = ()) -> tuple[int, ...]:
    """Share the lines of the screen between places.

    Args:
        room: Lines there are.
        demands: One for each place.
        kept: Lines they have now, where the trader did nothing: a place grows into blank lines alone, and none
            shrinks because a row left. Empty: counted anew.
    """
    if kept and len(kept) == len(demands) and sum(kept) == room:
        lines = list(kept)
        for at in _hungriest(lines, demands, lambda at: demands[at].grows and lines[at] < demands[at].wanted):
            giver = max(range(len(lines)), key=lambda place: lines[place] - demands[place].least_lines)
            if lines[giver] <= demands[giver].least_lines:
                break
            lines[giver] -= 1
            lines[at] += 1
        return tuple(lines)
    count = len(demands)
    least = min(LEAST, max(0, room) // count)
    lines = [least] * count
    for at in _hungriest(lines, demands, lambda at: lines[at] < demands[at].wanted):
        if sum(lines) >= room:
            break
        lines[at] += 1
    for at in _hungriest(lines, demands, lambda _: sum(lines) < room):
        lines[at] += 1
    return tuple(lines)


def _hungriest(lines: list[int], demands: Sequence[Demand], takes: Callable[[int], bool]) -> Iterator[int]:
    """The place that has least of its share among those that take a line, again and again."""
    while takers := [at for at in range(len(lines)) if takes(at)]:
        yield min(takers, key=lambda at: (lines[at] / demands[at].share, at))


def lend_lines(lines: Sequence[int], wanted: int, above: int) -> tuple[tuple[int, ...], int]:
    """What is left of each place beside an open ticket, and how many lines the ticket gets.

    The place above the ticket lends first, so that nothing else moves; then the others above it, then those below.

    Args:
        lines: Lines of each place without it.
        wanted: Lines the ticket takes beyond the one it always has.
        above: How many places stand above it.
    """
    left = list(lines)
    taken = 0
    for least in (LEAST, HARD_LEAST):
        for at in [*reversed(range(above)), *range(above, len(left))]:
            lent = min(wanted - taken, max(0, left[at] - least))
            left[at] -= lent
            taken += lent
    return tuple(left), taken
