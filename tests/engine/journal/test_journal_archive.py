"""The journal keeps to what a start needs: the rest stands in archives, the chain goes on, nothing open is lost."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.client.fakes import FakeClock
from tests.engine.conftest import buy
from tui.engine.event_line import NOTE
from tui.engine.journal import high_water, journal_file, session_replay
from tui.engine.journal.journal_file import CHECKPOINT, JournalFile, read, read_all
from tui.engine.journal.journal_reader import read_notes
from tui.engine.journal.journal_rows import Entry
from tui.engine.journal.writer import SqliteJournal
from tui.interface import decimals

NOW_MS = 1_700_000_000_000


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive is made of ten entries."""
    decimals.setup()
    monkeypatch.setattr(journal_file, "SEGMENT", 10)
    monkeypatch.setattr(journal_file, "ROTATE_AGAIN", 2)


class Counting:
    """Remembers how many entries it was told, through checkpoints."""

    def __init__(self) -> None:
        self.told = 0

    def apply(self, entry: Entry) -> None:
        self.told = int(entry.payload) if entry.kind == CHECKPOINT else self.told + 1

    def checkpoint(self, wall: float) -> str:
        return str(self.told)


def entry(number: int, kind: str = "note", payload: str = "{}", cid: str = "") -> Entry:
    return Entry(
        seq=0, wall_ms=NOW_MS, mono=number / 7, epoch=1, kind=kind, intent_id=f"i{number}",
        client_order_id=cid, order_id="", payload=payload,
    )  # fmt: skip


def opened(path: Path, memory: Counting | None = None) -> JournalFile:
    return JournalFile(path, lambda: 7.0, memory or Counting())


def filled(path: Path, count: int) -> None:
    file = JournalFile(path, lambda: 7.0)
    for number in range(count):
        file.append([entry(number)])
    file.close()


def archives(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.glob("journal-*.sqlite"))


