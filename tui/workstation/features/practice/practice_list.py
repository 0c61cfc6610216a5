"""Dialog with the paper venue's faults; a key switches a fault to its next state."""

from __future__ import annotations

from collections.abc import Sequence

from tui.workstation.commands.launcher_services import Practice
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.widgets.list_modal import ListBody, SideList
from tui.workstation.widgets.question import Beside


class PracticeFaults:
    """Faults for practice and their current states; one instance per program."""

    def __init__(self, lines: Sequence[Practice]) -> None:
        self.lines = tuple(lines)
        self.now = [0] * len(self.lines)

    def next(self, at: int) -> str:
        """Switch a fault to its next state; return that state and the one after it."""
        text = self._turn(at, self._after(at))
        return f"{text} · next: {self.lines[at].states[self._after(at)]}"

    def previous(self, at: int) -> str:
        """Switch a fault back to its previous state; return that state and the one before it."""
        text = self._turn(at, self._before(at))
        return f"{text} · before: {self.lines[at].states[self._before(at)]}"

    def _after(self, at: int) -> int:
        return (self.now[at] + 1) % len(self.lines[at].states)

    def _before(self, at: int) -> int:
        return (self.now[at] - 1) % len(self.lines[at].states)

    @property
    def running(self) -> list[str]:
        """Names of the active faults."""
        return [line.name for line, state in zip(self.lines, self.now, strict=True) if state]

    def stop_all(self) -> int:
        """Switch all faults off; return how many were active."""
        running = [at for at, state in enumerate(self.now) if state]
        for at in running:
            self._turn(at, 0)
        return len(running)

    def _turn(self, at: int, state: int) -> str:
        self.lines[at].turn(state)
        self.now[at] = state
        return f"{self.lines[at].name}: {self.lines[at].states[state]}"


class PracticeList(ListBody):
    """List of faults, with the active ones marked."""

    def __init__(self, faults: PracticeFaults, palette: Palette) -> None:
        super().__init__("practice", palette)
        self.faults = faults

    @property
    def count(self) -> int:
        return len(self.faults.lines)

    def title_pieces(self) -> list[Piece]:
        return [("Practice: faults of the paper venue", "title-focus")]

    def item(self, at: int) -> list[Piece]:
        line, state = self.faults.lines[at], self.faults.now[at]
        role = "strong" if at == self.at else "text"
        pointer, sign = "▸" if at == self.at else " ", "●" if state else "○"
        return [
            (f"{pointer}{sign} ", "accent"),
            (f"{line.name:<18}", role),
            (line.states[state], "warn" if state else "dim"),
        ]


class PracticeScreen(SideList[PracticeList]):
    """Dialog with the faults, below the status line that names the active ones."""

    scope = Scope.PRACTICE
    beside = Beside.STATUS

    cells = 58

    def __init__(self, faults: PracticeFaults, palette: Palette) -> None:
        super().__init__(PracticeList(faults, palette))
