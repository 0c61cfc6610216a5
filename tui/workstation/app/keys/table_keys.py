"""Handlers of keys that arrange a pane: sorting, filter, symbol search, columns, marks, views."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial

from tui.engine.event_line import Level
from tui.workstation.app.desk_panes import DeskPanes
from tui.workstation.commands.availability import NO_LIST, Blocks, no_room
from tui.workstation.commands.context import Context, no_row
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.display_context import Valuation
from tui.workstation.model.event_levels import Stay
from tui.workstation.model.instruments import full_name
from tui.workstation.model.screen_preferences import ColumnChoice, ScreenPreferences
from tui.workstation.table.live_table import LiveTable
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.row_filter import NO_FILTER, BadFilter, Filter, parse
from tui.workstation.widgets.columns import ColumnsScreen

NOTHING_OPEN = "nothing is open here: ⟦pane.1⟧ shows the quotes, Ctrl+Q quits"


class TableKeys:
    """Keys that change which rows of a pane are shown, and how; they never send an order."""

    def __init__(
        self,
        context: Context,
        panes: DeskPanes,
        preferences: ScreenPreferences,
    ) -> None:
        self._context = context
        self._panes = panes
        self._preferences = preferences
        self._selected_before: str | None = None
        """Row of the cursor before the filter line was opened."""

    @property
    def _table(self) -> LiveTable | None:
        return self._context.table

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "sort.next": self.sort_next,
            "sort.back": self.sort_back,
            "sort.usual": self.sort_as_usual,
            "filter.open": self.filter_open,
            "filter.take": self.filter_take,
            "filter.leave": self.filter_leave,
            "filter.down": partial(self._move_match, 1),
            "filter.up": partial(self._move_match, -1),
            "quote.drop": self.quote_drop,
            "columns.open": self.columns_open,
            "columns.toggle": self.columns_toggle,
            "columns.reset": self.columns_reset,
            "columns.left": partial(self._shift_column, -1),
            "columns.right": partial(self._shift_column, 1),
            "row.mark": self.row_mark,
            "row.range": self.row_range,
            "result.view": self.result_view,
            "pnl.curve": self.pnl_curve,
            "pane.zoom": self._context.main_screen.zoom,
            "pane.close": self.pane_close,
        }

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        return {
            **dict.fromkeys(("filter.open", "columns.open"), self._list_block),
            "pane.zoom": partial(no_room, self._context),
            **dict.fromkeys(("row.mark", "row.range"), no_row),
            "quote.drop": self._drop_block,
        }

    def _list_block(self, table: LiveTable | None) -> str:
        return no_room(self._context) or ("" if table is not None else NO_LIST)

    def _drop_block(self, table: LiveTable | None) -> str:
        quotes = self._panes.quotes
        sym = quotes.sym(table.selected) if table is not None and table.selected is not None else ""
        if sym and quotes.can_drop(sym):
            return ""
        return "select a single symbol to remove it from the quotes; the last symbol cannot be removed"

    # Sorting

    def sort_next(self) -> None:
        if (table := self._table) is not None:
            table.pane.sort_next(table.columns)
            table.rearrange()

    def sort_back(self) -> None:
        if (table := self._table) is None:
            return
        if table.pane.sort_back():
            table.rearrange()
        else:
            self._context.say(
                "the list is in its usual order: ⟦sort.next⟧ sorts by a column, then ⟦sort.back⟧ reverses it"
            )

    def sort_as_usual(self) -> None:
        if (table := self._table) is not None:
            table.pane.sort_by(None)
            table.rearrange()

    # Filter and symbol search

    def filter_open(self) -> None:
        table, quotes = self._table, self._panes.quotes
        if table is None:
            return
        self._selected_before = table.selected
        if table.pane is quotes:
            quotes.show_all(on=True)
            table.rearrange()
        screen = self._context.list_screen
        screen.filter_field.changed = self.filter_typed
        screen.open_filter(table)

    def filter_typed(self) -> None:
        """Apply the filter while it is typed; the title names a term that cannot be parsed."""
        table = self._context.list_screen.filtered
        if table is None:
            return
        try:
            row_filter = parse(self._context.list_screen.filter_field.value)
        except BadFilter as error:
            table.title_instead = [(str(error), "warn")]
            table.refresh_title()
            return
        table.title_instead = None
        self._show(table, row_filter)

    def _show(self, table: LiveTable, row_filter: Filter) -> None:
        table.pane.filter = row_filter
        table.rearrange()
        if table.row_count and (table.selected is None or row_filter.bare):
            table.select_first_symbol()

    def filter_take(self) -> None:
        """Keep the typed filter and close its line; in the quotes, select the symbol found and add it to the list."""
        screen = self._context.list_screen
        table = screen.filtered
        if table is None:
            return
        picked = table.selected
        if table.pane is self._panes.quotes:
            if table.pane.filter.terms and table.pane.filter.bare:
                if not table.row_count:
                    typed = screen.filter_field.value.strip()
                    self._context.refuse(f"no pair matches {typed}: change it, or Esc closes the search")
                    return
                table.pane.filter = NO_FILTER
            self._list_picked(picked)
        self._close_filter(table)
        table.select(picked)

    def _list_picked(self, picked: str | None) -> None:
        quotes = self._panes.quotes
        sym = quotes.sym(picked) if picked is not None else ""
        listed = bool(sym) and quotes.add(sym)
        quotes.show_all(on=False)
        if listed:
            self._save_quotes()
            self._context.say(f"{sym} is in the quotes; ⟦quote.drop⟧ removes it")

    def filter_leave(self) -> None:
        """Cancel the filter line; restore the previous filter, and the row of the cursor."""
        screen = self._context.list_screen
        table = screen.filtered
        if table is None:
            return
        table.pane.filter = screen.filter_before
        self._panes.quotes.show_all(on=False)
        self._close_filter(table)
        if self._selected_before is not None:
            table.select(self._selected_before)

    def _close_filter(self, table: LiveTable) -> None:
        table.title_instead = None
        table.rearrange()
        self._context.list_screen.close_filter()

    def _move_match(self, rows: int) -> None:
        if (table := self._context.list_screen.filtered) is not None:
            table.move(rows)

    def quote_drop(self) -> None:
        """Remove the selected symbol from the list of quotes, save the list, and say which keys add it again."""
        table, quotes = self._table, self._panes.quotes
        sym = quotes.sym(table.selected) if table is not None and table.selected is not None else ""
        if table is None or not quotes.drop(sym):
            return
        table.rearrange()
        self._save_quotes()
        typed = full_name(sym).lower()
        self._context.say(
            f"{full_name(sym)} was removed from the quotes: ⟦filter.open⟧ then {typed} then Enter brings it back"
        )

    def _save_quotes(self) -> None:
        self._preferences.keep_quotes(self._panes.quotes.listed)
        self._preferences.save()

    # Columns

    def columns_open(self) -> None:
        screen, table = self._context.list_screen, self._table
        if table is not None:
            self._context.open_modal(ColumnsScreen(table, screen.palette, self._choose))

    def restore_columns(self, pane: AnyPane) -> None:
        """Restore the stored column choice of a list on a full screen."""
        pane.restore_columns(self._preferences.choice)
        self._report(self._preferences.check_columns(pane.column_names()))

    def report_unknown_panes(self, panes: Collection[str]) -> None:
        """Report pane names in the preferences that do not exist; `panes` are the ids of all panes."""
        self._report(self._preferences.check_panes(panes))

    def _report(self, warnings: Iterable[str]) -> None:
        for warning in warnings:
            self._context.say(warning, Level.WARN, stay=Stay.PUSHED_OUT)

    def _choose(self, table: LiveTable, choice: ColumnChoice) -> None:
        table.pane.choose(choice)
        table.rearrange()
        if not table.pane.columns_id:
            return
        self._preferences.remember(table.pane.columns_id, choice)
        self._preferences.save()

    @property
    def _columns_screen(self) -> ColumnsScreen | None:
        return self._context.modal(ColumnsScreen)

    def columns_toggle(self) -> None:
        if (screen := self._columns_screen) is not None:
            screen.body.toggle()

    def _shift_column(self, by: int) -> None:
        if (screen := self._columns_screen) is not None:
            screen.body.shift(by)

    def columns_reset(self) -> None:
        if (screen := self._columns_screen) is not None:
            screen.body.reset()

    # Search result

    def go_to_pair(self, sym: str) -> None:
        """Add a pair to the quotes list, show the quotes and select the pair."""
        main_screen = self._context.main_screen
        table = main_screen.tables["quotes"]
        if self._panes.quotes.add(sym):
            self._save_quotes()
            self._context.say(f"{sym} is in the quotes; ⟦quote.drop⟧ removes it")
        table.rearrange()
        if not table.holds(sym):
            table.pane.filter = NO_FILTER
            table.rearrange()
        main_screen.show_pane("quotes")
        table.select(sym)

    # Marks, views, size

    def row_mark(self) -> None:
        if (table := self._table) is not None:
            table.marked.toggle()
            table.flush()

    def row_range(self) -> None:
        table = self._table
        if table is not None and table.marked.mark_range():
            self._context.say("a range of rows begins here: move, then ⟦row.range⟧ marks all up to there")

    def result_view(self) -> None:
        """Switch the valuation of unrealised results (mark, last, exit), or the grouping of realised ones."""
        table, view = self._table, self._context.view
        if table is None:
            return
        if table.pane is self._panes.pnl:
            self._panes.pnl.sum_by_next()
        else:
            order = list(Valuation)
            view.result = order[(order.index(view.result) + 1) % len(order)]
        table.rearrange()

    def pnl_curve(self) -> None:
        """Draw the other curve (account equity or realised result) below the P&L rows."""
        table = self._table
        if table is not None and table.pane is self._panes.pnl:
            pane = self._panes.pnl
            pane.show_next_curve()
            table.rearrange()
            if not pane.draw_below(table.outer_size.width - 2, table.body_height - max(1, table.row_count)):
                self._context.ignore(
                    f"this pane is too small for the curve of {pane.curve}: ⟦pane.zoom⟧ shows this pane alone"
                )

    def step_back(self) -> bool:
        """Clear the marks of the focused list, else its filter; return False when there was neither."""
        table = self._table
        if table is None or table.marked.unmark_all():
            return table is not None
        if not table.pane.filter.terms:
            return False
        table.pane.filter = NO_FILTER
        table.rearrange()
        return True

    def pane_close(self) -> None:
        """Go back one step: clear the marks, else the filter, else the zoom; the focus stays where it is."""
        main_screen = self._context.main_screen
        if self.step_back():
            return
        if main_screen.zoomed:
            main_screen.zoom()
        else:
            self._context.ignore(NOTHING_OPEN)
