"""Archive of a venue on disk: rows that left memory, found by id and listed by time.

The past before the first start is written here too, on the first query about it.

A row is written here before the exchange removes it; a kill in between leaves it in both places, and the next pass
writes it once more.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from tui.crossdesk_error import os_error_text
from tui.private_files import open_private
from tui.venue.core.state.archive_reader import ArchivedRow
from tui.venue.shell.rest.pages import DAY_MS
from tui.venue.shell.storage import hourly_counts, turnover
from tui.venue.shell.storage.commit_failed import CommitFailed
from tui.venue.shell.storage.hourly_counts import ArchivedList, Selection
from tui.venue.shell.storage.store import StateUnreadable, schema_of
from tui.venue.shell.storage.turnover import Turnover

log = logging.getLogger("tui.venue")
SCHEMA = 2
_PAST_IS_MADE = ArchivedRow(table="made", key="0", value=b"")
"""Row written with the rows of the past."""
_TABLE = """
CREATE TABLE past (
    tbl TEXT, key TEXT, seq INTEGER, portfolio TEXT, at INTEGER, client TEXT, sym TEXT, exchange TEXT, business TEXT,
    order_id TEXT, coin TEXT, kind TEXT, executed INTEGER, value BLOB, PRIMARY KEY (tbl, key)
) WITHOUT ROWID
"""
_LISTS = "CREATE INDEX lists ON past (tbl, portfolio, at, seq, sym, exchange, business, order_id, coin, kind, executed)"
_OF_ORDERS = "CREATE INDEX of_orders ON past (tbl, portfolio, order_id, at, seq) WHERE order_id <> ''"
_CLIENTS = "CREATE INDEX clients ON past (tbl, portfolio, client, seq) WHERE client <> ''"
_COLUMNS = "tbl, key, seq, portfolio, at, client, sym, exchange, business, order_id, coin, kind, executed, value"


class PastRows(Protocol):
    """Rows of the invented history before the first start, created on the first query for them."""

    @property
    def before(self) -> int:
        """End of the invented history, ms."""
        ...

    def may_hold(self, table: str, key: str) -> bool: ...

    def may_hold_client(self, client_id: str) -> bool: ...

    def rows(self) -> Sequence[ArchivedRow]: ...


class Archive:
    """Archived rows in SQLite."""

    def __init__(self, path: Path | None) -> None:
        """Open or create the file with mode 0600; without a path, a temporary file that is deleted with the process.

        Raises:
            StateUnreadable: The file is damaged, or of a newer version.
        """
        self._name = "archive" if path is None else path.name
        self._owed: PastRows | None = None
        """Past that is not written yet."""
        try:
            if path is not None and not path.exists():
                os.close(open_private(path, os.O_CREAT | os.O_WRONLY))
            self._db = sqlite3.connect("" if path is None else path, isolation_level=None, timeout=1)
            run = self._db.execute
            run("PRAGMA synchronous=EXTRA")
            version = schema_of(self._db, path, SCHEMA)
            if version < SCHEMA:
                run("BEGIN IMMEDIATE")
                if not version:
                    _create(self._db)
                _count(self._db)
                run(f"PRAGMA user_version={SCHEMA}")
                run("COMMIT")
        except sqlite3.DatabaseError as error:
            raise StateUnreadable(f"{path}: {error}; move it away to continue without the history in it") from error
        except OSError as error:
            raise StateUnreadable(f"{path} cannot be opened: {os_error_text(error)}") from error

    def owe(self, past: PastRows | None) -> None:
        """Register the invented history of the venue; it is written on the first query for it."""
        if past is not None and not self._has(_PAST_IS_MADE):
            self._owed = past

    def _write_past(self) -> None:
        """Write the whole invented history, or nothing; after a failure the next query retries."""
        past, self._owed = self._owed, None
        if past is None:
            return
        try:
            self.add([*past.rows(), _PAST_IS_MADE])
        except CommitFailed as error:
            self._owed = past
            log.warning("the invented history was not written: %s", error)

    def add(self, rows: Sequence[ArchivedRow]) -> None:
        """Store rows, all or none of them.

        Raises:
            CommitFailed: No row was stored.
        """
        run = self._db.execute
        try:
            run("BEGIN IMMEDIATE")
            # After a kill between archive and state a row is added once more; it is counted once.
            new = [row for row in rows if not self._has(row)]
            hourly_counts.count(self._db, new)
            turnover.add(self._db, (row.value for row in new if row.table == "fill"))
            self._db.executemany(
                f"INSERT OR REPLACE INTO past ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", map(_values, rows)
            )
            run("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                if self._db.in_transaction:
                    run("ROLLBACK")
            raise CommitFailed(f"{self._name}: {error}") from error

    def _has(self, row: ArchivedRow) -> bool:
        return self._db.execute("SELECT 1 FROM past WHERE tbl=? AND key=?", (row.table, row.key)).fetchone() is not None

    def find(self, table: str, key: str) -> bytes | None:
        if self._owed is not None and self._owed.may_hold(table, key):
            self._write_past()
        row = self._db.execute("SELECT value FROM past WHERE tbl=? AND key=?", (table, key)).fetchone()
        return None if row is None else bytes(row[0])

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        if self._owed is not None and self._owed.may_hold_client(client_id):
            self._write_past()
        row = self._db.execute(
            "SELECT key FROM past WHERE tbl=? AND portfolio=? AND client=? AND client<>'' ORDER BY seq DESC LIMIT 1",
            (table, portfolio, client_id),
        ).fetchone()
        return "" if row is None else str(row[0])

    def select(self, selection: Selection) -> ArchivedList:
        """Return the archived rows that a selection matches, as a list read on demand."""
        if self._owed is not None and selection.begin < self._owed.before:
            self._write_past()
        return ArchivedList(self._db, selection)

    def turnover(self, portfolio: str, first: int, last: int) -> Iterator[tuple[str, Turnover]]:
        """Iterate over a portfolio's turnover per pair and day; days are counted from 1970, both ends inclusive."""
        if self._owed is not None and first * DAY_MS < self._owed.before:
            self._write_past()
        return turnover.turnover_of_days(self._db, portfolio, first, last)

    def close(self) -> None:
        self._db.close()


def _create(database: sqlite3.Connection) -> None:
    for statement in (_TABLE, _LISTS, _CLIENTS):
        database.execute(statement)


def _count(database: sqlite3.Connection) -> None:
    """Compute row counts and turnover sums for an archive of schema 2, which has none."""
    for statement in (_OF_ORDERS, hourly_counts.TABLE, turnover.TABLE):
        database.execute(statement)
    hourly_counts.fill_from_rows(database)
    turnover.fill_from_rows(database)


def _values(row: ArchivedRow) -> tuple[object, ...]:
    return (
        row.table, row.key, int(row.key), row.portfolio, row.at, row.client, row.sym, row.exchange, row.business,
        row.order_id, row.coin, row.kind, int(row.executed), row.value,
    )  # fmt: skip
