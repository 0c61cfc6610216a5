"""Short forms of numbers that are too long for their column; a number is never cut in the middle."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from tui.workstation.render.text import width

_FIGURE = re.compile(r"(?<![\w.:-])(X?[+-]?)(\d[\d,]*(?:\.\d+)?)(?![\d.:-])")
_UNITS = ((Decimal("1e12"), "T"), (Decimal("1e9"), "B"), (Decimal("1e6"), "M"), (Decimal("1e3"), "k"))
_MOST, _LEAST = Decimal("1e15"), Decimal("0.01")
"""Limits from which on a figure is written with a power of ten."""
_LONGEST = 40
"""Longest figure considered, characters."""
MILLIONS = 7
"""Digits before the point from which a figure is not written without its separators: `4.027M`, not 4027026."""
NO_ROOM = "#"
"""Filler of a cell in which no form of the figure fits."""


@lru_cache(maxsize=8192)
def shorten_figures(text: str, cells: int) -> str:
    """Shorten the numbers in a text until it fits: first without separators (below a million), then with fewer digits.

    Examples: `1.23M` for 1,234,567, `0.123…` for 0.1234567, `1.2e-7` for 0.00000012. `#` fills the cells where no form
    fits. Dates, times and words stay unchanged.
    """
    if width(text) <= cells:
        return text
    parts = _FIGURE.split(text)
    longest = max((len(body) for body in parts[2::3]), default=0)
    if not longest:
        return text
    for digits in range(min(_LONGEST, longest), 0, -1):
        # re.split yields text, sign, figure, text, sign, figure, …, text.
        shorter = "".join(_figure(part, digits) if at % 3 == 2 else part for at, part in enumerate(parts))
        if width(shorter) <= cells:
            return shorter
    return NO_ROOM * max(0, cells)


def _figure(body: str, cells: int) -> str:
    """Shorten the text of an unsigned number to `cells` characters; if impossible, return the shortest form."""
    if len(body) <= cells:
        return body
    plain = body.replace(",", "")
    whole = plain.partition(".")[0]
    is_readable = "," not in body or len(whole) < MILLIONS
    if is_readable and len(plain) <= cells:
        return plain
    if "." in plain and is_readable and len(trimmed := plain.rstrip("0").rstrip(".")) <= cells:
        return trimmed
    number = Decimal(plain)
    if number >= _MOST or (number and number < _LEAST):
        return _with_power(number, cells)
    if number == number.to_integral_value() and is_readable and len(whole) <= cells:
        return whole
    for unit, letter in _UNITS:
        if number >= unit:
            return _round_figure(number / unit, cells - 1) + letter
    return f"{plain[: cells - 1]}…" if cells - 1 > len(whole) + 1 else f"{whole}…"


def _with_power(number: Decimal, cells: int) -> str:
    """Format a number in scientific notation, such as `1.2e-7`, with as many digits as fit."""
    places = max(0, cells - len(f"e{number.adjusted()}") - 2)
    # Rounding up may raise the power: 9.9996e-6 is 1.00e-5.
    digits, _, power = format(number, f".{places}e").partition("e")
    return f"{digits}e{int(power)}"


def _round_figure(number: Decimal, cells: int) -> str:
    """Round a number below 1,000 to as many decimals as fit."""
    places = max(0, cells - len(str(int(number))) - 1)
    text = format(number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
