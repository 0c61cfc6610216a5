"""Colours of a terminal of 256: for each colour the one of its fixed palette that looks most like it.

Rich rounds red, green and blue by themselves: a dark grey with a little blue becomes teal, or black.
"""

from __future__ import annotations

from functools import cache, lru_cache

from rich.color import Color, ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor
from textual.filter import LineFilter

Rgb = tuple[int, int, int]
Lab = tuple[float, float, float]
"""Lightness, green to red, blue to yellow; distances are what the eye sees (Oklab)."""

_FIRST, _FIRST_GREY, _END = 16, 232, 256
"""First number of the cube of colours and of the greys; those before are the terminal's own 16."""
_STEPS = (0, 95, 135, 175, 215, 255)


class NearestColors(LineFilter):
    """Filter that replaces each colour by the nearest of the 256; the terminal's own 16 stay."""

    def apply(self, segments: list[Segment], background: TextualColor) -> list[Segment]:
        """Replace the colours of a line's segments by the nearest of the 256."""
        del background
        return [Segment(text, match_style(style) if style else style, control) for text, style, control in segments]


@lru_cache(4096)
def match_style(style: Style) -> Style:
    """Return the style with both colours replaced by the nearest of the 256."""
    return style + Style.from_color(_match(style.color), _match(style.bgcolor))


def _match(color: Color | None) -> Color | None:
    if color is None or color.type is not ColorType.TRUECOLOR or color.triplet is None:
        return color
    return Color.from_ansi(find_nearest(*color.triplet))


@lru_cache(4096)
def find_nearest(red: int, green: int, blue: int) -> int:
    """Return the number of the colour of the palette that looks most like this one."""
    wanted = _to_lab((red, green, blue))
    return min(_list_labs(), key=lambda one: sum((a - b) ** 2 for a, b in zip(one[1], wanted, strict=True)))[0]


@cache
def _list_labs() -> list[tuple[int, Lab]]:
    return [(number, _to_lab(rgb_of(number))) for number in range(_FIRST, _END)]


def rgb_of(number: int) -> Rgb:
    """Return red, green and blue of a colour of the palette; its number is at least 16."""
    if number >= _FIRST_GREY:
        grey = 8 + 10 * (number - _FIRST_GREY)
        return grey, grey, grey
    at = number - _FIRST
    return _STEPS[at // 36], _STEPS[at // 6 % 6], _STEPS[at % 6]


def _to_lab(color: Rgb) -> Lab:
    red, green, blue = (_to_light(part / 255) for part in color)
    cones = (
        0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue,
        0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue,
        0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue,
    )
    long, medium, short = (cone ** (1 / 3) for cone in cones)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _to_light(part: float) -> float:
    """Convert an sRGB colour component to linear light."""
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
