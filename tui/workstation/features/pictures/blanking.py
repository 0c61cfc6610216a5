"""Figures and ids of the account in a picture, replaced by marks; figures of the market stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from tui.workstation.render.text import width

MARK = "•••"
"""Sign for a figure of any length, as its length would tell how much it is."""
_PERSONAL = re.compile(r"…\w+|([+-]?)[\w.,]*\d[\w.,]*")
"""Figures, also with a unit, ids and other words with a digit, and the end of an id that was cut."""


def blank_figures(strips: Sequence[Strip], kept: Sequence[Region], hidden: Sequence[Region]) -> list[Strip]:
    """Return the lines of a screen with marks in place of figures and ids, except in the `kept` regions.

    Args:
        strips: Lines of the screen.
        kept: Regions in which they stay.
        hidden: Regions in which nothing stays: a sign beside a price that stays would tell a price of the account.
    """
    return [Strip(_blank_line(strip, _at_line(kept, y), _at_line(hidden, y))) for y, strip in enumerate(strips)]


def _at_line(regions: Sequence[Region], y: int) -> list[Region]:
    """List the regions that cross the screen line `y`."""
    return [region for region in regions if region.y <= y < region.bottom]


def _is_inside(x: int, regions: Sequence[Region]) -> bool:
    """Return whether the column `x` is in one of the regions."""
    return any(region.x <= x < region.right for region in regions)


def _blank_line(strip: Strip, kept: Sequence[Region], hidden: Sequence[Region]) -> Iterator[Segment]:
    """Yield the segments of a line with figures and ids replaced by marks of the same width."""
    text = strip.text
    starts, x = list[int](), 0
    for character in text:
        starts.append(x)
        x += width(character)
    shown = list(text)
    for word in _PERSONAL.finditer(text):
        at, end = word.span()
        if not _is_inside(starts[at], kept):
            shown[at:end] = ((word[1] or "") + MARK)[: end - at].rjust(end - at)
    for place, x in enumerate(starts):
        if _is_inside(x, hidden):
            shown[place] = " " * width(text[place])
    at = 0
    for segment in strip:
        end = at + len(segment.text)
        yield Segment("".join(shown[at:end]), segment.style, segment.control)
        at = end
