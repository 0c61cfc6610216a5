"""The one sink for text from outside: nothing that was not written in this program reaches a markup parser."""

from __future__ import annotations

from functools import lru_cache

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from tui.interface.text import clean

ELLIPSIS = "…"


def plain(text: str) -> Content:
    """Text for a widget: cleaned, without markup, links or actions."""
    return Content(clean(text))


def width(text: str) -> int:
    """Cells the text takes."""
    return len(text) if text.isascii() else cell_len(text)


def cut(text: str, cells: int) -> str:
    """The text in at most `cells` cells; a cut is shown by an ellipsis."""
    if width(text) <= cells:
        return text
    if cells <= 1:
        return ELLIPSIS[:cells]
    return set_cell_size(text, cells - 1).rstrip() + ELLIPSIS


def wrapped(text: str, cells: int) -> list[str]:
    """The text in lines of at most `cells` cells, broken between words where there are any."""
    lines: list[str] = []
    left = ""
    for word in text.split():
        joined = f"{left} {word}" if left else word
        if width(joined) <= cells:
            left = joined
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
    """Wrap the text; every line but the first stands further in, so that the next text is seen to begin."""
    first, *rest = wrapped(text, cells) or [""]
    return [first, *(" " * indent + line for line in wrapped(" ".join(rest), cells - indent))]


def fitted(text: str, cells: int, right: bool) -> str:
    """The text in exactly `cells` cells, cleaned, aligned left or right; the last cell stays free as a gap."""
    if len(text) < cells and text.isascii() and text.isprintable():  # most figures
        return text.rjust(cells - 1) + " " if right else text.ljust(cells)
    return _fitted(text, cells, right)


@lru_cache(maxsize=16384)
def _fitted(text: str, cells: int, right: bool) -> str:
    if cells <= 0:
        return ""
    text = clean(text)
    text = cut(text, cells - 1)
    blank = " " * (cells - 1 - width(text))
    return f"{blank}{text} " if right else f"{text}{blank} "
