"""Figures and ids of the account in a picture, replaced by dots; figures of the market stay."""

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


def blank_figures(strips: Sequence[Strip], kept: Sequence[Region]) -> list[Strip]:
    """Return the lines of a screen with marks in place of figures and ids; those in the kept regions stay."""
    return [
        Strip(_blank_line(strip, [region for region in kept if region.y <= y < region.bottom]))
        for y, strip in enumerate(strips)
    ]


def _blank_line(strip: Strip, kept: Sequence[Region]) -> Iterator[Segment]:
    """Yield the segments of a line, each as wide as before; a word may go over several of them."""
    text = strip.text
    starts, x = list[int](), 0
    for character in text:
        starts.append(x)
        x += width(character)
    shown = list(text)
    for word in _PERSONAL.finditer(text):
        at, end = word.span()
        if not any(region.x <= starts[at] < region.right for region in kept):
            shown[at:end] = ((word[1] or "") + MARK)[: end - at].rjust(end - at)
    at = 0
    for segment in strip:
        end = at + len(segment.text)
        yield Segment("".join(shown[at:end]), segment.style, segment.control)
        at = end
