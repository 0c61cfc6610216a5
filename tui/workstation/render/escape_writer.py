"""Encoder of screen cells as compact terminal output: grouped by style, with cursor moves, each style set once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
from rich.color import ColorSystem
from rich.style import Style

Cells = tuple[int, int, str, Style, bool]
"""Line, column, text, style, and whether each character takes one cell."""

RESET = "\x1b[m"

_ATTRIBUTES = (
    ("bold", "1"),
    ("dim", "2"),
    ("italic", "3"),
    ("underline", "4"),
    ("blink", "5"),
    ("reverse", "7"),
    ("conceal", "8"),
    ("strike", "9"),
)
_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29"}
"""Code that switches an attribute off, by the one that switches it on; bold and dim have one in common."""


class Codes(msgspec.Struct, frozen=True):
    """Terminal style as the numeric parameters of its escape sequence: attributes, foreground, background."""

    attributes: str
    foreground: str
    background: str

    def escape_sequence_from(self, before: Codes | None) -> str:
        """Return the escape sequence that changes style `before` to this one; empty if they are equal."""
        if before is None:
            parts = [self.attributes, self.foreground, self.background]
        else:
            parts = [
                *_attribute_changes(before.attributes.split(";"), self.attributes.split(";")),
                self.foreground if self.foreground != before.foreground else "",
                self.background if self.background != before.background else "",
            ]
        body = ";".join(part for part in parts if part)
        return f"\x1b[{body}m" if body else ""


def _attribute_changes(before: list[str], after: list[str]) -> list[str]:
    """Return the codes that switch the attributes `before` off and those after on."""
    off = {_OFF[code] for code in before if code and code not in after}
    kept = {code for code in before if code and _OFF[code] not in off}
    return [*sorted(off), *(code for code in after if code not in kept)]


def codes_of(style: Style, colours: ColorSystem) -> Codes:
    """Return the escape sequence parameters of a style, for a terminal with this many colours."""
    attributes = ";".join(code for name, code in _ATTRIBUTES if getattr(style, name))
    sides = []
    for colour, foreground in ((style.color, True), (style.bgcolor, False)):
        default = "39" if foreground else "49"
        sides.append(default if colour is None else ";".join(colour.downgrade(colours).get_ansi_codes(foreground)))
    return Codes(attributes, *sides)


class EscapeWriter:
    """Encoder for one terminal, with a cache of style sequences."""

    def __init__(self, colours: ColorSystem, adapt_style: Callable[[Style], Style] = lambda style: style) -> None:
        """Initialize an encoder.

        Args:
            colours: Colours the terminal can show.
            adapt_style: Conversion of a style for the terminal, for example to no colours.
        """
        self._colours = colours
        self._adapt_style = adapt_style
        self._codes: dict[Style, Codes] = {}
        self._changes: dict[tuple[Codes | None, Codes], str] = {}

    def encode(self, cells: Iterable[Cells], width: int, cursor: tuple[int, int]) -> str:
        """Encode cells, then return the cursor to its place.

        Args:
            cells: Cells to show, in any order.
            width: Columns of the terminal.
            cursor: Column and line of the cursor afterwards.
        """
        groups: dict[Style, list[Cells]] = {}
        for run in sorted(cells, key=_place):
            groups.setdefault(run[3], []).append(run)
        out: list[str] = []
        now: Codes | None = None
        at_y = at_x = -1
        for style, group in groups.items():
            codes = self._codes.get(style) or self._codes_of(style)
            change = self._changes.get((now, codes))
            if change is None:
                change = self._changes[(now, codes)] = codes.escape_sequence_from(now)
            out.append(change)
            now = codes
            for y, x, text, _, narrow in group:
                if y != at_y or x != at_x:
                    out.append(_move(at_y, at_x, y, x))
                out.append(text)
                # Terminals disagree on the cursor position after a wide character and at the right edge.
                at_y, at_x = y, x + len(text)
                if not narrow or at_x >= width:
                    at_y = at_x = -1
        if not out:
            return ""
        out += [RESET, f"\x1b[{cursor[1] + 1};{cursor[0] + 1}H"]
        return "".join(out)

    def _codes_of(self, style: Style) -> Codes:
        codes = self._codes[style] = codes_of(self._adapt_style(style), self._colours)
        return codes


def _place(cells: Cells) -> tuple[int, int]:
    return cells[0], cells[1]


def _move(from_y: int, from_x: int, y: int, x: int) -> str:
    """Return the shortest escape sequence that moves the cursor; line -1 means that the position is unknown."""
    if y == from_y:
        return _move_along(x - from_x)
    absolute = f"\x1b[{y + 1};{x + 1}H"
    if from_y < 0:
        return absolute
    lines = y - from_y
    relative = ("\x1b[B" if lines == 1 else f"\x1b[{lines}B" if lines > 0 else f"\x1b[{-lines}A") + _move_along(
        x - from_x
    )
    return relative if len(relative) < len(absolute) else absolute


def _move_along(distance: int) -> str:
    """Return the escape sequence that moves the cursor along its line; no control bytes such as backspace."""
    if not distance:
        return ""
    letter, count = ("C", distance) if distance > 0 else ("D", -distance)
    return f"\x1b[{letter}" if count == 1 else f"\x1b[{count}{letter}"
