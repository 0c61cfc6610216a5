"""What one journaled intent costs: one sync, shared by all who wait, and one call into the loop. Counted, not timed."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.client.fakes import until
from tui.engine.journal import high_water, journal_file
from tui.engine.journal import writer as journal_module
from tui.engine.journal.high_water import Mark
from tui.engine.journal.journal_file import CHECKPOINT_AFTER, JournalFile, Memory
from tui.engine.journal.journal_rows import Entry
from tui.engine.journal.session_replay import JournalReplay
from tui.engine.journal.writer import SqliteJournal
from tui.host import HostClock
from tui.protocols import JournalEntry


class Counted:
    """Statements of the database and syncs of the mark; can hold the writer between two commits.

    With the log in mode FULL each transaction syncs once, and a statement outside of a transaction is one. A checkpoint
    syncs log and database.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.statements: list[str] = []
        self.mark_syncs = 0
        self.go = threading.Event()
        self.go.set()
        self.batches: list[int] = []
        connect, commit, to_disk = journal_file._connect_database, JournalFile.commit, high_water._to_disk

        def connected(path: Path) -> sqlite3.Connection:
            database = connect(path)
            database.set_trace_callback(self._count)
            return database

        def counted(file: JournalFile, drafts: Sequence[Entry]) -> list[int]:
            self.batches.append(len(drafts))
            self.go.wait(30)
            return commit(file, drafts)

        def synced(descriptor: int) -> None:
            self.mark_syncs += 1
            to_disk(descriptor)

        patch.setattr(journal_file, "_connect_database", connected)
        patch.setattr(JournalFile, "commit", counted)
        patch.setattr(high_water, "_to_disk", synced)

    def _count(self, statement: str) -> None:
        word = statement.split(None, 1)[0]
        if word != "SELECT":
            self.statements.append(statement if word == "PRAGMA" else word)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    monkeypatch.setattr(journal_module, "TIDY", 60.0)
    return Counted(monkeypatch)


@pytest.fixture
async def journal(tmp_path: Path, counted: Counted) -> AsyncIterator[SqliteJournal]:
    made = SqliteJournal(tmp_path / "journal.db", HostClock())
    await made.record("intent", "first")
    counted.statements.clear()
    counted.batches.clear()
    yield made
    await made.close()


async def test_journal_writer_wakes_for_awaited_entries_only(
    journal: SqliteJournal, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "NOTE_DELAY", 60.0)
    for number in range(3):
        for note in range(5):
            journal.enqueue("push", str(note))
        assert (counted.batches, journal._queue.qsize()) == ([6] * number, 0)
        await journal.record("intent", str(number))
    assert counted.batches == [6, 6, 6]


def draft(number: int) -> Entry:
    return Entry(
        seq=0, wall_ms=number, mono=number / 7, epoch=1, kind="intent", intent_id=f"i{number}",
        client_order_id=f"c{number}", order_id="", payload="{}",
    )  # fmt: skip


async def test_one_journaled_intent_costs_one_disk_sync(journal: SqliteJournal, counted: Counted) -> None:
    for number in range(5):
        await journal.record("intent", str(number))
    assert (counted.statements, counted.mark_syncs) == (["INSERT"] * 5, 0)


