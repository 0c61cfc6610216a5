"""Journal file: SQLite in WAL mode, a hash chain over its rows, and a high-water mark beside it.

SQLite silently drops everything after a damaged frame of its write-ahead log. The mark is written before an entry is
reported as durable, so the loss is detected. A rollback journal would detect it too, at three times the cost.
One commit costs one sync, that of the log. The mark's own sync and the checkpoint of the log are left to `tidy`, memory
and archive to `settle`.
A file is verified before anything is written to it; a damaged one is renamed and kept unchanged.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Protocol

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.engine.journal import high_water
from tui.engine.journal.high_water import HighWater, Mark
from tui.engine.journal.journal_reader import (
    ARCHIVE,
    LOCK_WAIT,
    NOTHING,
    archive_name,
    connect_reader,
    decode_text,
    list_archives,
    size_of,
)
from tui.engine.journal.journal_rows import (
    SCHEMA,
    SELECT,
    TYPES,
    Entry,
    Row,
    chain_hash,
    entry_of,
    insert,
    insert_rows,
    values_of,
)
from tui.private_files import open_private

VERSION = 2
UNMARKED = 1
"""Schema version without a high-water mark; upgraded on open."""
MARK_TAIL = "-mark"
LOGS = ("-wal", "-journal")
"""Log files that SQLite leaves after a crash; the rollback journal exists only during archiving."""
TAILS = ("", *LOGS, "-shm", MARK_TAIL)
"""Suffixes of all files of one journal."""
SEGMENT = 20_000
"""Entries after which the file becomes an archive and a new journal starts with a checkpoint."""
CHECKPOINT = "checkpoint"
"""Kind of the entry that summarizes everything before it."""
CHECKPOINT_AFTER = 250
"""Commits after which `tidy` moves the write-ahead log into the database."""
LONG_LOG = 1_000
"""Commits after which `tidy` no longer waits for a pause."""
ROTATE_AGAIN = 1_000
"""Entries after which a failed archive is retried."""

_BASE = "CREATE TABLE base (seq INTEGER NOT NULL, hash TEXT NOT NULL)"
"""Table of one row: the last entry of the archives; number 0 when there is none."""
_INSERT_BASE = "INSERT INTO base VALUES (?, ?)"
_READ_BASE = "SELECT seq, hash FROM base"
_NEWEST = "SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1"


class Memory(Protocol):
    """State replayed from the journal entries so far; it can be saved as a checkpoint."""

    def apply(self, entry: Entry) -> None: ...

    def checkpoint(self, wall: float) -> str:
        """Encode the state as the payload of a checkpoint; `wall` is Unix time, in s."""
        ...


class Damaged(CrossdeskError):
    """Journal file that failed verification."""

    title = "Journal damaged"


def _continue_chain(mark: Mark, drafts: Sequence[Entry]) -> tuple[list[Row], list[Entry]]:
    """Add numbers and chained hashes to new entries; return them as database rows and as entries."""
    last = mark.hash
    rows: list[Row] = []
    written: list[Entry] = []
    for seq, draft in enumerate(drafts, mark.seq + 1):
        entry = msgspec.structs.replace(draft, seq=seq)
        hashed = chain_hash(last, entry)
        rows.append((seq, last, hashed, *values_of(entry)))
        written.append(entry)
        last = hashed
    return rows, written


class JournalFile:
    """Open journal file; created and used only on the writer's thread."""

    is_untidy = False
    """Whether `tidy` has work to do."""
    commits = 0
    """Commits since the log was last emptied."""

    def __init__(self, path: Path, wall: Callable[[], float], memory: Memory | None = None) -> None:
        """Open or create the file with mode 0600.

        Args:
            path: The database; its other files are beside it.
            wall: Unix time in seconds, for the name of a file that is set aside.
            memory: Receiver of every entry, existing ones first; without it nothing is archived.

        Raises:
            OSError: It cannot be opened, is a link, or was written by a newer version.
            sqlite3.Error: Reported by SQLite for the same reasons.
        """
        self._path = path
        self._wall = wall
        self._memory = memory
        self.unsettled: list[Entry] = []
        """Committed entries not yet passed to the memory."""
        self._rotate_at = SEGMENT
        self.rows_read = 0
        """Number of entries read at opening."""
        mark, version, self.set_aside = _prepare(path, wall)
        """What happened to a damaged file, or an empty text."""
        self._mark = mark
        self._is_detached = False
        """Whether the database is closed for archiving."""
        self._database = _connect_database(path)
        self._inode = path.stat().st_ino
        try:
            self._high_water = HighWater(_sibling(path, MARK_TAIL))
            if version == UNMARKED:
                _upgrade(self._database)
            self._reload_newest()
            if self._mark != mark:
                raise OSError("it changed while it was opened")
            _drop_archive_link(path)
            self._load_memory()
        except BaseException:
            self._database.close()
            raise

    def append(self, drafts: Sequence[Entry]) -> list[int]:
        """Write entries durably, then update the replayed state and archive if due: `commit` and `settle`."""
        numbers = self.commit(drafts)
        self.settle()
        return numbers

    def commit(self, drafts: Sequence[Entry]) -> list[int]:
        """Write entries in one transaction; return their numbers once they are on disk.

        Raises:
            OSError: They may not be on disk.
            sqlite3.Error: Reported by SQLite for the same reason.
        """
        if self._is_detached:
            self._connect()
        self._check_presence()
        rows, written = _continue_chain(self._mark, drafts)
        try:
            insert(self._database, rows)
            if rows:
                self._mark = Mark(rows[-1][0], rows[-1][2])
            self._high_water.write(self._mark)
        except BaseException:
            with suppress(sqlite3.Error):
                self._reload_newest()
            raise
        self.is_untidy = True
        self.commits += 1
        if self._memory is not None:
            self.unsettled += written
        return [row[0] for row in rows]

    def _check_presence(self) -> None:
        """Check that the path still leads to the open file, because entries written to a deleted file would be lost.

        Raises:
            OSError: It was removed or replaced.
        """
        try:
            is_same = self._path.stat().st_ino == self._inode
        except FileNotFoundError:
            is_same = False
        if not is_same:
            raise OSError(f"{self._path.name} was removed or replaced while it was open; start crossdesk again")

    def settle(self) -> None:
        """Apply committed entries to the replayed state, and archive if due; a failure here does not affect the entries."""
        memory = self._memory
        if memory is None:
            return
        written, self.unsettled = self.unsettled, []
        for entry in written:
            memory.apply(entry)
        if self._mark.seq - self._base.seq < self._rotate_at:
            return
        self._rotate_at += ROTATE_AGAIN
        with suppress(OSError, sqlite3.Error):
            self._rotate(memory)

    def tidy(self) -> None:
        """Do deferrable work: flush the high-water mark to the disk, and checkpoint a long WAL log."""
        self.is_untidy = False
        if self._is_detached:
            return
        with suppress(OSError, sqlite3.Error):
            self._high_water.sync()
            if self.commits >= CHECKPOINT_AFTER:
                self._database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                self.commits = 0

    def entries(self) -> list[Entry]:
        """Read all entries, oldest first.

        Raises:
            sqlite3.Error: They cannot be read.
        """
        return [entry_of(row) for row in self._database.execute(SELECT)]

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._database.close()
        with suppress(OSError):
            self._high_water.sync()
        with suppress(OSError):
            self._high_water.close()

    def _reload_newest(self) -> None:
        """Reload number and hash of the newest entry on disk."""
        newest = self._database.execute(_NEWEST).fetchone()
        self._mark = Mark(*newest) if newest is not None else _base(self._database)

    def _load_memory(self) -> None:
        """Replay existing entries into the state; archive at once when there are too many."""
        self._base = _base(self._database)
        if self._memory is None:
            return
        for row in self._database.execute(SELECT):
            self._memory.apply(entry_of(row))
            self.rows_read += 1
        self.settle()

    def _rotate(self, memory: Memory) -> None:
        """Archive the file and start a new one with a checkpoint; postponed while another process is reading.

        The archive is a hard link until the new file is renamed into place: a crash in between loses nothing.
        """
        if self._set_journal_mode("DELETE") != "delete":
            self._set_journal_mode("WAL")
            return
        last, wall = self._mark, self._wall()
        entry = Entry(
            seq=last.seq + 1,
            wall_ms=int(wall * 1000),
            mono=0.0,
            epoch=0,
            kind=CHECKPOINT,
            intent_id="",
            client_order_id="",
            order_id="",
            payload=memory.checkpoint(wall),
        )
        row: Row = (entry.seq, last.hash, chain_hash(last.hash, entry), *values_of(entry))
        self._is_detached = True
        self._database.close()
        archive = self._path.with_name(archive_name(self._base.seq + 1, last.seq))
        fresh = self._path.with_name(f"{self._path.name}.new")
        try:
            os.link(self._path, archive)
            _make_database(fresh, last, [row])
            fresh.rename(self._path)
            high_water.sync_folder(self._path.parent)
        finally:
            _drop_archive_link(self._path)
            self._connect()
        self._rotate_at = SEGMENT

    def _connect(self) -> None:
        """Reopen the journal file after an attempt to archive it, and write its newest entry to the high-water mark."""
        self._database = _connect_database(self._path)
        self._inode = self._path.stat().st_ino
        self._is_detached = False
        self._base = _base(self._database)
        self._reload_newest()
        self._high_water.write(self._mark)
        self._high_water.sync()

    def _set_journal_mode(self, wanted: str) -> str:
        """Change the SQLite journal mode unless another process has the file open; return the resulting mode."""
        try:
            (mode,) = self._database.execute(f"PRAGMA journal_mode = {wanted}").fetchone()
        except sqlite3.OperationalError:
            return ""
        return str(mode)


