"""Dialog of the first starts: what to begin with, over the desk whose figures go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from textual.geometry import Region, Size

from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.widgets.list_modal import EDGES, ListBody, SideList
from tui.workstation.widgets.question import Beside


class WelcomeChoice(NamedTuple):
    """Choice of the welcome."""

    id: str
    title: str
    about: str


PAPER = WelcomeChoice("paper", "Practise on paper", "play money; nothing leaves this machine")
CONNECT = WelcomeChoice("connect", "Connect a service", "a form tests each step; nothing is sent")
LOOK = WelcomeChoice("look", "Look only", "nothing can be sent until the next start")
NEVER = WelcomeChoice("never", "Do not show this again", "the palette (⟦palette.open⟧) opens it: welcome")
CHOICES = (PAPER, CONNECT, LOOK, NEVER)
FOOT_LINES = 2
"""Lines below the choices: an empty one, and the keys that explain the desk."""
TITLE_CELLS = 23


class WelcomeList(ListBody):
    """List of the welcome's choices with a line about each; the cursor begins at practice on paper."""

    def __init__(self, palette: Palette, name_keys: Callable[[str], str]) -> None:
        """Initialize the list; `name_keys` puts keys into a text that names actions by their ids in brackets."""
        super().__init__("welcome", palette)
        self._name_keys = name_keys

    @property
    def count(self) -> int:
        return len(CHOICES)

    @property
    def rows(self) -> int:
        return max(1, self.inner_height - FOOT_LINES)

    @property
    def chosen(self) -> WelcomeChoice:
        """Choice under the cursor."""
        return CHOICES[self.at]

    def title_pieces(self) -> list[Piece]:
        return [("Welcome to crossdesk", "title-focus")]

    def title_end(self) -> list[Piece]:
        return [("Esc closes", "dim")]

    def item(self, at: int) -> list[Piece]:
        choice, here = CHOICES[at], at == self.at
        return [
            ("▸ " if here else "  ", "accent"),
            (f"{choice.title:<{TITLE_CELLS}}", "strong" if here else "text"),
            (self._name_keys(choice.about), "text" if here else "dim"),
        ]

    def build_lines(self) -> list[list[Piece]]:
        return [*super().build_lines(), [], self._foot()]

    def _foot(self) -> list[Piece]:
        """Build the line with the keys of the tour and of the list of all keys."""
        tour = self._name_keys(": ⟦tour.open⟧")[2:]
        pieces: list[Piece] = (
            [(f" {tour}", "key"), (" tour of seven steps on paper   ", "dim")] if tour else [(" ", "dim")]
        )
        return [*pieces, ("?", "key"), (" all keys", "dim")]


class WelcomeScreen(SideList[WelcomeList]):
    """Dialog below the status line, so that the quotes behind it can be seen to move."""

    scope = Scope.WELCOME
    beside = Beside.STATUS

    cells = 72

    def __init__(self, palette: Palette, name_keys: Callable[[str], str]) -> None:
        super().__init__(WelcomeList(palette, name_keys))

    def placements(self, size: Size) -> dict[str, Region]:
        return self.place(size, min(self.cells, size.width), self.body.count + FOOT_LINES + EDGES)
