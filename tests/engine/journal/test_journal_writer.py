"""The writer of the journal: what is kept of an entry, in which order, and what is said when it cannot be."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.busy import limit
from tests.client.fakes import FakeClock, until
from tui.engine.journal import writer as journal_module
from tui.engine.journal.journal_file import JournalFile
from tui.engine.journal.journal_rows import MAX_PAYLOAD, Entry
from tui.engine.journal.writer import SqliteJournal
from tui.host import HostClock
from tui.protocols import JournalUnwritable

WALL = 1_700_000_000.1239


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[SqliteJournal]:
    clock = FakeClock(wall=WALL)
    made = SqliteJournal(path, clock)
    clock.advance(0.5)
    yield made
    await made.close()


class Disk:
    """Stands in front of the file: refuses, or holds the writer until it is let go."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.refuses: BaseException | None = None
        self.go = threading.Event()
        self.go.set()
        self.batches: list[list[str]] = []
        write = JournalFile.commit

        def commit(file: JournalFile, drafts: Sequence[Entry]) -> list[int]:
            self.batches.append([one.payload for one in drafts])
            self.go.wait(5)
            if self.refuses is not None:
                raise self.refuses
            return write(file, drafts)

        patch.setattr(JournalFile, "commit", commit)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def kept(seq: int, kind: str, payload: str, ids: tuple[str, str, str] = ("", "", ""), epoch: int = 0) -> Entry:
    return Entry(
        seq=seq,
        wall_ms=int((WALL + 0.5) * 1000),
        mono=0.5,
        epoch=epoch,
        kind=kind,
        intent_id=ids[0],
        client_order_id=ids[1],
        order_id=ids[2],
        payload=payload,
    )


async def test_a_journal_entry_keeps_all_its_fields(journal: SqliteJournal) -> None:
    assert await journal.record("intent", "a") == 1
    assert await journal.record("intent", "b", intent_id="i", client_order_id="c", order_id="o", epoch=3) == 2
    journal.enqueue("push", "d")
    journal.enqueue("push", "e", intent_id="j", client_order_id="k", order_id="l", epoch=4)
    assert await journal.entries() == [
        kept(1, "intent", "a"),
        kept(2, "intent", "b", ("i", "c", "o"), 3),
        kept(3, "push", "d"),
        kept(4, "push", "e", ("j", "k", "l"), 4),
    ]
    assert (journal.error, journal.set_aside) == ("", "")


async def test_long_journal_texts_are_cut_and_bad_characters_replaced(journal: SqliteJournal) -> None:
    halves: dict[str, Any] = {"intent_id": "\ud800", "client_order_id": "\udfff", "order_id": "a\ud800b"}
    await journal.record("\ud800", "é" * (MAX_PAYLOAD + 1), **halves)
    assert await journal.entries() == [kept(1, "?", "é" * MAX_PAYLOAD, ("?", "?", "a?b"))]


async def test_a_closing_journal_writes_its_notes_and_then_refuses(path: Path) -> None:
    journal = SqliteJournal(path, FakeClock())
    journal.enqueue("push", "written at the close")
    await journal.close()
    for call in (journal.record("intent", "x"), journal.entries()):
        with pytest.raises(JournalUnwritable, match=r"^the journal is closed$"):
            await call
    await journal.close()
    journal._thread.join(5)
    assert not journal._thread.is_alive()
    again = SqliteJournal(path, FakeClock())
    assert [one.payload for one in await again.entries()] == ["written at the close"]
    await again.close()


async def test_f99_a_journal_that_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "nowhere" / "journal.db", FakeClock())
    words = r"^journal journal\.db cannot be opened: .*No such file or directory"
    for call in (journal.record("intent", "x"), journal.entries(), journal.record("intent", "y")):
        with pytest.raises(JournalUnwritable, match=words):
            await call
    assert journal.error.startswith("journal journal.db cannot be opened: ")
    await journal.close()


async def test_f93_a_failed_journal_write_is_reported_and_recovers(journal: SqliteJournal, disk: Disk) -> None:
    disk.refuses = OSError("no space")
    with pytest.raises(JournalUnwritable, match=r"^journal cannot be written: no space$"):
        await journal.record("intent", "refused")
    assert journal.error == "journal cannot be written: no space"
    disk.refuses = None
    assert await journal.record("intent", "kept") == 1
    assert (journal.error, await journal.entries()) == ("", [kept(1, "intent", "kept")])


async def test_a_failed_read_of_the_journal_raises_an_error(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: JournalFile) -> list[Entry]:
        raise sqlite3.OperationalError("disk I/O error")

    await journal.record("intent", "x")
    with monkeypatch.context() as unreadable:
        unreadable.setattr(JournalFile, "entries", broken)
        with pytest.raises(JournalUnwritable, match=r"^journal cannot be read: disk I/O error$"):
            await journal.entries()
    assert await journal.entries() == [kept(1, "intent", "x")]


