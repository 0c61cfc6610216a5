"""Cleaning of external text for widgets, so that it never reaches a markup parser."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from tui.interface.text import clean

if TYPE_CHECKING:
    from textual.content import Content

ELLIPSIS = "…"
_ENDS_OF_CLAUSES = ("; ", ": ", ". ")
LONG_WORD = 20
"""Cells of a word that is cut within rather than left out."""


def plain(text: str) -> Content:
    """Clean a text for a widget: without markup, links or actions."""
    from textual.content import Content

    return Content(clean(text))


def width(text: str) -> int:
    """Return the width of a text, in cells."""
    return len(text) if text.isascii() else cell_len(text)


def cut(text: str, cells: int) -> str:
    """Cut a text to at most `cells` cells, with an ellipsis at the cut."""
    if width(text) <= cells:
        return text
    if cells <= 1:
        return ELLIPSIS[:cells]
    return set_cell_size(text, cells - 1).rstrip() + ELLIPSIS


def cut_at_word(text: str, cells: int) -> str:
    """Cut a text like `cut`, but only after a whole word, because half a figure or word reads like another.

    A word of more than `LONG_WORD` cells, such as a path, is cut within, unless it is a figure.
    """
    shorter = cut(text, cells)
    if shorter == text or not shorter.endswith(ELLIPSIS):
        return shorter
    kept = shorter[:-1]
    ends_word = text[len(kept) : len(kept) + 1] == " "
    head, _, last = kept.rpartition(" ")
    if not ends_word and (not head.strip() or (width(last) > LONG_WORD and not last[:1].isdigit())):
        return shorter
    if ends_word and width(kept) + 2 > cells:
        return shorter
    return f"{kept if ends_word else head.rstrip()} {ELLIPSIS}"


def wrap_beside(text: str, cells: int, last_cells: int, most: int) -> list[str]:
    """Wrap a text to at most `most` lines, the last one shorter (`last_cells`); what does not fit is cut at a word."""
    lines = _wrap_clauses(text, last_cells)
    if len(lines) <= most:
        return lines
    lines, left = [], " ".join(text.split())
    # In whole lines the text may end sooner than in lines as short as the last.
    while left and len(lines) < most - 1:
        lines += wrap(left, cells)[:1]
        left = left[len(lines[-1]) :].lstrip()
    return [*lines, cut_at_word(left, last_cells)][:most]


def _wrap_clauses(text: str, cells: int) -> list[str]:
    """Wrap a text with its last clause, such as `press y to send`, on its own line if that needs no further line.

    A short beginning, such as the name of a field, is no clause: it would stand alone in its line.
    """
    lines, end = wrap(text, cells), max(text.rfind(mark) for mark in _ENDS_OF_CLAUSES) + 1
    if width(text[:end]) < cells // 3:
        return lines
    apart = [*wrap(text[:end], cells), *wrap(text[end:], cells)]
    return apart if len(apart) == len(lines) else lines


def wrap(text: str, cells: int) -> list[str]:
    """Wrap a text to lines of at most `cells` cells, between words where possible."""
    lines: list[str] = []
    left = ""
    for word in text.split():
        candidate = f"{left} {word}" if left else word
        if width(candidate) <= cells:
            left = candidate
            continue
        if left:
            lines.append(left)
        while cells > 0 and width(word) > cells:
            head = set_cell_size(word, cells).rstrip()
            lines.append(head)
            word = word[len(head) :]
        left = word
    return [*lines, left] if left else lines


def hang(text: str, cells: int, indent: int) -> list[str]:
    """Wrap a text with a hanging indent: all lines but the first are indented."""
    first, *rest = wrap(text, cells) or [""]
    return [first, *(" " * indent + line for line in wrap(" ".join(rest), cells - indent))]


def fit(text: str, cells: int, *, right: bool) -> str:
    """Clean a text and pad or cut it to exactly `cells` cells, aligned left or right, ending in a blank."""
    if len(text) < cells and text.isascii() and text.isprintable():  # most figures
        return text.rjust(cells - 1) + " " if right else text.ljust(cells)
    return _fit(text, cells, right=right)


@lru_cache(maxsize=16384)
def _fit(text: str, cells: int, *, right: bool) -> str:
    if cells <= 0:
        return ""
    text = clean(text)
    text = cut(text, cells - 1)
    blank = " " * (cells - 1 - width(text))
    return f"{blank}{text} " if right else f"{text}{blank} "
