"""Base class of panes: fields, ordered keys, rows by key, and the text of an empty list."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import msgspec

from tui.engine.rows import OrderRow, Table
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.render.pieces import Piece
from tui.workstation.table import columns
from tui.workstation.table.columns import Cell, Column, Fields
from tui.workstation.table.raw_facts import raw_facts
from tui.workstation.table.row_filter import NO_FILTER, Filter, FilterFacts

if TYPE_CHECKING:
    from tui.engine.service_query import ServiceQuery

R = TypeVar("R")


class Sorting(msgspec.Struct, frozen=True):
    """Column that a pane is sorted by, instead of its default order."""

    column: str
    title: str
    descending: bool


UNSURE = "rows that can be UNKNOWN"
"""Kind of panes with orders or commands whose outcome can be unknown, used by actions."""


class ChangedRows(NamedTuple):
    """Rows that a change in an engine table affects, and whether rows may have changed their order."""

    keys: Iterable[str]
    may_move: bool
    """Whether rows may have come, gone or changed places."""


NO_ROWS = ChangedRows((), may_move=False)


def find_rows_of_table(table: Table, keys: Iterable[str], own: Table, rows: Iterable[str]) -> ChangedRows:
    """Return the rows to redraw: if the changed table is the pane's `own`, those with `keys`, else all rows."""
    return ChangedRows(keys, may_move=True) if table is own else ChangedRows(list(rows), may_move=False)


class TitleTexts(NamedTuple):
    """Texts of a pane's title as kept while the screen is frozen."""

    counts: list[Piece]
    short: str
    long: str


