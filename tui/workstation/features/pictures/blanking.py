"""Figures and ids of the account in a picture, replaced by dots; figures of the market stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from tui.workstation.render.text import width

DOT = "•"
_PERSONAL = re.compile(r"…\w+|\w*\d\w*")
"""Words with a digit, such as amounts, units of a size and ids, and the end of an id that was cut."""


def blank_figures(strips: Sequence[Strip], kept: Sequence[Region]) -> list[Strip]:
    """Return the lines of a screen with dots in place of all words with digits; those in the kept regions stay."""
    return [Strip(_blank_line(strip, [region for region in kept if region.y <= y < region.bottom])) for y, strip in
            enumerate(strips)]  # fmt: skip


def _blank_line(strip: Strip, kept: Sequence[Region]) -> Iterator[Segment]:
    """Yield the segments of a line, each as wide as before; a word may go over several of them."""
    text = strip.text
    starts, x = list[int](), 0
    for character in text:
        starts.append(x)
        x += width(character)
    blank = {
        at
        for word in _PERSONAL.finditer(text)
        for at in range(*word.span())
        if not any(region.x <= starts[at] < region.right for region in kept)
    }
    at = 0
    for segment in strip:
        end = at + len(segment.text)
        shown = (DOT if here in blank and text[here] != "…" else text[here] for here in range(at, end))
        yield Segment("".join(shown), segment.style, segment.control)
        at = end