async def test_f94_a_failed_journal_batch_keeps_its_notes(
    journal: SqliteJournal, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_BATCH", 2)
    monkeypatch.setattr(journal_module, "RETRY", 30.0)
    disk.refuses = OSError("no space")
    disk.go.clear()
    journal.enqueue("push", "1")
    waiting = [asyncio.ensure_future(journal.record("intent", f"r{number}")) for number in range(3)]
    await asyncio.sleep(0)
    journal.enqueue("push", "2")
    disk.go.set()
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert [str(one) for one in answers] == ["journal cannot be written: no space"] * 3
    disk.refuses = None
    assert await journal.record("intent", "kept") == 3
    assert [one.payload for one in await journal.entries()] == ["1", "2", "kept"]


async def test_f94_failed_journal_notes_are_retried(path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "RETRY", 0.02)
    disk.refuses = OSError("no space")
    journal = SqliteJournal(path, HostClock())
    journal.enqueue("push", "1")
    await until(lambda: len(disk.batches) > 2)
    disk.refuses = None
    await until(lambda: not journal.error)
    assert set(map(tuple, disk.batches)) == {("1",)}
    await journal.close()


async def test_f94_a_full_journal_queue_drops_notes_with_a_gap_entry(
    journal: SqliteJournal, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_WAITING", 2)
    disk.go.clear()
    first = asyncio.ensure_future(journal.record("intent", "first"))
    await until(lambda: disk.batches)
    for number in range(6):
        journal.enqueue("push", str(number))
    assert journal.error == "the disk is too slow: 3 notes were not written"
    disk.go.set()
    assert (await first, await journal.record("intent", "second")) == (1, 6)
    assert journal.error == ""
    lost = "3 notes were not written"
    assert await journal.entries() == [
        kept(1, "intent", "first"),
        kept(2, "gap", lost),
        *(kept(3 + number, "push", str(number)) for number in range(3)),
        kept(6, "intent", "second"),
    ]


async def test_f94_each_loss_of_journal_notes_is_reported_once(
    journal: SqliteJournal, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_WAITING", 1)
    for number in range(2):
        disk.go.clear()
        disk.batches.clear()
        held = asyncio.ensure_future(journal.record("intent", f"held {number}"))
        await until(lambda: disk.batches)
        for _ in range(4 + number):
            journal.enqueue("push", "x")
        disk.go.set()
        await held
        await journal.record("intent", "after")
    told = [one.payload for one in await journal.entries() if one.kind == "gap"]
    assert told == ["2 notes were not written", "3 notes were not written"]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes gather for longer than any test waits."""
    monkeypatch.setattr(journal_module, "NOTE_DELAY", 60.0)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("waited_for", ["record", "entries"])
async def test_journal_notes_are_batched_until_an_awaited_entry(path: Path, disk: Disk, waited_for: str) -> None:
    journal = SqliteJournal(path, FakeClock())
    for number in range(3):
        journal.enqueue("push", str(number))
        await until(lambda: journal._queue.empty())
    assert disk.batches == []
    async with asyncio.timeout(limit(5)):
        if waited_for == "record":
            assert await journal.record("intent", "now") == 4
        else:
            assert len(await journal.entries()) == 3
        await journal.close()
    assert disk.batches == [["0", "1", "2", *(["now"] if waited_for == "record" else [])]]


async def test_journal_notes_are_written_together_after_a_delay(
    path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "NOTE_DELAY", 0.1)
    journal = SqliteJournal(path, FakeClock())
    for number in range(3):
        journal.enqueue("push", str(number))
    await until(lambda: disk.batches)
    assert disk.batches == [["0", "1", "2"]]
    await journal.close()


async def test_a_failed_journal_write_waits_before_its_retry(
    path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "NOTE_DELAY", 0.0)
    monkeypatch.setattr(journal_module, "RETRY", 60.0)
    disk.refuses = OSError("no space")
    journal = SqliteJournal(path, FakeClock())
    journal.enqueue("push", "1")
    await until(lambda: journal.error)
    await asyncio.sleep(0.03)
    assert disk.batches == [["1"]]
    disk.refuses = None
    await journal.close()
    assert disk.batches == [["1"], ["1"]]


async def test_many_journal_entries_are_written_in_bounded_batches(
    path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_BATCH", 3)
    journal = SqliteJournal(path, FakeClock())
    disk.go.clear()
    held = asyncio.ensure_future(journal.record("intent", "held"))
    await until(lambda: disk.batches)
    for number in range(7):
        journal.enqueue("push", str(number))
    disk.go.set()
    await held
    assert [one.payload for one in await journal.entries()] == ["held", *map(str, range(7))]
    assert disk.batches == [["held"], ["0", "1", "2"], ["3", "4", "5"], ["6"]]
    await journal.close()


async def test_a_cancelled_wait_for_a_journal_entry_still_writes_it(journal: SqliteJournal, disk: Disk) -> None:
    disk.go.clear()
    held = asyncio.ensure_future(journal.record("intent", "held"))
    looking = asyncio.ensure_future(journal.entries())
    await until(lambda: disk.batches)
    held.cancel()
    looking.cancel()
    disk.go.set()
    assert [one.payload for one in await journal.entries()] == ["held"]


async def test_a_damaged_journal_is_reported(path: Path) -> None:
    path.write_bytes(b"")
    journal = SqliteJournal(path, FakeClock(wall=7.0))
    assert await journal.entries() == []
    words = "the journal was damaged (the file is empty) and set aside as journal.db.bad.7; a new one was begun"
    assert (journal.set_aside, journal.error) == (words, "")
    await journal.close()


async def test_a_journal_that_failed_to_open_opens_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stayed dead, without a word, until the next start."""
    path = tmp_path / "journal.db"
    first = SqliteJournal(path, FakeClock())
    await first.record("intent", "before")
    await first.close()
    real = JournalFile
    full = True

    def opening(*arguments: Any) -> Any:
        if full:
            raise OSError(28, "No space left on device")
        return real(*arguments)

    monkeypatch.setattr(journal_module, "JournalFile", opening)
    monkeypatch.setattr(journal_module, "RETRY", 0.01)
    later = SqliteJournal(path, FakeClock())
    with pytest.raises(JournalUnwritable, match="cannot be opened"):
        await later.entries()
    later.enqueue("fill", "meanwhile")
    with pytest.raises(JournalUnwritable, match="No space left"):
        await later.record("intent", "refused")
    assert "cannot be opened" in later.error
    full = False
    await until(lambda: not later.error)
    assert [one.payload for one in await later.entries()] == ["before", "meanwhile"]
    await later.close()
