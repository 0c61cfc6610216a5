"""Faults of the paper venue to practise with: a list over the desk, one key turns a line to its next state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from tui.workstation.render.absolute_layout import Placing
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.palette import Palette, Piece

WIDTH = 58


class Practice(msgspec.Struct, frozen=True):
    """One thing that can go wrong at the venue."""

    name: str
    states: tuple[str, ...]
    """In words; the first is the sound one."""
    turn: Callable[[int], None]
    """Puts the venue in a state, by its number; must not block."""


class PracticeBook:
    """What can be practised, and what is on; one for the life of the program."""

    def __init__(self, lines: Sequence[Practice]) -> None:
        self.lines = tuple(lines)
        self.now = [0] * len(self.lines)

    def next(self, at: int) -> str:
        """Turn one line to its next state; says which."""
        return self._turn(at, (self.now[at] + 1) % len(self.lines[at].states))

    def heal(self) -> int:
        """Make everything sound again; returns how much was not."""
        wrong = [at for at, state in enumerate(self.now) if state]
        for at in wrong:
            self._turn(at, 0)
        return len(wrong)

    def _turn(self, at: int, state: int) -> str:
        self.lines[at].turn(state)
        self.now[at] = state
        return f"{self.lines[at].name}: {self.lines[at].states[state]}"


class PracticeList(Widget, can_focus=True):
    """The lines, those that are not sound marked."""

    DEFAULT_CSS = "PracticeList { width: 1fr; height: 1fr; }"

    def __init__(self, book: PracticeBook, palette: Palette) -> None:
        super().__init__(id="practice")
        self.book = book
        self.palette = palette
        self.at = 0
        self._border = BoxBorder()

    def move(self, rows: int) -> None:
        """Another line."""
        self.at = max(0, min(len(self.book.lines) - 1, self.at + rows))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, height = self.size.width, self.size.height
        if y == 0:
            title: list[Piece] = [("Practice: what goes wrong at the paper venue", "title-focus")]
            return self._border.title(title, width, self.palette, True, True)
        if y == height - 1:
            return self._border.bottom(width, self.palette)
        # A window of few lines keeps the cursor in sight.
        at = max(0, self.at - (height - 3)) + y - 1
        if at >= len(self.book.lines):
            return self._border.inside([], width, self.palette)
        return self._border.inside(self._line(at), width, self.palette)

    def _line(self, at: int) -> list[Piece]:
        line, state = self.book.lines[at], self.book.now[at]
        role = "strong" if at == self.at else "text"
        pointer, sign = "▸" if at == self.at else " ", "●" if state else "○"
        return [
            (f"{pointer}{sign} ", "accent"),
            (f"{line.name:<18}", role),
            (line.states[state], "warn" if state else "dim"),
        ]


class PracticeScreen(Placing, ModalScreen[None]):
    """The list at the right, so that the desk stays in sight."""

    DEFAULT_CSS = "PracticeScreen { background: transparent; }"
    ESCAPE_TO_MINIMIZE = False

    def __init__(self, book: PracticeBook, palette: Palette, covered: int) -> None:
        super().__init__()
        self.body = PracticeList(book, palette)
        self._covered = covered

    def compose(self) -> ComposeResult:
        yield self.body

    def on_mount(self) -> None:
        self.body.focus()

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(WIDTH, size.width)
        top = min(self._covered, max(0, size.height - 5))
        height = max(1, min(size.height - top, len(self.body.book.lines) + 2))
        return {"practice": Region(size.width - width, top, width, height)}
