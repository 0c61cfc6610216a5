"""Comparison of a new line with what the terminal shows, to find the changed cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from rich.cells import cell_len
from rich.style import Style

from tui.workstation.render.strips import Run

Slot = tuple[int, tuple[Run, ...]]
"""Width in cells and the runs that fill it: a column of a row, or a whole line."""

Line = tuple[Slot, ...]

Change = tuple[int, str, Style, bool]
"""Column, text, style, and whether every character takes one cell on every terminal."""

MOST_GAP = 4
"""Unchanged cells written again between two changes, because a cursor move takes more bytes."""

SHORT = 20
"""Width up to which changes in a slot of one style are written as one run."""

_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def whole_line(cells: int, runs: Iterable[Run]) -> Line:
    """Build a line that consists of a single slot."""
    return ((cells, tuple(runs)),)


@lru_cache(maxsize=16384)
def is_narrow(text: str) -> bool:
    """Return whether every character takes exactly one cell and combines with no other."""
    return text.isascii() or all(_is_narrow(character) for character in text)


@lru_cache(maxsize=1024)
def _is_narrow(character: str) -> bool:
    if character.isascii():
        return True
    return cell_len(character) == 1 and not unicodedata.combining(character) and character not in _JOINERS


def changes(before: Line | None, after: Line) -> list[Change]:
    """List the changes that turn line `before` into line `after`.

    Args:
        before: Line on the terminal; None: unknown, everything is written.
        after: Line to show.
    """
    changed: list[Change] = []
    if before is None or len(before) != len(after):
        return _everything(after)
    x = 0
    for old, new in zip(before, after, strict=True):
        if old is not new and old != new:
            if old[0] != new[0]:
                return _everything(after)
            _slot_changes(x, old[1], new[1], changed)
        x += new[0]
    return changed


def _everything(line: Line) -> list[Change]:
    changed: list[Change] = []
    x = 0
    for cells, runs in line:
        _whole_slot(x, runs, changed)
        x += cells
    return changed


def _whole_slot(x: int, runs: tuple[Run, ...], changed: list[Change]) -> None:
    for text, style in runs:
        if text:
            narrow = is_narrow(text)
            changed.append((x, text, style, narrow))
            x += len(text) if narrow else cell_len(text)


def _slot_changes(x: int, old: tuple[Run, ...], new: tuple[Run, ...], changed: list[Change]) -> None:
    """Collect the changed cells of a slot; the whole slot if it contains a wide character, which must not be split."""
    (text, style), (text_now, style_now) = old[0], new[0]
    same_look = len(old) == len(new) == 1 and style is style_now and len(text) == len(text_now) <= SHORT
    if same_look and is_narrow(text) and is_narrow(text_now):
        start, end = 0, len(text)
        while text[start] == text_now[start]:
            start += 1
        while text[end - 1] == text_now[end - 1]:
            end -= 1
        changed.append((x + start, text_now[start:end], style, True))
        return
    before, after = _cells(old), _cells(new)
    if before is None or after is None or len(before) != len(after):
        _whole_slot(x, new, changed)
        return
    start = end = -1
    for at, (was, now) in enumerate(zip(before, after, strict=True)):
        if start >= 0 and (now[1] is not style or at - end > MOST_GAP):
            changed.append((x + start, _text(after, start, end), style, True))
            start = -1
        if was[0] != now[0] or (was[1] is not now[1] and was[1] != now[1]):
            if start < 0:
                start, style = at, now[1]
            end = at + 1
    if start >= 0:
        changed.append((x + start, _text(after, start, end), style, True))


def _cells(runs: tuple[Run, ...]) -> list[tuple[str, Style]] | None:
    """Return character and style of each cell; None if a character does not take exactly one cell."""
    cells: list[tuple[str, Style]] = []
    for text, style in runs:
        if not is_narrow(text):
            return None
        cells += [(character, style) for character in text]
    return cells


def _text(cells: list[tuple[str, Style]], start: int, end: int) -> str:
    return "".join([character for character, _ in cells[start:end]])