def sql(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as writer:
        writer.execute(statement)
    writer.close()


def test_a_large_journal_is_archived_with_a_checkpoint(tmp_path: Path) -> None:
    path, memory = tmp_path / "journal.db", Counting()
    file = opened(path, memory)
    numbers = [file.append([entry(number)])[0] for number in range(25)]
    assert numbers == [*range(1, 11), *range(12, 21), *range(22, 28)], "each archive is followed by a checkpoint"
    assert file.entries()[0] == Entry(
        seq=21, wall_ms=7_000, mono=0.0, epoch=0, kind=CHECKPOINT, intent_id="", client_order_id="", order_id="",
        payload="19",
    )  # fmt: skip
    file.close()
    assert archives(path) == ["journal-1-10.sqlite", "journal-11-20.sqlite"]
    names = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert set(names.values()) == {0o600} and len(names) == 4
    assert (len(read(path)[0]), read(path)[1]) == (7, "")
    entries, error = read_all(path)
    assert ([one.seq for one in entries], error) == (list(range(1, 28)), "")
    again = Counting()
    file = opened(path, again)
    assert (again.told, memory.told, file.rows_read, file.set_aside) == (25, 25, 7, "")
    assert file.append([entry(25)]) == [28]
    file.close()


@pytest.mark.parametrize("is_open", [True, False])
def test_event_lines_are_read_over_all_archives(tmp_path: Path, is_open: bool) -> None:
    path = tmp_path / "journal.db"
    file = opened(path, Counting())
    for number in range(25):
        line = entry(number, kind=NOTE if number % 2 else "push", payload=f"line {number}")
        file.append([msgspec.structs.replace(line, wall_ms=NOW_MS + number)])
    if not is_open:
        file.close()
    lines = read_notes(path, 0, 0, 100)
    assert [line.payload for line in lines] == [f"line {number}" for number in range(1, 25, 2)]
    pages, after = list[Entry](), 0
    while page := read_notes(path, after, 0, 5):
        pages, after = pages + page, page[-1].seq
    assert pages == lines
    assert [line.payload for line in read_notes(path, 0, NOW_MS + 20, 100)] == ["line 21", "line 23"]
    assert read_notes(path, lines[-1].seq, 0, 100) == []
    if is_open:
        assert file.append([entry(25)]), "a reader holds up no writer"
        file.close()


def test_rows_read_at_startup_do_not_grow_with_the_journal(tmp_path: Path) -> None:
    """500,000 entries took 7 s and 511 MB; now their number does not matter."""
    read_at_start = []
    for count in (30, 3_000):
        path = tmp_path / str(count) / "journal.db"
        path.parent.mkdir()
        file = opened(path)
        for first in range(0, count, 5):
            file.append([entry(first + number) for number in range(5)])
        file.close()
        file, memory = None, Counting()  # type: ignore[assignment]
        file = opened(path, memory)
        assert memory.told == count
        read_at_start.append((file.rows_read, len(file.entries())))
        file.close()
    assert all(rows <= 11 and kept <= 11 for rows, kept in read_at_start), read_at_start


def test_a_large_old_journal_is_archived_at_first_startup(tmp_path: Path) -> None:
    path, memory = tmp_path / "journal.db", Counting()
    filled(path, 30)
    file = opened(path, memory)
    assert (file.rows_read, memory.told, [one.kind for one in file.entries()]) == (30, 30, [CHECKPOINT])
    file.close()
    assert archives(path) == ["journal-1-30.sqlite"]
    file = opened(path, memory)
    assert (file.rows_read, memory.told) == (1, 30)
    file.close()


@pytest.mark.parametrize("damage", ["row", "checkpoint", "base", "archive", "archive gone"])
def test_i9_a_damaged_journal_archive_is_detected(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "journal.db"
    filled(path, 30)
    file = opened(path)
    file.append([entry(30), entry(31)])
    file.close()
    archive = tmp_path / "journal-1-30.sqlite"
    statements = {
        "row": "DELETE FROM journal WHERE seq = 32",
        "checkpoint": "UPDATE journal SET payload = '99' WHERE seq = 31",
        "base": "UPDATE base SET seq = 31, hash = (SELECT hash FROM journal WHERE seq = 31)",
        "archive": "UPDATE journal SET payload = '' WHERE seq = 7",
    }
    if damage == "archive gone":
        archive.unlink()
    else:
        sql(archive if damage == "archive" else path, statements[damage])
    words = {
        "row": "entry 32 does not fit",
        "checkpoint": "entry 31 does not fit",
        "base": "entry 32 does not fit",
        "archive": "entry 7 does not fit",
        "archive gone": "archived entries up to 30 are missing",
    }[damage]
    assert words in read_all(path)[1]
    file = opened(path)
    assert bool(file.set_aside) == (damage not in ("archive", "archive gone"))
    if file.set_aside:
        assert not archives(path), "the archives go with what they belong to; the next journal begins at 1"
        assert file.append([entry(1)]) == [1]
    file.close()


def test_i9_a_missing_journal_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    file = opened(path)
    for number in range(35):
        file.append([entry(number)])
    file.close()
    (tmp_path / "journal-11-20.sqlite").unlink()
    entries, error = read_all(path)
    assert error == "journal-21-30.sqlite does not follow entry 10"
    assert [one.seq for one in entries] == [*range(1, 11), *range(21, 39)], "what is left is told all the same"


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_i9_a_crash_while_archiving_loses_no_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    path = tmp_path / "journal.db"
    filled(path, 30)
    calls = 0

    class Died(BaseException):
        pass

    def counted(what: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            if calls == step:
                raise Died
            return what(*arguments)

        return call

    with monkeypatch.context() as broken:
        broken.setattr(os, "link", counted(os.link))
        broken.setattr(journal_file, "_make_database", counted(journal_file._make_database))
        broken.setattr(Path, "rename", counted(Path.rename))
        broken.setattr(high_water, "sync_folder", counted(high_water.sync_folder))
        broken.setattr(journal_file, "_drop_archive_link", lambda _: None)
        with pytest.raises(Died):
            opened(path)
    first = read_all(path)
    assert ([one.seq for one in first[0]][:30], first[1]) == (list(range(1, 31)), "")
    memory = Counting()
    file = opened(path, memory)
    assert (memory.told, file.set_aside, [one.kind for one in file.entries()]) == (30, "", [CHECKPOINT])
    file.close()
    again = read_all(path)
    assert ([one.seq for one in again[0]], again[1]) == (list(range(1, 32)), "")
    assert archives(path) == ["journal-1-30.sqlite"]


@pytest.mark.parametrize("error", [OSError(28, "no space"), sqlite3.OperationalError("disk I/O error")])
def test_archiving_that_fails_on_a_full_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    path = tmp_path / "journal.db"
    filled(path, 30)

    def full(*_: object) -> None:
        raise error

    with monkeypatch.context() as narrow:
        narrow.setattr(journal_file, "_make_database", full)
        file = opened(path)
        assert file.append([entry(30)]) == [31]
        assert [one.seq for one in file.entries()] == list(range(1, 32)) and not archives(path)
    for number in range(31, 40):
        file.append([entry(number)])
    assert archives(path)
    file.close()
    assert read_all(path)[1] == ""


def test_a_failed_archive_is_not_retried_at_every_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, tries = tmp_path / "journal.db", list[int]()
    file = opened(path)

    def full(*_: object) -> None:
        tries.append(number)
        raise OSError(28, "no space")

    monkeypatch.setattr(journal_file, "_make_database", full)
    for number in range(1, 17):
        file.append([entry(number)])
    assert tries == [10, 12, 14, 16]
    file.close()


def test_a_journal_not_reopened_after_archiving_opens_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, memory = tmp_path / "journal.db", Counting()
    file = opened(path, memory)

    def locked(_: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("database is locked")

    with monkeypatch.context() as busy:
        busy.setattr(journal_file, "_connect_database", locked)
        for number in range(10):
            file.append([entry(number)])
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            file.append([entry(10)])
    assert file.append([entry(11)]) == [12]
    file.close()
    entries, error = read_all(path)
    assert ([one.seq for one in entries], memory.told, error) == (list(range(1, 13)), 11, "")


def test_the_journal_is_not_archived_while_it_is_being_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    filled(path, 30)
    with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as reader:
        rows = reader.execute("SELECT * FROM journal")
        rows.fetchone()
        file = opened(path)
        assert file.append([entry(30)]) == [31]
        assert [one.seq for one in file.entries()] == list(range(1, 32))
        assert len(rows.fetchall()) == 29
    reader.close()
    for number in range(31, 40):
        file.append([entry(number)])
    assert archives(path)
    file.close()


def test_entries_in_both_journal_and_archive_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    filled(path, 30)
    whole = path.read_bytes()
    opened(path).close()
    path.write_bytes(whole)
    assert [one.seq for one in read_all(path)[0]] == list(range(1, 31))


async def test_open_orders_are_restored_from_an_archived_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    meant = msgspec.json.encode({"kind": "Place", "intent": buy(), "args": {}}).decode()
    journal = SqliteJournal(path, FakeClock(wall=NOW_MS / 1000))
    await journal.record("intent", meant, client_order_id="c1")
    for _ in range(25):
        await journal.record("note", "x")
    entries = await journal.entries()
    assert entries[0].kind == CHECKPOINT and len(entries) < 10
    past = session_replay.replay_entries(entries, portfolio="", now=0.0, wall=NOW_MS / 1000)
    assert [row.client_order_id for row in past.rows] == ["c1"]
    await journal.close()
    assert archives(path) == ["journal-1-26.sqlite"], "made when nobody waited any more"