def read(path: Path) -> tuple[list[Entry], str]:
    """Read a journal that may be in use; return its entries and the first inconsistency, or an empty text.

    Raises:
        OSError: It cannot be read.
        sqlite3.Error: Reported by SQLite for the same reason.
    """
    mark = high_water.read(_sibling(path, MARK_TAIL))
    entries, _, newest, damage = _read(path)
    if not damage and mark is not None and mark.seq > newest.seq:
        damage = f"{mark.seq - newest.seq} entries behind number {newest.seq} are missing"
    return entries, damage


def read_all(path: Path) -> tuple[list[Entry], str]:
    """Read the entries of all archives and of the journal, as `read` does.

    Raises:
        OSError: One of them cannot be read.
        sqlite3.Error: Reported by SQLite for the same reason.
    """
    entries, last, damage = list[Entry](), Mark(0, ""), ""
    for archive in list_archives(path):
        more, base, newest, wrong = _read(archive)
        damage = damage or wrong or ("" if base == last else f"{archive.name} does not follow entry {last.seq}")
        entries, last = entries + more, newest
    more, base, _, _ = _read(path)
    _, wrong = read(path)
    # A crash while archiving leaves entries in both files.
    entries = [entry for entry in entries if entry.seq <= base.seq] + more
    gap = last.seq < base.seq or (last.seq == base.seq and last != base)
    return entries, damage or wrong or (f"archived entries up to {base.seq} are missing" if gap else "")


