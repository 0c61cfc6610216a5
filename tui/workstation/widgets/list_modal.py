"""Dialogs over a list screen: a box with a title in its border, and lines with or without a cursor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.events import Key, Paste
from textual.geometry import Region, Size
from textual.strip import Strip

from tui.workstation.input.fresh_press import WrittenLine
from tui.workstation.input.input_order import key_time
from tui.workstation.input.line_editor import TypedLine
from tui.workstation.input.scopes import Scope
from tui.workstation.render.absolute_layout import Placing
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.line_widget import Unscrolled
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.placement import Lines, Surroundings, place_box
from tui.workstation.terminal.direct_output import LiveModal
from tui.workstation.widgets.list_screen import ListScreen
from tui.workstation.widgets.question import Beside

Answer = TypeVar("Answer")
Body = TypeVar("Body", bound="ModalBody")
Rows = TypeVar("Rows", bound="ListBody")

EDGES = 2
"""Lines of the upper and the lower edge."""
QUESTION = "Question"
"""Place name of a box that asks for a yes or a word."""
LEAST_LINES = 6
"""Least height of a box in which the line with the cursor and its note can be read."""


class ModalBody(TypedLine, Unscrolled, can_focus=True):
    """Body of a dialog. Subclasses define its title and its lines."""

    DEFAULT_CSS = "ModalBody { width: 1fr; height: 1fr; }"

    accented = True
    """Whether the upper edge has the colour of the focus."""
    _drawn_lines: list[list[Piece]] | None = None
    """Lines of the drawing under way; None: not built yet."""

    def __init__(self, name: str, palette: Palette) -> None:
        super().__init__(id=name)
        self.palette = palette
        self.border = BoxBorder()
        self.written = WrittenLine(lambda: self, lambda: self.content)
        """Content a press would send, and since when it is shown unchanged."""

    @property
    def content(self) -> Hashable:
        """Content that a key press would send, without numbers that follow the market."""
        return None

    def say(self, answer: str) -> None:
        """Show a message, if the dialog has a place for it."""

    def move(self, by: int) -> None:
        """Move the cursor, if there is one."""

    def handle_edit(self) -> None:
        self.refresh()

    def handle_cursor_move(self) -> None:
        self.refresh()

    @abstractmethod
    def title_pieces(self) -> list[Piece]:
        """Return the left part of the top edge."""

    def title_end(self) -> list[Piece]:
        """Return the right part of the top edge."""
        return []

    @abstractmethod
    def build_lines(self) -> list[list[Piece]]:
        """Build the lines inside the box from the top; what does not fit is not drawn."""

    @property
    def inner_height(self) -> int:
        """Number of lines between the edges, at least one."""
        return max(1, self.size.height - EDGES)

    def render_lines(self, crop: Region) -> list[Strip]:
        self._drawn_lines = None
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width, height = self.size.width, self.size.height
        self.written.note_drawing(key_time())
        if y == 0:
            return self.border.title(
                self.title_pieces(), width, self.palette, self.title_end() or None, top=True, focused=self.accented
            )
        if y == height - 1:
            return self.border.bottom(width, self.palette)
        if self._drawn_lines is None:
            self._drawn_lines = self.build_lines()
        return self.border.draw_line(
            self._drawn_lines[y - 1] if y <= len(self._drawn_lines) else [], width, self.palette
        )


class ListBody(ModalBody):
    """Body of a dialog with a list that scrolls so that its cursor is always in view."""

    def __init__(self, name: str, palette: Palette) -> None:
        super().__init__(name, palette)
        self.at = 0
        """Index of the line under the cursor."""
        self._first = 0

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of lines of the list."""

    @abstractmethod
    def item(self, at: int) -> list[Piece]:
        """Return one line of the list."""

    @property
    def head_lines(self) -> int:
        """Lines of the box above the list."""
        return 0

    @property
    def rows(self) -> int:
        """Number of list lines that fit into the dialog."""
        return self.inner_height

    def move(self, by: int) -> None:
        """Move the cursor within the list."""
        self.at = max(0, min(self.count - 1, self.at + by))
        self.refresh()

    def press_mouse(self, x: int, y: int) -> None:
        """Move the cursor to the line that was clicked; a click chooses nothing."""
        del x
        row = y - 1 - self.head_lines
        if 0 <= row < self.rows and self._first + row < self.count:
            self.move(self._first + row - self.at)

    def build_lines(self) -> list[list[Piece]]:
        count, rows = self.count, self.rows
        self._first = max(min(self._first, self.at), self.at - rows + 1)
        return [self.item(at) if at < count else [] for at in range(self._first, self._first + rows)]


