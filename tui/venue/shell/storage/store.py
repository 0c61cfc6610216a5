"""State file: changed rows are on disk before a reply or push that depends on them is sent."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from tui.crossdesk_error import CrossdeskError, os_error_text
from tui.private_files import open_private
from tui.venue.core.events import Durable
from tui.venue.shell.storage.commit_failed import CommitFailed
from tui.venue.shell.storage.state_mark import StateMark

SCHEMA = 3
MARKED = 2
"""Newest schema without an account id; it is upgraded on open."""
ACCOUNT = "account"
"""Row of the file itself, not of the exchange: its account id."""
_AWAY = "move it away to start with a fresh venue"


class StateUnreadable(CrossdeskError):
    """Error for a state file that cannot be used; its text contains the reason and what to do."""

    title = "State of the venue not readable"


def schema_of(database: sqlite3.Connection, path: Path | None, newest: int) -> int:
    """Return the schema version of a file; 0 for a new one.

    Raises:
        StateUnreadable: The schema is newer than the newest known one.
    """
    schema: int = database.execute("PRAGMA user_version").fetchone()[0]
    if schema > newest:
        raise StateUnreadable(f"{path}: written by a newer version (schema {schema}, this one knows {newest})")
    return schema


class Store:
    """Rows by table and key in SQLite; a call returns only after its changes are on disk.

    There is no write-ahead log: SQLite silently drops what follows a damaged place in it. Each row has a mark over its
    content, and one more row holds the sum of all marks, so that a change from outside is noticed.
    """

    is_slow = True

    def __init__(self, path: Path) -> None:
        """Open or create the file with mode 0600.

        Raises:
            StateUnreadable: The file is damaged, of a newer version, or held by another venue.
        """
        self._path = path
        self._sum = self._commits = 0
        self._mark: StateMark | None = None
        self.account_id = ""
        """Id of the state in the file, from its first row on; empty until `identify`."""
        old_mask = os.umask(0o077)
        try:
            if not path.exists():
                _create(path)
            elif path.is_dir():
                raise StateUnreadable(f"{path} is a directory; name a file")
            elif path.stat().st_size <= 1:  # SQLite treats one byte as empty, and would delete the journal
                raise StateUnreadable(f"{path} is empty, but a state file never is: its content is lost; {_AWAY}")
            self._db = sqlite3.connect(path, isolation_level=None, timeout=1)
            self._open(path)
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                raise StateUnreadable(f"{path} is held by another venue; end that one or name another file") from error
            raise StateUnreadable(f"{path}: {error}; {_AWAY}") from error
        except OSError as error:
            raise StateUnreadable(
                f"{path} cannot be opened: {os_error_text(error)}; name a file that can be written"
            ) from error
        finally:
            os.umask(old_mask)

    def _open(self, path: Path) -> None:
        run = self._db.execute
        run("PRAGMA locking_mode=EXCLUSIVE")
        run("PRAGMA journal_mode=DELETE")
        run("PRAGMA synchronous=EXTRA")
        run("PRAGMA fullfsync=1")
        version = schema_of(self._db, path, SCHEMA)
        if not version:
            raise StateUnreadable(f"{path} is a database, but not a state of a venue; name another file")
        run("BEGIN IMMEDIATE")
        if version < SCHEMA:
            _upgrade(self._db, version)
        run("COMMIT")
        verdict = run("PRAGMA quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise StateUnreadable(f"{path} is damaged: {' '.join(str(verdict).split())[:80]}; {_AWAY}")
        self._sum = self._verify_rows()

    def _verify_rows(self) -> int:
        """Verify the checksum of every row; return the combined checksum of all rows."""
        total = 0
        for table, key, value, mark in self._db.execute("SELECT tbl, key, value, mark FROM durable"):
            if not (isinstance(table, str) and isinstance(key, str) and isinstance(value, bytes)):
                raise StateUnreadable(f"{self._path} is damaged: a row has the wrong types; {_AWAY}")
            if mark != _mark(table, key, value):
                raise StateUnreadable(f"{self._path} is damaged: row {table} {key} was changed from outside; {_AWAY}")
            total ^= mark
        totals = self._db.execute("SELECT mark, commits FROM total").fetchall()
        if [mark for mark, _ in totals] != [total]:
            raise StateUnreadable(f"{self._path} is damaged: rows are missing; {_AWAY}")
        self._commits = int(totals[0][1])
        return total

    def identify(self, fresh_id: Callable[[], str], marks: Path) -> None:
        """Read the account id; assign a new id if the state has none or was restored from a backup.

        Args:
            fresh_id: Draws an id.
            marks: Folder of the marks.
        """
        row = self._db.execute("SELECT value FROM durable WHERE tbl=?", (ACCOUNT,)).fetchone()
        text = row[0].decode(errors="replace") if row is not None else ""
        self.account_id = text if text.isascii() and text.isalnum() else ""
        self._mark = StateMark(marks, self.account_id)
        if self.account_id and self._mark.read() <= self._commits:
            self._mark.write(self._commits)
            return
        self.account_id = fresh_id()
        self._mark.close()
        self._mark = StateMark(marks, self.account_id)
        self.commit([Durable(ACCOUNT, "", self.account_id.encode())])

    def load(self) -> Iterator[Durable]:
        """Iterate over every row of the exchange, sorted by table and key."""
        rows = self._db.execute("SELECT tbl, key, value FROM durable WHERE tbl<>? ORDER BY tbl, key", (ACCOUNT,))
        for table, key, value in rows:
            yield Durable(table, key, value)

    @property
    def empty(self) -> bool:
        return self._db.execute("SELECT 1 FROM durable WHERE tbl<>? LIMIT 1", (ACCOUNT,)).fetchone() is None

    def commit(self, rows: Sequence[Durable]) -> None:
        """Write the rows to disk, all or none of them.

        Raises:
            CommitFailed: No row was written.
        """
        run = self._db.execute
        try:
            run("BEGIN IMMEDIATE")
            after = self._sum
            for row in rows:
                after ^= self._put(row)
            run("UPDATE total SET mark=?, commits=?", (after, self._commits + 1))
            run("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                if self._db.in_transaction:
                    run("ROLLBACK")
            raise CommitFailed(f"{self._path.name}: {error}") from error
        self._sum, self._commits = after, self._commits + 1
        if self._mark is not None:
            self._mark.write(self._commits)

    def _put(self, row: Durable) -> int:
        """Write a row; return the change of the combined checksum."""
        run, where = self._db.execute, (row.table, row.key)
        before = run("SELECT mark FROM durable WHERE tbl=? AND key=?", where).fetchone()
        change = int(before[0]) if before is not None else 0
        if row.value is None:
            run("DELETE FROM durable WHERE tbl=? AND key=?", where)
            return change
        mark = _mark(row.table, row.key, row.value)
        run("INSERT OR REPLACE INTO durable VALUES (?,?,?,?)", (*where, row.value, mark))
        return change ^ mark

    def close(self) -> None:
        self._db.close()
        if self._mark is not None:
            self._mark.close()


def _create(path: Path) -> None:
    """Create an empty state file under a temporary name and rename it, so that it is never seen half-written."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    os.close(open_private(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        database = sqlite3.connect(fresh, isolation_level=None)
        try:
            database.execute(
                "CREATE TABLE durable (tbl TEXT, key TEXT, value BLOB, mark INTEGER, PRIMARY KEY (tbl, key)) "
                "WITHOUT ROWID"
            )
            database.execute("CREATE TABLE total (mark INTEGER, commits INTEGER NOT NULL)")
            database.execute("INSERT INTO total VALUES (0, 0)")
            database.execute(f"PRAGMA user_version={SCHEMA}")
        finally:
            database.close()
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()


