"""Bar of the tour: what to do now, above the newest events; it takes neither the focus nor a key."""

from __future__ import annotations

from typing import NamedTuple

from textual.strip import Strip

from tui.workstation.render.line_widget import LineWidget
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.strips import line
from tui.workstation.render.text import wrap

LINES = 3
"""Height of the bar."""
ID = "guide"


class TourText(NamedTuple):
    """Texts shown in the tour's bar."""

    title: str
    seen: str
    """What was seen to have worked, or an empty text."""
    missed: str
    """Why a step is done again, instead of what has worked; empty: it is not."""
    say: str
    is_hint: bool
    """Whether the sentence names what stands in the way."""
    leave: str
    """Key that leaves the tour, and what it does."""


class TourBar(LineWidget):
    """Bar of the tour; the layout of the desk reserves three lines for it."""

    DEFAULT_CSS = "TourBar { width: 1fr; height: 1fr; }"

    def __init__(self, palette: Palette, text: TourText) -> None:
        super().__init__(id=ID)
        self.palette = palette
        self.text = text

    def show(self, text: TourText) -> None:
        """Show another text in the bar."""
        if text != self.text:
            self.text = text
            self.redraw_all()

    def render_line(self, y: int) -> Strip:
        text, cells = self.text, self.size.width
        if not y:
            left: list[Piece] = [(" ▌", "accent"), (text.title, "title-focus")]
            if text.missed:
                left += [("  ! ", "warn"), (text.missed, "warn")]
            elif text.seen:
                left += [("  ✓ ", "good"), (text.seen, "text")]
            return line(left, cells, self.palette, right=[(f"{text.leave} ", "dim")])
        lines = wrap(text.say, max(8, cells - 4))
        said = lines[y - 1] if y <= len(lines) else ""
        return line([(" ▌ ", "accent"), (said, "warn" if text.is_hint else "strong")], cells, self.palette)
