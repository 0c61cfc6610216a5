"""Lines of the screen from pieces: merged segments of exactly the width asked for, and the frames around panes."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.interface.text import clean
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.text import ELLIPSIS, cut, width

Run = tuple[str, Style]

SEPARATORS = " ·│─"
"""What stands between the pieces of a title."""


def merged(runs: Iterable[Run], cells: int) -> Strip:
    """One strip; neighbours of equal style become one segment."""
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
    """Pieces cut and filled to exactly `cells` cells."""
    left = max(0, cells)
    out: list[Run] = []
    for text, role in pieces:
        if left <= 0:
            break
        whole = clean(text)
        text = cut(whole, left)
        left -= width(text)
        out.append((text, palette.style(role, ground)))
        if text is not whole:
            break
    if left > 0:
        out.append((" " * left, palette.style("text", ground)))
    return out


def line(pieces: Iterable[Piece], cells: int, palette: Palette, right: Iterable[Piece] = (), ground: str = "") -> Strip:
    """A line with a left part, which is cut first, and a right part."""
    tail = list(right)
    used = pieces_width(tail)
    if used + 8 > cells:
        tail, used = [], 0
    runs = runs_of(pieces, cells - used, palette, ground)
    if tail:
        runs += runs_of(tail, used, palette, ground)
    return merged(runs, max(0, cells))


def pieces_width(pieces: Iterable[Piece]) -> int:
    """Cells that the pieces take."""
    return sum(width(text) for text, _ in pieces)


def whole_pieces(pieces: list[Piece], cells: int) -> list[Piece]:
    """The pieces that stand whole in so many cells and an ellipsis for the others; all of them where none would."""
    kept = used = 0
    for count, (text, _) in enumerate(pieces, 1):
        used += width(clean(text))
        if used >= cells:
            break
        if not text.strip(SEPARATORS):
            kept = count
    fits = sum(width(clean(text)) for text, _ in pieces) <= cells
    return pieces if fits or not kept else [*pieces[:kept], (ELLIPSIS, "faint")]


class Frame:
    """How the frames look now: light lines in VIEW, heavy horizontal ones when armed, another colour when live."""

    def __init__(self) -> None:
        self.heavy = False
        self.role = "frame"
        self.version = 0

    def set(self, heavy: bool, role: str) -> bool:
        """Change the look; True when it is new."""
        if (heavy, role) == (self.heavy, self.role):
            return False
        self.heavy, self.role = heavy, role
        self.version += 1
        return True

    def title(
        self,
        pieces: list[Piece],
        cells: int,
        palette: Palette,
        top: bool,
        focused: bool,
        right: list[Piece] | None = None,
    ) -> Strip:
        """The upper edge of a box with its title."""
        if cells < 4:
            return line(pieces, cells, palette)
        style = palette.style("accent" if focused else self.role)
        rule = "━" if self.heavy else "─"
        left, end = ("┍┑" if self.heavy else "┌┐") if top else ("┝┥" if self.heavy else "├┤")
        tail = [(" ", "frame"), *((clean(text), role) for text, role in right), (" ", "frame")] if right else []
        tail_width = pieces_width(tail)
        if tail_width + 12 > cells:
            tail, tail_width = [], 0
        inner = cells - 4 - tail_width - (1 if tail else 0)
        body: list[Run] = []
        used = 0
        for text, piece_role in whole_pieces(pieces, inner):
            text = cut(clean(text), inner - used)
            used += width(text)
            body.append((text, palette.style(piece_role)))
        body.append((" " if used < inner else "", style))
        used += 1 if used < inner else 0
        fill = rule * (inner - used)
        runs: list[Run] = [(left + " ", style), *body, (fill, style)]
        if tail:
            runs += [(text, palette.style(piece_role)) for text, piece_role in tail]
            runs.append((rule, style))
        runs.append((rule + end, style))
        return merged(runs, cells)

    def bottom(self, cells: int, palette: Palette) -> Strip:
        """The lower edge."""
        left, end = "┕┙" if self.heavy else "└┘"
        rule = "━" if self.heavy else "─"
        style = palette.style(self.role)
        if cells < 2:
            return merged([(rule * cells, style)], cells)
        return merged([(left + rule * (cells - 2) + end, style)], cells)

    def inside(self, pieces: Iterable[Piece], cells: int, palette: Palette, right: Iterable[Piece] = ()) -> Strip:
        """A line between the two side bars."""
        bar = palette.style(self.role)
        if cells < 4:
            return line(pieces, cells, palette)
        tail = list(right)
        used = pieces_width(tail)
        if used + 8 > cells - 2:
            tail, used = [], 0
        runs: list[Run] = [("│", bar), *runs_of(pieces, cells - 2 - used, palette)]
        if tail:
            runs += runs_of(tail, used, palette)
        runs.append(("│", bar))
        return merged(runs, cells)
