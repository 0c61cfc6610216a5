"""Base of the widgets that show one pane of the desk: title line, frame, and what the screen tells and asks them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from textual.message import Message
from textual.strip import Strip

from tui.engine.rows import Table
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.line_widget import BoxedLines
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.table.pane import AnyPane


class TitleOwner(Protocol):
    """Provider of a pane's title line, which also handles mouse presses on it."""

    def titles(self, box: PaneBox) -> list[Piece]:
        """Return the styled texts of the title line."""
        ...

    def press_title(self, box: PaneBox, x: int) -> None:
        """Handle a mouse press on the title line."""
        ...


class PaneBox(BoxedLines, can_focus=True):
    """Framed widget for one pane; rows or a drawing inside it are up to the subclass."""

    class Picked(Message):
        """Message that a row was selected, or that the selected row was chosen again."""

        def __init__(self, box: PaneBox, *, by_hand: bool) -> None:
            super().__init__()
            self.box = box
            self.by_hand = by_hand
            """Whether a key or a click chose it, and not the list itself."""

    def __init__(self, pane: AnyPane, palette: Palette, box_border: BoxBorder, titles: TitleOwner) -> None:
        super().__init__(id=pane.id)
        self.pane = pane
        self.palette = palette
        self.box_border = box_border
        self._titles = titles
        self.selected: str | None = None
        """Key of the row under the cursor."""
        self._titled: tuple[list[Piece], list[Piece]] | None = None
        """Pieces of the title as last drawn, left and right; None: never drawn."""
        self.title_instead: list[Piece] | None = None
        """Replacement of the title line while a filter is typed."""

    # Updates

    @abstractmethod
    def feed(self, table: Table, keys: list[str]) -> None:
        """Note changed rows of an engine table, to be drawn at the next `flush`."""

    @abstractmethod
    def flush(self, most: int = 1000) -> int:
        """Draw changed lines, at most `most` of a list, and leave the rest to the next call; return the number drawn."""

    @property
    @abstractmethod
    def waiting(self) -> bool:
        """Whether changed lines remain for the next `flush`."""

    @abstractmethod
    def tick(self) -> None:
        """Redraw what has changed with time; called every second."""

    @abstractmethod
    def reorder(self) -> None:
        """Note that the rows and their order must be read again."""

    def settle(self) -> None:
        """Sort and filter the rows now; a hidden list does this only when this method is called."""

    @abstractmethod
    def forget_selection(self) -> None:
        """Clear the selection, because the pane shows something else."""

    @abstractmethod
    def repaint(self) -> None:
        """Redraw everything after a change of theme, size or border."""

    # Size

    @property
    @abstractmethod
    def lines_wanted(self) -> int:
        """Number of lines needed below the title and the column names to show everything."""

    @property
    @abstractmethod
    def row_count(self) -> int:
        """Number of rows shown or scrolled out of view."""

    @property
    def mark_count(self) -> int:
        """Number of rows marked by the trader."""
        return 0

    @abstractmethod
    def line_of(self, key: str) -> int | None:
        """Return the line of a row inside the widget; None while it is not shown."""

    # Focus

    def on_focus(self) -> None:
        self.redraw_all()

    def on_blur(self) -> None:
        self.redraw_all()

    # Title and frame

    def refresh_title(self) -> None:
        """Redraw the title line if the pane is shown; a pane that comes into view is drawn whole anyway."""
        if self.display:
            self.redraw([0])

    def follow_title(self) -> None:
        """Redraw the title line if its text changed."""
        if self._titled is not None and self.display and self.outer_size.width and self._title_pieces() != self._titled:
            self.redraw([0])

    @property
    def _place(self) -> str:
        """Text at the right end of the title for the visible rows, such as `1–20 of 90`; empty if all are shown."""
        return ""

    @property
    def title_room(self) -> int:
        """Number of cells for text in the title line, without corners and row range."""
        return self.size.width - 4 - (len(self._place) + 3 if self._place else 0)

    def _draw_title(self, width: int) -> Strip:
        """Draw the title line and remember its texts."""
        self._titled = pieces, right = self._title_pieces()
        focused = self.has_focus or self.under_focus
        return self.box_border.title(pieces, width, self.palette, right, top=self.top_corner, focused=focused)

    def _title_pieces(self) -> tuple[list[Piece], list[Piece]]:
        """Return the pieces of the title, left and right."""
        right: list[Piece] = [(self._place, "dim")] if self._place else []
        return (self.title_instead if self.title_instead is not None else self._titles.titles(self)), right

    def _draw_line(self, pieces: list[Piece], width: int) -> Strip:
        """Draw a content line between the side bars."""
        return self.box_border.draw_line(pieces, width, self.palette, focused=self.has_focus)
