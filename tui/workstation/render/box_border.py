"""Border of a pane or dialog: top edge with title, side bars, bottom edge."""

from __future__ import annotations

from collections.abc import Iterable

from textual.strip import Strip

from tui.interface.text import clean
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.strips import Run, line, merge_runs, runs_of, whole_pieces
from tui.workstation.render.text import cut_at_word, width


class BoxBorder:
    """Style of all borders: light lines in VIEW, heavy horizontal lines when armed, another colour on a live account."""

    def __init__(self) -> None:
        self.heavy = False
        self.role = "frame"
        self.version = 0

    def set(self, role: str, *, heavy: bool) -> bool:
        """Change the style; return whether it is different now."""
        if (heavy, role) == (self.heavy, self.role):
            return False
        self.heavy, self.role = heavy, role
        self.version += 1
        return True

    def edge_role(self, *, focused: bool) -> str:
        """Return the colour role of a border with or without focus."""
        return "accent" if focused else self.role

    def title(
        self,
        pieces: list[Piece],
        cells: int,
        palette: Palette,
        right: list[Piece] | None = None,
        *,
        top: bool,
        focused: bool,
    ) -> Strip:
        """Draw the top edge with its title; `focused` if this box or the box joined above has the focus."""
        if cells < 4:
            return line(pieces, cells, palette)
        style = palette.style(self.edge_role(focused=focused))
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
            text = cut_at_word(clean(text), inner - used)
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
        return merge_runs(runs, cells)

    def bottom(self, cells: int, palette: Palette, *, focused: bool = False) -> Strip:
        """Draw the bottom edge."""
        left, end = "┕┙" if self.heavy else "└┘"
        rule = "━" if self.heavy else "─"
        style = palette.style(self.edge_role(focused=focused))
        if cells < 2:
            return merge_runs([(rule * cells, style)], cells)
        return merge_runs([(left + rule * (cells - 2) + end, style)], cells)

    def draw_line(
        self,
        pieces: Iterable[Piece],
        cells: int,
        palette: Palette,
        right: Iterable[Piece] = (),
        *,
        focused: bool = False,
    ) -> Strip:
        """Draw a content line between the side bars."""
        bar = palette.style(self.edge_role(focused=focused))
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
        return merge_runs(runs, cells)
