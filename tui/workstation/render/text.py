"""Cleaning of external text for widgets, so that it never reaches a markup parser."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from tui.interface.text import clean

if TYPE_CHECKING:
    from textual.content import Content

ELLIPSIS = "…"


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


def cut_before_figure(text: str, cells: int) -> str:
    """Cut a text like `cut`, but never within a figure: half of one reads like another one."""
    shorter = cut(text, cells)
    head, _, last = shorter[:-1].rpartition(" ")
    whole = shorter == text or text[len(shorter) - 1 : len(shorter)] == " "
    if whole or not head or not any(char.isdigit() for char in last):
        return shorter
    return f"{head} {ELLIPSIS}"


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
    """Wrap a text and indent every line but the first."""
    first, *rest = wrap(text, cells) or [""]
    return [first, *(" " * indent + line for line in wrap(" ".join(rest), cells - indent))]


def fit(text: str, cells: int, right: bool) -> str:
    """Clean a text and pad or cut it to exactly `cells` cells, aligned left or right, with an empty last cell."""
    if len(text) < cells and text.isascii() and text.isprintable():  # most figures
        return text.rjust(cells - 1) + " " if right else text.ljust(cells)
    return _fit(text, cells, right)


@lru_cache(maxsize=16384)
def _fit(text: str, cells: int, right: bool) -> str:
    if cells <= 0:
        return ""
    text = clean(text)
    text = cut(text, cells - 1)
    blank = " " * (cells - 1 - width(text))
    return f"{blank}{text} " if right else f"{text}{blank} "
