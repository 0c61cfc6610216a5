"""Dialog with things that have names: chosen from a list, and named in its last line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from textual.geometry import Region, Size

from tui.workstation.input.line_editor import LineEditor
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.widgets.list_modal import EDGES, ListBody, SideList
from tui.workstation.widgets.question import Beside

OWN_LINES = 1
"""Lines of the box besides entries: the name that is typed, or what is wrong with it."""


class NamedEntry(NamedTuple):
    """Line of a list of names, such as of layouts: name and description."""

    name: str
    about: str
    own: bool = False
    """Whether the trader made or changed it."""


def find_name_fault(name: str, taken: Collection[str], most: int) -> str:
    """Return why a typed name cannot be used (empty, taken, too many); empty if it can.

    Args:
        name: Typed name.
        taken: Names that are there.
        most: Most names.
    """
    if not name or not name.isprintable():
        return "type a name"
    if name in taken:
        return "this name is in use: choose another"
    return f"at most {most} of them: delete one first" if len(taken) >= most else ""


class NameList(ListBody):
    """Body of a dialog with a list of names; a new name is typed in its last line."""

    def __init__(self, title: str, palette: Palette, most: int, preview: Callable[[str], None]) -> None:
        """Initialize an empty list.

        Args:
            title: Title of the box; also the id of the widget, in lower case.
            palette: Colours.
            most: Most letters of a name.
            preview: Called with the name under the cursor when it has moved.
        """
        super().__init__(title.lower(), palette)
        self._title, self._most, self._preview = title, most, preview
        self._line: LineEditor | None = None
        self._named: Callable[[str], str] = lambda _: ""
        self._label = ""
        self._answer = ""
        self.lines: Sequence[NamedEntry] = ()

    def show(self, lines: Sequence[NamedEntry], name: str) -> None:
        """Show these lines, with the cursor on a name."""
        self.lines = lines
        self.at = next((at for at, line in enumerate(lines) if line.name == name), 0)
        self.refresh()

    @property
    def count(self) -> int:
        return len(self.lines)

    @property
    def rows(self) -> int:
        return max(1, self.inner_height - OWN_LINES)

    @property
    def chosen(self) -> NamedEntry | None:
        """Line under the cursor; None while the list is empty."""
        return self.lines[self.at] if self.lines else None

    def move(self, by: int) -> None:
        before = self.at
        super().move(by)
        if self.at != before and self.chosen is not None:
            self._preview(self.chosen.name)

    # Name

    @property
    def editor(self) -> LineEditor | None:
        return self._line

    def ask_name(self, label: str, text: str, take: Callable[[str], str]) -> None:
        """Open the last line for typing a name, with a label and a first text; `take` receives the name.

        Args:
            label: Words before the name.
            text: Name to begin with.
            take: Called with the name; returns why it cannot be used, or an empty text.
        """
        self._line, self._label, self._named, self._answer = LineEditor(text, self._most), label, take, ""
        self.refresh()

    def take_name(self) -> None:
        """Use the typed name and close its line; if it cannot be used, keep the line open and show the reason."""
        if self._line is None:
            return
        self._answer = self._named(self._line.text.strip())
        if not self._answer:
            self._line = None
        self.refresh()

    def leave_name(self) -> None:
        """Close the line in which a name is typed, without using the name."""
        self._line, self._answer = None, ""
        self.refresh()

    def say(self, answer: str) -> None:
        self._answer = answer
        self.refresh()

    # Lines

    def title_pieces(self) -> list[Piece]:
        return [(self._title, "title-focus")]

    def build_lines(self) -> list[list[Piece]]:
        return [*super().build_lines(), self._last_line()]

    def item(self, at: int) -> list[Piece]:
        line, here = self.lines[at], at == self.at
        role, widest = "strong" if here else "text", max(len(line.name) for line in self.lines)
        sign: Piece = ("● " if line.own else "  ", "accent")
        return [("▸ " if here else "  ", "accent"), sign, (f"{line.name:<{widest}}  ", role), (line.about, "dim")]

    def _last_line(self) -> list[Piece]:
        if self._line is None:
            return [(f"  {self._answer}", "warn")]
        typed: Piece = (self._line.visible_text(self._most + 1), "strong")
        return [(f"  {self._label}: ", "dim"), typed, (f"  {self._answer}", "warn")]


class NameScreen(SideList[NameList]):
    """Dialog with a list of names, at the edge of the main screen so that this can be seen."""

    beside = Beside.STATUS
    cells = 58

    def __init__(self, scope: Scope, body: NameList) -> None:
        super().__init__(body)
        self._list_scope = scope

    @property
    def scope(self) -> Scope:  # type: ignore[override]
        """Scope of the keys: that of typing while a name is typed, else that of the list."""
        return Scope.NAME if self.body.editor is not None else self._list_scope

    def placements(self, size: Size) -> dict[str, Region]:
        return self.place(size, self.cells, self.body.count + OWN_LINES + EDGES)
