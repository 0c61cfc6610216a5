"""Lists that go back in time: what is in memory and what is in the archive, as one list, newest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from tui.interface.paging import Page
from tui.venue.shell.keys import Denial
from tui.venue.shell.rest.pages import judged_page
from tui.venue.shell.rest.query import Call
from tui.venue.shell.storage.tally import PastList, Place, Selection

R = TypeVar("R")


class Listing(NamedTuple):
    """One table as a list."""

    table: str
    place: Callable[[Any], tuple[int, int]]
    """Time and number of a row: lists are sorted by them, descending."""


ORDERS = Listing("order", lambda row: (int(row.create_at), int(row.order_id)))
ALGOS = Listing("algo", lambda row: (int(row.create_at), int(row.algo_order_id)))
FILLS = Listing("fill", lambda row: (int(row.create_at), int(row.transaction_id)))
_NEWER = 2**62
# The others leave memory in the order in which they came: what is in memory is newer than any row of the archive.
STATEMENTS = Listing("statement", lambda row: (int(row.create_at), _NEWER))
CLOSED = Listing("closed", lambda row: (int(row.update_at), _NEWER))


def page_of(
    call: Call,
    listing: Listing,
    rows: Sequence[R],
    ages: tuple[int, int],
    where: Mapping[str, str | bool],
    show: Callable[[R], Any],
) -> Page[Any] | Denial:
    """A page of the rows in memory, which fit already, and of those in the archive that do.

    Args:
        call: The query, with `page` and `page_size`.
        listing: The table.
        rows: In memory, newest first.
        ages: First and last time, ms.
        where: What the archive selects by.
        show: How a row is printed.
    """
    asked = judged_page(call.params)
    if isinstance(asked, Denial):
        return asked
    page, size = asked
    past = _past(call, listing, ages, where)
    total = len(rows) + (past.total if past is not None else 0)
    shown = [show(row) for row in _slice(call, listing, rows, past, (page - 1) * size, page * size)]
    return Page(page=page, page_size=size, page_num=-(-total // size) or call.empty_num, total_size=total, rows=shown)


def first_of(
    call: Call,
    listing: Listing,
    rows: Sequence[R],
    ages: tuple[int, int],
    where: Mapping[str, str | bool],
    most: int,
) -> list[R]:
    """The newest rows, at most so many."""
    return _slice(call, listing, rows, _past(call, listing, ages, where), 0, most)


def _past(call: Call, listing: Listing, ages: tuple[int, int], where: Mapping[str, str | bool]) -> PastList | None:
    archive = call.runtime.archive
    return None if archive is None else archive.listed(Selection(listing.table, call.portfolio, *ages, where))


def _slice(call: Call, listing: Listing, rows: Sequence[R], past: PastList | None, low: int, high: int) -> list[R]:
    if past is None:
        return list(rows[low:high])
    # Of the rows before the page at most those in memory are newer than what is skipped here.
    skip = max(0, low - len(rows))
    places = past.places(skip, high - skip)
    merged: list[R | Place] = [*places, *rows]
    merged.sort(key=lambda one: one[:2] if isinstance(one, Place) else listing.place(one), reverse=True)
    page = merged[low - skip : high - skip]
    return [_read(call, listing, one) if isinstance(one, Place) else one for one in page]


def _read(call: Call, listing: Listing, place: Place) -> Any:
    archive = call.runtime.archive
    assert archive is not None
    value = archive.find(listing.table, place.key)
    assert value is not None
    return cast(Any, call.runtime.exchange.queries.printed(listing.table, value))