def _read(path: Path) -> tuple[list[Entry], Mark, Mark, str]:
    """Read the entries, the mark before the first, the newest mark, and the first inconsistency or an empty text."""
    with closing(connect_reader(path)) as database:
        entries, damage = list[Entry](), ""
        base = newest = _base(database)
        for row in database.execute(SELECT):
            entry = entry_of(row)
            if not damage and not _is_chained(row, entry, newest):
                damage = f"entry {newest.seq + 1} does not fit the one before"
            entries.append(entry)
            newest = Mark(row[0], row[2])
    return entries, base, newest, damage


# Verification


def _prepare(path: Path, wall: Callable[[], float]) -> tuple[Mark, int, str]:
    """Ensure that a valid journal exists: set a damaged one aside by renaming, create a missing one.

    Returns the newest entry, the version found (0: none) and what happened to a damaged file, or an empty text.
    """
    text = ""
    try:
        mark, version = _judge(path)
    except Damaged as error:
        aside = _set_aside(path, int(wall()))
        text = f"the journal was damaged ({error}) and set aside as {aside.name}; a new one was begun"
        mark, version = _judge(path)
    if not version:
        _create_empty(path)
    elif version == UNMARKED:
        high_water.create(_sibling(path, MARK_TAIL), mark)
    path.chmod(0o600)
    return mark, version, text


