"""Heights of the panes in a column, computed from the rows they have to show. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

LEAST = 3
"""Row lines that a pane keeps while there is room, even without rows."""
HARD_LEAST = 2
"""Row lines that a pane keeps beside an open ticket on the smallest screens."""


class Demand(msgspec.Struct, frozen=True):
    """Lines that an area of a column wants, its weight, and whether it may grow."""

    wanted: int
    """Lines that hold all its rows."""
    share: int
    """Its weight when lines are scarce, and when lines are left over."""
    grows: bool = True
    """Whether it has new rows; only then it takes blank lines of other places."""

    @property
    def least_lines(self) -> int:
        """Lines of the area that other areas may not take away."""
        return max(LEAST, self.wanted)


def share_lines(room: int, demands: Sequence[Demand], kept: Sequence[int] = ()) -> tuple[int, ...]:
    """Divide the lines of the screen among the areas of a column.

    Args:
        room: Lines available.
        demands: One demand for each place.
        kept: Present lines, where the trader did nothing: a place grows only into blank lines, and none shrinks
            because a row left. Empty: shared anew.
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
    """Yield repeatedly the area with the fewest lines for its weight, among those that still take lines."""
    while takers := [at for at in range(len(lines)) if takes(at)]:
        yield min(takers, key=lambda at: (lines[at] / demands[at].share, at))


def lend_lines(lines: Sequence[int], wanted: int, above: int, more: Sequence[int] = ()) -> tuple[tuple[int, ...], int]:
    """Take lines from the areas for an open ticket; return the lines left for each, and the number taken.

    The place above the ticket lends first, so that nothing else moves; then the others above it, then those below.

    Args:
        lines: Lines of each place without the ticket.
        wanted: Lines the ticket needs beyond the one it always has.
        above: Number of places above the ticket.
        more: Lines that each place keeps beyond the least; empty: none.
    """
    more = more or [0] * len(lines)
    left = list(lines)
    taken = 0
    for least in (LEAST, HARD_LEAST):
        for at in [*reversed(range(above)), *range(above, len(left))]:
            lent = min(wanted - taken, max(0, left[at] - least - more[at]))
            left[at] -= lent
            taken += lent
    return tuple(left), taken
