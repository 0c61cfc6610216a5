"""Labels at the right edge, moved apart where they would lie on each other."""

from __future__ import annotations

from collections.abc import Sequence


def spread_around(rows: Sequence[int], fixed: int, count: int) -> list[int]:
    """Return a row for each label like `spread`, but label `fixed` keeps its wanted row if the others fit around it."""
    row = min(max(rows[fixed], fixed), count - len(rows) + fixed)
    above = spread([min(wanted, row - 1) for wanted in rows[:fixed]], row)
    below = spread([max(wanted - row - 1, 0) for wanted in rows[fixed + 1 :]], count - row - 1)
    return [*above, row, *(row + 1 + place for place in below)]


def spread(rows: Sequence[int], count: int) -> list[int]:
    """Return a row of its own for each label, in the same order and as near as possible to the wanted rows.

    Args:
        rows: Wanted rows, in rising order; at most `count`.
        count: Rows there are.
    """
    groups: list[tuple[int, int]] = []
    """Sum of wanted first rows and number of labels, of each group of labels that touch."""
    for index, row in enumerate(rows):
        total, size = row - index, 1
        while groups and groups[-1][0] * size >= total * groups[-1][1]:
            before = groups.pop()
            total, size = total + before[0], size + before[1]
        groups.append((total, size))
    placed: list[int] = []
    for total, size in groups:
        first = min(max(round(total / size), 0), count - len(rows))
        placed += [first + len(placed) + offset for offset in range(size)]
    return placed
