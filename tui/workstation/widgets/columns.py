"""Column chooser of a pane: a list over the screen; changes are visible behind it at once."""

from __future__ import annotations

from collections.abc import Callable

from tui.workstation.input.scopes import Scope
from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.list_modal import ListBody, SideList


class ColumnList(ListBody):
    """List of all fields of one pane; those that are shown are marked."""

    def __init__(self, table: LiveTable, palette: Palette, chosen: Callable[[LiveTable, ColumnChoice], None]) -> None:
        super().__init__("columns", palette)
        self.table = table
        self._chosen = chosen
        self._names = list(table.pane.fields)

    @property
    def count(self) -> int:
        return len(self._names)

    def title_pieces(self) -> list[Piece]:
        return [(f"Columns of {self.table.pane.title}", "title-focus")]

    def title_end(self) -> list[Piece]:
        return [("Esc closes", "dim")]

    def toggle(self) -> None:
        """Show or hide a column; the last column cannot be hidden."""
        name, choice = self._names[self.at], self.table.pane.choice
        on_screen = self.table.column_ids()
        if name in on_screen and len(on_screen) > 1:
            shown = tuple(field for field in choice.shown if field != name)
            self._take(ColumnChoice(shown, choice.hidden | {name}))
        elif name not in on_screen:
            shown = (*(field for field in choice.shown if field != name), name)
            self._take(ColumnChoice(shown, choice.hidden - {name}))

    def reset(self) -> None:
        """Return to the default columns that fit the width."""
        self._take(ColumnChoice())

    def _take(self, choice: ColumnChoice) -> None:
        self._chosen(self.table, choice)
        self.refresh()

    def item(self, at: int) -> list[Piece]:
        name, pane = self._names[at], self.table.pane
        field = pane.fields[name]
        shown = name in self.table.column_ids()
        sign = "●" if shown else "○"
        why = "hidden" if name in pane.choice.hidden else "" if shown or name not in pane.choice.shown else "no room"
        role = "strong" if at == self.at else "text" if shown else "dim"
        pointer = "▸" if at == self.at else " "
        return [(f"{pointer}{sign} ", "accent"), (f"{name:<14}", role), (f"{field.width:>3} cells  {why}", "faint")]


class ColumnsScreen(SideList[ColumnList]):
    """Column chooser dialog, placed beside its pane."""

    scope = Scope.COLUMNS

    def __init__(self, table: LiveTable, palette: Palette, chosen: Callable[[LiveTable, ColumnChoice], None]) -> None:
        super().__init__(ColumnList(table, palette, chosen))
