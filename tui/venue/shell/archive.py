"""The archive of a venue: what left its memory, on disk beside the state, found by id and listed by time through an index.

A row is written here before the exchange lets go of it; a death in between leaves it in both places, and the next pass
writes it once more.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tui.venue.core.past import PastRow
from tui.venue.shell.runtime import NotKept
from tui.venue.shell.store import StateUnreadable

SCHEMA = 1
_TABLE = """
CREATE TABLE past (
    tbl TEXT, key TEXT, seq INTEGER, portfolio TEXT, at INTEGER, client TEXT, sym TEXT, exchange TEXT, business TEXT,
    order_id TEXT, coin TEXT, kind TEXT, executed INTEGER, value BLOB, PRIMARY KEY (tbl, key)
) WITHOUT ROWID
"""
_LISTS = "CREATE INDEX lists ON past (tbl, portfolio, at, seq, sym, exchange, business, order_id, coin, kind, executed)"
_CLIENTS = "CREATE INDEX clients ON past (tbl, portfolio, client, seq) WHERE client <> ''"
_COLUMNS = "tbl, key, seq, portfolio, at, client, sym, exchange, business, order_id, coin, kind, executed, value"

SELECTED_BY = frozenset(["sym", "exchange", "business", "order_id", "coin", "kind", "executed"])
"""Columns that a list may be narrowed by."""


class Place(NamedTuple):
    """Where a row stands in a list that is sorted newest first."""

    at: int
    seq: int
    key: str


class Selection(NamedTuple):
    """Which rows of a table a list is about; both times inclusive, ms."""

    table: str
    portfolio: str
    begin: int
    end: int
    where: Mapping[str, str | bool]

    def clause(self) -> tuple[str, list[str | int]]:
        """The condition and its values."""
        words = ["tbl=? AND portfolio=? AND at BETWEEN ? AND ?"]
        values: list[str | int] = [self.table, self.portfolio, self.begin, self.end]
        for column, value in self.where.items():
            assert column in SELECTED_BY
            words.append(f"AND {column}=?")
            values.append(int(value) if isinstance(value, bool) else value)
        return " ".join(words), values


class Archive:
    """Rows that left memory, in SQLite."""

    def __init__(self, path: Path | None) -> None:
        """Open or create the file, 0600; without a path a temporary one that ends with the process.

        Raises:
            StateUnreadable: damaged, or of a newer version.
        """
        self._name = "archive" if path is None else path.name
        if path is not None and not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        try:
            self._db = sqlite3.connect("" if path is None else path, isolation_level=None, timeout=1)
            run = self._db.execute
            run("PRAGMA synchronous=EXTRA")
            version = run("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA:
                raise StateUnreadable(f"{path}: written by a newer version (schema {version}, this one knows {SCHEMA})")
            if not version:
                run("BEGIN IMMEDIATE")
                for statement in (_TABLE, _LISTS, _CLIENTS, f"PRAGMA user_version={SCHEMA}"):
                    run(statement)
                run("COMMIT")
        except sqlite3.DatabaseError as error:
            raise StateUnreadable(f"{path}: {error}; move it away to go on without the history in it") from error

    def add(self, rows: Sequence[PastRow]) -> None:
        """Keep rows, all or none.

        Raises:
            NotKept: none is.
        """
        run = self._db.execute
        try:
            run("BEGIN IMMEDIATE")
            self._db.executemany(
                f"INSERT OR REPLACE INTO past ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", map(_values, rows)
            )
            run("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                if self._db.in_transaction:
                    run("ROLLBACK")
            raise NotKept(f"{self._name}: {error}") from error

    def find(self, table: str, key: str) -> bytes | None:
        found = self._db.execute("SELECT value FROM past WHERE tbl=? AND key=?", (table, key)).fetchone()
        return None if found is None else bytes(found[0])

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        found = self._db.execute(
            "SELECT key FROM past WHERE tbl=? AND portfolio=? AND client=? AND client<>'' ORDER BY seq DESC LIMIT 1",
            (table, portfolio, client_id),
        ).fetchone()
        return "" if found is None else str(found[0])

    def count(self, wanted: Selection) -> int:
        """How many rows a list has."""
        clause, values = wanted.clause()
        found: int = self._db.execute(f"SELECT COUNT(*) FROM past WHERE {clause}", values).fetchone()[0]
        return found

    def places(self, wanted: Selection, skip: int, most: int) -> list[Place]:
        """The places of the rows of a list, newest first, after the first `skip`."""
        clause, values = wanted.clause()
        rows = self._db.execute(
            f"SELECT at, seq, key FROM past WHERE {clause} ORDER BY at DESC, seq DESC LIMIT ? OFFSET ?",
            [*values, most, skip],
        )
        return [Place(*row) for row in rows]

    def scan(self, wanted: Selection) -> Iterator[bytes]:
        """Every row of a list, newest first."""
        clause, values = wanted.clause()
        for (value,) in self._db.execute(f"SELECT value FROM past WHERE {clause} ORDER BY at DESC, seq DESC", values):
            yield bytes(value)

    def close(self) -> None:
        self._db.close()


def _values(row: PastRow) -> tuple[object, ...]:
    return (
        row.table, row.key, int(row.key), row.portfolio, row.at, row.client, row.sym, row.exchange, row.business,
        row.order_id, row.coin, row.kind, int(row.executed), row.value,
    )  # fmt: skip