class Pane(ABC, Generic[R]):
    """Model of a pane: a list of rows with columns, filter, sorting and title, shown by a table widget."""

    id: ClassVar[str] = ""
    title: ClassVar[str] = ""
    kinds: ClassVar[tuple[str, ...]] = ()
    """Kinds of rows, by which actions shared by several panes refer to it."""
    number: ClassVar[int] = 0
    """Key that jumps to the pane; 0: reached by `(` and `)`."""
    at_risk: ClassVar[bool] = False
    """Whether its rows are live at the service: their number stays in its tab where others lose theirs."""
    feeds: ClassVar[frozenset[Table]] = frozenset()
    """Tables whose changes can change rows of the pane."""
    priced_by: ClassVar[frozenset[Table]] = frozenset()
    """Those of them that alter figures of rows, not which rows there are or their order: only rows in view are drawn."""
    rows_of: ClassVar[Table | None] = None
    """Table that holds the pane's rows: its changes touch only cells computed from the changed part (`Field.of`)."""
    needs_snapshot: ClassVar[bool] = True
    """Whether the pane shows rows only after the first complete snapshot."""
    ages: ClassVar[bool] = True
    """Whether cells change with time."""
    follows_tail: ClassVar[bool] = False
    ranked_by_time: ClassVar[bool] = False
    """Whether rows come, go or move with time."""
    total_from: ClassVar[int] = 4
    """Rows that must fit beside the totals line before it is shown, when there are more rows."""
    views: ClassVar[tuple[str, ...]] = ()
    """Names of the views, the default first; empty: a single view."""
    names_views: ClassVar[bool] = False
    """Whether the title itself names the view."""
    personal_columns: ClassVar[frozenset[str] | None] = None
    """Columns with figures of the account, where all others have those of the market alone; None: all columns."""
    sorts: ClassVar[bool] = True
    """Whether a click on a column head sorts."""
    lists_events: ClassVar[bool] = False
    """Whether the rows are events."""

    def __init__(self, view: DisplayContext) -> None:
        self.view = view
        self.view_at = 0
        """Index of the shown view."""
        self.sorting: Sorting | None = None
        self.filter: Filter = NO_FILTER
        self._held_texts: TitleTexts | None = None
        self.choice = ColumnChoice()
        self.kept_choice: Callable[[str], ColumnChoice] = lambda _: ColumnChoice()
        """Stored choice of columns of a list, by its `columns_id`."""
        self.choices = 0
        """Counter of column choices; a change starts a new layout."""
        self.lines = 0
        """Lines that the table has for rows."""
        self.filtered_out = 0
        """Rows the filter removed in the last arrangement."""

    @property
    @abstractmethod
    def fields(self) -> Fields[R]:
        """All fields of the pane, from left to right."""

    @abstractmethod
    def keys(self) -> list[str]:
        """Return the row keys in the pane's default order."""

    @abstractmethod
    def row(self, key: str) -> R | None:
        """Return the row of a key; None if it was removed."""

    @abstractmethod
    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        """Return the rows affected by changes in an engine table."""

    def find_changed_in_view(self, table: Table, keys: Iterable[str], shown: Sequence[str]) -> Iterable[str]:
        """Return the shown rows whose pair is among the changed keys of a table in `priced_by`."""
        del table
        changed = frozenset(keys)
        return [key for key in shown if self.sym(key) in changed]

    def follow_row(self, index: int | None, count: int) -> int | None:
        """Return -1 if the cursor shall stay on the last row as rows are added, None if it stays on its row.

        Args:
            index: Row of the cursor; None: no cursor yet.
            count: Rows before the others came.
        """
        return -1 if self.follows_tail and (index is None or index >= count - 1) else None

    def looks(self, row: R) -> object:
        """Return a value that influences all cells of a row; if it changes, all cells of the row are formatted again."""
        del row
        return None

    def is_news(self, row: R) -> bool:
        """Return whether a row changed so recently that it is highlighted."""
        del row
        return False

    # Title and empty list

    def hold_title(self, *, held: bool) -> None:
        """Freeze the present texts of the title (`held`), or let the title follow the rows again."""
        self._held_texts = TitleTexts(self.counts(), self.short(), self.long()) if held else None

    @property
    def title_counts(self) -> list[Piece]:
        """Texts after the pane's name in a title without tabs, frozen or current."""
        return self._held_texts.counts if self._held_texts is not None else self.counts()

    @property
    def title_short(self) -> str:
        """Text in the tab of the pane while it is not shown."""
        return self._held_texts.short if self._held_texts is not None else self.short()

    @property
    def title_long(self) -> str:
        """Text in the tab of the pane while it is shown, where there is room."""
        return self._held_texts.long if self._held_texts is not None else self.long()

    def counts(self) -> list[Piece]:
        """Return the styled texts after the pane's name in the title."""
        return [(self.short(), "dim")]

    def short(self) -> str:
        """Return the short text of the pane's tab, by default the row count."""
        return str(len(self.keys()))

    def long(self) -> str:
        """Return the text for the pane's own tab where there is room for more than `short`."""
        return self.short()

    def empty(self) -> str:
        """Return the text shown when the service has confirmed that the list is empty."""
        return "nothing yet"

    def way_to_ticket(self) -> str:
        """Return the text that says how to open a ticket, appended to the text of an empty list that orders would fill."""
        by_key = self.view.name_keys(": ⟦stage.buy⟧ or ⟦stage.sell⟧ on a quote opens a ticket")
        return by_key or self.view.name_keys("; ⟦line.open⟧ opens the command line")

    def describe_no_pair(self) -> str:
        """Return the text of a view of one pair while none is open."""
        return "no pair is open" + self.view.name_keys(": ⟦pair.open⟧ on a quote opens it")

    def why_empty(self) -> str:
        """Explain why no row is shown: filter, loading, error, or no data."""
        mirror = self.view.mirror
        if self.filter.terms and self.filtered_out:
            return f"the filter {self.filter.text} hides all {self.filtered_out} rows"
        if self.follows_tail:
            return self.empty()
        if not mirror.synced_once and self.needs_snapshot:
            if mirror.unreadable:
                return f"{mirror.unreadable}: nothing to show here"
            engine_status = mirror.engine_status
            link = mirror.links.get("private")
            error = (engine_status.engine_error if engine_status is not None else "") or (
                link.error if link is not None else ""
            )
            return f"LOADING {error}".rstrip()
        return self.empty()

    def heading(self, column: Column[R]) -> str:
        """Return the heading of a column."""
        return column.title

    def heading_role(self, column: Column[R]) -> str:
        """Return the colour role of a column heading, by default `header`; another for a heading that shows news."""
        del column
        return "header"

    @property
    def has_totals(self) -> bool:
        """Whether a line below the rows shows totals over all rows, including filtered ones."""
        return False

    def total_cells(self) -> Mapping[str, Cell]:
        """Return the cells of the totals line, by field."""
        return {}

    def total_line(self, cells: int) -> str:
        """Return the totals line as one text of `cells` width; empty to use `total_cells`."""
        del cells
        return ""

    def draw_below(self, cells: int, lines: int) -> list[list[Piece]]:
        """Draw into the empty lines below the rows: at most `lines` lines of `cells` width; nothing by default."""
        del cells, lines
        return []

    def below_version(self) -> object:
        """Return a value that changes when the drawing below the rows must be redone; None if nothing is drawn."""
        return None

    # Facts about a row

    def sym(self, key: str) -> str:
        """Return the symbol of a row, or an empty text."""
        del key
        return ""

    def touch_sym(self, key: str, *, bid: bool) -> str | None:
        """Return the symbol with the best bid or ask in a row that combines venues; None for rows of a single symbol."""
        del key, bid
        return None

    def order_of(self, key: str) -> OrderRow | None:
        """Return the order that a row is about; None if there is none or the pane does not know it."""
        del key
        return None

    def facts(self, key: str) -> FilterFacts | None:
        """Return the values of a row that filter terms are compared with."""
        row = self.row(key)
        return None if row is None else FilterFacts(text=" ".join(self.texts(row)), sym=self.sym(key))

    def texts(self, row: R) -> list[str]:
        """Return the texts that plain words of a filter are searched in: all left-aligned fields."""
        return [field.cell(row, self.view)[0] for field in self.fields.values() if field.left]

    @property
    def sends_to(self) -> str:
        """Venue that the pane's order keys send to, if the pane shows several venues; empty if there is no choice."""
        return ""

    def note_column(self, column: str) -> bool:
        """React to a mouse click in a column; return whether the columns must be drawn again."""
        del column
        return False

    def carries_risk(self, key: str) -> bool:
        """Return whether the row is a working order or open position, so that a filter hiding it must say so."""
        del key
        return False

    def may_leave_view(self, key: str) -> bool:
        """Return whether, without focus, the list may scroll the selected row out of view for more important rows."""
        del key
        return False

    def copy_text(self, key: str) -> str:
        """Return the text of a row for the clipboard."""
        return key

    def card_title(self, key: str) -> str:
        """Return the title of a row's card."""
        sym = self.sym(key)
        return full_name(sym) if sym else key

    def detail_queries(self, key: str) -> tuple[ServiceQuery, ...]:
        """Return the queries to send when a row's card opens; `details` shows their answers."""
        del key
        return ()

    def details(self, key: str) -> list[tuple[str, str]]:
        """Return all fields of the row by name, as the service sent them."""
        return raw_facts(self.row(key))

    # Order and choice

    def sort_by(self, column: Column[R] | None) -> None:
        """Sort by a column, figures from the largest down; None: the default order."""
        name = self.heading(column).strip() if column is not None else ""
        self.sorting = None if column is None else Sorting(column.id, name, not column.field.left)

    def sort_next(self, shown: Sequence[Column[R]]) -> None:
        """Sort by the next of the shown columns; after the last one, return to the default order."""
        columns = [column for column in shown if column.title.strip() or column.field.sort is not None]
        sorted_by = self.sorting.column if self.sorting is not None else ""
        at = next((n for n, column in enumerate(columns) if column.id == sorted_by), -1) + 1
        self.sort_by(columns[at] if at < len(columns) else None)

    def sort_back(self) -> bool:
        """Reverse the sorting; return False in the default order, which cannot be reversed."""
        if (before := self.sorting) is None:
            return False
        self.sorting = Sorting(before.column, before.title, not before.descending)
        return True

    def press_head(self, shown: Sequence[Column[R]], name: str) -> bool:
        """Sort by the column whose head was clicked; the second click reverses it, the third ends it."""
        column, now = next((column for column in shown if column.id == name), None), self.sorting
        if column is None or not self.sorts:
            return False
        if now is None or now.column != name:
            self.sort_by(column)
        elif now.descending is not column.field.left:
            self.sorting = Sorting(now.column, now.title, not now.descending)
        else:
            self.sort_by(None)
        return True

    def arrange_keys(self) -> list[str]:
        """Return the keys as shown: filtered, and sorted by the trader's choice."""
        keys = self.keys()
        before = len(keys)
        if self.filter.terms:
            keys = [key for key in keys if self._passes(key)]
        self.filtered_out = before - len(keys)
        if self.sorting is not None and self.sorting.column in self.fields:
            by_symbol = sorted(keys, key=self.sym)
            column = columns.column(self.fields, self.sorting.column)
            keys = columns.sort_keys(by_symbol, column, self.view, self.row, descending=self.sorting.descending)
        return keys

    def _passes(self, key: str) -> bool:
        facts = self.facts(key)
        return facts is not None and self.filter.passes(facts)

    def hidden(self) -> int:
        """Count the working orders and open positions that the filter hides."""
        if not self.filter.terms:
            return 0
        return sum(1 for key in self.keys() if self.carries_risk(key) and not self._passes(key))

    def newest_working(self) -> str | None:
        """Return the row to select when the list gets the focus; None keeps the selection, as by default."""
        return None

    def own_cursor(self) -> str:
        """Return the row under a cursor that the pane itself keeps; empty if the table keeps the selection."""
        return ""

    def note_cursor_hidden(self) -> None:
        """React when the table is no longer shown; nothing by default."""

    def note_selection(self, key: str) -> None:
        """React when the trader selects another row; nothing by default."""
        del key

    def note_cursor_drawn(self, key: str, line: int, at: float) -> None:
        """React when the selected row was drawn on a line of the table, at a time of the key events' clock, s."""
        del key, line, at

    def successor(self, key: str, keys: Sequence[str], place: int) -> str:
        """Return the row to select instead when no action is possible on the selected row; empty keeps the selection.

        Args:
            key: Selected row.
            keys: Rows now.
            place: Former index of the selection.
        """
        del key, keys, place
        return ""

    @property
    def rearranges(self) -> bool:
        """Whether the order of rows can change although no row changes."""
        return self.ranked_by_time or self.sorting is not None or bool(self.filter.terms)

    def cycle_view(self, steps: int) -> bool:
        """Show the next or previous view of the pane; return False if there is only one."""
        if len(self.views) < 2:
            return False
        self.view_at = (self.view_at + steps) % len(self.views)
        return True

    def describe_view(self) -> str:
        """Return the message for choosing the present view, with the key back; empty if the list itself shows the view."""
        return ""

    def columns(self, inside: int) -> tuple[Column[R], ...]:
        """Choose the columns that fit a width, independent of the rows."""
        return columns.choose_columns(self.fields, inside, self.choice)

    @property
    def columns_id(self) -> str:
        """Name under which the column choice is stored; empty if it is not stored."""
        return self.id

    def column_names(self) -> Mapping[str, Collection[str]]:
        """Return the column names of each list in the pane, by `columns_id`."""
        return {self.columns_id: list(self.fields)}

    def choose(self, choice: ColumnChoice) -> None:
        """Apply a column choice."""
        self.choice = choice
        self.choices += 1

    def restore_columns(self, kept_choice: Callable[[str], ColumnChoice]) -> None:
        """Apply the stored column choice now, and to other lists of the pane when they are opened."""
        self.kept_choice = kept_choice
        self.choose(kept_choice(self.columns_id))


def sort_number(text: str | None, missing: Decimal = Decimal("-Infinity")) -> Decimal:
    """Return a number text as a sort key; a missing number is -Infinity by default, last in a descending list."""
    number = number_format.value(text)
    return missing if number is None else number


AnyPane = Pane[Any]
