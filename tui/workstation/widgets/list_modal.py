"""What all modals share: a box over the main screen, a title in its border, and lines with or without a cursor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.events import Key, Paste
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tui.workstation.input.fresh_press import WrittenLine
from tui.workstation.input.input_order import key_time
from tui.workstation.input.line_editor import TypedLine
from tui.workstation.input.scopes import Scope
from tui.workstation.render.absolute_layout import Placing
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.placement import Beside, Lines, Surroundings, place_box
from tui.workstation.terminal.direct_output import LiveModal
from tui.workstation.widgets.list_screen import ListScreen

Answer = TypeVar("Answer")
Body = TypeVar("Body", bound="ModalBody")
Rows = TypeVar("Rows", bound="ListBody")

EDGES = 2
"""Lines of the upper and the lower edge."""
QUESTION = "Question"
"""How a box is named that asks for a yes or a word."""
LEAST_LINES = 6
"""Least height of a box, so that the line with the cursor and what is said of it can be read."""


class ModalBody(TypedLine, Widget, can_focus=True):
    """The box of a modal. A subclass says what its title and its lines are."""

    DEFAULT_CSS = "ModalBody { width: 1fr; height: 1fr; }"

    accented = True
    """Whether the upper edge has the colour of the focus."""

    def __init__(self, name: str, palette: Palette) -> None:
        super().__init__(id=name)
        self.palette = palette
        self.border = BoxBorder()
        self.written = WrittenLine(lambda: self, lambda: self.content)
        """What a press would send, and since when it stands there."""

    @property
    def content(self) -> Hashable:
        """What a press would send, without figures that follow the market."""
        return None

    def say(self, answer: str) -> None:
        """Show an answer, where it has a place for it."""

    def move(self, by: int) -> None:
        """Move the cursor, where there is one."""

    def edited(self) -> None:
        self.refresh()

    def cursor_moved(self) -> None:
        self.refresh()

    @abstractmethod
    def title_pieces(self) -> list[Piece]:
        """The left end of the upper edge."""

    def title_end(self) -> list[Piece]:
        """The right end of the upper edge."""
        return []

    @abstractmethod
    def line(self, y: int) -> list[Piece]:
        """The line at a height inside the box, 0 at the top; empty below the last one."""

    @property
    def inner_height(self) -> int:
        """Lines between the edges, at least one."""
        return max(1, self.size.height - EDGES)

    def render_line(self, y: int) -> Strip:
        width, height = self.size.width, self.size.height
        self.written.drawn(key_time())
        if y == 0:
            return self.border.title(
                self.title_pieces(), width, self.palette, True, self.accented, self.title_end() or None
            )
        if y == height - 1:
            return self.border.bottom(width, self.palette)
        return self.border.draw_line(self.line(y - 1), width, self.palette)


class ListBody(ModalBody):
    """A list with a cursor that stays in sight."""

    def __init__(self, name: str, palette: Palette) -> None:
        super().__init__(name, palette)
        self.at = 0
        """Index of the line under the cursor."""
        self._first = 0

    @property
    @abstractmethod
    def count(self) -> int:
        """Lines of the list."""

    @abstractmethod
    def item(self, at: int) -> list[Piece]:
        """One line of the list."""

    @property
    def rows(self) -> int:
        """Lines of the list that fit."""
        return self.inner_height

    def move(self, by: int) -> None:
        """Move the cursor; it stays inside the list."""
        self.at = max(0, min(self.count - 1, self.at + by))
        self.refresh()

    def line(self, y: int) -> list[Piece]:
        self._first = max(min(self._first, self.at), self.at - self.rows + 1)
        at = self._first + y
        return self.item(at) if at < self.count else []


class BoxModal(Placing, LiveModal[Answer], Generic[Body, Answer]):
    """A modal with one box; the main screen goes on behind it."""

    DEFAULT_CSS = "BoxModal { background: transparent; }"
    ESCAPE_TO_MINIMIZE = False
    scope: Scope
    """Where the keyboard is while it is open."""
    beside = Beside.ROW
    """What it opens beside."""

    def __init__(self, body: Body) -> None:
        super().__init__()
        self.body = body
        self._placed: tuple[Size, Region] | None = None
        """Where it stands, and on a screen of which size."""

    def compose(self) -> ComposeResult:
        yield self.body

    def on_mount(self) -> None:
        self.body.focus()

    def on_key(self, event: Key) -> None:
        """Hand characters and keys of the cursor to the line that is typed in."""
        if self.body.take_key(event.key, event.character if event.is_printable else None):
            event.stop()

    def on_paste(self, event: Paste) -> None:
        """Hand a paste to the line that is typed in."""
        event.stop()
        self.body.paste(event.text)

    @property
    def place_name(self) -> str:
        return QUESTION if self.scope in (Scope.PROMPT, Scope.WORD) else self.scope.partition(",")[0].capitalize()

    @property
    def surroundings(self) -> Surroundings:
        """What stands on the screen below it."""
        below = next((screen for screen in reversed(self.app.screen_stack) if isinstance(screen, ListScreen)), None)
        if below is None:
            return Surroundings()
        status = below.plan.status.height
        top = Region(0, 0, below.size.width, status)
        subject = {Beside.ROW: below.subject, Beside.STATUS: top, Beside.DESK: None}[self.beside]
        foot = sum(1 for box in (below.plan.event, below.plan.keys) if box is not None)
        return Surroundings(status=status, foot=foot, subject=subject, touch=below.touch)

    def place(
        self, size: Size, width: int, needed: int, least: int = LEAST_LINES, wanted: int = 0
    ) -> dict[str, Region]:
        """The place of the box on the screen below it.

        Args:
            size: Size of the screen.
            width: Cells it would have.
            needed: Lines of all that it says, edges included.
            least: Lines it still has where there is no room beside bid and ask of its pair.
            wanted: Lines it has where there is room.
        """
        lines = Lines(max(needed, wanted), needed, least)
        before = self._placed[1] if self._placed is not None and self._placed[0] == size else None
        region = place_box(size, width, lines, self.surroundings, before)
        self._placed = size, region
        return {str(self.body.id): region}

    def follow(self) -> None:
        """Rows have changed: draw what has become of what is shown."""


class SideList(BoxModal[Rows, None]):
    """A list as narrow as its lines, beside what it is about."""

    cells = 44
    """Width of the list."""

    def placements(self, size: Size) -> dict[str, Region]:
        return self.place(size, self.cells, self.body.count + EDGES)