async def test_waiting_journal_entries_share_one_disk_sync(
    journal: SqliteJournal, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    loop = asyncio.get_running_loop()
    call = loop.call_soon_threadsafe

    def woken(callback: Callable[..., object], *arguments: Any) -> asyncio.Handle:
        calls.append(threading.current_thread().name)
        return call(callback, *arguments)

    monkeypatch.setattr(loop, "call_soon_threadsafe", woken)
    counted.go.clear()
    held = asyncio.ensure_future(journal.record("intent", "held"))
    await until(lambda: counted.batches)
    journal.enqueue("sent", "a note between them")
    waiting = [asyncio.ensure_future(journal.record("intent", str(number))) for number in range(20)]
    await asyncio.sleep(0)
    counted.go.set()
    assert await held == 2
    assert await asyncio.gather(*waiting) == list(range(4, 24))
    assert counted.batches == [1, 21]
    assert (counted.statements, counted.mark_syncs) == (["INSERT", "INSERT"], 0)
    assert calls == ["journal", "journal"]


def test_many_journal_entries_are_one_transaction(tmp_path: Path, counted: Counted) -> None:
    file = JournalFile(tmp_path / "journal.db", lambda: 7.0)
    counted.statements.clear()
    assert file.append([draft(number) for number in range(130)]) == list(range(1, 131))
    assert counted.statements == ["BEGIN", "INSERT", "INSERT", "INSERT", "COMMIT"]
    assert [one.client_order_id for one in file.entries()] == [f"c{number}" for number in range(130)]
    file.close()


async def test_awaited_entries_are_acknowledged_before_archive_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "NOTE_DELAY", 60.0)
    monkeypatch.setattr(journal_module, "TIDY", 60.0)
    monkeypatch.setattr(journal_file, "SEGMENT", 4)
    told: list[str] = []
    apply, rotate = JournalReplay.apply, JournalFile._rotate

    def applied(replay: JournalReplay, entry: JournalEntry) -> None:
        told.append(entry.payload)
        apply(replay, entry)

    def rotated(file: JournalFile, memory: Memory) -> None:
        told.append("archive")
        rotate(file, memory)

    monkeypatch.setattr(JournalReplay, "apply", applied)
    monkeypatch.setattr(JournalFile, "_rotate", rotated)
    journal = SqliteJournal(tmp_path / "journal.db", HostClock())
    for number in range(5):
        await journal.record("intent", str(number))
    assert told == []
    monkeypatch.setattr(journal_module, "NOTE_DELAY", 0.001)
    journal.enqueue("sent", "note")
    await until(lambda: "archive" in told)
    assert told == [*map(str, range(5)), "note", "archive"]
    await journal.close()


async def test_entries_not_yet_applied_to_the_replay_state_are_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "TIDY", 60.0)
    monkeypatch.setattr(journal_module, "MOST_UNSETTLED", 3)
    most = 0
    commit = JournalFile.commit

    def counted(file: JournalFile, drafts: Sequence[Entry]) -> list[int]:
        nonlocal most
        most = max(most, len(file.unsettled))
        return commit(file, drafts)

    monkeypatch.setattr(JournalFile, "commit", counted)
    journal = SqliteJournal(tmp_path / "journal.db", HostClock())
    for number in range(20):
        await journal.record("intent", str(number))
    await journal.close()
    assert most == 2


def test_write_ahead_log_is_emptied_by_tidying_not_by_appending(tmp_path: Path, counted: Counted) -> None:
    path = tmp_path / "journal.db"
    file = JournalFile(path, lambda: 7.0)
    counted.statements.clear()
    for number in range(CHECKPOINT_AFTER - 1):
        file.append([draft(number)])
    assert high_water.read(path.with_name("journal.db-mark")) == Mark(*sql_newest(path))
    assert (counted.mark_syncs, file.is_untidy) == (0, True)
    file.tidy()
    assert (counted.mark_syncs, file.is_untidy, file.commits) == (1, False, CHECKPOINT_AFTER - 1)
    assert set(counted.statements) == {"INSERT"}
    file.append([draft(1)])
    file.tidy()
    assert (counted.mark_syncs, file.commits) == (2, 0)
    assert counted.statements[-1] == "PRAGMA wal_checkpoint(PASSIVE)"
    assert sql_newest(path)[0] == CHECKPOINT_AFTER
    file.close()


def sql_newest(path: Path) -> tuple[int, str]:
    with sqlite3.connect(path) as database:
        seq, digest = database.execute("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
    database.close()
    return seq, digest


async def test_an_idle_pause_is_used_to_sync_the_high_water_mark(
    journal: SqliteJournal, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "TIDY", 0.01)
    assert counted.mark_syncs == 0
    await journal.record("intent", "again")
    await until(lambda: counted.mark_syncs == 1)


async def test_a_long_write_ahead_log_is_emptied_without_a_pause(
    journal: SqliteJournal, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "LONG_LOG", 20)
    monkeypatch.setattr(journal_file, "CHECKPOINT_AFTER", 10)
    for number in range(20):
        await journal.record("intent", str(number))
    await until(lambda: "PRAGMA wal_checkpoint(PASSIVE)" in counted.statements)
