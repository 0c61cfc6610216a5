"""What a pane is: fields for each width, an order of keys, a row by key, and words for when there is none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import msgspec

from tui.engine.rows import OrderRow, Stamp, Table
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.render.palette import Piece
from tui.workstation.table import columns
from tui.workstation.table.columns import Cell, Column, Fields
from tui.workstation.table.row_filter import NO_FILTER, Filter, FilterFacts

if TYPE_CHECKING:
    from tui.engine.service_query import ServiceQuery

R = TypeVar("R")


class Sorting(msgspec.Struct, frozen=True):
    """By which column a pane is sorted instead of its own order."""

    column: str
    title: str
    descending: bool


class Pane(ABC, Generic[R]):
    """Base of the panes."""

    id: ClassVar[str] = ""
    title: ClassVar[str] = ""
    kinds: ClassVar[tuple[str, ...]] = ()
    """Kinds it belongs to, by which actions that work on several panes name them."""
    number: ClassVar[int] = 0
    """Key that jumps to it; 0: reached by `(` and `)`."""
    feeds: ClassVar[frozenset[Table]] = frozenset()
    """Tables whose changes can change rows of this pane."""
    rows_of: ClassVar[Table | None] = None
    """The table whose rows its rows are: a change there touches only cells made of what changed (`Field.of`)."""
    needs_snapshot: ClassVar[bool] = True
    """Whether it has no rows before the desk was in step for the first time."""
    ages: ClassVar[bool] = True
    """Whether cells change as time goes on."""
    follows_tail: ClassVar[bool] = False
    ranked_by_time: ClassVar[bool] = False
    """Whether rows come, go or move as time goes on."""
    total_from: ClassVar[int] = 4
    """Rows that must fit beside the line of the totals, where there are more."""
    views: ClassVar[tuple[str, ...]] = ()
    """Names of its views, the usual one first; empty: it has only one."""
    names_views: ClassVar[bool] = False
    """Whether what stands beside its name says which view is shown."""
    lists_events: ClassVar[bool] = False
    """Whether its rows are the events."""

    def __init__(self, view: DisplayContext) -> None:
        self.view = view
        self.view_at = 0
        """Which of its views is shown."""
        self.sorting: Sorting | None = None
        self.filter: Filter = NO_FILTER
        self.choice = ColumnChoice()
        self.kept_choice: Callable[[str], ColumnChoice] = lambda _: ColumnChoice()
        """What the trader chose of the columns of a list, by its `columns_id`."""
        self.choices = 0
        """Changes with the choice of columns, so that widths are counted anew."""
        self.filtered_out = 0
        """Rows that the filter takes away, as of the last arrangement."""

    @property
    @abstractmethod
    def fields(self) -> Fields[R]:
        """All it can show, from left to right."""

    @abstractmethod
    def keys(self) -> list[str]:
        """Row keys in the pane's own order."""

    @abstractmethod
    def row(self, key: str) -> R | None:
        """The row of a key, or None when it has gone."""

    @abstractmethod
    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        """Which rows of the pane a change touches, and whether their order may have changed."""

    def looks(self, row: R) -> object:
        """What of a row and its age gives all its cells another look; when it changes, all are made anew."""
        del row
        return None

    def is_news(self, row: R) -> bool:
        """Whether what a row tells happened a moment ago, so that it stands out."""
        del row
        return False

    # What stands around the rows

    def counts(self) -> list[Piece]:
        """What the title says after the name."""
        return [(self.short(), "dim")]

    def short(self) -> str:
        """The count in a row of tabs."""
        return str(len(self.keys()))

    def empty(self) -> str:
        """What stands in a pane without rows once an answer proved that there are none."""
        return "nothing yet"

    def why_empty(self) -> str:
        """Why there is no row to show."""
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
        """The name over a column."""
        return column.title

    @property
    def has_totals(self) -> bool:
        """Whether a line below the rows sums all of them, also those that a filter hides."""
        return False

    def total_cells(self) -> Mapping[str, Cell]:
        """The cells of that line by field."""
        return {}

    def total_line(self, cells: int) -> str:
        """That line as one text of so many cells, where sums have no column of their own; empty: it has cells."""
        del cells
        return ""

    # What a row is about

    def sym(self, key: str) -> str:
        """The symbol a row stands for, or an empty text."""
        del key
        return ""

    def touch_sym(self, key: str, bid: bool) -> str | None:
        """Find the symbol that holds a side of a consolidated row; None for a row of one symbol."""
        del key, bid
        return None

    def order_of(self, key: str) -> OrderRow | None:
        """The order a row is about where the pane knows it, or None."""
        del key
        return None

    def facts(self, key: str) -> FilterFacts | None:
        """What filter terms ask about a row."""
        row = self.row(key)
        return None if row is None else FilterFacts(text=" ".join(self.texts(row)), sym=self.sym(key))

    def texts(self, row: R) -> list[str]:
        """Texts that bare words of a filter look into: all fields that stand to the left."""
        return [field.cell(row, self.view)[0] for field in self.fields.values() if field.left]

    def carries_risk(self, key: str) -> bool:
        """Whether hiding the row hides risk: a working order, an open leg."""
        del key
        return False

    def copied(self, key: str) -> str:
        """What is copied of a row."""
        return key

    def called(self, key: str) -> str:
        """What a row is called over its card."""
        sym = self.sym(key)
        return full_name(sym) if sym else key

    def asks(self, key: str) -> tuple[ServiceQuery, ...]:
        """What is read from the service when the card of a row opens; `details` shows what came."""
        del key
        return ()

    def details(self, key: str) -> list[tuple[str, str]]:
        """Every field of the row as it was sent, by name."""
        return raw_facts(self.row(key))

    # Order and choice

    def arranged(self) -> list[str]:
        """Keys as they are shown: filtered, and in the order the trader asked for."""
        keys = self.keys()
        before = len(keys)
        if self.filter.terms:
            keys = [key for key in keys if self._passes(key)]
        self.filtered_out = before - len(keys)
        if self.sorting is not None and self.sorting.column in self.fields:
            by_symbol = sorted(keys, key=self.sym)
            column = columns.column(self.fields, self.sorting.column)
            keys = columns.ordered(by_symbol, column, self.sorting.descending, self.view, self.row)
        return keys

    def _passes(self, key: str) -> bool:
        facts = self.facts(key)
        return facts is not None and self.filter.passes(facts)

    def hidden(self) -> int:
        """Working orders or open legs that a filter hides."""
        if not self.filter.terms:
            return 0
        return sum(1 for key in self.keys() if self.carries_risk(key) and not self._passes(key))

    def newest_working(self) -> str | None:
        """The row on which the cursor is put when the keyboard comes to the list; None: it stays."""
        return None

    def beside_ended(self, key: str, keys: Sequence[str], place: int) -> str:
        """The row to which the cursor goes when nothing can be done any more with the one under it; empty: it stays.

        Args:
            key: The row under the cursor.
            keys: Rows as they stand now.
            place: Where the cursor was.
        """
        del key, keys, place
        return ""

    @property
    def rearranges(self) -> bool:
        """Whether the order can change although no row did."""
        return self.ranked_by_time or self.sorting is not None or bool(self.filter.terms)

    def cycle_view(self, steps: int) -> bool:
        """Show the next or previous view; False when there is only one."""
        if len(self.views) < 2:
            return False
        self.view_at = (self.view_at + steps) % len(self.views)
        return True

    def columns(self, inside: int) -> tuple[Column[R], ...]:
        """The columns for so many cells: what the rows hold has no part in it."""
        return columns.fitting(self.fields, inside, self.choice)

    @property
    def columns_id(self) -> str:
        """The name under which the choice of its columns is kept; empty: it is not kept."""
        return self.id

    def column_names(self) -> Mapping[str, Collection[str]]:
        """The columns of each of its lists, by the name of the choice."""
        return {self.columns_id: list(self.fields)}

    def choose(self, choice: ColumnChoice) -> None:
        """Take over a trader's choice of columns."""
        self.choice = choice
        self.choices += 1

    def restore_columns(self, kept_choice: Callable[[str], ColumnChoice]) -> None:
        """Take over what was chosen earlier, also for lists of it that are looked at later."""
        self.kept_choice = kept_choice
        self.choose(kept_choice(self.columns_id))


