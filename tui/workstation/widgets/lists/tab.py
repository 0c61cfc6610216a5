"""List definitions: columns, names, sorting and totals of the rows, and the query that reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from tui.engine.service_query import ListRead, QuerySource, ServiceQuery
from tui.interface.decimals import ZERO
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import MONEY
from tui.workstation.render.text import width as text_width
from tui.workstation.table.columns import Cell, Fields
from tui.workstation.table.short_figures import shorten_figures

_BETWEEN = re.compile(r" · |, ")
"""What stands between two amounts of a line of sums."""

Rows = Sequence[Any]
Totals = Callable[[Rows, DisplayContext], Mapping[str, Cell]]
Sums = Callable[[Rows, DisplayContext], Sequence[Sequence[str]]]
"""Return the parts of the line of sums, the longest form first; the last has only amounts, the most important first."""
Params = Callable[[DisplayContext], Mapping[str, str]]


def no_time(row: Any) -> int:
    """Return 0, for lists whose rows have no time."""
    del row
    return 0


def list_no_sums(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    """Return no totals for the title, for lists that show totals below their columns."""
    del rows, view
    return ()


def no_text(row: Any) -> str:
    """Return an empty text, for lists whose rows have no pair or no order."""
    del row
    return ""


def no_rows(view: DisplayContext) -> Rows:
    """Return no rows, for lists that are queried."""
    del view
    return ()


def no_params(view: DisplayContext) -> Mapping[str, str]:
    """Return no parameters."""
    del view
    return {}


def no_queries(view: DisplayContext) -> Sequence[ServiceQuery]:
    """Return no additional queries."""
    del view
    return ()


def never_of_another_list(row: object) -> bool:
    """Return False, for lists that show no rows of another list."""
    del row
    return False


def no_notes(view: DisplayContext) -> tuple[str, ...]:
    """Return no notes."""
    del view
    return ()


def list_records(read: ListRead, view: DisplayContext) -> Rows:
    """Return the records that a query read: those of an array or of pages, or the single record."""
    del view
    return read.rows if read.data is None else (read.data,)


class ListTab(msgspec.Struct, frozen=True, kw_only=True):
    """Tab with rows that are already in memory."""

    name: str
    """Name in the row of tabs."""
    empty: str
    """Text of the list without rows, such as `no transfers`."""
    fields: Fields[Any]
    at: Callable[[Any], int] = no_time
    """Time of a row, ms; lists are sorted by it, newest first."""
    id: Callable[[Any], str]
    """Unique id of a row."""
    sym: Callable[[Any], str] = no_text
    """Symbol of a row."""
    totals: Totals | None = None
    """Cells of totals below the columns."""
    sums: Sums = list_no_sums
    """Sums shown as one line below the rows, for amounts of several coins."""
    is_of_another_list: Callable[[Any], bool] = never_of_another_list
    """Whether a row is of another list, which the service does not count with those of this one."""
    order: Callable[[Any], str] = no_text
    """Order id of a row."""
    lists_commands: bool = False
    """Whether its rows are commands of this program, whose outcome can be unknown."""
    shown: Mapping[str, Callable[[Any], Decimal]] = {}
    """Computed figures for the export, by name, unrounded."""
    rows: Callable[[DisplayContext], Rows] = no_rows
    query_text: str = ""
    """Description of the query, for the title and for an empty list."""
    notes: Callable[[DisplayContext], tuple[str, ...]] = no_notes
    """Note at the end of the title while it is shown, the longest form first."""
    gaps: Callable[[DisplayContext], tuple[str, ...]] = no_notes
    """What is missing among its rows, said when they are written to a file, the longest form first."""


class QueryTab(ListTab, frozen=True, kw_only=True):
    """Tab with rows that are queried from the service when it is opened."""

    endpoint: str
    """Name of the catalogue row that lists it."""
    params: Params = no_params
    pick: Callable[[ListRead, DisplayContext], Rows] = list_records
    """Pick the rows of the list from what was read."""
    follows: tuple[str, ...] = ()
    """Catalogue names of commands that change it; it is read again after them."""
    to_end: bool = False
    """Whether all pages are read at once."""
    also: Callable[[DisplayContext], Sequence[ServiceQuery]] = no_queries
    """Further queries that are read whenever the list is."""
    names: tuple[ServiceQuery, ...] = ()
    """Queries that name its rows; read once, and again with the list when the trader asks for it."""

    def query(self, pane: str, view: DisplayContext) -> ServiceQuery:
        """Return the query that reads the rows; `pane` is the id of its pane."""
        params = tuple((name, text) for name, text in self.params(view).items() if text)
        return ServiceQuery(
            key=f"{pane}/{self.name}", sources=(QuerySource(self.endpoint, params),), to_end=self.to_end
        )


def sum_by_coin(rows: Sequence[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Sum amounts by coin, money coins such as USDT first; zero totals are left out."""
    sums: dict[str, Decimal] = {}
    for coin, amount in rows:
        if coin:
            sums[coin] = sums.get(coin, ZERO) + amount
    return {coin: sums[coin] for coin in sorted(sums, key=lambda coin: (coin not in MONEY, coin)) if sums[coin]}


def sums_text(sums: Mapping[str, Decimal], *, signed: bool = False) -> str:
    """Format totals by coin."""
    write = number_format.format_signed_decimal if signed else number_format.decimal_figure
    return ", ".join(f"{write(amount, 2 if coin in MONEY else 6)} {coin}" for coin, amount in sums.items())


def fit_sums(forms: Sequence[Sequence[str]], cells: int) -> str:
    """Return the longest form of totals that fits; else the beginning of the shortest, with `…` for the rest."""
    lines = [" · ".join(parts) for parts in forms]
    for line in lines:
        if text_width(line) <= cells:
            return line
    last = lines[-1] if lines else ""
    for between in reversed(list(_BETWEEN.finditer(last))):
        if text_width(line := f"{last[: between.end()]}…") <= cells:
            return line
    return shorten_figures(_BETWEEN.split(last, maxsplit=1)[0], cells)
