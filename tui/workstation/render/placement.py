"""Where a box opens: beside what it concerns, and never over the prices of its pair while there is another place."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import msgspec
from textual.geometry import Region, Size


class Beside(Enum):
    """What a box opens beside."""

    ROW = "row"
    """The row under the cursor, or the open ticket."""
    STATUS = "status"
    """The status lines at the top: lists that find something."""
    DESK = "desk"
    """Nothing: the whole desk is concerned, and the box opens in the middle."""


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on the screen below a box."""

    status: int = 0
    """Lines of the status at the top."""
    foot: int = 0
    """Lines at the bottom: newest events and keys."""
    subject: Region | None = None
    """What the box concerns; None: the whole desk."""
    touch: Region | None = None
    """The line with bid and ask of its pair; None where it is not on the screen."""


class Lines(msgspec.Struct, frozen=True):
    """Heights of a box, edges included."""

    wanted: int
    """With room for what may still be said in it."""
    needed: int
    """In which all that is said now can be read."""
    least: int
    """Below which its text can no longer be used; so low it becomes where bid and ask would be covered."""


_Cost = tuple[int, ...]


def place_box(screen: Size, width: int, lines: Lines, around: Surroundings, before: Region | None = None) -> Region:
    """The place of a box.

    What is kept free, the first at the greatest cost: bid and ask of the pair, the status, then, as soon as all that is
    said can be read, the subject and the lines at the bottom. Among such places the one nearest to the subject is taken,
    below it rather than above it. A box that grows stays on its side of the subject.

    Args:
        screen: Size of the screen.
        width: Cells of the box.
        lines: Its heights.
        around: What stands below it.
        before: Where it stood until now.
    """
    width = max(0, min(width, screen.width))
    wanted = max(1, min(lines.wanted, screen.height))
    least = max(1, min(lines.least, wanted))
    best: tuple[_Cost, Region] | None = None
    for height in range(wanted, least - 1, -1):
        for region in _places(screen, width, height, around):
            cost = _cost(screen, region, lines, around, before)
            if best is None or cost < best[0]:
                best = cost, region
        if best is not None and height <= lines.needed and best[0][:2] == (0, 0):
            break  # a lower box costs lines and gains nothing
    return best[1] if best is not None else Region(0, 0, width, wanted)


def _places(screen: Size, width: int, height: int, around: Surroundings) -> Iterator[Region]:
    """Every line, at the right end of the subject, of the screen, and at its left end."""
    right, subject = screen.width - width, around.subject
    middle = right // 2 if subject is None else max(0, min(right, subject.right - width))
    for x in dict.fromkeys((middle, right, 0)):
        for y in range(screen.height - height + 1):
            yield Region(x, y, width, height)


def _cost(screen: Size, region: Region, lines: Lines, around: Surroundings, before: Region | None) -> _Cost:
    """What is lost at a place, the worst first; the smaller one is the better place."""
    subject, third = around.subject, (screen.height - region.height) // 3
    if subject is None:
        away, above, moved, aside = abs(region.y - third), False, False, 0
    else:
        away = max(region.y - subject.bottom, subject.y - region.bottom, 0)
        above = region.y < subject.y
        moved = before is not None and above is not (before.y < subject.y)
        aside = abs(subject.right - region.right)
    return (
        _count_covered(region, around.touch),
        max(0, around.status - region.y),
        max(0, min(lines.needed, screen.height) - region.height),
        moved,
        _count_covered(region, subject),
        max(0, region.bottom - (screen.height - around.foot)),
        max(0, lines.wanted - region.height),
        away,
        aside,
        above,
    )


def _count_covered(region: Region, kept: Region | None) -> int:
    """Lines of what is kept free that a box stands on."""
    return region.intersection(kept).height if kept is not None and region.overlaps(kept) else 0
