"""Pane of lists that are queried on demand: tabs, progress, totals, and why a list is empty."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from tui.engine.rows import AccountCommandRow, Table
from tui.engine.service_query import ListRead, ReadState, ServiceQuery
from tui.interface.errors import OTHER_LEVEL
from tui.interface.text import how_many
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.table.columns import Cell, Fields
from tui.workstation.table.pane import UNSURE, ChangedRows, Pane
from tui.workstation.table.raw_facts import raw_facts
from tui.workstation.table.row_filter import NO_FILTER, Filter, FilterFacts
from tui.workstation.widgets.lists.tab import ListTab, QueryTab, Rows, fit_sums

WAITING = "requested; no reply yet"
READ_ON_DEMAND = "read on demand"
"""Kind of all these panes, used by actions."""


class QueryPane(Pane[Any]):
    """Pane whose views are queried lists; subclasses define the tabs."""

    kinds: ClassVar[tuple[str, ...]] = (READ_ON_DEMAND,)
    needs_snapshot: ClassVar[bool] = False
    ages: ClassVar[bool] = False
    names_views: ClassVar[bool] = True
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ANSWERS, Table.COMMANDS])
    tabs: ClassVar[tuple[ListTab, ...]] = ()
    shares_filter: ClassVar[bool] = False
    """Whether all lists share one filter; else each list has its own."""

    def __init_subclass__(cls) -> None:
        cls.views = tuple(tab.name for tab in cls.tabs)
        if any(tab.lists_commands for tab in cls.tabs):
            cls.kinds = (READ_ON_DEMAND, UNSURE)

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._rows: dict[str, Any] = {}
        self._beside = 0
        """Number of rows that are of other lists than that of the tab."""
        self._built_version: tuple[object, ...] = ()
        self._filters: dict[int, Filter] = {}
        """Filters of the hidden lists, by index of their tab."""

    # Reading

    def key_of(self, tab: ListTab) -> str:
        """Return the query key of a tab's list."""
        return f"{self.id}/{tab.name}"

    def query(self, tab: QueryTab) -> ServiceQuery | None:
        """Return the query of a tab's list; None while it cannot be queried yet."""
        return tab.query(self.id, self.view)

    def cache_key(self, tab: QueryTab) -> Hashable:
        """Return a value that identifies a list's query; when it changes, the list is queried again."""
        return self.query(tab)

    def also(self, tab: QueryTab) -> Sequence[ServiceQuery]:
        """Return additional queries that are sent whenever the list is queried."""
        return tab.also(self.view)

    @property
    def read(self) -> ListRead | None:
        """Answer of the service for the shown list; None if nothing arrived yet, or if the list is not queried."""
        return self.view.mirror.answers.get(self.key_of(self.tab))

    @property
    def state(self) -> ReadState | None:
        """State of reading the shown list; None if nothing arrived yet; a list held in memory is always whole."""
        if not isinstance(self.tab, QueryTab):
            return ReadState.WHOLE
        return None if self.read is None else self.read.state

    def source(self) -> Rows:
        """Return the rows of the shown list as far as they have been read."""
        tab, read = self.tab, self.read
        if not isinstance(tab, QueryTab):
            return tab.rows(self.view)
        return tab.pick(read, self.view) if read is not None else ()

    def describe_query(self) -> str:
        """Return the query's description for the title and for an empty list."""
        return self.tab.query_text

    @property
    def rows_version(self) -> tuple[object, ...]:
        """Value that changes when the rows must be rebuilt."""
        return (*(self.view.mirror.version(table) for table in sorted(self.feeds)), self.view_at)

    def describe_no_rows(self) -> str:
        """Return the text for a list that was read and has no rows."""
        asked = self.describe_query()
        return f"{self.tab.empty}{f': {asked}' if asked else ''}"

    # Display

    @property
    def tab(self) -> ListTab:
        """Tab that is shown."""
        return self.tabs[self.view_at]

    @property
    def columns_id(self) -> str:
        return f"{self.id}/{self.tab.name}"

    def column_names(self) -> Mapping[str, Collection[str]]:
        return {f"{self.id}/{tab.name}": list(tab.fields) for tab in self.tabs}

    @property
    def fields(self) -> Fields[Any]:
        return self.tab.fields

    def _build_rows(self) -> dict[str, Any]:
        if self.rows_version != self._built_version:
            self._built_version = self.rows_version
            tab = self.tab
            self._rows = {tab.id(row): row for row in sorted(self.source(), key=lambda row: -tab.at(row))}
            self._beside = sum(map(tab.is_of_another_list, self._rows.values()))
        return self._rows

    def keys(self) -> list[str]:
        return list(self._build_rows())

    def row(self, key: str) -> Any:
        return self._build_rows().get(key)

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        del table, keys
        return ChangedRows(list(self._build_rows()), may_move=True)

    def cycle_view(self, steps: int) -> bool:
        self.sorting = None
        before = self.view_at
        moved = super().cycle_view(steps)
        # Another list has other columns.
        self.choose(self.kept_choice(self.columns_id))
        if moved and not self.shares_filter:
            self._filters[before], self.filter = self.filter, self._filters.get(self.view_at, NO_FILTER)
        return moved

    # Progress and sums

    def short(self) -> str:
        if self.state is None:
            return ""
        rows, read = self._build_rows(), self.read
        # The service counts its own rows, not those of other lists that a tab shows among them.
        beside = self._beside if read is not None else 0
        have, total = len(rows) - beside, 0 if read is None else read.total
        if total <= have:
            return str(len(rows))
        added = f", {how_many(beside, 'other')}" if beside else ""
        return f"{have} of {total}{'' if self.state is ReadState.WHOLE else '+'}{added}"

    def progress(self) -> tuple[str, str]:
        """Return text and colour role that show how far the list has been read."""
        read = self.read
        if read is None:
            return "", "dim"
        match read.state:
            case ReadState.READING:
                return self.view.name_keys("reading… (⟦list.stop⟧ stops)"), "accent"
            case ReadState.ARCHIVE:
                return self.view.name_keys("reading the archive, which takes a while… (⟦list.stop⟧ stops)"), "accent"
            case ReadState.PART:
                return self.view.name_keys("⟦list.more⟧: more"), "accent"
            case ReadState.STOPPED:
                return self.view.name_keys("stopped (⟦list.more⟧ continues)"), "warn"
            case ReadState.FAILED:
                unreadable = self.view.mirror.unreadable
                if unreadable and read.code == OTHER_LEVEL:
                    return f"{unreadable}: nothing to show here", "warn"
                return f"not read: {read.text}{self.view.name_keys(' (⟦list.more⟧ tries again)')}", "alert"
            case ReadState.FULL:
                return read.text, "warn"
        return read.text, "dim"

    def list_shown_rows(self) -> list[Any]:
        """List the rows that pass the filter, in screen order."""
        rows = self._build_rows()
        return [rows[key] for key in self.arrange_keys()]

    def empty(self) -> str:
        if self.state is None:
            return WAITING
        if self.state in (ReadState.WHOLE, ReadState.PART, ReadState.FULL):
            return self.describe_no_rows()
        return self.progress()[0]

    @property
    def has_totals(self) -> bool:
        return bool(self._build_rows())

    def total_cells(self) -> Mapping[str, Cell]:
        rows, totals = self.list_shown_rows(), self.tab.totals
        return totals(rows, self.view) if rows and totals is not None else {}

    def total_line(self, cells: int) -> str:
        rows = self.list_shown_rows()
        return fit_sums(self.tab.sums(rows, self.view), cells) if rows else ""

    # Facts of a row

    def sym(self, key: str) -> str:
        row = self.row(key)
        return "" if row is None else self.tab.sym(row)

    def command(self, key: str) -> AccountCommandRow | None:
        """Return the account command of a row in a list of commands; None for rows of other lists."""
        row = self.row(key)
        return row if isinstance(row, AccountCommandRow) else None

    def order_id(self, key: str) -> str:
        """Return the id of the order that a row is about, or an empty text."""
        row = self.row(key)
        return "" if row is None else self.tab.order(row)

    def facts(self, key: str) -> FilterFacts | None:
        row = self.row(key)
        if row is None:
            return None
        at, sym = self.tab.at(row), self.tab.sym(row)
        qty = next((getattr(row, name) for name in ("order_qty", "quantity", "closed_qty") if hasattr(row, name)), "")
        return FilterFacts(
            text=" ".join([*self.texts(row), self.tab.id(row), getattr(row, "client_order_id", "")]),
            sym=sym,
            side=getattr(row, "side", "") or getattr(row, "position_history_side", ""),
            state=getattr(row, "order_state", ""),
            venue=venue_of(sym) or getattr(row, "exchange_type", ""),
            age=Decimal(str(round(self.view.server_wall - at / 1000, 3))) if at else None,
            qty=number_format.value(qty),
        )

    def copy_text(self, key: str) -> str:
        return self.order_id(key) or key

    def details(self, key: str) -> list[tuple[str, str]]:
        return raw_facts(self.row(key))

    def row_count_text(self) -> str:
        """Format the number of shown rows."""
        return how_many(len(self.list_shown_rows()), "row")
