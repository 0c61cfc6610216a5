"""A pane of lists that are read when they are looked at: tabs, progress, sums; says what was not read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Protocol

from tui.engine.history import ReadState
from tui.engine.rows import Table
from tui.interface.errors import OTHER_LEVEL
from tui.interface.wording import how_many
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.render.text import width as text_width
from tui.workstation.table.columns import Cell, Fields, Layout
from tui.workstation.table.pane import Pane, raw_facts
from tui.workstation.table.row_filter import NO_FILTER, Filter, FilterFacts
from tui.workstation.widgets.lists.tab import ListTab

WAITING = "asked; nothing has come yet"
READ_ON_DEMAND = "read on demand"
"""Kind of all these panes, by which actions name them."""


class Reading(Protocol):
    """A list as far as it was read."""

    @property
    def state(self) -> ReadState: ...
    @property
    def total(self) -> int: ...
    @property
    def code(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def under_way(self) -> bool: ...


class ReadPane(Pane[Any]):
    """Its views are its lists; a subclass says how each is read."""

    kinds: ClassVar[tuple[str, ...]] = (READ_ON_DEMAND,)
    needs_snapshot: ClassVar[bool] = False
    ages: ClassVar[bool] = False
    names_views: ClassVar[bool] = True
    tabs: ClassVar[tuple[ListTab, ...]] = ()
    one_filter: ClassVar[bool] = False
    """Whether a filter stays when another list is looked at; else each list has its own."""

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._rows: dict[str, Any] = {}
        self._made_for: tuple[object, ...] = ()
        self._filters: dict[int, Filter] = {}
        """Filters of the lists that are not shown, by the number of their tab."""

    # What a subclass says

    @abstractmethod
    def reading(self) -> Reading | None:
        """How far the list that is shown was read; None: it was not asked for."""

    @abstractmethod
    def source(self) -> Sequence[Any]:
        """The rows of the list that is shown, as far as they were read."""

    @abstractmethod
    def asked_words(self) -> str:
        """What was asked, in the title and where there is no row."""

    @property
    def made_from(self) -> tuple[object, ...]:
        """Changes when the rows have to be made anew."""
        return (*(self.view.mirror.version(table) for table in sorted(self.feeds)), self.view_at)

    def beside(self) -> tuple[str, ...]:
        """What the title says at its end, the longest form first."""
        return ()

    def none_words(self) -> str:
        """What stands in a list that was read and has no row."""
        asked = self.asked_words()
        return f"no {self.tab.noun}{f': {asked}' if asked else ''}"

    # What is shown

    @property
    def tab(self) -> ListTab:
        """The list that is looked at."""
        return self.tabs[self.view_at]

    @property
    def columns_id(self) -> str:
        return f"{self.id}/{self.tab.name}"

    def column_names(self) -> Mapping[str, Collection[str]]:
        return {f"{self.id}/{tab.name}": list(tab.fields) for tab in self.tabs}

    @property
    def layouts(self) -> tuple[Layout[Any], ...]:
        return self.tab.layouts

    @property
    def fields(self) -> Fields[Any]:
        return self.tab.fields

    def _made(self) -> dict[str, Any]:
        if self.made_from != self._made_for:
            self._made_for = self.made_from
            tab = self.tab
            self._rows = {tab.id(row): row for row in sorted(self.source(), key=lambda row: -tab.at(row))}
        return self._rows

    def keys(self) -> list[str]:
        return list(self._made())

    def row(self, key: str) -> Any:
        return self._made().get(key)

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        del table, keys
        return list(self._made()), True

    def cycle_view(self, steps: int) -> bool:
        self.sorting = None
        before = self.view_at
        moved = super().cycle_view(steps)
        # Another list has other columns.
        self.choose(self.kept_choice(self.columns_id))
        if moved and not self.one_filter:
            self._filters[before], self.filter = self.filter, self._filters.get(self.view_at, NO_FILTER)
        return moved

    # Around the rows

    def short(self) -> str:
        read = self.reading()
        if read is None:
            return ""
        have, total = len(self._made()), read.total
        return f"{have} of {total}{'' if read.state is ReadState.WHOLE else '+'}" if total > have else str(have)

    def progress(self) -> tuple[str, str]:
        """How far the list has been read, and the colour of these words."""
        read = self.reading()
        if read is None:
            return "", "dim"
        match read.state:
            case ReadState.READING:
                return "reading… (s stops)", "accent"
            case ReadState.ARCHIVE:
                return "reading the archive, which takes a while… (s stops)", "accent"
            case ReadState.PART:
                return "n: more", "accent"
            case ReadState.STOPPED:
                return "stopped (n goes on)", "warn"
            case ReadState.FAILED:
                unreadable = self.view.mirror.unreadable
                if unreadable and read.code == OTHER_LEVEL:
                    return f"{unreadable}: nothing to show here", "warn"
                return f"not read: {read.text} (n tries again)", "alert"
            case ReadState.FULL:
                return read.text, "warn"
        return read.text, "dim"

    def shown_rows(self) -> list[Any]:
        """The rows as the filter leaves them, in the order of the screen."""
        made = self._made()
        return [made[key] for key in self.arranged()]

    def empty(self) -> str:
        read = self.reading()
        if read is None:
            return WAITING
        text, _ = self.progress()
        if read.under_way or read.state in (ReadState.FAILED, ReadState.STOPPED):
            return text
        return self.none_words()

    @property
    def has_totals(self) -> bool:
        return bool(self._made())

    def total_cells(self) -> Mapping[str, Cell]:
        rows, totals = self.shown_rows(), self.tab.totals
        return totals(rows, self.view) if rows and totals is not None else {}

    def total_line(self, cells: int) -> str:
        """As many of the sums as there is room for; `…` stands for those that are left out."""
        rows = self.shown_rows()
        parts = self.tab.sums(rows, self.view) if rows else []
        for count in range(len(parts), 0, -1):
            line = " · ".join([*parts[:count], *(["…"] if count < len(parts) else [])])
            if text_width(line) <= cells:
                return line
        return parts[0] if parts else ""

    # What a row is about

    def sym(self, key: str) -> str:
        row = self.row(key)
        return "" if row is None else self.tab.sym(row)

    def order_id(self, key: str) -> str:
        """The order that a row is about, or empty."""
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
            age=Decimal(str(round(self.view.clock.wall() - at / 1000, 3))) if at else None,
            qty=number_format.value(qty),
        )

    def copied(self, key: str) -> str:
        return self.order_id(key) or key

    def details(self, key: str) -> list[tuple[str, str]]:
        return raw_facts(self.row(key))

    def counted(self) -> str:
        """How many rows are shown, in words."""
        return how_many(len(self.shown_rows()), "row")
