"""Faults of the paper venue to practise with: a list over the desk, one key turns a line to its next state."""

from __future__ import annotations

from collections.abc import Sequence

from tui.workstation.commands.launcher_services import Practice
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.placement import Beside
from tui.workstation.widgets.list_modal import ListBody, SideList


class PracticeBook:
    """Faults that can be practised, and those that are on; one book for the life of the program."""

    def __init__(self, lines: Sequence[Practice]) -> None:
        self.lines = tuple(lines)
        self.now = [0] * len(self.lines)

    def next(self, at: int) -> str:
        """Turn one line to its next state; says which, and which one comes after it."""
        said = self._turn(at, self._after(at))
        return f"{said} · next: {self.lines[at].states[self._after(at)]}"

    def _after(self, at: int) -> int:
        return (self.now[at] + 1) % len(self.lines[at].states)

    @property
    def running(self) -> list[str]:
        """Names of the lines that are not sound."""
        return [line.name for line, state in zip(self.lines, self.now, strict=True) if state]

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


class PracticeList(ListBody):
    """The lines, those that are not sound marked."""

    def __init__(self, book: PracticeBook, palette: Palette) -> None:
        super().__init__("practice", palette)
        self.book = book

    @property
    def count(self) -> int:
        return len(self.book.lines)

    def title_pieces(self) -> list[Piece]:
        return [("Practice: what goes wrong at the paper venue", "title-focus")]

    def item(self, at: int) -> list[Piece]:
        line, state = self.book.lines[at], self.book.now[at]
        role = "strong" if at == self.at else "text"
        pointer, sign = "▸" if at == self.at else " ", "●" if state else "○"
        return [
            (f"{pointer}{sign} ", "accent"),
            (f"{line.name:<18}", role),
            (line.states[state], "warn" if state else "dim"),
        ]


class PracticeScreen(SideList[PracticeList]):
    """The faults, below the status, which says that they are on."""

    scope = Scope.PRACTICE
    beside = Beside.STATUS

    cells = 58

    def __init__(self, book: PracticeBook, palette: Palette) -> None:
        super().__init__(PracticeList(book, palette))
