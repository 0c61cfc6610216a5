"""Forms a journal could have, written side by side: each takes one record of an intent to the disk and comes back.

All but one go through a writer thread, as the journal does: a disk that hangs must not hold up the engine's loop.
"""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tui.engine.journal.high_water import HighWater, Mark, create
from tui.engine.journal.journal_file import JournalFile
from tui.engine.journal.journal_rows import Entry

PAYLOAD = "x" * 600
_ROOM = 8_000_000
_DIGEST = "ab" * 32

Write = Callable[[], None]


def entry() -> Entry:
    return Entry(
        seq=0, wall_ms=1, mono=1.5, epoch=1, kind="intent", intent_id="i", client_order_id="c", order_id="",
        payload=PAYLOAD,
    )  # fmt: skip


def journal_file(folder: Path) -> Write:
    """The journal as it is: one statement, one sync; the mark is written and not synced."""
    file = JournalFile(folder / "now.db", time.time)

    def write() -> None:
        file.commit([entry()])

    return write


def two_syncs(folder: Path) -> Write:
    """The journal as it was: the mark is synced behind the entry."""
    file = JournalFile(folder / "before.db", time.time)
    create(folder / "before-mark", Mark(0, ""))
    mark = HighWater(folder / "before-mark")

    def write() -> None:
        (number,) = file.commit([entry()])
        mark.write(Mark(number, _DIGEST))
        mark.sync()

    return write


def bare_sqlite(folder: Path) -> Write:
    """A row in a database with a write-ahead log at full sync, without chain and mark."""
    database = sqlite3.connect(folder / "bare.db", isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 0"):
        database.execute(f"PRAGMA {pragma}")
    database.execute("CREATE TABLE journal (seq INTEGER PRIMARY KEY, payload TEXT NOT NULL)")

    def write() -> None:
        database.execute("INSERT INTO journal (payload) VALUES (?)", (PAYLOAD,))

    return write


def append(folder: Path) -> Write:
    """A line at the end of a file, and fdatasync."""
    descriptor = os.open(folder / "append", os.O_RDWR | os.O_CREAT | os.O_APPEND)

    def write() -> None:
        os.write(descriptor, PAYLOAD.encode())
        os.fdatasync(descriptor)

    return write


def synced_write(folder: Path) -> Write:
    """A line over the zeros of a file that was made before, by one call that also syncs."""
    path = folder / "room"
    path.write_bytes(bytes(_ROOM))
    descriptor = os.open(path, os.O_RDWR | os.O_DSYNC)
    os.fsync(descriptor)

    def write() -> None:
        os.write(descriptor, PAYLOAD.encode())

    return write


FORMS = {
    "SQLite and a synced mark (before)": two_syncs,
    "SQLite, mark not waited for (now)": journal_file,
    "bare SQLite": bare_sqlite,
    "append and fdatasync": append,
    "synced write into room made before": synced_write,
}


class Writer:
    """One form on a thread of its own."""

    def __init__(self, form: Callable[[Path], Write], folder: Path) -> None:
        self._form, self._folder = form, folder
        self._asked: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[None] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()
        self._done.get()

    def _run(self) -> None:
        write = self._form(self._folder)
        self._done.put(None)
        while self._asked.get():
            write()
            self._done.put(None)

    def time(self) -> float:
        """Hand over one record and wait until it is on the disk, ms."""
        began = time.perf_counter()
        self._asked.put(item=True)
        self._done.get()
        return (time.perf_counter() - began) * 1000

    def close(self) -> None:
        self._asked.put(item=False)


def in_this_thread(folder: Path) -> Callable[[], float]:
    """The synced write without a writer thread, ms: what the two changes of thread cost."""
    write = synced_write(folder)

    def timed() -> float:
        began = time.perf_counter()
        write()
        return (time.perf_counter() - began) * 1000

    return timed
