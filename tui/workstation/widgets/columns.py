"""Column chooser of a pane: a list over the screen; changes are visible behind it at once."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from tui.workstation.input.scopes import Scope
from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.table.columns import order_names
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.list_modal import ListBody, SideList


class ColumnList(ListBody):
    """List of all columns a pane can show, the shown ones marked, in which the trader chooses them."""

    def __init__(self, table: LiveTable, palette: Palette, chosen: Callable[[LiveTable, ColumnChoice], None]) -> None:
        super().__init__("columns", palette)
        self.table = table
        self._chosen = chosen

    @property
    def _names(self) -> list[str]:
        """Names of the pane's columns from left to right, shown or not."""
        return order_names(self.table.pane.fields, self.table.pane.choice.order)

    @property
    def count(self) -> int:
        return len(self.table.pane.fields)

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
            self._take(ColumnChoice(shown, choice.hidden | {name}, choice.order))
        elif name not in on_screen:
            shown = (*(field for field in choice.shown if field != name), name)
            self._take(ColumnChoice(shown, choice.hidden - {name}, choice.order))

    def shift(self, by: int) -> None:
        """Move the column under the cursor to the left or to the right, past the next column that is shown."""
        names, on_screen = self._names, self.table.column_ids()
        others = names[: self.at][::-1] if by < 0 else names[self.at + 1 :]
        past = next((name for name in others if name in on_screen), others[0] if others else "")
        if not past:
            return
        name = names.pop(self.at)
        self.at = names.index(past) + (by > 0)
        names.insert(self.at, name)
        self._take(replace(self.table.pane.choice, order=tuple(names)))

    def reset(self) -> None:
        """Return to the default columns that fit the width, in their usual order."""
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
