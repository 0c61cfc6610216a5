"""Durability: what the exchange must not lose is committed before anything that depends on it leaves."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from tui.venue.core.events import Durable

SCHEMA = 1


class StateUnreadable(Exception):
    """The state file cannot be used; the text says why and what to do."""


class Store:
    """Rows by table and key in SQLite (WAL, synchronous FULL). Every call runs to the disk before it returns."""

    def __init__(self, path: Path) -> None:
        """Open or create the file, 0600.

        Raises:
            StateUnreadable: damaged, of a newer version, or held by another venue.
        """
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        old_mask = os.umask(0o077)
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=1)
            self._open(path)
        except sqlite3.DatabaseError as error:
            raise StateUnreadable(f"{path}: {error}; move it away to start with a fresh venue") from error
        finally:
            os.umask(old_mask)

    def _open(self, path: Path) -> None:
        run = self._db.execute
        run("PRAGMA locking_mode=EXCLUSIVE")
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=FULL")
        run("PRAGMA fullfsync=1")
        version = run("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA:
            raise StateUnreadable(f"{path}: written by a newer version (schema {version}, this one knows {SCHEMA})")
        run("BEGIN IMMEDIATE")
        run("CREATE TABLE IF NOT EXISTS durable (tbl TEXT, key TEXT, value BLOB, PRIMARY KEY (tbl, key)) WITHOUT ROWID")
        run(f"PRAGMA user_version={SCHEMA}")
        run("COMMIT")

    def load(self) -> Iterator[Durable]:
        """Every row, by table and key."""
        for table, key, value in self._db.execute("SELECT tbl, key, value FROM durable ORDER BY tbl, key"):
            yield Durable(table, key, value)

    @property
    def empty(self) -> bool:
        return self._db.execute("SELECT 1 FROM durable LIMIT 1").fetchone() is None

    def commit(self, rows: Sequence[Durable]) -> None:
        """Make the rows durable, all or none."""
        run = self._db.execute
        run("BEGIN IMMEDIATE")
        try:
            for row in rows:
                if row.value is None:
                    run("DELETE FROM durable WHERE tbl=? AND key=?", (row.table, row.key))
                else:
                    run("INSERT OR REPLACE INTO durable VALUES (?,?,?)", (row.table, row.key, row.value))
        except sqlite3.Error:
            run("ROLLBACK")
            raise
        run("COMMIT")

    def close(self) -> None:
        self._db.close()


class NoStore:
    """A venue that forgets."""

    def commit(self, rows: Sequence[Durable]) -> None:
        """Nothing to keep."""

    def close(self) -> None:
        """Nothing to close."""
