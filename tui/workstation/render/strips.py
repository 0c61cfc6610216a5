"""Screen lines built from styled pieces, as merged segments of an exact width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.interface.text import clean
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.text import ELLIPSIS, cut_at_word, width, wrap

Run = tuple[str, Style]

SEPARATORS = " ·│─"
"""Characters between the pieces of a title."""
APART = " · "
"""Prefix of a piece that can be left out."""


def merge_runs(runs: Iterable[Run], cells: int) -> Strip:
    """Build a strip; neighbouring pieces of the same style become one segment."""
    segments: list[Segment] = []
    last: Style | None = None
    texts: list[str] = []
    for text, style in runs:
        if style is last:
            texts.append(text)
        else:
            if texts:
                segments.append(Segment("".join(texts), last))
            texts, last = [text], style
    if texts:
        segments.append(Segment("".join(texts), last))
    return Strip(segments, cells)


def runs_of(pieces: Iterable[Piece], cells: int, palette: Palette, ground: str = "") -> list[Run]:
    """Cut or pad styled pieces to exactly `cells` cells."""
    left = max(0, cells)
    out: list[Run] = []
    for text, role in pieces:
        if left <= 0:
            break
        whole = clean(text)
        text = cut_at_word(whole, left)
        left -= width(text)
        out.append((text, palette.style(role, ground)))
        if text is not whole:
            break
    if left > 0:
        out.append((" " * left, palette.style("text", ground)))
    return out


def line(pieces: Iterable[Piece], cells: int, palette: Palette, right: Iterable[Piece] = (), ground: str = "") -> Strip:
    """Build a strip of `cells` width from a left and a right part; in little space, the left is cut or the right dropped."""
    tail = list(right)
    used = pieces_width(tail)
    if used + 8 > cells:
        tail, used = [], 0
    runs = runs_of(pieces, cells - used, palette, ground)
    if tail:
        runs += runs_of(tail, used, palette, ground)
    return merge_runs(runs, max(0, cells))


def wrap_pieces(pieces: list[Piece], cells: int, most: int = 0) -> list[list[Piece]]:
    """Wrap styled pieces to lines, each word keeping its role; text beyond `most` lines is cut with an ellipsis."""
    if pieces_width(pieces) <= cells:
        return [pieces] if pieces else []
    lines = wrap("".join(text for text, _ in pieces), cells - 2)
    if 0 < most < len(lines):
        lines[most - 1 :] = [cut_at_word(" ".join(lines[most - 1 :]), cells - 2)]
    roles = iter([role for text, role in pieces for char in text if not char.isspace()])
    wrapped, role = [], pieces[0][1]
    for text in lines:
        cast: list[Piece] = []
        for char in f" {text}":
            role = role if char.isspace() else next(roles, role)
            cast.append((char, role))
        wrapped.append([("".join(char for char, _ in run), role) for role, run in groupby(cast, itemgetter(1))])
    return wrapped


def _split_pieces(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for text, role in pieces:
        if text.startswith(APART) and text != APART:
            yield APART, role
            text = text.removeprefix(APART)
        yield text, role


def whole_pieces(pieces: list[Piece], cells: int) -> list[Piece]:
    """Keep the leading pieces that fit completely, and an ellipsis for the rest; all pieces if not even one fits."""
    pieces = list(_split_pieces(pieces))
    kept = used = 0
    for count, (text, _) in enumerate(pieces, 1):
        ends_part = not text.strip(SEPARATORS)
        if ends_part and used < cells:
            kept = count - 1
        used += width(clean(text))
        if used >= cells:
            break
        if ends_part:
            kept = count
    fits = sum(width(clean(text)) for text, _ in pieces) <= cells
    return pieces if fits or not kept else [*pieces[:kept], (ELLIPSIS, "faint")]