def _judge(path: Path) -> tuple[Mark, int]:
    """Verify a journal without writing to it; return its newest mark and format version, 0 when there is no file yet.

    Raises:
        Damaged: Entries are missing or differ from what was written.
        OSError: It cannot be read, or was written by a newer version.
    """
    for sibling in (_sibling(path, tail) for tail in TAILS):
        if sibling.is_symlink():
            raise OSError(f"{sibling.name} is a link; accepted is a plain file")
        if sibling.exists() and not sibling.is_file():
            raise Damaged(f"{sibling.name} is not a file")
    mark = high_water.read(_sibling(path, MARK_TAIL))
    if not path.exists():
        if any(size_of(_sibling(path, tail)) for tail in LOGS) or (mark is not None and mark.seq):
            raise Damaged("the database is missing")
        return Mark(0, ""), 0
    if size_of(path) <= NOTHING:
        raise Damaged("the file is empty")
    try:
        with _open_read_only(path) as database:
            return _check_database(database, mark, marked=_sibling(path, MARK_TAIL).exists())
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise Damaged(str(error)) from error


def _check_database(database: sqlite3.Connection, mark: Mark | None, *, marked: bool) -> tuple[Mark, int]:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise OSError(f"it was written by a newer version ({version}); this one reads {VERSION}")
    schema = database.execute("SELECT sql FROM sqlite_master").fetchall()
    if version < UNMARKED or schema != [(SCHEMA,), (_BASE,)][:version]:
        raise Damaged("it is not a journal")
    verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
    if verdict != "ok":
        raise Damaged(" ".join(str(verdict).split())[:80])
    if mark is None and (marked or version > UNMARKED):
        raise Damaged("its high-water mark is missing or unreadable")
    newest = _base(database)
    at_mark = newest.hash if mark is not None and mark.seq == newest.seq else None
    for row in database.execute(SELECT):
        entry = entry_of(row)
        if not _is_chained(row, entry, newest):
            raise Damaged(f"entry {newest.seq + 1} does not fit the one before")
        newest = Mark(entry.seq, row[2])
        if mark is not None and entry.seq == mark.seq:
            at_mark = newest.hash
    if mark is not None and newest.seq < mark.seq:
        raise Damaged(f"{mark.seq - newest.seq} of {mark.seq} entries are missing")
    if mark is not None and at_mark != mark.hash:
        raise Damaged(f"entry {mark.seq} is not the one that was written")
    return newest, version


def _is_chained(row: Row, entry: Entry, before: Mark) -> bool:
    typed = tuple(map(type, row)) == TYPES
    follows = typed and entry.seq == before.seq + 1 and row[1] == before.hash
    return follows and row[2] == chain_hash(before.hash, entry)


def _base(database: sqlite3.Connection) -> Mark:
    """Return number and hash of the last archived entry, before the first one of this file; 0 and empty for none.

    Raises:
        Damaged: The base row is missing.
    """
    if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'base'").fetchone() is None:
        return Mark(0, "")
    rows = database.execute(_READ_BASE).fetchall()
    if len(rows) != 1 or tuple(map(type, rows[0])) != (int, str):
        raise Damaged("nothing says where it begins")
    return Mark(*rows[0])


