"""Row counts of the archive per hour, so that a list's length and pages are found without reading all rows.

The counts are written with the rows, in one transaction: one count per hour and value of each filter column. Only the
hours at both ends of a list, which it may hold in part, are counted row by row.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tui.venue.core.state.archive_reader import ArchivedRow

HOUR_MS = 3_600_000
NARROWED_BY = ("sym", "exchange", "business", "coin", "kind", "executed")
"""Columns counted separately. Not the order id: an order has few rows, which are indexed."""
_KEY = f"tbl, portfolio, hour, {', '.join(NARROWED_BY)}"
TABLE = f"""
CREATE TABLE tally (
    tbl TEXT, portfolio TEXT, hour INTEGER, sym TEXT, exchange TEXT, business TEXT, coin TEXT, kind TEXT,
    executed INTEGER, rows INTEGER, PRIMARY KEY ({_KEY})
) WITHOUT ROWID
"""


class RowPosition(NamedTuple):
    """Position of a row in a list, newest first."""

    at: int
    seq: int
    key: str


class Selection(NamedTuple):
    """Filter of archived rows with a time range in ms, both ends inclusive."""

    table: str
    portfolio: str
    begin: int
    end: int
    where: Mapping[str, str | bool]

    def clause(self, time: str, first: int, last: int) -> tuple[str, list[str | int]]:
        """Build the SQL condition of the selection, and its values; `time` is the column of the time range."""
        conditions = [f"tbl=? AND portfolio=? AND {time} BETWEEN ? AND ?"]
        values: list[str | int] = [self.table, self.portfolio, first, last]
        for column, value in self.where.items():
            assert column in NARROWED_BY or column == "order_id"
            conditions.append(f"AND {column}=?")
            if column == "order_id" and value:
                conditions.append("AND order_id<>''")
            values.append(int(value) if isinstance(value, bool) else value)
        return " ".join(conditions), values


class _Span(NamedTuple):
    """Part of a list: first and last time in ms, and its number of rows."""

    begin: int
    end: int
    rows: int


def fill_from_rows(database: sqlite3.Connection) -> None:
    """Count the rows of an archive written by a version without counts."""
    grouped = f"tbl, portfolio, at / {HOUR_MS} AS hour, {', '.join(NARROWED_BY)}"
    database.execute(f"INSERT INTO tally ({_KEY}, rows) SELECT {grouped}, COUNT(*) FROM past GROUP BY {_KEY}")


def count(database: sqlite3.Connection, rows: Iterable[ArchivedRow]) -> None:
    """Add rows that are new in the archive to the counts."""
    counts = Counter(
        (
            row.table,
            row.portfolio,
            row.at // HOUR_MS,
            row.sym,
            row.exchange,
            row.business,
            row.coin,
            row.kind,
            row.executed,
        )
        for row in rows
    )
    database.executemany(
        f"INSERT INTO tally ({_KEY}, rows) VALUES (?,?,?,?,?,?,?,?,?,?) "
        f"ON CONFLICT ({_KEY}) DO UPDATE SET rows = rows + excluded.rows",
        [(*key, many) for key, many in counts.items()],
    )


class ArchivedList:
    """List of archived rows, newest first, as it is at this moment."""

    def __init__(self, database: sqlite3.Connection, selection: Selection) -> None:
        self._database = database
        self._selection = selection
        self._spans = [span for span in self._find_spans() if span.rows]
        self.total = sum(span.rows for span in self._spans)

    def _find_spans(self) -> list[_Span]:
        selection = self._selection
        if selection.begin > selection.end:
            return []
        if "order_id" in selection.where:
            return [self._count_span(selection.begin, selection.end)]
        clause, values = selection.clause("hour", selection.begin // HOUR_MS, selection.end // HOUR_MS)
        hours = self._database.execute(
            f"SELECT hour, SUM(rows) FROM tally WHERE {clause} GROUP BY hour ORDER BY hour DESC", values
        )
        spans = []
        for hour, rows in hours.fetchall():
            begin, end = max(selection.begin, hour * HOUR_MS), min(selection.end, (hour + 1) * HOUR_MS - 1)
            whole = end - begin == HOUR_MS - 1
            spans.append(_Span(begin, end, rows) if whole else self._count_span(begin, end))
        return spans

    def _count_span(self, begin: int, end: int) -> _Span:
        clause, values = self._selection.clause("at", begin, end)
        rows: int = self._database.execute(f"SELECT COUNT(*) FROM past WHERE {clause}", values).fetchone()[0]
        return _Span(begin, end, rows)

    def row_positions(self, skip: int, most: int) -> list[RowPosition]:
        """List the archive positions of matching rows, after skipping `skip` of them, at most `most`."""
        positions: list[RowPosition] = []
        for span in self._spans:
            if len(positions) >= most:
                break
            if skip >= span.rows:
                skip -= span.rows
                continue
            clause, values = self._selection.clause("at", span.begin, span.end)
            rows = self._database.execute(
                f"SELECT at, seq, key FROM past WHERE {clause} ORDER BY at DESC, seq DESC LIMIT ? OFFSET ?",
                [*values, most - len(positions), skip],
            )
            positions += [RowPosition(*row) for row in rows]
            skip = 0
        return positions
