"""Handlers of portfolio-loan queries: figures, terms, largest loans, loan orders, loan statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from tui.interface.decimals import truncate
from tui.interface.families.portfolio_loans import (
    FILLED,
    LoanInfo,
    LoanOrderRecord,
    LoanStatementRecord,
)
from tui.interface.paging import Page
from tui.venue.core.accounts import loan_records
from tui.venue.core.state.loans import LoanBooking, LoanOrder
from tui.venue.shell.rest.listing import LOAN_BOOKINGS, LOAN_ORDERS, Listing, page_of
from tui.venue.shell.rest.pages import ARCHIVE_MS, RECENT_MS, make_page, parse_window
from tui.venue.shell.rest.query import Query

R = TypeVar("R", LoanOrder, LoanBooking)


def info(query: Query) -> Any:
    """Return the loan figures of every venue account of the portfolio."""
    accounts = query.queries.loan_accounts(query.portfolio)
    return LoanInfo(portfolio_id=int(query.portfolio), accounts=accounts)


def config(query: Query) -> Any:
    """List the loan terms of the coins that can be borrowed."""
    del query
    return loan_records.list_terms()


def max_loan(query: Query) -> Any:
    """List the largest loan possible now, by venue and coin."""
    return [row for row in query.queries.max_loans(query.portfolio) if query.accepts("exchange", row.exchange)]


def orders(query: Query) -> Any:
    """List the loan orders in the requested time range; with a client order id only that one, if it is in the range."""
    ages = _ages(query)
    queries, params = query.queries, query.params
    where = {column: params[name] for name, column in _COLUMNS if name in params}
    client = params.get("client_order_id")
    if client is not None:
        named = queries.loan_order(query.portfolio, client)
        rows = [named] if named is not None and _matches(query, named, ages) else []
        return _drop_page_num(make_page(rows, params, _order, empty_num=query.empty_num))
    rows = [row for row in queries.loan_orders(query.portfolio) if _matches(query, row, ages)]
    return _page(query, LOAN_ORDERS, rows, ages, where, _order)


_COLUMNS = (("order_id", "order_id"), ("coin", "coin"), ("type", "kind"))


def _matches(query: Query, row: LoanOrder, ages: tuple[int, int]) -> bool:
    filtered = (("order_id", row.id), ("coin", row.coin), ("type", row.type))
    return ages[0] <= row.at <= ages[1] and all(query.accepts(name, value) for name, value in filtered)


def statement(query: Query) -> Any:
    """List the rows of the loan statement."""
    ages = _ages(query)
    coin, kind = query.params.get("coin"), query.params.get("type")
    kind = None if kind is None else f"loan_{kind}"
    rows = [
        row
        for row in query.queries.loan_bookings(query.portfolio)
        if ages[0] <= row.at <= ages[1] and coin in (None, row.coin) and kind in (None, row.type)
    ]
    where = {name: value for name, value in (("coin", coin), ("kind", kind)) if value is not None}
    return _page(query, LOAN_BOOKINGS, rows, ages, where, booking_record)


def _ages(query: Query) -> tuple[int, int]:
    """Return the requested time range, ms: by default the last 7 days, never more than 90 days back."""
    now = query.runtime.now_ms()
    end = int(query.params.get("end_time", str(now)))
    begin = int(query.params.get("start_time", str(min(now, end) - RECENT_MS)))
    within = parse_window({"begin": str(begin), "end": str(end)}, now)
    return within.clip(now - ARCHIVE_MS, end)


def _page(
    query: Query,
    listing: Listing,
    rows: Sequence[R],
    ages: tuple[int, int],
    where: dict[str, str],
    show: Callable[[R], Any],
) -> Any:
    return _drop_page_num(page_of(query, listing, rows, ages, {**where}, show))


def _drop_page_num(page: Page[Any]) -> Any:
    """Return a page without the field `pageNum`, which loan lists do not have."""
    return msgspec.structs.replace(page, page_num=UNSET)


def _order(row: LoanOrder) -> LoanOrderRecord:
    return LoanOrderRecord(
        order_id=row.id,
        client_order_id=row.client_id,
        exchange=row.exchange,
        type=row.type,
        coin=row.coin,
        amount=f"{row.amount:.2f}",
        status=FILLED,
        create_time=row.at,
    )


def booking_record(row: LoanBooking) -> LoanStatementRecord:
    """Build the response record of a loan statement row."""
    return LoanStatementRecord(
        statement_id=row.id,
        exchange=row.exchange,
        type=row.type,
        coin=row.coin,
        delta=truncate(row.delta),
        balance=truncate(row.balance),
        timestamp=row.at,
    )
