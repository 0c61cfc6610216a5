"""The durable journal: SQLite on a writer thread of its own, every row chained to the one before.

Only what must be on disk before something happens is waited for; the rest is written within moments. A journal that
cannot be written says why in `trouble` and lets nothing depend on it pass.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tui.seams import Clock, JournalEntry, JournalUnwritable

VERSION = 1
MAX_WAITING = 50_000
"""Notes that wait for the disk; more are counted and dropped."""
MAX_PAYLOAD = 16_384
MAX_BATCH = 1_000
"""Entries written in one go."""
NOTE_DELAY = 0.05
"""How long notes gather before they are written together, s."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS journal (
    seq INTEGER PRIMARY KEY, previous TEXT NOT NULL, hash TEXT NOT NULL, wall_ms INTEGER NOT NULL, mono REAL NOT NULL,
    epoch INTEGER NOT NULL, kind TEXT NOT NULL, intent_id TEXT NOT NULL, client_order_id TEXT NOT NULL,
    order_id TEXT NOT NULL, payload TEXT NOT NULL)
"""
_INSERT = "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_COLUMNS = "seq, previous, hash, wall_ms, mono, epoch, kind, intent_id, client_order_id, order_id, payload"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the journal."""

    seq: int
    wall_ms: int
    mono: float
    epoch: int
    kind: str
    intent_id: str
    client_order_id: str
    order_id: str
    payload: str


class Damaged(Exception):
    """The file is not the journal it should be."""


def chained(previous: str, entry: Entry) -> str:
    """Hash of an entry that also stands for everything before it."""
    parts = (
        previous,
        str(entry.seq),
        str(entry.wall_ms),
        repr(entry.mono),
        str(entry.epoch),
        entry.kind,
        entry.intent_id,
        entry.client_order_id,
        entry.order_id,
        entry.payload,
    )
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()


class _Work(msgspec.Struct):
    kind: str
    payload: str
    intent_id: str
    client_order_id: str
    order_id: str
    epoch: int
    wall_ms: int
    mono: float
    done: Callable[[int, str], None] | None = None
    """Called from the writer with the number, or with 0 and a reason."""


class _Read(msgspec.Struct):
    done: Callable[[list[Entry], str], None]


class _Stop(msgspec.Struct):
    done: Callable[[], None]


