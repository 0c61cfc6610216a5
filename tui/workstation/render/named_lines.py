"""Lines that a box must all show: they shorten before any leaves, and those that leave are counted."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tui.workstation.render.text import wrap


class NamedLine(msgspec.Struct, frozen=True):
    """Text of one order or one fact, in forms from the longest to the shortest."""

    forms: tuple[str, ...]
    pinned: bool = False
    """Whether it stays in sight where there is no room for all."""

    def wrap(self, level: int, cells: int) -> list[str]:
        """Wrap the form at index `level`, or the shortest form if there are fewer."""
        return wrap(self.forms[min(level, len(self.forms) - 1)], cells)


class VisibleLines(msgspec.Struct, frozen=True):
    """Wrapped lines that fit into a room, with the scroll position."""

    lines: list[str]
    first: int = 0
    """Number of lines scrolled past."""
    last: int = 0
    """Greatest number of lines that can be scrolled past; 0: all are shown."""
    shown: int = 1
    """Number of scrolling lines in sight."""


def wrap_shortest(named: Sequence[NamedLine], cells: int) -> list[str]:
    """Wrap all lines in their shortest forms."""
    return [text for line in named for text in line.wrap(len(line.forms), cells)]


def fit_named_lines(named: Sequence[NamedLine], cells: int, room: int, first: int) -> VisibleLines:
    """Wrap lines into a room: all in the longest forms that fit, else the shortest, scrolled below the pinned ones.

    Args:
        named: Lines in their order.
        cells: Width.
        room: Height.
        first: Number of lines to scroll past.
    """
    for level in range(max((len(line.forms) for line in named), default=0)):
        lines = [text for line in named for text in line.wrap(level, cells)]
        if len(lines) <= room:
            return VisibleLines(lines)
    blocks = [(line.pinned, line.wrap(len(line.forms), cells)) for line in named]
    fixed = [text for pinned, block in blocks if pinned for text in block]
    scrolling = [block for pinned, block in sorted(blocks, key=lambda entry: not entry[0])]
    if len(fixed) + 2 <= room:
        scrolling = [block for pinned, block in blocks if not pinned]
    else:
        fixed = []
    return _scroll(fixed, scrolling, room - 1, first) if scrolling else VisibleLines([])


def _scroll(fixed: list[str], blocks: list[list[str]], room: int, first: int) -> VisibleLines:
    """Return fixed lines, the blocks that fit from number `first` on, and a last line that counts those above or below."""
    left = max(1, room - len(fixed))
    last = len(blocks) - _count_fitting(blocks[::-1], left)
    first = max(0, min(first, last))
    shown = _count_fitting(blocks[first:], left)
    lines = [text for block in blocks[first : first + shown] for text in block][:left]
    below = len(blocks) - first - shown
    if below:
        more = f"… and {below} more, Down scrolls" + (f" · {first} above, Up" if first else "")
    else:
        more = f"… and {first} more above, Up scrolls"
    return VisibleLines([*fixed, *lines, more], first, last, shown)


def _count_fitting(blocks: Sequence[list[str]], room: int) -> int:
    """Count the leading blocks that fit into `room` lines together, at least 1."""
    height = 0
    for count, block in enumerate(blocks):
        height += len(block)
        if height > room:
            return max(1, count)
    return len(blocks)
