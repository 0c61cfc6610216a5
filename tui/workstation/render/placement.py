"""Placement of dialogs: next to their subject, and if possible not over the pair's prices."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from textual.geometry import Region, Size


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """Screen regions around a dialog: its subject, and regions that it should not cover."""

    status: int = 0
    """Number of status lines at the top."""
    foot: int = 0
    """Number of lines at the bottom: newest events and keys."""
    kept: int = 0
    """Number of lines at the bottom that the dialog leaves free although its text then scrolls."""
    subject: Region | None = None
    """Region of the subject; None: the whole desk."""
    is_whole_desk: bool = False
    """Whether the dialog concerns the whole desk, so that its text weighs more than bid and ask of one pair."""
    touch: Region | None = None
    """Line with bid and ask of the pair; None when it is not on the screen."""
    view: Region | None = None
    """View of a pair that a dialog with room beside it leaves free; None: there is none."""


class Lines(msgspec.Struct, frozen=True):
    """Heights of a dialog, border included: wanted, needed for all text, and least usable."""

    wanted: int
    """Height with room for messages to come."""
    needed: int
    """Height that shows all present text."""
    least: int
    """Smallest usable height; used only to keep bid and ask visible."""


_Cost = tuple[int, ...]


def place_box(screen: Size, width: int, lines: Lines, around: Surroundings, before: Region | None = None) -> Region:
    """Choose the screen region of a dialog.

    By falling importance it avoids bid and ask of the pair, the status lines, the kept lines at the bottom, a height
    that hides text (first where the whole desk is concerned), the view of a pair, the subject and the other lines at
    the bottom. Among equal places the one
    nearest to the subject wins, below rather than above. A growing dialog stays on its side of the subject.

    Args:
        screen: Size of the screen.
        width: Width of the dialog in cells.
        lines: Heights of the dialog.
        around: Regions to avoid.
        before: Present region of the dialog.
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
        if best is not None and height <= lines.needed and best[0][:4] == (0, 0, 0, 0):
            break  # a lower dialog loses lines and gains nothing
    return best[1] if best is not None else Region(0, 0, width, wanted)


def _places(screen: Size, width: int, height: int, around: Surroundings) -> Iterator[Region]:
    """Yield candidate regions for a dialog: at each line, beside the subject, at the right, left of the view, at left."""
    right, subject, view = screen.width - width, around.subject, around.view
    middle = right // 2 if subject is None else max(0, min(right, subject.right - width))
    before = max(0, view.x - width) if view is not None else 0
    for x in dict.fromkeys((middle, right, before, 0)):
        for y in range(screen.height - height + 1):
            yield Region(x, y, width, height)


def _cost(screen: Size, region: Region, lines: Lines, around: Surroundings, before: Region | None) -> _Cost:
    """Return the disadvantages of a dialog region as a tuple, most important first; the lowest tuple is the best region."""
    subject, third = around.subject, (screen.height - region.height) // 3
    if subject is None:
        away, above, moved, aside = abs(region.y - third), False, False, 0
    else:
        away = max(region.y - subject.bottom, subject.y - region.bottom, 0)
        above = region.y < subject.y
        moved = before is not None and above is not (before.y < subject.y)
        aside = abs(subject.right - region.right)
    hidden = max(0, min(lines.needed, screen.height - around.status) - region.height)
    return (
        hidden if around.is_whole_desk else 0,
        _count_covered(region, around.touch),
        max(0, around.status - region.y),
        max(0, region.bottom - (screen.height - around.kept)),
        max(0, min(lines.needed, screen.height) - region.height),
        _count_covered(region, around.view),
        moved,
        _count_covered(region, subject),
        max(0, region.bottom - (screen.height - around.foot)),
        max(0, lines.wanted - region.height),
        away,
        aside,
        above,
    )


def _count_covered(region: Region, kept: Region | None) -> int:
    """Count the lines of a region that the dialog would cover."""
    return region.intersection(kept).height if kept is not None and region.overlaps(kept) else 0