class SqliteJournal:
    """The journal of one profile and portfolio. Make it and use it on one event loop; the file lives on its own thread."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._queue: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._trouble = ""
        self._set_aside = ""
        self._dropped = 0
        self._closed = False
        self._seq = 0
        self._last = ""
        self._thread = threading.Thread(target=self._write_forever, name="journal", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str:
        """Why the journal cannot be written now, or an empty text."""
        return self._trouble

    @property
    def set_aside(self) -> str:
        """What happened to a damaged file at the start, or an empty text."""
        return self._set_aside

    async def record(
        self,
        kind: str,
        payload: str,
        *,
        intent_id: str = "",
        client_order_id: str = "",
        order_id: str = "",
        epoch: int = 0,
    ) -> int:
        """Write one entry and return its number once it is on disk.

        Raises:
            JournalUnwritable: it is not.
        """
        if self._closed:
            raise JournalUnwritable("the journal is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[int] = loop.create_future()

        def settle(number: int, why: str) -> None:
            if future.done():
                return
            if why:
                future.set_exception(JournalUnwritable(why))
            else:
                future.set_result(number)

        def done(number: int, why: str) -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, number, why)

        work = self._work(kind, payload, intent_id, client_order_id, order_id, epoch)
        work.done = done
        self._queue.put(work)
        return await future

    def note(
        self,
        kind: str,
        payload: str,
        *,
        intent_id: str = "",
        client_order_id: str = "",
        order_id: str = "",
        epoch: int = 0,
    ) -> None:
        """Hand over an entry that nobody waits for."""
        if self._queue.qsize() > MAX_WAITING:
            self._dropped += 1
            self._trouble = f"the disk is too slow: {self._dropped} notes were not written"
            return
        self._queue.put(self._work(kind, payload, intent_id, client_order_id, order_id, epoch))

    async def entries(self) -> Sequence[JournalEntry]:
        """Everything recorded so far, oldest first.

        Raises:
            JournalUnwritable: the file cannot be read.
        """
        if self._closed:
            raise JournalUnwritable("the journal is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[Entry]] = loop.create_future()

        def settle(entries: list[Entry], why: str) -> None:
            if future.done():
                return
            if why:
                future.set_exception(JournalUnwritable(why))
            else:
                future.set_result(entries)

        def done(entries: list[Entry], why: str) -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, entries, why)

        self._queue.put(_Read(done))
        return await future

    async def close(self) -> None:
        """Write what waits and close the file."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def done() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(ended.set)

        self._queue.put(_Stop(done))
        await ended.wait()

    def _work(self, kind: str, payload: str, intent_id: str, client_order_id: str, order_id: str, epoch: int) -> _Work:
        wall_ms = int(self._clock.wall() * 1000)
        return _Work(
            kind=_storable(kind),
            payload=_storable(payload),
            intent_id=_storable(intent_id),
            client_order_id=_storable(client_order_id),
            order_id=_storable(order_id),
            epoch=epoch,
            wall_ms=wall_ms,
            mono=self._clock.mono(),
        )

    # -- on the writer's thread ---------------------------------------------------------------------------------

    def _write_forever(self) -> None:
        database: sqlite3.Connection | None = None
        try:
            database = self._open()
        except (OSError, sqlite3.Error, Damaged) as error:
            self._trouble = f"journal {self._path.name} cannot be opened: {error}"
        while True:
            batch, reads, stop = self._gather()
            if batch:
                self._commit(database, batch)
            for read in reads:
                self._answer(database, read)
            if stop is not None:
                if database is not None:
                    with suppress(sqlite3.Error):
                        database.close()
                stop.done()
                return

    def _gather(self) -> tuple[list[_Work], list[_Read], _Stop | None]:
        batch: list[_Work] = []
        reads: list[_Read] = []
        urgent = False
        item = self._queue.get()
        until = self._clock.mono() + NOTE_DELAY
        while True:
            if isinstance(item, _Stop):
                return batch, reads, item
            if isinstance(item, _Read):
                reads.append(item)
            elif isinstance(item, _Work):
                batch.append(item)
                urgent = urgent or item.done is not None
            urgent = urgent or bool(reads)
            if len(batch) >= MAX_BATCH:
                return batch, reads, None
            try:
                # A steady trickle of notes must not keep them all from the disk.
                item = self._queue.get(timeout=0.0 if urgent else max(0.0, until - self._clock.mono()))
            except queue.Empty:
                return batch, reads, None

    def _commit(self, database: sqlite3.Connection | None, batch: list[_Work]) -> None:
        why = self._trouble or "journal is closed"
        numbers: list[int] = []
        seq, last = self._seq, self._last
        if database is not None:
            try:
                with database:
                    for work in batch:
                        seq += 1
                        entry = _entry(seq, work)
                        hashed = chained(last, entry)
                        database.execute(_INSERT, (seq, last, hashed, *_values(entry)))
                        last = hashed
                        numbers.append(seq)
            except Exception as error:  # the writer must outlive whatever one entry does to it
                numbers.clear()
                why = self._trouble = f"journal cannot be written: {error}"
            else:
                self._seq, self._last, why = seq, last, ""
                self._trouble = ""
        for index, work in enumerate(batch):
            if work.done is not None:
                work.done(numbers[index] if numbers else 0, why)

    def _answer(self, database: sqlite3.Connection | None, read: _Read) -> None:
        if database is None:
            read.done([], self._trouble)
            return
        try:
            rows = database.execute(f"SELECT {_COLUMNS} FROM journal ORDER BY seq").fetchall()
        except sqlite3.Error as error:
            read.done([], f"journal cannot be read: {error}")
            return
        read.done([_from_row(row) for row in rows], "")

    def _open(self) -> sqlite3.Connection:
        try:
            return self._open_checked()
        except (Damaged, sqlite3.DatabaseError, IsADirectoryError) as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            aside = self._path.with_name(f"{self._path.name}.bad.{int(self._clock.wall())}")
            for tail in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    self._path.with_name(self._path.name + tail).rename(aside.with_name(aside.name + tail))
            self._set_aside = f"the journal was damaged ({error}) and set aside as {aside.name}; a new one was begun"
            return self._open_checked()

    def _open_checked(self) -> sqlite3.Connection:
        known = self._path.exists()
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        empty = os.fstat(descriptor).st_size == 0
        os.close(descriptor)
        if known and empty:
            # SQLite would take it for a new one, and throw away a log that still lies beside it.
            raise Damaged("the file is empty")
        self._path.chmod(0o600)
        database = sqlite3.connect(self._path, timeout=1.0)
        try:
            return self._checked(database)
        except BaseException:
            database.close()
            raise

    def _checked(self, database: sqlite3.Connection) -> sqlite3.Connection:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise OSError(f"it was written by a newer version ({version}); this one reads {VERSION}")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA fullfsync = 1")
        verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            raise Damaged(str(verdict)[:80])
        with database:
            database.execute(_SCHEMA)
            database.execute(f"PRAGMA user_version = {VERSION}")
        seq, last = 0, ""
        for row in database.execute(f"SELECT {_COLUMNS} FROM journal ORDER BY seq"):
            entry = _from_row(row)
            if entry.seq != seq + 1 or row[1] != last or row[2] != chained(last, entry):
                raise Damaged(f"entry {seq + 1} does not fit the one before")
            seq, last = entry.seq, row[2]
        self._seq, self._last = seq, last
        return database


def _storable(text: str) -> str:
    """The text as SQLite can keep it: bounded, without halves of characters."""
    return text[:MAX_PAYLOAD].encode("utf-8", "replace").decode()


def _entry(seq: int, work: _Work) -> Entry:
    return Entry(
        seq=seq,
        wall_ms=work.wall_ms,
        mono=work.mono,
        epoch=work.epoch,
        kind=work.kind,
        intent_id=work.intent_id,
        client_order_id=work.client_order_id,
        order_id=work.order_id,
        payload=work.payload,
    )


def _values(entry: Entry) -> tuple[object, ...]:
    return (
        entry.wall_ms,
        entry.mono,
        entry.epoch,
        entry.kind,
        entry.intent_id,
        entry.client_order_id,
        entry.order_id,
        entry.payload,
    )


def _from_row(row: tuple[int, str, str, int, float, int, str, str, str, str, str]) -> Entry:
    seq, _, _, wall_ms, mono, epoch, kind, intent_id, client_order_id, order_id, payload = row
    return Entry(
        seq=seq,
        wall_ms=wall_ms,
        mono=mono,
        epoch=epoch,
        kind=kind,
        intent_id=intent_id,
        client_order_id=client_order_id,
        order_id=order_id,
        payload=payload,
    )