@contextmanager
def _open_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database as it is after crash recovery, without changing the files.

    A write-ahead log is read in place. A rollback journal, left only by a crash during archiving, is rolled back on a
    copy.
    """
    left = [tail for tail in LOGS if size_of(_sibling(path, tail))]
    if left == ["-wal"]:
        with closing(connect_reader(path)) as database:
            yield database
        return
    if not left:
        with closing(connect_reader(path, "&immutable=1")) as database:
            yield database
        return
    copy = path.with_name(f"{path.name}.look")
    _remove(copy)
    try:
        for tail in ("", *left):
            with (
                open(_sibling(copy, tail), "xb", opener=open_private) as target,
                _sibling(path, tail).open("rb") as source,
            ):
                shutil.copyfileobj(source, target)
        with closing(sqlite3.connect(copy)) as database:
            database.execute("PRAGMA synchronous = OFF")
            database.text_factory = decode_text
            yield database
    finally:
        _remove(copy)


# Files


def _create_empty(path: Path) -> None:
    """Create an empty journal under a temporary name, then rename it, so that the final path never holds a partial file."""
    fresh = path.with_name(f"{path.name}.new")
    _make_database(fresh, Mark(0, ""), [])
    high_water.create(_sibling(path, MARK_TAIL), Mark(0, ""))
    fresh.rename(path)
    high_water.sync_folder(path.parent)


def _drop_archive_link(path: Path) -> None:
    """Remove the archive's hard link if it still points to the current journal."""
    with suppress(OSError):
        for file in path.parent.iterdir():
            if ARCHIVE.fullmatch(file.name) and file.samefile(path):
                file.unlink()


def _make_database(path: Path, base: Mark, rows: Sequence[Row]) -> None:
    """Create a database that continues the hash chain after `base`; it is durable on return."""
    _remove(path)
    os.close(open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = EXTRA")
        database.execute("PRAGMA fullfsync = 1")
        database.execute("BEGIN")
        database.execute(SCHEMA)
        insert_rows(database, rows)
        _write_base(database, base)
        database.execute("COMMIT")


def _upgrade(database: sqlite3.Connection) -> None:
    """Upgrade a version 1 database, which lacks the base table."""
    database.execute("BEGIN IMMEDIATE")
    _write_base(database, Mark(0, ""))
    database.execute("COMMIT")


def _write_base(database: sqlite3.Connection, base: Mark) -> None:
    database.execute(_BASE)
    database.execute(_INSERT_BASE, (base.seq, base.hash))
    database.execute(f"PRAGMA user_version = {VERSION}")


def _connect_database(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=LOCK_WAIT, isolation_level=None)
    # A checkpoint costs several syncs: it is made by `tidy`, not by the append that fills the log.
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = 1", "wal_autocheckpoint = 0"):
        database.execute(f"PRAGMA {pragma}")
    return database


def _set_aside(path: Path, at: int) -> Path:
    """Rename all files of a damaged journal to unused names; return the new path of the database."""
    aside = path.with_name(f"{path.name}.bad.{at}")
    while any(os.path.lexists(_sibling(aside, tail)) for tail in TAILS):
        at += 1
        aside = path.with_name(f"{path.name}.bad.{at}")
    _drop_archive_link(path)
    for archive in [archive for archive in path.parent.iterdir() if ARCHIVE.fullmatch(archive.name)]:
        # The next journal starts at number 1.
        archive.rename(archive.with_name(f"{archive.name}.bad.{at}"))
    for tail in TAILS:
        with suppress(FileNotFoundError):
            kept = _sibling(path, tail).rename(_sibling(aside, tail))
            kept.chmod(0o700 if kept.is_dir() else 0o600)
    high_water.sync_folder(path.parent)
    return aside


def _remove(path: Path) -> None:
    for tail in TAILS:
        _sibling(path, tail).unlink(missing_ok=True)


def _sibling(path: Path, tail: str) -> Path:
    return path.with_name(path.name + tail)
