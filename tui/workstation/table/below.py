"""Drawing in the empty lines below the rows of a table, made anew only when its data or the room changed."""

from __future__ import annotations

from tui.workstation.render.palette import Piece
from tui.workstation.table.pane import AnyPane


class Below:
    """Drawing of a pane below its rows."""

    def __init__(self, pane: AnyPane) -> None:
        self._pane = pane
        self._made_for: tuple[object, int, int] = (None, 0, 0)
        self._lines: list[list[Piece]] = []

    @property
    def can_draw(self) -> bool:
        """Whether the pane draws there at all, room given."""
        return self._pane.below_version() is not None

    def is_outdated(self) -> bool:
        """Return whether the data changed since it was drawn."""
        version = self._pane.below_version()
        return version is not None and version != self._made_for[0]

    def line(self, index: int, cells: int, lines: int) -> list[Piece]:
        """Return one line of the drawing, which has room for so many cells and lines; empty below its end."""
        version = self._pane.below_version()
        if version is None:
            return []
        if (version, cells, lines) != self._made_for:
            self._made_for = version, cells, lines
            self._lines = self._pane.draw_below(cells, lines) if lines > 0 else []
        return self._lines[index] if 0 <= index < len(self._lines) else []