class BoxModal(Placing, LiveModal[Answer], Generic[Body, Answer]):
    """Dialog with one box; the screen behind it keeps updating."""

    DEFAULT_CSS = "BoxModal { background: transparent; }"
    ESCAPE_TO_MINIMIZE = False
    scope: Scope
    """Scope of the keyboard while it is open."""
    beside = Beside.ROW
    """What it opens beside."""
    spares_events = False
    """Whether it leaves the line of the events free wherever there is another place for it."""
    closes = False
    """Whether it is closed as soon as it is on top."""

    def __init__(self, body: Body) -> None:
        super().__init__()
        self.body = body
        self._placed: tuple[Size, Region] | None = None
        """Screen size and region of the last placement."""

    def compose(self) -> ComposeResult:
        yield self.body

    def on_mount(self) -> None:
        self.body.focus()
        self._refresh_keys()

    def on_unmount(self) -> None:
        self._refresh_keys()

    def _refresh_keys(self) -> None:
        """Redraw the line of key hints, because an engine answer may open or close a dialog without a key press."""
        if (below := self._below) is not None:
            below.key_bar.redraw_all()

    @property
    def _below(self) -> ListScreen | None:
        """List screen that the dialog covers; None while the program ends."""
        return next((screen for screen in reversed(self.app.screen_stack) if isinstance(screen, ListScreen)), None)

    def on_screen_resume(self) -> None:
        if self.closes:
            self.close_unanswered()

    def close_unanswered(self) -> None:
        """Close without an answer, once it is on top."""
        self.closes = True
        if self.is_attached and self.is_active:
            self.dismiss(None)

    def on_key(self, event: Key) -> None:
        """Pass characters and cursor keys to the line editor."""
        if self.body.take_key(event.key, event.character if event.is_printable else None):
            event.stop()

    def on_paste(self, event: Paste) -> None:
        """Pass a pasted text to the line editor."""
        event.stop()
        self.body.paste(event.text)

    @property
    def place_name(self) -> str:
        return QUESTION if self.scope in (Scope.PROMPT, Scope.WORD) else self.scope.partition(",")[0].capitalize()

    @property
    def surroundings(self) -> Surroundings:
        """Screen regions, on the list screen below, that the dialog should not cover."""
        if (below := self._below) is None:
            return Surroundings()
        status = below.plan.status.height
        top = Region(0, 0, below.size.width, status)
        subject = {Beside.ROW: below.subject, Beside.STATUS: top, Beside.DESK: None}[self.beside]
        event = below.plan.event
        foot = sum(1 for box in (event, below.plan.keys) if box is not None)
        kept = foot if self.spares_events and event is not None else 0
        view = below.beside_view if self.beside is Beside.ROW else None
        return Surroundings(
            status=status, foot=foot, kept=kept, subject=subject, touch=below.touch, view=view,
            is_whole_desk=self.beside is Beside.DESK,
        )  # fmt: skip

    def place(
        self, size: Size, width: int, needed: int, least: int = LEAST_LINES, wanted: int = 0
    ) -> dict[str, Region]:
        """Return the region for the dialog's box, beside its subject where possible, by the id of the box.

        Args:
            size: Size of the screen.
            width: Width wanted, cells.
            needed: Height of its full text, edges included.
            least: Height it keeps where bid and ask of its pair leave no more room.
            wanted: Height where there is room.

        Returns:
            Region by widget id.
        """
        lines = Lines(max(needed, wanted), needed, least)
        before = self._placed[1] if self._placed is not None and self._placed[0] == size else None
        region = place_box(size, width, lines, self.surroundings, before)
        self._placed = size, region
        return {str(self.body.id): region}

    def follow(self) -> None:
        """Redraw the dialog after rows of the engine have changed; nothing by default."""


class SideList(BoxModal[Rows, None]):
    """Dialog with a narrow list, placed beside its subject."""

    cells = 44
    """Width of the list."""
    spares_events = True

    def placements(self, size: Size) -> dict[str, Region]:
        return self.place(size, self.cells, self.body.count + EDGES)
