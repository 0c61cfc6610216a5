"""Which columns a pane shows: a list over the desk, changed with one key, seen at once behind it."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.render.absolute_layout import Placing
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.table.live_table import LiveTable

WIDTH = 44


class ColumnList(Widget, can_focus=True):
    """All fields of one pane, those on the screen marked."""

    DEFAULT_CSS = "ColumnList { width: 1fr; height: 1fr; }"

    def __init__(self, table: LiveTable, palette: Palette, chosen: Callable[[LiveTable, ColumnChoice], None]) -> None:
        super().__init__(id="columns")
        self.table = table
        self.palette = palette
        self._chosen = chosen
        self._names = list(table.pane.fields)
        self._at = 0
        self._first = 0
        self._border = BoxBorder()

    def move(self, rows: int) -> None:
        """Another column."""
        self._at = max(0, min(len(self._names) - 1, self._at + rows))
        height = max(1, self.size.height - 2)
        self._first = max(min(self._first, self._at), self._at - height + 1)
        self.refresh()

    def toggle(self) -> None:
        """Show the column or hide it; the last one stays."""
        name, choice = self._names[self._at], self.table.pane.choice
        on_screen = self.table.column_ids()
        if name in on_screen and len(on_screen) > 1:
            shown = tuple(one for one in choice.shown if one != name)
            self._take(ColumnChoice(shown, choice.hidden | {name}))
        elif name not in on_screen:
            shown = (*(one for one in choice.shown if one != name), name)
            self._take(ColumnChoice(shown, choice.hidden - {name}))

    def reset(self) -> None:
        """What the width gives by itself."""
        self._take(ColumnChoice())

    def _take(self, choice: ColumnChoice) -> None:
        self._chosen(self.table, choice)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, height = self.size.width, self.size.height
        if y == 0:
            title: list[Piece] = [(f"Columns of {self.table.pane.title}", "title-focus")]
            return self._border.title(title, width, self.palette, True, True, [("Esc closes", "dim")])
        if y == height - 1:
            return self._border.bottom(width, self.palette)
        at = self._first + y - 1
        if at >= len(self._names):
            return self._border.inside([], width, self.palette)
        return self._border.inside(self._line(at), width, self.palette)

    def _line(self, at: int) -> list[Piece]:
        name, pane = self._names[at], self.table.pane
        field = pane.fields[name]
        shown = name in self.table.column_ids()
        sign = "●" if shown else "○"
        why = "hidden" if name in pane.choice.hidden else "" if shown or name not in pane.choice.shown else "no room"
        role = "strong" if at == self._at else "text" if shown else "dim"
        pointer = "▸" if at == self._at else " "
        return [(f"{pointer}{sign} ", "accent"), (f"{name:<14}", role), (f"{field.width:>3} cells  {why}", "faint")]


class ColumnsScreen(Placing, ModalScreen[None]):
    """The list at the right, so that the pane stays in sight."""

    DEFAULT_CSS = "ColumnsScreen { background: transparent; }"
    ESCAPE_TO_MINIMIZE = False

    def __init__(
        self, table: LiveTable, palette: Palette, covered: int, chosen: Callable[[LiveTable, ColumnChoice], None]
    ) -> None:
        super().__init__()
        self.body = ColumnList(table, palette, chosen)
        self._covered = covered

    def compose(self) -> ComposeResult:
        yield self.body

    def on_mount(self) -> None:
        self.body.focus()

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(WIDTH, size.width)
        top = min(self._covered, max(0, size.height - 5))
        height = max(1, min(size.height - top, len(self.body.table.pane.fields) + 2))
        return {"columns": Region(size.width - width, top, width, height)}
