"""History lists that combine rows in memory and in the archive, newest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from tui.interface.paging import Page
from tui.venue.shell.rest.pages import parse_page
from tui.venue.shell.rest.query import Query
from tui.venue.shell.storage.hourly_counts import ArchivedList, RowPosition, Selection

R = TypeVar("R")


class Listing(NamedTuple):
    """Table of rows that a history endpoint lists."""

    table: str
    sort_key: Callable[[Any], tuple[int, int]]
    """Time and number of a row: lists are sorted by them, descending."""


ORDERS = Listing("order", lambda row: (int(row.create_at), int(row.order_id)))
ALGOS = Listing("algo", lambda row: (int(row.create_at), int(row.algo_order_id)))
FILLS = Listing("fill", lambda row: (int(row.create_at), int(row.transaction_id)))
_NEWER = 2**62
# Other tables leave memory in order: rows in memory are newer than any row of the archive.
STATEMENTS = Listing("statement", lambda row: (int(row.create_at), _NEWER))
CLOSED = Listing("closed", lambda row: (int(row.update_at), _NEWER))
LOAN_ORDERS = Listing("loan_order", lambda row: (row.at, _NEWER))
MARKUPS = Listing("markup_fill", lambda row: (row.at, _NEWER))
LOAN_BOOKINGS = Listing("loan_booking", lambda row: (row.at, _NEWER))


def page_of(
    query: Query,
    listing: Listing,
    rows: Sequence[R],
    ages: tuple[int, int],
    where: Mapping[str, str | bool],
    show: Callable[[R], Any],
) -> Page[Any]:
    """Build a page of the matching rows from memory and archive.

    Args:
        query: The query, with `page` and `page_size`.
        listing: The table.
        rows: Matching rows in memory, newest first.
        ages: First and last time, ms.
        where: Filters of the archive.
        show: Converts a record to its row.
    """
    page, size = parse_page(query.params)
    past = _read_archive(query, listing, ages, where)
    total = len(rows) + (past.total if past is not None else 0)
    shown = [show(row) for row in _slice(query, listing, rows, past, (page - 1) * size, page * size)]
    return Page(page=page, page_size=size, page_num=-(-total // size) or query.empty_num, total_size=total, rows=shown)


def first_of(
    query: Query,
    listing: Listing,
    rows: Sequence[R],
    ages: tuple[int, int],
    where: Mapping[str, str | bool],
    most: int,
) -> list[R]:
    """List the newest rows from memory and archive, at most `most`."""
    return _slice(query, listing, rows, _read_archive(query, listing, ages, where), 0, most)


def _read_archive(
    query: Query, listing: Listing, ages: tuple[int, int], where: Mapping[str, str | bool]
) -> ArchivedList | None:
    archive = query.runtime.archive
    return None if archive is None else archive.select(Selection(listing.table, query.portfolio, *ages, where))


def _slice(
    query: Query, listing: Listing, rows: Sequence[R], past: ArchivedList | None, low: int, high: int
) -> list[R]:
    if past is None:
        return list(rows[low:high])
    # At most the rows in memory are newer than the rows skipped here.
    skip = max(0, low - len(rows))
    places = past.row_positions(skip, high - skip)
    merged: list[R | RowPosition] = [*places, *rows]
    merged.sort(key=lambda row: row[:2] if isinstance(row, RowPosition) else listing.sort_key(row), reverse=True)
    page = merged[low - skip : high - skip]
    return [_read(query, listing, row) if isinstance(row, RowPosition) else row for row in page]


def _read(query: Query, listing: Listing, place: RowPosition) -> Any:
    archive = query.runtime.archive
    assert archive is not None
    value = archive.find(listing.table, place.key)
    assert value is not None
    return cast(Any, query.queries.decode_row(listing.table, value))
