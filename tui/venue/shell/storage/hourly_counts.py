"""Row counts of the archive per hour, by which a list knows its length and finds a page without reading all rows before.

The counts are written with the rows, in one transaction, one count per hour and for each value that a list may be
narrowed by. Only the hours at both ends of a list, which it may hold in part, are counted row by row.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tui.venue.core.state.archive_reader import ArchivedRow

HOUR_MS = 3_600_000
NARROWED_BY = ("sym", "exchange", "business", "coin", "kind", "executed")
"""Columns counted separately. Not the order id: the rows of one order are few and indexed."""
_KEY = f"tbl, portfolio, hour, {', '.join(NARROWED_BY)}"
TABLE = f"""
CREATE TABLE tally (
    tbl TEXT, portfolio TEXT, hour INTEGER, sym TEXT, exchange TEXT, business TEXT, coin TEXT, kind TEXT,
    executed INTEGER, rows INTEGER, PRIMARY KEY ({_KEY})
) WITHOUT ROWID
"""


class RowPosition(NamedTuple):
    """Position of a row in a list sorted newest first."""

    at: int
    seq: int
    key: str


class Selection(NamedTuple):
    """The rows of a table that a list contains; both times inclusive, ms."""

    table: str
    portfolio: str
    begin: int
    end: int
    where: Mapping[str, str | bool]

    def clause(self, time: str, first: int, last: int) -> tuple[str, list[str | int]]:
        """The SQL condition of the selection with a time column, and its values."""
        words = [f"tbl=? AND portfolio=? AND {time} BETWEEN ? AND ?"]
        values: list[str | int] = [self.table, self.portfolio, first, last]
        for column, value in self.where.items():
            assert column in NARROWED_BY or column == "order_id"
            words.append(f"AND {column}=?")
            if column == "order_id" and value:
                words.append("AND order_id<>''")
            values.append(int(value) if isinstance(value, bool) else value)
        return " ".join(words), values


class _Span(NamedTuple):
    """A part of a list: first and last time, ms, and its number of rows."""

    begin: int
    end: int
    rows: int


def fill_from_rows(database: sqlite3.Connection) -> None:
    """Count the rows of an archive made before there were counts."""
    grouped = f"tbl, portfolio, at / {HOUR_MS} AS hour, {', '.join(NARROWED_BY)}"
    database.execute(f"INSERT INTO tally ({_KEY}, rows) SELECT {grouped}, COUNT(*) FROM past GROUP BY {_KEY}")


def count(database: sqlite3.Connection, rows: Iterable[ArchivedRow]) -> None:
    """Count rows that are new in the archive."""
    found = Counter(
        (
            one.table,
            one.portfolio,
            one.at // HOUR_MS,
            one.sym,
            one.exchange,
            one.business,
            one.coin,
            one.kind,
            one.executed,
        )
        for one in rows
    )
    database.executemany(
        f"INSERT INTO tally ({_KEY}, rows) VALUES (?,?,?,?,?,?,?,?,?,?) "
        f"ON CONFLICT ({_KEY}) DO UPDATE SET rows = rows + excluded.rows",
        [(*key, many) for key, many in found.items()],
    )


class ArchivedList:
    """One list of archived rows, newest first, as of now."""

    def __init__(self, database: sqlite3.Connection, wanted: Selection) -> None:
        self._database = database
        self._wanted = wanted
        self._spans = [span for span in self._find_spans() if span.rows]
        self.total = sum(span.rows for span in self._spans)

    def _find_spans(self) -> list[_Span]:
        wanted = self._wanted
        if wanted.begin > wanted.end:
            return []
        if "order_id" in wanted.where:
            return [self._count_span(wanted.begin, wanted.end)]
        clause, values = wanted.clause("hour", wanted.begin // HOUR_MS, wanted.end // HOUR_MS)
        hours = self._database.execute(
            f"SELECT hour, SUM(rows) FROM tally WHERE {clause} GROUP BY hour ORDER BY hour DESC", values
        )
        spans = []
        for hour, rows in hours.fetchall():
            begin, end = max(wanted.begin, hour * HOUR_MS), min(wanted.end, (hour + 1) * HOUR_MS - 1)
            whole = end - begin == HOUR_MS - 1
            spans.append(_Span(begin, end, rows) if whole else self._count_span(begin, end))
        return spans

    def _count_span(self, begin: int, end: int) -> _Span:
        clause, values = self._wanted.clause("at", begin, end)
        found: int = self._database.execute(f"SELECT COUNT(*) FROM past WHERE {clause}", values).fetchone()[0]
        return _Span(begin, end, found)

    def row_positions(self, skip: int, most: int) -> list[RowPosition]:
        """Positions of the rows after the first `skip`, at most `count` of them."""
        found: list[RowPosition] = []
        for span in self._spans:
            if len(found) >= most:
                break
            if skip >= span.rows:
                skip -= span.rows
                continue
            clause, values = self._wanted.clause("at", span.begin, span.end)
            rows = self._database.execute(
                f"SELECT at, seq, key FROM past WHERE {clause} ORDER BY at DESC, seq DESC LIMIT ? OFFSET ?",
                [*values, most - len(found), skip],
            )
            found += [RowPosition(*row) for row in rows]
            skip = 0
        return found