def _upgrade(database: sqlite3.Connection, version: int) -> None:
    """Upgrade an old file: schema 1 has no checksums, schema 2 no commit count and no account id."""
    if version < MARKED:
        total = 0
        database.execute("ALTER TABLE durable ADD COLUMN mark INTEGER")
        for table, key, value in database.execute("SELECT tbl, key, value FROM durable").fetchall():
            mark = _mark(table, key, value)
            database.execute("UPDATE durable SET mark=? WHERE tbl=? AND key=?", (mark, table, key))
            total ^= mark
        database.execute("CREATE TABLE total (mark INTEGER)")
        database.execute("INSERT INTO total VALUES (?)", (total,))
    database.execute("ALTER TABLE total ADD COLUMN commits INTEGER NOT NULL DEFAULT 0")
    database.execute(f"PRAGMA user_version={SCHEMA}")


def _mark(table: str, key: str, value: bytes) -> int:
    """Return 63 bits of a row's digest as its checksum."""
    digest = blake2b(b"\0".join((table.encode(), key.encode(), value)), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


class MemoryStore:
    """Storage of a venue that runs without a state file: keeps nothing."""

    is_slow = False

    def __init__(self, account_id: str = "") -> None:
        self.account_id = account_id

    def commit(self, rows: Sequence[Durable]) -> None:
        """Do nothing, because there is no state file."""

    def close(self) -> None:
        """Do nothing, because there is no state file."""