_RECORDS = "tui.interface."
"""Where the records of the service are."""


def raw_facts(row: object) -> list[tuple[str, str]]:
    """Names and raw texts of a row: the record of the service first, then what this program keeps beside it.

    Times also as they are read. Of the stamp that the desk puts on a record only the source is a fact.
    """
    if not isinstance(row, msgspec.Struct):
        return []
    sent: list[tuple[str, str]] = []
    kept: list[tuple[str, str]] = []
    for name in row.__struct_fields__:
        value = getattr(row, name)
        if isinstance(value, Stamp):
            kept.append(("source", value.source.value))
        elif isinstance(value, msgspec.Struct) and type(value).__module__.startswith(_RECORDS):
            sent += raw_facts(value)
        elif isinstance(value, msgspec.Struct):
            kept += raw_facts(value)
        else:
            kept.append((name.replace("_", " "), _fact(name, value)))
    return sent + kept


def _fact(name: str, value: object) -> str:
    """A raw text; a time also as it is read."""
    at = time_of(name, value)
    if not at:
        return _raw(value)
    return f"{number_format.day(at)} {number_format.moment(at, True, True)} UTC ({at})"


def time_of(name: str, value: object) -> int:
    """Server time of a field, ms; 0 where it holds none."""
    return millis(str(value)) if name.endswith(TIME_ENDS) and isinstance(value, str | int) else 0


TIME_ENDS = ("_at", "_time", "timestamp")
"""Ends of the names of fields that hold times in ms."""


def _raw(value: object) -> str:
    if value is None:
        return number_format.NONE
    if isinstance(value, (list, tuple)):
        return ", ".join(_raw(one) for one in value) or number_format.MISSING
    if isinstance(value, dict):
        return " ".join(f"{name} {_raw(one)}" for name, one in value.items() if one not in ("", None))
    text = "" if value is msgspec.UNSET else str(value)
    return text if text else number_format.MISSING


def sort_number(text: str | None, missing: Decimal = Decimal("-Infinity")) -> Decimal:
    """A figure as sort key; missing ones go last in a descending list."""
    number = number_format.value(text)
    return missing if number is None else number


AnyPane = Pane[Any]
