"""Durable journal: a writer thread that owns the journal file.

Only entries that must be durable before an action are awaited; the rest is written within `NOTE_DELAY`. A journal that
cannot be written gives the reason in `error` and fails every awaited entry.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tui.engine.journal.journal_file import LONG_LOG, JournalFile
from tui.engine.journal.journal_reader import read_notes
from tui.engine.journal.journal_rows import Entry, new_entry
from tui.engine.journal.session_replay import JournalReplay
from tui.protocols import Clock, JournalEntry, JournalUnwritable

MAX_WAITING = 50_000
"""Most notes waiting for the disk; more are counted and dropped."""
MAX_BATCH = 1_000
"""Most entries written in one transaction."""
RETRY = 1.0
"""Pause before notes that could not be written are retried, s."""
NOTE_DELAY = 0.05
"""How long notes are collected before one write, s."""
MOST_UNSETTLED = 200
"""Entries that the memory may be behind."""
TIDY = 1.0
"""How long nothing was written before the file is tidied, s: an order should not find the disk busy with it."""


class _WriteRequest(msgspec.Struct):
    entry: Entry
    """As it will be written; the file assigns the number."""
    waiter: asyncio.Future[int] | None = None
    """Gets the number once the entry is on disk, or a reason why it is not."""


class _ReadRequest(msgspec.Struct):
    done: Callable[[list[Entry], str], None]


class _StopRequest(msgspec.Struct):
    done: Callable[[], None]


class SqliteJournal:
    """Journal of one profile and portfolio; use it on one event loop, a writer thread does the file access."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._queue: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._notes: list[_WriteRequest] = []
        """Entries not yet passed to the writer, in order."""
        self._flush: asyncio.TimerHandle | None = None
        self._given = self._taken = 0
        """Entries passed to the writer, and taken by it; each is counted on one thread."""
        self._error = ""
        self._set_aside = ""
        self._dropped = 0
        """Notes refused by the full queue; counted on the caller's thread."""
        self._overflowed = self._reported = 0
        """Notes dropped while the disk failed, and number of dropped notes journaled; counted on the writer's
        thread."""
        self._closed = False
        self._thread = threading.Thread(target=self._write_forever, name="journal", daemon=True)
        self._thread.start()

    @property
    def error(self) -> str:
        """Why the journal cannot be written at the moment, or an empty text."""
        return self._error

    @property
    def set_aside(self) -> str:
        """Description of a damaged file that was set aside at startup, or an empty text."""
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
        """Append one entry and return its number once it is on disk.

        Raises:
            JournalUnwritable: It could not be written.
        """
        if self._closed:
            raise JournalUnwritable("the journal is closed")
        waiter: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        entry = new_entry(
            self._clock, kind, payload,
            intent_id=intent_id, client_order_id=client_order_id, order_id=order_id, epoch=epoch,
        )  # fmt: skip
        self._notes.append(_WriteRequest(entry, waiter))
        self._hand_over()
        return await waiter

    def _hand_over(self) -> None:
        """Pass all queued entries to the writer thread at once."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        if self._notes:
            self._given += len(self._notes)
            self._queue.put(self._notes)
            self._notes = []

    def enqueue(
        self,
        kind: str,
        payload: str,
        *,
        intent_id: str = "",
        client_order_id: str = "",
        order_id: str = "",
        epoch: int = 0,
        wall_ms: int | None = None,
    ) -> None:
        """Queue an entry without waiting for the disk; `wall_ms` is the time of the event reported (None: now)."""
        if self._given - self._taken + len(self._notes) > MAX_WAITING:
            self._dropped += 1
            self._error = f"the disk is too slow: {self._dropped} notes were not written"
            return
        entry = new_entry(
            self._clock, kind, payload, intent_id=intent_id,
            client_order_id=client_order_id, order_id=order_id, epoch=epoch, wall_ms=wall_ms,
        )  # fmt: skip
        self._notes.append(_WriteRequest(entry))
        if len(self._notes) == 1:
            self._flush = asyncio.get_running_loop().call_later(NOTE_DELAY, self._hand_over)

    async def entries(self) -> Sequence[JournalEntry]:
        """Read all entries, oldest first.

        Raises:
            JournalUnwritable: The file cannot be read.
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

        def finish(entries: list[Entry], why: str) -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, entries, why)

        self._hand_over()
        self._queue.put(_ReadRequest(finish))
        return await future

    async def notes(self, after: int, since_ms: int, most: int) -> Sequence[JournalEntry]:
        """Read event lines from the files on another thread; those queued in the last `NOTE_DELAY` s may be missing."""
        try:
            return await asyncio.to_thread(read_notes, self._path, after, since_ms, most)
        except (OSError, sqlite3.Error) as error:
            raise JournalUnwritable(f"the journal cannot be read: {error}") from None

    async def close(self) -> None:
        """Write all queued entries and close the file."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def finish() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(ended.set)

        self._hand_over()
        self._queue.put(_StopRequest(finish))
        await ended.wait()

    # Writer's thread

    def _write_forever(self) -> None:
        file = self._open()
        held: list[_WriteRequest] = []
        while True:
            batch, reads, stop = self._gather(RETRY if held or file is None else TIDY if file.is_untidy else None)
            if file is None:
                file = self._open()
            held = self._commit_all(file, held + batch)
            if file is not None:
                self._look_after(file, batch, reads)
            for read in reads:
                self._answer_read(file, read)
            if stop is not None:
                if file is not None:
                    file.close()
                stop.done()
                return

    def _look_after(self, file: JournalFile, batch: Sequence[_WriteRequest], reads: Sequence[_ReadRequest]) -> None:
        """Do the deferred work after acknowledged writes: update the replayed state, archive, tidy a long log.

        The answered caller sends next and needs the interpreter more than the memory does.
        """
        is_pause = not batch and not reads
        if reads or len(file.unsettled) >= MOST_UNSETTLED or all(work.waiter is None for work in batch):
            file.settle()
        if file.commits >= LONG_LOG or (is_pause and file.is_untidy):
            file.tidy()

    def _open(self) -> JournalFile | None:
        """Open the journal file; on failure set `error` and return None, so that the caller retries."""
        try:
            file = JournalFile(self._path, self._clock.wall, JournalReplay())
        except Exception as error:  # the writer thread must continue
            self._error = f"journal {self._path.name} cannot be opened: {error}"
            return None
        self._set_aside, self._error = file.set_aside, ""
        return file

    def _gather(self, patience: float | None) -> tuple[list[_WriteRequest], list[_ReadRequest], _StopRequest | None]:
        batch: list[_WriteRequest] = []
        reads: list[_ReadRequest] = []
        with suppress(queue.Empty):
            item = self._queue.get(timeout=patience)
            while True:
                if isinstance(item, _StopRequest):
                    return batch, reads, item
                if isinstance(item, _ReadRequest):
                    reads.append(item)
                elif isinstance(item, list):
                    batch += item
                if len(batch) >= MAX_BATCH:
                    break
                item = self._queue.get_nowait()
        self._taken += len(batch)
        return batch, reads, None

    def _commit_all(self, file: JournalFile | None, works: list[_WriteRequest]) -> list[_WriteRequest]:
        """Write entries in order; return the ones to retry after a failed write."""
        for at in range(0, len(works), MAX_BATCH):
            if not self._commit(file, works[at : at + MAX_BATCH]):
                rest = works[at + MAX_BATCH :]
                _answer(rest, [0] * len(rest), self._error)
                notes = [work for work in works[at:] if work.waiter is None]
                self._overflowed += max(0, len(notes) - MAX_WAITING)
                return notes[-MAX_WAITING:]
        return []

    def _commit(self, file: JournalFile | None, batch: list[_WriteRequest]) -> bool:
        lost = self._dropped + self._overflowed - self._reported
        # The gap entry marks the place of dropped notes.
        first = [new_entry(self._clock, "gap", f"{lost} notes were not written")] if lost else []
        numbers: list[int] = []
        if file is not None:
            try:
                numbers = file.commit([*first, *(work.entry for work in batch)])
            except Exception as error:  # a bad entry must not end the writer thread
                self._error = f"journal cannot be written: {error}"
            else:
                self._error = ""
                self._reported += lost
        _answer(batch, numbers[len(first) :] or [0] * len(batch), self._error)
        return bool(numbers)

    def _answer_read(self, file: JournalFile | None, read: _ReadRequest) -> None:
        if file is None:
            read.done([], self._error)
            return
        try:
            entries = file.entries()
        except sqlite3.Error as error:
            read.done([], f"journal cannot be read: {error}")
            return
        read.done(entries, "")


def _answer(batch: Sequence[_WriteRequest], numbers: Sequence[int], why: str) -> None:
    """Acknowledge these entries to their waiting callers, with a single call into the event loop."""
    waiting = [(work.waiter, number) for work, number in zip(batch, numbers, strict=True) if work.waiter is not None]
    if waiting:
        with suppress(RuntimeError):  # the loop has ended
            waiting[0][0].get_loop().call_soon_threadsafe(_settle, waiting, why)


def _settle(waiting: Sequence[tuple[asyncio.Future[int], int]], why: str) -> None:
    for waiter, number in waiting:
        if waiter.done():
            continue
        if why:
            waiter.set_exception(JournalUnwritable(why))
        else:
            waiter.set_result(number)
