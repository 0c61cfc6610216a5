"""One list as data: its columns, what its rows are called, sorted by and summed to, and what is read for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from tui.engine.service_query import ListRead, ServiceQuery, Source
from tui.interface.decimals import ZERO
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import MONEY
from tui.workstation.table.columns import Cell, Fields

Rows = Sequence[Any]
Totals = Callable[[Rows, DisplayContext], Mapping[str, Cell]]
Params = Callable[[DisplayContext], Mapping[str, str]]


def no_time(row: Any) -> int:
    """Of a list whose rows have no time."""
    del row
    return 0


def no_sums(rows: Rows, view: DisplayContext) -> list[str]:
    """Of a list whose sums stand below its columns."""
    del rows, view
    return []


def nothing(row: Any) -> str:
    """Of a list whose rows are about no pair, or no single order."""
    del row
    return ""


def no_rows(view: DisplayContext) -> Rows:
    """Of a list whose rows are read."""
    del view
    return ()


def no_params(view: DisplayContext) -> Mapping[str, str]:
    """Of a list that is read without parameters."""
    del view
    return {}


def no_queries(view: DisplayContext) -> Sequence[ServiceQuery]:
    """Of a list that needs no other answer."""
    del view
    return ()


def no_words(view: DisplayContext) -> tuple[str, ...]:
    """Of a list beside which nothing is said."""
    del view
    return ()


def list_records(read: ListRead, view: DisplayContext) -> Rows:
    """The records of an array or of pages, or the one record."""
    del view
    return read.rows if read.data is None else (read.data,)


class ListTab(msgspec.Struct, frozen=True, kw_only=True):
    """One list of rows that are at hand."""

    name: str
    """In the row of tabs."""
    noun: str
    """Its rows in a sentence."""
    fields: Fields[Any]
    at: Callable[[Any], int] = no_time
    """Time of a row, ms; lists are sorted by it, newest first."""
    id: Callable[[Any], str]
    """What a row is known by."""
    sym: Callable[[Any], str] = nothing
    """The pair a row is about."""
    totals: Totals | None = None
    """The cells below the columns."""
    sums: Callable[[Rows, DisplayContext], list[str]] = no_sums
    """Sums that stand below the rows as one line, where they have no column: amounts of several coins."""
    order: Callable[[Any], str] = nothing
    """The id of the order that a row is about."""
    shown: Mapping[str, Callable[[Any], str]] = {}
    """Figures of its columns that no field of a row holds, for the file; by name, unrounded."""
    rows: Callable[[DisplayContext], Rows] = no_rows
    question: str = ""
    """What is asked, in the title and where there is no row."""
    words: Callable[[DisplayContext], tuple[str, ...]] = no_words
    """What the end of the title says while it is shown, the longest form first."""


class QueryTab(ListTab, frozen=True, kw_only=True):
    """One list that is read of the service when it is looked at."""

    endpoint: str
    """Name of the row of the catalogue that lists it."""
    params: Params = no_params
    pick: Callable[[ListRead, DisplayContext], Rows] = list_records
    """The rows of the list, out of what was read."""
    follows: tuple[str, ...] = ()
    """Commands, by their rows of the catalogue, after whose end it is read again."""
    to_end: bool = False
    """Read all pages at once."""
    also: Callable[[DisplayContext], Sequence[ServiceQuery]] = no_queries
    """Further queries that are read whenever the list is."""
    names: tuple[ServiceQuery, ...] = ()
    """Queries by whose answers its rows are named; read once, and again with the list where the trader asks for it."""

    def query(self, pane: str, view: DisplayContext) -> ServiceQuery:
        """What has to be read for it; `pane`: id of the pane it stands on."""
        params = tuple((name, text) for name, text in self.params(view).items() if text)
        return ServiceQuery(key=f"{pane}/{self.name}", sources=(Source(self.endpoint, params),), to_end=self.to_end)


def by_coin(rows: Sequence[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Sums of amounts by coin, sorted by its name; what came to nothing is left out."""
    found: dict[str, Decimal] = {}
    for coin, amount in rows:
        if coin:
            found[coin] = found.get(coin, ZERO) + amount
    return {coin: found[coin] for coin in sorted(found) if found[coin]}


def sums_text(sums: Mapping[str, Decimal], *, signed: bool = False) -> str:
    """Sums by coin in words."""
    write = number_format.format_signed_decimal if signed else number_format.decimal_figure
    return ", ".join(f"{write(amount, 2 if coin in MONEY else 6)} {coin}" for coin, amount in sums.items())
